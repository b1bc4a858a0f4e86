use earth_kernels::dft_2d;

use super::cases::Class;
use super::points::Arrays;
use super::roof::Rates;
use super::*;
use crate::progress::Unseen;

fn case(word: &str) -> Case {
    Case::all(&[word]).unwrap().remove(0)
}

/// Transforms the points by the definition, as a contestant would.
fn transform(points: &mut Points<f64>, [rows, cols]: [usize; 2], factor: f64) {
    let distance = points.distance();
    let of = |input: &[earth_fft::Complex<f64>]| {
        let dense: Vec<_> = input.chunks(distance).take(rows).flat_map(|row| row[..cols].to_vec()).collect();
        dft_2d(rows, cols, &dense)
    };
    let put = |output: &mut [earth_fft::Complex<f64>], spectrum: &[earth_fft::Complex<f64>]| {
        for (to, from) in output.chunks_mut(distance).zip(spectrum.chunks(cols)) {
            to[..cols].iter_mut().zip(from).for_each(|(to, from)| *to = from * factor);
        }
    };
    match points.arrays(1) {
        Arrays::InPlace(array) => {
            let spectrum = of(array);
            put(array, &spectrum);
        }
        Arrays::Between(input, output) => put(output, &of(input)),
    }
}

#[test]
fn a_transform_is_told_from_another_one() {
    for (word, sides) in [("30", [1, 30]), ("5x7", [5, 7])] {
        for place in [(true, 0), (true, 3), (false, 3)] {
            let place = Place { in_place: place.0, gap: place.1 };
            let mut points = Points::<f64>::new(&case(word), place).unwrap();
            let expected = points.expected();
            for (factor, is_wrong) in [(1.0, false), (1.0 + 1e-9, true), (-1.0, true), (f64::NAN, true)] {
                points.noise();
                transform(&mut points, sides, factor);
                assert_eq!(points.wrong(&expected).is_some(), is_wrong, "{word}, {place:?}, {factor}");
            }
            // An output that is not summed by the definition shows in the energy.
            points.noise();
            transform(&mut points, sides, 1.0);
            let (Arrays::InPlace(output) | Arrays::Between(_, output)) = points.arrays(0);
            output[1] *= 1.0 + 1e-6;
            assert!(points.wrong(&expected).is_some(), "{word}, {place:?}");
        }
    }
}

#[test]
fn points_are_noise_again_before_they_overflow() {
    let in_place = Place { in_place: true, gap: 0 };
    let mut points = Points::<f32>::new(&case("10000"), in_place).unwrap();
    // Of 30 decades a transform takes 2.
    assert_eq!((points.ready(3), points.ready(100)), (3, 15));
    points.arrays(12);
    assert_eq!(points.ready(100), 3);
    points.arrays(3);
    assert_eq!(points.ready(100), 15);
    let mut kept = Points::<f32>::new(&case("10000"), Place { in_place: false, ..in_place }).unwrap();
    kept.arrays(1_000_000);
    assert_eq!(kept.ready(1_000_000), 1_000_000);
    assert_eq!(Points::<f32>::bytes(&case("3x5"), in_place), 8 * 15);
    assert_eq!(Points::<f64>::bytes(&case("3x5"), Place { in_place: false, gap: 8 }), 2 * 16 * 3 * 13);
    assert_eq!(Points::<f64>::bytes(&case("15"), Place { in_place: true, gap: 8 }), 16 * 15);
}

/// A row of a class whose peers took these times where ours took 1 in each round.
fn row(class: Class, names: [&'static str; 2], theirs: [f64; 2]) -> Row {
    let entry = |name, seconds| Entry {
        name,
        threads: 1,
        seconds: Spread::of(vec![seconds]),
        gflops: 0.0,
        planning_seconds: 0.0,
        planning_cut_short: name == "fftw" && seconds > 5.0,
    };
    let entries = vec![entry("earth", 1.0), entry(names[0], theirs[0]), entry(names[1], theirs[1])];
    Row::of(class, vec![16, 16], entries, [&[1.0], &[1.02]], &theirs.map(|time| vec![time])).unwrap()
}

#[test]
fn a_row_is_judged_by_the_better_peer_and_a_class_by_its_geometric_mean() {
    let both = ["mkl", "fftw"];
    let small = |theirs| row(Class::MatricesSmall, both, theirs);
    let lost = small([0.7, 0.9]);
    assert_eq!((lost.better, lost.better_name, lost.missed, lost.can_be_told), (0, "mkl", true, true));
    let held = small([0.9, 0.76]);
    assert_eq!((held.better, held.better_name, held.missed), (1, "fftw", false));
    assert!(!small([1.01, 9.0]).can_be_told);
    assert!((held.ours().gflops - 5.0 * 256.0 * 8.0 / 1e9).abs() < 1e-18 && held.peer().name == "fftw");
    // The reach is one against libraries.
    let own = row(Class::MatricesSmall, ["rustfft", "fftw"], [0.1, 0.2]);
    assert_eq!((own.reach, own.missed), (None, false));

    let of = summaries(&[lost, held, row(Class::Named, both, [4.0, 8.0])]);
    let [small, named] = &of[..] else { panic!("{of:?}") };
    assert_eq!((small.rows, small.missed_rows, small.mean_missed), (2, 1, true));
    assert!((small.geometric_mean - (0.7_f64 * 0.76).sqrt()).abs() < 1e-15);
    assert_eq!((named.reach, named.mean_missed), (None, false));
    let [reached] = &summaries(&[row(Class::MatricesSmall, both, [0.95, 2.0])])[..] else {
        panic!("one class")
    };
    assert!(!reached.mean_missed && reached.missed_rows == 0);
}

#[test]
fn the_verdict_has_every_class_and_what_is_to_be_known_of_it() {
    let both = ["mkl", "fftw"];
    let rows = vec![row(Class::MatricesSmall, both, [0.7, 9.0]), row(Class::Named, both, [4.0, 8.0])];
    let rates = vec![Rates { threads: 1, gflops: 8.0, gigabytes: 4.0 }];
    let peer = |name| Peer { name, version: None, path: None };
    let report = Report {
        schema: 1,
        machine: Facts::found(),
        precision: "f64",
        in_place: true,
        gap: 8,
        threads: 1,
        rounds: 1,
        plan_seconds: 60.0,
        peers: vec![peer("mkl"), peer("fftw")],
        missing: vec!["one is missing".to_owned()],
        roof: Roof { rates, instructions: "none" },
        classes: summaries(&rows),
        rows,
        left_out: vec![LeftOut { size: "7".to_owned(), because: "the time was over".to_owned() }],
    };
    let text = report.document().to_string();
    for said in [
        "f64, in place, 8 points between rows of matrices",
        "one is missing",
        "0.70 0.70 0.70",
        "1.02..1.02",
        "MISSED",
        "matrices-small: 1 size, geometric mean of ratios 0.70 where 0.90 is to be reached: MISSED; 1 of 1 below 0.75 each.",
        "named: 1 size, geometric mean of ratios 4.00.",
        "Planning reached its limit of 60 s, so that a peer may not be at its best: 16 x 16, 16 x 16.",
        "Left out: 7, as the time was over.",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let bench = |peers: Vec<Kernel>, rounds| Bench {
        peers,
        missing: Vec::new(),
        in_place: true,
        gap: 0,
        threads: 1,
        rounds,
        limit: Duration::ZERO,
    };
    let refused = |bench: Bench| bench.run::<f64>(&[case("8")], &Unseen).unwrap_err().to_string();
    assert_eq!(refused(bench(vec![Kernel::RustFft], 9)), "rounds are an odd number, and 11 at least, not 9");
    assert_eq!(
        refused(bench(vec![Kernel::RustFft], 12)),
        "rounds are an odd number, and 11 at least, not 12"
    );
    assert_eq!(refused(bench(Vec::new(), 11)), "there is no peer to compare with");
}
