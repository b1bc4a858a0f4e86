//! The ways in which a problem could be transformed, for the [choice by measuring](super::effort).
//!
//! What was asked for is fixed; what was not, varies: who transforms (the thread that asks, or 1, 2, 4, .. nodes up to all
//! usable ones), by which program, in which blocks, with which row kernel, and of a matrix who gets which rows, and how
//! these are padded ([`shared`]). The planner's own choice is not among them, as it is measured anyway. What turns out to
//! be no plan, a receiver on three nodes for example, is left out when it is planned. The likeliest come first, so that a
//! limit of time ends the least promising.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

use earth::Config;
use earth_fftw::Effort;
use earth_kernels::RadixOrder;
use earth_partition::Grouping;
use serde::{Deserialize, Serialize};

use super::decide::{Rows, decide};
use super::{Algorithm, Wishes, default_nodes};
use crate::dataflow::transpose::Form;
use crate::groups::{Groups, Pad, Partition, PerformanceModel, Shares};
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
    /// Who gets which rows of a matrix, unless all nodes get as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shares: Option<Shares>,
}

/// The candidates for a problem of these lengths, of which there is `one_array` or not, those that are `shared` by groups
/// among them.
pub(super) fn candidates(
    lengths: &[usize],
    one_array: bool,
    wishes: &Wishes,
    (config, effort): (Config, Effort),
    kernel: Option<&Kernel>,
    mut shared: Vec<Candidate>,
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
    let nodes = numbers_of_nodes(wishes, config, least);
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
                let kernel = kernel.clone();
                candidates.push(Candidate { algorithm, nodes: one, block, kernel, shares: None });
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
                    let kernel = kernel.clone();
                    candidates.push(Candidate { algorithm, nodes, block, kernel, shares: None });
                }
            }
        }
        candidates.append(&mut shared);
    }
    candidates
}

/// The exact ways to share a matrix of these sides that differ from even shares of rows as they are: distributions by the
/// speed functions that are known, their rows as they are or padded where that is faster, and even shares of rows with a
/// padded leading dimension. The patient try each padding by the speed functions, and even shares through chirps. Rows
/// are of the precision and the points of `of`, whose kernel is that of the speed functions unless it is fixed.
pub(super) fn shared(
    sides: [usize; 2],
    wishes: &Wishes,
    (config, effort): (Config, Effort),
    (kernel, precision, point): (Option<&Kernel>, &'static str, usize),
    speeds: &[PerformanceModel],
) -> Vec<Candidate> {
    let patient = effort == Effort::Patient;
    let paddings = |few: &[Pad], more: &[Pad]| [few, if patient { more } else { &[] }].concat();
    let mut ways = Vec::new();
    let mut measured = BTreeMap::<_, Vec<_>>::new();
    for model in speeds {
        let Grouping { groups, threads } = model.grouping();
        let of = model.rows().kernel.confirmed_by(kernel);
        if !matches!(of, Kernel::Recorded(_)) {
            measured.entry((of, groups, threads)).or_default().push(model.clone());
        }
    }
    for ((of, groups, threads), models) in measured {
        for pad in paddings(&[Pad::Auto, Pad::None], &[Pad::Stride, Pad::Chirp]) {
            let speeds = models.clone().into();
            let asked = Groups { partition: Partition::Fpm, pad, speeds, ..Groups::default() };
            ways.push((of.clone(), asked, Grouping { groups, threads }));
        }
    }
    let kernels = kernel.map_or_else(|| kernels(patient), |kernel| vec![kernel.clone()]);
    for of in kernels {
        for groups in numbers_of_nodes(wishes, config, 2).into_iter().map(NonZeroUsize::get) {
            for pad in paddings(&[Pad::Stride], &[Pad::Chirp]) {
                let asked = Groups { pad, ..Groups::default() };
                ways.push((of.clone(), asked, Grouping { groups, threads: 1 }));
            }
        }
    }
    let mut candidates = Vec::new();
    for (of, asked, grouping) in ways {
        let nodes = NonZeroUsize::new(grouping.groups.saturating_mul(grouping.threads));
        let Some(nodes) = nodes.filter(|&nodes| wishes.nodes.is_none_or(|asked| asked == nodes)) else {
            continue;
        };
        let rows = Rows { kernel: &of, precision, point };
        // Speed functions may be of another precision, or tell nothing of these sides.
        let Ok(decided) = decide(&asked, grouping, sides, rows) else { continue };
        let (algorithm, block, shares) = (Algorithm::Grouped, wishes.block, Some(decided.shares));
        let candidate = Candidate { algorithm, nodes, block, kernel: of, shares };
        let differs = candidate.shares.as_ref().is_some_and(|shares| differs(shares, sides));
        if differs
            && kernel.is_none_or(|asked| *asked == candidate.kernel)
            && !candidates.contains(&candidate)
        {
            candidates.push(candidate);
        }
    }
    candidates
}

/// Whether shares differ from even ones of rows as they are.
fn differs(shares: &Shares, [rows, cols]: [usize; 2]) -> bool {
    let uneven = |rows: &Vec<usize>| rows.iter().max() > rows.iter().min().map(|least| least + 1).as_ref();
    let padded =
        [cols, rows].iter().zip(&shares.strides).any(|(len, of)| of.iter().any(|stride| stride > len));
    shares.distribution.iter().any(uneven)
        || padded
        || shares.chirps.iter().flatten().any(|&length| length > 0)
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

/// The nodes that were asked for, else all usable ones and the powers of two below, the largest first: those that are at
/// least so many.
fn numbers_of_nodes(wishes: &Wishes, config: Config, least: usize) -> Vec<NonZeroUsize> {
    let nodes = wishes.nodes.map_or_else(|| powers_of_two(default_nodes(config)), |nodes| vec![nodes]);
    nodes.into_iter().filter(|nodes| nodes.get() >= least).collect()
}

fn powers_of_two(usable: usize) -> Vec<NonZeroUsize> {
    let powers = (0..usize::BITS).map(|power| 1_usize << power).take_while(|&nodes| nodes < usable);
    let mut nodes: Vec<_> = powers.chain([usable]).filter_map(NonZeroUsize::new).collect();
    nodes.reverse();
    nodes
}

/// The block in which the longest side has so many portions, if the program has blocks.
fn block_of(algorithm: Algorithm, longest: usize, portions: usize) -> Option<NonZeroUsize> {
    let block = match algorithm {
        Algorithm::Sender => longest / portions.next_power_of_two(),
        Algorithm::TwoPass | Algorithm::Grouped | Algorithm::Tall => longest.div_ceil(portions),
        Algorithm::Transpose | Algorithm::Ffte => {
            Form::of(algorithm, longest).map_or(0, |Form { sides: [_, cols], .. }| cols.div_ceil(portions))
        }
        Algorithm::Auto | Algorithm::Receiver | Algorithm::ReceiverShared => 0,
        Algorithm::Radix2 | Algorithm::Radix2Local | Algorithm::Radix4 | Algorithm::Radix8 => {
            let block = |radix| RadixOrder::longest_block(radix, longest / (radix * portions));
            algorithm.radix().map_or(0, block)
        }
    };
    NonZeroUsize::new(block)
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, nodes, block, kernel, shares } = self;
        match algorithm {
            Algorithm::Auto => f.write_str("the thread that asks")?,
            _ if nodes.get() == 1 => write!(f, "{algorithm} on 1 node")?,
            _ => write!(f, "{algorithm} on {nodes} nodes")?,
        }
        if let Some(block) = block {
            write!(f, " in blocks of {block}")?;
        }
        if let Some(shares) = shares {
            write!(f, ", {shares}")?;
        }
        write!(f, ", rows by {kernel}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::decide::tests::{model, uneven};

    fn told(lengths: &[usize], one_array: bool, wishes: &Wishes, effort: Effort) -> Vec<String> {
        let kernel = Some(&Kernel::RustFft);
        let candidates = candidates(lengths, one_array, wishes, (Config::Spn, effort), kernel, Vec::new());
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

    /// Group 1 is three times as slow as group 0, so that of 64 rows it gets 16, and of 128 rows 32.
    #[test]
    fn matrices_are_shared_by_strides_and_by_speed_functions() {
        let models = [Pad::None, Pad::Stride].map(|pad| {
            model(pad, &[64, 128], |group, rows, length| {
                uneven(group, rows, length) / if pad == Pad::None { 1.0 } else { 2.0 }
            })
        });
        let told = |sides, wishes: &Wishes, effort, kernel, speeds: &[PerformanceModel]| -> Vec<String> {
            let of = (Some(&kernel), "f64", 16);
            let found = shared(sides, wishes, (Config::Spn, effort), of, speeds);
            found.iter().map(Candidate::to_string).collect()
        };
        let two = by(2);
        // Rows of 64 and of 128 points are an even number of cache lines, those of 12 and 20 an odd one.
        let strided = "grouped on 2 nodes, 2 groups of 1: 32 + 32 rows, 64 + 64 columns, padded to 132/132 and 68/68, rows by rustfft";
        assert_eq!(told([64, 128], &two, Effort::Measure, Kernel::RustFft, &[]), [strided]);
        assert_eq!(told([12, 20], &two, Effort::Measure, Kernel::RustFft, &[]), [""; 0]);
        let patient = told([12, 20], &two, Effort::Patient, Kernel::RustFft, &[]);
        assert_eq!(
            patient,
            [
                "grouped on 2 nodes, 2 groups of 1: 6 + 6 rows, 10 + 10 columns, through 40/40 and 24/24, rows by rustfft"
            ]
        );
        let measured = told([64, 128], &two, Effort::Measure, Kernel::RustFft, &models);
        let uneven = "grouped on 2 nodes, 2 groups of 1: 48 + 16 rows, 96 + 32 columns, ";
        assert_eq!(
            measured,
            [
                format!("{uneven}padded to 132/132 and 68/68, rows by rustfft"),
                format!("{uneven}rows by rustfft"),
                strided.to_owned()
            ]
        );
        // Without the functions of a padding none is taken to be faster, nor is there anything of chirps.
        let patient = told([64, 128], &two, Effort::Patient, Kernel::RustFft, &models[..1]);
        assert_eq!(patient.len(), 4, "{patient:?}");
        assert!(patient[0] == measured[1] && patient[1] == measured[0], "{patient:?}");
        // Neither other nodes, nor another kernel, nor lengths of which nothing is known.
        for (sides, nodes, kernel) in
            [([64, 128], 3, Kernel::RustFft), ([64, 128], 2, Kernel::Earth), ([12, 20], 2, Kernel::RustFft)]
        {
            let found = told(sides, &by(nodes), Effort::Measure, kernel, &models);
            assert!(
                !found.iter().any(|told| told.contains("48 + 16") || told.contains("96 + 32")),
                "{found:?}"
            );
        }
        // A kernel that is not fixed is that of the speed functions.
        let of = (None, "f64", 16);
        let found = shared([64, 128], &by(2), (Config::Spn, Effort::Measure), of, &models);
        assert_eq!(found.iter().filter(|found| found.kernel == Kernel::RustFft).count(), 3);
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn nodes_are_powers_of_two_and_all() {
        let numbers = |usable| powers_of_two(usable).into_iter().map(NonZeroUsize::get).collect::<Vec<_>>();
        assert_eq!([1, 2, 6, 8].map(numbers), [vec![1], vec![2, 1], vec![6, 4, 2, 1], vec![8, 4, 2, 1]]);
    }
}
