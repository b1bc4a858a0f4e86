//! Statements on searches for parameters, and on what they find.

use earth_papers::overlap::Variant;
use earth_report::numbers::{extent, percent};
use earth_report::statements::{FLAT, Judged, about};

use super::{is_gain, panel};
use crate::overlap::cases::{Group, RANDOM, RUNS, SPREAD, random};
use crate::overlap::machines::{FEW, Machine, Rate, Setting};
use crate::overlap::results::{Program, Results};
use crate::overlap::runs::{Found, Sought};
use crate::tune::{Search, Technique};

/// Returns a search that draws points, at the setting of Figure 5.
pub(crate) fn drawn(search: Search, seed: u64, limit: usize) -> Sought {
    Sought { search, seed, limit, ..Sought::new(random(), Variant::New) }
}

pub(super) fn spread(results: &Results, judged: &mut Judged) {
    let Some(found) = results.found(&drawn(Search::Random, 0, RANDOM)) else { return };
    let [least, most] = extent(found.costs.iter().copied());
    judged
        .clause("0.16 to 0.48 s")
        .check(about(least, SPREAD[0]) && about(most, SPREAD[1]), format!("{least:.2} to {most:.2} s"));
    judged.clause("nearly three times").check(about(most / least, 3.0), format!("{:.1} times", most / least));
}

pub(super) fn differ(results: &Results, judged: &mut Judged) {
    let settings: Vec<_> = results.settings().into_iter().filter(|of| of.ranks <= FEW).collect();
    let on_cluster: Vec<_> = settings.into_iter().filter(|of| of.machine == Machine::Cluster).collect();
    let differ = |setting: &Setting| {
        let other = Setting { machine: Machine::Hopper, ..*setting };
        results.tuned(*setting, Variant::New) != results.tuned(other, Variant::New)
    };
    judged.each(&on_cluster, differ, |differ| {
        format!("the two machines have different parameters in {differ} of {}", on_cluster.len())
    });
}

/// Returns the number of random configurations that are faster than a time, as a share of all.
fn rank(found: &Found, seconds: f64) -> f64 {
    let better = found.costs.iter().filter(|cost| **cost < seconds).count();
    better as f64 / found.costs.len() as f64
}

pub(super) fn percentile(results: &Results, judged: &mut Judged) {
    let seeds = results.seeds();
    let samples: Vec<_> =
        (0..seeds).filter_map(|seed| results.found(&drawn(Search::Random, seed, RANDOM))).collect();
    let Some(simplex) = results.found(&Sought::new(random(), Variant::New)) else { return };
    // A time is in the first percentile of a sample if fewer than two of 200 are faster.
    let is_first = |found: &&Found, seconds: f64| rank(found, seconds) < 0.01;
    let best = simplex.best_of(RUNS);
    let first = samples.iter().filter(|sample| is_first(sample, best)).count();
    judged.check(
        2 * first > samples.len(),
        format!("of {first} of {} samples of {RANDOM} random configurations", samples.len()),
    );
    if !results.is_unchanged() {
        return;
    }
    // The first runs of a search, in the distribution of the sample after its seed's.
    let reach = |search: &dyn Fn(u64) -> Option<Found>| {
        let reached = (0..seeds).filter(|&seed| {
            let next = &samples.get((seed as usize + 1) % samples.len().max(1));
            search(seed).zip(*next).is_some_and(|(found, next)| is_first(&next, found.best_of(RUNS)))
        });
        percent(reached.count() as f64 / seeds as f64)
    };
    let by_chance = reach(&|seed| samples.get(seed as usize).cloned());
    let modern = reach(&|seed| results.found(&drawn(Search::Tpe, seed, RUNS)));
    let begun = reach(&|seed| {
        let start = Some(Technique::Start);
        results.found(&Sought { without: start, seed, limit: RUNS, ..Sought::new(random(), Variant::New) })
    });
    judged.because(format!(
        "in {by_chance} of {seeds} seeds random search does so, Nelder-Mead from a random simplex in {begun}, and \
         Parzen estimators in {modern}"
    ));
}

pub(super) fn crossed(results: &Results, judged: &mut Judged) {
    for (reading, own, other) in [
        ("parameters found here", Program::New, Program::Crossed),
        ("the paper's parameters", Program::Paper, Program::PaperCrossed),
    ] {
        let all: Vec<_> = results.settings().into_iter().filter(|of| of.ranks <= FEW).collect();
        let ratio = |setting: &Setting| results.ratio(*setting, other, own);
        let extent = super::range(all.iter().map(ratio));
        judged.clause("slower everywhere").reading(reading).each(
            &all,
            |setting| ratio(setting) > 1.0,
            |slower| format!("in {slower} of {}; {extent} times as long", all.len()),
        );
        for (machine, expected) in [(Machine::Cluster, 1.10), (Machine::Hopper, 1.20)] {
            let ratio = ratio(&Setting::new(machine, 32, 512));
            judged
                .clause(format!("about {} on {}", percent(expected - 1.0), machine.name()))
                .reading(reading)
                .check(is_gain(ratio, expected), format!("{ratio:.3} times as long"));
        }
    }
}

pub(super) fn th_tunes(results: &Results, judged: &mut Judged) {
    let seconds = |setting: Setting, variant| Some(results.found(&Sought::new(setting, variant))?.seconds());
    let all: Vec<_> = results
        .settings()
        .into_iter()
        .filter_map(|of| Some(seconds(of, Variant::Th)? / seconds(of, Variant::New)?))
        .collect();
    judged.each(
        &all,
        |ratio| *ratio < 1.0,
        |faster| {
            let range = super::range(all.iter().copied());
            format!("in {faster} of {}; {range} of the time of the runs of NEW", all.len())
        },
    );
}

pub(super) fn ablation(results: &Results, judged: &mut Judged) {
    let few = |setting: &Setting| setting.is_small() && setting.ranks == 16;
    let settings: Vec<_> = panel(results, Group::Cluster, Rate::ByRanks).into_iter().filter(few).collect();
    let all = |without: Option<Technique>| {
        let found: Vec<_> = settings
            .iter()
            .filter_map(|&of| results.found(&Sought { without, ..Sought::new(of, Variant::New) }))
            .collect();
        let seconds: f64 = found.iter().map(Found::seconds).sum();
        let runs: usize = found.iter().map(|found| found.costs.len()).sum();
        (seconds, runs)
    };
    let (usual, runs) = all(None);
    for technique in Technique::ALL {
        let (seconds, without) = all(Some(technique));
        judged.clause(technique.name()).check(
            seconds > usual * (1.0 + FLAT),
            format!("without it {without} runs instead of {runs}, {:.2} of their time", seconds / usual),
        );
    }
}
