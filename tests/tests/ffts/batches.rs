//! Batches on every machine and in random schedules. Each array is compared with the definition, and the
//! counters with the protocol.

use std::num::NonZeroUsize;

use earth::Machine;
use earth_fft::solvers::Batch;
use earth_fft::{Complex, Direction, Layout, Norm, PlanError, Planner, Precision, Problem, Why};
use earth_kernels::{bound, relative_error};
use earth_tests::{BOTH, machines, noise};

use crate::alike::{Counts, counts, schedules};
use crate::two_pass::tall::definition;

fn planner(nodes: usize, block: usize) -> Planner {
    let nodes = NonZeroUsize::new(nodes).unwrap();
    Planner::new().with(Batch::new().block(NonZeroUsize::new(block))).nodes(nodes)
}

/// Returns the definition of each array.
fn each<T: Precision>(lengths: &[usize], points: &[Complex<T>], direction: Direction) -> Vec<Complex<f64>> {
    let n = lengths.iter().product();
    points.chunks(n).flat_map(|array| definition(lengths, array, direction)).collect()
}

/// Returns the first half of the points in the last dimension.
fn half(lengths: &[usize], points: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let last = lengths[lengths.len() - 1];
    points.chunks(last).flat_map(|line| &line[..=last / 2]).copied().collect()
}

fn narrow<T: Precision>(points: &[Complex<f64>]) -> Vec<Complex<T>> {
    points.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect()
}

fn as_points<T: Precision>(numbers: &[T]) -> Vec<Complex<T>> {
    numbers.iter().copied().map(Complex::from).collect()
}

fn close<T: Precision>(found: &[Complex<T>], expected: &[Complex<f64>], n: usize, what: &str) {
    let error = relative_error(found, expected);
    assert!(found.len() == expected.len() && error <= bound::<T>(n), "{what}: {error}");
}

/// Tests points in both directions, and real numbers in both directions.
fn are_the_definition<T: Precision>(
    machine: &mut Machine,
    planner: &Planner,
    (lengths, batch): (&[usize], usize),
    told: &str,
) {
    let n = lengths.iter().product::<usize>();
    let input = noise::<T>(n * batch, 2);
    for direction in BOTH {
        let problem = Problem::complex(lengths).batch(batch).direction(direction);
        let plan = planner.plan::<T>(&problem).unwrap();
        assert_eq!(plan.algorithm(), "batch");
        let found = plan.run_on(machine, input.clone()).unwrap().output.into_vec();
        close(&found, &each(lengths, &input, direction), n, &format!("{plan}, {told}"));
    }
    let numbers: Vec<_> = input.iter().map(|x| x.re).collect();
    let spectra = half(lengths, &each(lengths, &as_points(&numbers), Direction::Forward));
    let plan = planner.plan_real_to_complex::<T>(&Problem::real_to_complex(lengths).batch(batch)).unwrap();
    let found = plan.run_on(machine, numbers.clone()).unwrap().output.into_vec();
    close(&found, &spectra, n, &format!("{plan}, {told}"));
    let plan = planner.plan_complex_to_real::<T>(&Problem::complex_to_real(lengths).batch(batch)).unwrap();
    let found = plan.run_on(machine, narrow(&spectra)).unwrap().output.into_vec();
    let exact: Vec<_> = numbers.iter().map(|x| Complex::from(x.widen())).collect();
    close(&as_points(&found), &exact, n, &format!("{plan}, {told}"));
}

const BATCHES: [(&[usize], usize); 10] = [
    (&[1], 7),
    (&[16], 100),
    (&[7], 2),
    (&[30], 33),
    (&[64], 9),
    (&[300], 5),
    (&[6, 10], 4),
    (&[9, 5], 11),
    (&[4, 3, 6], 3),
    (&[64], 1),
];

#[test]
fn every_machine_comes_to_the_definition() {
    for nodes in [1, 2, 3, 8] {
        for (number, mut named) in machines(nodes, &[nodes as u64]).into_iter().enumerate() {
            // Each machine transforms a third of the batches.
            for (turn, batch) in BATCHES.into_iter().enumerate().filter(|(turn, _)| turn % 3 == number % 3) {
                let planner = planner(nodes, if turn % 2 == 0 || batch.1 < 3 { 0 } else { 3 });
                are_the_definition::<f64>(&mut named.machine, &planner, batch, &named.name);
                are_the_definition::<f32>(&mut named.machine, &planner, batch, &named.name);
            }
        }
    }
}

#[test]
fn random_schedules_come_to_the_definition() {
    for (mut machine, name) in schedules(40) {
        let planner = planner(machine.node_count(), 2);
        are_the_definition::<f64>(&mut machine, &planner, (&[12, 3], 7), &name);
    }
}

/// Calls on the caller's arrays: in place and out of place, with gaps between arrays and in them, and with
/// padded numbers. Elements in gaps stay unchanged.
#[test]
fn nodes_transform_the_callers_arrays() {
    let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
    for (lengths, batch, strides, distance) in [
        (&[20][..], 9, &[1][..], 20),
        (&[20], 9, &[1], 27),
        (&[6, 10], 5, &[10, 1], 60),
        (&[6, 10], 5, &[13, 1], 80),
        (&[2, 3, 5], 4, &[40, 7, 1], 90),
    ] {
        let (n, layout) = (lengths.iter().product::<usize>(), layout(strides, distance));
        let problem = Problem::complex(lengths).batch(batch).layout(layout).norm(Norm::Ortho);
        let plan = planner(3, 0).plan::<f64>(&problem).unwrap();
        let places: Vec<_> = (0..batch * n)
            .map(|at| {
                let (mut rest, mut place) = (at % n, at / n * distance);
                for (length, stride) in lengths.iter().zip(strides).rev() {
                    place += rest % length * stride;
                    rest /= length;
                }
                place
            })
            .collect();
        let end = places.iter().max().unwrap() + 1;
        let signal = noise::<f64>(end, 1);
        let points: Vec<_> = places.iter().map(|&at| signal[at]).collect();
        let factor = 1.0 / (n as f64).sqrt();
        let expected: Vec<_> =
            each(lengths, &points, Direction::Forward).iter().map(|x| x * factor).collect();
        let check = |found: &[Complex<f64>], before: &[Complex<f64>]| {
            let transformed: Vec<_> = places.iter().map(|&at| found[at]).collect();
            close(&transformed, &expected, n, &plan.to_string());
            for at in (0..end).filter(|at| !places.contains(at)) {
                assert_eq!(found[at], before[at], "{plan}\nat {at}");
            }
        };
        let mut here = signal.clone();
        plan.process(&mut here).unwrap();
        check(&here, &signal);
        let before = noise::<f64>(end, 3);
        let mut there = before.clone();
        plan.process_out_of_place(&signal, &mut there).unwrap();
        check(&there, &before);
    }
    for (lengths, batch) in [(&[12][..], 5), (&[7], 6), (&[4, 9], 3)] {
        let last = lengths[lengths.len() - 1];
        let (n, padded) = (lengths.iter().product::<usize>(), 2 * (last / 2 + 1));
        let numbers: Vec<f64> = noise::<f64>(n * batch, 1).iter().map(|x| x.re).collect();
        let spectra = half(lengths, &each(lengths, &as_points(&numbers), Direction::Forward));
        let there = Problem::real_to_complex(lengths).padded().batch(batch);
        let mut data: Vec<_> = numbers
            .chunks(last)
            .flat_map(|line| line.iter().copied().chain(vec![9.0; padded - last]))
            .collect();
        planner(2, 0).plan_real_to_complex::<f64>(&there).unwrap().process_padded(&mut data).unwrap();
        let points: Vec<_> = data.chunks(2).map(|x| Complex::new(x[0], x[1])).collect();
        close(&points, &spectra, n, "padded");
        let back = Problem::complex_to_real(lengths).padded().batch(batch);
        planner(2, 0).plan_complex_to_real::<f64>(&back).unwrap().process_padded(&mut data).unwrap();
        let found: Vec<_> = data.chunks(padded).flat_map(|line| line[..last].to_vec()).collect();
        let exact: Vec<_> = numbers.iter().copied().map(Complex::from).collect();
        close(&as_points(&found), &exact, n, "padded, back");
    }
}

/// Returns the counters of the documentation, with the bytes that move.
fn counted(blocks: usize, nodes: usize, bytes: usize) -> Counts {
    let i = blocks as u64;
    let away = (0..blocks).filter(|block| block * nodes / blocks != 0).count() as u64;
    [i + 2, i, 2 * i + 1, i, bytes as u64, 3 * away, 1]
}

#[test]
fn the_counters_follow_the_protocol() {
    for nodes in [1, 2, 3, 8] {
        for mut named in machines(nodes, &[1, 2]) {
            for (lengths, batch, block) in [(&[16][..], 9, 2), (&[5, 4], 4, 1), (&[30], 3, 3)] {
                let n = batch * lengths.iter().product::<usize>();
                let blocks = batch.div_ceil(block);
                let (planner, machine) = (planner(nodes, block), &mut named.machine);
                let problem = Problem::complex(lengths).batch(batch);
                let plan = planner.plan::<f64>(&problem).unwrap();
                let run = plan.run_on(machine, noise(n, 1)).unwrap();
                assert_eq!(counts(&run.counters), counted(blocks, nodes, 3 * n * 16), "{}", named.name);
                assert!(plan.to_string().contains(&format!(" {} bytes moved", 3 * n * 16)), "{plan}");
                // The last dimension of a spectrum has half of the points and one more.
                let last = lengths[lengths.len() - 1];
                let points = n / last * (last / 2 + 1);
                let there = Problem::real_to_complex(lengths).batch(batch);
                let plan = planner.plan_real_to_complex::<f64>(&there).unwrap();
                let numbers = noise::<f64>(n, 1).iter().map(|x| x.re).collect();
                let run = plan.run_on(machine, numbers).unwrap();
                let bytes = 3 * points * 16 + n * 8;
                assert_eq!(counts(&run.counters), counted(blocks, nodes, bytes), "{plan}, {}", named.name);
                let back = Problem::complex_to_real(lengths).batch(batch);
                let plan = planner.plan_complex_to_real::<f64>(&back).unwrap();
                let run = plan.run_on(machine, noise(points, 1)).unwrap();
                let bytes = points * 16 + 3 * n * 8;
                assert_eq!(counts(&run.counters), counted(blocks, nodes, bytes), "{plan}, {}", named.name);
                assert!(plan.to_string().contains(&format!(" {bytes} bytes moved")), "{plan}");
            }
        }
    }
}

#[test]
fn a_planner_says_why_nodes_share_a_batch_or_not() {
    let two = Planner::new().nodes(NonZeroUsize::new(2));
    let why = |planner: &Planner, problem: &Problem| planner.plan::<f64>(problem).unwrap().why();
    assert_eq!(why(&two, &Problem::complex(&[64]).batch(8)), Why::NodesSet);
    assert_eq!(why(&two, &Problem::complex(&[4, 1, 6]).batch(2)), Why::NodesSet);
    assert_eq!(why(&Planner::new(), &Problem::complex(&[64]).batch(8)), Why::SmallBatch);
    let eight = Planner::new().nodes(NonZeroUsize::new(8));
    assert_eq!(why(&eight, &Problem::complex(&[64]).batch(7)), Why::FewArrays);
    let one = Planner::new().nodes(NonZeroUsize::new(1));
    assert_eq!(why(&one, &Problem::complex(&[64]).batch(1 << 20)), Why::OneNode);
    let columns = Problem::complex(&[8]).batch(6).layout(Layout { strides: vec![6], distance: 1 });
    assert_eq!(why(&two, &columns), Why::NoMatrix);
    let refused = planner(2, 0).plan::<f64>(&columns).map(drop);
    assert_eq!(refused, Err(PlanError::NeedsArrays));
    // A batch without arrays has no effect, and a plan takes it.
    planner(2, 0).plan::<f64>(&Problem::complex(&[8]).batch(0)).unwrap().process(&mut []).unwrap();
    let there = planner(2, 0).plan_real_to_complex::<f64>(&Problem::real_to_complex(&[8]).batch(0)).unwrap();
    there.process(&[], &mut []).unwrap();
}
