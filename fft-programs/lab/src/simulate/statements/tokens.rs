//! Statement about tokens, which any idle node may take.

use earth_report::statements::{ABOUT, Judged};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::threads::{STOLEN_N, STOLEN_P};
use crate::simulate::judge::{Results, span};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;

/// Judges the receiver whose asks are tokens, where it has any: on two nodes all asks are of level 0.
pub(super) fn idle_nodes_take_tokens(results: &Results, judged: &mut Judged) {
    for config in CONFIGS {
        let pairs = STOLEN_N.into_iter().flat_map(|n| STOLEN_P[1..].iter().map(move |&p| (n, p)));
        let runs = pairs.filter_map(|(n, p)| {
            let [tokens, tree] =
                [Program::Tokens, Program::Tree].map(|program| results.get(program, config, n, p));
            Some((tokens?, tree?, p))
        });
        let runs: Vec<_> = runs.collect();
        let uneven = |run: &Measured, p: usize| run.busiest * p as f64 / run.eu_busy;
        let of = |figure: &dyn Fn(&(&Measured, &Measured, usize)) -> f64| {
            span(&runs.iter().map(figure).collect::<Vec<_>>())
        };
        let finding = |even| {
            format!(
                "{}: {even} of {} runs; of all tokens another node takes {}%; the busiest processor works {} times as long as the \
                 average, with addressed asks {}; the time is {} of that with addressed asks",
                upper(config),
                runs.len(),
                of(&|(run, _, p)| 100.0 * run.stolen as f64 / tokens(run, *p)),
                of(&|(run, _, p)| uneven(run, *p)),
                of(&|(_, tree, p)| uneven(tree, *p)),
                of(&|(run, tree, _)| run.total() / tree.total()),
            )
        };
        judged.each(&runs, |(run, _, p)| run.stolen > 0 && uneven(run, *p) <= ABOUT, finding);
    }
}

/// Returns the number of a run's asks that are tokens. Of 2 (P - 1) N asks P N are of level 0.
fn tokens(run: &Measured, p: usize) -> f64 {
    let (asks, nodes) = (run.requests as f64, p as f64);
    asks * (nodes - 2.0) / (2.0 * (nodes - 1.0))
}
