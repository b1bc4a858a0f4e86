//! Tables of the paper's page, and the values that its template is filled with.

use earth_report::document::{Content, Document, Paper};
use earth_report::numbers::{extent, mean, percent, ratio};
use earth_report::statements::Parameter;

use super::chip::{ANY_LOADS, Chip, LOCKED_BARRIERS, PARTS};
use super::estimates;
use super::figures;
use super::program::{Factors, Pace, Program, Waiting};
use super::results::{
    BEHAVIOURS, Behaviour, CORES, ENDS, FEW_CORES, IN_BURSTS, IN_STEP, LOADS, LOGS, PLACES, Published,
    Results, THREE, by, cores_of, local, plus, varied,
};
use super::statements::{STATEMENTS, bound_by_issue, mean_error, share_of_peak, signed};
use crate::errata::{Paper as Papers, errata_of};

const PAGE: &str = include_str!("page.md");
const CHANGES: &str = include_str!("changes.md");

/// Makes a document of the times of stages alone.
pub(crate) fn stages(results: &Results) -> Document {
    figures::stages(Content::default(), results).figures(PAGE)
}

pub(crate) fn document(results: &Results) -> Document {
    let paper = Paper {
        statements: STATEMENTS.judged_again(results, results.changed()),
        errata: errata_of(Papers::ManyCore, &Content::default()),
        parameters: parameters(results),
        changes: CHANGES,
    };
    let ends = || ends().map(|(log, cores)| format!("2^{log}, {cores} cores"));
    let by_radix =
        || [2, 4].into_iter().flat_map(|radix| ends().map(move |of| format!("PAR-R{radix}, {of}")));
    let content = findings(Content::default(), results)
        .text("barrier", format!("{:.0}", results.barrier(&Chip::c64(64))))
        .text("runs", results.done)
        .text("minutes", format!("{:.0}", results.minutes))
        .texts("few", FEW_CORES.map(cores_of))
        .rows("paces", paces(results))
        .texts("loads_names", by_radix())
        .rows("loads", LOADS.map(|loads| by_loads(results, loads)))
        .rows("near", near(results))
        .texts(
            "reversal_names",
            [2, 4].iter().flat_map(|radix| ENDS.map(|log| format!("PAR-R{radix}, 2^{log}"))),
        )
        .rows("reversal", CORES.map(|cores| reversal(results, cores)))
        .texts("points", THREE.map(|log| format!("2^{log} points")))
        .rows("waiting", CORES.map(|cores| waiting(results, cores)))
        .texts("ends", ends())
        .rows("places", places(results))
        .rows("changed", changed_chips(results));
    figures::drawn(content, results).paper(&paper, PAGE)
}

/// Lists the parameters, with the measured cost of a barrier.
fn parameters(results: &Results) -> Vec<Parameter> {
    let mut all = estimates::parameters();
    let barrier = all.iter_mut().find(|of| of.name == "T_B");
    if let Some(barrier) = barrier {
        barrier.value =
            format!("{:.0} cycles of 128 elements, a counter in a bank", results.barrier(&Chip::c64(64)));
    }
    all
}

/// Adds the values of the findings.
fn findings(content: Content, results: &Results) -> Content {
    let some = |behaviour| percent(mean_error(results, behaviour, &[1, 2, 4, 8, 16]));
    let [free, two, _, in_step] = BEHAVIOURS.map(some);
    let gain = |log, cores| {
        results.modelled_gflops(&plus(log, cores)) / results.modelled_gflops(&by(2, log, cores)) - 1.0
    };
    let gains = ENDS.into_iter().flat_map(|log| CORES.map(|cores| gain(log, cores)));
    let growth = |behaviour: Behaviour, cores: usize, log| {
        let both = |log| {
            let program = behaviour.of(by(2, log, cores));
            results.modelled_gflops(&program) / results.gflops(&program)
        };
        (both(log) / both(LOGS[0]) - 1.0).abs()
    };
    let sizes = || FEW_CORES.into_iter().flat_map(|cores| LOGS.map(|log| (cores, log)));
    let trend = BEHAVIOURS.into_iter().flat_map(|of| sizes().map(move |size| (of, size)));
    let trend = trend.map(|(of, (cores, log))| growth(of, cores, log));
    let locked =
        [16, 32, 64].map(|cores| ratio(results.modelled_gflops(&varied(plus(10, cores), LOCKED_BARRIERS))));
    content
        .text("some_free", free)
        .text("some_two", two)
        .text("some_step", in_step)
        .text("plus_model", percent(extent(gains)[1]))
        .text("trend", percent(extent(trend)[1]))
        .texts("locked", locked)
        .text("best_rate", ratio(results.gflops(&local(8, 12, 64))))
        .text("plain_rate", ratio(results.gflops(&by(2, 12, 64))))
}

fn row(name: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.into()).chain(cells).collect()
}

/// Lists the fewest and the most points, each on 16 and on 64 cores.
fn ends() -> impl Iterator<Item = (u32, usize)> {
    ENDS.into_iter().flat_map(|log| [16, 64].map(|cores| (log, cores)))
}

/// Names a limit on the loads under way.
fn name_of_loads(loads: usize) -> String {
    match loads {
        ANY_LOADS => "any number of loads".to_owned(),
        1 => "1 load".to_owned(),
        loads => format!("{loads} loads"),
    }
}

/// Tabulates the model's error by what elements do.
fn paces(results: &Results) -> Vec<Vec<String>> {
    let told = |name: String, behaviour: Behaviour| {
        let error = |cores| {
            let stages = [2, 4].map(|radix| results.stage_errors(&behaviour.of(by(radix, 10, cores))));
            percent(mean(stages.into_iter().flatten().map(f64::abs)))
        };
        row(name, FEW_CORES.map(error))
    };
    let free = LOADS.map(|loads| {
        told(format!("out of step, {}", name_of_loads(loads)), Behaviour::new("", Pace::Free, loads))
    });
    let waiting = [
        ("out of step, waiting for all loads, then for all stores", IN_BURSTS),
        ("in step, as in the model", IN_STEP),
    ];
    free.into_iter().chain(waiting.map(|(name, behaviour)| told(name.to_owned(), behaviour))).collect()
}

/// Returns the rates with at most this number of loads under way.
fn by_loads(results: &Results, loads: usize) -> Vec<String> {
    let behaviour = Behaviour::new("", Pace::Free, loads);
    let rate = |(radix, log, cores)| ratio(results.gflops(&behaviour.of(by(radix, log, cores))));
    let all = [2, 4].into_iter().flat_map(|radix| ends().map(move |(log, cores)| (radix, log, cores)));
    row(name_of_loads(loads), all.map(rate))
}

/// Tabulates the rates of all radices, with and without factors in own memory, and their shares of the peak.
fn near(results: &Results) -> Vec<Vec<String>> {
    let programs: [(&str, Published); 2] = [("", by), ("LM", local)];
    let all =
        [2, 4, 8].into_iter().flat_map(|radix| programs.map(|(suffix, program)| (radix, suffix, program)));
    let told = all.map(|(radix, suffix, program)| {
        let longest = program(radix, if radix == 8 { 15 } else { 16 }, 64);
        let rates = [program(radix, 12, 16), program(radix, 12, 64), longest.clone()];
        let shares = [share_of_peak(results, &longest), bound_by_issue(&longest)];
        let rates = rates.map(|program| ratio(results.gflops(&program)));
        row(format!("PAR-R{radix}{suffix}"), rates.into_iter().chain(shares.map(percent)))
    });
    told.collect()
}

/// Returns the cycles of the digit reversal over the cycles of all stages.
fn reversal(results: &Results, cores: usize) -> Vec<String> {
    let share = |program: Program| percent(results.reversal(&program) / results.cycles(&program));
    let all = [2, 4].into_iter().flat_map(|radix| ENDS.map(|log| by(radix, log, cores)));
    row(cores.to_string(), all.map(share))
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
        Factors::Local(stages) => format!("those of stages 1 to {stages} in own memory, PAR-R2LM"),
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

/// Tabulates rates and model errors on variants of the chip, and after the changes that change them.
fn changed_chips(results: &Results) -> Vec<Vec<String>> {
    let told = |name: String, results: &Results, variant| {
        let by_radix = [2, 4].into_iter().flat_map(|radix| {
            let all =
                [16, 64].into_iter().flat_map(|cores| ENDS.map(|log| varied(by(radix, log, cores), variant)));
            let (rates, errors): (Vec<_>, Vec<_>) =
                all.map(|program| (ratio(results.gflops(&program)), signed(results.error(&program)))).unzip();
            [rates.join(", "), errors.join(", ")]
        });
        row(name, by_radix)
    };
    let parts = PARTS.map(|(name, variant)| told(name.to_owned(), results, variant));
    let changes = results.changed().map(|(change, changed)| told(change.words(), &changed, |_| {}));
    // Some changes change neither program.
    let changes = changes.filter(|row| row[1..] != parts[0][1..]).collect::<Vec<_>>();
    parts.iter().cloned().chain(changes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_filled_whatever_came_of_the_runs() {
        let results = Results::default();
        let page = document(&results).markdown("");
        assert_eq!((page.matches("](fig").count(), page.matches("](errors").count()), (9, 1), "{page}");
        let is_of_a_row = |line: &&str| line.starts_with("| ") && line.contains("| **");
        assert_eq!(page.lines().filter(is_of_a_row).count(), 20, "{page}");
        let stages = stages(&results).markdown("");
        assert!(
            stages.starts_with("![Figure 6: times of stages, PAR-R2, 2^10 points](fig6.svg)")
                && stages.contains("fig12.svg")
        );
    }
}
