//! Decisions by made-up speed functions, each with one right answer.

use earth::Config;
use earth_fft::Problem;
use earth_fft::computer::Computer;
use earth_fft::kernel::RowOptions;
use snapbox::{assert_data_eq, str};

use super::*;
use crate::groups::MeasuredRows;
use crate::matrix::solver::Grouped;
use crate::partition::{Point, Size};

const TWO: Grouping = Grouping { groups: 2, threads: 1 };
const OURS: Rows<'_> = Rows { kernel: &Kernel::RustFft, precision: "f64", point: 16 };

/// Speed functions of two groups for multiples of 16 rows up to 128 and these lengths:
/// `seconds(group, rows, length)`.
fn model(pad: Pad, lengths: &[usize], seconds: impl Fn(usize, usize, usize) -> f64) -> PerformanceModel {
    let rows = MeasuredRows {
        kernel: Kernel::RustFft,
        precision: "f64".to_owned(),
        effort: Some(Effort::Estimate),
        planning_included: false,
        pad,
    };
    let computer = Computer {
        architecture: "x86_64".to_owned(),
        processor: None,
        cores: None,
        usable_cores: 2,
        caches: Vec::new(),
        family: "linux".to_owned(),
        system: None,
    };
    let mut model = PerformanceModel::new(rows, TWO, computer).unwrap();
    for &length in lengths {
        for rows in (16..=128).step_by(16) {
            let point = |group| {
                let mean = seconds(group, rows, length);
                Point { mean, half_width: 0.0, repetitions: 10, normality: None }
            };
            model.add(Size { length, rows }, &[point(0), point(1)]).unwrap();
        }
    }
    model
}

/// Group 1 is three times as slow as group 0.
fn uneven(group: usize, rows: usize, length: usize) -> f64 {
    (rows * length * [1, 3][group]) as f64
}

fn even(_: usize, rows: usize, length: usize) -> f64 {
    (rows * length) as f64
}

fn asked(partition: Partition, pad: Pad, models: Vec<PerformanceModel>) -> Groups {
    Groups { partition, pad, speeds: models.into(), ..Groups::default() }
}

#[track_caller]
fn decided(asked: &Groups, sides: [usize; 2]) -> Decided {
    decide(asked, TWO, sides, OURS).unwrap()
}

fn refused(asked: &Groups, sides: [usize; 2]) -> PlanError {
    decide(asked, TWO, sides, OURS).unwrap_err()
}

#[test]
fn the_same_for_each_needs_no_speeds() {
    let shares = decided(&asked(Partition::Lb, Pad::None, Vec::new()), [7, 4]).shares;
    assert_eq!(shares.distribution, [vec![4, 3], vec![2, 2]]);
    assert_eq!((shares.spectrum, shares.threads), (None, 1));
    assert!(shares.chirps.iter().chain(&shares.strides).flatten().all(|&length| length == 0));
    let shares = decided(&asked(Partition::Lb, Pad::Stride, Vec::new()), [1024, 100]).shares;
    assert_eq!(shares.strides, [vec![100; 2], vec![1028; 2]]);
    let shares = decided(&asked(Partition::Lb, Pad::Chirp, Vec::new()), [5, 100]).shares;
    assert_eq!(shares.chirps, [vec![256, 256], vec![9, 9]]);
}

#[test]
fn a_slow_group_gets_fewer_rows_by_the_functions_of_each_length() {
    let models = vec![model(Pad::None, &[64, 128], |group, rows, length| {
        if length == 64 { uneven(group, rows, length) } else { even(group, rows, length) }
    })];
    let square = decided(&asked(Partition::Fpm, Pad::None, models.clone()), [64, 64]);
    assert_eq!(square.shares.distribution, [vec![48, 16], vec![48, 16]]);
    assert!(square.notes.is_empty(), "{:?}", square.notes);
    // 64 rows of 128 points, then 128 rows of 64.
    let rectangle = decided(&asked(Partition::Fpm, Pad::None, models), [64, 128]);
    assert_eq!(rectangle.shares.distribution, [vec![32, 32], vec![96, 32]]);
}

#[test]
fn a_length_between_two_is_interpolated_and_one_beyond_is_not() {
    let models = vec![model(Pad::None, &[64, 128], uneven)];
    let between = decided(&asked(Partition::Fpm, Pad::None, models.clone()), [96, 96]);
    assert_eq!(between.shares.distribution[0], [80, 16]);
    let note = "rows of 96 points were not measured: their times are interpolated between 64 and 128";
    assert_eq!(between.notes, [note]);
    let beyond = refused(&asked(Partition::Fpm, Pad::None, models), [200, 200]);
    let said = "the speed functions do not cover this matrix: nothing was measured for rows of 200 points";
    assert!(beyond.to_string().starts_with(said), "{beyond}");
}

#[test]
fn a_group_goes_through_a_chirp_where_that_is_faster() {
    let own = model(Pad::None, &[128], even);
    // Faster only for group 1, and only with more than 32 rows.
    let chirp = model(Pad::Chirp, &[128], |group, rows, length| {
        even(group, rows, length) * if group == 1 && rows > 32 { 0.25 } else { 2.0 }
    });
    let models = vec![own.clone(), chirp];
    let found = decided(&asked(Partition::Fpm, Pad::Auto, models.clone()), [128, 128]).shares;
    assert_eq!(found.distribution[0], [16, 112], "by the faster of two ways");
    assert_eq!(found.chirps, [vec![0, 256], vec![0, 256]]);
    assert_eq!((&found.strides, found.spectrum), (&[vec![0; 2], vec![0; 2]], None));
    // The groups have equal numbers of rows, but different treatments.
    let balanced = decided(&asked(Partition::Lb, Pad::Auto, models), [128, 128]).shares;
    assert_eq!(
        (balanced.distribution[0].as_slice(), balanced.chirps[0].as_slice()),
        (&[64, 64][..], &[0, 256][..])
    );
    let alone = decided(&asked(Partition::Fpm, Pad::Auto, vec![own]), [128, 128]).shares;
    assert_eq!(alone.chirps, [vec![0, 0], vec![0, 0]]);
}

#[test]
fn a_group_pads_its_rows_where_that_is_clearly_faster() {
    for (factors, strides) in [
        ([0.5, 0.5], [132, 132]),
        ([1.5, 0.5], [0, 132]),
        ([0.97, 0.9], [0, 132]),
        ([0.94, 1.5], [132, 0]),
        ([1.5, 0.96], [0, 0]),
    ] {
        let padded = |group, rows, length| factors[group] * even(group, rows, length);
        let models = vec![model(Pad::None, &[128], even), model(Pad::Stride, &[128], padded)];
        let found = decided(&asked(Partition::Lb, Pad::Auto, models), [128, 128]).shares;
        assert_eq!(found.strides, [strides; 2], "{factors:?}");
    }
}

/// Each group takes the fastest of three treatments, and gets rows by it.
#[test]
fn each_group_takes_its_fastest_way() {
    let padded = |group: usize, rows, length| even(group, rows, length) * [0.25, 2.0][group];
    let chirp = |group: usize, rows, length| even(group, rows, length) * [0.5, 0.75][group];
    let models = vec![
        model(Pad::Chirp, &[128], chirp),
        model(Pad::None, &[128], even),
        model(Pad::Stride, &[128], padded),
    ];
    let found = decided(&asked(Partition::Fpm, Pad::Auto, models), [128, 128]).shares;
    assert_eq!(found.distribution, [[96, 32]; 2]);
    assert_eq!((found.strides, found.chirps), ([vec![132, 0], vec![132, 0]], [vec![0, 256], vec![0, 256]]));
}

/// The number of rows is between two measured ones.
#[test]
fn between_numbers_of_rows_the_times_are_interpolated() {
    let chirp = model(Pad::Chirp, &[100, 128], |group, rows, length| 0.5 * even(group, rows, length));
    let models = vec![model(Pad::None, &[100, 128], even), chirp];
    let found = decided(&asked(Partition::Lb, Pad::Auto, models), [100, 128]);
    let found = found.shares;
    assert_eq!((&found.distribution[0][..], &found.chirps[0][..]), (&[50, 50][..], &[256, 256][..]));
}

#[test]
fn all_groups_pad_to_the_length_at_which_the_slowest_is_fastest() {
    // Group 0 alone would take 96 points, and group 1 alone 80. The slowest of both is fastest at 112.
    let seconds = |group: usize, rows: usize, length: usize| {
        let factor = match (length, group) {
            (64, _) => 10.0,
            (96, 0) | (80, 1) => 1.0,
            (112, _) => 3.0,
            _ => 9.0,
        };
        factor * rows as f64
    };
    let models = vec![model(Pad::None, &[64, 80, 96, 112, 128], seconds)];
    let found = decided(&asked(Partition::Fpm, Pad::Spectrum, models), [64, 64]);
    assert_eq!(found.shares.spectrum, Some([112, 112]));
    assert!(found.notes[0].ends_with("and not the transform"), "{:?}", found.notes);
    let none_is_faster = vec![model(Pad::None, &[64, 80], even)];
    let found = decided(&asked(Partition::Fpm, Pad::Spectrum, none_is_faster), [64, 64]);
    assert_eq!((found.shares.spectrum, found.notes.len()), (Some([64, 64]), 0));
    assert_eq!(
        refused(&asked(Partition::Lb, Pad::Spectrum, Vec::new()), [64, 64]),
        Error::NeedsSpeeds { what: "padding as published" }.into()
    );
}

#[test]
fn speed_functions_of_something_else_are_refused() {
    let none = Error::NoSpeeds { pad: "none".to_owned() }.into();
    assert_eq!(refused(&asked(Partition::Fpm, Pad::None, Vec::new()), [64, 64]), none);
    let models = vec![model(Pad::None, &[64], even)];
    let chirp = Error::NoSpeeds { pad: "chirp".to_owned() }.into();
    assert_eq!(refused(&asked(Partition::Fpm, Pad::Chirp, models.clone()), [64, 64]), chirp);

    let fits = asked(Partition::Fpm, Pad::None, models);
    let of =
        |processors, precision| decide(&fits, processors, [64, 64], Rows { precision, ..OURS }).unwrap_err();
    let four = Grouping { groups: 4, threads: 1 };
    assert_eq!(of(four, "f64"), Error::GroupMismatch { measured: [2, 1], requested: [4, 1] }.into());
    assert_data_eq!(
        of(TWO, "f32").to_string(),
        str!["the speed functions are of rustfft in f64, but rows are transformed by rustfft in f32"]
    );
    let other = decide(&fits, TWO, [64, 64], Rows { kernel: &Kernel::Fftw, ..OURS }).unwrap_err();
    let PlanError::Refused(refused) = &other else { panic!("{other:?}") };
    assert!(matches!(refused.downcast_ref(), Some(Error::KernelMismatch { .. })), "{other}");
}

fn found(
    sides: [usize; 2],
    nodes: usize,
    effort: Effort,
    kernel: Option<&Kernel>,
    speeds: &[PerformanceModel],
) -> Vec<Candidate> {
    let problem = Problem::complex(&sides);
    let options = &RowOptions::new(Kernel::Earth, effort, problem.to());
    let nodes = NonZeroUsize::new(nodes);
    let request = Request { problem: &problem, options, phantom: false, nodes, config: Config::Spn };
    let kernels = kernel.map_or_else(|| vec![Kernel::Earth, Kernel::RustFft], |kernel| vec![kernel.clone()]);
    let nodes: Vec<_> = nodes.into_iter().collect();
    let precision = ("f64", 16);
    let measuring = Measuring { effort, nodes: &nodes, kernel, kernels: &kernels, precision };
    candidates(speeds, |shares| Arc::new(Grouped::new().shares(shares)), &request, &measuring)
}

/// Group 1 is three times as slow as group 0, so it gets 16 of 64 rows, and 32 of 128.
#[test]
fn matrices_are_shared_by_strides_and_by_speed_functions() {
    let models = [Pad::None, Pad::Stride].map(|pad| {
        model(pad, &[64, 128], |group, rows, length| {
            uneven(group, rows, length) / if pad == Pad::None { 1.0 } else { 2.0 }
        })
    });
    let told = |sides, nodes, effort, kernel: Kernel, speeds: &[PerformanceModel]| -> Vec<String> {
        found(sides, nodes, effort, Some(&kernel), speeds).iter().map(Candidate::to_string).collect()
    };
    // Rows of 64 and of 128 points are an even number of cache lines; rows of 12 and of 20 an odd number.
    let strided = "grouped on 2 nodes, 2 groups of 1: 32 + 32 rows, 64 + 64 columns, padded to 132/132 and 68/68, rows by rustfft";
    assert_eq!(told([64, 128], 2, Effort::Measure, Kernel::RustFft, &[]), [strided]);
    assert_eq!(told([12, 20], 2, Effort::Measure, Kernel::RustFft, &[]), [""; 0]);
    let patient = told([12, 20], 2, Effort::Patient, Kernel::RustFft, &[]);
    assert_eq!(
        patient,
        [
            "grouped on 2 nodes, 2 groups of 1: 6 + 6 rows, 10 + 10 columns, through 40/40 and 24/24, rows by rustfft"
        ]
    );
    let measured = told([64, 128], 2, Effort::Measure, Kernel::RustFft, &models);
    let uneven = "grouped on 2 nodes, 2 groups of 1: 48 + 16 rows, 96 + 32 columns, ";
    assert_eq!(
        measured,
        [
            format!("{uneven}padded to 132/132 and 68/68, rows by rustfft"),
            format!("{uneven}rows by rustfft"),
            strided.to_owned()
        ]
    );
    // A padding without functions is not assumed to be faster, and there are no functions of chirps.
    let patient = told([64, 128], 2, Effort::Patient, Kernel::RustFft, &models[..1]);
    assert_eq!(patient.len(), 4, "{patient:?}");
    assert!(patient[0] == measured[1] && patient[1] == measured[0], "{patient:?}");
    // Other nodes, another kernel, or lengths without measurements.
    for (sides, nodes, kernel) in
        [([64, 128], 3, Kernel::RustFft), ([64, 128], 2, Kernel::Earth), ([12, 20], 2, Kernel::RustFft)]
    {
        let found = told(sides, nodes, Effort::Measure, kernel, &models);
        assert!(!found.iter().any(|told| told.contains("48 + 16") || told.contains("96 + 32")), "{found:?}");
    }
    // Without a requested kernel the speed functions' kernel is used.
    let found = found([64, 128], 2, Effort::Measure, None, &models);
    assert_eq!(found.iter().filter(|found| found.kernel == Kernel::RustFft).count(), 3);
    assert_eq!(found.len(), 4);
}
