use std::cell::RefCell;
use std::f64::consts::TAU;

use super::*;
use crate::request::{Counters, Outcome};
use crate::request::{Parts, Refusal, Use};

fn bench(programs: &Naive, cores: usize) -> Bench<'_, Naive> {
    Bench { programs, cores, deadline: None }
}

/// Some of the sunspots, less their mean.
fn sunspots(n: usize) -> Subject<f64> {
    Subject { given: 309, samples: series::sunspots_of(n), ..Subject::sunspots() }
}

/// Sums by the definition; SPN takes a second for P nodes and DUAL three, by its own account.
#[derive(Default)]
struct Naive {
    asked: RefCell<Vec<Request>>,
    damage: f64,
}

impl Programs for Naive {
    fn admit(&self, _: &Request, _: usize, _: u64) -> Result<(), Refusal> {
        Ok(())
    }

    fn transform<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError> {
        self.asked.borrow_mut().push(*request);
        let n = samples.len();
        let mut spectrum: Vec<Complex<T>> = (0..n)
            .map(|k| {
                samples.iter().enumerate().fold(Complex::new(T::zero(), T::zero()), |sum, (j, x)| {
                    let w = Complex::from_polar(1.0, -TAU * (j * k % n) as f64 / n as f64);
                    sum + *x * Complex::new(T::of(w.re), T::of(w.im))
                })
            })
            .collect();
        spectrum[n / 2].im += T::of(self.damage);
        let nodes = request.nodes.unwrap().get();
        Ok(Outcome {
            spectrum,
            algorithm_used: "naive".to_owned(),
            nodes,
            block: request.block.map(NonZeroUsize::get),
            seconds: if request.config == Config::Spn { 1.0 } else { 3.0 } * nodes as f64,
            parts: Parts::default(),
            units: Use::default(),
            paper_tokens: 0,
            half_butterflies: 0,
            in_place: None,
            counters: Counters { fibers: nodes as u64, ..Counters::default() },
        })
    }
}

#[test]
fn every_node_count_is_asked_at_equal_nodes_and_at_equal_cores() {
    let plans = plans(4096, 4);
    assert_eq!(plans.len(), 3 * 2 * 3);
    for nodes in [1, 2, 4] {
        for block in [16, 64, 256] {
            assert!(plans.contains(&Plan {
                equal: Equal::Nodes,
                block,
                spn_nodes: nodes,
                dual_nodes: nodes
            }));
            assert!(plans.contains(&Plan {
                equal: Equal::Cores,
                block,
                spn_nodes: 2 * nodes,
                dual_nodes: nodes
            }));
        }
    }
    let most = |plans: &[Plan]| plans.iter().map(|plan| (plan.spn_nodes, plan.dual_nodes)).max();
    assert_eq!(most(&super::plans(64, 1)), Some((4, 2)), "one core is tried beyond its number too");
    assert_eq!(most(&super::plans(64, 1000)), Some((64, 32)));
}

#[test]
fn the_number_of_blocks_does_not_grow_with_the_signal() {
    let blocks = |n| {
        let mut blocks: Vec<_> = super::plans(n, 1).iter().map(|plan| plan.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    };
    assert_eq!(blocks(1 << 20), [1 << 12, 1 << 14, 1 << 16]);
    assert_eq!(blocks(64), [1, 4]);
    assert_eq!([blocks(8), blocks(1)], [[1], [1]]);
}

#[test]
fn a_row_is_verified_and_then_eleven_pairs_in_turn_each_run_after_an_untimed_one() {
    let naive = Naive::default();
    let report = bench(&naive, 1).compare(sunspots(64)).unwrap();
    let asked = naive.asked.borrow();
    let in_a_row = 2 + PAIRS * 4;
    assert_eq!(asked.len(), report.rows.len() * in_a_row);
    for row in asked.chunks(in_a_row) {
        let configs: Vec<_> = row.iter().map(|request| request.config).collect();
        assert_eq!(configs[..2], [Config::Spn, Config::Dual]);
        let pair = [Config::Spn, Config::Spn, Config::Dual, Config::Dual];
        assert!(configs[2..].chunks(4).all(|runs| runs == pair));
    }
    let (nodes, cores) = (&report.rows[0], &report.rows[2]);
    assert_eq!((nodes.equal, nodes.spn.threads, nodes.dual.threads), (Equal::Nodes, 1, 2));
    assert_eq!((cores.equal, cores.spn.threads, cores.dual.threads), (Equal::Cores, 2, 2));
    assert_eq!(nodes.ratio, Spread { min: 3.0, median: 3.0, max: 3.0 });
    assert_eq!(cores.ratio, Spread { min: 1.5, median: 1.5, max: 1.5 });
    assert_eq!((nodes.spn.counters.fibers, cores.spn.counters.fibers), (1, 2));
    assert!((nodes.spn.gflops * 1e9 - 5.0 * 64.0 * 6.0).abs() < 1e-6);
    assert_eq!(report.rows_left_out, 0);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["rows"][2]["equal"], "cores");
    assert_eq!(json["rows"][2]["spn"]["fibers"], 2);
}

#[test]
fn a_wrong_spectrum_ends_the_comparison() {
    let naive = Naive { damage: 1e-3, ..Naive::default() };
    let failure = bench(&naive, 1).compare(sunspots(64)).unwrap_err();
    assert!(matches!(failure, Failure::Wrong { error, .. } if error > 1e-7));
}

#[test]
fn other_sizes_are_fitted() {
    let ramp = |n: u16| (0..n).map(|j| Complex::new(f32::from(j), 0.5)).collect::<Vec<_>>();
    let padded = Subject::fitted("ramp".to_owned(), ramp(5));
    let expected = [-2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0].map(|re| Complex::new(re, 0.0));
    assert_eq!((padded.given, padded.samples.as_slice()), (5, &expected[..]));
    let whole = Subject::fitted("ramp".to_owned(), ramp(8));
    assert_eq!((whole.given, &whole.samples), (8, &ramp(8)), "nothing is taken from a signal that fits");
    let mut long = vec![Complex::new(1.0, 0.0); MOST_POINTS + 1];
    long[MOST_POINTS].re = 7.0;
    let cut = Subject::fitted("long".to_owned(), long);
    assert_eq!((cut.given, cut.samples.len()), (MOST_POINTS, MOST_POINTS));
    assert!(cut.samples.iter().all(|z| z.re < 2.0));
}

#[test]
fn a_spent_budget_leaves_rows_out() {
    let naive = Naive::default();
    let late = Bench { deadline: Some(Instant::now()), ..bench(&naive, 1) };
    let report = late.compare(sunspots(64)).unwrap();
    assert!(report.rows.is_empty() && naive.asked.borrow().is_empty());
    assert_eq!(report.rows_left_out, plans(64, 1).len());
    assert!(
        report
            .to_string()
            .contains(&format!("Rows left out because the time was over: {}.", report.rows_left_out))
    );
}

#[test]
fn the_bundled_series_shows_its_eleven_years() {
    let naive = Naive::default();
    let report = bench(&naive, 1).compare(sunspots(256)).unwrap();
    let period = report.strongest_period.unwrap();
    assert!((10.0..12.0).contains(&period), "{period}");
    let text = report.to_string();
    assert!(text.contains("yearly sunspot numbers, 1700 to 2008: 309 samples"), "{text}");
    assert!(text.contains(&format!("strongest line: one turn in {period:.1} years")), "{text}");
}

#[test]
fn a_report_tells_equal_nodes_from_equal_cores_and_fits_a_terminal() {
    let naive = Naive::default();
    let report =
        bench(&naive, 2).compare(Subject { samples: series::sunspots_of(64), ..Subject::sunspots() });
    let text = report.unwrap().to_string();
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 79).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let line = |start: &str| text.lines().position(|line| line.starts_with(start)).expect(start);
    let (nodes, cores, work) =
        (line("At equal nodes: "), line("At equal cores: "), line("What one transform"));
    let fields = |at: usize| text.lines().nth(at).unwrap().split_whitespace().collect::<Vec<_>>();
    assert!(nodes < cores && cores < work);
    // One node of each: a thread against two, which the two cores can have.
    assert_eq!(fields(nodes + 3)[..3], ["1:1", "1:2", "1"]);
    assert_eq!(fields(nodes + 3)[3..10], ["1.000", "s", "3.000", "s", "3.00", "3.00", "3.00"]);
    assert_eq!(fields(nodes + 5)[..3], ["2:2", "2:4*", "1"]);
    assert_eq!(fields(cores + 3)[..3], ["2:1", "2:2", "1"]);
    assert_eq!(fields(cores + 3)[7], "1.50");
    assert_eq!(fields(cores + 5)[..2], ["4:2", "4:4*"]);
    // The naive programs count a fiber a node: two block sizes on one, two and four nodes, each once.
    assert_eq!(fields(work + 3), ["1", "1", "0", "0", "0", "0"]);
    let counted = text.lines().skip(work + 3).take_while(|line| !line.is_empty()).count();
    assert_eq!(counted, 6, "{text}");
    assert!(text.ends_with("SPN is faster in 4 of 4 rows at equal nodes, 4 of 4 rows at equal cores."));
    assert!(text.contains("every row is verified"));
}

#[test]
fn what_is_not_finite_is_not_called_verified() {
    let mut samples = vec![Complex::new(1.0, 0.0); 16];
    samples[3].im = f64::NAN;
    let naive = Naive::default();
    let report = bench(&naive, 1).compare(Subject::fitted("x.csv".to_owned(), samples)).unwrap();
    let text = report.to_string();
    assert!(!text.contains("every row is verified") && text.contains("nothing is verified"), "{text}");
    assert!(serde_json::to_value(&report).unwrap()["rows"][0]["verified_error"].is_null());
    assert_eq!(report.strongest_period, None);
}

#[test]
fn the_middle_is_the_median() {
    assert_eq!(Spread::of(vec![5.0, 1.0, 9.0]), Spread { min: 1.0, median: 5.0, max: 9.0 });
}
