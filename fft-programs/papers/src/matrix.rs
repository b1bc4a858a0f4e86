//! 2-D FFT of R x C points of any sizes, by tiles: in place, or through a second matrix.
//!
//! This is the row-column method: transform the rows, transpose, transform the rows of the transpose,
//! transpose back. On P nodes, the R rows are cut into I *row blocks* and the C rows of the transpose into J,
//! as two [dealings](Dealing) define. The *tile* (i, j) holds the points that rows of block i have in common
//! with columns that are rows of block j. Tiles move by ownership, and each is transposed as soon as it
//! arrives. If the transpose is cut as the matrix is, then tiles (i, j) and (j, i) change places, and the
//! transform is *in place*. Otherwise the transpose has a *second matrix*.
//!
//! 1. *Setup.* [`MatrixFft`] deals the rows: it invokes each row block on its node, as [`RowBlock`]. It
//!    invokes each row block of a second matrix on its node, as [`Across`], which allocates its rows there.
//!    All send the [`Addresses`] of their inlets. Each `RowBlock` then transforms its rows without waiting.
//!    When all addresses are known, each row block receives the addresses for its tiles and for its final
//!    rows ([`Targets`]).
//! 2. *Transpose in place.* A row block whose rows are transformed splits them into tiles. Of each pair of
//!    tiles (i, j) and (j, i) one row block is the *owner*. The other one is the *lender*, which sends its
//!    tile to the owner. The owner's rows and the lender's tile enable the fiber `exchange`. It transposes
//!    each tile into the memory of the other and sends the lender's back. Each row block transposes its
//!    diagonal tile alone. *Second pass.* The fiber `gather` is enabled when all tiles of the row block are
//!    transposed and back. It joins them to whole rows and transforms these, which were columns. Then the
//!    tiles are transposed again in this way, so that output `[k1][k2]` is in natural order.
//! 3. *Transpose into a second matrix.* A row block lends all its tiles, tile `j` to the `j`-th `Across`. The
//!    fiber `transpose` writes each tile that arrives into the second matrix, and keeps the tile. *Second
//!    pass.* The fiber `join` is enabled when all I tiles have been transposed. It joins their images to
//!    whole rows and transforms these. Then it splits the rows again, writes each part back into its tile,
//!    and returns the tile.
//! 4. *Home.* The fiber `gather` is enabled when all tiles are back for the last time. It joins them and
//!    sends the rows home, where `MatrixFft` joins all rows.
//!
//! No step waits for all of the step before: tiles of ready blocks are exchanged while other rows are still
//! being transformed. With a *barrier*, for comparison, every step does wait. A row block that has reached
//! the end of a step signals `MatrixFft`, which releases all row blocks when the last one has signalled.
//! Within a process the output is in the memory of the input. The only large allocation is a second matrix,
//! whose pages are first touched by the node that works on them. For a [phantom](earth::Block::phantom)
//! matrix the same fibers run and the same tiles move, without points; its plan has no row kernels.
//!
//! # Who owns a pair
//!
//! If the lower block owned all its pairs, block 0 would do I - 1 exchanges and block I - 1 none. Instead the
//! blocks form a circle, and each owns its pairs with the next ones, half the circle round: at distances of 1
//! to (I - 1)/2. For an even I the first I/2 blocks also own the pair at distance I/2. The number of pairs
//! that a block owns and the number that it lends to differ by at most one. A function of its own for each
//! pair would take I (I - 1)/2 more invokes and frames, and twice the block moves.
//!
//! # Counts
//!
//! The counts depend neither on P nor on the schedule. Z is the number of bytes of a point. Q is the sum of
//! (rows of a block)^2 in place, so that R^2 - Q points are off the diagonal tiles.
//!
//! | counter | in place | made of |
//! |---|---|---|
//! | fibers | I (I + 3) + 3 | a row block: `start`, `scatter`, two of `gather`; `exchange`, for each pair in each transpose; three of `MatrixFft` |
//! | invokes | I | |
//! | signals | 4 I^2 + 3 I + 1 | a row block: its addresses, its targets, its rows are ready, two diagonal tiles, its time, home; each pair in each transpose: the owner's rows, the tile lent, the owner's tile transposed, the lender's back; the value of the run |
//! | block moves | I (2 I - 1) | each pair in each transpose two; home |
//! | bytes moved | (5 R^2 - 2 Q) Z | dealt; in each transpose one tile of each pair to the owner and back; home; the value of the run |
//! | frames | I + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! | counter | through a second matrix | made of |
//! |---|---|---|
//! | fibers | I J + 3 I + 2 J + 3 | a `RowBlock`: `start`, `scatter`, `gather`; an `Across`: `start`, I of `transpose`, `join`; three of `MatrixFft` |
//! | invokes | I + J | |
//! | signals | 3 I J + 5 I + 3 J + 1 | each: its addresses, its targets, its time; a `RowBlock`: its rows are ready, home; a tile: arrived, transposed, back; the value of the run |
//! | block moves | I (2 J + 1) | tiles to the second matrix and back; home |
//! | bytes moved | 5 R C Z | the matrix dealt, tiles to the second matrix and back, home, the value of the run |
//! | frames | I + J + 1 | |
//! | tokens, parked values, deferred reads | 0 | |
//!
//! `events_sent` is the sum of:
//!
//! * 5 for each `RowBlock` that is not on node 0 (invoke, addresses, targets, time, home). Dealt round all
//!   nodes, these are I - ceil(I/P).
//! * 4 for each `Across` that is not on node 0 (invoke, addresses, targets, time).
//! * In place, 4 for each pair of row blocks on different nodes. Through a second matrix, 2 for each tile (i,
//!   j) with i and j on different nodes.
//!
//! A barrier in place adds 3 (I + 1) fibers and 6 I signals, and 6 events for each row block that is not on
//! node 0. With a second matrix it adds I + 2 J + 3 fibers and 2 I + 4 J signals, 2 events for each
//! `RowBlock` that is not on node 0, and 4 for each such `Across`. Rows with [another leading
//! dimension](crate::groups::pass) change no count.
//!
//! # Why one inlet and one slot serve both transposes in place
//!
//! A tile of the second transpose must not meet a tile of the first. The lender lends it after its second
//! pass, hence after all its tiles have come back from the first transpose, this one among them. So the
//! owner's `exchange` of this pair has run, its inlet is empty, and its slot has been reset. The owner's own
//! signal comes after its own second pass, hence also after that `exchange`. So in each round a slot of 2
//! gets just the signal of its own rows and its own lender's tile. The signals of a second `gather` come from
//! exchanges of the second transpose. These need this row block's second pass, which is the first `gather`.
//! With a second matrix each inlet takes one tile in a run. So no value is ever parked, in any schedule, and
//! no frame ends while a tile is on its way to it.
//!
//! # When it loses
//!
//! * The transposes move all points twice, four times with a second matrix, without computing. A kernel
//!   that transforms strided columns, as vendors have, may save one transpose.
//! * The transpose back only restores the natural order. A convolution could do without it.
//! * With small tiles the fibers dominate: an exchange has to outweigh the dispatch of a fiber and two
//!   transfers.
//! * Node 0 alone sends all addresses, 2 I J of them.
//! * A matrix of a single row or column is one task in one of the passes, which no number of nodes shares.
//! * Through bytes it is not in place: each tile that comes back is in new memory, and the rows are copied
//!   together.

mod blocks;
pub(crate) mod solver;

use std::time::Duration;

use earth::{Arrived, Eu, NodeId, Replies, Reply, Shared, SharedValues, SlotRefs, Wire, threaded};
use earth_fft::dataflow::Spent;
use earth_fft::dataflow::phases::{Done, Phases};
use earth_fft::dataflow::points::{Points, whole_matrix};
use earth_kernels::Real;

pub use crate::groups::dealing::{Dealing, default_rows};
pub use blocks::{Across, MatrixPlan, RowBlock};

/// Barrier before the first transpose, for row blocks of the matrix.
const TO_TILES: usize = 0;
/// Barrier before the second pass, for row blocks of the transpose.
const TO_ROWS: usize = 1;
/// Barrier before the second transpose, for row blocks of the transpose.
const TO_TILES_AGAIN: usize = 2;

/// Circle of row blocks, which decides the owner of each pair; its number of row blocks.
#[derive(Clone, Copy, Debug)]
struct Circle(usize);

impl Circle {
    /// Returns the number of pairs that `block` owns: its pairs with the blocks after it, at distances of 1
    /// to this.
    fn owned(self, block: usize) -> usize {
        let opposite = self.0.is_multiple_of(2) && block < self.0 / 2;
        (self.0 - 1) / 2 + usize::from(opposite)
    }

    /// Returns the number of pairs that others own: the pairs with the blocks before it, to which it lends,
    /// at distances of 1 to this.
    fn borrows(self, block: usize) -> usize {
        self.0 - 1 - self.owned(block)
    }

    fn after(self, block: usize, distance: usize) -> usize {
        (block + distance) % self.0
    }

    fn before(self, block: usize, distance: usize) -> usize {
        (block + self.0 - distance) % self.0
    }
}

/// Returns, for the tiles of a row block, the number of pairs that it owns, of tiles that it lends, and of
/// signals for tiles that it has transposed itself.
fn tiles_of<T: Real>(plan: &MatrixPlan<T>, block: usize) -> [usize; 3] {
    if plan.is_in_place() {
        let circle = Circle(plan.cut(0).count());
        let owned = circle.owned(block);
        [owned, circle.borrows(block), owned + 1]
    } else {
        [0, plan.cut(1).count(), 0]
    }
}

/// Returns the number of row blocks of the second matrix.
fn across<T: Real>(plan: &MatrixPlan<T>) -> usize {
    if plan.is_in_place() { 0 } else { plan.cut(1).count() }
}

/// Input of [`MatrixFft`].
#[derive(Debug, Wire)]
pub struct MatrixJob<T: Real> {
    matrix: Points<T>,
    plan: Shared<MatrixPlan<T>>,
}

impl<T: Real> MatrixJob<T> {
    /// Creates the job to transform a matrix in its memory.
    ///
    /// # Panics
    ///
    /// If the matrix has other rows and columns than the plan's, or the plan is for phantoms and the matrix
    /// is not one.
    pub fn new(matrix: Points<T>, plan: Shared<MatrixPlan<T>>) -> Self {
        plan.check(&matrix);
        Self { matrix, plan }
    }

    /// Returns the values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Addresses of a row block's inlets, and of its slots for barriers.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Inlet for the targets.
    targets: Reply<Targets<T>>,
    /// Inlets for the tiles that others lend it, by the lender's distance less one.
    borrows: Replies<Points<T>>,
    /// Inlets for its own tiles that come back: by the owner's distance less one, or by row blocks of the
    /// second matrix.
    returned: Replies<Points<T>>,
    /// Slots that release it, one a barrier, if there are barriers.
    released: Option<SlotRefs>,
}

/// Addresses that a row block sends to, made when the addresses of all row blocks are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    /// Inlets for the tiles that it lends: by the owner's distance less one, or by row blocks of the second
    /// matrix.
    lend: Vec<Reply<Points<T>>>,
    /// Inlets for the tiles that it returns, by the lender's distance less one.
    give_back: Vec<Reply<Points<T>>>,
    /// Inlet for its working time.
    work: Reply<Spent>,
    /// Inlet for its rows at the end.
    home: Reply<Points<T>>,
    barrier: Option<Barrier>,
}

/// Addresses of a row block of the second matrix.
#[derive(Debug, Wire)]
pub struct AcrossAddresses<T: Real> {
    targets: Reply<AcrossTargets<T>>,
    /// Inlets for tiles, by their row block of the matrix.
    tiles: Replies<Points<T>>,
    released: Option<SlotRefs>,
}

/// Addresses that a row block of the second matrix sends to.
#[derive(Debug, Wire)]
pub struct AcrossTargets<T: Real> {
    /// Inlets for the returned tiles, by row block of the matrix.
    tiles: Vec<Reply<Points<T>>>,
    work: Reply<Spent>,
    barrier: Option<Barrier>,
}

/// Slots that count row blocks: at the first barrier, and at the others.
#[derive(Clone, Copy, Debug, Wire)]
struct Barrier {
    first: SlotRefs,
    others: SlotRefs,
}

impl Barrier {
    /// Signals that a row block has reached the end of a step.
    fn reached<F: earth::Threaded>(self, step: usize, eu: &mut Eu<F>) {
        eu.rsync(if step == TO_TILES { self.first.at(step) } else { self.others.at(step - TO_ROWS) });
    }
}

/// 2-D FFT of a matrix. It deals the rows, connects the row blocks, and joins the rows that come back.
pub struct MatrixFft<T: Real> {
    plan: Shared<MatrixPlan<T>>,
    started: Duration,
    connected: Duration,
    /// Slots that release row blocks of the matrix, and of the second matrix.
    released: [Vec<SlotRefs>; 2],
    out: Reply<Done<T>>,
}

#[threaded(
    along = job.plan.cut(0).count(),
    across = across(&job.plan),
    transposed = job.plan.cut(1).count()
)]
impl<T: Real> MatrixFft<T> {
    /// Starts the 2-D FFT of the job's matrix.
    pub fn deal(job: MatrixJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) -> Self {
        let started = eu.now();
        let MatrixJob { matrix, plan } = job;
        let addresses = eu.replies(Self::connect().along);
        for (index, rows) in plan.cut(0).split_rows(matrix).enumerate() {
            let node = NodeId::new(plan.cut(0).node_of(index, eu.nodes()));
            eu.invoke(node, RowBlock::call(index, rows, plan.clone(), addresses.at(index)));
        }
        let addresses = eu.replies(Self::connect().across);
        for index in 0..across {
            let node = NodeId::new(plan.cut(1).node_of(index, eu.nodes()));
            eu.invoke(node, Across::call(index, plan.clone(), addresses.at(index)));
        }
        MatrixFft { plan, started, connected: started, released: [const { Vec::new() }; 2], out }
    }

    #[slot]
    fn connect(
        &mut self,
        #[inlets(along)] along: Arrived<'_, Addresses<T>>,
        #[inlets(across)] across: Arrived<'_, AcrossAddresses<T>>,
        eu: &mut Eu<Self>,
    ) {
        let work = eu.replies(Self::collect().work);
        let home = eu.replies(Self::collect().home);
        let barrier = self.plan.has_barrier().then(|| Barrier {
            first: eu.slot_refs(Self::release_first(..)),
            others: eu.slot_refs(Self::release(..)),
        });
        let circle = Circle(along.len());
        for (block, addresses) in along.iter().enumerate() {
            let (lend, give_back) = if self.plan.is_in_place() {
                let owners = (1..=circle.borrows(block)).map(|d| (&along[circle.before(block, d)], d - 1));
                let lenders = (1..=circle.owned(block)).map(|d| (&along[circle.after(block, d)], d - 1));
                (
                    owners.map(|(owner, at)| owner.borrows.at(at)).collect(),
                    lenders.map(|(lender, at)| lender.returned.at(at)).collect(),
                )
            } else {
                (across.iter().map(|across| across.tiles.at(block)).collect(), Vec::new())
            };
            let (work, home) = (work.at(block), home.at(block));
            eu.put(addresses.targets, Targets { lend, give_back, work, home, barrier });
        }
        for (block, addresses) in across.iter().enumerate() {
            let tiles = along.iter().map(|along| along.returned.at(block)).collect();
            let work = work.at(along.len() + block);
            eu.put(addresses.targets, AcrossTargets { tiles, work, barrier });
        }
        self.released = [
            along.iter().filter_map(|block| block.released).collect(),
            across.iter().filter_map(|block| block.released).collect(),
        ];
        self.connected = eu.now();
    }

    #[slots(len = job.plan.barriers(1), syncs = along)]
    fn release_first(&mut self, step: usize, eu: &mut Eu<Self>) {
        for block in &self.released[0] {
            eu.rsync(block.at(step));
        }
    }

    // In place, the row blocks of the matrix hold the transpose.
    #[slots(len = job.plan.barriers(2), syncs = transposed)]
    fn release(&mut self, step: usize, eu: &mut Eu<Self>) {
        let [along, across] = &self.released;
        let blocks = if self.plan.is_in_place() { along } else { across };
        for block in blocks {
            eu.rsync(block.at(step + if self.plan.is_in_place() { TO_ROWS } else { 0 }));
        }
    }

    #[slot]
    fn collect(
        self,
        #[inlets(along + across)] work: Arrived<'_, Spent>,
        #[inlets(along)] home: Arrived<'_, Points<T>>,
        eu: &mut Eu<Self>,
    ) {
        let all_home = eu.now();
        let work = work.fold(Spent::default(), Spent::plus);
        let spectrum = whole_matrix(home.collect());
        let phases = Phases::between([self.started, self.connected, all_home, eu.now()]).with_spent(work);
        eu.put(self.out, Done::new(spectrum, phases));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_one_owner_and_shares_are_equal() {
        for blocks in 1..40 {
            let circle = Circle(blocks);
            let mut pairs = Vec::new();
            for block in 0..blocks {
                let (owned, borrows) = (circle.owned(block), circle.borrows(block));
                assert!(owned.abs_diff(borrows) <= 1 && owned + borrows == blocks - 1);
                for d in 1..=owned {
                    let lender = circle.after(block, d);
                    assert!(d <= circle.borrows(lender) && circle.before(lender, d) == block);
                    pairs.push([block.min(lender), block.max(lender)]);
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), blocks * (blocks - 1) / 2);
        }
    }
}
