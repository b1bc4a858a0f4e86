//! The ways in which a problem could be transformed, for the [choice by measuring](super::effort).
//!
//! What was asked for is fixed; what was not, varies: who transforms (the thread that asks, or 1, 2, 4, .. nodes up to all
//! usable ones), by which program, in which blocks, with which row kernel. The planner's own choice is not among them, as
//! it is measured anyway. What turns out to be no plan, a receiver on three nodes for example, is left out when it is
//! planned. The likeliest come first, so that a limit of time ends the least promising.

use std::fmt;
use std::num::NonZeroUsize;

use earth::Config;
use earth_fftw::Effort;
use serde::{Deserialize, Serialize};

use super::{Algorithm, Wishes, default_nodes};
use crate::dataflow::transpose::Form;
use crate::kernel::Kernel;

/// One way: what a planner has to be asked for to get it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Candidate {
    /// The program; `auto` is the thread that asks.
    pub(crate) algorithm: Algorithm,
    /// The nodes that share it, at least 1.
    pub(crate) nodes: NonZeroUsize,
    /// The points of a thread, or the rows of a row block; else the program's choice.
    pub(crate) block: Option<NonZeroUsize>,
    pub(crate) kernel: Kernel,
}

/// The candidates for a problem of these lengths, of which there is `one_array` without gaps or not.
pub(super) fn candidates(
    lengths: &[usize],
    one_array: bool,
    wishes: &Wishes,
    (config, effort): (Config, Effort),
    kernel: Option<&Kernel>,
) -> Vec<Candidate> {
    let patient = effort == Effort::Patient;
    let kernels = kernel.map_or_else(|| kernels(patient), |kernel| vec![kernel.clone()]);
    let programs = match (wishes.algorithm, lengths) {
        _ if !one_array => Vec::new(),
        (Algorithm::Auto, [_]) if patient => {
            vec![
                Algorithm::Transpose,
                Algorithm::Sender,
                Algorithm::Ffte,
                Algorithm::ReceiverShared,
                Algorithm::Receiver,
            ]
        }
        (Algorithm::Auto, [_]) => vec![Algorithm::Transpose, Algorithm::Sender],
        (Algorithm::Auto, [_, _]) => vec![Algorithm::TwoPass, Algorithm::Grouped],
        (Algorithm::Auto, _) => vec![Algorithm::TwoPass],
        (named, _) => vec![named],
    };
    let is_free = wishes.algorithm == Algorithm::Auto;
    let one = NonZeroUsize::MIN;
    let alone = is_free && wishes.nodes.is_none_or(|nodes| nodes == one);
    // One node does what the thread that asks does, and pays for the machine.
    let least = if is_free { 2 } else { 1 };
    let nodes = wishes.nodes.map_or_else(|| numbers_of_nodes(default_nodes(config)), |nodes| vec![nodes]);
    let nodes: Vec<_> = nodes.into_iter().filter(|nodes| nodes.get() >= least).collect();
    // Rows in two passes may be planes.
    let longest = match lengths {
        [rows, row @ ..] if !row.is_empty() => row.iter().product::<usize>().max(*rows),
        _ => lengths.iter().product(),
    };
    let mut candidates = Vec::new();
    // Portions of the longest side for each node; 0 is the program's choice.
    for portions in [0, 1, 8].into_iter().chain(patient.then_some([16, 32]).into_iter().flatten()) {
        for kernel in &kernels {
            if portions == 0 && alone {
                let (algorithm, block) = (Algorithm::Auto, None);
                candidates.push(Candidate { algorithm, nodes: one, block, kernel: kernel.clone() });
            }
            for (&algorithm, &nodes) in
                programs.iter().flat_map(|program| nodes.iter().map(move |n| (program, n)))
            {
                let block = match (wishes.block, portions) {
                    (asked, 0) => asked,
                    (Some(_), _) => continue,
                    (None, _) => block_of(algorithm, longest, nodes.get() * portions),
                };
                if portions == 0 || block.is_some() {
                    candidates.push(Candidate { algorithm, nodes, block, kernel: kernel.clone() });
                }
            }
        }
    }
    candidates
}

/// The row kernels that are there: those of libraries are looked for by the patient alone, since loading one runs its code.
fn kernels(patient: bool) -> Vec<Kernel> {
    let mut kernels = vec![Kernel::Earth, Kernel::RustFft];
    if patient {
        let libraries = [Kernel::Fftw, Kernel::Mkl];
        kernels.extend(libraries.into_iter().filter(|kernel| kernel.load().is_ok()));
    }
    kernels
}

/// All usable nodes, and the powers of two below, the largest first.
fn numbers_of_nodes(usable: usize) -> Vec<NonZeroUsize> {
    let powers = (0..usize::BITS).map(|power| 1_usize << power).take_while(|&nodes| nodes < usable);
    let mut nodes: Vec<_> = powers.chain([usable]).filter_map(NonZeroUsize::new).collect();
    nodes.reverse();
    nodes
}

/// The block in which the longest side has so many portions, if the program has blocks.
fn block_of(algorithm: Algorithm, longest: usize, portions: usize) -> Option<NonZeroUsize> {
    let block = match algorithm {
        Algorithm::Sender => longest / portions.next_power_of_two(),
        Algorithm::TwoPass | Algorithm::Grouped => longest.div_ceil(portions),
        Algorithm::Transpose | Algorithm::Ffte => {
            Form::of(algorithm, longest).map_or(0, |Form { sides: [_, cols], .. }| cols.div_ceil(portions))
        }
        Algorithm::Auto | Algorithm::Receiver | Algorithm::ReceiverShared => 0,
    };
    NonZeroUsize::new(block)
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, nodes, block, kernel } = self;
        match algorithm {
            Algorithm::Auto => f.write_str("the thread that asks")?,
            _ if nodes.get() == 1 => write!(f, "{algorithm} on 1 node")?,
            _ => write!(f, "{algorithm} on {nodes} nodes")?,
        }
        if let Some(block) = block {
            write!(f, " in blocks of {block}")?;
        }
        write!(f, ", rows by {kernel}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lengths: &[usize], one_array: bool, wishes: &Wishes, effort: Effort) -> Vec<String> {
        let kernel = Some(&Kernel::RustFft);
        let candidates = candidates(lengths, one_array, wishes, (Config::Spn, effort), kernel);
        candidates.iter().map(Candidate::to_string).collect()
    }

    fn by(nodes: usize) -> Wishes {
        Wishes { nodes: NonZeroUsize::new(nodes), ..Wishes::default() }
    }

    #[test]
    fn what_was_asked_for_is_fixed() {
        let alone = ["the thread that asks, rows by rustfft"];
        assert_eq!(told(&[8, 8], true, &by(1), Effort::Measure), alone);
        assert_eq!(told(&[8, 8], false, &by(0), Effort::Measure), alone);
        assert_eq!(
            told(&[8, 24], true, &by(2), Effort::Measure),
            [
                "two-pass on 2 nodes, rows by rustfft",
                "grouped on 2 nodes, rows by rustfft",
                "two-pass on 2 nodes in blocks of 12, rows by rustfft",
                "grouped on 2 nodes in blocks of 12, rows by rustfft",
                "two-pass on 2 nodes in blocks of 2, rows by rustfft",
                "grouped on 2 nodes in blocks of 2, rows by rustfft",
            ]
        );
        let named = Wishes { algorithm: Algorithm::TwoPass, block: NonZeroUsize::new(3), ..by(1) };
        let only = ["two-pass on 1 node in blocks of 3, rows by rustfft"];
        assert_eq!(told(&[8, 24], true, &named, Effort::Patient), only);
    }

    #[test]
    fn the_patient_try_more() {
        let series = told(&[64], true, &by(2), Effort::Measure);
        assert_eq!(
            series[..4],
            [
                "transpose on 2 nodes, rows by rustfft",
                "sender on 2 nodes, rows by rustfft",
                "transpose on 2 nodes in blocks of 4, rows by rustfft",
                "sender on 2 nodes in blocks of 32, rows by rustfft",
            ]
        );
        assert!(!series.iter().any(|told| told.starts_with("receiver")));
        let patient = told(&[64], true, &by(2), Effort::Patient);
        for more in ["receiver on 2 nodes", "receiver-shared on 2 nodes", "sender on 2 nodes in blocks of 2,"]
        {
            assert!(patient.iter().any(|told| told.starts_with(more)), "{patient:?}");
        }
        assert_eq!(told(&[4, 4, 4], true, &by(2), Effort::Measure).len(), 3);
    }

    #[test]
    fn nodes_are_powers_of_two_and_all() {
        let numbers =
            |usable| numbers_of_nodes(usable).into_iter().map(NonZeroUsize::get).collect::<Vec<_>>();
        assert_eq!([1, 2, 6, 8].map(numbers), [vec![1], vec![2, 1], vec![6, 4, 2, 1], vec![8, 4, 2, 1]]);
    }
}
