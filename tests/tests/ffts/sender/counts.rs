//! The exact counters, compared with formulas of N, B and P. The expected values are derived here
//! independently from the protocol, by counting per thread and stage instead of by closed form.

use earth_fft::Precision;
use earth_kernels::Direction;
use earth_tests::{machines, noise, powers, sender};

use crate::alike::{Counts, counts};

/// Returns the counts of one transform, summed thread by thread.
fn expected(points: usize, block: usize, nodes: usize, point_bytes: usize) -> Counts {
    let threads = points / block;
    let block_bytes = (block * point_bytes) as u64;
    let [mut fibers, mut invokes, mut signals, mut moves, mut bytes, mut sent] = [0; 6];
    let parts = nodes.min(threads);
    for part in 0..parts {
        // A part is invoked, sends the addresses of its threads, receives those of their mates, and sends its
        // points home.
        invokes += 1;
        fibers += 4;
        signals += 3;
        sent += 4 * u64::from(part != 0);
    }
    for thread in 0..threads {
        // The part gets the thread's block and invokes the thread with it. The thread sends its addresses to
        // the part.
        invokes += 1;
        bytes += 2 * block_bytes;
        fibers += 1;
        signals += 1;
        // The thread gets its targets.
        fibers += 1;
        signals += 1;
        let mut distance = threads / 2;
        while distance > 0 {
            // The thread produces for its mate and consumes the mate's block.
            fibers += 2;
            signals += 2;
            moves += 1;
            bytes += block_bytes;
            sent += u64::from((thread ^ distance) % nodes != thread % nodes);
            distance /= 2;
        }
        // The thread transforms its block and passes it to the part, which sends it home.
        fibers += 1;
        signals += 1;
        bytes += 2 * block_bytes;
    }
    // The main function distributes, connects and reorders; then the run gets its value.
    fibers += 3;
    signals += 1;
    bytes += (points * point_bytes) as u64;
    let frames = (threads + parts) as u64 + 1;
    [fibers, invokes, signals, moves, bytes, sent, frames]
}

fn counts_are_exact<T: Precision>(nodes: usize) {
    for mut named in machines(nodes, &[1]) {
        for points in powers(256) {
            for block in powers(points) {
                let done =
                    sender(&mut named.machine, noise::<T>(points, 1), block, Direction::Forward).unwrap();
                let expected = expected(points, block, nodes, 2 * size_of::<T>());
                assert_eq!(counts(&done.counters), expected, "{points} points by {block}, {}", named.name);
            }
        }
    }
}

#[test]
fn they_follow_the_protocol() {
    for nodes in [1, 3, 4] {
        counts_are_exact::<f64>(nodes);
    }
    counts_are_exact::<f32>(8);
}

/// Compares with the closed forms in the program's module docs.
#[test]
fn the_closed_forms_agree() {
    for points in powers(4096) {
        for block in powers(points) {
            for nodes in [1, 2, 3, 4, 6, 8, 64] {
                let (m, n) = ((points / block) as u64, points as u64);
                let (s, q) = (u64::from(m.trailing_zeros()), nodes.min(m));
                let remote = (0..s).filter(|s| !(m >> (s + 1)).is_multiple_of(nodes)).count() as u64;
                let forms = [
                    m * (2 * s + 3) + 4 * q + 3,
                    m + q,
                    m * (2 * s + 3) + 3 * q + 1,
                    m * s,
                    n * 16 * (s + 5),
                    4 * (q - 1) + m * remote,
                    m + q + 1,
                ];
                assert_eq!(forms, expected(points, block, nodes as usize, 16));
                if nodes.is_power_of_two() {
                    assert_eq!(remote, u64::from(q.trailing_zeros()));
                }
            }
        }
    }
}

#[test]
fn the_phases_are_the_time() {
    for mut named in machines(2, &[1]) {
        let done = sender(&mut named.machine, noise::<f64>(1024, 1), 16, Direction::Forward).unwrap();
        let phases = done.phases;
        let parts = [phases.setup(), phases.multithreaded(), phases.gathering(), phases.reordering()];
        assert_eq!(parts.iter().sum::<std::time::Duration>(), phases.total());
        assert!(phases.total() <= done.elapsed, "{phases:?} of {:?}", done.elapsed);
        assert!(named.clock.allows(&parts), "{}: {phases:?}", named.name);
    }
}
