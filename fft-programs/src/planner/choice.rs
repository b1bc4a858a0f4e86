//! Which program a problem gets.

use std::num::NonZeroUsize;

use earth_codelets::smooth_part;
use earth_kernels::{RadixOrder, Real};
use num_complex::Complex;

use super::decide::{self, Decided, decide};
use super::defaults::{default_block, default_nodes};
use super::{Algorithm, PAYS, PlanError, SERIES_PAYS, Why};
use crate::dataflow::matrix::dealing::{Dealing, default_rows, rows_of_blocks};
use crate::dataflow::matrix::program::MatrixProgram;
use crate::dataflow::receiver::Asking;
use crate::dataflow::tall::TallCut;
use crate::dataflow::transpose::Form;
use crate::groups::{Groups, Shares};
use crate::kernel::Kernel;
use crate::plan::program::Request;
use crate::precision::Precision;
use crate::problem::Rows;
use crate::shape::Shape;
use crate::solver::Program;

/// The columns that strips are a multiple of: two cache lines of double precision, which processors fetch
/// together, and one of single precision.
const STRIP: usize = 8;

/// The row blocks and the strips that each node has in two passes: one to transform while the tiles of the other one travel. Every
/// block begins with lines that nobody has asked memory for, so more of them take longer: with four of each a series of 2^21
/// points took 1.15 times as long.
const PASS_BLOCKS: usize = 2;

/// If there are few columns, nodes share each of them as a matrix when it has at least this number of points.
const LONG: usize = 1 << 10;

/// Nodes share columns as matrices if each node has at most this number of strips. On two nodes with AVX2 65,536 x 16 to
/// 16,384 x 64 points took 0.6 of the time of one thread, and by strips 0.7 to 1.0.
const TALL: usize = 4;

/// What was asked for; what was not is chosen.
#[derive(Clone, Default, Debug)]
pub struct Wishes {
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
pub struct Chosen<T: Real> {
    pub(crate) program: Box<dyn Program<T>>,
    pub(crate) nodes: usize,
}

impl<T: Real> Chosen<T> {
    fn new(program: Box<dyn Program<T>>, nodes: usize) -> Self {
        Self { program, nodes }
    }
}

/// The program of a problem, or none if it is for the thread that asks, and why.
pub(crate) type Choice<T> = (Option<Chosen<T>>, Why);

/// Chooses for a problem that has been checked.
pub(crate) fn choose<T: Precision>(request: Request<'_>, wishes: &Wishes) -> Result<Choice<T>, PlanError> {
    let problem = request.problem;
    let grouped = wishes.groups.is_some() || wishes.shares.is_some();
    let one_array = problem.is_one_array();
    // Rows in two passes may be planes.
    let planes = match wishes.algorithm {
        Algorithm::TwoPass | Algorithm::Tall => true,
        Algorithm::Auto => !grouped,
        _ => false,
    };
    // All others take arrays without gaps.
    let shared = one_array && (planes || problem.is_dense());
    let cols = || problem.lengths()[1..].iter().fold(1, |cols: usize, length| cols.saturating_mul(*length));
    let shape = match *problem.lengths() {
        // Two real numbers of a series are a point.
        [n] if one_array && problem.is_real() => Some(Shape::Line(n / 2)),
        [n] if one_array => Some(Shape::Line(n)),
        [rows, _] if shared => Some(Shape::Matrix { rows, cols: cols() }),
        [rows, ..] if shared && planes => Some(Shape::Matrix { rows, cols: cols() }),
        _ => None,
    };
    let algorithm = match wishes.algorithm {
        Algorithm::Auto if !grouped => Algorithm::Auto,
        Algorithm::Auto if !problem.is_real() && matches!(shape, Some(Shape::Line(_))) => {
            return Err(PlanError::GroupsOfLine);
        }
        Algorithm::Auto => Algorithm::Grouped,
        named => named,
    };
    match algorithm {
        _ if !problem.is_real() => {}
        Algorithm::Auto | Algorithm::TwoPass | Algorithm::Tall => {}
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
        let squeezed = problem.squeezed();
        return automatic(Request { problem: &squeezed, ..request }, wishes);
    }
    let shape = shape.ok_or(PlanError::NeedsOneArray { algorithm })?;
    if let (Shape::Matrix { rows: along, cols }, true) = (shape, grouped) {
        return Ok((Some(groups(request, [along, cols], wishes)?), Why::Named));
    }
    let usual = default_nodes(request.config);
    let nodes = wishes.nodes.map_or(usual, NonZeroUsize::get);
    let (program, nodes) = match (shape, algorithm) {
        (Shape::Matrix { rows, cols }, Algorithm::TwoPass) => {
            let sides = problem.rows_of_points().map_or([rows, cols], |rows| rows.sides());
            (request.two_pass(two_pass(sides, nodes, wishes.block))?, nodes)
        }
        (Shape::Matrix { rows, cols }, Algorithm::Tall) => {
            let width = problem.rows_of_points().map_or(cols, |rows| rows.cols);
            let cut = tall([rows, width], nodes, wishes.block);
            (request.tall(cut.ok_or(PlanError::NotAProduct { algorithm, n: rows })?)?, nodes)
        }
        (Shape::Matrix { rows, cols }, _) => {
            let blocks = [rows, cols]
                .map(|side| wishes.block.map_or_else(|| default_rows(side, nodes), NonZeroUsize::get));
            (
                Box::new(request.matrix([rows, cols], &Dealing::of_matrix([rows, cols], blocks), false)?)
                    as _,
                nodes,
            )
        }
        (Shape::Line(points), Algorithm::Receiver | Algorithm::ReceiverShared) => {
            // The program can use a power of two of nodes, at most one for each point.
            let nodes = wishes.nodes.map_or(1 << usual.min(points).ilog2(), NonZeroUsize::get);
            let asking = if algorithm == Algorithm::Receiver { Asking::Tree } else { Asking::Shared };
            (request.receiver(points, nodes, asking, wishes.roots)?, nodes)
        }
        (Shape::Line(points), Algorithm::Transpose | Algorithm::Ffte) => {
            let form = Form::of(algorithm, points).unwrap_or_else(|| unreachable!("it has been checked"));
            (request.transpose(form, transpose(form, nodes, wishes.block))?, nodes)
        }
        (Shape::Line(points), _) => {
            let usual = default_block(points, nodes);
            let program = match algorithm.radix() {
                Some(radix) => {
                    let block = wishes
                        .block
                        .map_or(RadixOrder::longest_block(radix, usual / radix), NonZeroUsize::get);
                    request.by_stages(RadixOrder::new(points, radix, block)?, algorithm, wishes.barriers)?
                }
                None => request.sender(points, wishes.block.map_or(usual, NonZeroUsize::get))?,
            };
            (program, nodes)
        }
    };
    Ok((Some(Chosen::new(program, nodes)), Why::Named))
}

/// Refuses every size that no program could use, and what the named program in particular cannot do.
fn check(
    shape: Shape,
    algorithm: Algorithm,
    nodes: Option<NonZeroUsize>,
    block: Option<NonZeroUsize>,
) -> Result<(), PlanError> {
    let [nodes, block] = [nodes, block].map(|number| number.map(NonZeroUsize::get));
    let n = shape.samples().ok_or(PlanError::TooManySamples)?;
    match (shape, block) {
        (Shape::Line(n), Some(block)) if block > n => return Err(PlanError::BlockTooLarge { n, block }),
        (Shape::Matrix { rows, cols }, Some(block)) if block > rows.max(cols) => {
            return Err(PlanError::RowBlockTooLarge { rows, cols, block });
        }
        _ => {}
    }
    let is_line = matches!(shape, Shape::Line(_));
    if let (Some(radix), true) = (algorithm.radix(), is_line) {
        return by_stages(algorithm, radix, n, block);
    }
    match algorithm {
        Algorithm::Grouped | Algorithm::TwoPass | Algorithm::Tall if is_line => {
            return Err(PlanError::NeedsMatrix { algorithm });
        }
        Algorithm::Auto | Algorithm::Grouped | Algorithm::TwoPass | Algorithm::Tall => return Ok(()),
        _ if !is_line => return Err(PlanError::NeedsLine { algorithm }),
        Algorithm::Transpose | Algorithm::Ffte => {
            let form = Form::of(algorithm, n);
            return form.map_or(Err(PlanError::NotAProduct { algorithm, n }), |_| Ok(()));
        }
        _ if !n.is_power_of_two() => return Err(PlanError::NotAPowerOfTwo { algorithm, n }),
        _ => {}
    }
    match (algorithm, block) {
        (Algorithm::Sender, Some(block)) if !block.is_power_of_two() => {
            Err(PlanError::BlockNotAPowerOfTwo { algorithm, block })
        }
        (Algorithm::Sender, _) => Ok(()),
        (_, Some(_)) => Err(PlanError::NoBlocks { algorithm }),
        (_, None) => match nodes {
            Some(nodes) if !nodes.is_power_of_two() || nodes > n => {
                Err(PlanError::NodesNotAPowerOfTwo { algorithm, nodes, n })
            }
            _ => Ok(()),
        },
    }
}

/// What an FFT by stages cannot do.
fn by_stages(algorithm: Algorithm, radix: usize, n: usize, block: Option<usize>) -> Result<(), PlanError> {
    RadixOrder::new(n, radix, 1).map_err(|_| PlanError::NotAPowerOfRadix { algorithm, radix, n })?;
    match block {
        Some(block) if RadixOrder::new(n, radix, block).is_err() => {
            Err(PlanError::BlockOfRadix { algorithm, radix, n, block })
        }
        _ => Ok(()),
    }
}

fn automatic<T: Precision>(request: Request<'_>, wishes: &Wishes) -> Result<Choice<T>, PlanError> {
    let (problem, kernel) = (request.problem, &request.options.kernel);
    let (one_array, own) = (problem.is_one_array(), *kernel == Kernel::Earth);
    let mut series = None;
    let sides = match *problem.lengths() {
        [n] if one_array && problem.is_real() && !n.is_multiple_of(2) => return Ok((None, Why::Odd)),
        [n] if one_array => {
            // Two numbers are a point.
            let n = if problem.is_real() { n / 2 } else { n };
            let form = || Form::of(Algorithm::Transpose, n);
            // So small are the primes with kernels.
            let has_form = own && smooth_part(n) == n && (n > 13 || form().is_some());
            match wishes.nodes.map(NonZeroUsize::get) {
                _ if !has_form => return Ok((None, Why::Series)),
                // To look for the factors takes as long as the rest of a plan of a small series, and to count the cores longer.
                None if n < SERIES_PAYS => return Ok((None, Why::ShortSeries)),
                Some(1) => return Ok((None, Why::OneNode)),
                _ => {}
            }
            series
                .insert(form().unwrap_or_else(|| unreachable!("a number that is no prime has factors")))
                .sides
        }
        _ => match problem.rows_of_points().filter(|_| one_array) {
            Some(rows) => rows.sides(),
            None => return Ok((None, Why::NoMatrix)),
        },
    };
    // A real number is half of the work of a point.
    let pays = if problem.is_real() { 2 * PAYS } else { PAYS };
    // To count the cores takes longer than a plan of a small problem.
    let is_small = series.is_none() && problem.points().is_some_and(|points| points < pays);
    if is_small && wishes.nodes.is_none() {
        return Ok((None, Why::Small));
    }
    let nodes = wishes.nodes.map_or_else(|| default_nodes(request.config), NonZeroUsize::get);
    let strips = sides[1].div_ceil(STRIP);
    let long = series.is_none() && sides[0] >= LONG;
    let few = long && strips < nodes;
    let dense = problem.rows_of_points().is_some_and(Rows::is_dense);
    let tall =
        (long && strips <= nodes.saturating_mul(TALL) && own && dense && smooth_part(sides[0]) == sides[0])
            .then(|| tall(sides, nodes, wishes.block).filter(|cut| cut.sides[0] >= nodes))
            .flatten();
    let numbers = problem.rows_of_numbers().filter(|_| series.is_none()).map(|rows| rows.cols);
    let widest = sides[0].max(sides[1]).max(numbers.unwrap_or(0));
    let why = match wishes.nodes {
        // A block counts its rows and columns in 32 bits.
        _ if u32::try_from(widest).is_err() => return Ok((None, Why::NoMatrix)),
        _ if nodes == 1 => return Ok((None, Why::OneNode)),
        _ if sides[0] < nodes || tall.is_none() && sides[1] < nodes => return Ok((None, Why::Narrow)),
        _ if few && tall.is_none() => return Ok((None, Why::FewColumns)),
        Some(_) => Why::NodesAsked,
        None if series.is_some() => Why::LongSeries,
        None => Why::Large,
    };
    let program = match (series, tall) {
        (Some(form), _) => request.transpose(form, transpose(form, nodes, wishes.block))?,
        (None, Some(cut)) => request.tall(cut)?,
        (None, None) => request.two_pass(two_pass(sides, nodes, wishes.block))?,
    };
    Ok((Some(Chosen::new(program, nodes)), why))
}

/// Row blocks and strips as [`two_pass`] has them, but that the rows of a row block are columns of the result.
fn transpose(form: Form, nodes: usize, block: Option<NonZeroUsize>) -> [usize; 2] {
    let blocks = form.sides.map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS).next_multiple_of(STRIP));
    block.map_or(blocks, |block| [block.get(); 2])
}

/// The rows of row blocks and the columns of strips: `block` of both; unless told, each node has
/// [`PASS_BLOCKS`], and strips are whole pairs of cache lines.
fn two_pass(sides: [usize; 2], nodes: usize, block: Option<NonZeroUsize>) -> [usize; 2] {
    let [rows, cols] = sides.map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS));
    block.map_or([rows, cols.next_multiple_of(STRIP)], |block| [block.get(); 2])
}

/// How few long columns are cut: row blocks as [`two_pass`] has them, and each column, as a matrix of two factors near each
/// other, as [`transpose`] has it, where strips are of whole rows of the array. `None` if there are no such factors.
fn tall([rows, width]: [usize; 2], nodes: usize, block: Option<NonZeroUsize>) -> Option<TallCut> {
    let sides = Form::of(Algorithm::Transpose, rows)?.sides;
    // As many rows of the array as begin and end with a strip.
    let together = (1..=STRIP).find(|rows| (rows * width).is_multiple_of(STRIP)).unwrap_or(STRIP);
    let blocks = sides.map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS).next_multiple_of(together));
    let usual = TallCut { block: rows_of_blocks(rows, nodes, PASS_BLOCKS), sides, blocks };
    Some(block.map_or(usual, |block| TallCut { block: block.get(), blocks: [block.get(); 2], ..usual }))
}

/// A matrix, shared by the groups that were asked for.
fn groups<T: Precision>(
    request: Request<'_>,
    sides: [usize; 2],
    wishes: &Wishes,
) -> Result<Chosen<T>, PlanError> {
    let rows =
        decide::Rows { kernel: &request.options.kernel, precision: T::NAME, point: size_of::<Complex<T>>() };
    let [nodes, block] = [wishes.nodes, wishes.block].map(|number| number.map(NonZeroUsize::get));
    let (nodes, Decided { shares, notes }) = match (&wishes.shares, &wishes.groups) {
        (Some(shares), _) => {
            (shares.check(sides, nodes)?, Decided { shares: shares.clone(), notes: Vec::new() })
        }
        (None, asked) => {
            let asked = asked.clone().unwrap_or_default();
            let grouping = asked.processors(nodes, default_nodes(request.config))?;
            (grouping.groups * grouping.threads, decide(&asked, grouping, sides, rows)?)
        }
    };
    let program = request.matrix(sides, &shares.dealt(sides, block), shares.barrier)?;
    Ok(Chosen::new(Box::new(MatrixProgram { shares: Some(Box::new(shares)), notes, ..program }), nodes))
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
