//! Searches on functions whose least points are known.

use std::cell::Cell;

use super::*;

/// A function of integers, and the number of its runs.
struct Counted<F> {
    function: F,
    /// Returns the greatest feasible value of a parameter, given the values before it.
    most: fn(&[usize]) -> usize,
    runs: usize,
}

fn counted<F: Fn(&[usize]) -> f64>(function: F) -> Counted<F> {
    Counted { function, most: |_| usize::MAX, runs: 0 }
}

impl<F: Fn(&[usize]) -> f64> Objective for Counted<F> {
    type Error = &'static str;

    fn feasible(&self, point: &[usize]) -> Vec<usize> {
        let mut feasible = Vec::new();
        for &value in point {
            let most = (self.most)(&feasible);
            feasible.push(value.min(most));
        }
        feasible
    }

    fn cost(&mut self, point: &[usize]) -> Result<f64, Self::Error> {
        self.runs += 1;
        let cost = (self.function)(point);
        if cost.is_nan() { Err("no number") } else { Ok(cost) }
    }
}

/// Distance from a point by powers of two.
fn distance(point: &[usize], least: &[usize]) -> f64 {
    let square = |(&value, &least): (&usize, &usize)| (value as f64 / least as f64).log2().powi(2);
    point.iter().zip(least).map(square).sum()
}

fn powers(dimensions: usize) -> Space {
    Space::new((0..dimensions).map(|at| Axis::powers(at.to_string(), [1, 1024])))
}

#[test]
fn nelder_mead_finds_the_least_point_of_a_bowl() {
    for dimensions in [1, 2, 3, 5] {
        let least: Vec<_> = (0..dimensions).map(|at| [8, 128, 1, 1024, 32][at]).collect();
        let (space, start) = (powers(dimensions), vec![16; dimensions]);
        let mut bowl = counted(|point| distance(point, &least));
        let tuned = Tuning::new(&space, &start, Search::NelderMead).run(&mut bowl, &());
        let best = tuned.best().unwrap();
        assert_eq!(tuned.ended, Ended::Converged);
        assert!(best.cost <= 1.0, "{dimensions}: {best:?}");
        assert!(tuned.trials.len() <= 30 * dimensions, "{}", tuned.trials.len());
        assert_eq!(bowl.runs, tuned.trials.len());
    }
}

/// A valley along both parameters, as Rosenbrock's.
#[test]
fn nelder_mead_follows_a_valley() {
    let space = Space::new([Axis::every("a", [0, 400]), Axis::every("b", [0, 400])]);
    let valley = |point: &[usize]| {
        let [a, b] = [0, 1].map(|at| point[at] as f64 / 100.0 - 2.0);
        100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2)
    };
    let tuned = Tuning::new(&space, &[80, 300], Search::NelderMead).run(&mut counted(valley), &());
    // The least point is (300, 300).
    // It begins with a cost of 24.
    assert!(tuned.best().unwrap().cost < 0.1, "{:?}", tuned.best());
}

#[test]
fn random_and_densities_find_good_points() {
    let (space, least) = (powers(3), [8, 128, 2]);
    for search in [Search::Random, Search::Tpe] {
        let mut costs: Vec<_> = (0..11)
            .map(|seed| {
                let tuning = Tuning::new(&space, &[1024, 1, 1024], search).seed(seed).limit(60);
                let tuned = tuning.run(&mut counted(|point| distance(point, &least)), &());
                assert!(tuned.trials.len() > 40, "{}", tuned.trials.len());
                tuned.best().unwrap().cost
            })
            .collect();
        costs.sort_by(f64::total_cmp);
        // Of 1,331 points 1 has cost 0, 6 have 1, 12 have 2, 8 have 3: 60 random points have one of these
        // with a probability of 0.71.
        let median = costs[5];
        assert!(median <= if search == Search::Tpe { 1.0 } else { 3.0 }, "{search:?}: {costs:?}");
    }
}

#[test]
fn a_seed_proposes_the_same_points() {
    let space = powers(2);
    for search in [Search::Random, Search::Tpe] {
        let points = |seed| {
            let tuning = Tuning::new(&space, &[1, 1], search).seed(seed).limit(30);
            let tuned = tuning.run(&mut counted(|point| distance(point, &[4, 4])), &());
            tuned.trials.into_iter().map(|trial| trial.point).collect::<Vec<_>>()
        };
        assert_eq!(points(1), points(1));
        assert_ne!(points(1), points(2));
    }
}

#[test]
fn points_that_are_not_feasible_do_not_run() {
    let space = powers(2);
    let run = |penalty| {
        let seen = Cell::new(0);
        let mut half = counted(|point| {
            seen.set(seen.get() + usize::from(point[1] > point[0]));
            distance(point, &[4, 64])
        });
        half.most = |before| before.first().copied().unwrap_or(usize::MAX);
        let techniques = Techniques { penalty, ..Techniques::default() };
        let tuned =
            Tuning::new(&space, &[64, 1], Search::NelderMead).techniques(techniques).run(&mut half, &());
        assert_eq!(seen.get(), 0);
        tuned
    };
    let (with, without) = (run(true), run(false));
    assert!(with.infeasible > 0 && without.infeasible > 0);
    // The least feasible cost is at (16, 16): 4 + 4.
    assert!((with.best().unwrap().cost - 8.0).abs() < 1e-9, "{:?}", with.best());
}

#[test]
fn history_saves_runs() {
    let space = powers(4);
    let runs = |history| {
        let techniques = Techniques { history, ..Techniques::default() };
        let tuning = Tuning::new(&space, &[1, 1, 1, 1], Search::NelderMead).techniques(techniques);
        let tuned = tuning.run(&mut counted(|point| distance(point, &[8, 128, 4, 16])), &());
        (tuned.proposed - tuned.infeasible, tuned.trials.len(), tuned.repeated)
    };
    let (with, without) = (runs(true), runs(false));
    assert_eq!(with.0, with.1 + with.2);
    assert!(with.2 > 0);
    assert_eq!((without.0, without.1, without.2), (with.0, with.0, 0));
}

#[test]
fn a_search_ends_at_its_limit_with_an_error_and_when_all_points_have_run() {
    let space = Space::new([Axis::every("a", [1, 4]), Axis::every("b", [3, 3])]);
    let mut flat = counted(|_| 1.0);
    let all = Tuning::new(&space, &[1, 3], Search::Random).run(&mut flat, &());
    assert_eq!((all.ended, all.trials.len()), (Ended::Converged, 4));
    let limited = Tuning::new(&space, &[1, 3], Search::Random).limit(2).run(&mut flat, &());
    assert_eq!((limited.ended, limited.trials.len()), (Ended::Limit, 2));
    let mut broken = counted(|point| if point[0] == 3 { f64::NAN } else { 1.0 });
    let failed = Tuning::new(&space, &[1, 3], Search::Random).run(&mut broken, &());
    assert_eq!(failed.ended, Ended::Failed("no number"));
    let one = Space::new([Axis::every("a", [7, 7])]);
    let only = Tuning::new(&one, &[7], Search::NelderMead).run(&mut flat, &());
    assert_eq!((only.ended, only.trials.len()), (Ended::Converged, 1));
}
