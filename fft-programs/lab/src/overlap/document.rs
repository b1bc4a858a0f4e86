//! Tables of the paper's page, and the values that its template is filled with.

use earth_papers::overlap::{NAMES, Variant};
use earth_report::document::{Content, Document, Paper};
use earth_report::numbers::{extent, seconds};
use earth_report::statements::CONSIDERABLE;

use super::cases::{Group, RANDOM, RUNS, SEEDS, SPEEDS, broken_down, examined, published, random};
use super::figures::{self, BROKEN_DOWN, PARTS};
use super::jobs;
use super::machines::{FITTED, Machine, Rate, Setting};
use super::results::{Program, Results};
use super::runs::Sought;
use super::statements::{STATEMENTS, drawn};
use crate::errata::{Paper as Of, errata_of};
use crate::tune::{Search, Technique};

const PAGE: &str = include_str!("page.md");

/// Makes a document of the figures of two arrays.
pub(crate) fn short(results: &Results) -> Document {
    figures::short_ones(named_settings(), results).figures(PAGE)
}

/// Makes the page. `run_seconds` is the time that all runs took on one core.
pub(crate) fn document(results: &Results, run_seconds: f64) -> Document {
    let all = results.settings();
    let content = named_settings()
        .text("runs", results.count())
        .text("minutes", format!("{:.0}", run_seconds / 60.0))
        .texts("names", NAMES)
        .texts("parts", PARTS.map(|(name, _)| name))
        .texts("fitted", FITTED.map(|(machine, ranks, n)| fitted(results, machine, ranks, n)))
        .rows("times", all.iter().map(|of| times(results, *of)))
        .rows("gains", all.iter().map(|of| gains(results, *of)))
        .rows("parameters", all.iter().flat_map(|of| parameter_rows(results, *of)))
        .rows("tuning", all.iter().map(|of| tuning(results, *of)))
        .rows("breakdown", broken_down().into_iter().flat_map(|of| breakdown(results, of)))
        .rows("orders", broken_down().map(|of| orders(results, of)))
        .rows("dual", broken_down().map(|of| dual(results, of)))
        .rows("balances", SPEEDS.map(|faster| balance(results, examined().faster(faster))))
        .rows("pencils", all.iter().map(|of| pencils(results, *of)))
        .rows("searches", searches(results))
        .parts("measured", jobs::parts(&results.measured));
    let content = findings(content, results);
    let statements = STATEMENTS.judged_again(results, results.changed());
    let errata = errata_of(Of::Overlap, &content);
    let parameters = results.machines.parameters();
    let paper = Paper { statements, errata, parameters, changes: "" };
    figures::drawn_all(content, results).paper(&paper, PAGE)
}

/// Names the settings of single experiments.
fn named_settings() -> Content {
    Content::default().text("examined", examined().name()).text("random", random().name())
}

/// Adds the figures of the page's findings.
fn findings(content: Content, results: &Results) -> Content {
    let gains = |group: Group, rate: Rate| {
        let of = results.settings().into_iter().filter(|setting| group.has(setting));
        let [least, most] = extent(of.map(|setting| results.gain(setting.at(rate))));
        format!("{least:.2} to {most:.2}")
    };
    let [reference, ..] = broken_down();
    let wait = |program| format!("{:.2}", results.run(reference, program).parts.wait);
    let close = |at: usize, program| {
        let is_close = |of: &&Setting| {
            let theirs = published(**of).map_or(f64::NAN, |of| of.seconds[at]);
            (results.seconds(**of, program) / theirs - 1.0).abs() <= CONSIDERABLE
        };
        results.settings().iter().filter(is_close).count()
    };
    let of_best = |figure: &dyn Fn(Setting) -> f64| {
        results.best_speed().map_or_else(String::new, |best| format!("{:.2}", figure(best)))
    };
    content
        .text("cluster_gains", gains(Group::Cluster, Rate::ByRanks))
        .text("hopper_gains", gains(Group::Hopper, Rate::ByRanks))
        .text("large_gains", gains(Group::Large, Rate::ByRanks))
        .text("large_one", gains(Group::Large, Rate::One))
        .text("wait_new0", wait(Program::New0))
        .text("wait_new", wait(Program::New))
        .text("wait_paper0", wait(Program::Paper0))
        .text("wait_paper", wait(Program::Paper))
        .text("wait_th", wait(Program::Th))
        .text("wait_overlapped", wait(Program::ThOverlapped))
        .text("best_balance", of_best(&|best| results.run(best, Program::New0).parts.balance()))
        .text("best_gain", of_best(&|best| results.gain(best)))
        .text("new_close", close(1, Program::New))
        .text("fftw_close", close(0, Program::Fftw))
        .text("th_close", close(2, Program::Th))
        .text("reach", jobs::reach(&results.measured))
}

/// Describes a fitted rate.
fn fitted(results: &Results, machine: Machine, ranks: usize, n: usize) -> String {
    let rate = results.machines.rate(Setting::new(machine, ranks, n));
    format!("{rate:.0} MB/s on {ranks} ranks of {}", machine.name())
}

/// Returns a row of a setting.
fn with(setting: Setting, more: impl IntoIterator<Item = String>) -> Vec<String> {
    let Setting { machine, ranks, n, .. } = setting;
    [machine.name().to_owned(), ranks.to_string(), format!("{n}^3")].into_iter().chain(more).collect()
}

/// Tabulates Table 2.
fn times(results: &Results, setting: Setting) -> Vec<String> {
    let theirs = published(setting).map_or([f64::NAN; 3], |of| of.seconds);
    let ours = [Program::Fftw, Program::New, Program::Th].map(|program| results.seconds(setting, program));
    let cells = theirs.into_iter().zip(ours).flat_map(|(theirs, ours)| [theirs, ours]);
    with(setting, cells.map(|time| format!("{time:.3}")))
}

/// Tabulates speed-ups over FFTW, in the paper and in both readings of the rate.
fn gains(results: &Results, setting: Setting) -> Vec<String> {
    let theirs = published(setting).map_or([f64::NAN; 3], |of| of.seconds);
    let cells = [(1, Program::New), (2, Program::Th)].into_iter().flat_map(|(at, program)| {
        let ours = Rate::ALL.map(|rate| results.ratio(setting.at(rate), Program::Fftw, program));
        [theirs[0] / theirs[at]].into_iter().chain(ours)
    });
    let rates = Rate::ALL.map(|rate| format!("{:.0}", results.machines.rate(setting.at(rate))));
    with(setting, cells.map(|ratio| format!("{ratio:.2}")).chain(rates))
}

/// Tabulates Table 3.
fn parameter_rows(results: &Results, setting: Setting) -> Vec<Vec<String>> {
    let ours = results.tuned(setting, Variant::New).map(|of| of.values());
    let theirs = published(setting).map(|of| of.parameters().values());
    let row = |whose: &str, values: [usize; 10]| {
        let values = values.map(|value| value.to_string());
        with(setting, std::iter::once(whose.to_owned()).chain(values))
    };
    let rows = [("here", ours), ("the paper", theirs)];
    rows.into_iter().filter_map(|(whose, values)| Some(row(whose, values?))).collect()
}

/// Tabulates Table 4.
fn tuning(results: &Results, setting: Setting) -> Vec<String> {
    let theirs = published(setting).map_or([f64::NAN; 3], |of| of.tuning);
    let cells = [(1, Variant::New), (2, Variant::Th)].into_iter().flat_map(|(at, variant)| {
        let found = results.found(&Sought::new(setting, variant));
        let runs = found.as_ref().map_or_else(String::new, |found| found.costs.len().to_string());
        let ours = found.map_or(f64::NAN, |found| found.seconds());
        [format!("{:.1}", theirs[at]), format!("{ours:.1}"), runs]
    });
    with(setting, cells)
}

/// Tabulates Figure 8.
fn breakdown(results: &Results, setting: Setting) -> Vec<Vec<String>> {
    let row = |(name, program): (&str, Program)| {
        let run = results.run(setting, program);
        let parts = PARTS.map(|(_, part)| format!("{:.3}", part(&run.parts)));
        let cells = std::iter::once(name.to_owned()).chain(parts).chain([format!("{:.3}", run.total)]);
        with(setting, cells)
    };
    let more =
        [("NEW, the paper's parameters", Program::Paper), ("NEW-0, the paper's parameters", Program::Paper0)];
    BROKEN_DOWN.into_iter().chain(more).map(row).collect()
}

/// Tabulates the order of the output.
fn orders(results: &Results, setting: Setting) -> Vec<String> {
    let programs = [Program::Fftw, Program::FftwNatural, Program::New, Program::NewNatural];
    let times = programs.map(|program| results.seconds(setting, program));
    let fftw = published(setting).map_or(f64::NAN, |of| of.seconds[0]);
    with(setting, times.into_iter().chain([fftw]).map(|time| format!("{time:.3}")))
}

/// Tabulates plain dataflow, and DUAL on the same ranks and on half the ranks.
fn dual(results: &Results, setting: Setting) -> Vec<String> {
    let setting = setting.at(Rate::One);
    let half = Setting { ranks: setting.ranks / 2, ..setting }.at(Rate::One);
    let times = [
        (setting, Program::New),
        (setting, Program::Dataflow),
        (setting, Program::Dual),
        (half, Program::Dual),
        (half.faster(2), Program::Dual),
    ];
    with(setting, times.map(|(of, program)| format!("{:.3}", results.seconds(of, program))))
}

/// Tabulates the speed of the network.
fn balance(results: &Results, setting: Setting) -> [String; 6] {
    let balance = results.run(setting, Program::New0).parts.balance();
    let ratio = |program| format!("{:.2}", results.ratio(setting, Program::New0, program));
    [
        format!("{:.0}", results.machines.rate(setting)),
        format!("{balance:.2}"),
        format!("{:.2}", results.gain(setting)),
        ratio(Program::New),
        ratio(Program::Th),
        ratio(Program::Dataflow),
    ]
}

/// Tabulates slabs against pencils.
fn pencils(results: &Results, setting: Setting) -> Vec<String> {
    let [slabs, pencils] = [false, true].map(|by_pencils| results.distributed(setting, by_pencils));
    with(setting, [format!("{slabs:.3}"), format!("{pencils:.3}"), format!("{:.2}", pencils / slabs)])
}

/// Tabulates searches at the setting of Figure 5: the best of the first runs, over seeds.
fn searches(results: &Results) -> Vec<Vec<String>> {
    let usual = Sought::new(random(), Variant::New);
    let start = Some(Technique::Start);
    let kinds: [(&str, Vec<Sought>); 4] = [
        ("Nelder-Mead around the default point", vec![usual]),
        (
            "Nelder-Mead from a random simplex",
            (0..SEEDS).map(|seed| Sought { without: start, seed, limit: RUNS, ..usual }).collect(),
        ),
        ("Parzen estimators", (0..SEEDS).map(|seed| drawn(Search::Tpe, seed, RUNS)).collect()),
        ("random", (0..SEEDS).map(|seed| drawn(Search::Random, seed, RANDOM)).collect()),
    ];
    let row = |(name, all): (&str, Vec<Sought>)| {
        let found: Vec<_> = all.iter().filter_map(|sought| results.found(sought)).collect();
        let best = |runs: usize| {
            let mut best: Vec<_> = found.iter().map(|found| found.best_of(runs)).collect();
            best.sort_by(f64::total_cmp);
            let at = |share: usize| best.get(share * best.len().saturating_sub(1) / 2).copied();
            let told =
                |time: Option<f64>| time.filter(|time| time.is_finite()).map_or("none".to_owned(), seconds);
            [0, 1, 2].map(|share| told(at(share))).join(", ")
        };
        vec![name.to_owned(), found.len().to_string(), best(10), best(20), best(RUNS)]
    };
    kinds.into_iter().map(row).collect()
}
