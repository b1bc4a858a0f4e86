//! Compares the memory that plans need with what runs allocate, for transforms of 1 MB and more. A thread
//! that may use one core steps all units of a machine itself, so all allocations happen in it and are counted
//! there.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use earth::{Config, Machine};
use earth_fft::solver::bytes;
use earth_fft::{Complex, Plan, Planner, Precision, Problem};
use earth_papers::{Grouped, Shares, by_name};

/// Returns the peak allocation of a run over the sum of its points, its need and the machine's footprint.
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
    let need = bytes::<T>(points as u64) + plan.needed() + footprint;
    counted.bytes_max as f64 / need as f64
}

#[track_caller]
fn is_within<T: Precision>(planner: &Planner, lengths: &[usize], least: f64, most: f64) {
    for config in [Config::Spn, Config::Dual] {
        let ratio = peak_over_need::<T>(planner, lengths, config);
        assert!((least..=most).contains(&ratio), "{lengths:?}, {config}, of {}: {ratio:.3}", T::NAME);
    }
}

fn by(algorithm: &'static str, nodes: usize, block: usize) -> Planner {
    by_name(algorithm, NonZeroUsize::new(block)).unwrap().nodes(NonZeroUsize::new(nodes).unwrap())
}

/// The large allocations are arrays, whose sizes are known. A tenth is allowed for frames and queues. One
/// core has one scratch at a time, where the need counts one a node.
#[test]
fn large_transforms_take_what_they_need() {
    let (sender, grouped) = ("sender", "grouped");
    is_within::<f64>(&by(sender, 1, 1 << 16), &[1 << 16], 0.9, 1.1);
    is_within::<f64>(&by(sender, 2, 1 << 14), &[1 << 16], 0.75, 1.1);
    is_within::<f64>(&by(sender, 8, 0), &[1 << 17], 0.75, 1.1);
    is_within::<f32>(&by(sender, 2, 0), &[1 << 17], 0.75, 1.1);
    for (planner, lengths) in [
        (by(grouped, 1, 0), &[512, 512][..]),
        (by(grouped, 8, 0), &[320, 320]),
        (by(grouped, 2, 0), &[512, 256]),
        (by(grouped, 8, 0), &[480, 640]),
        (by(grouped, 2, 0), &[1 << 16, 1]),
        (by(grouped, 2, 0), &[1, 66_000]),
        (by("two-pass", 2, 0), &[512, 256]),
        (by("two-pass", 8, 0), &[40, 50, 60]),
        (by("tall", 2, 0), &[1 << 16, 2]),
        (by("tall", 8, 0), &[5000, 20]),
        (by("transpose", 2, 0), &[1 << 17]),
        (by("transpose", 2, 0), &[100_000]),
        (by("ffte", 2, 0), &[1 << 18]),
        (by("radix-4", 2, 0), &[1 << 16]),
        (by("radix-2", 1, 0), &[1 << 17]),
        (Planner::new().nodes(NonZeroUsize::MIN), &[300, 300]),
        (Planner::new(), &[1 << 16]),
        (Planner::new(), &[99_991]),
    ] {
        is_within::<f64>(&planner, lengths, 0.9, 1.1);
    }
    let ratio = peak_over_need::<f64>(&by(grouped, 8, 0), &[256, 256], Config::Spn);
    assert!((0.9..=1.1).contains(&ratio), "256 x 256 by grouped: {ratio:.3}");
    is_within::<f32>(&by("transpose", 2, 0), &[1 << 18], 0.9, 1.1);
    is_within::<f32>(&by(grouped, 4, 0), &[300, 500], 0.9, 1.1);
}

#[test]
fn groups_take_what_they_need() {
    for (sides, threads, distribution) in [
        ([256, 256], 2, [vec![100, 156], vec![100, 156]]),
        ([256, 256], 1, [vec![256, 0], vec![128, 128]]),
        ([256, 384], 2, [vec![200, 56], vec![184, 200]]),
    ] {
        let [rows, cols] = sides;
        let plain = Shares { threads, distribution, ..Shares::default() };
        for shares in [
            plain.clone(),
            Shares { strides: [vec![cols + 4; 2], vec![rows + 4; 2]], ..plain.clone() },
            Shares { strides: [vec![0, cols + 4], vec![0, rows + 4]], ..plain.clone() },
            Shares { spectrum: Some([cols + 64, rows + 64]), ..plain.clone() },
            Shares { chirps: [vec![0, 1024], vec![1024, 1024]], ..plain.clone() },
        ] {
            is_within::<f64>(&Planner::new().with(Grouped::new().shares(shares)), &sides, 0.9, 1.1);
        }
    }
}

/// With many small functions, and cells for single points, the frames dominate. Only their values have a
/// known size.
#[test]
fn small_functions_take_about_what_they_need() {
    for (planner, lengths) in [
        (by("sender", 2, 16), &[1 << 16][..]),
        (by("radix-2-local", 2, 8), &[1 << 15]),
        (by("grouped", 2, 2), &[256, 256]),
        (by("grouped", 2, 2), &[128, 512]),
        (by("receiver", 2, 0), &[1 << 16]),
        (by("receiver-shared", 8, 0), &[1 << 16]),
    ] {
        is_within::<f64>(&planner, lengths, 0.5, 2.0);
    }
}
