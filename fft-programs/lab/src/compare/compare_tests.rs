use earth_kernels::{Direction, dft_nd};

use super::report::Equal;
use super::*;

fn bench(cores: usize) -> Bench {
    Bench { planner: earth_papers::planner(), cores, policy: Policy::default(), cancel: CancelToken::new() }
}

/// Progress whose time is over from the beginning, or never.
struct Over(bool);

impl Progress for Over {
    fn begin(&self, _: u64) {}
    fn done(&self, _: u64) {}
    fn is_over(&self) -> bool {
        self.0
    }
}

const IN_TIME: Over = Over(false);

/// Returns the last `n` yearly sunspot numbers minus their mean, zero-padded to `n`.
fn sunspots(n: usize) -> Subject<f64> {
    let lines = include_str!("../../../data/sunspots.csv").lines();
    let years: Vec<f64> = lines.filter_map(|line| line.parse().ok()).collect();
    let kept = &years[years.len().saturating_sub(n)..];
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let mut samples: Vec<_> = kept.iter().map(|year| Complex::from(year - mean)).collect();
    samples.resize(n, Complex::default());
    let name = "yearly sunspot numbers, 1700 to 2008".to_owned();
    Subject { name, unit: "year", given: years.len(), shape: Shape::Line(n), samples, notes: Vec::new() }
}

/// Returns a small matrix of distinct samples.
fn matrix() -> Subject<f64> {
    let samples = (0..24_u16).map(|j| Complex::new(f64::from(j * j), 1.0)).collect();
    Subject::fitted("m.npy".to_owned(), samples, Shape::Matrix { rows: 4, cols: 6 })
}

/// Transforms by the definition of the DFT. SPN reports P seconds on P nodes, DUAL three times as much.
#[derive(Default)]
struct Naive {
    run: Vec<Run>,
    damage: f64,
}

impl Naive {
    fn transform(&mut self, run: Run, subject: &Subject<f64>) -> Ran<f64> {
        self.run.push(run);
        let (rows, cols) = run.shape.sides().unwrap_or((1, subject.samples.len()));
        let mut spectrum = dft_nd(&[rows, cols], &subject.samples, Direction::Forward);
        let n = spectrum.len();
        spectrum[n / 2].im += self.damage;
        let mut counters = Counters::default();
        (counters.fibers, counters.eu_busy) = (run.nodes as u64, Duration::from_secs(self.run.len() as u64));
        Ran {
            spectrum,
            seconds: if run.config == Config::Spn { 1.0 } else { 3.0 } * run.nodes as f64,
            counters,
            counts: Counts::default(),
        }
    }

    fn compare(
        &mut self,
        cores: usize,
        subjects: &[Subject<f64>],
        time: &Over,
    ) -> Result<Report, CompareError> {
        bench(cores).compared(subjects, time, &mut |run, subject| Ok(self.transform(run, subject)))
    }
}

#[test]
fn a_row_is_verified_and_then_eleven_pairs_in_turn() {
    let mut naive = Naive::default();
    let report = naive.compare(1, &[sunspots(64), matrix()], &IN_TIME).unwrap();
    let run = &naive.run;
    let in_a_row = 2 + PAIRS * 2;
    assert_eq!(run.len(), report.rows.len() * in_a_row);
    for (sides, row) in run.chunks(in_a_row).zip(&report.rows) {
        let configs: Vec<_> = sides.iter().map(|side| side.config).collect();
        assert_eq!(configs[..2], [Config::Spn, Config::Dual]);
        let pair = [Config::Spn, Config::Dual];
        assert!(configs[2..].chunks(2).all(|runs| runs == pair));
        assert!(sides.iter().all(|side| side.algorithm == row.algorithm));
    }
    let [nodes, cores] = [&report.rows[0], &report.rows[1]];
    assert_eq!((nodes.equal, nodes.spn.threads, nodes.dual.threads), (Equal::Nodes, 1, 2));
    assert_eq!((cores.equal, cores.spn.threads, cores.dual.threads), (Equal::Cores, 2, 2));
    assert_eq!([nodes.ratio, cores.ratio], [3.0, 1.5].map(|ratio| Spread::of(vec![ratio])));
    assert_eq!((nodes.spn.counters[0], cores.spn.counters[0]), (1, 2));
    assert!((nodes.spn.gflops * 1e9 - 5.0 * 64.0 * 6.0).abs() < 1e-6);
    // The timed runs of the first SPN side are the 3rd, 5th, .. 23rd run.
    assert!((nodes.spn.units.eu_busy - 13.0).abs() < 1e-9, "{}", nodes.spn.units.eu_busy);
    assert_eq!((report.rows_left_out, report.rows_too_large), (0, 0));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["rows"][1]["equal"], "cores");
    assert_eq!(json["rows"][1]["spn"]["fibers"], 2);
    assert_eq!((&json["subjects"][1]["rows"], &json["subjects"][1]["cols"]), (&4.into(), &6.into()));
    let matrices = report.rows.iter().filter(|row| row.subject == 1);
    assert!(matrices.clone().count() == 6 && matrices.into_iter().all(|row| row.algorithm == "grouped"));
}

/// On real cores, the machines of both configurations have the policy, and the fastest side is traced.
#[test]
fn both_configurations_run_under_the_policy_that_is_reported() {
    let policy = Policy { feed: 3, ..Policy::default() };
    let (bench, subject) = (Bench { policy, ..bench(1) }, sunspots(64));
    let report = bench.compare(std::slice::from_ref(&subject), &IN_TIME).unwrap();
    assert_eq!(serde_json::to_value(&report).unwrap()["policy"], serde_json::to_value(policy).unwrap());
    for config in [Config::Spn, Config::Dual] {
        let shape = subject.shape;
        let run = Run { shape, algorithm: "sender", block: Some(16), config, nodes: 2 };
        let machine = format!("{:?}", bench.machine(run));
        assert!(machine.contains(&format!("{policy:?}")) && machine.contains(&format!("config: {config:?}")));
    }
    let (run, records) = bench.trace_fastest(&report, &subject).unwrap().unwrap();
    assert!(run.shape == subject.shape && format!("{records:?}").len() > 100, "{records:?}");
}

#[test]
fn a_cancelled_comparison_is_an_interruption() {
    let bench = bench(1);
    bench.cancel.cancel();
    let ended = bench.compare(&[sunspots(64)], &IN_TIME).unwrap_err();
    let cancelled = TransformError::Machine(earth::Error::Cancelled);
    assert!(matches!(&ended, CompareError::Transform(why) if *why == cancelled), "{ended}");
}

#[test]
fn a_wrong_spectrum_ends_the_comparison() {
    let mut naive = Naive { damage: 1e-3, ..Naive::default() };
    let failure = naive.compare(1, &[sunspots(64)], &IN_TIME).unwrap_err();
    assert!(matches!(failure, CompareError::Wrong(verified) if verified.relative_error() > 1e-7));
}

#[test]
fn a_spent_budget_leaves_rows_out() {
    let mut naive = Naive::default();
    let report = naive.compare(1, &[sunspots(64)], &Over(true)).unwrap();
    assert!(report.rows.is_empty() && naive.run.is_empty());
    assert_eq!(report.rows_left_out, plans(&[Shape::Line(64)], 1, |_| Vec::new()).0.len());
    assert!(
        report
            .document()
            .to_string()
            .contains(&format!("Rows left out because the time was over: {}.", report.rows_left_out))
    );
}

#[test]
fn the_bundled_series_shows_its_eleven_years() {
    let subject = sunspots(512);
    let Subject { name, unit, given, shape, samples, .. } = subject;
    let mut about = SubjectInfo::of(name, given, shape, "f64", unit);
    describe(&mut about, &dft_nd(&[1, 512], &samples, Direction::Forward));
    let period = about.strongest_period.unwrap();
    assert!((10.0..12.0).contains(&period), "{period}");
    // The cycle has an amplitude of about forty sunspots.
    let top = about.amplitudes.iter().copied().fold(0.0, f64::max);
    assert!(about.amplitudes.len() == 256 && (20.0..60.0).contains(&top), "{top}");
    let mut naive = Naive::default();
    let report = naive.compare(1, &[sunspots(512)], &Over(true));
    let text = Report { subjects: vec![about], ..report.unwrap() }.document().to_string();
    assert!(
        text.contains("yearly sunspot numbers, 1700 to 2008: 309 samples, then zeros: N = 512 (f64)"),
        "{text}"
    );
    assert!(text.contains(&format!("strongest line: one cycle in {period:.1} years")), "{text}");
}

#[test]
fn a_report_separates_equal_nodes_from_equal_cores_and_fits_a_terminal() {
    let mut naive = Naive::default();
    let report = naive.compare(2, &[sunspots(64), matrix()], &IN_TIME).unwrap();
    let text = report.document().to_string();
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 79).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let line = |start: &str| text.lines().position(|line| line.starts_with(start)).expect(start);
    let (nodes, cores, work) =
        (line("At equal nodes: "), line("At equal cores: "), line("What one transform"));
    assert!(line("m.npy: 4 x 6 samples (f64)") < nodes && nodes < cores && cores < work);
    let fields = |at: usize| text.lines().nth(at).unwrap().split_whitespace().collect::<Vec<_>>();
    let find = |from: usize, start: &[&str]| {
        (from..text.lines().count()).map(fields).find(|fields| fields.starts_with(start)).expect("such a row")
    };
    // One node each: one thread against two, on two cores.
    let row = find(nodes, &["sender", "1:1", "1"]);
    assert_eq!(row[3..], ["1.000", "s", "3.000", "s", "3.00", "3.00", "3.00"]);
    find(nodes, &["receiver", "2:2*"]);
    assert_eq!(find(cores, &["grouped", "2:1"])[6], "1.50");
    find(cores, &["receiver-shared", "4:2*"]);
    // The naive programs count one fiber per node, on one, two, four and eight nodes.
    assert_eq!(find(work, &["sender", "8"])[3..], ["8", "0", "0", "0", "0"]);
    let counted = text.lines().skip(work + 3).take_while(|line| !line.is_empty()).count();
    assert_eq!(counted, 4 * (2 + 1 + 1 + 1), "{text}");
    assert!(text.ends_with("SPN is faster in 15 of 15 rows at equal nodes, 15 of 15 rows at equal cores."));
    assert!(text.contains("every row is verified"));
}

#[test]
fn non_finite_results_are_not_verified() {
    let mut samples = vec![Complex::new(1.0, 0.0); 16];
    samples[3].im = f64::NAN;
    let mut naive = Naive::default();
    let report =
        naive.compare(1, &[Subject::fitted("x.csv".to_owned(), samples, Shape::Line(16))], &IN_TIME).unwrap();
    let text = report.document().to_string();
    assert!(!text.contains("every row is verified") && text.contains("no row is verified"), "{text}");
    assert!(serde_json::to_value(&report).unwrap()["rows"][0]["verified_error"].is_null());
    assert_eq!(report.subjects[0].strongest_period, None);
}
