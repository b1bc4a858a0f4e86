//! The memory that a transform needs, worked out from its sizes before anything is allocated, and the memory that
//! there is.
//!
//! The need is the most that is allocated at once: the samples in hand, what the program makes of them, its
//! tables, and the machine. The counts follow from the programs (arrays of N points, cells, frames, asks);
//! bytes per thread, ask and node are the runtime's, found by counting allocations, and a test holds them to
//! what is counted now: the peak is within 10% of the need.
//!
//! *When it is more than the truth.* Row kernels whose length has a prime factor above 13 are planned
//! through longer ones, and how much that takes (8 to 17 arrays) is known only after planning: the need is
//! then the most. In DUAL parts of more points than a queue holds may keep their writes for a while; the
//! need counts all of them.

use std::array;

use super::choice::Choice;
use super::matrix::{Sharing, default_rows};
use crate::dataflow::receiver::Asking;
use crate::request::Config;

/// The bytes of a node's queues and its unit (SPN).
const NODE: u64 = 139_500;
/// The bytes of a node's queues and its two units (DUAL).
const NODE_OF_TWO: u64 = 215_000;

/// The number of events that a queue between units takes; in DUAL more of them are kept aside.
const QUEUE: u64 = 1024;
/// The bytes of an event kept aside.
const KEPT: u64 = 94;
/// The bytes of a tile's event kept aside.
const KEPT_TILE: u64 = 156;
/// The bytes of a tile that waits in the run queue of an execution unit (DUAL).
const WAITING_TILE: u64 = 100;

/// The bytes that tiles take, beside their elements, on their way between the units of DUAL nodes.
fn between_units(config: Config, tiles: u64, nodes: u64) -> u64 {
    let kept = if tiles > nodes * QUEUE { tiles * KEPT_TILE } else { 0 };
    if config == Config::Dual { kept + tiles.min(nodes * QUEUE) * WAITING_TILE } else { 0 }
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
            // A frame with a slot and an inlet a stage, targets with an address a stage; in DUAL its events.
            let stages = u64::from(threads.trailing_zeros());
            let thread = 1279 + 129 * stages + if config == Config::Dual { 230 } else { 0 };
            sum([arrays, kernel, threads.saturating_mul(thread), nodes as u64 * node])
        }
        Choice::Receiver { nodes, asking } => {
            let (p, levels) = (nodes as u64, u64::from(nodes.trailing_zeros()));
            let share = n / p;
            let kept = if asking == Asking::Tree { 1 } else { levels.max(1) };
            let cells = n.saturating_mul(64 * kept);
            // Either the row kernels are at work, or the roots that are asked for at a time lead to asks.
            let local = share.saturating_mul(z);
            let roots = (512 / p).clamp(1, share) * p;
            let asks_of_others = if config == Config::Dual { 823 - 4 * p } else { 663 - p * 3 / 2 };
            let asks = roots
                * if asking == Asking::Tree { 700 + asks_of_others * (p - 1) } else { 350 + 870 * levels };
            // In DUAL the more asks are kept the more nodes they go to.
            let asks = if config == Config::Dual { asks + asks * p / 190 } else { asks };
            let kept_writes =
                if config == Config::Dual && share > QUEUE { n.saturating_mul(KEPT) } else { 0 };
            let arrays = array.saturating_mul(3) / 2 + share.saturating_mul(2 * z);
            sum([arrays, cells, local.max(asks), kept_writes, p * node])
        }
        Choice::Matrix { rows, cols, nodes, block } => {
            let p = nodes as u64;
            let sides = [rows, cols];
            let blocks =
                sides.map(|side| side.div_ceil(block.unwrap_or_else(|| default_rows(side, nodes))) as u64);
            let tiles = blocks[0].saturating_mul(blocks[1]);
            // In place, or a second matrix; its tiles have handles and inlets on both sides.
            let (arrays, tile) = if rows == cols { (1, 170) } else { (2, 345) };
            // Rows of the one matrix are as long as the other one has. A node makes its rows of the second
            // one after it has transformed those of the first.
            let kernels = [kernel(cols, z, blocks[0].min(p)), kernel(rows, z, blocks[1].min(p))];
            let second = array.saturating_mul(arrays - 1);
            let working = kernels[0].max(second.saturating_add(kernels[1]));
            let tables = table(rows, z) + if rows == cols { 0 } else { table(cols, z) };
            let kept_writes = between_units(config, tiles, p);
            let handles = sum([tiles.saturating_mul(tile), (blocks[0] + blocks[1]) * 750 * arrays]);
            sum([array, working, tables, handles, kept_writes, p * node])
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
    let kept_writes = between_units(config, tiles, p);
    let in_place = sharing.is_in_place(sides);
    let (tile, block) = if in_place { (170, 750) } else { (345, 1500) };
    // The second matrix, if there is one.
    let second = of_groups(1).filter(|_| !in_place).fold(0u64, |sum, (bytes, _)| sum.saturating_add(bytes));
    let handles = tiles.saturating_mul(tile) + (blocks[0] + blocks[1]) * block;

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
    sum([given, copies, working, handles, kept_writes, tables, chirps, p * node])
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
