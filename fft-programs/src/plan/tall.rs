//! What the [program for few long columns](crate::dataflow::tall) runs on, and the matrix that it keeps between runs.

use earth::{Block, Machine, Run};
use earth_kernels::Real;
use num_complex::Complex;
use parking_lot::Mutex;

use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::receiver::Scalar;
use crate::dataflow::tall::{self, TallJob, TallPlan};
use crate::dataflow::transpose::Room;
use crate::plan::TransformError;
use crate::plan::program::Input;

/// The program for few long columns, planned, and the matrix aside, unless a run has it.
#[derive(Debug)]
pub(crate) struct Tall<T: Real> {
    plan: TallPlan<T>,
    aside: Mutex<Option<Points<T>>>,
}

impl<T: Scalar> Tall<T> {
    pub(crate) fn new(plan: TallPlan<T>) -> Self {
        Self { plan, aside: Mutex::default() }
    }

    pub(crate) fn plan(&self) -> &TallPlan<T> {
        &self.plan
    }

    /// Runs it on blocks.
    pub(crate) fn run(
        &self,
        machine: &mut Machine,
        points: Block<Complex<T>>,
        (numbers, from): Input<T>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let aside = self.aside.lock().take();
        let aside = aside.map_or_else(|| self.plan.columns().aside(), Ok)?;
        let job = TallJob::new(points, numbers, aside, &self.plan);
        let run = tall::run(machine, from.into_iter().fold(job, TallJob::from))?;
        Ok(run.map(|left| {
            *self.aside.lock() = left.aside.map(Room::into_block);
            left.done
        }))
    }
}
