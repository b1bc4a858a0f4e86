//! Order of a study's measurements, and the steps that are already done.
//!
//! 1. For each N and each kernel: PFFT-LB with all groupings.
//! 2. The best grouping for each kernel ([`choice`](super::choice)).
//! 3. For each N and each kernel: all methods in turn, with the grouping of step 2.
//!
//! Small N come first, so a study that is stopped early is complete up to some N. A step in the journal is
//! not repeated, with two exceptions: the kernel has another version now, or step 2 chooses another grouping,
//! as it may with more N.

use std::time::Instant;

use earth_console::work::Progress;
use earth_fft::kernel::Kernel;
use earth_papers::partition::Grouping;

use super::bench::{Bench, BenchError};
use super::choice::{best, preferences};
use super::findings::{KernelFindings, Study};
use super::journal::{Journal, JournalError};
use super::rows::{Entry, Groupings, Methods};

/// Sizes from `from` up to `to`, in steps of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// First N, at least 2: a transform of one point takes no operations.
    pub from: usize,
    /// Upper bound of N.
    pub to: usize,
    /// Distance from one N to the next.
    pub step: usize,
}

/// Error of a range of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSizes {
    /// The upper bound is below the first size.
    #[error("there is no N from {from} to {to}")]
    Empty {
        /// First size.
        from: usize,
        /// Upper bound.
        to: usize,
    },
    /// The first size is below 2.
    #[error("N must be at least 2, because a transform of one point takes no operations and so has no speed")]
    OnePoint,
    /// The step is 0.
    #[error("the step is 0; it must be at least 1")]
    NoStep,
}

impl Sizes {
    /// Returns all sizes in ascending order.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no size, or if the first size is below 2.
    pub fn all(self) -> Result<Vec<usize>, NoSizes> {
        let Self { from, to, step } = self;
        match self {
            _ if step == 0 => Err(NoSizes::NoStep),
            _ if from < 2 => Err(NoSizes::OnePoint),
            _ if from > to => Err(NoSizes::Empty { from, to }),
            _ => Ok((from..=to).step_by(step).collect()),
        }
    }
}

/// Kernels and sizes of a study.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Row kernels.
    pub kernels: &'a [Kernel],
    /// All N, ascending.
    pub sizes: &'a [usize],
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

/// Work of all methods, relative to PFFT-LB with one grouping: five methods, twice each, speed functions,
/// verification.
const METHODS: u64 = 13;

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
    let Target { kernels, sizes } = target;
    let groupings = bench.groupings();
    let versions =
        kernels.iter().map(|kernel| bench.version(kernel)).collect::<Result<Vec<_>, BenchError>>()?;
    let known: Vec<_> = kernels
        .iter()
        .zip(&versions)
        .map(|(kernel, version)| Known {
            kernel,
            name: kernel.to_string(),
            version: version.as_deref(),
            sizes,
        })
        .collect();
    let ways = groupings.len() as u64;
    let square = |n: usize| (n as u64).saturating_mul(n as u64);
    progress.begin(known.iter().map(|known| known.work(journal, &groupings)).sum());

    if journal.published().is_none() && !progress.is_over() {
        let published = bench.published()?;
        journal.add(Entry::Published(published))?;
    }
    // A single grouping leaves no choice.
    if ways > 1 {
        for &n in sizes {
            for known in &known {
                if progress.is_over() || known.groupings(journal, n).is_some() {
                    continue;
                }
                let begun = Instant::now();
                let ways_of_n = bench.ways(known.kernel, n)?;
                let (version, took) = (known.version.map(str::to_owned), begun.elapsed().as_secs_f64());
                let row = Groupings { kernel: known.name.clone(), version, n, ways: ways_of_n, took };
                journal.add(Entry::Groupings(row))?;
                progress.done(ways * square(n));
            }
        }
    }
    let chosen: Vec<_> = known.iter().map(|known| known.chosen(journal, &groupings)).collect();
    for &n in sizes {
        for (known, grouping) in known.iter().zip(&chosen) {
            let Some(grouping) = *grouping else { continue };
            if progress.is_over() || known.methods(journal, n, grouping).is_some() {
                continue;
            }
            let begun = Instant::now();
            let row = bench.methods(known.kernel, n, grouping)?;
            journal.add(Entry::Methods(Methods { took: begun.elapsed().as_secs_f64(), ..row }))?;
            progress.done(METHODS * square(n));
        }
    }
    let findings: Vec<_> =
        known.iter().zip(chosen).map(|(known, grouping)| known.findings(journal, grouping)).collect();
    let steps = if ways > 1 { 2 } else { 1 };
    let finished: usize = findings
        .iter()
        .zip(&known)
        .map(|(found, known)| {
            let ways = sizes.iter().filter(|&&n| known.groupings(journal, n).is_some()).count();
            found.rows.len() + if steps == 2 { ways } else { 0 }
        })
        .sum();
    let of_ways = known.iter().flat_map(|known| known.all_groupings(journal)).map(|row| row.took);
    let took = of_ways.chain(findings.iter().flat_map(|found| &found.rows).map(|row| row.took)).sum();
    Ok(Study {
        took,
        conditions: journal.conditions().clone(),
        sizes: sizes.to_vec(),
        kernels: findings,
        published: journal.published(),
        differs: journal.differs().map(str::to_owned),
        left_out: steps * sizes.len() * kernels.len() - finished,
    })
}

/// Kernel, and access to its rows in the journal.
struct Known<'a> {
    kernel: &'a Kernel,
    name: String,
    version: Option<&'a str>,
    sizes: &'a [usize],
}

impl Known<'_> {
    fn groupings<'j>(&self, journal: &'j Journal, n: usize) -> Option<&'j Groupings> {
        journal.groupings(&self.name, self.version, n)
    }

    fn methods<'j>(&self, journal: &'j Journal, n: usize, grouping: Grouping) -> Option<&'j Methods> {
        journal.methods(&self.name, self.version, n, grouping)
    }

    /// Returns the measured times of PFFT-LB.
    fn all_groupings<'j>(&self, journal: &'j Journal) -> Vec<&'j Groupings> {
        self.sizes.iter().filter_map(|&n| self.groupings(journal, n)).collect()
    }

    /// Returns the grouping, if all rows that decide it are measured.
    fn chosen(&self, journal: &Journal, groupings: &[Grouping]) -> Option<Grouping> {
        if let [only] = groupings {
            return Some(*only);
        }
        let rows = self.all_groupings(journal);
        if rows.len() < self.sizes.len() { None } else { best(&preferences(&rows)) }
    }

    /// Returns the remaining work.
    fn work(&self, journal: &Journal, groupings: &[Grouping]) -> u64 {
        let chosen = self.chosen(journal, groupings);
        let of = |&n: &usize| {
            let ways = groupings.len() > 1 && self.groupings(journal, n).is_none();
            let methods = chosen.is_none_or(|grouping| self.methods(journal, n, grouping).is_none());
            let work = if ways { groupings.len() as u64 } else { 0 } + if methods { METHODS } else { 0 };
            work.saturating_mul((n as u64).saturating_mul(n as u64))
        };
        self.sizes.iter().map(of).sum()
    }

    fn findings(&self, journal: &Journal, grouping: Option<Grouping>) -> KernelFindings {
        let rows = grouping.map(|grouping| {
            self.sizes.iter().filter_map(|&n| self.methods(journal, n, grouping)).cloned().collect()
        });
        KernelFindings {
            kernel: self.name.clone(),
            version: self.version.map(str::to_owned),
            preferences: preferences(&self.all_groupings(journal)),
            grouping,
            rows: rows.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
