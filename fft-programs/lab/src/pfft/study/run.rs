//! Order of a study's measurements, and the steps that are already done.
//!
//! 1. For each N and each kernel: PFFT-LB with all groupings.
//! 2. The best grouping for each kernel ([`choice`](super::choice)).
//! 3. For each N and each kernel: all methods in turn, with the grouping of step 2.
//! 4. For each N, transposes by blocks. For each library, rows of the paper's example, and its own transform
//!    by planners that measure. These come last, because a planner's results may influence later plans.
//!
//! Small N come first, so a study that is stopped early is complete up to some N. A step in the journal is
//! not repeated, with two exceptions: the kernel has another version now, or step 2 chooses another grouping,
//! as it may with more N.

mod sizes;

use std::time::Instant;

use earth_console::work::Progress;
use earth_fft::kernel::Kernel;
use earth_papers::partition::Grouping;

use super::bench::{Bench, BenchError};
use super::choice::{best, preferences};
use super::findings::{KernelFindings, Study};
use super::journal::{Journal, JournalError};
use super::rows::further::{EXAMPLE, Efforts, LENGTHS, Lengths, ROWS, Transposes};
use super::rows::{Entry, Groupings, Methods};

pub use sizes::{NoSizes, Sizes};

/// Kernels and sizes of a study.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Row kernels.
    pub kernels: &'a [Kernel],
    /// All N, ascending.
    pub sizes: &'a [usize],
    /// Greatest N of the sizes in steps. Averages over N leave out the N beyond it.
    pub steps_to: usize,
}

/// Error that ended a study early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A measurement failed.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Work of all methods, relative to PFFT-LB with one grouping: seven methods, twice each, speed functions,
/// verification.
const METHODS: u64 = 17;

/// Work of an estimated and a measured plan, and of transposes, relative to PFFT-LB with one grouping.
const EFFORTS: u64 = 6;
const TRANSPOSES: u64 = 6;

/// Step of a study. `at` is the index of a kernel.
#[derive(Clone, Copy)]
enum Step {
    Published,
    Groupings { at: usize, n: usize },
    Methods { at: usize, n: usize },
    Efforts { at: usize, n: usize },
    Lengths { at: usize },
    Transposes { n: usize },
}

/// Kernel with facts that do not change during a study.
struct Known<'a> {
    kernel: &'a Kernel,
    name: String,
    version: Option<String>,
    is_library: bool,
    has_efforts: bool,
}

/// Steps of a study, and their state.
struct Steps<'a> {
    known: Vec<Known<'a>>,
    target: Target<'a>,
    groupings: Vec<Grouping>,
    measure_to: usize,
}

/// Measures all rows that the journal lacks, until `progress` is over.
///
/// # Errors
///
/// Returns the error of the bench or of the journal. Finished rows are kept.
pub fn run(
    bench: &mut impl Bench,
    target: Target<'_>,
    journal: &mut Journal,
    progress: &impl Progress,
) -> Result<Study, RunError> {
    let known = |kernel| {
        Ok(Known {
            kernel,
            name: kernel.to_string(),
            version: bench.version(kernel)?,
            is_library: kernel.load()?.is_some(),
            has_efforts: bench.has_efforts(kernel)?,
        })
    };
    let known = target.kernels.iter().map(known).collect::<Result<Vec<_>, BenchError>>()?;
    let (groupings, measure_to) = (bench.groupings(), journal.conditions().measure_to);
    let steps = Steps { known, target, groupings, measure_to };
    let all = steps.all();
    progress
        .begin(all.iter().filter(|step| !steps.is_done(journal, **step)).map(|step| steps.work(*step)).sum());
    for &step in &all {
        if progress.is_over() || steps.is_done(journal, step) {
            continue;
        }
        let Some(entry) = steps.measured(bench, journal, step)? else { continue };
        journal.add(entry)?;
        if steps.work(step) > 0 {
            progress.done(steps.work(step));
        }
    }
    Ok(steps.study(journal, &all))
}

impl Steps<'_> {
    /// Returns all steps in their order.
    fn all(&self) -> Vec<Step> {
        let sizes = self.target.sizes;
        let kernels = 0..self.known.len();
        let each = |step: fn(usize, usize) -> Step| {
            let kernels = kernels.clone();
            sizes.iter().flat_map(move |&n| kernels.clone().map(move |at| step(at, n)))
        };
        let mut all = vec![Step::Published];
        // A single grouping leaves no choice.
        if self.groupings.len() > 1 {
            all.extend(each(|at, n| Step::Groupings { at, n }));
        }
        all.extend(each(|at, n| Step::Methods { at, n }));
        all.extend(sizes.iter().map(|&n| Step::Transposes { n }));
        all.extend(kernels.clone().filter(|&at| self.known[at].is_library).map(|at| Step::Lengths { at }));
        let has_efforts = |step: &Step| match *step {
            Step::Efforts { at, n } => self.known[at].has_efforts && n <= self.measure_to,
            _ => true,
        };
        all.extend(each(|at, n| Step::Efforts { at, n }).filter(has_efforts));
        all
    }

    fn is_done(&self, journal: &Journal, step: Step) -> bool {
        match step {
            Step::Published => journal.published().is_some(),
            Step::Groupings { at, n } => self.known[at].groupings(journal, n).is_some(),
            Step::Methods { at, n } => self.methods(journal, at, n).is_some(),
            Step::Efforts { at, n } => self.known[at].efforts(journal, n).is_some(),
            Step::Lengths { at } => self.known[at].lengths(journal).is_some(),
            Step::Transposes { n } => journal.transposes(n).is_some(),
        }
    }

    /// Returns the work of a step, in points times runs.
    fn work(&self, step: Step) -> u64 {
        let square = |n: usize, times: u64| (n as u64).saturating_mul(n as u64).saturating_mul(times);
        match step {
            Step::Published => 0,
            Step::Groupings { n, .. } => square(n, self.groupings.len() as u64),
            Step::Methods { n, .. } => square(n, METHODS),
            Step::Efforts { n, .. } => square(n, EFFORTS),
            Step::Lengths { .. } => (EXAMPLE * ROWS * LENGTHS) as u64,
            Step::Transposes { n } => square(n, TRANSPOSES),
        }
    }

    /// Measures a step; `None` if it has to wait for steps that are not done.
    fn measured(
        &self,
        bench: &mut impl Bench,
        journal: &Journal,
        step: Step,
    ) -> Result<Option<Entry>, BenchError> {
        let begun = Instant::now();
        let took = || begun.elapsed().as_secs_f64();
        Ok(Some(match step {
            Step::Published => Entry::Published(bench.published()?),
            Step::Groupings { at, n } => {
                let Known { kernel, name, version, .. } = &self.known[at];
                let ways = bench.ways(kernel, n)?;
                let (kernel, version) = (name.clone(), version.clone());
                Entry::Groupings(Groupings { kernel, version, n, ways, took: took() })
            }
            Step::Methods { at, n } => {
                let Some(grouping) = self.chosen(journal, at) else { return Ok(None) };
                let row = bench.methods(self.known[at].kernel, n, grouping)?;
                Entry::Methods(Methods { took: took(), ..row })
            }
            Step::Efforts { at, n } => {
                let row = bench.efforts(self.known[at].kernel, n)?;
                Entry::Efforts(Efforts { took: took(), ..row })
            }
            Step::Lengths { at } => {
                let row = bench.lengths(self.known[at].kernel)?;
                Entry::Lengths(Lengths { took: took(), ..row })
            }
            Step::Transposes { n } => {
                let row = bench.transposes(n)?;
                Entry::Transposes(Transposes { took: took(), ..row })
            }
        }))
    }

    /// Returns the measured times of PFFT-LB.
    fn all_groupings<'j>(&self, journal: &'j Journal, at: usize) -> Vec<&'j Groupings> {
        self.target.sizes.iter().filter_map(|&n| self.known[at].groupings(journal, n)).collect()
    }

    /// Returns the grouping, if all rows that decide it are measured.
    fn chosen(&self, journal: &Journal, at: usize) -> Option<Grouping> {
        if let [only] = self.groupings[..] {
            return Some(only);
        }
        let rows = self.all_groupings(journal, at);
        if rows.len() < self.target.sizes.len() { None } else { best(&preferences(&rows)) }
    }

    fn methods<'j>(&self, journal: &'j Journal, at: usize, n: usize) -> Option<&'j Methods> {
        let known = &self.known[at];
        journal.methods(&known.name, known.version.as_deref(), n, self.chosen(journal, at)?)
    }

    /// Returns the results so far.
    fn study(&self, journal: &Journal, all: &[Step]) -> Study {
        let sizes = self.target.sizes;
        let kernels: Vec<_> = (0..self.known.len()).map(|at| self.findings(journal, at)).collect();
        let transposes: Vec<_> = sizes.iter().filter_map(|&n| journal.transposes(n)).cloned().collect();
        let ways = (0..self.known.len()).flat_map(|at| self.all_groupings(journal, at));
        let took = ways
            .map(|row| row.took)
            .chain(kernels.iter().map(KernelFindings::took))
            .chain(transposes.iter().map(|row| row.took))
            .sum();
        let is_left = |step: &&Step| !matches!(step, Step::Published) && !self.is_done(journal, **step);
        Study {
            took,
            conditions: journal.conditions().clone(),
            sizes: sizes.to_vec(),
            steps_to: self.target.steps_to,
            kernels,
            published: journal.published(),
            transposes,
            differs: journal.differs().map(str::to_owned),
            left_out: all.iter().filter(is_left).count(),
        }
    }

    fn findings(&self, journal: &Journal, at: usize) -> KernelFindings {
        let (known, sizes) = (&self.known[at], self.target.sizes);
        KernelFindings {
            kernel: known.name.clone(),
            version: known.version.clone(),
            preferences: preferences(&self.all_groupings(journal, at)),
            grouping: self.chosen(journal, at),
            steps_to: self.target.steps_to,
            rows: sizes.iter().filter_map(|&n| self.methods(journal, at, n)).cloned().collect(),
            efforts: sizes.iter().filter_map(|&n| known.efforts(journal, n)).cloned().collect(),
            lengths: known.lengths(journal).cloned(),
        }
    }
}

impl Known<'_> {
    fn groupings<'j>(&self, journal: &'j Journal, n: usize) -> Option<&'j Groupings> {
        journal.groupings(&self.name, self.version.as_deref(), n)
    }

    fn efforts<'j>(&self, journal: &'j Journal, n: usize) -> Option<&'j Efforts> {
        journal.efforts(&self.name, self.version.as_deref(), n)
    }

    fn lengths<'j>(&self, journal: &'j Journal) -> Option<&'j Lengths> {
        journal.lengths(&self.name, self.version.as_deref())
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
