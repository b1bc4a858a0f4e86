use earth_fft::computer;

use super::*;
use crate::pfft::study::fixtures;
use crate::pfft::study::rows::further::{EXAMPLE, LENGTHS, ROWS};

fn bench<T: Precision>(cores: usize, as_published: bool) -> MatrixBench<T> {
    let conditions = Conditions {
        computer: computer::here(),
        precision: T::NAME.to_owned(),
        cores,
        as_published,
        repetitions: 2,
        speed_seconds: 1e-9,
        ..fixtures::conditions()
    };
    MatrixBench::new(conditions, Config::Spn, Effort::Estimate, CancelToken::new()).unwrap()
}

const TWO: Grouping = Grouping { groups: 2, threads: 1 };

#[test]
fn ways_are_all_groupings_in_turn() {
    let mut bench = bench::<f64>(4, false);
    let ways = bench.ways(&Kernel::RustFft, 24).unwrap();
    assert_eq!(
        ways.iter().map(|way| (way.groups, way.threads)).collect::<Vec<_>>(),
        [(1, 4), (2, 2), (4, 1)]
    );
    assert!(ways.iter().all(|way| way.time.mean > 0.0 && way.time.repetitions == 2));
}

#[test]
fn all_methods_are_run_and_right() {
    for published in [false, true] {
        let row = bench::<f64>(2, published).methods(&Kernel::RustFft, 30, TWO).unwrap();
        let methods: Vec<_> = row.methods.iter().map(|timed| timed.method).collect();
        // One group is our program already.
        let exact: Vec<_> = Method::EXACT.into_iter().filter(|method| *method != Method::One).collect();
        let number = if published { 7 } else { 6 };
        assert_eq!(methods[..6], exact);
        assert_eq!(methods.len(), number);
        for timed in &row.methods {
            let of_groups = if timed.method == Method::Basic { 1 } else { 2 };
            assert_eq!((timed.rows.len(), timed.rows.iter().sum::<usize>()), (of_groups, 30), "{timed:?}");
            assert!(!timed.by_library && timed.time.mean > 0.0 && timed.time.repetitions == 2);
            assert!(timed.method == Method::Published || timed.error < 1e-14, "{timed:?}");
        }
        assert_eq!(row.timed(Method::Lb).map(|timed| timed.rows.clone()), Some(vec![15, 15]));
        // For any budget: three numbers of rows unpadded and with stride, one through a chirp; and longer
        // rows.
        let number =
            |pad: &str| row.speeds.iter().filter(|point| point.pad == pad && point.length == 30).count();
        assert_eq!(["none", "stride", "chirp"].map(number), [3, 3, 1]);
        assert_eq!(row.speeds.len(), if published { 7 + 4 } else { 7 });
        assert!(row.speeds.iter().all(|point| point.seconds.len() == 2));
        let twice = row.speeds.iter().filter(|point| !point.again.is_empty());
        assert!(twice.clone().count() == 3 && twice.clone().all(|point| point.pad == "none"));
    }
}

#[test]
fn the_baseline_is_the_librarys_own_where_it_has_threads() {
    let kernel = Kernel::File(standin_fftw::path());
    let row = bench::<f32>(2, false).methods(&kernel, 12, TWO).unwrap();
    assert!(row.methods[0].by_library && row.methods[0].rows.is_empty());
    assert!(row.methods[1..].iter().all(|timed| !timed.by_library && timed.error < 1e-5));
    assert_eq!(row.version.as_deref(), Some("stand-in for MKL"));
    // The control is our program with one group.
    let one = row.timed(Method::One).unwrap();
    assert_eq!((one.by_library, one.rows.as_slice()), (false, &[12][..]));
}

/// A stand-in without MKL's functions is FFTW, which plans by effort.
#[test]
fn own_transforms_are_planned_by_each_effort() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libfftw3.so");
    standin_fftw::copy_without(&file, |name| name.starts_with("MKL")).unwrap();
    let kernel = Kernel::File(file);
    let mut bench = bench::<f64>(2, false);
    assert!(bench.has_efforts(&kernel).unwrap() && !bench.has_efforts(&Kernel::RustFft).unwrap());
    assert!(!bench.has_efforts(&Kernel::File(standin_fftw::path())).unwrap(), "MKL has one planner");
    let plans = bench.efforts(&kernel, 12).unwrap().plans;
    assert_eq!(plans.iter().map(|plan| plan.effort.as_str()).collect::<Vec<_>>(), ["estimate", "measure"]);
    bench.conditions.patient_to = 12;
    assert_eq!(bench.efforts(&kernel, 12).unwrap().plans.len(), 3);
    assert_eq!(bench.efforts(&kernel, 13).unwrap().plans.len(), 2);
}

/// A large matrix comes from its generator for each run, and a wrong result of it is found.
#[test]
fn large_matrices_are_in_memory_once() {
    let mut bench = bench::<f64>(2, true);
    bench.large = 24;
    let row = bench.methods(&Kernel::RustFft, 30, TWO).unwrap();
    assert!(bench.matrix.is_empty());
    for timed in row.methods.iter().filter(|timed| timed.method != Method::Published) {
        assert!(timed.error < 1e-13, "{timed:?}");
    }
    bench.work = noise(900);
    let (error, bound) = bench.error();
    assert!(error > bound, "the matrix is not its own transform");
    let mut runner = bench.one(&Kernel::RustFft, 30).unwrap();
    bench.run(&mut runner, &Kernel::RustFft).unwrap();
    bench.work[..30].fill(Complex::new(0.0, 0.0));
    let (error, bound) = bench.error();
    assert!(error > bound, "a row is missing");
    assert_eq!(bench.transposes(30).unwrap().sides.len(), 2);
}

#[test]
fn lengths_are_those_of_the_example() {
    let lengths = bench::<f32>(2, false).lengths(&Kernel::Earth).unwrap();
    let found: Vec<_> = lengths.points.iter().map(|point| point.length).collect();
    assert_eq!((found.len(), found[0], found[2]), (LENGTHS, EXAMPLE, 24_960));
    assert!(lengths.points.iter().all(|point| point.rows == ROWS && point.seconds.len() == 2));
}

#[test]
fn one_node_runs_the_baseline_alone() {
    let mut bench = bench::<f64>(1, false);
    let one = Grouping { groups: 1, threads: 1 };
    assert_eq!(bench.groupings(), [one]);
    let row = bench.methods(&Kernel::RustFft, 20, one).unwrap();
    assert_eq!((row.methods.len(), row.speeds.len()), (1, 0));
}

#[test]
fn padding_as_published_is_another_transform() {
    let published = bench::<f64>(2, false).published().unwrap();
    assert!(published.error > 0.1 && published.bound < 1e-13, "{published:?}");
}

#[test]
fn a_wrong_result_is_an_error() {
    let mut bench = bench::<f64>(2, false);
    bench.prepare(8).unwrap();
    bench.work = bench.matrix.clone();
    let (error, bound) = bench.error();
    assert!(error > bound, "the matrix is not its own transform");
}

#[test]
fn impossible_settings_are_refused() {
    let too_many = Conditions { cores: 1025, ..fixtures::conditions() };
    let refused = MatrixBench::<f64>::new(too_many, Config::Spn, Effort::Estimate, CancelToken::new());
    assert_eq!(refused.unwrap_err(), PlanError::NoSuchMachine { nodes: 1025, most: 1024 });
    let mut bench = bench::<f64>(2, false);
    let refused = bench.ways(&Kernel::RustFft, 1 << 30).unwrap_err();
    assert!(matches!(refused, BenchError::Plan(PlanError::TooLittleMemory { .. })), "{refused}");
    assert!(matches!(bench.prepare(1 << 33), Err(BenchError::Plan(PlanError::TooManySamples))));
}
