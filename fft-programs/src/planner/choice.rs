//! Which program a problem gets.

use std::num::NonZeroUsize;

use earth::Config;
use earth_kernels::{RadixOrder, Real};
use num_complex::Complex;

use super::check::check;
use super::decide::{Decided, Rows, decide};
use super::defaults::{default_block, default_nodes};
use super::{Algorithm, PAYS, PlanError, SERIES_PAYS, Why};
use crate::dataflow::matrix::dealing::{Dealing, default_rows};
use crate::dataflow::receiver::{Asking, Scalar};
use crate::dataflow::transpose::Form;
use crate::groups::{Groups, Shares};
use crate::kernel::Kernel;
use crate::plan::program::{Making, Program};
use crate::problem::Kind;
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
    /// Whether a stage waits for all nodes to have done the one before.
    pub(crate) barriers: bool,
    pub(crate) groups: Option<Groups>,
    pub(crate) shares: Option<Shares>,
}

/// What nodes do with a problem that they share.
pub(crate) struct Chosen<T: Real> {
    pub(crate) program: Program<T>,
    pub(crate) nodes: usize,
    /// Who gets which rows, if groups share a matrix.
    pub(crate) shares: Option<Box<Shares>>,
    /// Remarks on that, each a sentence for people.
    pub(crate) notes: Vec<String>,
}

impl<T: Real> Chosen<T> {
    fn new(program: Program<T>, nodes: usize) -> Self {
        Self { program, nodes, shares: None, notes: Vec::new() }
    }
}

/// Chooses for a problem that has been checked: what nodes do with it, or nothing if it is for the thread that asks, and
/// why. The program is planned as `making` has it.
pub(super) fn choose<T: Scalar, K: Kind>(
    making: Making<'_, K>,
    wishes: &Wishes,
    config: Config,
) -> Result<(Option<Chosen<T>>, Why), PlanError> {
    let problem = making.problem;
    let grouped = wishes.groups.is_some() || wishes.shares.is_some();
    let one_array = problem.is_one_array();
    // Rows in two passes may be planes.
    let planes = match wishes.algorithm {
        Algorithm::TwoPass => true,
        Algorithm::Auto => !grouped,
        _ => false,
    };
    // All others take arrays without gaps.
    let shared = one_array && (planes || problem.is_dense());
    let cols = || problem.lengths()[1..].iter().fold(1, |cols: usize, length| cols.saturating_mul(*length));
    let shape = match *problem.lengths() {
        // Two real numbers of a series are a point.
        [n] if one_array && K::NUMBERS.is_some() => Some(Shape::Line(n / 2)),
        [n] if one_array => Some(Shape::Line(n)),
        [rows, _] if shared => Some(Shape::Matrix { rows, cols: cols() }),
        [rows, ..] if shared && planes => Some(Shape::Matrix { rows, cols: cols() }),
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
    if wishes.barriers && algorithm.radix().is_none() {
        return Err(PlanError::NoBarriers { algorithm });
    }
    if let Some(shape) = shape {
        check(shape, algorithm, wishes.nodes, wishes.block)?;
    }
    if algorithm == Algorithm::Auto {
        return automatic(making, one_array, wishes, config);
    }
    let shape = shape.ok_or(PlanError::NeedsOneArray { algorithm })?;
    if let (Shape::Matrix { rows: along, cols }, true) = (shape, grouped) {
        return Ok((Some(groups(making, [along, cols], wishes, config)?), Why::Named));
    }
    let usual = default_nodes(config);
    let nodes = wishes.nodes.map_or(usual, NonZeroUsize::get);
    let (program, nodes) = match (shape, algorithm) {
        (Shape::Matrix { rows, cols }, Algorithm::TwoPass) => {
            let sides = problem.rows_of_points().map_or([rows, cols], |rows| rows.sides());
            (making.two_pass(two_pass(sides, nodes, wishes.block))?, nodes)
        }
        (Shape::Matrix { rows, cols }, _) => {
            let blocks = [rows, cols]
                .map(|side| wishes.block.map_or_else(|| default_rows(side, nodes), NonZeroUsize::get));
            (making.matrix([rows, cols], &Dealing::of_matrix([rows, cols], blocks), false)?, nodes)
        }
        (Shape::Line(points), Algorithm::Receiver | Algorithm::ReceiverShared) => {
            // The program can use a power of two of nodes, at most one for each point.
            let nodes = wishes.nodes.map_or(1 << usual.min(points).ilog2(), NonZeroUsize::get);
            let asking = if algorithm == Algorithm::Receiver { Asking::Tree } else { Asking::Shared };
            (making.receiver(points, nodes, asking, wishes.roots)?, nodes)
        }
        (Shape::Line(points), Algorithm::Transpose | Algorithm::Ffte) => {
            let form = Form::of(algorithm, points).unwrap_or_else(|| unreachable!("it has been checked"));
            (making.transpose(form, transpose(form, nodes, wishes.block))?, nodes)
        }
        (Shape::Line(points), _) => {
            let usual = default_block(points, nodes);
            let program = match algorithm.radix() {
                Some(radix) => {
                    let block = wishes
                        .block
                        .map_or(RadixOrder::longest_block(radix, usual / radix), NonZeroUsize::get);
                    making.by_stages(RadixOrder::new(points, radix, block)?, algorithm, wishes.barriers)
                }
                None => making.sender(points, wishes.block.map_or(usual, NonZeroUsize::get))?,
            };
            (program, nodes)
        }
    };
    Ok((Some(Chosen::new(program, nodes)), Why::Named))
}

fn automatic<T: Scalar, K: Kind>(
    making: Making<'_, K>,
    one_array: bool,
    wishes: &Wishes,
    config: Config,
) -> Result<(Option<Chosen<T>>, Why), PlanError> {
    let (problem, kernel) = (making.problem, &making.options.kernel);
    let mut series = None;
    let sides = match *problem.lengths() {
        [n] if one_array && K::NUMBERS.is_some() && !n.is_multiple_of(2) => return Ok((None, Why::Odd)),
        [n] if one_array => {
            let n = if K::NUMBERS.is_some() { n / 2 } else { n };
            let form = Form::of(Algorithm::Transpose, n);
            match form.filter(|_| *kernel == Kernel::Earth && has_kernels(n)) {
                Some(form) => series.insert(form).sides,
                None => return Ok((None, Why::Series)),
            }
        }
        _ => match problem.rows_of_points().filter(|_| one_array) {
            Some(rows) => rows.sides(),
            None => return Ok((None, Why::NoMatrix)),
        },
    };
    let nodes = wishes.nodes.map_or_else(|| default_nodes(config), NonZeroUsize::get);
    // A real number is half of the work of a point.
    let pays = if K::NUMBERS.is_some() { 2 * PAYS } else { PAYS };
    let numbers = problem.rows_of_numbers().filter(|_| series.is_none()).map(|rows| rows.cols);
    let widest = sides[0].max(sides[1]).max(numbers.unwrap_or(0));
    let why = match wishes.nodes {
        // A block counts its rows and columns in 32 bits.
        _ if u32::try_from(widest).is_err() => return Ok((None, Why::NoMatrix)),
        _ if nodes == 1 => return Ok((None, Why::OneNode)),
        _ if sides[0].min(sides[1]) < nodes => return Ok((None, Why::Narrow)),
        Some(_) => Why::NodesAsked,
        None if series.is_some() => {
            // Of these points are half as many as there are numbers.
            let pays = if K::NUMBERS.is_some() { 2 * SERIES_PAYS } else { SERIES_PAYS };
            if sides[0] * sides[1] < pays {
                return Ok((None, Why::ShortSeries));
            }
            Why::LongSeries
        }
        None if problem.points().is_some_and(|points| points < pays) => return Ok((None, Why::Small)),
        None => Why::Large,
    };
    let program = match series {
        Some(form) => making.transpose(form, transpose(form, nodes, wishes.block))?,
        None => making.two_pass(two_pass(sides, nodes, wishes.block))?,
    };
    Ok((Some(Chosen::new(program, nodes)), why))
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
fn transpose(form: Form, nodes: usize, block: Option<NonZeroUsize>) -> [usize; 2] {
    let blocks = form.sides.map(|side| default_rows(side, nodes).next_multiple_of(STRIP));
    block.map_or(blocks, |block| [block.get(); 2])
}

/// The rows of row blocks and the columns of strips: `block` of both; unless told, so that each node has four of each, and
/// strips are whole pairs of cache lines.
fn two_pass(sides: [usize; 2], nodes: usize, block: Option<NonZeroUsize>) -> [usize; 2] {
    let [rows, cols] = sides.map(|side| default_rows(side, nodes));
    block.map_or([rows, cols.next_multiple_of(STRIP)], |block| [block.get(); 2])
}

/// A matrix, shared by the groups that were asked for.
fn groups<T: Scalar, K: Kind>(
    making: Making<'_, K>,
    sides: [usize; 2],
    wishes: &Wishes,
    config: Config,
) -> Result<Chosen<T>, PlanError> {
    let rows = Rows { kernel: &making.options.kernel, precision: T::NAME, point: size_of::<Complex<T>>() };
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
    let program = making.matrix(sides, &shares.dealt(sides, block), shares.barrier)?;
    Ok(Chosen { program, nodes, shares: Some(Box::new(shares)), notes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use earth_fftw::Effort;
    use earth_kernels::Direction;

    use crate::dataflow::matrix::RowOptions;
    use crate::problem::Problem;

    /// What was chosen: the program, its nodes, the sides of its matrix, and the rows of its blocks in both passes.
    type Told = Option<(Algorithm, usize, [usize; 2], [usize; 2])>;

    fn choose_for(problem: &Problem, wishes: &Wishes) -> Result<(Told, Why), PlanError> {
        let (kernel, effort, direction) = (Kernel::Earth, Effort::Estimate, Direction::Forward);
        let options = &RowOptions { kernel, effort, direction };
        // Receivers have no phantoms.
        let phantom = wishes.algorithm != Algorithm::ReceiverShared;
        let making = Making { problem, options, phantom };
        let (chosen, why) = choose::<f64, _>(making, wishes, Config::Spn)?;
        let told = |Chosen { program, nodes, .. }: Chosen<f64>| {
            let (sides, blocks) = match &program {
                Program::Sender { plan, .. } => ([1, plan.order().points()], [plan.order().block(); 2]),
                Program::Receiver { plan, .. } => ([1, plan.order().points()], [0; 2]),
                Program::Stages { plan, .. } => ([1, plan.order().points()], [plan.order().block(); 2]),
                Program::Matrix { plan, sides, .. } => (*sides, [0, 1].map(|pass| plan.pass(pass).block())),
                Program::TwoPass(plan) => {
                    (plan.sides(), [0, 1].map(|pass| plan.cut(pass).rows().max().unwrap_or(0)))
                }
                Program::Transpose(series) => {
                    let (plan, sides) = (series.plan(), series.plan().sides());
                    (sides, [0, 1].map(|side| sides[side].div_ceil(plan.cut(side).workers())))
                }
            };
            (program.algorithm(), nodes, sides, blocks)
        };
        Ok((chosen.map(told), why))
    }

    fn chosen(lengths: &[usize], nodes: usize) -> (Told, Why) {
        let wishes = Wishes { nodes: NonZeroUsize::new(nodes), ..Wishes::default() };
        choose_for(&Problem::complex(lengths), &wishes).unwrap()
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
            assert_eq!(chosen(lengths, nodes), (None, why), "{lengths:?}");
        }
        let batch = Problem::complex(&[64, 64]).batch(2);
        let wishes = Wishes { nodes: NonZeroUsize::new(2), ..Wishes::default() };
        assert_eq!(choose_for(&batch, &wishes), Ok((None, Why::NoMatrix)));
    }

    #[test]
    fn nodes_share_arrays_that_are_large_or_were_asked_to_be_shared() {
        let two_pass = |nodes, sides, blocks| Some((Algorithm::TwoPass, nodes, sides, blocks));
        assert_eq!(chosen(&[8, 24], 2), (two_pass(2, [8, 24], [1, 8]), Why::NodesAsked));
        assert_eq!(chosen(&[64, 64, 60], 4), (two_pass(4, [64, 3840], [4, 240]), Why::NodesAsked));
        let series = |nodes, sides, blocks| Some((Algorithm::Transpose, nodes, sides, blocks));
        assert_eq!(chosen(&[4096], 2), (series(2, [64, 64], [8, 8]), Why::NodesAsked));
        let wishes = Wishes { nodes: NonZeroUsize::new(2), block: NonZeroUsize::new(3), ..Wishes::default() };
        let blocks = choose_for(&Problem::complex(&[8, 24]), &wishes);
        assert_eq!(blocks, Ok((two_pass(2, [8, 24], [3, 3]), Why::NodesAsked)));
        let usual = default_nodes(Config::Spn);
        let (large, small) = (chosen(&[1024, 512], 0), chosen(&[255, 256], 0));
        let (long, short) = (chosen(&[1 << 18], 0), chosen(&[1 << 16], 0));
        if usual == 1 {
            assert_eq!([large, small, long, short], [(); 4].map(|()| (None, Why::OneNode)));
        } else {
            let blocks = [default_rows(512, usual).next_multiple_of(8); 2];
            let choice = series(usual, [512, 512], blocks);
            assert_eq!((long, short), ((choice, Why::LongSeries), (None, Why::ShortSeries)));
            let [rows, cols] = [1024, 512].map(|side| default_rows(side, usual));
            let blocks = [rows, cols.next_multiple_of(8)];
            assert_eq!(large, (two_pass(usual, [1024, 512], blocks), Why::Large));
            assert_eq!(small, (None, Why::Small));
        }
    }

    #[test]
    fn a_named_program_is_taken_by_its_name() {
        let named = |lengths: &[usize], algorithm, nodes, block| {
            let [nodes, block] = [nodes, block].map(NonZeroUsize::new);
            let wishes = Wishes { algorithm, nodes, block, ..Wishes::default() };
            choose_for(&Problem::complex(lengths), &wishes)
        };
        let found =
            |algorithm, nodes, sides, blocks| Ok((Some((algorithm, nodes, sides, blocks)), Why::Named));
        let sender = found(Algorithm::Sender, 3, [1, 16], [2, 2]);
        assert_eq!(named(&[16], Algorithm::Sender, 3, 2), sender);
        let receiver = found(Algorithm::ReceiverShared, 4, [1, 16], [0, 0]);
        assert_eq!(named(&[16], Algorithm::ReceiverShared, 4, 0), receiver);
        let transpose = |algorithm, sides, blocks| found(algorithm, 2, sides, blocks);
        let long = |algorithm| named(&[1 << 24], algorithm, 2, 0);
        assert_eq!(
            long(Algorithm::Transpose),
            transpose(Algorithm::Transpose, [1 << 12, 1 << 12], [512, 512])
        );
        assert_eq!(long(Algorithm::Ffte), transpose(Algorithm::Ffte, [1 << 8, 1 << 16], [32, 1 << 13]));
        assert_eq!(
            named(&[60], Algorithm::Transpose, 2, 3),
            transpose(Algorithm::Transpose, [6, 10], [3, 3])
        );
        let stages = found(Algorithm::Radix4, 3, [1, 64], [4, 4]);
        assert_eq!(named(&[64], Algorithm::Radix4, 3, 4), stages);
        // Two threads a node of a power of 8 butterflies, of 8 points each.
        let usual = found(Algorithm::Radix8, 3, [1, 1 << 12], [64, 64]);
        assert_eq!(named(&[1 << 12], Algorithm::Radix8, 3, 0), usual);
        assert_eq!(named(&[8], Algorithm::Radix8, 3, 0), found(Algorithm::Radix8, 3, [1, 8], [1, 1]));
        let grouped = found(Algorithm::Grouped, 1, [4, 6], [2, 2]);
        assert_eq!(named(&[4, 6], Algorithm::Grouped, 1, 2), grouped);
        let two_pass = |sides, blocks| found(Algorithm::TwoPass, 2, sides, blocks);
        assert_eq!(named(&[40, 60], Algorithm::TwoPass, 2, 0), two_pass([40, 60], [5, 8]));
        assert_eq!(named(&[1, 60, 3], Algorithm::TwoPass, 2, 9), two_pass([1, 180], [1, 9]));
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
