//! Checks plans that were measured: each candidate is correct, wisdom returns the measured plan without a
//! run, and invalid wisdom is refused. No test depends on time, because each has a clock of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use earth_fft::distributed::Order;
use earth_fft::solvers::TwoPass;
use earth_fft::{
    Clock, Complex, Config, Effort, Kernel, Layout, MeasurementsError, Planner, Problem, Why, Wisdom,
};
use earth_kernels::{bound, relative_error};
use earth_papers::groups::{MeasuredRows, Pad, PerformanceModel};
use earth_papers::partition::{Grouping, Point, Size};
use earth_papers::{Grouped, Receiver};

use super::nodes;
use super::oracle::{expected, noise};

/// Clock by which every call takes 10 ms, and the calls of one candidate 5 ms. It counts its readings: one at
/// the start, and two for each call. Two calls each of the estimate and of all candidates come first. Then
/// come rounds of the estimate, the fastest few and the estimate again.
#[derive(Debug)]
pub(crate) struct FavoringClock {
    candidate: usize,
    candidates: usize,
    asked: Mutex<(usize, Duration)>,
}

impl FavoringClock {
    pub(crate) fn new(candidate: usize, candidates: usize) -> Arc<Self> {
        Arc::new(Self { candidate, candidates, asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().0
    }
}

impl Clock for FavoringClock {
    fn now(&self) -> Duration {
        let (asked, now) = &mut *self.asked.lock().unwrap();
        if *asked > 0 && *asked % 2 == 0 {
            let (call, first) = (*asked / 2 - 1, 2 * (1 + self.candidates));
            // The favored candidate is the first of the finalists, because it was the fastest before.
            let turns = 2 + self.candidates.min(4);
            let favoured =
                if call < first { call / 2 == self.candidate } else { (call - first) % turns == 1 };
            *now += Duration::from_millis(if favoured { 5 } else { 10 });
        }
        *asked += 1;
        *now
    }
}

fn measuring(clock: Arc<dyn Clock>) -> Planner {
    earth_papers::planner().effort(Effort::Measure).nodes(nodes(2)).clock(clock)
}

#[test]
fn every_candidate_is_right() {
    for (lengths, programs) in [
        (&[64][..], &["transpose", "sender"][..]),
        (&[60], &[]),
        (&[12, 20], &["two-pass", "grouped"]),
        (&[4, 6, 5], &["two-pass"]),
    ] {
        let problem = Problem::complex(lengths);
        let points = noise::<f64>(lengths.iter().product());
        let right = expected(lengths, &points, earth_fft::Direction::Forward, earth_fft::Norm::Backward);
        for asked in [Some(nodes(2)), None] {
            let planner = earth_papers::planner().nodes(asked).effort(Effort::Measure);
            let count = planner
                .clone()
                .clock(FavoringClock::new(0, 0))
                .plan::<f64>(&problem)
                .unwrap()
                .measured()
                .len();
            let (mut whats, mut seen) = (Vec::new(), Vec::new());
            for candidate in 1..count {
                let clock = FavoringClock::new(candidate, count - 1);
                let plan = planner.clone().clock(clock.clone()).plan::<f64>(&problem).unwrap();
                assert_eq!(plan.measured().len(), count);
                assert_eq!(plan.why(), Why::Measured, "{plan}");
                let best = &plan.measured()[1];
                assert_eq!((best.median, best.least), (Duration::from_millis(5), Duration::from_millis(5)));
                let text = plan.to_string();
                assert!(text.contains("because it is the fastest measured candidate:"), "{text}");
                assert!(
                    text.contains(&format!("\n  5000.0 and 5000.0 us in 11 times: {}", best.what)),
                    "{text}"
                );
                assert!(best.what.ends_with(&format!("rows by {}", plan.kernel())), "{text}");
                assert!(best.what.starts_with(match plan.nodes() {
                    None => "the calling thread",
                    Some(_) => plan.algorithm(),
                }));
                let (mut here, mut there) = (points.clone(), points.clone());
                plan.process(&mut here).unwrap();
                plan.process_out_of_place(&points, &mut there).unwrap();
                for found in [here, there] {
                    assert!(relative_error(&found, &right) <= bound::<f64>(points.len()), "{plan}");
                }
                whats.push(best.what.clone());
                seen.push(plan.algorithm());
            }
            whats.sort();
            whats.dedup();
            assert_eq!(whats.len(), count - 1, "each candidate once");
            // Without a requested number of nodes, a computer of one core tries only the calling thread.
            let all = programs.iter().all(|program| seen.contains(program));
            assert!(all || asked.is_none(), "{lengths:?}: {whats:?}");
        }
    }
}

/// Checks that real numbers, batches and strides have the kernels as candidates of one thread.
#[test]
fn problems_of_other_kinds_are_measured_too() {
    let planner = || earth_papers::planner().effort(Effort::Measure).nodes(nodes(1));
    let favoured = || FavoringClock::new(1, 1);
    let forward =
        planner().clock(favoured()).plan_real_to_complex(&Problem::real_to_complex(&[6, 9])).unwrap();
    let back = planner().clock(favoured()).plan_complex_to_real(&Problem::complex_to_real(&[6, 9])).unwrap();
    for (kernel, why) in [(forward.kernel(), forward.why()), (back.kernel(), back.why())] {
        assert_eq!((kernel, why), (&Kernel::RustFft, Why::Measured));
    }
    let numbers: Vec<f64> = (0..54).map(|at| f64::from(at * at % 17)).collect();
    let (mut spectrum, mut again) = (vec![Complex::default(); 30], vec![0.0; 54]);
    forward.process(&numbers, &mut spectrum).unwrap();
    back.process(&mut spectrum, &mut again).unwrap();
    assert!(numbers.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12));
    let padded = Problem::real_to_complex(&[6, 9]).padded();
    assert_eq!(planner().plan_real_to_complex::<f32>(&padded).unwrap().measured().len(), 2);
    // Nodes share padded rows, which are transformed in place.
    let two = planner().nodes(nodes(2)).kernel(Kernel::Earth).clock(FavoringClock::new(2, 2));
    let plan = two.plan_real_to_complex::<f64>(&padded).unwrap();
    let whats = plan.measured().iter().map(|timed| timed.what.as_str());
    assert!(whats.clone().count() == 3 && whats.clone().all(|what| what.starts_with("two-pass on 2 nodes")));
    assert_eq!((plan.nodes(), plan.block(), plan.why()), (Some(2), Some(1), Why::Measured), "{plan}");
    let mut rows: Vec<_> = numbers.chunks(9).flat_map(|row| [row, &[0.0]].concat()).collect();
    plan.process_padded(&mut rows).unwrap();
    forward.process(&numbers, &mut spectrum).unwrap();
    let close = |(x, y): (&[f64], &Complex<f64>)| (Complex::new(x[0], x[1]) - y).norm() < 1e-11;
    assert!(rows.chunks(2).zip(&spectrum).all(close), "{plan}");
    let layout = |stride| Layout { strides: vec![stride], distance: 1 };
    let strided = Problem::complex(&[12]).batch(5).input(layout(5)).output(layout(7));
    let plan = planner().clock(favoured()).plan::<f64>(&strided).unwrap();
    assert_eq!((plan.measured().len(), plan.kernel()), (2, &Kernel::RustFft));
}

/// Checks the readings of the clock: two calls of each candidate, and eleven rounds.
#[test]
fn wisdom_gives_the_measured_plan_without_a_run() {
    let problem = Problem::complex(&[12, 20]);
    let (wisdom, clock) = (Wisdom::new(), FavoringClock::new(3, 6));
    let asked = |planner: Planner, wisdom: &Wisdom| {
        let clock = FavoringClock::new(0, 0);
        let plan = planner.clock(clock.clone()).wisdom(wisdom.clone()).plan::<f64>(&problem).unwrap();
        (plan.to_string(), clock.asked())
    };
    let planner = measuring(clock.clone()).kernel(Kernel::Earth).wisdom(wisdom.clone());
    let plan = planner.plan::<f64>(&problem).unwrap();
    assert_eq!((plan.measured().len(), clock.asked()), (6, 1 + 2 * (2 * 6 + 11 * 6)), "{plan}");
    assert_eq!(wisdom.len(), 1);
    let read: Wisdom = wisdom.to_string().parse().unwrap();
    assert_eq!(read.to_string(), wisdom.to_string());
    for effort in [Effort::Estimate, Effort::Measure] {
        for wisdom in [&wisdom, &read] {
            assert_eq!(asked(planner.clone().effort(effort), wisdom), (plan.to_string(), 0));
        }
    }
    // Other problems, precisions and settings have other keys.
    let others = [
        planner.clone().config(Config::Dual),
        planner.clone().nodes(nodes(3)),
        planner.clone().with(TwoPass::new().block(nodes(2))).algorithm("auto"),
        planner.clone().with(Receiver::tree().roots(nodes(2))).algorithm("auto"),
        planner.clone().kernel(None),
        planner.clone().algorithm("two-pass"),
        planner.clone().effort(Effort::Patient),
    ];
    for other in others {
        assert!(asked(other.clone(), &read).1 > 0, "{other:?}");
    }
    assert_eq!(read.len(), 7, "the plan of more effort replaces the earlier one");
    let fresh = FavoringClock::new(0, 0);
    let single = planner.clone().wisdom(read).clock(fresh.clone()).plan::<f32>(&problem).unwrap();
    // Rows of 12 points of single precision fill an even number of cache lines, and are padded in one
    // candidate more.
    assert!(fresh.asked() > 0 && single.measured().len() == 7);
    // The planner does not measure without alternatives, or with the effort `Estimate`.
    let one = planner.clone().with(TwoPass::new().block(nodes(4)));
    assert_eq!(asked(one, &Wisdom::new()).1, 0);
    let (guessed, runs) = asked(earth_papers::planner(), &Wisdom::new());
    assert!(runs == 0 && !guessed.contains("measured"), "{guessed}");
}

/// Returns the speed functions of two groups, the second three times as slow as the first.
fn speeds() -> PerformanceModel {
    let rows = MeasuredRows {
        kernel: Kernel::Earth,
        precision: "f64".to_owned(),
        effort: None,
        planning_included: false,
        pad: Pad::None,
    };
    let grouping = Grouping { groups: 2, threads: 1 };
    let mut model = PerformanceModel::new(rows, grouping, earth_fft::computer::here()).unwrap();
    for (length, rows) in
        [16, 24].into_iter().flat_map(|length| [4, 8, 12, 16, 20].map(|rows| (length, rows)))
    {
        let point = |slower: usize| {
            let mean = (slower * rows * length) as f64;
            Point { mean, half_width: 0.0, repetitions: 10, normality: None }
        };
        model.add(Size { length, rows }, &[point(1), point(3)]).unwrap();
    }
    model
}

/// Checks that speed functions and strides add two candidates, that both are correct, and that wisdom returns
/// them without the speed functions.
#[test]
fn groups_share_a_matrix_where_that_is_measured_to_be_the_fastest() {
    let problem = Problem::complex(&[16, 24]);
    let points = noise::<f64>(16 * 24);
    let right = expected(&[16, 24], &points, earth_fft::Direction::Forward, earth_fft::Norm::Backward);
    let planner = |clock| measuring(clock).kernel(Kernel::Earth);
    let asked =
        |planner: Planner, wisdom: &Wisdom| planner.wisdom(wisdom.clone()).plan::<f64>(&problem).unwrap();
    // Two programs in three blocks each, and rows of 28 and 20 points.
    assert_eq!(asked(planner(FavoringClock::new(0, 0)), &Wisdom::new()).measured().len(), 6 + 1);
    let knowing =
        |clock| planner(clock).with(Grouped::new().known_speeds(vec![speeds()].into())).algorithm("auto");
    let count = asked(knowing(FavoringClock::new(0, 0)), &Wisdom::new()).measured().len();
    assert_eq!(count, 6 + 2);
    let mut found = Vec::new();
    for candidate in 1..count {
        let wisdom = Wisdom::new();
        let plan = asked(knowing(FavoringClock::new(candidate, count - 1)), &wisdom);
        let Some(shares) = earth_papers::shares(&plan) else { continue };
        assert_eq!((plan.algorithm(), plan.why()), ("grouped", Why::Measured), "{plan}");
        found.push((shares.distribution.clone(), shares.strides.clone()));
        let mut here = points.clone();
        plan.process(&mut here).unwrap();
        assert!(relative_error(&here, &right) <= bound::<f64>(points.len()), "{plan}");
        let clock = FavoringClock::new(0, 0);
        let again = asked(planner(clock.clone()), &wisdom.to_string().parse().unwrap());
        assert_eq!(
            (again.to_string(), earth_papers::shares(&again), clock.asked()),
            (plan.to_string(), Some(shares), 0)
        );
    }
    let none = || [vec![0; 2], vec![0; 2]];
    assert_eq!(
        found,
        [([vec![12, 4], vec![20, 4]], none()), ([vec![8; 2], vec![12; 2]], [vec![28; 2], vec![20; 2]])]
    );
    // Real numbers, three dimensions and a named program have no such candidates.
    let planner = knowing(FavoringClock::new(0, 0));
    let named = planner.clone().algorithm("two-pass").plan::<f64>(&problem).unwrap();
    let real = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[16, 24])).unwrap();
    let solid = planner.plan::<f64>(&Problem::complex(&[16, 24, 1])).unwrap();
    for measured in [named.measured(), real.measured(), solid.measured()] {
        assert!(!measured.iter().any(|timed| timed.what.contains("group")), "{measured:?}");
    }
}

/// Checks that wisdom carries the results of a library to another process, which a second copy of the
/// stand-in represents.
#[cfg(all(unix, not(target_vendor = "apple")))]
#[test]
fn wisdom_has_what_libraries_found() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let path = folder.path().join(name);
        standin_fftw::copy_without(&path, |_| false).unwrap();
        path
    };
    let [here, there] = ["here.so", "there.so"].map(copy);
    let searches = |path: &std::path::Path| {
        let text = earth_fftw::Library::open(path).unwrap().wisdom::<f64>().unwrap();
        text.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    // With one thread, only the library itself has something to measure.
    for (lengths, nodes_) in [([12, 20], 2), ([6, 10], 1)] {
        let plan = |path: &std::path::Path, wisdom: &Wisdom| {
            let planner = measuring(FavoringClock::new(1, 6)).nodes(nodes(nodes_)).wisdom(wisdom.clone());
            let plan = planner.kernel(Kernel::File(path.to_owned())).plan::<f64>(&Problem::complex(&lengths));
            assert_eq!(plan.unwrap().nodes(), Some(nodes_).filter(|&nodes| nodes > 1));
        };
        let wisdom = Wisdom::new();
        let before = [&here, &there].map(|path| searches(path));
        plan(&here, &wisdom);
        assert!(searches(&here) > before[0]);
        let text = wisdom.to_string().replace(here.to_str().unwrap(), there.to_str().unwrap());
        plan(&there, &text.parse().unwrap());
        assert_eq!(searches(&there), before[1], "{text}");
    }
}

/// Checks that a path in a wisdom does not load the file. Only a planner with the same file as its kernel
/// takes the plan with this path.
#[cfg(target_os = "linux")]
#[test]
fn wisdom_loads_no_library() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("named.so");
    standin_fftw::copy_without(&path, |_| false).unwrap();
    let is_loaded = || std::fs::read_to_string("/proc/self/maps").unwrap().contains(path.to_str().unwrap());
    let problem = Problem::complex(&[12, 20]);
    let wisdom = Wisdom::new();
    let own = measuring(FavoringClock::new(1, 6)).kernel(Kernel::RustFft).wisdom(wisdom.clone());
    let found = own.plan::<f64>(&problem).unwrap();
    assert!(!found.measured().is_empty());
    // As if that file had been measured, with either requested kernel.
    let text = wisdom.to_string().replace("\"rustfft\"", &format!("\"{}\"", path.display()));
    for asked in [None, Some(Kernel::File(path.clone()))] {
        let name = asked.as_ref().map_or("any".to_owned(), Kernel::to_string);
        let wisdom: Wisdom = text.replace("kernel rustfft", &format!("kernel {name}")).parse().unwrap();
        assert!(wisdom.to_string().contains(path.to_str().unwrap()));
        let planner = earth_papers::planner().nodes(nodes(2)).wisdom(wisdom);
        let plan = planner.kernel(asked.clone()).plan::<f64>(&problem).unwrap();
        assert_eq!(plan.measured().is_empty(), asked.is_none(), "{plan}");
        assert_eq!(is_loaded(), asked.is_some(), "{plan}");
    }
}

/// Checks two programs that measured at the same time: each has the plans of both afterwards. Of two plans of
/// one problem it has the plan of more effort.
#[test]
fn wisdom_takes_over_what_others_found() {
    let planned = |lengths: &[usize], effort: Effort, wisdom: &Wisdom| {
        let planner =
            measuring(FavoringClock::new(0, 1)).effort(effort).kernel(Kernel::RustFft).wisdom(wisdom.clone());
        planner.plan::<f64>(&Problem::complex(lengths)).unwrap();
    };
    let effort = |wisdom: &Wisdom, lengths: &[usize]| {
        let key = format!("\"{},", Problem::complex(lengths));
        let text = wisdom.to_string();
        let entry = &text[text.find(&key).unwrap()..];
        entry.split("\"effort\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let [here, there] = [Wisdom::new(), Wisdom::new()];
    planned(&[12, 20], Effort::Measure, &here);
    planned(&[6, 10], Effort::Patient, &here);
    planned(&[12, 20], Effort::Patient, &there);
    planned(&[6, 10], Effort::Measure, &there);
    planned(&[4, 9], Effort::Measure, &there);
    there.name_speeds("speeds.json".as_ref());
    let [ours, theirs] = [&here, &there].map(|wisdom| wisdom.to_string().parse::<Wisdom>().unwrap());
    ours.merge(&there);
    theirs.merge(&here);
    for wisdom in [&ours, &theirs] {
        assert_eq!(wisdom.len(), 3);
        assert_eq!(wisdom.speeds(), there.speeds());
        assert_eq!(
            [&[12, 20][..], &[6, 10], &[4, 9]].map(|lengths| effort(wisdom, lengths)),
            ["patient", "patient", "measure"]
        );
    }
    ours.merge(&ours.clone());
    assert_eq!(ours.len(), 3);
}

#[test]
fn the_limit_of_time_leaves_the_estimate() {
    let planner = measuring(FavoringClock::new(0, 0));
    let plan = planner.time_limit(Duration::ZERO).plan::<f64>(&Problem::complex(&[12, 20])).unwrap();
    assert_eq!((plan.measured().len(), plan.why(), plan.nodes()), (1, Why::Unbeaten, Some(2)));
    let text = plan.to_string();
    assert!(text.contains("because no measured candidate is faster"), "{text}");
    assert!(
        text.contains(
            "\nmeasured, the least and the median time of a call until the time limit was reached\n"
        )
    );
}

/// Each change of the text, and why it is refused.
#[test]
fn wisdom_of_others_and_what_is_none_is_refused() {
    let wisdom = Wisdom::new();
    wisdom.name_speeds("speeds.json".as_ref());
    measuring(FavoringClock::new(0, 0))
        .wisdom(wisdom.clone())
        .plan::<f64>(&Problem::complex(&[4, 4]))
        .unwrap();
    let text = wisdom.to_string();
    let read = |text: &str| text.parse::<Wisdom>();
    assert_eq!(read(&text).unwrap().speeds(), wisdom.speeds());
    let with = |field: &str, value: &str| {
        let mut content: serde_json::Value = serde_json::from_str(&text).unwrap();
        *content.pointer_mut(field).unwrap() = serde_json::from_str(value).unwrap();
        read(&content.to_string()).unwrap_err()
    };
    for none in ["", "{}", "[]", "speeds", "{\"format\": \"earth-fft performance model\", \"schema\": 1}"] {
        assert_eq!(read(none).unwrap_err(), MeasurementsError::Foreign("wisdom"), "{none:?}");
    }
    assert_eq!(with("/schema", "6"), MeasurementsError::Newer { found: 6, known: 5 });
    let older = with("/schema", "1");
    assert_eq!(older, MeasurementsError::Older { found: 1, known: 5 });
    let said = "it was written by an older earth-fft: its format is 1, and the format here is 5";
    assert_eq!(older.to_string(), said);
    assert_eq!(
        with("/origin/version", "\"0.0.9\""),
        MeasurementsError::OtherVersion { found: "0.0.9".to_owned() }
    );
    let build = with("/origin/debug_assertions", if cfg!(debug_assertions) { "false" } else { "true" });
    assert_eq!(build, MeasurementsError::OtherBuild);
    let [other, here] = if cfg!(debug_assertions) { ["without", "with"] } else { ["with", "without"] };
    let said = format!("it was measured by a build {other} debug assertions, and this build is {here} them");
    assert_eq!(build.to_string(), said);
    let found = "no vectors".to_owned();
    assert_eq!(
        with("/origin/instructions", "\"no vectors\""),
        MeasurementsError::OtherInstructions { found }
    );
    let other = with("/origin/computer/architecture", "\"z80\"");
    assert!(matches!(other, MeasurementsError::OtherComputer(_)), "{other}");
    assert!(other.to_string().starts_with("it was measured on another computer: the architecture was z80"));
    let plan = text.lines().find(|line| line.contains("4 x 4 points")).unwrap().trim();
    let plan = plan.strip_suffix("\": {").unwrap().trim_start_matches('"');
    for (field, value) in [
        ("effort", "\"hard\""),
        ("plan/algorithm", "3"),
        ("plan/nodes", "0"),
        ("plan/kernel", "\"fast\""),
        ("measured", "3"),
    ] {
        let error = with(&format!("/plans/{plan}/{field}"), value);
        assert!(matches!(error, MeasurementsError::Broken { .. }), "{field}: {error}");
    }
    // A plan of an unknown solver, or with unknown settings, is kept, but not taken.
    for (field, value) in [("algorithm", "fast"), ("settings", "fast")] {
        let mut content: serde_json::Value = serde_json::from_str(&text).unwrap();
        content["plans"][plan]["plan"][field] = value.into();
        let other = read(&content.to_string()).unwrap();
        assert!(other.to_string().contains("\"fast\""), "{other}");
        let estimating = measuring(FavoringClock::new(0, 0)).effort(Effort::Estimate).wisdom(other);
        let taken = estimating.plan::<f64>(&Problem::complex(&[4, 4])).unwrap();
        assert!(taken.measured().is_empty(), "{field}");
    }
    // The text cut off anywhere.
    for end in (0..text.trim_end().len()).step_by(7) {
        let error = read(&text[..end]).unwrap_err();
        assert!(
            matches!(error, MeasurementsError::Broken { .. } | MeasurementsError::Foreign(_)),
            "{end}: {error}"
        );
    }
}

/// The wisdom of one planner gives another planner the kernel, so ranks that share it plan the same.
#[test]
fn a_distributed_plan_takes_the_kernel_that_is_fastest_for_a_share_of_a_rank() {
    let by = |planner: &Planner, lengths: &[usize]| {
        let plan = planner.plan_distributed::<f64>(&Problem::complex(lengths), 2, Order::Natural);
        plan.unwrap().to_string()
    };
    for lengths in [&[32, 16][..], &[256]] {
        let [own, other] =
            [Kernel::Earth, Kernel::RustFft].map(|kernel| by(&Planner::new().kernel(kernel), lengths));
        assert_ne!(own, other);
        let (wisdom, clock) = (Wisdom::new(), FavoringClock::new(1, 1));
        let measuring = Planner::new().effort(Effort::Measure).clock(clock).wisdom(wisdom.clone());
        assert_eq!(by(&measuring, lengths), other);
        assert_eq!(wisdom.len(), 1);
        let read = wisdom.to_string().parse::<Wisdom>().unwrap();
        assert_eq!(by(&Planner::new().wisdom(read), lengths), other);
        assert_eq!(by(&Planner::new().wisdom(Wisdom::new()), lengths), own);
    }
}
