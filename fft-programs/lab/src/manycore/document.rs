//! Tables of the paper's page, and the values that its template is filled with.

use earth_report::document::{Content, Document, Paper};
use earth_report::numbers::{mean, percent};

use super::chip::{Chip, changes};
use super::figures;
use super::program::{Factors, Program, Waiting};
use super::results::{
    CORES, ENDS, FEW_CORES, PLACES, Published, Results, THREE, by, changed, cores_of, in_bursts, in_step,
};
use super::statements::{STATEMENTS, signed};

const PAGE: &str = include_str!("page.md");

/// Makes a document of the times of stages alone.
pub(crate) fn stages(results: &Results) -> Document {
    figures::stages(Content::default(), results).figures(PAGE)
}

pub(crate) fn document(results: &Results) -> Document {
    let chip = Chip::c64(64);
    let ends = ends().map(|(log, cores)| format!("2^{log}, {cores} cores"));
    let content = Content::default()
        .text("request", chip.request)
        .text("delay", chip.delay)
        .text("latency", chip.latency)
        .text("near", chip.local)
        .text("barrier", format!("{:.0}", results.barrier(&chip)))
        .texts("few", FEW_CORES.map(cores_of))
        .rows("paces", paces(results))
        .texts("points", THREE.map(|log| format!("2^{log} points")))
        .rows("waiting", CORES.map(|cores| waiting(results, cores)))
        .texts("ends", ends)
        .rows("places", places(results))
        .rows("changed", changed_chips(results));
    let paper = Paper { statements: STATEMENTS.judged(results), ..Paper::default() };
    figures::drawn(content, results).paper(&paper, PAGE)
}

fn row(name: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.into()).chain(cells).collect()
}

/// Lists the fewest and the most points, each on 16 and on 64 cores.
fn ends() -> impl Iterator<Item = (u32, usize)> {
    ENDS.into_iter().flat_map(|log| [16, 64].map(|cores| (log, cores)))
}

/// Tabulates the model's error by what elements wait for.
fn paces(results: &Results) -> [Vec<String>; 3] {
    let paces: [(_, Published); 3] = [
        ("for what the next operation needs", by),
        ("for all loads, then for all stores of a butterfly", in_bursts),
        ("and for all others after each butterfly, as the model has it", in_step),
    ];
    paces.map(|(name, program)| {
        let error = |cores| {
            let stages = [2, 4].map(|radix| results.stage_errors(&program(radix, 10, cores)));
            percent(mean(stages.into_iter().flatten().map(f64::abs)))
        };
        row(name, FEW_CORES.map(error))
    })
}

/// Returns the gains of dataflow over barriers.
fn waiting(results: &Results, cores: usize) -> Vec<String> {
    let gain = |log| {
        let barriers = by(2, log, cores);
        let signals = Program { waiting: Waiting::Signals, ..barriers.clone() };
        format!("{:.3}", results.cycles(&barriers) / results.cycles(&signals))
    };
    row(cores.to_string(), THREE.map(gain))
}

fn name_of(factors: Factors) -> String {
    match factors {
        Factors::Stacked => "one after another, as published".to_owned(),
        Factors::Local(stages) => format!("those of stages 1 to {stages} near, PAR-R2LM"),
        Factors::Spread => "each in a line of its own".to_owned(),
        Factors::Copied(copies) => format!("{copies} copies"),
        Factors::Kept => "kept in registers while it is the same".to_owned(),
    }
}

/// Tabulates the rates by placement of the factors.
fn places(results: &Results) -> Vec<Vec<String>> {
    let placed = |name, factors, waiting| {
        let rate = |(log, cores)| results.gflops(&Program { factors, waiting, ..by(2, log, cores) });
        row(name, ends().map(|of| format!("{:.2}", rate(of))))
    };
    let all = PLACES.map(|factors| placed(name_of(factors), factors, Waiting::Barriers));
    let kept = placed("kept, and no barriers".to_owned(), Factors::Kept, Waiting::Signals);
    all.into_iter().chain([kept]).collect()
}

/// Tabulates rates and model errors on the changed chips.
fn changed_chips(results: &Results) -> impl Iterator<Item = Vec<String>> {
    changes().map(|(name, change)| {
        let told = [2, 4].into_iter().flat_map(|radix| {
            let all =
                [16, 64].into_iter().flat_map(|cores| ENDS.map(|log| changed(by(radix, log, cores), change)));
            let (rates, errors): (Vec<_>, Vec<_>) = all
                .map(|program| (format!("{:.2}", results.gflops(&program)), signed(results.error(&program))))
                .unzip();
            [rates.join(", "), errors.join(", ")]
        });
        row(name, told)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_filled_whatever_came_of_the_runs() {
        let results = Results::default();
        let page = document(&results).markdown("");
        assert_eq!((page.matches("](fig").count(), page.matches("| **").count()), (9, 15), "{page}");
        let stages = stages(&results).markdown("");
        assert!(
            stages.starts_with("![Figure 6: times of stages, PAR-R2](fig6.svg)")
                && stages.contains("fig12.svg")
        );
    }
}
