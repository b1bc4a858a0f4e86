use std::slice;

use earth_fftw::Arrays;
use earth_kernels::Direction::Forward;
use earth_kernels::{dft_bin, dft_nd};
use snapbox::{assert_data_eq, str};

use super::class::Class;
use super::report::Counted;
use super::roof::Rates;
use super::*;

/// Points in place, without gaps.
const FORM: Form = Form { real: false, in_place: true, gap: 0, large_pages: false };

fn case(word: &str) -> Case {
    Case::all(&[word]).unwrap().remove(0)
}

/// Transforms the points by the definition, as a contestant would.
fn transform(points: &mut Points<f64>, [rows, cols]: [usize; 2], factor: f64) {
    let distance = points.distance();
    let of = |input: &[earth_fft::Complex<f64>]| {
        let dense: Vec<_> = input.chunks(distance).take(rows).flat_map(|row| row[..cols].to_vec()).collect();
        dft_nd(&[rows, cols], &dense, Forward)
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
        Arrays::OutOfPlace(input, output) => put(output, &of(input)),
        _ => panic!("points, and no real numbers"),
    }
}

/// Transforms a cube of real numbers by the definition, as a contestant would, times a factor.
fn transform_numbers(points: &mut Points<f64>, lengths: &[usize], factor: f64) {
    let (cols, width) = (lengths[2], lengths[2] / 2 + 1);
    let half = |numbers: &[f64], between: usize| -> Vec<earth_fft::Complex<f64>> {
        let rows = numbers.chunks(between).take(lengths[0] * lengths[1]);
        let dense: Vec<_> = rows.flat_map(|row| row[..cols].iter().map(|&x| x.into())).collect();
        let bin = |at: usize| factor * dft_bin(lengths, &dense, at / width * cols + at % width, Forward);
        (0..lengths[0] * lengths[1] * width).map(bin).collect()
    };
    match points.arrays(1) {
        Arrays::RealInPlace(data) => {
            let spectrum = half(data, 2 * width);
            data.chunks_mut(2).zip(&spectrum).for_each(|(to, from)| to.copy_from_slice(&[from.re, from.im]));
        }
        Arrays::RealOutOfPlace(input, output) => {
            output[..lengths[0] * lengths[1] * width].copy_from_slice(&half(input, cols));
        }
        _ => panic!("real numbers, and no points"),
    }
}

#[test]
fn different_transforms_of_real_numbers_are_told_apart() {
    for (word, lengths) in [("2x3x5", [2, 3, 5]), ("3x2x6", [3, 2, 6])] {
        for in_place in [true, false] {
            let mut points = Points::<f64>::new(&case(word), Form { real: true, in_place, ..FORM }).unwrap();
            let expected = points.expected();
            for (factor, is_wrong) in [(1.0, false), (1.0 + 1e-9, true), (-1.0, true), (f64::NAN, true)] {
                points.noise();
                transform_numbers(&mut points, &lengths, factor);
                assert_eq!(points.wrong(&expected).is_some(), is_wrong, "{word}, {in_place}, {factor}");
            }
        }
    }
}

#[test]
fn different_transforms_are_told_apart() {
    for (word, sides) in [("30", [1, 30]), ("5x7", [5, 7])] {
        for of in [(true, 0), (true, 3), (false, 3)] {
            let form = Form { in_place: of.0, gap: of.1, ..FORM };
            let mut points = Points::<f64>::new(&case(word), form).unwrap();
            let expected = points.expected();
            for (factor, is_wrong) in [(1.0, false), (1.0 + 1e-9, true), (-1.0, true), (f64::NAN, true)] {
                points.noise();
                transform(&mut points, sides, factor);
                assert_eq!(points.wrong(&expected).is_some(), is_wrong, "{word}, {form:?}, {factor}");
            }
            // An output that the definition does not check changes the energy.
            points.noise();
            transform(&mut points, sides, 1.0);
            let (Arrays::InPlace(output) | Arrays::OutOfPlace(_, output)) = points.arrays(0) else {
                panic!("points, and no real numbers")
            };
            output[1] *= 1.0 + 1e-6;
            assert!(points.wrong(&expected).is_some(), "{word}, {form:?}");
        }
    }
}

#[test]
fn points_are_noise_again_before_they_overflow() {
    let in_place = FORM;
    let mut points = Points::<f32>::new(&case("10000"), in_place).unwrap();
    // A transform uses 2 of 30 decades.
    assert_eq!((points.ready(3), points.ready(100)), (3, 15));
    points.arrays(12);
    assert_eq!(points.ready(100), 3);
    points.arrays(3);
    assert_eq!(points.ready(100), 15);
    let mut kept = Points::<f32>::new(&case("10000"), Form { in_place: false, ..in_place }).unwrap();
    kept.arrays(1_000_000);
    assert_eq!(kept.ready(1_000_000), 1_000_000);
    assert_eq!(Points::<f32>::bytes(&case("3x5"), in_place), 8 * 15);
    let bytes = |word, form| Points::<f64>::bytes(&case(word), form);
    assert_eq!(bytes("3x5", Form { in_place: false, gap: 8, ..FORM }), 2 * 16 * 3 * 13);
    assert_eq!(bytes("15", Form { gap: 8, ..FORM }), 16 * 15);
    // Rows of 5 numbers have room for 3 points.
    assert_eq!(bytes("2x3x5", Form { real: true, ..FORM }), 6 * 6 * 8);
    assert_eq!(bytes("2x3x5", Form { real: true, in_place: false, ..FORM }), 6 * 5 * 8 + 6 * 3 * 16);
}

/// A row of a class whose peers took these times in each round, where ours took 1.
fn row(class: Class, names: [&'static str; 2], theirs: [f64; 2]) -> Row {
    let entry = |name: &str, seconds| Entry {
        name: name.to_owned(),
        threads: 1,
        way: "it\nby the calling thread:".to_owned(),
        seconds: Spread::of(vec![seconds]),
        gflops: 0.0,
        counted: (name == "earth").then_some(Counted {
            computed: 2560,
            moved: 1024,
            shuffled: 128,
            bytes: 8192,
        }),
        planning_seconds: 0.0,
        planning_cut_short: name == "fftw" && seconds > 5.0,
        planned_earlier: name == "fftw",
    };
    let entries = vec![entry("earth", 1.0), entry(names[0], theirs[0]), entry(names[1], theirs[1])];
    let case = Case { class, lengths: vec![16, 16], batch: 1 };
    Row::of(&case, (false, "avx2"), entries, [&[1.0], &[1.02]], &theirs.map(|time| vec![time])).unwrap()
}

#[test]
fn a_row_is_judged_by_the_better_peer_and_a_class_by_its_geometric_mean() {
    let both = ["mkl", "fftw"];
    let small = |theirs| row(Class::MatricesSmall, both, theirs);
    let lost = small([0.7, 0.9]);
    assert_eq!((lost.better, &*lost.better_name, lost.missed, lost.is_significant), (0, "mkl", true, true));
    let held = small([1.4, 1.3]);
    assert_eq!((held.better, &*held.better_name, held.missed), (1, "fftw", false));
    assert!(!small([1.01, 9.0]).is_significant);
    assert!((held.ours().gflops - 5.0 * 256.0 * 8.0 / 1e9).abs() < 1e-18 && held.peer().name == "fftw");
    // Real numbers take half the operations, and a filter has two transforms.
    for (class, operations) in [
        (Class::Images, 2.5 * 256.0 * 8.0),
        (Class::Filters, 2.0 * 2.5 * 256.0 * 8.0),
        (Class::Convolutions, 2.0 * 2.5 * 256.0 * 8.0),
    ] {
        let Case { lengths, batch, .. } = case("16x16");
        let case = Case { class, lengths, batch };
        let entries = small([1.0, 1.0]).entries;
        let row = Row::of(&case, (true, "avx2"), entries, [&[1.0], &[1.0]], &[vec![1.0], vec![1.0]]).unwrap();
        assert!((row.ours().gflops - operations / 1e9).abs() < 1e-18, "{class}: {}", row.ours().gflops);
        assert_eq!(row.reach, Some(0.95));
        assert_eq!(row.size(), if class == Class::Images { "16 x 16" } else { "16 x 16 filtered" });
    }
    // Targets count only against libraries.
    let own = row(Class::MatricesSmall, ["rustfft", "fftw"], [0.1, 0.2]);
    assert_eq!((own.reach, own.missed), (None, false));

    let of = summaries(&[lost, held, row(Class::Named, both, [4.0, 8.0])], "avx2");
    let [small, named] = &of[..] else { panic!("{of:?}") };
    assert_eq!((small.rows, small.missed_rows, small.mean_missed), (2, 1, true));
    assert!((small.geometric_mean - (0.7_f64 * 1.3).sqrt()).abs() < 1e-15);
    assert_eq!((named.reach, named.mean_missed), (None, false));
    for (simd, is_missed) in [("avx2", false), ("avx512", true), ("portable", false)] {
        let [reached] = &summaries(&[row(Class::MatricesSmall, both, [1.6, 2.0])], simd)[..] else {
            panic!("one class")
        };
        assert_eq!((reached.mean_missed, reached.missed_rows), (is_missed, 0), "{simd}");
    }
}

#[test]
fn the_verdict_has_every_class_and_what_is_to_be_known_of_it() {
    let both = ["mkl", "fftw"];
    let rows = vec![row(Class::MatricesSmall, both, [0.7, 9.0]), row(Class::Named, both, [4.0, 8.0])];
    let rates = vec![Rates { threads: 1, gflops: 8.0, gigabytes: 4.0 }];
    let peer = |name: &str| Peer { name: name.to_owned(), version: None, path: None };
    let report = Report {
        schema: SCHEMA,
        machine: Facts {
            processor: Some("Maker(R) Chip CPU 7".to_owned()),
            simd: vec!["avx2".into(), "avx512f".into()],
            row_kernel_simd: "avx2".into(),
            ..Facts::found()
        },
        precision: "f64".to_owned(),
        real: false,
        in_place: true,
        gap: 8,
        large_pages: true,
        threads: 1,
        rounds: 1,
        plan_seconds: 60.0,
        peers: vec![peer("mkl"), peer("fftw")],
        missing: vec!["one is missing".to_owned()],
        roof: Roof { rates, instructions: "none".to_owned() },
        classes: summaries(&rows, "avx2"),
        rows,
        left_out: vec![LeftOut { size: "7".to_owned(), because: "the time was over".to_owned() }],
    };
    let text = documented(slice::from_ref(&report)).to_string();
    for plan_text in [
        "points of f64, in place, 8 points between rows, in large pages, one thread",
        "one is missing",
        "0.70 0.70 0.70",
        "1.02..1.02",
        "MISSED",
        "matrices-small: 1 size, geometric mean of ratios 0.70, target 1.50: MISSED; 1 of 1 sizes below 1.25.",
        "named: 1 size, geometric mean of ratios 4.00.",
        "Planning reached its limit of 60 s, so that a peer may not be at its best: 16 x 16, 16 x 16.",
        "Left out: 7, as the time was over.",
    ] {
        assert!(text.contains(plan_text), "{plan_text}: {text}");
    }
    let page = documented(slice::from_ref(&report)).markdown("speed/");
    for plan_text in [
        "| Maker Chip 7, AVX2 on an AVX-512 processor | points of f64, in place, 8 points between rows, in large pages, one thread | matrices-small | 1 | 0.70 | 0.70 | 1.50, each 1.25 | 1 and the mean |",
        "\n## Maker Chip 7, AVX2 on an AVX-512 processor\n",
        "\n### Points of f64, in place, 8 points between rows, in large pages, one thread",
        "](speed/maker-chip-7-avx2-on-an-avx-512-processor-f64-gap-8-large-pages-1-roofline.svg)",
        "FFTW's plans were kept in a file (FFTW's wisdom) since an earlier run with the same limit",
        "FFTW_MEASURE for at most 60 s a plan. FFTW's plans",
        "0.000 ns, cut short, earlier |",
        // 256 points; 5120 operations and 8192 bytes in a second, where the roof allows 2.56 operations for
        // each byte.
        "| 16 x 16 | 0.70 | mkl | 0 % | 10.0 | 4.0 | 0.5 | 0 % | 32 | 0 % | by the calling thread |",
    ] {
        assert!(page.contains(plan_text), "{plan_text}: {page}");
    }

    // A report is read as it was written, and reports of the same conditions are merged.
    let json = serde_json::to_string(&report).unwrap();
    let read = Report::from_json(&json).unwrap();
    let shown = |of: &Report| documented(slice::from_ref(of)).markdown("");
    assert_eq!(shown(&read), shown(&report));
    let other = Report { gap: 0, plan_seconds: 10.0, ..report.clone() };
    let merged = Report::merged(vec![report, other, read]);
    assert_eq!(merged.iter().map(|of| of.rows.len()).collect::<Vec<_>>(), [4, 2]);
    assert_eq!(merged[0].classes.iter().map(|of| of.rows).collect::<Vec<_>>(), [2, 2]);
    // Different limits are listed.
    let page = documented(&merged).markdown("");
    let limits = "at most 60 s a plan (points of f64, in place, 8 points between rows, in large pages, one thread), \
                  10 s a plan (points of f64, in place, in large pages, one thread). FFTW's plans";
    assert!(page.contains(limits), "{page}");
    // Each place has a section, and figures of its own.
    let machine = Facts { simd: vec!["avx2".into()], ..merged[1].machine.clone() };
    let there = Report { machine, ..merged[0].clone() };
    let page = documented(&[merged[0].clone(), there, merged[1].clone()]).markdown("");
    let sections: Vec<_> = page.lines().filter(|line| line.starts_with("## Maker")).collect();
    assert_eq!(sections, ["## Maker Chip 7, AVX2 on an AVX-512 processor", "## Maker Chip 7, AVX2"]);
    // A report from before plans were counted can be read too.
    let mut before: serde_json::Value = serde_json::from_str(&json).unwrap();
    before["schema"] = 3.into();
    for entry in before["rows"][0]["entries"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("counted");
    }
    let before = Report::from_json(&before.to_string()).unwrap();
    assert_eq!((before.schema, before.rows[0].ours().counted), (SCHEMA, None));
    assert!(shown(&before).contains("| not counted |"));
    let refused = |json: &str| Report::from_json(json).unwrap_err();
    assert_data_eq!(
        refused(&json.replace("\"schema\":4", "\"schema\":9")),
        str!["it has schema 9 and not 4"]
    );
    assert!(refused("{}").starts_with("missing field"), "{}", refused("{}"));
    assert!(refused(&json.replace("\"named\"", "\"unnamed\"")).contains("no class is called"));
}

/// Two concurrent runs: the plans and the texts of both are kept.
#[test]
fn known_plans_of_two_runs_are_merged() {
    let limit = Duration::from_secs(1);
    let with = |libraries: serde_json::Value| {
        let mut json: serde_json::Value = serde_json::from_str(&PlanStore::new(limit).to_json()).unwrap();
        json["libraries"] = libraries;
        PlanStore::from_json(&json.to_string(), limit).unwrap()
    };
    let library = |path: &str, texts: &[&str], problems: &[&str]| {
        let plan = |problem| serde_json::json!({"problem": problem, "seconds": 0.5, "cut_short": false});
        let plans: Vec<_> = problems.iter().map(plan).collect();
        serde_json::json!({"path": path, "version": null, "precision": "f64", "texts": texts, "plans": plans})
    };
    let mut ours = with(serde_json::json!([library("a.so", &["ours"], &["8", "9"])]));
    let theirs = [library("a.so", &["theirs"], &["9", "10"]), library("b.so", &["other"], &["8"])];
    ours.merge(with(serde_json::json!(theirs)));
    let both = [library("a.so", &["ours", "theirs"], &["8", "9", "10"]), library("b.so", &["other"], &["8"])];
    assert_eq!(ours, with(serde_json::json!(both)));
}
