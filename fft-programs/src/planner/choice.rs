//! Which program a problem gets.

use std::fmt;
use std::num::NonZeroUsize;

use earth::Config;

use super::check::check;
use super::decide::{Decided, Rows, decide};
use super::defaults::{default_block, default_nodes};
use super::{Algorithm, PAYS, PlanError, SERIES_PAYS};
use crate::dataflow::matrix::dealing::default_rows;
use crate::dataflow::receiver::Asking;
use crate::dataflow::transpose::Form;
use crate::groups::{Groups, Shares};
use crate::kernel::Kernel;
use crate::problem::{Kind, Problem};
use crate::shape::Shape;

/// The columns that strips are a multiple of: two cache lines of double precision, which processors fetch
/// together, and one of single precision.
const STRIP: usize = 8;

/// What was asked for; what was not is chosen.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wishes {
    pub(crate) algorithm: Algorithm,
    pub(crate) nodes: Option<NonZeroUsize>,
    pub(crate) block: Option<NonZeroUsize>,
    /// The roots of a node that the receiver-initiated FFT asks for at a time.
    pub(crate) roots: Option<NonZeroUsize>,
    pub(crate) groups: Option<Groups>,
    pub(crate) shares: Option<Shares>,
}

/// The program of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// The thread that asks.
    Alone,
    Sender {
        nodes: usize,
        points: usize,
        block: usize,
    },
    Receiver {
        nodes: usize,
        points: usize,
        asking: Asking,
        /// The roots of a node that are asked for at a time, if that was said.
        roots: Option<usize>,
    },
    Matrix {
        nodes: usize,
        sides: [usize; 2],
        /// The rows of a row block, of the matrix and of its transpose.
        blocks: [usize; 2],
    },
    TwoPass {
        nodes: usize,
        /// The rows of a row block, and the columns of a strip.
        blocks: [usize; 2],
    },
    Transpose {
        nodes: usize,
        form: Form,
        /// The rows of a row block, and the columns of a strip.
        blocks: [usize; 2],
    },
    /// A matrix, shared by groups of nodes.
    Groups {
        nodes: usize,
        sides: [usize; 2],
        shares: Box<Shares>,
        block: Option<usize>,
        /// Remarks for people, each a sentence.
        notes: Vec<String>,
    },
}

/// Why a program was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// It was named.
    Named,
    /// The nodes were.
    NodesAsked,
    /// There is one node, or one usable core.
    OneNode,
    /// It has fewer points than [`PAYS`]; two real numbers count as one.
    Small,
    /// It has enough of them.
    Large,
    /// It is a series of fewer points than [`SERIES_PAYS`], or than four times as many real numbers.
    ShortSeries,
    /// It is a series of enough of them.
    LongSeries,
    /// It is a series whose points have a prime factor over 7, or whose kernel is not the project's own.
    Series,
    /// It is a series of real numbers that are odd.
    Odd,
    /// It is no single array without gaps.
    NoMatrix,
    /// A matrix with fewer rows or columns than nodes.
    Narrow,
    /// It was the fastest of those that were [measured](crate::Plan::measured).
    Measured,
    /// It was estimated to be the fastest, and nothing that was measured is faster.
    Unbeaten,
}

/// Chooses for a problem that has been checked.
pub(super) fn choose<K: Kind>(
    problem: &Problem<K>,
    wishes: &Wishes,
    config: Config,
    rows: Rows<'_>,
) -> Result<(Choice, Why), PlanError> {
    let grouped = wishes.groups.is_some() || wishes.shares.is_some();
    let one_array = problem.is_one_array();
    // Rows in two passes may be planes.
    let planes = match wishes.algorithm {
        Algorithm::TwoPass => true,
        Algorithm::Auto => !grouped,
        _ => false,
    };
    let cols = || problem.lengths()[1..].iter().fold(1, |cols: usize, length| cols.saturating_mul(*length));
    let shape = match *problem.lengths() {
        // Two real numbers of a series are a point.
        [n] if one_array && K::NUMBERS.is_some() => Some(Shape::Line(n / 2)),
        [n] if one_array => Some(Shape::Line(n)),
        [rows, _] if one_array => Some(Shape::Matrix { rows, cols: cols() }),
        [rows, ..] if one_array && planes => Some(Shape::Matrix { rows, cols: cols() }),
        _ => None,
    };
    let algorithm = match wishes.algorithm {
        Algorithm::Auto if !grouped => Algorithm::Auto,
        Algorithm::Auto if K::NUMBERS.is_none() && matches!(shape, Some(Shape::Line(_))) => {
            return Err(PlanError::GroupsOfLine);
        }
        Algorithm::Auto => Algorithm::Grouped,
        named => named,
    };
    match algorithm {
        _ if K::NUMBERS.is_none() => {}
        Algorithm::Auto | Algorithm::TwoPass => {}
        Algorithm::Transpose | Algorithm::Ffte => {
            if let [n] = *problem.lengths()
                && !n.is_multiple_of(2)
            {
                return Err(PlanError::NotPairs { algorithm, n });
            }
        }
        _ => return Err(PlanError::NeedsComplex { algorithm }),
    }
    if grouped && algorithm != Algorithm::Grouped {
        return Err(PlanError::NoGroups { algorithm });
    }
    if let Some(shape) = shape {
        check(shape, algorithm, wishes.nodes, wishes.block)?;
    }
    if algorithm == Algorithm::Auto {
        return Ok(automatic(problem, one_array, wishes, config, rows.kernel));
    }
    let shape = shape.ok_or(PlanError::NeedsOneArray { algorithm })?;
    if let (Shape::Matrix { rows: along, cols }, true) = (shape, grouped) {
        return Ok((groups([along, cols], wishes, config, rows)?, Why::Named));
    }
    let usual = default_nodes(config);
    let nodes = wishes.nodes.map_or(usual, NonZeroUsize::get);
    let choice = match (shape, algorithm) {
        (Shape::Matrix { .. }, Algorithm::TwoPass) => two_pass(problem.sides(), nodes, wishes.block),
        (Shape::Matrix { rows, cols }, _) => matrix([rows, cols], nodes, wishes.block),
        (Shape::Line(points), Algorithm::Receiver | Algorithm::ReceiverShared) => {
            // The program can use a power of two of nodes, at most one for each point.
            let nodes = wishes.nodes.map_or(1 << usual.min(points).ilog2(), NonZeroUsize::get);
            let asking = if algorithm == Algorithm::Receiver { Asking::Tree } else { Asking::Shared };
            Choice::Receiver { nodes, points, asking, roots: wishes.roots.map(NonZeroUsize::get) }
        }
        (Shape::Line(points), Algorithm::Transpose | Algorithm::Ffte) => {
            let form = Form::of(algorithm, points).unwrap_or_else(|| unreachable!("it has been checked"));
            transpose(form, nodes, wishes.block)
        }
        (Shape::Line(points), _) => {
            let block = wishes.block.map_or(default_block(points, nodes), NonZeroUsize::get);
            Choice::Sender { nodes, points, block }
        }
    };
    Ok((choice, Why::Named))
}

fn automatic<K: Kind>(
    problem: &Problem<K>,
    one_array: bool,
    wishes: &Wishes,
    config: Config,
    kernel: &Kernel,
) -> (Choice, Why) {
    let mut series = None;
    let sides = match *problem.lengths() {
        [n] if one_array && K::NUMBERS.is_some() && !n.is_multiple_of(2) => return (Choice::Alone, Why::Odd),
        [n] if one_array => {
            let n = if K::NUMBERS.is_some() { n / 2 } else { n };
            let form = Form::of(Algorithm::Transpose, n);
            match form.filter(|_| *kernel == Kernel::Earth && has_kernels(n)) {
                Some(form) => series.insert(form).sides,
                None => return (Choice::Alone, Why::Series),
            }
        }
        _ if one_array => problem.sides(),
        _ => return (Choice::Alone, Why::NoMatrix),
    };
    let nodes = wishes.nodes.map_or_else(|| default_nodes(config), NonZeroUsize::get);
    // A real number is half of the work of a point.
    let pays = if K::NUMBERS.is_some() { 2 * PAYS } else { PAYS };
    let numbers = if series.is_some() { None } else { problem.row_numbers() };
    let widest = sides[0].max(sides[1]).max(numbers.unwrap_or(0));
    let why = match wishes.nodes {
        // A block counts its rows and columns in 32 bits.
        _ if u32::try_from(widest).is_err() => return (Choice::Alone, Why::NoMatrix),
        _ if nodes == 1 => return (Choice::Alone, Why::OneNode),
        _ if sides[0].min(sides[1]) < nodes => return (Choice::Alone, Why::Narrow),
        Some(_) => Why::NodesAsked,
        None if series.is_some() => {
            // Of these points are half as many as there are numbers.
            let pays = if K::NUMBERS.is_some() { 2 * SERIES_PAYS } else { SERIES_PAYS };
            if sides[0] * sides[1] < pays {
                return (Choice::Alone, Why::ShortSeries);
            }
            Why::LongSeries
        }
        None if problem.points().is_some_and(|points| points < pays) => return (Choice::Alone, Why::Small),
        None => Why::Large,
    };
    let choice = match series {
        Some(form) => transpose(form, nodes, wishes.block),
        None => two_pass(sides, nodes, wishes.block),
    };
    (choice, why)
}

/// Whether there are kernels that transform columns where they are, and rows into columns, of any factor of `n`.
fn has_kernels(mut n: usize) -> bool {
    for prime in [2, 3, 5, 7] {
        while n > 0 && n.is_multiple_of(prime) {
            n /= prime;
        }
    }
    n == 1
}

/// Row blocks and strips as [`two_pass`] has them, but that the rows of a row block are columns of the result.
fn transpose(form: Form, nodes: usize, block: Option<NonZeroUsize>) -> Choice {
    let blocks = form.sides.map(|side| default_rows(side, nodes).next_multiple_of(STRIP));
    Choice::Transpose { nodes, form, blocks: block.map_or(blocks, |block| [block.get(); 2]) }
}

/// Row blocks and strips of `block` rows and columns; unless told, four of each a node, strips of
/// whole pairs of cache lines.
fn two_pass(sides: [usize; 2], nodes: usize, block: Option<NonZeroUsize>) -> Choice {
    let [rows, cols] = sides.map(|side| default_rows(side, nodes));
    let blocks = block.map_or([rows, cols.next_multiple_of(STRIP)], |block| [block.get(); 2]);
    Choice::TwoPass { nodes, blocks }
}

fn matrix(sides: [usize; 2], nodes: usize, block: Option<NonZeroUsize>) -> Choice {
    let blocks = sides.map(|side| block.map_or_else(|| default_rows(side, nodes), NonZeroUsize::get));
    Choice::Matrix { nodes, sides, blocks }
}

/// The shares of the groups that were asked for.
fn groups(sides: [usize; 2], wishes: &Wishes, config: Config, rows: Rows<'_>) -> Result<Choice, PlanError> {
    let [nodes, block] = [wishes.nodes, wishes.block].map(|number| number.map(NonZeroUsize::get));
    let (nodes, Decided { shares, notes }) = match (&wishes.shares, &wishes.groups) {
        (Some(shares), _) => {
            (shares.check(sides, nodes)?, Decided { shares: shares.clone(), notes: Vec::new() })
        }
        (None, asked) => {
            let asked = asked.clone().unwrap_or_default();
            let grouping = asked.processors(nodes, default_nodes(config))?;
            (grouping.groups * grouping.threads, decide(&asked, grouping, sides, rows)?)
        }
    };
    Ok(Choice::Groups { nodes, sides, shares: Box::new(shares), block, notes })
}

/// The half sentence after "because".
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => f.write_str("the algorithm was named"),
            Self::NodesAsked => f.write_str("several nodes were asked for"),
            Self::OneNode => f.write_str("there is one node"),
            Self::Small => write!(f, "it has fewer than {PAYS} points, two real numbers counted as one"),
            Self::Large => write!(f, "it has at least {PAYS} points, two real numbers counted as one"),
            Self::ShortSeries => write!(
                f,
                "it is a series of fewer than {SERIES_PAYS} points, or four times as many real numbers"
            ),
            Self::LongSeries => {
                write!(
                    f,
                    "it is a series of at least {SERIES_PAYS} points, or four times as many real numbers"
                )
            }
            Self::Series => {
                f.write_str("nodes share series by kernels of the project for prime factors up to 7")
            }
            Self::Odd => f.write_str("nodes share series of real numbers in pairs, and they are odd"),
            Self::NoMatrix => f.write_str("nodes share single arrays without gaps"),
            Self::Measured => f.write_str("it is the fastest of what was measured"),
            Self::Unbeaten => f.write_str("nothing that was measured is faster"),
            Self::Narrow => f.write_str("it has fewer rows or columns than there are nodes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Rows<'_> = Rows { kernel: &Kernel::Earth, precision: "f64", point: 16 };

    fn chosen(lengths: &[usize], nodes: usize) -> (Choice, Why) {
        let wishes = Wishes { nodes: NonZeroUsize::new(nodes), ..Wishes::default() };
        choose(&Problem::complex(lengths), &wishes, Config::Spn, ROWS).unwrap()
    }

    #[test]
    fn one_thread_does_what_nodes_cannot_share() {
        for (lengths, nodes, why) in [
            (&[1021][..], 4, Why::Series),
            (&[22 << 18], 4, Why::Series),
            (&[1 << 20], 1, Why::OneNode),
            (&[4 * 7], 5, Why::Narrow),
            (&[1024, 1024], 1, Why::OneNode),
            (&[3, 1 << 20], 4, Why::Narrow),
            (&[1 << 20, 3], 4, Why::Narrow),
            (&[3, 1 << 10, 1 << 10], 4, Why::Narrow),
            (&[64, 1, 1], 4, Why::Narrow),
            (&[1 << 33, 4], 4, Why::NoMatrix),
            (&[4, 1 << 20, 1 << 20], 4, Why::NoMatrix),
        ] {
            assert_eq!(chosen(lengths, nodes), (Choice::Alone, why), "{lengths:?}");
        }
        let batch = Problem::complex(&[64, 64]).batch(2);
        let wishes = Wishes { nodes: NonZeroUsize::new(2), ..Wishes::default() };
        assert_eq!(choose(&batch, &wishes, Config::Spn, ROWS).unwrap(), (Choice::Alone, Why::NoMatrix));
    }

    #[test]
    fn nodes_share_arrays_that_are_large_or_were_asked_to_be_shared() {
        let two_pass = |nodes, blocks| Choice::TwoPass { nodes, blocks };
        assert_eq!(chosen(&[8, 24], 2), (two_pass(2, [1, 8]), Why::NodesAsked));
        assert_eq!(chosen(&[64, 64, 60], 4), (two_pass(4, [4, 240]), Why::NodesAsked));
        let form = |sides| Form { sides, nested: false };
        let series = |sides, blocks| Choice::Transpose { nodes: 2, form: form(sides), blocks };
        assert_eq!(chosen(&[4096], 2), (series([64, 64], [8, 8]), Why::NodesAsked));
        let wishes = Wishes { nodes: NonZeroUsize::new(2), block: NonZeroUsize::new(3), ..Wishes::default() };
        let blocks = choose(&Problem::complex(&[8, 24]), &wishes, Config::Spn, ROWS).unwrap();
        assert_eq!(blocks, (two_pass(2, [3, 3]), Why::NodesAsked));
        let usual = default_nodes(Config::Spn);
        let (large, small) = (chosen(&[1024, 512], 0), chosen(&[255, 256], 0));
        let (long, short) = (chosen(&[1 << 18], 0), chosen(&[1 << 16], 0));
        if usual == 1 {
            assert_eq!([large, small, long, short], [(); 4].map(|()| (Choice::Alone, Why::OneNode)));
        } else {
            let blocks = [default_rows(512, usual).next_multiple_of(8); 2];
            let choice = Choice::Transpose { nodes: usual, form: form([512, 512]), blocks };
            assert_eq!((long, short), ((choice, Why::LongSeries), (Choice::Alone, Why::ShortSeries)));
            let [rows, cols] = [1024, 512].map(|side| default_rows(side, usual));
            let blocks = [rows, cols.next_multiple_of(8)];
            assert_eq!(large, (two_pass(usual, blocks), Why::Large));
            assert_eq!(small, (Choice::Alone, Why::Small));
        }
    }

    #[test]
    fn a_named_program_is_taken_by_its_name() {
        let named = |lengths: &[usize], algorithm, nodes, block| {
            let [nodes, block] = [nodes, block].map(NonZeroUsize::new);
            let wishes = Wishes { algorithm, nodes, block, ..Wishes::default() };
            choose(&Problem::complex(lengths), &wishes, Config::Spn, ROWS)
        };
        let sender = Choice::Sender { nodes: 3, points: 16, block: 2 };
        assert_eq!(named(&[16], Algorithm::Sender, 3, 2), Ok((sender, Why::Named)));
        let receiver = Choice::Receiver { nodes: 4, points: 16, asking: Asking::Shared, roots: None };
        assert_eq!(named(&[16], Algorithm::ReceiverShared, 4, 0), Ok((receiver, Why::Named)));
        let transpose = |sides, nested, blocks| {
            let form = Form { sides, nested };
            Ok((Choice::Transpose { nodes: 2, form, blocks }, Why::Named))
        };
        let long = |algorithm| named(&[1 << 24], algorithm, 2, 0);
        assert_eq!(long(Algorithm::Transpose), transpose([1 << 12, 1 << 12], false, [512, 512]));
        assert_eq!(long(Algorithm::Ffte), transpose([1 << 8, 1 << 16], true, [32, 1 << 13]));
        assert_eq!(named(&[60], Algorithm::Transpose, 2, 3), transpose([6, 10], false, [3, 3]));
        let grouped = Choice::Matrix { nodes: 1, sides: [4, 6], blocks: [2, 2] };
        assert_eq!(named(&[4, 6], Algorithm::Grouped, 1, 2), Ok((grouped, Why::Named)));
        let two_pass = |blocks| Choice::TwoPass { nodes: 2, blocks };
        assert_eq!(named(&[40, 60], Algorithm::TwoPass, 2, 0), Ok((two_pass([5, 8]), Why::Named)));
        assert_eq!(named(&[1, 60, 3], Algorithm::TwoPass, 2, 9), Ok((two_pass([9, 9]), Why::Named)));
        let refused = named(&[12], Algorithm::TwoPass, 1, 0).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the algorithm 'two-pass' transforms matrices and images; 'auto' takes both"
        );
        let algorithm = Algorithm::Grouped;
        assert_eq!(named(&[4, 6, 2], algorithm, 1, 2), Err(PlanError::NeedsOneArray { algorithm }));
        let refused = named(&[12], Algorithm::Sender, 1, 0).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the algorithm 'sender' takes a power of two of samples and there are 12; 'auto' takes any number"
        );
    }
}
