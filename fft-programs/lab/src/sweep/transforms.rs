//! Parallel FFTs of a planner as programs of a sweep.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Machine, Run};
use earth_fft::solver::Solver;
use earth_fft::{Complex, Direction, Plan, PlanRun, Planner, Problem, TransformError, verified};
use earth_programs::{Instance, Program, ProgramError, Size};

/// Seed of the frequencies that are compared with the definition of the transform.
const SEED: u64 = 20_260;

/// Algorithm of a planner, which transforms a series or a matrix of pseudorandom points.
pub struct Transform {
    solver: Arc<dyn Solver>,
    planner: Planner,
    is_of_series: bool,
}

/// Sizes of a series. A block of 0 points means the algorithm's default.
const SERIES: &[Size] = &[Size::new("points", 4096, 64), Size::new("block", 0, 0).within(0, 1 << 32)];

/// Sizes of a matrix. A block of 0 rows means the algorithm's default.
const MATRIX: &[Size] =
    &[Size::new("rows", 64, 8), Size::new("columns", 64, 8), Size::new("block", 0, 0).within(0, 1 << 32)];

/// Returns each algorithm of a planner as a program of its name.
pub fn transforms(planner: &Planner) -> Vec<Transform> {
    let transform = |solver: &Arc<dyn Solver>| {
        let series = planner.clone().algorithm(solver.name()).nodes(NonZeroUsize::MIN);
        let is_of_series = series.plan::<f64>(&Problem::complex(&[64])).is_ok();
        Transform { solver: solver.clone(), planner: planner.clone(), is_of_series }
    };
    planner.solvers().map(transform).collect()
}

/// Returns point `i` of the input.
fn point(i: usize) -> Complex<f64> {
    let bits = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let part = |bits: u64| (bits % 2_001) as f64 / 1_000.0 - 1.0;
    Complex::new(part(bits >> 40), part((bits >> 20) & 0xf_ffff))
}

impl Program for Transform {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn title(&self) -> &'static str {
        self.solver.about()
    }

    fn sizes(&self) -> &'static [Size] {
        if self.is_of_series { SERIES } else { MATRIX }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (block, lengths) = sizes.split_last().unwrap_or((&0, &[]));
        let lengths: Vec<_> = lengths.iter().map(|&length| length as usize).collect();
        let mut planner = self.planner.clone().algorithm(self.name());
        if let Some(block) = NonZeroUsize::new(*block as usize) {
            planner = planner.block(block).map_err(|error| ProgramError::Other(error.into()))?;
        }
        let input: Vec<_> = (0..lengths.iter().product()).map(point).collect();
        // The plain version is the library's transform in one thread. It may not exist for these lengths.
        let here: Plan<f64> = Planner::new()
            .nodes(NonZeroUsize::MIN)
            .plan(&Problem::complex(&lengths))
            .map_err(|error| ProgramError::Other(error.into()))?;
        let mut points = input.clone();
        let plain = move || here.process(&mut points).is_ok();
        let run = move |machine: &mut Machine| {
            let planner = planner.clone().nodes(NonZeroUsize::new(machine.node_count()));
            let other = |error: TransformError| match error {
                TransformError::Machine(error) => ProgramError::Machine(error),
                error => ProgramError::Other(error.into()),
            };
            let plan: Plan<f64> =
                planner.plan(&Problem::complex(&lengths)).map_err(|error| other(error.into()))?;
            let run = plan.run_on(machine, input.clone()).map_err(other)?;
            let PlanRun { output, elapsed, cycles, counters, by_node, records, .. } = run;
            let verified = verified(&lengths, &input, &output.into_vec(), Direction::Forward, SEED);
            let value = verified.relative_error() <= verified.bound;
            Ok::<_, ProgramError>(Run { value, counters, by_node, elapsed, cycles, records })
        };
        let describe = |is_right: &bool| match is_right {
            true => "the spectrum is right".to_owned(),
            false => "the error of the spectrum exceeds the bound of rounding".to_owned(),
        };
        Ok(Instance::new(plain, run, describe))
    }
}
