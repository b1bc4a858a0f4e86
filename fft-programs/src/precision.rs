//! The two precisions of the transforms.

use earth::{Error, Machine, Run, Shared, SharedValues, Wire};
use earth_kernels::Real;
use num_complex::Complex;

use crate::dataflow::Done;
use crate::dataflow::alone::{Alone, AloneJob};
use crate::distributed::program::{DistributedCall, DistributedFft};
use crate::planner::PlanError;
use crate::solver::{Draft, Request, Solver};

/// `f32` or `f64`: programs compute with it ([`Real`]), send it between nodes ([`Wire`]), and write it as
/// text.
pub trait Precision: Real + Wire + serde::Serialize + Compiled {}

impl Precision for f32 {}
impl Precision for f64 {}

/// Functions that are compiled with this crate for each precision.
///
/// A program is generic, so otherwise every crate that runs a program would compile it again, for many
/// seconds of processor time.
pub trait Compiled: Real + Wire {
    /// Plans a problem by a solver.
    fn plan(solver: &dyn Solver, request: &Request<'_>) -> Result<Draft<Self>, PlanError>;

    /// Runs the passes of one thread in a fiber.
    fn run_alone(machine: &mut Machine, job: AloneJob<Self>) -> Result<Run<Done<Self>>, Error>;

    /// Runs a distributed transform.
    fn run_distributed(
        machine: &mut Machine,
        shared: SharedValues,
        call: Shared<DistributedCall<Self>>,
    ) -> Result<Run<()>, Error>;
}

macro_rules! compiled {
    ($($real:ty: $plan:ident),*) => {$(
        impl Compiled for $real {
            fn plan(solver: &dyn Solver, request: &Request<'_>) -> Result<Draft<Self>, PlanError> {
                solver.$plan(request)
            }

            fn run_alone(machine: &mut Machine, job: AloneJob<Self>) -> Result<Run<Done<Self>>, Error> {
                machine.run_with(job.shared(), |out| Alone::<Self>::call(job, out))
            }

            fn run_distributed(
                machine: &mut Machine,
                shared: SharedValues,
                call: Shared<DistributedCall<Self>>,
            ) -> Result<Run<()>, Error> {
                machine.run_with(shared, |out| DistributedFft::<Self>::call(call, out))
            }
        }
    )*};
}

compiled!(f32: plan_f32, f64: plan_f64);

/// Returns |z| in double precision, without intermediate overflow.
pub fn magnitude<T: Real>(value: Complex<T>) -> f64 {
    value.re.widen().hypot(value.im.widen())
}
