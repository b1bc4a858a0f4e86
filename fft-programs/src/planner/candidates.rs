//! The candidates by which a problem can be transformed, for the [choice by measuring](super::effort).
//!
//! The settings of the caller are fixed. The other settings vary:
//!
//! * who transforms: the calling thread, or 1, 2, 4, .. nodes up to all usable ones,
//! * the solver, its blocks, the row kernel, and candidates of the solver's own.
//!
//! The planner's own choice is not a candidate, because it is always measured. Candidates without a plan,
//! such as a receiver on three nodes, drop out when they are planned. The most promising candidates come
//! first, so that a time limit cuts off the least promising ones.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::Config;
use earth_fftw::Effort;
use serde::{Deserialize, Serialize};

use super::registry::Solvers;
use super::{PlanError, default_nodes};
use crate::kernel::Kernel;
use crate::solver::{Candidate, Measuring, Request, Solver};

/// A [`Candidate`] as text for a wisdom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recorded {
    /// Name of the solver; `auto` is the calling thread.
    algorithm: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    settings: String,
    nodes: NonZeroUsize,
    kernel: Kernel,
}

impl Recorded {
    pub(super) fn of(candidate: &Candidate) -> Self {
        let Candidate { solver, nodes, kernel } = candidate.clone();
        let algorithm = solver.as_ref().map_or("auto", |solver| solver.name()).to_owned();
        let settings = solver.map(|solver| solver.settings()).unwrap_or_default();
        Self { algorithm, settings, nodes, kernel }
    }

    /// Returns the candidate, if its solver is known and takes its settings.
    pub(super) fn candidate(self, solvers: &Solvers) -> Option<Candidate> {
        let Self { algorithm, settings, nodes, kernel } = self;
        let solver = match &*algorithm {
            "auto" => None,
            name => Some(solvers.find_with(name, &settings)?),
        };
        Some(Candidate { solver, nodes, kernel })
    }
}

/// Returns the candidates for a problem. `of` is the precision of the plans and the bytes of a point.
pub(super) fn candidates(
    request: &Request<'_>,
    solvers: &Solvers,
    effort: Effort,
    kernel: Option<&Kernel>,
    of: (&'static str, usize),
) -> Result<Vec<Candidate>, PlanError> {
    let problem = request.problem;
    let patient = effort == Effort::Patient;
    let kernels = kernel.map_or_else(|| kernels(patient), |kernel| vec![kernel.clone()]);
    let named = solvers.named()?;
    let solvers: Vec<_> = match named {
        _ if !problem.is_one_array() => Vec::new(),
        Some(solver) => vec![solver],
        None => solvers.known().filter(|solver| solver.is_worth_measuring(problem, effort)).collect(),
    };
    let one = NonZeroUsize::MIN;
    let alone = named.is_none() && request.nodes.is_none_or(|nodes| nodes == one);
    let several = numbers_of_nodes(request.nodes, request.config, 2);
    // One node does the same as the calling thread, and also pays for the machine.
    let nodes =
        if named.is_none() { several.clone() } else { numbers_of_nodes(request.nodes, request.config, 1) };
    let measuring = Measuring { effort, nodes: &several, kernel, kernels: &kernels, precision: of };
    let mut candidates = Vec::new();
    // Parts of the longest side for each node; 0 is the solver's choice.
    for portions in [0, 1, 8].into_iter().chain(patient.then_some([16, 32]).into_iter().flatten()) {
        for kernel in &kernels {
            let candidate = |solver, nodes| Candidate { solver, nodes, kernel: kernel.clone() };
            if portions == 0 && alone {
                candidates.push(candidate(None, one));
            }
            for (&solver, &nodes) in solvers.iter().flat_map(|solver| nodes.iter().map(move |n| (solver, n)))
            {
                let cut: Option<Arc<dyn Solver>> = match portions {
                    0 => Some(solver.clone()),
                    _ => solver
                        .block_of(problem, nodes.get() * portions)
                        .and_then(|block| solver.in_blocks(block)),
                };
                candidates.extend(cut.map(|solver| candidate(Some(solver), nodes)));
            }
        }
        if portions == 0 {
            candidates.extend(solvers.iter().flat_map(|solver| solver.more_candidates(request, &measuring)));
        }
    }
    Ok(candidates)
}

/// Returns the available row kernels. Only the effort `Patient` loads libraries, because loading runs their
/// code.
fn kernels(patient: bool) -> Vec<Kernel> {
    let mut kernels = vec![Kernel::Earth, Kernel::RustFft];
    if patient {
        let libraries = [Kernel::Fftw, Kernel::Mkl];
        kernels.extend(libraries.into_iter().filter(|kernel| kernel.load().is_ok()));
    }
    kernels
}

/// Returns the requested number of nodes, else all usable nodes and the smaller powers of two, the largest
/// first. Leaves out numbers below `least`.
fn numbers_of_nodes(solvers: Option<NonZeroUsize>, config: Config, least: usize) -> Vec<NonZeroUsize> {
    let nodes = solvers.map_or_else(|| powers_of_two(default_nodes(config)), |nodes| vec![nodes]);
    nodes.into_iter().filter(|nodes| nodes.get() >= least).collect()
}

fn powers_of_two(usable: usize) -> Vec<NonZeroUsize> {
    let powers = (0..usize::BITS).map(|power| 1_usize << power).take_while(|&nodes| nodes < usable);
    let mut nodes: Vec<_> = powers.chain([usable]).filter_map(NonZeroUsize::new).collect();
    nodes.reverse();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::RowOptions;
    use crate::problem::Problem;
    use crate::solvers::TwoPass;

    fn measured(
        lengths: &[usize],
        one_array: bool,
        (named, nodes): (Option<TwoPass>, usize),
        effort: Effort,
    ) -> Vec<String> {
        let problem = Problem::complex(lengths).batch(if one_array { 1 } else { 2 });
        let options = &RowOptions::new(Kernel::RustFft, effort, problem.to());
        let nodes = NonZeroUsize::new(nodes);
        let request = Request { problem: &problem, options, phantom: false, nodes, config: Config::Spn };
        let mut solvers = Solvers::default();
        if let Some(solver) = named {
            solvers.request(Arc::new(solver));
        }
        let candidates = candidates(&request, &solvers, effort, Some(&Kernel::RustFft), ("f64", 16)).unwrap();
        candidates.iter().map(Candidate::to_string).collect()
    }

    #[test]
    fn requested_settings_are_fixed() {
        let alone = ["the calling thread, rows by rustfft"];
        assert_eq!(measured(&[8, 8], true, (None, 1), Effort::Measure), alone);
        assert_eq!(measured(&[8, 8], false, (None, 0), Effort::Measure), alone);
        assert_eq!(
            measured(&[8, 24], true, (None, 2), Effort::Measure),
            [
                "two-pass on 2 nodes, rows by rustfft",
                "two-pass on 2 nodes in blocks of 12, rows by rustfft",
                "two-pass on 2 nodes in blocks of 2, rows by rustfft",
            ]
        );
        let named = TwoPass::new().block(NonZeroUsize::new(3));
        let only = ["two-pass on 1 node in blocks of 3, rows by rustfft"];
        assert_eq!(measured(&[8, 24], true, (Some(named), 1), Effort::Patient), only);
    }

    #[test]
    fn the_patient_try_more() {
        let series = measured(&[64], true, (None, 2), Effort::Measure);
        let expected = [
            "transpose on 2 nodes",
            "transpose on 2 nodes in blocks of 4",
            "transpose on 2 nodes in blocks of 1",
        ];
        assert_eq!(series, expected.map(|measured| format!("{measured}, rows by rustfft")));
        let patient = measured(&[1 << 12], true, (None, 2), Effort::Patient);
        for more in ["ffte on 2 nodes", "transpose on 2 nodes in blocks of 2,"] {
            assert!(patient.iter().any(|measured| measured.starts_with(more)), "{patient:?}");
        }
        assert_eq!(measured(&[4, 4, 4], true, (None, 2), Effort::Measure).len(), 3);
    }

    #[test]
    fn nodes_are_powers_of_two_and_all() {
        let numbers = |usable| powers_of_two(usable).into_iter().map(NonZeroUsize::get).collect::<Vec<_>>();
        assert_eq!([1, 2, 6, 8].map(numbers), [vec![1], vec![2, 1], vec![6, 4, 2, 1], vec![8, 4, 2, 1]]);
    }
}
