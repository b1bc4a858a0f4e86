//! Measurements beside the methods: planners that measure, and rows of the paper's example.

use earth_fft::Precision;
use earth_fft::kernel::Kernel;
use earth_fftw::{Effort, WholeProblem};
use earth_papers::groups::Pad;
use earth_papers::partition::Grouping;

use super::MatrixBench;
use super::turns::Runner;
use crate::pfft::measure::Reliability;
use crate::pfft::measure::speeds::Subject;
use crate::pfft::study::bench::{Bench as _, BenchError};
use crate::pfft::study::rows::further::{EXAMPLE, Efforts, LENGTHS, LONGER, Lengths, Planned, ROWS};
use crate::pfft::study::speeds;

impl<T: Precision> MatrixBench<T> {
    /// Measures a library's own transform by each effort, in turn.
    pub(super) fn by_efforts(&mut self, kernel: &Kernel, n: usize) -> Result<Efforts, BenchError> {
        self.prepare(n)?;
        let library = kernel.load()?;
        // FFTW 2 measures in one way.
        let is_patient = n <= self.conditions.patient_to
            && library.as_ref().is_some_and(|library| library.name() != "fftw2");
        let patient = is_patient.then_some(Effort::Patient);
        let efforts: Vec<_> = [Effort::Estimate, Effort::Measure].into_iter().chain(patient).collect();
        let mut runners = Vec::new();
        for &effort in &efforts {
            if let Some(library) = &library {
                library.forget::<T>();
            }
            let plan = kernel.plan_whole(WholeProblem { effort, ..self.theirs(n) })?;
            runners.push(Runner::Theirs(plan));
        }
        for (effort, runner) in efforts.iter().zip(&mut runners) {
            self.checked(runner, kernel, || format!("{kernel} planned by {effort}"))?;
        }
        let plannings = runners.iter().map(Runner::planning).collect::<Vec<_>>();
        let times = self.in_turn(kernel, &mut runners.iter_mut().collect::<Vec<_>>(), 2)?;
        let (first, second) = times.split_at(efforts.len());
        let plans = efforts.iter().zip(plannings).zip(first.iter().zip(second));
        let plans = plans.map(|((effort, planning), (&time, &again))| Planned {
            effort: effort.to_string(),
            planning,
            time,
            again,
        });
        let version = self.version(kernel)?;
        Ok(Efforts { kernel: kernel.to_string(), version, n, plans: plans.collect(), took: 0.0 })
    }

    /// Measures rows of the paper's example, and longer rows.
    pub(super) fn of_lengths(&mut self, kernel: &Kernel) -> Result<Lengths, BenchError> {
        self.rest();
        (self.n, self.matrix, self.work) = (0, Vec::new(), Vec::new());
        let all = self.groupings();
        let grouping = all.iter().find(|way| way.groups > 1).or(all.first()).copied();
        let grouping = grouping.unwrap_or(Grouping { groups: 1, threads: 1 });
        let (effort, planning) = (self.effort, self.conditions.planning);
        let subject = Subject { grouping, kernel: kernel.clone(), effort, pad: Pad::None, planning };
        let lengths = (0..LENGTHS).map(|at| EXAMPLE + at * LONGER);
        let reliability = Reliability { seconds: self.conditions.point_seconds, ..self.reliability() };
        let points = speeds::of_lengths::<T>(&mut self.machine, &subject, ROWS, lengths, reliability)?;
        Ok(Lengths { kernel: kernel.to_string(), version: self.version(kernel)?, points, took: 0.0 })
    }
}
