//! The memory that a run of a program takes beside its points: what the plan knows of its arrays, and the frames of its
//! functions by the sizes of what they hold.
//!
//! The arrays are exact. Of frames, what the runtime adds to the values in them is left out, and what waits in
//! queues is not known, so that the need of a program of many small functions is only of the right order.

use earth::{Config, Reply};
use earth_kernels::Real;
use num_complex::Complex;

use super::program::Program;
use crate::dataflow::matrix::dealing::Cut;
use crate::dataflow::matrix::pass::Pass;
use crate::dataflow::points::Points;
use crate::dataflow::receiver::{Asked, Asking, Scalar};
use crate::dataflow::rectangle::{Across, Along};
use crate::dataflow::sender::{Addresses, Computed, Sender, Targets};
use crate::dataflow::square::RowBlock;
use crate::dataflow::transpose::{Side, TransposePlan};
use crate::dataflow::{manycore, transpose, two_pass};

impl<T: Scalar> Program<T> {
    /// The bytes beside the points that a run on so many nodes takes.
    pub(super) fn needed(&self, nodes: usize, config: Config) -> u64 {
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let (arrays, frames) = match self {
            Self::Sender { plan, .. } => {
                let order = plan.order();
                let [n, threads] = [order.points(), order.threads()].map(|count| count as u64);
                // Each thread has a spare block before the first stage is over, and the output in natural order is made
                // when these are gone.
                let copies = if order.stages() == 0 { 0 } else { n };
                let scratch = (plan.scratch_len() * nodes.min(order.threads())) as u64;
                let part = size_of::<Addresses<T>>() + size_of::<Computed<Points<T>>>();
                let frame = (size_of::<Sender<T>>() + size_of::<Targets<T>>() + part) as u64;
                // An inlet of each stage in the frame and its address with `SenderFft`, as well as a target.
                let stage = handle + 2 * address;
                (
                    bytes::<T>(copies + scratch),
                    threads.saturating_mul(2 * frame + u64::from(order.stages()) * stage),
                )
            }
            Self::Stages { plan, .. } => {
                let order = plan.order();
                let threads = order.threads() as u64;
                let part = size_of::<manycore::Addresses<T>>() + size_of::<manycore::Computed<T>>();
                let frame =
                    (size_of::<manycore::Thread<T>>() + size_of::<manycore::Targets<T>>() + part) as u64;
                // A place for a block of each round, its inlet, its address with `RadixFft`, and where it goes.
                let block = 2 * handle + 2 * address;
                let blocks =
                    (order.radix() as u64).saturating_mul(u64::from(order.rounds()) * block + handle);
                // The signal in the order of reversed digits.
                (bytes::<T>(order.points() as u64), threads.saturating_mul(2 * frame + blocks))
            }
            Self::Receiver { plan, .. } => {
                let order = plan.order();
                let n = order.points() as u64;
                let levels = u64::from(order.levels());
                let (cells, asks) = match plan.asking() {
                    Asking::Tree => (n, 2 * (order.nodes() as u64 - 1)),
                    Asking::Shared => (n * levels.max(1), 2 * levels),
                };
                // A cell has a value, or a list of those who wait for it.
                let cell = (size_of::<Complex<T>>() + size_of::<Vec<Reply<Complex<T>>>>()) as u64;
                let roots = (plan.window() * order.nodes()) as u64;
                let asked = (roots * (1 + asks)).saturating_mul(size_of::<Asked<T>>() as u64);
                // The samples as they are dealt, and the roots as they come.
                (bytes::<T>(2 * n) + bytes::<T>(order.share() as u64), cells.saturating_mul(cell) + asked)
            }
            Self::Matrix { plan, in_place, .. } => {
                let passes = [plan.pass(0), plan.pass(1)];
                let [along, across] = passes.map(|pass| pass.cut().count() as u64);
                let scratch = passes.map(|pass| (pass.cut().count().min(nodes) * pass.scratch_len()) as u64);
                let second = if *in_place { 0 } else { passes[1].area(|_| true) };
                // Rows of the second matrix are made after those of the first were transformed.
                let working = scratch[0].max(second + scratch[1]);
                let copies = passes[0].area(|leading| leading > passes[0].len());
                let tiles = along.saturating_mul(across);
                // A tile has a handle, an inlet with its address at both ends.
                let (frames, handles) = if *in_place {
                    (along * size_of::<RowBlock<T>>() as u64, 1)
                } else {
                    let frames =
                        [along * size_of::<Along<T>>() as u64, across * size_of::<Across<T>>() as u64];
                    (frames[0] + frames[1], 2)
                };
                (bytes::<T>(working + copies), frames + tiles * handles * (handle + 2 * address))
            }
            Self::TwoPass(plan) => {
                let counts = [plan.cut(0), plan.cut(1)].map(Cut::count);
                let [firsts, seconds] = plan.order().map(|cut| cut.count() as u64);
                let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * plan.scratch_lens()[pass]);
                // The rows of a strip are listed while its columns are transformed.
                let listed = counts[1].min(nodes) * plan.sides()[0] * size_of::<&mut [Complex<T>]>();
                let frames = firsts * size_of::<two_pass::First<T>>() as u64
                    + seconds * size_of::<two_pass::Second<T>>() as u64;
                // A tile has an inlet with its address at both ends.
                let tiles = firsts.saturating_mul(seconds) * (handle + 2 * address);
                (bytes::<T>(scratch[0].max(scratch[1]) as u64), listed as u64 + frames + tiles)
            }
            Self::Tall(tall) => {
                let (rows, columns) = (tall.plan().rows(), tall.plan().columns());
                let blocks = rows.cut().count();
                let scratch = (blocks.min(nodes) * rows.scratch_len()) as u64;
                let (points, frames) = of_transpose(columns, nodes);
                (bytes::<T>(points.max(scratch)), frames + blocks as u64 * 2 * address)
            }
            Self::Transpose(series) => {
                let (points, frames) = of_transpose(series.plan(), nodes);
                (bytes::<T>(points), frames)
            }
        };
        // Both units of a node have the frames of its functions.
        let units = if config == Config::Spn { 1 } else { 2 };
        arrays.saturating_add(frames.saturating_mul(units))
    }
}

/// The points of the matrix aside and of scratch, and the bytes of frames, lists and tiles, of a run of the transpose
/// algorithm.
fn of_transpose<T: Real>(plan: &TransposePlan<T>, nodes: usize) -> (u64, u64) {
    let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
    let counts = [plan.cut(1), plan.cut(0)].map(Side::workers);
    let parts = [0, 1].map(|side| plan.cut(side).parts() as u64);
    let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * plan.scratch_lens()[pass]);
    let ([rows, cols], [matrix, _]) = (plan.sides(), plan.arrays());
    // The rows of both matrices are listed while columns are transformed, or rows.
    let listed = 2 * counts[0].min(nodes) * rows.max(cols) * size_of::<&mut [Complex<T>]>();
    let frames = (counts[1] * size_of::<transpose::RowBlock<T>>()) as u64;
    // A tile has an inlet with its address at both ends.
    let tiles = parts[0].saturating_mul(parts[1]) * (handle + 2 * address);
    let aside = matrix.into_iter().product::<usize>() as u64;
    (aside + scratch[0].max(scratch[1]) as u64, listed as u64 + frames + tiles)
}

/// The bytes of so many points.
pub(super) fn bytes<T: Real>(points: u64) -> u64 {
    points.saturating_mul(size_of::<Complex<T>>() as u64)
}

impl<T: Real> Pass<T> {
    /// The points of the rows at work that have such a leading dimension, padding included.
    fn area(&self, of: impl Fn(usize) -> bool) -> u64 {
        let rows = self.cut().rows().enumerate().map(|(block, rows)| (rows, self.leading(block)));
        rows.filter(|&(_, leading)| of(leading)).map(|(rows, leading)| (rows * leading) as u64).sum()
    }
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
