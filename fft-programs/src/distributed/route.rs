//! The stages of a distributed transform: which dimensions are transformed in which distribution.
//!
//! A rank transforms a dimension only while no rank boundary cuts it. So the array passes through several
//! distributions, with an exchange of tiles between any two of them.
//!
//! | array | ranks | forward stages |
//! |---|---|---|
//! | 2 or 3 dimensions | at most as many as each of the first two lengths, or 2 dimensions | *slabs*: the first dimension is cut, all others are transformed; the second is cut, the first is transformed |
//! | 3 dimensions | more | *pencils*, on a grid of ranks: dimensions 1 and 2 are cut, 3 is transformed; 1 and 3 are cut, 2 is transformed; 2 and 3 are cut, 1 is transformed |
//! | a series | any | a matrix of nearly equal sides (`transpose.rs`): its rows are cut; its columns are cut, and transformed; its rows are cut, transformed, and become the columns of the transposed matrix |
//!
//! A series of real numbers is a series of complex points with one more stage for its spectrum
//! (`real_series.rs`), which is in natural order in both orders.
//!
//! Transposed order ends there. Natural order takes one more exchange, back to the first distribution. If
//! rank 0 has the whole array, an exchange before the first stage and one after the last move it. An inverse
//! transform of transposed order, and each transform into real numbers, take the stages backwards. The
//! inverse of a series begins with the columns instead.
//!
//! *Grid.* Of all grids of pencils, the route takes the one whose greatest part in any of the three
//! distributions is smallest, and among these the one nearest to a square.

use std::fmt;

use earth_kernels::{Direction, near_square};

use super::distribution::{Distribution, Part};
use super::real_series::RealSeries;
use super::shares::Shares;
use crate::problem::{Elements, UntypedProblem};

/// Order of the spectrum of a distributed transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Order {
    /// The spectrum is distributed like the input: along its first dimension.
    #[default]
    Natural,
    /// The spectrum is distributed along another dimension, as the last stage leaves it. This takes one
    /// exchange less. The inverse takes its input in this order. The spectrum of a series of real numbers is
    /// in natural order all the same.
    Transposed,
    /// Rank 0 has the whole array, before and after the transform, as a program does that uses the other
    /// ranks only to compute. Arrays of complex points only.
    Root,
}

/// Writes `natural`, `transposed` or `root`.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Natural => "natural",
            Self::Transposed => "transposed",
            Self::Root => "root",
        })
    }
}

/// Transform of a part along one or more dimensions that are not cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transform {
    /// None: the stage only moves points.
    None,
    /// All dimensions from this one to the last.
    Rows {
        /// First of the dimensions; 0 is the batch.
        first: usize,
    },
    /// One dimension.
    Columns {
        /// The dimension; 0 is the batch.
        dimension: usize,
    },
    /// The rows of the matrix of a series, which become columns of the transposed matrix.
    Turned,
    /// From the points of a complex series to the spectrum of real numbers.
    Spectrum,
}

/// Stage of a distributed transform. Each stage except the last ends with an exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stage {
    /// Distribution of the array during the stage.
    pub(super) distribution: Distribution,
    /// Transform of each part.
    pub(super) transform: Transform,
}

/// All stages of a distributed transform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Route {
    ranks: usize,
    stages: Vec<Stage>,
    /// Lengths of a series of real numbers. Its spectrum is in the first stage or in the last.
    real_series: Option<RealSeries>,
    /// Boxes of points that each rank has in each stage after its exchange.
    arriving: Vec<Vec<Vec<Part>>>,
}

/// Least number of points of a chunk: the work of a rank between two moments at which it sends tiles.
const CHUNK: usize = 1 << 16;

/// Greatest number of chunks of a part. More chunks overlap more, in more messages.
const CHUNKS: usize = 8;

/// Least number of points of a tile, if a part is cut into chunks.
const TILE: usize = 1 << 10;

/// Points of two cache lines. Bounds of the last dimension are multiples of it, if possible.
const LINES: usize = 8;

/// How an array of several dimensions is cut into the parts of the ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cuts<'a> {
    /// Into slabs, or into pencils if there are more ranks than slabs.
    Usual,
    /// Into pencils, if the array has three dimensions.
    Pencils,
    /// Into slabs of these lengths.
    Shares(&'a Shares),
}

impl<'a> Cuts<'a> {
    /// Returns the lengths of the slabs, if they are given.
    pub(super) fn shares(self) -> Option<&'a Shares> {
        match self {
            Self::Shares(shares) => Some(shares),
            Self::Usual | Self::Pencils => None,
        }
    }
}

impl Route {
    /// Chooses the stages of a problem.
    pub(super) fn new(problem: &UntypedProblem, ranks: usize, order: Order, cuts: Cuts<'_>) -> Self {
        if let [points] = *problem.lengths() {
            return Self::of_series(problem, points, ranks, order);
        }
        let mut lengths = vec![problem.shape().batch];
        lengths.extend(problem.lengths());
        if let Some(last) = lengths.last_mut().filter(|_| problem.is_real()) {
            *last = *last / 2 + 1;
        }
        let mut stages = forward(&lengths, ranks, cuts);
        let backwards = match problem.elements() {
            Elements::ComplexToReal => true,
            Elements::ComplexToComplex => problem.to() == Direction::Inverse && order == Order::Transposed,
            Elements::RealToComplex => false,
        };
        let moved = |distribution: &Distribution| Stage {
            distribution: distribution.clone(),
            transform: Transform::None,
        };
        let natural = stages[0].distribution.clone();
        match order {
            Order::Natural if !natural.is_same(&stages[stages.len() - 1].distribution, ranks) => {
                stages.push(moved(&natural));
            }
            Order::Root if ranks > 1 => {
                let root = Distribution::whole(&lengths).cut_at(1, root(lengths[1], ranks));
                stages.insert(0, moved(&root));
                stages.push(moved(&root));
            }
            _ => {}
        }
        if backwards {
            stages.reverse();
        }
        Self::of_stages(ranks, stages, None)
    }

    /// Makes the route of these stages.
    fn of_stages(ranks: usize, stages: Vec<Stage>, real_series: Option<RealSeries>) -> Self {
        let mut route = Self { ranks, stages, real_series, arriving: Vec::new() };
        let boxes = |stage| (0..ranks).map(|rank| route.boxes(stage, rank)).collect();
        route.arriving = (0..route.stages.len()).map(boxes).collect();
        route
    }

    /// Chooses the stages of a series: a matrix of nearly equal sides, or a single row if there are none.
    fn of_series(problem: &UntypedProblem, length: usize, ranks: usize, order: Order) -> Self {
        let points = if problem.is_real() { RealSeries::points_of(length) } else { length };
        let order = if problem.is_real() { Order::Natural } else { order };
        let sides = sides(points);
        let takes_transposed = order == Order::Transposed && problem.to() == Direction::Inverse;
        let [rows, cols] = if takes_transposed { [sides[1], sides[0]] } else { sides };
        let real_series = match problem.elements() {
            Elements::ComplexToComplex => None,
            Elements::RealToComplex => Some(RealSeries::new(length, rows, true)),
            Elements::ComplexToReal => Some(RealSeries::new(length, cols, false)),
        };
        let batch = problem.shape().batch;
        let whole = |sides: [usize; 2]| Distribution::whole(&[batch, sides[0], sides[1]]);
        let cut = |dimension| whole([rows, cols]).cut(dimension, ranks);
        // Distribution of a matrix of these sides before or after the transform, in natural order.
        let end = |sides: [usize; 2]| match order {
            Order::Root => whole(sides).cut_at(1, root(sides[0], ranks)),
            _ => whole(sides).cut(1, ranks),
        };
        let stage = |distribution, transform| Stage { distribution, transform };
        let spectrum =
            real_series.map(|series| Distribution::whole(&[batch, series.spectrum()]).cut(1, ranks));
        let is_forward = real_series.is_some_and(|series| series.is_forward());
        let mut stages = Vec::new();
        // One rank exchanges only what it has to.
        match &spectrum {
            Some(spectrum) if !is_forward => stages.push(stage(spectrum.clone(), Transform::None)),
            _ if !takes_transposed && ranks > 1 => stages.push(stage(end([rows, cols]), Transform::None)),
            _ => {}
        }
        stages.push(stage(cut(2), Transform::Columns { dimension: 1 }));
        stages.push(stage(cut(1), Transform::Turned));
        match spectrum {
            Some(spectrum) if is_forward => stages.push(stage(spectrum, Transform::Spectrum)),
            _ if (takes_transposed || order != Order::Transposed) && ranks > 1 => {
                stages.push(stage(end([cols, rows]), Transform::None));
            }
            _ => {}
        }
        Self::of_stages(ranks, stages, real_series)
    }

    /// Returns the lengths of a series of real numbers, if the route is of one.
    pub(super) fn real_series(&self) -> Option<RealSeries> {
        self.real_series
    }

    /// Returns whether a stage reads or writes the real numbers of a series.
    pub(super) fn takes_numbers(&self, stage: usize) -> bool {
        let at = |series: RealSeries| if series.is_forward() { 0 } else { self.exchanges() };
        self.real_series.is_some_and(|series| at(series) == stage)
    }

    /// Returns the series whose spectrum a stage begins or ends with.
    fn spectrum_of(&self, stage: usize) -> Option<RealSeries> {
        let at = |series: &RealSeries| if series.is_forward() { self.exchanges() } else { 0 };
        self.real_series.filter(|series| at(series) == stage)
    }

    /// Returns the series from whose spectrum the columns of a stage are computed.
    pub(super) fn merged_in(&self, stage: usize) -> Option<RealSeries> {
        self.real_series.filter(|series| !series.is_forward() && stage == 1)
    }

    /// Returns whether a chunk of a stage takes points of other positions, too: the mates of its points.
    pub(super) fn needs_mates(&self, stage: usize) -> bool {
        self.merged_in(stage).is_some() || self.spectrum_of(stage).is_some()
    }

    /// Returns the boxes of a rank's array before or after a stage, one after the other.
    pub(super) fn layout(&self, stage: usize, part: &Part) -> Vec<Part> {
        self.spectrum_of(stage).map_or_else(|| vec![part.clone()], |series| series.layout(part))
    }

    /// Returns the boxes of points that a rank has in a stage after its exchange: its part, and the mates of
    /// its points beside a spectrum.
    fn boxes(&self, stage: usize, rank: usize) -> Vec<Part> {
        let part = self.part(stage, rank);
        if let Some(series) = self.spectrum_of(stage) {
            series.before_spectrum(&part)
        } else if let Some(series) = self.merged_in(stage) {
            series.before_columns(&part)
        } else {
            vec![part]
        }
    }

    /// Returns the boxes of points of a transformed chunk that a rank receives after a stage, all in one
    /// tile.
    pub(super) fn tile(&self, stage: usize, chunk: &Part, rank: usize) -> Vec<Part> {
        self.arriving[stage + 1][rank].iter().filter_map(|part| part.common(chunk)).collect()
    }

    /// Returns whether the stage `moving` only moves points of the array, and the `other` stage beside it can
    /// read them there or write them there. Pencils use tiles only: few of their points stay on a rank, and
    /// these have gaps in the array.
    fn moves(&self, moving: usize, other: usize) -> bool {
        let is_move = self.stages[moving].transform == Transform::None;
        is_move && !self.takes_numbers(moving) && !self.needs_mates(other) && !self.cuts_lines(other)
    }

    /// Returns whether a stage reads points of the rank's array: in the first stage, and the points that stay
    /// on the rank if the first stage only moves points. No stage writes to the array meanwhile.
    pub(super) fn reads_array(&self, stage: usize) -> bool {
        stage == 0 || stage == 1 && !self.writes_array(1) && self.moves(0, 1)
    }

    /// Returns whether a stage writes points to the rank's array: in the last stage, and the points that stay
    /// on the rank if the last stage only moves points. Nothing else is in the array then: earlier exchanges
    /// have brought all points.
    pub(super) fn writes_array(&self, stage: usize) -> bool {
        let last = self.exchanges();
        stage == last || stage > 0 && stage + 1 == last && self.moves(last, stage)
    }

    /// Returns whether the points that stay on a rank in the exchange after a stage are in its array, and in
    /// no tile.
    pub(super) fn keeps(&self, stage: usize) -> bool {
        stage < self.exchanges() && (self.reads_array(stage + 1) || self.writes_array(stage))
    }

    /// Returns the number of points that stay in a rank's array in the exchange after a stage.
    fn kept_points(&self, stage: usize, rank: usize) -> usize {
        if !self.keeps(stage) {
            return 0;
        }
        let (before, after) = (self.after(stage, &self.part(stage, rank)), self.part(stage + 1, rank));
        before.common(&after).map_or(0, |common| common.len())
    }

    /// Returns the number of points of the tiles that a rank sends after a stage, also to itself.
    pub(super) fn sent(&self, stage: usize, rank: usize) -> usize {
        if !self.needs_mates(stage + 1) {
            return self.part(stage, rank).len() - self.kept_points(stage, rank);
        }
        let chunks = self.chunks(stage, rank);
        let tiles = chunks.iter().map(|chunk| self.after(stage, chunk));
        let points = |chunk: Part| {
            (0..self.ranks).flat_map(move |to| self.tile(stage, &chunk, to)).map(|part| part.len())
        };
        tiles.flat_map(points).sum()
    }

    /// Returns the number of points of all tiles that a rank has in a stage.
    pub(super) fn arrived(&self, stage: usize, rank: usize) -> usize {
        let points: usize = self.arriving[stage][rank].iter().map(Part::len).sum();
        points - self.kept_points(stage - 1, rank)
    }

    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the stages.
    pub(super) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the number of exchanges.
    pub(super) fn exchanges(&self) -> usize {
        self.stages.len() - 1
    }

    /// Returns the part of a rank during a stage.
    pub(super) fn part(&self, stage: usize, rank: usize) -> Part {
        self.stages[stage].distribution.part(rank)
    }

    /// Returns the part of a rank before the first stage, or after the last.
    pub(super) fn end(&self, output: bool, rank: usize) -> Part {
        if output {
            self.after(self.exchanges(), &self.part(self.exchanges(), rank))
        } else {
            self.part(0, rank)
        }
    }

    /// Returns the greatest number of points that a rank has in a stage.
    pub(super) fn greatest(&self) -> usize {
        let stages = 0..self.stages.len();
        let parts = stages.flat_map(|stage| (0..self.ranks).map(move |rank| self.part(stage, rank).len()));
        parts.max().unwrap_or(0)
    }

    /// Returns the part that a part becomes by a stage: itself, or its transpose.
    pub(super) fn after(&self, stage: usize, part: &Part) -> Part {
        match self.stages[stage].transform {
            Transform::Turned => part.transposed(),
            _ => part.clone(),
        }
    }

    /// Returns the part of a rank during a stage, cut into chunks. The rank transforms a chunk and sends its
    /// tiles, then the next chunk. The last stage has one chunk.
    pub(super) fn chunks(&self, stage: usize, rank: usize) -> Vec<Part> {
        let part = self.part(stage, rank);
        let points = CHUNK.max(part.len() / CHUNKS).max(TILE * self.ranks);
        if stage == self.exchanges() {
            return vec![part];
        }
        if let Some(series) = self.spectrum_of(stage) {
            if part.is_empty() {
                return vec![Part::new(vec![0..0; 3])];
            }
            return series.layout(&part).iter().flat_map(|part| part.blocks(2, points)).collect();
        }
        let lengths = self.stages[stage].distribution.lengths();
        let dimension = match self.stages[stage].transform {
            Transform::Rows { first } => return part.blocks(first, points),
            Transform::None => (0..lengths.len()).find(|&at| lengths[at] > 1),
            Transform::Columns { dimension } => {
                (0..lengths.len()).find(|&at| at != dimension && lengths[at] > 1)
            }
            Transform::Turned => return part.blocks(2, points),
            Transform::Spectrum => unreachable!("the spectrum of real numbers is in the last stage"),
        };
        let multiple = if dimension == Some(lengths.len() - 1) { LINES } else { 1 };
        dimension.map_or_else(
            || vec![part.clone()],
            |dimension| part.split(dimension, part.len() / points, multiple),
        )
    }

    /// Returns whether tiles may cut the lines that a stage of columns reads or writes: pencils of natural
    /// order are not distributed along the same axes before and after.
    pub(super) fn cuts_lines(&self, stage: usize) -> bool {
        let copies = |at: usize| self.stages.get(at).is_some_and(|stage| stage.transform == Transform::None);
        let along_dimensions =
            |stage: &&Stage| matches!(stage.transform, Transform::Rows { .. } | Transform::Columns { .. });
        let is_of_pencils = self.stages.iter().filter(along_dimensions).count() == 3;
        is_of_pencils && (stage.checked_sub(1).is_some_and(copies) || copies(stage + 1))
    }

    /// Returns the number of tiles that a rank receives in the exchange after a stage. 0 after the last
    /// stage.
    pub(super) fn tiles_to(&self, stage: usize, rank: usize) -> usize {
        if stage == self.exchanges() {
            return 0;
        }
        let parts = &self.arriving[stage + 1][rank];
        let keeps = self.keeps(stage);
        let senders = (0..self.ranks).filter(|&from| !(keeps && from == rank));
        let chunks = senders.flat_map(|from| self.chunks(stage, from));
        let is_wanted = |chunk: &Part| {
            let after = self.after(stage, chunk);
            parts.iter().any(|part| after.common(part).is_some())
        };
        chunks.filter(is_wanted).count()
    }
}

/// Returns the sides of the matrix of a series of complex points: nearly equal, or a single row.
pub(crate) fn sides(points: usize) -> [usize; 2] {
    near_square(points, LINES, 2).unwrap_or([1, points])
}

/// Returns the bounds of the ranges of all ranks, if rank 0 has the whole length.
fn root(length: usize, ranks: usize) -> Vec<usize> {
    std::iter::once(0).chain(std::iter::repeat_n(length, ranks)).collect()
}

/// Returns the bounds of consecutive ranges of these lengths.
fn bounds(lengths: &[usize]) -> Vec<usize> {
    let ends = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Returns the stages of a forward transform in transposed order.
fn forward(lengths: &[usize], ranks: usize, cuts: Cuts<'_>) -> Vec<Stage> {
    let whole = || Distribution::whole(lengths);
    let stage = |distribution, transform| Stage { distribution, transform };
    let fit = ranks <= lengths[1].min(lengths[2]) && !matches!(cuts, Cuts::Pencils);
    if lengths.len() == 3 || fit || cuts.shares().is_some() {
        let slabs = |dimension: usize| match cuts.shares() {
            None => whole().cut(dimension, ranks),
            Some(shares) => whole().cut_at(dimension, bounds(shares.of(dimension - 1))),
        };
        return vec![
            stage(slabs(1), Transform::Rows { first: 2 }),
            stage(slabs(2), Transform::Columns { dimension: 1 }),
        ];
    }
    let pencils = |[slow, fast]: [usize; 2]| {
        [[1, 2], [1, 3], [2, 3]].map(|[first, second]| whole().cut(first, slow).cut(second, fast))
    };
    let greatest = |grid: [usize; 2]| {
        let part = |cut: &Distribution| (0..ranks).map(|rank| cut.part(rank).len()).max();
        pencils(grid).iter().filter_map(part).max()
    };
    let grids = (1..=ranks).filter(|&slow| ranks.is_multiple_of(slow)).map(|slow| [slow, ranks / slow]);
    let best = grids.min_by_key(|&grid| (greatest(grid), grid[0].abs_diff(grid[1])));
    let [rows, middle, columns] = pencils(best.unwrap_or([1, ranks]));
    vec![
        stage(rows, Transform::Rows { first: 3 }),
        stage(middle, Transform::Columns { dimension: 2 }),
        stage(columns, Transform::Columns { dimension: 1 }),
    ]
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
