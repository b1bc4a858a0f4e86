use std::cell::RefCell;
use std::f64::consts::TAU;

use super::*;
use crate::request::Outcome;

/// Sums by the definition; SPN takes a second for P nodes and DUAL three, by its own account.
#[derive(Default)]
struct Naive {
    asked: RefCell<Vec<Request>>,
    damage: f64,
}

impl Programs for Naive {
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
            reorder_seconds: 0.0,
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
    assert!(super::plans(8, 1).iter().all(|plan| plan.block == 8 && plan.dual_nodes <= 2));
    assert_eq!(super::plans(64, 1000).iter().map(|plan| plan.spn_nodes).max(), Some(64));
}

#[test]
fn a_row_is_eleven_pairs_in_turn_after_one_that_is_verified() {
    let naive = Naive::default();
    let report = compare(series::sunspots_of(64), &naive, 1, BUDGET).unwrap();
    let asked = naive.asked.borrow();
    assert_eq!(asked.len(), report.rows.len() * 2 * (PAIRS + 1));
    assert!(asked.chunks(2).all(|pair| pair[0].config == Config::Spn && pair[1].config == Config::Dual));
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
    let failure = compare(series::sunspots_of(64), &naive, 1, BUDGET).unwrap_err();
    assert!(matches!(failure, Failure::Wrong { error, .. } if error > 1e-7));
}

#[test]
fn other_sizes_are_padded_and_a_spent_budget_leaves_rows_out() {
    let samples = vec![Complex::new(1.0_f32, 0.5); 5];
    let report = compare(samples, &Naive::default(), 1, BUDGET).unwrap();
    assert_eq!((report.samples, report.n, report.precision), (5, 8, "f32"));
    assert_eq!(report.rows.iter().map(|row| row.block).max(), Some(8));
    let report = compare(series::sunspots_of(64), &Naive::default(), 1, Duration::ZERO).unwrap();
    assert!(report.rows.is_empty() && report.rows_left_out > 0);
}

#[test]
fn the_bundled_series_shows_its_eleven_years() {
    let samples = series::sunspots_of(256);
    let spectrum = Naive::default()
        .transform(
            &Request {
                algorithm: Algorithm::Sender,
                config: Config::Spn,
                nodes: NonZeroUsize::new(1),
                block: None,
                inverse: false,
            },
            samples,
        )
        .unwrap()
        .spectrum;
    let period = strongest_period(&spectrum).unwrap();
    assert!((10.0..12.0).contains(&period), "{period}");
    assert_eq!(strongest_period(&[Complex::new(1.0, 0.0), Complex::new(0.0, 0.0)]), None);
}

#[test]
fn the_middle_is_the_median() {
    assert_eq!(Spread::of(vec![5.0, 1.0, 9.0]), Spread { min: 1.0, median: 5.0, max: 9.0 });
}
