//! The FFTs by stages, with and without barriers. Every machine gives the bits of one thread, whose result is
//! compared with the definition. Also their counts and phases, and phantoms.

use std::num::NonZeroUsize;
use std::time::Duration;

use earth::Machine;
use earth_fft::{Precision, Problem};
use earth_kernels::{Direction, RadixFactors, RadixOrder, bound, dft, inverse_dft, relative_error, scale};
use earth_papers::Stages;
use earth_tests::{BOTH, bits, by_stages, machines, noise, on};
use num_complex::Complex;

use crate::alike::{Counts, counts, everywhere};

/// Returns the solvers and their radices.
fn radices() -> [(Stages, usize); 4] {
    [(Stages::radix_2(), 2), (Stages::radix_2_local(), 2), (Stages::radix_4(), 4), (Stages::radix_8(), 8)]
}

/// Returns sizes and blocks: every block of up to 16 points, and one block of more points with a middle
/// number of threads.
fn sizes(radix: usize) -> impl Iterator<Item = (usize, usize)> {
    let powers = move |from: u32| (from..8).map(move |power| radix.pow(power)).take_while(|&n| n <= 128);
    let all = powers(1).flat_map(move |points| powers(0).map(move |block| (points, block)));
    all.filter(move |&(points, block)| {
        let threads = points / radix / block;
        threads > 0 && (points <= 16 || points >= 64 && matches!(threads, 8 | 16))
    })
}

/// Computes the transform in one thread, and checks it against the definition.
fn model<T: Precision>(radix: usize, direction: Direction, signal: &[Complex<T>]) -> Vec<Complex<T>> {
    let n = signal.len();
    let order = RadixOrder::new(n, radix, n / radix).unwrap();
    let mut points = signal.to_vec();
    order.reverse(signal, &mut points);
    order.transform_own(&mut points, RadixFactors::new(order, direction).with(&[]));
    let expected = if direction == Direction::Inverse {
        scale(&mut points, T::of(1.0 / n as f64));
        inverse_dft(signal)
    } else {
        dft(signal)
    };
    let error = relative_error(&points, &expected);
    assert!(error <= bound::<T>(n), "{n} points of radix {radix}, {direction:?}: {error:e}");
    points
}

/// One transform, and its expected bits.
struct Case<T> {
    solver: Stages,
    block: usize,
    direction: Direction,
    signal: Vec<Complex<T>>,
    expected: Vec<[u64; 2]>,
}

impl<T: Precision> Case<T> {
    fn check(&self, machine: &mut Machine, name: &str) {
        let Self { solver, block, direction, signal, expected } = self;
        let found = by_stages(machine, solver.clone(), signal.clone(), *block, *direction);
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        let points = signal.len();
        assert_eq!(
            &bits(&found.spectrum),
            expected,
            "{solver:?}, {points} by {block}, {direction:?}, {name}"
        );
        assert_eq!(found.counts.half_butterflies, (points * points.ilog2() as usize) as u64);
    }
}

fn the_bits_are_the_models<T: Precision>(nodes: usize) {
    let mut cases = Vec::new();
    for (solver, radix) in radices() {
        for (number, (points, block)) in sizes(radix).enumerate() {
            let signal = noise::<T>(points, points as u64);
            for direction in BOTH {
                // One direction runs with barriers and the other without, in turns.
                let barriers = (direction == Direction::Inverse) == number.is_multiple_of(2);
                let (solver, signal) = (solver.clone().barriers(barriers), signal.clone());
                let expected = bits(&model(radix, direction, &signal));
                cases.push(Case { solver, block, direction, signal, expected });
            }
        }
    }
    everywhere(nodes, &[1], &cases, Case::check);
}

#[test]
fn on_one_node() {
    the_bits_are_the_models::<f64>(1);
}

#[test]
fn on_two_nodes() {
    the_bits_are_the_models::<f32>(2);
}

#[test]
fn on_three_nodes() {
    the_bits_are_the_models::<f64>(3);
}

/// Returns the counts of one transform, summed thread by thread and block by block.
fn expected(order: RadixOrder, near: usize, nodes: usize, barriers: bool) -> Counts {
    let point_bytes = 16;
    let block_bytes = (order.block() * point_bytes) as u64;
    let (radix, threads) = (order.radix(), order.threads());
    let [mut fibers, mut invokes, mut signals, mut moves, mut bytes, mut sent] = [0; 6];
    let parts = nodes.min(threads);
    for part in 0..parts {
        invokes += 1;
        fibers += 4;
        signals += 3;
        sent += 4 * u64::from(part != 0);
    }
    for thread in 0..threads {
        // The thread gets its points through the part, sends its addresses and gets its targets. Its blocks
        // go home through the part.
        invokes += 1;
        fibers += 2;
        signals += 3;
        bytes += 4 * radix as u64 * block_bytes;
        // The handle of the local factors counts with their bytes.
        bytes += (near * point_bytes) as u64;
        // In stage `s` butterflies take points that are `radix` to the power of `s` apart.
        let mut apart = 1;
        for _ in 1..=order.rounds() {
            fibers += 1;
            signals += 1;
            for m in 0..radix {
                // The block's number, and the butterfly that takes it next.
                let block = thread / apart * apart * radix + thread % apart + m * apart;
                let taker = block / (apart * radix * radix) * (apart * radix) + block % (apart * radix);
                fibers += 1;
                signals += 2;
                moves += 1;
                bytes += block_bytes;
                sent += u64::from(taker % nodes != thread % nodes);
            }
            apart *= radix;
        }
    }
    if barriers {
        let rounds = u64::from(order.rounds());
        // Each thread reports and is signaled at the barrier, instead of signaling itself. Parts do the same.
        signals += rounds * (threads + 2 * parts) as u64;
        fibers += rounds * (2 * parts as u64 + 1);
        sent += rounds * 2 * (parts as u64 - 1);
    }
    fibers += 3;
    signals += 1;
    bytes += (order.points() * point_bytes) as u64;
    let frames = (threads + parts) as u64 + 1;
    [fibers, invokes, signals, moves, bytes, sent, frames]
}

#[test]
fn counts_follow_the_protocol() {
    for nodes in [1, 3] {
        for named in &mut machines(nodes, &[3]) {
            for (solver, radix) in radices() {
                for (points, block) in sizes(radix).filter(|&(points, _)| points > 8) {
                    for barriers in [false, true] {
                        let (machine, solver) = (&mut named.machine, solver.clone().barriers(barriers));
                        let near = solver == Stages::radix_2_local().barriers(barriers);
                        let signal = noise::<f64>(points, 1);
                        let done = by_stages(machine, solver, signal, block, Direction::Forward);
                        let order = RadixOrder::new(points, radix, block).unwrap();
                        let counted = counts(&done.unwrap().counters);
                        let near = if near { order.factors(6) } else { 0 };
                        let expected = expected(order, near, nodes, barriers);
                        assert_eq!(counted, expected, "{points} by {block}, {barriers}, {}", named.name);
                    }
                }
            }
        }
    }
}

/// Compares with the closed forms in the program's module docs.
#[test]
fn the_closed_forms_agree() {
    for (_, radix) in radices() {
        for (points, block) in sizes(radix) {
            for nodes in [1, 3, 8, 64] {
                let order = RadixOrder::new(points, radix, block).unwrap();
                let [m, n, r] = [order.threads(), points, radix].map(|count| count as u64);
                let (e, q) = (u64::from(order.rounds()), (nodes as u64).min(m));
                for barriers in [false, true] {
                    let [fibers, invokes, signals, moves, bytes, sent, ..] =
                        expected(order, 0, nodes, barriers);
                    let more = if barriers { [e * (2 * q + 1), e * (m + 2 * q)] } else { [0; 2] };
                    assert_eq!(fibers, m * (2 + e * (r + 1)) + 4 * q + 3 + more[0]);
                    assert_eq!(signals, m * (3 + e * (2 * r + 1)) + 3 * q + 1 + more[1]);
                    assert_eq!([invokes, moves, bytes], [m + q, m * e * r, n * 16 * (e + 5)]);
                    if nodes == 1 {
                        assert_eq!(sent, 0);
                    }
                }
            }
        }
    }
}

#[test]
fn the_reversal_is_timed_apart() {
    for named in &mut machines(2, &[1]) {
        let done = by_stages(
            &mut named.machine,
            Stages::radix_2().barriers(true),
            noise::<f64>(1024, 1),
            16,
            Direction::Forward,
        );
        let done = done.unwrap();
        let phases = done.phases;
        let parts = [phases.setup(), phases.multithreaded(), phases.gathering(), phases.reordering()];
        assert_eq!(parts.iter().sum::<Duration>(), phases.total());
        assert!(phases.total() <= done.elapsed, "{phases:?} of {:?}", done.elapsed);
        assert!(named.clock.allows(&parts), "{}: {phases:?}", named.name);
    }
}

/// Without a barrier, threads wait only for their own points, so they start earlier.
#[test]
fn without_barriers_virtual_time_is_less_and_phantoms_take_as_much() {
    let machine = || Machine::simulated(&earth_tests::manna50()).nodes(8);
    let cycles = |barriers| {
        let (solver, mut machine) = (Stages::radix_4().barriers(barriers), machine());
        let signal = noise::<f64>(1024, 1);
        let done = by_stages(&mut machine, solver.clone(), signal, 4, Direction::Forward).unwrap();
        let planner =
            on(&machine, earth_papers::planner().with(solver.block(NonZeroUsize::new(4))).phantom());
        let plan = planner.plan::<f64>(&Problem::complex(&[1024])).unwrap();
        let phantom = plan.run_phantom_on(&mut machine).unwrap();
        assert_eq!((phantom.cycles, phantom.counters), (done.cycles, done.counters));
        done.cycles.unwrap()
    };
    let [without, with] = [false, true].map(cycles);
    assert!(without < with, "{without} cycles without barriers, {with} with them");
}
