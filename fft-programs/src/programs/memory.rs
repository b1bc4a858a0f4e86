//! The memory that a transform needs, worked out from its sizes before anything is allocated, and the memory that
//! there is.
//!
//! The need is the most that is allocated at once: the samples in hand, what the program makes of them, its
//! tables, and the machine. The counts follow from the programs (arrays of N points, cells, frames, asks);
//! bytes per thread, ask, tile and node are the runtime's, found by counting allocations, and a test holds
//! them to what is counted now: the peak is within 10% of the need. Bytes of frames include those that are free in
//! the chunks that frames come from. In DUAL both units of a node have each frame, with its arrays and its cells.
//!
//! *When it is more than the truth.* Row kernels whose length has a prime factor above 13 are planned
//! through longer ones, and how much that takes (8 to 17 arrays) is known only after planning: the need is
//! then the most. In DUAL parts of more points than a queue holds may keep their writes for a while; the
//! need counts all of them. Of more than 64 nodes each has shorter queues.
//!
//! *When it is less than the truth.* A queue that grows is there twice while it is copied. With ten thousands of
//! tiles a node, which no default block size makes, that is up to 30% more; in SPN, where events for other nodes are
//! kept as well if those do not take them, up to 60%.

use std::array;

use super::choice::Choice;
use super::matrix::{Sharing, default_rows};
use crate::dataflow::receiver::Asking;
use crate::request::Config;

/// The bytes of a node's queues and its unit, and of what is there once a run (SPN).
const NODE: u64 = 141_000;
/// The bytes of a node's queues and its two units, and of what is there once a run (DUAL).
const NODE_OF_TWO: u64 = 214_500;

/// The bytes of a thread of the sender-initiated FFT, in SPN and what DUAL has besides: its frame of 192 bytes, the
/// handles of its arrays and of its spare block, its invocation, its addresses at `SenderFft`; in DUAL the frame of the
/// other unit, and values on their way between units.
const THREAD: [u64; 2] = [540, 730];
/// The bytes of a stage of such a thread, likewise: a count, a block's handle, a target; in DUAL the first two once
/// more.
const STAGE: [u64; 2] = [48, 32];

/// The bytes of a write-once cell: its value and those who wait for it.
const CELL: u64 = 64;

/// The bytes of a row block, likewise: its frame, the handles of its arrays.
const ROW_BLOCK: [u64; 2] = [700, 700];
/// The bytes of a tile beside its elements where the one matrix is transposed in place, likewise: its handle, its
/// inlet, two addresses, a fiber in the run queue; in DUAL its inlet once more.
const TILE: [u64; 2] = [76, 28];
/// The bytes of a tile between two matrices, likewise: a handle and an inlet on both sides, four addresses, a fiber.
const TILE_OF_TWO: [u64; 2] = [160, 56];

/// The number of values that the ring to a synchronization unit takes; more of them are kept aside (DUAL).
const QUEUE: u64 = 256;
/// The bytes of an event kept aside.
const KEPT: u64 = 96;
/// The bytes of a tile on its way to the execution unit and in its run queue (DUAL), in place and between two matrices: an
/// inlet with its value, its fiber, and the round of the slot that it signals. In place fewer wait at once: both figures are
/// counted, not derived.
const WAITING_TILE: [u64; 2] = [40, 100];

/// What something takes that has [so many bytes](THREAD) in SPN and so many more in DUAL.
fn of(bytes: [u64; 2], config: Config) -> u64 {
    if config == Config::Spn { bytes[0] } else { bytes[0] + bytes[1] }
}

/// How many entries a queue has room for that grew to hold `entries`.
fn room(entries: u64) -> u64 {
    if entries == 0 { 0 } else { entries.checked_next_power_of_two().unwrap_or(u64::MAX) }
}

/// The bytes of a node's events that are kept aside, of so many that its execution unit sends at a time (DUAL).
fn kept_aside(config: Config, events: u64) -> u64 {
    if config == Config::Dual { room(events.saturating_sub(QUEUE)).saturating_mul(KEPT) } else { 0 }
}

/// The bytes that tiles take, beside their elements, on their way between the units of DUAL nodes.
fn between_units(config: Config, in_place: bool, tiles: u64, nodes: u64) -> u64 {
    let each = tiles.div_ceil(nodes);
    let tile = WAITING_TILE[usize::from(!in_place)];
    let waiting = if config == Config::Dual { room(each).saturating_mul(tile) } else { 0 };
    waiting.saturating_add(kept_aside(config, each)).saturating_mul(nodes)
}

/// The bytes that row blocks and tiles take beside their elements.
fn handles(config: Config, in_place: bool, row_blocks: u64, tiles: u64) -> u64 {
    let (tile, frames) = if in_place { (TILE, row_blocks) } else { (TILE_OF_TWO, 2 * row_blocks) };
    tiles.saturating_mul(of(tile, config)).saturating_add(frames.saturating_mul(of(ROW_BLOCK, config)))
}

/// The bytes that a transform of `points` points of `point` bytes has allocated at its
/// peak, its samples included.
pub(super) fn need(choice: &Choice, config: Config, points: usize, point: usize) -> u64 {
    let (n, z) = (points as u64, point as u64);
    let node = if config == Config::Spn { NODE } else { NODE_OF_TWO };
    let array = n.saturating_mul(z);
    match *choice {
        Choice::Sender { nodes, block } => {
            let threads = n / block as u64;
            // The samples and their copies on the way to mates, or in natural order; the factors;
            // the row kernel of a block.
            let arrays = array.saturating_mul(5) / 2;
            let kernel = table(block, z);
            let stages = u64::from(threads.trailing_zeros());
            let thread = of(THREAD, config) + of(STAGE, config) * stages;
            sum([arrays, kernel, threads.saturating_mul(thread), nodes as u64 * node])
        }
        Choice::Receiver { nodes, asking } => {
            let (p, levels) = (nodes as u64, u64::from(nodes.trailing_zeros()));
            let share = n / p;
            let kept = if asking == Asking::Tree { 1 } else { levels.max(1) };
            let cells = n.saturating_mul(of([CELL, CELL], config) * kept);
            // Either the row kernels are at work, or the roots that are asked for at a time lead to asks, in DUAL
            // after the part has written its cells and sent its addresses.
            let local = share.saturating_mul(z);
            let roots = (512 / p).clamp(1, share) * p;
            // A root and its inlet; a further ask with its frame, or all of a level, some of which wait at cells. The
            // more nodes the more of a root's asks are answered while others are asked for.
            let (root, ask, level) = match config {
                Config::Spn => (100, 200 - p.min(200) / 2, 270),
                Config::Dual => (420, 280 + 1800 / (p + 4), 430),
            };
            let asks = roots * (root + if asking == Asking::Tree { ask * (p - 1) } else { level * levels });
            // Where each level is asked for, writes are kept until the last of them is answered.
            let kept_writes = kept_aside(config, share + 1).saturating_mul(p);
            let asked = match asking {
                Asking::Tree => asks.max(kept_writes),
                Asking::Shared => asks.saturating_add(kept_writes),
            };
            let arrays = array.saturating_mul(3) / 2 + share.saturating_mul(2 * z);
            sum([arrays, cells, local.max(asked), p * node])
        }
        Choice::Matrix { rows, cols, nodes, block } => {
            let p = nodes as u64;
            let sides = [rows, cols];
            let blocks =
                sides.map(|side| side.div_ceil(block.unwrap_or_else(|| default_rows(side, nodes))) as u64);
            let tiles = blocks[0].saturating_mul(blocks[1]);
            // In place, or a second matrix.
            let in_place = rows == cols;
            // Rows of the one matrix are as long as the other one has. A node makes its rows of the second
            // one after it has transformed those of the first.
            let kernels = [kernel(cols, z, blocks[0].min(p)), kernel(rows, z, blocks[1].min(p))];
            let second = if in_place { 0 } else { array };
            let working = kernels[0].max(second.saturating_add(kernels[1]));
            let tables = table(rows, z) + if in_place { 0 } else { table(cols, z) };
            let handles = handles(config, in_place, blocks[0] + blocks[1], tiles);
            sum([array, working, tables, handles, between_units(config, in_place, tiles, p), p * node])
        }
        Choice::Shared { rows, cols, ref sharing, .. } => shared([rows, cols], sharing, config, z, node),
        Choice::Row => sum([array, table(points, z), kernel(points, z, 1), node]),
    }
}

/// The bytes that a transform of a matrix by groups has allocated at its peak.
fn shared(sides: [usize; 2], sharing: &Sharing, config: Config, z: u64, node: u64) -> u64 {
    let p = (sharing.groups() * sharing.threads) as u64;
    let lens = [sides[1], sides[0]];
    let matrix = |width: usize, rows: usize| (rows as u64).saturating_mul(width as u64).saturating_mul(z);
    let given = matrix(lens[0], sides[0]);
    // The bytes of each group's rows, and whether they are padded.
    let of_groups = |pass: usize| {
        let leading = sharing.leading_dimensions(pass, lens[pass]);
        leading
            .into_iter()
            .zip(&sharing.distribution[pass])
            .map(move |(width, &rows)| (matrix(width, rows), width > lens[pass]))
    };
    // The padded rows of the matrix are copies.
    let copies =
        of_groups(0).filter(|&(_, padded)| padded).fold(0u64, |sum, (bytes, _)| sum.saturating_add(bytes));

    let blocks: [u64; 2] = array::from_fn(|pass| {
        let of_group = |&rows: &usize| rows.div_ceil(sharing.block_of(rows).max(1)) as u64;
        sharing.distribution[pass].iter().map(of_group).sum()
    });
    let tiles = blocks[0].saturating_mul(blocks[1]);
    let in_place = sharing.is_in_place(sides);
    // The second matrix, if there is one.
    let second = of_groups(1).filter(|_| !in_place).fold(0u64, |sum, (bytes, _)| sum.saturating_add(bytes));
    let handles = handles(config, in_place, blocks[0] + blocks[1], tiles);
    let between_units = between_units(config, in_place, tiles, p);

    // Row kernels, once a length; a chirp has two tables of its own, of its length and the one it goes through.
    let transformed = sharing.spectrum.unwrap_or(lens);
    let mut lengths: Vec<_> = transformed.iter().chain(sharing.chirps.iter().flatten()).copied().collect();
    lengths.sort_unstable();
    lengths.dedup();
    let tables = lengths.iter().fold(0, |tables: u64, &length| tables.saturating_add(table(length, z)));
    let scratch = |pass: usize| {
        let through = sharing.chirps[pass].iter().copied().max().unwrap_or(0);
        // The chirp's row and the scratch of the kernel that it goes through.
        let row = transformed[pass].max(2 * through);
        kernel(row, z, blocks[pass].min(p))
    };
    let working = scratch(0).max(second.saturating_add(scratch(1)));
    let chirps = kernel(lengths.iter().copied().max().unwrap_or(0), z, 2);
    let chirps = if sharing.chirps.iter().flatten().any(|&through| through > 0) { chirps } else { 0 };
    sum([given, copies, working, handles, between_units, tables, chirps, p * node])
}

fn sum<const K: usize>(parts: [u64; K]) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

/// The tables of a row kernel.
fn table(points: usize, point: u64) -> u64 {
    (points as u64 * point).saturating_mul(if has_small_factors(points) { 2 } else { 15 })
}

/// The scratch of row kernels at work, one a node.
fn kernel(points: usize, point: u64, at_work: u64) -> u64 {
    (points as u64 * point).saturating_mul(at_work)
}

/// Whether a row kernel of this length needs no longer one.
fn has_small_factors(mut points: usize) -> bool {
    for factor in [2, 3, 5, 7, 11, 13] {
        while points > 0 && points.is_multiple_of(factor) {
            points /= factor;
        }
    }
    points <= 1
}

/// The bytes that can be had without swapping: of the computer, and of the control group that the process is
/// in. Where the system does not tell, as many as there can be.
pub fn available() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else { return u64::MAX };
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(group)
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
