//! The need against what is allocated, for transforms of 1 MB and more. A thread that may use one core steps all units of a
//! machine itself, so everything is allocated in it, and counted there.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use earth::{Config, Machine};
use num_complex::Complex;

use crate::memory::looked_for;
use crate::{Kernel, Plan, Planner, Precision, Problem};

/// The most that a run has allocated at once, over its points, its need and the machine's footprint.
fn peak_over_need<T: Precision>(planner: &Planner, lengths: &[usize], config: Config) -> f64 {
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        assert!(core_affinity::set_for_current(core));
    }
    let plan: Plan<T> = planner.clone().config(config).plan(&Problem::complex(lengths)).unwrap();
    let points: usize = lengths.iter().product();
    let (mut run, mut footprint) = (None, 0);
    let counted = measure(|| {
        let mut machine = Machine::threads(plan.nodes().unwrap_or(1)).config(config).pin(false);
        footprint = machine.footprint();
        let samples = vec![Complex::from(T::one()); points];
        run = Some(plan.run_on(&mut machine, samples).unwrap());
    });
    assert_eq!(run.unwrap().output.len(), points);
    let need = crate::solver::bytes::<T>(points as u64) + plan.needed() + footprint;
    counted.bytes_max as f64 / need as f64
}

#[track_caller]
fn is_within<T: Precision>(planner: &Planner, lengths: &[usize], least: f64, most: f64) {
    for config in [Config::Spn, Config::Dual] {
        let ratio = peak_over_need::<T>(planner, lengths, config);
        assert!((least..=most).contains(&ratio), "{lengths:?}, {config}, of {}: {ratio:.3}", T::NAME);
    }
}

fn by(algorithm: &'static str, nodes: usize) -> Planner {
    Planner::new().algorithm(algorithm).nodes(NonZeroUsize::new(nodes).unwrap())
}

/// What is large are arrays, which are known: a tenth is left for frames and queues. One core
/// has one scratch at a time, where the need counts one a node.
#[test]
fn large_transforms_take_what_they_need() {
    for (planner, lengths) in [
        (by("two-pass", 2), &[512, 256][..]),
        (by("two-pass", 8), &[40, 50, 60]),
        (by("tall", 2), &[1 << 16, 2]),
        (by("tall", 8), &[5000, 20]),
        (by("transpose", 2), &[1 << 17]),
        (by("transpose", 2), &[100_000]),
        (by("ffte", 2), &[1 << 18]),
        (Planner::new().nodes(NonZeroUsize::MIN), &[300, 300]),
        (Planner::new(), &[1 << 16]),
        (Planner::new(), &[99_991]),
    ] {
        is_within::<f64>(&planner, lengths, 0.9, 1.1);
    }
    is_within::<f32>(&by("transpose", 2), &[1 << 18], 0.9, 1.1);
}

/// Of real series, too, a call takes at most one array more, which later calls have: none, if the spectrum is scratch.
#[test]
fn series_of_real_numbers_take_one_array_more_at_most() {
    let n = 1 << 18;
    let planner = by("transpose", 2);
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        assert!(core_affinity::set_for_current(core));
    }
    let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n])).unwrap();
    let inverse = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[n])).unwrap();
    let (mut x, mut spectrum) = (vec![1.0; n], vec![Complex::from(0.0); n / 2 + 1]);
    let array = (n * size_of::<f64>()) as f64;
    let share = |bytes: u64| bytes as f64 / array;
    // A machine of two nodes may have to be made.
    let mut call = || share(measure(|| forward.process(&x, &mut spectrum).unwrap()).bytes_max);
    let [first, again] = [call(), call()];
    assert!((1.0..1.5).contains(&first) && again < 0.4, "{first}, then {again} arrays");
    let back = share(measure(|| inverse.process(&mut spectrum, &mut x).unwrap()).bytes_max);
    assert!(back < 0.5, "{back} arrays");
}

/// Tables, with what planning takes for a moment, are no more than a planner looks for before it makes them.
#[test]
fn tables_take_no_more_than_is_looked_for() {
    for kernel in [Kernel::Earth, Kernel::RustFft] {
        // A power of two, one of three, a prime, twice a prime, primes whose predecessors are smooth and rough, a product.
        for n in [1 << 17, 177_147, 131_101, 2 * 65_537, 65_537, 65_543, 100_003, 251 * 509, 120_000] {
            let planner = Planner::new().kernel(kernel.clone());
            let counted = measure(|| drop(planner.plan::<f64>(&Problem::complex(&[n])).unwrap()));
            let looked_for = looked_for::<f64>(&[n]);
            let said = format!("{n} by {kernel}: {} of {looked_for}", counted.bytes_max);
            assert!(counted.bytes_max <= looked_for, "{said}");
        }
    }
}
