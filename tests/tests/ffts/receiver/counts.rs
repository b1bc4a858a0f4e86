//! The exact counters. The expected values are derived here independently from the protocol: node by node,
//! level by level, path by path.

use std::num::NonZeroUsize;

use earth::Counters;
use earth_fft::{Plan, Precision, Problem};
use earth_kernels::Direction;
use earth_papers::Receiver;
use earth_papers::receiver::RequestMode;
use earth_tests::{machines, noise, powers, receiver, receiver_by};

use super::everywhere::ASKINGS;

/// Counts the requests that follow from one request for a point of `level`, by following them. Each request
/// also counts the half butterfly that it leads to.
fn asks_of_a_path(level: u32) -> (u64, u64) {
    if level == 0 {
        return (0, 0);
    }
    let (requests, half_butterflies) = asks_of_a_path(level - 1);
    (2 + 2 * requests, 1 + 2 * half_butterflies)
}

/// Returns the counts of one transform, and its requests and half butterflies.
fn expected(points: usize, nodes: usize, asking: RequestMode, point_bytes: usize) -> ([u64; 8], [u64; 2]) {
    let (n, p, levels) = (points as u64, nodes as u64, nodes.trailing_zeros());
    let (requests, half_butterflies) = match asking {
        RequestMode::Tree | RequestMode::Tokens => {
            let (requests, half_butterflies) = asks_of_a_path(levels);
            (n * requests, n * half_butterflies)
        }
        // Each point of each level above the lowest one makes two requests and is computed once.
        RequestMode::Shared => (0..levels).fold((0, 0), |(requests, half), _| (requests + 2 * n, half + n)),
    };
    // One function starts the parts, and a function on every other node broadcasts the addresses.
    let setup = 1 + (p - 1);
    let invokes = p + setup + n + requests;
    // Each part has start, begin, collect, end. Requests and roots have a start; a request with operands also
    // combines. The main function has three fibers, the starter two, and each function of the broadcast one.
    let fibers = p * 4 + n + requests + half_butterflies + 3 + 2 + (p - 1);
    // Each part gets its addresses, the net, its results and its dismissal; all addresses are sent as one.
    // Each request and each root is answered, and the run gets its value.
    let signals = 4 * p + 1 + n + requests + 1;
    let frames = 1 + 1 + p + half_butterflies;
    // The points move four times: to the starter, to the parts, home, and as the value of the run.
    let bytes = 4 * n * point_bytes as u64;
    ([fibers, invokes, signals, 0, bytes, frames, frames, 0], [requests, half_butterflies])
}

fn found(counters: &Counters) -> [u64; 8] {
    let Counters { fibers, invokes, signals, block_moves, bytes_moved, frames, frames_ended, .. } = *counters;
    let none = counters.tokens + counters.tokens_stolen + counters.parked;
    [fibers, invokes, signals, block_moves, bytes_moved, frames, frames_ended, none]
}

fn counts_are_exact<T: Precision>(nodes: usize, most: usize) {
    for mut named in machines(nodes, &[1, 2]) {
        for points in powers(most).filter(|&points| points >= nodes) {
            for asking in ASKINGS {
                let signal = noise::<T>(points, 1);
                let done = receiver(&mut named.machine, signal, asking, Direction::Forward).unwrap();
                let (counts, work) = expected(points, nodes, asking, 2 * size_of::<T>());
                assert_eq!(found(&done.counters), counts, "{points} points, {asking:?}, {}", named.name);
                assert_eq!(
                    [done.counts.requests, done.counts.half_butterflies],
                    work,
                    "{points} points, {asking:?}"
                );
            }
        }
    }
}

#[test]
fn they_follow_the_protocol() {
    for nodes in [1, 2, 4] {
        counts_are_exact::<f64>(nodes, 512);
    }
    counts_are_exact::<f32>(8, 128);
    counts_are_exact::<f64>(64, 64);
}

/// Compares with the closed forms in the program's module docs: the paper's Eq. 4, and its butterflies if
/// points are shared.
#[test]
fn the_closed_forms_agree() {
    for points in powers(1 << 14) {
        for nodes in powers(64).filter(|&nodes| nodes <= points) {
            let (n, p, levels) = (points as u64, nodes as u64, u64::from(nodes.trailing_zeros()));
            assert_eq!(expected(points, nodes, RequestMode::Tree, 16).1, [2 * (p - 1) * n, (p - 1) * n]);
            assert_eq!(expected(points, nodes, RequestMode::Shared, 16).1, [2 * n * levels, n * levels]);
        }
    }
}

/// The counts do not depend on the number of roots that are requested at a time.
#[test]
fn fewer_roots_at_a_time_make_the_same_counts() {
    for (nodes, points) in [(1, 8), (4, 64)] {
        for mut named in machines(nodes, &[1]) {
            for (asking, roots) in
                ASKINGS.into_iter().flat_map(|asking| [1, 3, 8].map(|roots| (asking, roots)))
            {
                let signal = noise::<f64>(points, 1);
                let machine = &mut named.machine;
                let done = receiver_by(machine, signal, asking, Some(roots), Direction::Forward).unwrap();
                let (counts, _) = expected(points, nodes, asking, 16);
                assert_eq!(found(&done.counters), counts, "{roots} roots, {asking:?}, {}", named.name);
            }
        }
    }
}

/// With one root at a time, a node of four has only the requests of that tree, and all requests of its mates'
/// trees, under way. This number does not depend on the number of points. With all roots at a time it is far
/// larger.
#[test]
fn fewer_roots_at_a_time_need_less_memory() {
    let needed = |roots| {
        let solver = Receiver::tree().roots(NonZeroUsize::new(roots));
        let planner = earth_papers::planner().with(solver).nodes(NonZeroUsize::new(4));
        let plan: Plan<f64> = planner.plan(&Problem::complex(&[1 << 12])).unwrap();
        plan.needed()
    };
    let [all, half, one] = [0, 512, 1].map(needed);
    assert!(all > half && half > one, "{all}, {half}, {one}");
    assert_eq!(all - half, 512 * (half - one) / 511, "as many bytes for each root");
}

#[test]
fn deferred_reads_are_few_enough_to_be_counted() {
    // A request by a mate waits at the cell if it comes first; for a request by the point itself, the point
    // is there or is computed at once. In a tree a request waits only at level 0, for the local stages of
    // another node than the first requester's.
    for mut named in machines(4, &[1, 2, 3]) {
        let run = |machine: &mut _, asking| {
            receiver(machine, noise::<f64>(256, 1), asking, Direction::Forward).unwrap().counters
        };
        let tree = run(&mut named.machine, RequestMode::Tree).deferred_reads;
        assert!(
            tree <= 256 * 3,
            "{tree} of the 256 trees have three leaves each that may wait, {}",
            named.name
        );
        let shared = run(&mut named.machine, RequestMode::Shared).deferred_reads;
        assert!(
            shared <= 256 * 2,
            "{shared} of the 256 points of levels 0 and 1 have a reader each that may wait"
        );
    }
}

#[test]
fn the_phases_are_the_time() {
    for mut named in machines(2, &[1]) {
        for asking in ASKINGS {
            let signal = noise::<f64>(1024, 1);
            let done = receiver(&mut named.machine, signal, asking, Direction::Forward).unwrap();
            let phases = done.phases;
            let first = [phases.setup(), phases.local(), phases.multithreaded()];
            let parts = [&first[..], &[phases.gathering(), phases.reordering()]].concat();
            assert_eq!(parts.iter().sum::<std::time::Duration>(), phases.total());
            assert!(phases.total() <= done.elapsed, "{phases:?} of {:?}", done.elapsed);
            assert!(named.clock.allows(&parts), "{}: {phases:?}", named.name);
        }
    }
}
