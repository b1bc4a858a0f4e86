//! Distributed transforms on machines of one process, compared with the definition and with plans of one
//! thread.

use std::num::NonZeroUsize;

use earth::simulated::Profile;
use earth::{Config, Machine};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::distribution::Distribution;
use super::{DistributedPlan, Order, Part};
use crate::kernel::own_simd;
use crate::planner::{PlanError, Planner};
use crate::problem::{ComplexToReal, Kind, Norm, Problem, RealToComplex};
use crate::{Precision, TransformError};

const ORDERS: [Order; 3] = [Order::Natural, Order::Transposed, Order::Root];
/// Orders of transforms of real numbers.
const REAL_ORDERS: [Order; 2] = [Order::Natural, Order::Transposed];

/// Returns numbers of both signs without a pattern.
fn numbers<T: Real>(count: usize) -> Vec<T> {
    let mix = |at: usize| {
        (at as u64 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(31)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9)
    };
    (0..count).map(|at| T::of((mix(at) >> 40) as f64 / f64::from(1_u32 << 24) - 0.5)).collect()
}

fn points<T: Real>(count: usize) -> Vec<Complex<T>> {
    numbers(2 * count).chunks(2).map(|parts| Complex::new(parts[0], parts[1])).collect()
}

/// Returns the elements of a part of whole arrays.
fn local<E: Copy>(whole: &[E], lengths: &[usize], part: &Part) -> Vec<E> {
    let (offsets, run) = Part::runs([&Distribution::whole(lengths).part(0), part], part);
    offsets.flat_map(|[at, _]| &whole[at..at + run]).copied().collect()
}

fn put_back<E: Copy>(whole: &mut [E], lengths: &[usize], part: &Part, elements: &[E]) {
    let (offsets, run) = Part::runs([&Distribution::whole(lengths).part(0), part], part);
    offsets.for_each(|[to, from]| whole[to..to + run].copy_from_slice(&elements[from..from + run]));
}

/// Returns the lengths of a batch of arrays, and of their spectra.
fn lengths_of(problem: &Problem<impl Kind>) -> [Vec<usize>; 2] {
    let all = [&[problem.shape().batch], problem.lengths()].concat();
    let mut half = all.clone();
    if problem.is_real() {
        *half.last_mut().expect("there are dimensions") = all[all.len() - 1] / 2 + 1;
    }
    [all, half]
}

/// A transform of whole arrays through the parts of all ranks.
trait Whole<T: Precision>: Kind {
    fn distributed(problem: &Problem<Self>, ranks: usize, order: Order, machine: &mut Machine) -> Vec<T>;
    fn by_one_thread(problem: &Problem<Self>) -> Vec<T>;
}

fn as_parts<T: Real>(points: &[Complex<T>]) -> Vec<T> {
    points.iter().flat_map(|point| [point.re, point.im]).collect()
}

/// Returns the points of all ranks, each with its part of the input at the beginning.
fn scattered<T: Precision, K: Kind>(
    plan: &DistributedPlan<T, K>,
    whole: &[Complex<T>],
    lengths: &[usize],
) -> Vec<Complex<T>> {
    let of = |rank| {
        let mut own = local(whole, lengths, &plan.local_input(rank));
        own.resize(plan.local_len(rank), Complex::from(T::of(f64::NAN)));
        own
    };
    (0..plan.ranks()).flat_map(of).collect()
}

fn gathered<T: Precision, K: Kind>(
    plan: &DistributedPlan<T, K>,
    all: &[Complex<T>],
    lengths: &[usize],
) -> Vec<T> {
    let mut whole = vec![Complex::from(T::of(f64::NAN)); lengths.iter().product()];
    let mut rest = all;
    for rank in 0..plan.ranks() {
        let (own, others) = rest.split_at(plan.local_len(rank));
        let part = plan.local_output(rank);
        put_back(&mut whole, lengths, &part, &own[..part.len()]);
        rest = others;
    }
    as_parts(&whole)
}

impl<T: Precision> Whole<T> for crate::ComplexToComplex {
    fn distributed(problem: &Problem, ranks: usize, order: Order, machine: &mut Machine) -> Vec<T> {
        let plan = Planner::new().plan_distributed::<T>(problem, ranks, order).expect("it is planned");
        let [lengths, _] = lengths_of(problem);
        let whole = points(lengths.iter().product());
        let mut all = scattered(&plan, &whole, &lengths);
        plan.process_slab(machine, &mut all).expect("it runs");
        let in_place = gathered(&plan, &all, &lengths);
        let input: Vec<_> =
            (0..ranks).flat_map(|rank| local(&whole, &lengths, &plan.local_input(rank))).collect();
        let before = input.clone();
        all.fill(Complex::from(T::of(f64::NAN)));
        plan.process_slab_out_of_place(machine, &input, &mut all).expect("it runs");
        let error = relative_error(&gathered(&plan, &all, &lengths), &in_place);
        assert!(error < tolerance::<T>(), "{plan}: out of place differs by {error:e}");
        assert!(input == before, "{plan}: the input has changed");
        in_place
    }

    fn by_one_thread(problem: &Problem) -> Vec<T> {
        let mut points = points(lengths_of(problem)[0].iter().product());
        let plan = Planner::new().nodes(NonZeroUsize::MIN).plan::<T>(problem).expect("it is planned");
        plan.process(&mut points).expect("it runs");
        as_parts(&points)
    }
}

impl<T: Precision> Whole<T> for RealToComplex {
    fn distributed(problem: &Problem<Self>, ranks: usize, order: Order, machine: &mut Machine) -> Vec<T> {
        let plan = Planner::new().plan_distributed_real_to_complex::<T>(problem, ranks, order);
        let plan = plan.expect("it is planned");
        let [lengths, half] = lengths_of(problem);
        let whole: Vec<T> = numbers(lengths.iter().product());
        let input: Vec<_> =
            (0..ranks).flat_map(|rank| local(&whole, &lengths, &plan.local_input(rank))).collect();
        let mut all = vec![Complex::from(T::of(f64::NAN)); (0..ranks).map(|rank| plan.local_len(rank)).sum()];
        plan.process_slab(machine, &input, &mut all).expect("it runs");
        gathered(&plan, &all, &half)
    }

    fn by_one_thread(problem: &Problem<Self>) -> Vec<T> {
        let [lengths, half] = lengths_of(problem);
        let mut points = vec![Complex::from(T::zero()); half.iter().product()];
        let plan = Planner::new().nodes(NonZeroUsize::MIN).plan_real_to_complex::<T>(problem);
        plan.expect("it is planned")
            .process(&numbers(lengths.iter().product()), &mut points)
            .expect("it runs");
        as_parts(&points)
    }
}

impl<T: Precision> Whole<T> for ComplexToReal {
    fn distributed(problem: &Problem<Self>, ranks: usize, order: Order, machine: &mut Machine) -> Vec<T> {
        let plan = Planner::new().plan_distributed_complex_to_real::<T>(problem, ranks, order);
        let plan = plan.expect("it is planned");
        let [lengths, half] = lengths_of(problem);
        let mut all = scattered(&plan, &points(half.iter().product()), &half);
        let mut output = vec![T::of(f64::NAN); (0..ranks).map(|rank| plan.local_output(rank).len()).sum()];
        plan.process_slab(machine, &mut all, &mut output).expect("it runs");
        let mut whole = vec![T::of(f64::NAN); lengths.iter().product()];
        let mut rest = &output[..];
        for rank in 0..ranks {
            let part = plan.local_output(rank);
            let (own, others) = rest.split_at(part.len());
            put_back(&mut whole, &lengths, &part, own);
            rest = others;
        }
        whole
    }

    fn by_one_thread(problem: &Problem<Self>) -> Vec<T> {
        let [lengths, half] = lengths_of(problem);
        let mut numbers = vec![T::zero(); lengths.iter().product()];
        let plan = Planner::new().nodes(NonZeroUsize::MIN).plan_complex_to_real::<T>(problem);
        let mut points = points(half.iter().product());
        plan.expect("it is planned").process(&mut points, &mut numbers).expect("it runs");
        numbers
    }
}

/// Returns the greatest error, relative to the root mean square of the wanted elements.
fn relative_error<T: Real>(found: &[T], wanted: &[T]) -> f64 {
    let square = wanted.iter().map(|wanted| wanted.widen().powi(2)).sum::<f64>() / wanted.len() as f64;
    let error = |(found, wanted): (&T, &T)| {
        let error = (found.widen() - wanted.widen()).abs();
        if error.is_nan() { f64::INFINITY } else { error }
    };
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(error).fold(0.0, f64::max) / square.sqrt().max(f64::MIN_POSITIVE)
}

/// Returns the greatest error. Kernels without fused operations have four times the error of the others.
fn tolerance<T: Real>() -> f64 {
    match (size_of::<T>(), own_simd()) {
        (4, _) => 1e-5,
        (_, "portable") => 2e-13,
        _ => 1e-13,
    }
}

/// Compares a transform on these ranks, in each order, with the transform by one thread.
fn compare<T: Precision, K: Whole<T>>(problem: &Problem<K>, ranks: usize, machine: &mut Machine) {
    let wanted = K::by_one_thread(problem);
    let orders = if problem.is_real() { &REAL_ORDERS[..] } else { &ORDERS };
    for &order in orders {
        let error = relative_error(&K::distributed(problem, ranks, order, machine), &wanted);
        assert!(error < tolerance::<T>(), "{problem}, {ranks} ranks, {order} order: {error:e}");
    }
}

fn compare_all(lengths: &[usize], batch: usize, ranks: usize, machine: &mut Machine) {
    let complex = Problem::complex(lengths).batch(batch);
    compare::<f64, _>(&complex, ranks, machine);
    compare::<f64, _>(&complex.direction(Direction::Inverse), ranks, machine);
    compare::<f64, _>(&Problem::real_to_complex(lengths).batch(batch), ranks, machine);
    compare::<f64, _>(&Problem::complex_to_real(lengths).batch(batch), ranks, machine);
}

fn simulated(ranks: usize) -> Machine {
    Machine::simulated(&Profile::free()).nodes(ranks)
}

#[test]
fn matrices_of_all_small_sides_are_transformed_on_up_to_eight_ranks() {
    for ranks in [1, 2, 3, 4, 8] {
        let mut machine = simulated(ranks);
        for (rows, cols) in (1..=24).flat_map(|rows| (1..=24).map(move |cols| (rows, cols))) {
            // Each pair of sides on some number of ranks, and the smallest on all of them.
            if rows * cols <= 16 || (rows * 7 + cols) % 5 == ranks % 5 {
                compare_all(&[rows, cols], 1, ranks, &mut machine);
            }
        }
    }
}

#[test]
fn arrays_of_three_dimensions_are_transformed_by_slabs_and_pencils() {
    for ranks in [1, 2, 3, 4, 6, 8, 16] {
        let mut machine = simulated(ranks);
        for lengths in
            [[4, 6, 5], [7, 1, 9], [1, 5, 8], [3, 4, 1], [8, 8, 8], [2, 13, 11], [17, 3, 2], [1, 1, 7]]
        {
            compare_all(&lengths, 1, ranks, &mut machine);
        }
    }
}

#[test]
fn pencils_on_few_ranks_have_the_spectrum_of_slabs() {
    for (lengths, ranks) in [([8, 8, 8], 4), ([7, 6, 9], 6), ([5, 4, 3], 3)] {
        let problem = Problem::complex(&lengths);
        let [lengths, _] = lengths_of(&problem);
        for order in ORDERS {
            let plan = Planner::new().plan_distributed_by_pencils::<f64>(&problem, ranks, order);
            let plan = plan.expect("it is planned");
            let mut all = scattered(&plan, &points(lengths.iter().product()), &lengths);
            plan.process_slab(&mut Machine::threads(ranks), &mut all).expect("it runs");
            let error =
                relative_error(&gathered(&plan, &all, &lengths), &Whole::<f64>::by_one_thread(&problem));
            assert!(error < 1e-13, "{plan}, {order}: {error:e}");
        }
    }
}

#[test]
fn batches_are_transformed_array_by_array() {
    for ranks in [2, 5] {
        let mut machine = simulated(ranks);
        compare_all(&[6, 7], 3, ranks, &mut machine);
        compare_all(&[3, 4, 5], 2, ranks, &mut machine);
        compare_all(&[2, 2, 3], 4, ranks, &mut machine);
    }
}

#[test]
fn single_precision_and_all_norms() {
    let mut machine = simulated(3);
    for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
        let problem = Problem::complex(&[12, 10]).norm(norm);
        compare::<f32, _>(&problem, 3, &mut machine);
        compare::<f64, _>(&problem.direction(Direction::Inverse), 3, &mut machine);
        compare::<f32, _>(&Problem::real_to_complex(&[5, 6, 7]).norm(norm), 3, &mut machine);
        compare::<f32, _>(&Problem::complex_to_real(&[5, 6, 7]).norm(norm), 3, &mut machine);
    }
}

/// The definition, in double precision: each dimension by sums.
#[test]
fn the_spectrum_is_the_definition() {
    let (rows, cols) = (5, 6);
    let input: Vec<Complex<f64>> = points(rows * cols);
    let root = |turn: usize, n: usize| Complex::cis(-std::f64::consts::TAU * turn as f64 / n as f64);
    let sum = |k: usize, l: usize| {
        let term =
            |at: usize| input[at] * root(at / cols * k % rows, rows) * root(at % cols * l % cols, cols);
        (0..rows * cols).map(term).sum::<Complex<f64>>()
    };
    let wanted: Vec<_> = (0..rows * cols).map(|at| sum(at / cols, at % cols)).collect();
    let problem = Problem::complex(&[rows, cols]);
    for order in ORDERS {
        let found: Vec<f64> = Whole::distributed(&problem, 3, order, &mut simulated(3));
        assert!(relative_error(&found, &as_parts(&wanted)) < 1e-14, "{order}");
    }
}

/// Large arrays, in several chunks, have exactly the results of nodes that share memory.
#[test]
fn large_arrays_equal_the_plan_of_nodes_to_the_bit() {
    for (lengths, ranks) in [(&[512, 384][..], 2), (&[48, 64, 80], 3), (&[24, 80, 96], 4)] {
        let nodes = NonZeroUsize::new(2).expect("two nodes");
        let planner = Planner::new().nodes(nodes).algorithm("two-pass");
        for direction in [Direction::Forward, Direction::Inverse] {
            let problem = Problem::complex(lengths).direction(direction);
            let mut wanted: Vec<Complex<f64>> = points(lengths.iter().product());
            planner.plan(&problem).expect("it is planned").process(&mut wanted).expect("it runs");
            for order in [Order::Natural, Order::Root] {
                let found: Vec<f64> =
                    Whole::distributed(&problem, ranks, order, &mut Machine::threads(ranks));
                assert!(found == as_parts(&wanted), "{problem}");
            }
        }
        let problem = Problem::real_to_complex(lengths);
        let mut wanted = vec![Complex::<f64>::default(); lengths_of(&problem)[1].iter().product()];
        let plan = planner.plan_real_to_complex(&problem).expect("it is planned");
        plan.process(&numbers(lengths.iter().product()), &mut wanted).expect("it runs");
        for order in REAL_ORDERS {
            let found: Vec<f64> = Whole::distributed(&problem, ranks, order, &mut Machine::threads(ranks));
            assert!(found == as_parts(&wanted), "{problem}");
        }
    }
}

#[test]
fn a_whole_array_is_scattered_and_gathered() {
    let (lengths, ranks) = ([6, 7, 9], 4);
    for order in ORDERS {
        for mut machine in [
            Machine::threads(ranks),
            Machine::stepper(3).nodes(ranks),
            Machine::threads(ranks).through_bytes(true),
        ] {
            let problem = Problem::complex(&lengths).batch(2);
            let whole: Vec<Complex<f64>> = points(2 * lengths.iter().product::<usize>());
            let plan = Planner::new().plan_distributed::<f64>(&problem, ranks, order).expect("it is planned");
            let mut all = plan.scatter(&mut machine, Some(&whole)).expect("it is scattered");
            plan.process_slab(&mut machine, &mut all).expect("it runs");
            let spectrum = plan.gather(&mut machine, &all).expect("it is gathered").expect("this is rank 0");
            let error = relative_error(&as_parts(&spectrum), &Whole::<f64>::by_one_thread(&problem));
            assert!(error < 1e-13, "{order}: {error:e}");
            let back = problem.clone().direction(Direction::Inverse);
            let plan = Planner::new().plan_distributed::<f64>(&back, ranks, order).expect("it is planned");
            plan.process_slab(&mut machine, &mut all).expect("it runs");
            let again = plan.gather(&mut machine, &all).expect("it is gathered").expect("this is rank 0");
            assert!(relative_error(&as_parts(&again), &as_parts(&whole)) < 1e-13, "{order}");
            let real = Problem::real_to_complex(&lengths);
            let plan = Planner::new().plan_distributed_real_to_complex::<f64>(&real, ranks, order);
            if order == Order::Root {
                assert_eq!(plan.err(), Some(PlanError::RootOfReal));
            } else {
                let input = numbers::<f64>(lengths.iter().product());
                let dealt = plan.expect("it is planned").scatter(&mut machine, Some(&input));
                assert_eq!(dealt.expect("it is scattered").len(), input.len());
            }
            let wrong = plan_of(&problem, ranks).scatter(&mut machine, Some(&whole[1..])).map(drop);
            assert_eq!(
                wrong.map_err(|wrong| wrong.to_string()),
                Err("the input has 755 elements where 756 are needed".into())
            );
            let none = plan_of(&problem, ranks).scatter(&mut machine, None).map(drop);
            assert_eq!(
                none.map_err(|wrong| wrong.to_string()),
                Err("the input has 0 elements where 756 are needed".into())
            );
            let wrong = plan_of(&problem, ranks).gather(&mut machine, &all[1..]).map(drop);
            assert!(wrong.is_err());
        }
    }
}

/// Series as matrices of nearly equal sides, primes as one row.
#[test]
fn series_are_transformed_in_both_directions_and_orders() {
    for ranks in [1, 2, 3, 4, 8] {
        let mut machine = simulated(ranks);
        for (length, batch) in
            (1..=24).map(|length| (length, 1)).chain([(36, 3), (60, 1), (64, 2), (97, 1), (360, 1)])
        {
            for direction in [Direction::Forward, Direction::Inverse] {
                let problem = Problem::complex(&[length]).batch(batch).direction(direction);
                let whole = points::<f64>(length * batch);
                let wanted: Vec<f64> = Whole::by_one_thread(&problem);
                for order in ORDERS {
                    let plan = Planner::new()
                        .plan_distributed::<f64>(&problem, ranks, order)
                        .expect("it is planned");
                    let mut all = plan.scatter(&mut machine, Some(&whole)).expect("it is scattered");
                    plan.process_slab(&mut machine, &mut all).expect("it runs");
                    let found =
                        plan.gather(&mut machine, &all).expect("it is gathered").expect("this is rank 0");
                    let error = relative_error(&as_parts(&found), &wanted);
                    assert!(error < 1e-13, "{problem}, {ranks} ranks, {order} order: {error:e}");
                }
            }
        }
    }
}

/// Compares a real series and its inverse, through whole arrays of rank 0, with the plans of one thread.
fn compare_real_series<T: Precision>(
    there: &Problem<RealToComplex>,
    back: &Problem<ComplexToReal>,
    machine: &mut Machine,
) {
    let ranks = machine.node_count();
    let [lengths, half] = lengths_of(there);
    let (numbers, spectrum) = (numbers::<T>(lengths.iter().product()), points::<T>(half.iter().product()));
    for order in REAL_ORDERS {
        let plan = Planner::new().plan_distributed_real_to_complex::<T>(there, ranks, order);
        let plan = plan.expect("it is planned");
        let own = plan.scatter(machine, Some(&numbers)).expect("it is scattered");
        let mut all = vec![Complex::from(T::of(f64::NAN)); (0..ranks).map(|rank| plan.local_len(rank)).sum()];
        plan.process_slab(machine, &own, &mut all).expect("it runs");
        let found = plan.gather(machine, &all).expect("it is gathered").expect("this is rank 0");
        let error = relative_error(&as_parts(&found), &Whole::<T>::by_one_thread(there));
        assert!(error < tolerance::<T>(), "{there}, {ranks} ranks, {order} order: {error:e}");

        let plan = Planner::new().plan_distributed_complex_to_real::<T>(back, ranks, order);
        let plan = plan.expect("it is planned");
        let mut all = plan.scatter(machine, Some(&spectrum)).expect("it is scattered");
        let mut own = vec![T::of(f64::NAN); (0..ranks).map(|rank| plan.local_output(rank).len()).sum()];
        plan.process_slab(machine, &mut all, &mut own).expect("it runs");
        let found = plan.gather(machine, &own).expect("it is gathered").expect("this is rank 0");
        let error = relative_error(&found, &Whole::<T>::by_one_thread(back));
        assert!(error < tolerance::<T>(), "{back}, {ranks} ranks, {order} order: {error:e}");
    }
}

/// Real series of even and odd lengths, primes among them, and more ranks than points.
#[test]
fn real_series_are_transformed_in_both_directions() {
    for ranks in [1, 2, 3, 4, 8] {
        let mut machine = simulated(ranks);
        let lengths = (1..=48).map(|length| (length, 1));
        for (length, batch) in lengths.chain([(72, 3), (194, 1), (45, 2), (128, 2), (720, 1), (97, 1)]) {
            let there = Problem::real_to_complex(&[length]).batch(batch);
            let back = Problem::complex_to_real(&[length]).batch(batch);
            compare_real_series::<f64>(&there, &back, &mut machine);
        }
        for norm in [Norm::Ortho, Norm::Forward] {
            for length in [30, 27] {
                let there = Problem::real_to_complex(&[length]).norm(norm);
                let back = Problem::complex_to_real(&[length]).norm(norm);
                compare_real_series::<f32>(&there, &back, &mut machine);
            }
        }
    }
}

/// Long real series, in several chunks and blocks.
#[test]
fn long_real_series_are_transformed() {
    for (length, ranks) in [(1 << 19, 2), (9 * 9 * 5 * 7 * 128, 3), (9 * 5 * 7 * 11 * 113, 2)] {
        let (there, back) = (Problem::real_to_complex(&[length]), Problem::complex_to_real(&[length]));
        compare_real_series::<f64>(&there, &back, &mut Machine::threads(ranks));
    }
}

/// A long series, in several chunks, has exactly the spectrum of nodes that share memory.
#[test]
fn a_long_series_equals_the_plan_of_nodes_to_the_bit() {
    let problem = Problem::complex(&[1 << 18]);
    let planner = Planner::new().nodes(NonZeroUsize::new(2)).algorithm("transpose");
    let whole: Vec<Complex<f64>> = points(1 << 18);
    let mut wanted = whole.clone();
    planner.plan(&problem).expect("it is planned").process(&mut wanted).expect("it runs");
    for (ranks, order) in [(2, Order::Natural), (3, Order::Transposed)] {
        let mut machine = Machine::threads(ranks);
        let plan = Planner::new().plan_distributed::<f64>(&problem, ranks, order).expect("it is planned");
        let mut all = plan.scatter(&mut machine, Some(&whole)).expect("it is scattered");
        plan.process_slab(&mut machine, &mut all).expect("it runs");
        let found = plan.gather(&mut machine, &all).expect("it is gathered");
        assert!(found == Some(wanted.clone()), "{ranks} ranks, {order}");
    }
}

fn plan_of(problem: &Problem, ranks: usize) -> DistributedPlan<f64> {
    Planner::new().plan_distributed(problem, ranks, Order::Natural).expect("it is planned")
}

#[test]
fn every_machine_of_one_process_transforms() {
    let problem = Problem::complex(&[20, 30]);
    let wanted: Vec<f64> = Whole::by_one_thread(&problem);
    let mut machines = vec![Machine::threads(4).through_bytes(true)];
    for config in [Config::Spn, Config::Dual] {
        machines.push(Machine::threads(4).config(config));
        machines.extend((0..40).map(|seed| Machine::stepper(seed).nodes(4).config(config)));
        let profile = Profile::named("manna50").expect("the profile exists");
        machines.push(Machine::simulated(&profile).nodes(4).config(config));
    }
    for mut machine in machines {
        for order in ORDERS {
            let found: Vec<f64> = Whole::distributed(&problem, 4, order, &mut machine);
            assert!(relative_error(&found, &wanted) < 1e-13, "{machine:?}, {order}");
        }
    }
}

#[test]
fn a_call_takes_no_more_memory_than_stated_and_a_second_call_takes_none() {
    for (lengths, ranks) in [(&[512, 512][..], 2), (&[64, 64, 64], 3), (&[8, 64, 64], 16), (&[1 << 18], 2)] {
        for order in ORDERS {
            let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(lengths), ranks, order);
            let plan = plan.expect("it is planned");
            let mut all = points((0..ranks).map(|rank| plan.local_len(rank)).sum());
            let mut machine = simulated(ranks);
            plan.process_slab(&mut machine, &mut all).expect("it runs");
            let (kept, stated) =
                (plan.kept_bytes(), (0..ranks).map(|rank| plan.tile_bytes(rank)).sum::<u64>());
            // Memory comes in classes, which are up to a quarter larger than requested.
            assert!(kept > 0 && kept as u64 <= stated + stated / 4, "{plan}: {kept} of {stated}");
            plan.process_slab(&mut machine, &mut all).expect("it runs");
            assert_eq!(plan.kept_bytes(), kept, "{plan}");
        }
    }
}

#[test]
fn phantoms_take_the_time_of_points() {
    let profile = Profile::named("manna50").expect("the profile exists");
    for lengths in [&[64, 48][..], &[8, 9, 10]] {
        for order in ORDERS {
            let problem = Problem::complex(lengths);
            let mut machine = Machine::simulated(&profile).nodes(9);
            let planner = Planner::new().phantom();
            let plan = planner.plan_distributed::<f64>(&problem, 9, order).expect("it is planned");
            let phantom = plan.run_phantom_on(&mut machine).expect("it runs");
            let plan = Planner::new().plan_distributed::<f64>(&problem, 9, order).expect("it is planned");
            let mut all = points((0..9).map(|rank| plan.local_len(rank)).sum());
            let run = plan.process_slab(&mut machine, &mut all).expect("it runs");
            assert_eq!((phantom.cycles, phantom.counters), (run.cycles, run.counters), "{problem}, {order}");
        }
    }
}

/// A real series takes no more memory than stated, and phantoms take the time of its points.
#[test]
fn real_series_keep_to_their_memory_and_to_the_time_of_phantoms() {
    let profile = Profile::named("manna50").expect("the profile exists");
    for (length, ranks) in [(1 << 18, 2), (45 * 7 * 9 * 11, 3), (1 << 17, 9)] {
        let (there, back) = (Problem::real_to_complex(&[length]), Problem::complex_to_real(&[length]));
        let mut machine = Machine::simulated(&profile).nodes(ranks);
        let plans = |planner: Planner| {
            let there = planner.plan_distributed_real_to_complex::<f64>(&there, ranks, Order::Natural);
            let back = planner.plan_distributed_complex_to_real::<f64>(&back, ranks, Order::Natural);
            (there.expect("it is planned"), back.expect("it is planned"))
        };
        let ((there, back), phantoms) = (plans(Planner::new()), plans(Planner::new().phantom()));
        let mut all = points::<f64>((0..ranks).map(|rank| there.local_len(rank)).sum());
        let run = there.process_slab(&mut machine, &numbers(length), &mut all).expect("it runs");
        let phantom = phantoms.0.run_phantom_on(&mut machine).expect("it runs");
        assert_eq!((phantom.cycles, phantom.counters), (run.cycles, run.counters), "{there}");
        let mut all = points::<f64>((0..ranks).map(|rank| back.local_len(rank)).sum());
        let run = back.process_slab(&mut machine, &mut all, &mut numbers(length)).expect("it runs");
        let phantom = phantoms.1.run_phantom_on(&mut machine).expect("it runs");
        assert_eq!((phantom.cycles, phantom.counters), (run.cycles, run.counters), "{back}");
        let stated = |bytes: &dyn Fn(usize) -> u64| (0..ranks).map(bytes).sum::<u64>();
        for (kept, stated) in [
            (there.kept_bytes(), stated(&|rank| there.tile_bytes(rank))),
            (back.kept_bytes(), stated(&|rank| back.tile_bytes(rank))),
        ] {
            // Memory comes in classes, which are up to a quarter larger than requested.
            assert!(kept > 0 && kept as u64 <= stated + stated / 4, "{length}: {kept} of {stated}");
        }
    }
}

#[test]
fn what_cannot_be_planned_or_called_is_refused_by_one_sentence() {
    let planner = Planner::new();
    let plan =
        |problem: &Problem, ranks| planner.plan_distributed::<f64>(problem, ranks, Order::Natural).err();
    let matrix = Problem::complex(&[4, 4]);
    assert!(matches!(plan(&matrix, 0), Some(PlanError::NoSuchMachine { nodes: 0, .. })));
    assert!(matches!(plan(&matrix, 5000), Some(PlanError::NoSuchMachine { nodes: 5000, .. })));
    assert!(matches!(plan(&Problem::complex(&[0, 4]), 2), Some(PlanError::Problem(_))));
    let gaps = crate::Layout { strides: vec![5, 1], distance: 20 };
    assert_eq!(plan(&matrix.clone().layout(gaps), 2), Some(PlanError::Gaps));
    let plan = planner.plan_distributed::<f64>(&matrix, 2, Order::Natural).expect("it is planned");
    let mut machine = Machine::threads(2);
    let mut wrong = vec![Complex::from(1.0); 15];
    let refused = plan.process_slab(&mut machine, &mut wrong).map(drop);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("the array has 15 elements where 16 are needed".into())
    );
    assert!(wrong.iter().all(|&point| point == Complex::from(1.0)));
    let refused = plan.process_slab(&mut Machine::threads(3), &mut [Complex::default(); 16]).map(drop);
    assert_eq!(refused, Err(TransformError::OtherMachine { planned: 2, nodes: 3 }));
    assert_eq!(plan.run_phantom_on(&mut machine).err(), Some(TransformError::NotSimulated));
    assert_eq!(plan.run_phantom_on(&mut simulated(2)).err(), Some(TransformError::Phantom));
}
