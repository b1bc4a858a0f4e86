//! Checks plans with rates: each pass of each program has a forecast and a bound, candidates far slower than
//! the best are not run, and rates of another origin are refused. The rates are of made-up machines.

use std::collections::BTreeMap;

use earth_fft::advisor::{
    Bound, Curve, KernelRates, Level, Lines, MemoryRates, NodeRates, PassWork, Pattern,
};
use earth_fft::{
    Effort, Forecast, Kernel, Kind, Layout, MeasurementsError, Plan, Planner, Precision, Problem, Rates,
    Wisdom,
};

use super::measured::FavoringClock;
use super::nodes;

/// Returns the rates of a machine. Its kernels take `own` and `other` nanoseconds for each point and factor,
/// its memory transfers `bandwidth` bytes a nanosecond.
fn machine(own: f64, other: f64, bandwidth: f64) -> Rates {
    let flat = |value| Curve::new(vec![[1.0, value]]);
    let mut kernels = Vec::new();
    for point in [8, 16] {
        for (kernel, cost) in
            [("earth-avx512", own), ("earth-avx2", own), ("earth-portable", own), ("rustfft", other)]
        {
            for lines in [Lines::Rows, Lines::Columns, Lines::Turned] {
                let factors = ["2", "3", "5", "7", "other"].map(|name| (name.to_owned(), cost));
                let (kernel, length) = (kernel.to_owned(), flat(1.0));
                let like = KernelRates {
                    kernel,
                    lines,
                    point,
                    multiple: 1,
                    chirp: false,
                    overlap: 0.5,
                    line: 1.0,
                    length,
                    factors: factors.into(),
                };
                let factors = BTreeMap::from([("log2".to_owned(), 3.0 * cost)]);
                kernels.extend([KernelRates { chirp: true, factors, ..like.clone() }, like]);
            }
        }
    }
    let memory = [Pattern::Stream, Pattern::Columns].map(|pattern| MemoryRates {
        pattern,
        threads: 1,
        rate: flat(bandwidth),
    });
    let steps = ["real", "gathered", "sender", "exchange", "reorder", "ask", "ask-shared"];
    Rates {
        levels: vec![Level { name: "L1".to_owned(), bytes: 32 << 10 }],
        memory: memory.to_vec(),
        nodes: NodeRates { run: 1000.0, part: 100.0, tile: 10.0 },
        steps: steps.map(|name| (name.to_owned(), 5.0)).into(),
        kernels,
    }
}

/// Returns the forecast of a plan, after a check of the number of its passes and of their sum.
#[track_caller]
fn foretold<T: Precision, K: Kind>(plan: &Plan<T, K>, passes: usize) -> &Forecast {
    let forecast = plan.forecast().unwrap_or_else(|| panic!("{plan}"));
    assert_eq!(forecast.passes.len(), passes, "{forecast}");
    let all: f64 = forecast.passes.iter().map(|(_, predicted)| predicted.time).sum();
    assert!((forecast.nanoseconds() - forecast.run - all).abs() < 1e-6 && all.is_finite() && all > 0.0);
    assert_eq!(forecast.run > 0.0, plan.nodes().is_some());
    let (plain, text) = (plan.to_string(), format!("{plan:#}"));
    assert!(text.starts_with(&plain) && text.ends_with(&forecast.to_string()), "{text}");
    assert_eq!(text.matches("bound by").count(), passes);
    forecast
}

#[test]
fn passes_of_all_kinds_are_predicted() {
    let planner = earth_papers::planner().rates(machine(1.0, 1.0, 10.0));
    let one = planner.clone().nodes(nodes(1));
    let plan = |planner: &Planner, problem: &Problem| planner.plan::<f64>(problem).unwrap();
    foretold(&plan(&one, &Problem::complex(&[1000])), 1);
    foretold(&plan(&one, &Problem::complex(&[37])), 1);
    foretold(&plan(&one, &Problem::complex(&[40, 60])), 2);
    foretold(&plan(&one, &Problem::complex(&[4, 22, 74])), 3);
    foretold(&one.plan::<f32>(&Problem::complex(&[4, 22, 74])).unwrap(), 3);
    let columns = Layout { strides: vec![40], distance: 1 };
    foretold(&plan(&one, &Problem::complex(&[20]).batch(40).layout(columns)), 1);
    foretold(&one.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[40, 60])).unwrap(), 2);
    foretold(&one.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[4, 40, 60])).unwrap(), 3);
    let two = planner.clone().nodes(nodes(2));
    foretold(&plan(&two, &Problem::complex(&[40, 60])), 2);
    foretold(&plan(&two, &Problem::complex(&[8, 40, 60])), 3);
    foretold(&plan(&two, &Problem::complex(&[4096])), 2);
    foretold(&two.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[40, 60])).unwrap(), 2);
    foretold(&two.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[40, 60]).padded()).unwrap(), 2);
    foretold(&two.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[8192])).unwrap(), 2);
    for (algorithm, lengths, passes) in [
        ("grouped", &[40, 60][..], 4),
        ("grouped", &[48, 48], 4),
        ("sender", &[1024], 4),
        ("receiver", &[1024], 2),
        ("receiver-shared", &[1024], 2),
        ("ffte", &[4096], 2),
    ] {
        foretold(&plan(&two.clone().algorithm(algorithm), &Problem::complex(lengths)), passes);
    }
    // There is no forecast without rates, for phantoms, and for kernels without rates.
    let problem = Problem::complex(&[40, 60]);
    let known = plan(&one, &problem);
    let plain = plan(&earth_papers::planner().nodes(nodes(1)), &problem);
    assert_eq!(plain.forecast(), None);
    assert_eq!((format!("{plain:#}"), plain.to_string()), (known.to_string(), known.to_string()));
    assert_eq!(plan(&one.clone().phantom(), &problem).forecast(), None);
    let foreign = one.kernel(Kernel::File(standin_fftw::path()));
    assert_eq!(plan(&foreign, &problem).forecast(), None);
}

#[test]
fn bytes_and_lines_are_those_of_the_passes() {
    let planner = earth_papers::planner().rates(machine(1.0, 1.0, 10.0)).nodes(nodes(1));
    let counts = |forecast: &Forecast| -> Vec<[usize; 4]> {
        let of = forecast.passes.iter().map(|(pass, _)| {
            let PassWork::Lines { len, lines, .. } = pass.work else { panic!("{pass:?}") };
            [len, lines, pass.bytes, pass.footprint]
        });
        of.collect()
    };
    let matrix = planner.plan::<f64>(&Problem::complex(&[300, 400])).unwrap();
    let bytes = 300 * 400 * 16;
    assert_eq!(counts(foretold(&matrix, 2)), [[400, 300, 2 * bytes, bytes], [300, 400, 2 * bytes, bytes]]);
    // Three planes stay in a cache between their two passes.
    let volume = planner.plan::<f64>(&Problem::complex(&[48, 60, 80])).unwrap();
    let (plane, bytes) = (60 * 80 * 16, 48 * 60 * 80 * 16);
    assert_eq!(
        counts(foretold(&volume, 3)),
        [[80, 2880, 2 * bytes, bytes], [60, 3840, 2 * bytes, plane * 3], [48, 4800, 2 * bytes, bytes]]
    );
    // Out of place there are two arrays, and a real number is half a point.
    let real = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[300, 400])).unwrap();
    let (numbers, points) = (300 * 400 * 8, 300 * 201 * 16);
    assert_eq!(
        counts(foretold(&real, 2)),
        [[200, 300, numbers + points, numbers + points], [300, 201, 2 * points, points]]
    );
}

#[test]
fn the_bound_of_a_pass_is_reported() {
    let problem = Problem::complex(&[512, 512]);
    let bound = |rates: Rates, planner: Planner| -> Vec<Bound> {
        let plan = planner.rates(rates).plan::<f64>(&problem).unwrap();
        foretold(&plan, 2).passes.iter().map(|(_, predicted)| predicted.bound()).collect()
    };
    let one = earth_papers::planner().nodes(nodes(1));
    assert_eq!(bound(machine(1.0, 1.0, 1e3), one.clone()), [Bound::Computation, Bound::Computation]);
    let memory = Bound::Memory("memory".to_owned());
    assert_eq!(bound(machine(1.0, 1.0, 1e-3), one), [memory.clone(), memory]);
    let mut slow = machine(1e-3, 1e-3, 1e3);
    slow.nodes.part = 1e9;
    let two = earth_papers::planner().nodes(nodes(2));
    assert_eq!(bound(slow, two), [Bound::Synchronization, Bound::Synchronization]);
}

#[test]
fn candidates_far_slower_than_the_best_are_not_run() {
    // Columns, which are long, always have kernels of the project's own.
    let problem = Problem::complex(&[512, 4]);
    let plan = |rates: Option<Rates>, wisdom: &Wisdom| {
        let planner = earth_papers::planner().effort(Effort::Measure).nodes(nodes(2)).algorithm("two-pass");
        planner
            .clock(FavoringClock::new(0, 0))
            .rates(rates)
            .wisdom(wisdom.clone())
            .plan::<f64>(&problem)
            .unwrap()
    };
    let all = plan(None, &Wisdom::new());
    let few = plan(Some(machine(1.0, 50.0, 1e3)), &Wisdom::new());
    let by_rustfft = all.measured().iter().filter(|timed| timed.what.contains("rustfft")).count();
    assert!(by_rustfft > 1 && all.pruned() == 0);
    let text: Vec<_> = few.measured().iter().map(|timed| timed.what.as_str()).collect();
    assert_eq!((few.pruned() + text.len(), few.pruned() > 0), (all.measured().len(), true), "{few}");
    assert!(few.to_string().contains(&format!(
        "time of a call, without {} candidates predicted to take over 2 times as long as the best one\n",
        few.pruned()
    )));
    // Between two kernels of equal cost no candidate is pruned. Wisdom stores the number of pruned
    // candidates.
    assert_eq!(plan(Some(machine(1.0, 1.0, 1e3)), &Wisdom::new()).pruned(), 0);
    let wisdom = Wisdom::new();
    let first = plan(Some(machine(1.0, 50.0, 1e3)), &wisdom);
    let read: Wisdom = wisdom.to_string().parse().unwrap();
    let again = plan(None, &read);
    assert_eq!((again.pruned(), again.measured()), (first.pruned(), first.measured()));
}

/// Each change of the text, and why it is refused.
#[test]
fn rates_of_others_and_what_has_none_are_refused() {
    let rates = machine(1.0, 2.0, 3.0);
    let text = rates.to_string();
    let read = |text: &str| text.parse::<Rates>();
    assert_eq!(read(&text), Ok(rates));
    for none in ["", "[]", "rates", "format = \"earth-fft wisdom\"\nschema = 1\n", "{\"format\": 3}"] {
        assert_eq!(read(none), Err(MeasurementsError::Foreign("rates")), "{none:?}");
    }
    let with = |line: &str, instead: &str| {
        assert!(text.contains(line), "{text}");
        read(&text.replacen(line, instead, 1)).unwrap_err()
    };
    let newer = with("schema = 2", "schema = 3");
    assert_eq!(newer, MeasurementsError::Newer { found: 3, known: 2 });
    assert!(newer.to_string().starts_with("it was written by a newer earth-fft: its format is 3"));
    assert_eq!(with("schema = 2", "schema = 1"), MeasurementsError::Older { found: 1, known: 2 });
    let here = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let elsewhere = with(&here, "version = \"0.0.9\"");
    assert_eq!(elsewhere, MeasurementsError::OtherVersion { found: "0.0.9".to_owned() });
    let build = format!("debug_assertions = {}", cfg!(debug_assertions));
    assert_eq!(
        with(&build, &format!("debug_assertions = {}", !cfg!(debug_assertions))),
        MeasurementsError::OtherBuild
    );
    let architecture = format!("architecture = \"{}\"", std::env::consts::ARCH);
    let other = with(&architecture, "architecture = \"z80\"");
    assert!(other.to_string().starts_with("it was measured on another computer: the architecture was z80"));
    for (line, instead) in [
        ("run = 1000.0", "run = -1.0"),
        ("run = 1000.0", "run = \"long\""),
        ("run = 1000.0", "runs = 1.0"),
        ("multiple = 1", "multiple = 0"),
        ("pattern = \"stream\"", "pattern = \"columns\""),
    ] {
        let broken = with(line, instead);
        assert!(matches!(broken, MeasurementsError::Broken { .. }), "{instead}: {broken}");
        assert!(!broken.to_string().contains('\n'), "{broken}");
    }
    // The text cut off anywhere before the last list.
    for end in (0..text.find("[[rates.kernels]]").unwrap()).step_by(31) {
        let error = read(&text[..end]).unwrap_err();
        assert!(
            matches!(error, MeasurementsError::Broken { .. } | MeasurementsError::Foreign(_)),
            "{end}: {error}"
        );
    }
}
