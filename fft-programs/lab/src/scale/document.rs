//! Tables of the page, and the values that its template is filled with.

use earth::{Config, Machine};
use earth_report::document::{Content, Document};
use earth_report::numbers::{short, short_seconds};
use earth_report::spread::Spread;

use super::cases::{CONFIGS, Case, Distance};
use super::figures;
use super::results::{Of, Results};
use super::sample::Sample;
use super::touched::Use;

const PAGE: &str = include_str!("page.md");

/// Lines that operations move: the operation, the lines, and when there are more.
const LINES: [[&str; 3]; 5] = [
    [
        "a signal, or a value of a word, to another node",
        "the first line of a cell, to the sender and back to the receiver",
        "the counter of tickets, if another node sent last",
    ],
    [
        "a call, or a value of more than 48 bytes",
        "both lines of a cell, there and back",
        "as above; a box, if data have more than 48 bytes",
    ],
    [
        "a stolen token",
        "the counter, two lines of the token, the victim's attention",
        "the word of offers, if the victim begins or ceases to offer",
    ],
    [
        "operations that pass between the units of a DUAL node",
        "one or two lines of a cell, which holds several",
        "the receiver's counter, four times a lap",
    ],
    [
        "a worker that becomes idle",
        "its ledger, and the ledgers of idle workers before the first busy one",
        "all ledgers, twice, at the end of a run",
    ],
];

/// Figures of the profile that others published or this project measured, and their sources.
const SOURCES: [[&str; 3]; 7] = [
    ["clock", "3.5 GHz; 2.2 GHz at least, with all cores busy", "AMD"],
    ["a line between two groups", "115 ns, the median of all pairs of cores", "core-to-core-latency"],
    ["a line within a group", "23 ns on EPYC 7R13, which has 107 ns between groups", "core-to-core-latency"],
    ["bytes of blocks", "22.4 GB/s a core; 204.8 GB/s all cores together", "this project; AMD"],
    [
        "operations",
        "17.3 ns a join of `fib` in SPN, 62 ns in DUAL; 3.2 ns a fiber of a chain",
        "this project",
    ],
    [
        "sending and receiving",
        "79 ns a signal in SPN, 126 ns in DUAL, less two transfers of 23 ns",
        "this project",
    ],
    ["FFTs", "0.247 ns a point of a level, 0.716 ns a point copied", "this project, with AVX-512"],
];

pub(crate) fn document(results: &Results) -> Document {
    let tabled = tabled(results);
    let most = tabled[2];
    let content = Content::default()
        .text("profile", &results.profile.name)
        .texts("published", results.profile.published.iter().map(|figure| format!("`{figure}`")))
        .text("runs", results.extent.runs)
        .text("cores", earth_fft::computer::usable_cores())
        .text("most", most)
        .text("half", most / 2)
        .texts("nodes", tabled.map(|nodes| format!("{nodes} nodes")))
        .rows("programs", results.extent.cases.iter().map(|case| [case.name(), case.about.to_owned()]))
        .rows("counted", rows(results, counted))
        .rows("exact", rows(results, exact))
        .rows("touched", touched(results))
        .rows("lines", LINES.map(|row| row.map(str::to_owned)))
        .rows("sources", SOURCES.map(|row| row.map(str::to_owned)))
        .rows("predicted", results.extent.cases.iter().map(|case| predicted(results, *case)));
    figures::drawn(content, results).page(PAGE)
}

/// Returns the numbers of nodes in tables: the least, a middle one and the greatest.
fn tabled(results: &Results) -> [usize; 3] {
    let counted = results.extent.counted;
    [0, counted.len() / 2, counted.len() - 1].map(|at| counted[at])
}

/// Tabulates each program on each machine of the tables.
fn rows(results: &Results, cells: impl Fn(&Results, Case, usize, Config) -> Vec<String>) -> Vec<Vec<String>> {
    let of = |case: Case, config: Config, nodes: usize| {
        let names = [format!("`{}`", case.program), config.to_string(), nodes.to_string()];
        names.into_iter().chain(cells(results, case, nodes, config)).collect()
    };
    let mut all = Vec::new();
    for &case in results.extent.cases {
        for config in CONFIGS {
            all.extend(tabled(results).map(|nodes| of(case, config, nodes)));
        }
    }
    all
}

fn counted(results: &Results, case: Case, nodes: usize, config: Config) -> Vec<String> {
    let counts: [fn(&Sample) -> Option<f64>; 6] = [
        |sample| Some(sample.fibers as f64),
        |sample| Some(sample.messages as f64),
        |sample| Some(sample.stolen as f64),
        |sample| Some(sample.searches as f64),
        |sample| Some((sample.searches - sample.requests) as f64),
        |sample| sample.sleeps.map(|sleeps| sleeps as f64),
    ];
    let cell = |spread: Option<Spread>| match spread {
        None => "unknown".to_owned(),
        Some(Spread { min, median, max, .. }) if max - min < 0.5 => median.to_string(),
        Some(Spread { min, median, max, .. }) => format!("{median} ({min} to {max})"),
    };
    counts.map(|count| cell(results.counted(case, nodes, config, count))).into()
}

fn exact(results: &Results, case: Case, nodes: usize, config: Config) -> Vec<String> {
    let sample = results.simulated(Of::Case(case), nodes, config, Distance::Groups);
    let Sample { messages, stolen, requests, refused, .. } = sample;
    let each = |count: u64| short(count as f64 / stolen as f64);
    let shares = if stolen > 0 { [each(requests), each(messages)] } else { ["", ""].map(str::to_owned) };
    [messages, stolen, requests, refused].map(|count| count.to_string()).into_iter().chain(shares).collect()
}

fn predicted(results: &Results, case: Case) -> Vec<String> {
    let most = tabled(results)[2];
    let machines = [(Config::Spn, most), (Config::Dual, most / 2), (Config::Dual, most)];
    let speed_ups = machines.into_iter().flat_map(|(config, nodes)| {
        [Distance::Groups, Distance::Equal].map(|distance| results.speed_up(case, nodes, config, distance))
    });
    let alone = results.simulated(Of::Case(case), 1, Config::Spn, Distance::Groups).seconds;
    let names = [case.name(), short_seconds(alone)];
    names.into_iter().chain(speed_ups.map(short)).collect()
}

/// How a figure grows when nodes do, by its values on the least and the most nodes.
fn growth([few, many]: [f64; 2], [least, most]: [usize; 2]) -> &'static str {
    let power = (many / few).ln() / (most as f64 / least as f64).ln();
    match power {
        _ if (few - many).abs() < f64::EPSILON => "no",
        power if power.abs() < 0.1 => "hardly",
        power if power < 0.0 => "it shrinks",
        power if power < 0.75 => "less than nodes",
        power if power < 1.25 => "as nodes",
        _ => "faster than nodes",
    }
}

/// Tabulates what machines, runs, signals and steals touch.
fn touched(results: &Results) -> Vec<Vec<String>> {
    let tabled = tabled(results);
    let row = |of: &str, what: String, values: [f64; 3], shown: fn(f64) -> String, should: &str| {
        let grows = growth([values[0], values[2]], [tabled[0], tabled[2]]);
        let names = [of.to_owned(), what];
        names.into_iter().chain(values.map(shown)).chain([grows.to_owned(), should.to_owned()]).collect()
    };
    let simulated = |of, nodes| results.simulated(Of::Use(of), nodes, Config::Spn, Distance::Groups);
    let messages = |of| tabled.map(|nodes| simulated(of, nodes).messages as f64);
    let seconds = |of| tabled.map(|nodes| simulated(of, nodes).seconds);
    let signal = tabled.map(|nodes| {
        let [once, twice] = [1, 2].map(|signals| simulated(Use::Each(signals), nodes).messages as f64);
        (twice - once) / (nodes as f64 - 1.0)
    });
    let mut all = Vec::new();
    for config in CONFIGS {
        let memory = tabled
            .map(|nodes| Machine::threads(nodes).config(config).footprint() as f64 / nodes as f64 / 1024.0);
        all.push(row("machine", format!("memory of a node, {config}, KiB"), memory, short, "no"));
    }
    for config in CONFIGS {
        let nodes = tabled.map(|nodes| results.collected(nodes, config));
        all.push(row(
            "run",
            format!("nodes that an empty run collects, {config}, on threads"),
            nodes,
            short,
            "no",
        ));
    }
    all.push(row("run", "messages of an empty run".to_owned(), messages(Use::None), short, "no"));
    let what = "messages of a run that uses each node".to_owned();
    all.push(row("run", what, messages(Use::Each(1)), short, "as nodes"));
    let what = "its time, if one node starts all, predicted".to_owned();
    all.push(row("run", what, seconds(Use::Each(1)), short_seconds, "less than nodes"));
    let what = "its time along a tree, predicted".to_owned();
    all.push(row("run", what, seconds(Use::Tree), short_seconds, "less than nodes"));
    all.push(row("signal", "messages of a signal to another node".to_owned(), signal, short, "no"));
    let case = results.extent.cases[0];
    for config in CONFIGS {
        let requests = tabled.map(|nodes| {
            let sample = results.simulated(Of::Case(case), nodes, config, Distance::Groups);
            sample.requests as f64 / sample.stolen as f64
        });
        let what = format!("requests, `{}`, {config}, simulated", case.program);
        all.push(row("steal", what, requests, short, "no"));
        let vain = tabled.map(|nodes| {
            let vain = |sample: &Sample| {
                let vain = (sample.searches - sample.requests) as f64;
                Some(vain / sample.stolen.max(1) as f64)
            };
            results.counted(case, nodes, config, vain).map_or(f64::NAN, |spread| spread.median)
        });
        let what = format!("searches in vain, `{}`, {config}, on threads", case.program);
        all.push(row("steal", what, vain, short, "no"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::cases::{FEW, WHOLE};

    #[test]
    fn the_page_is_filled_whatever_came_of_the_runs() {
        for extent in [WHOLE, FEW] {
            let results = Results::new(crate::scale::profile(), extent);
            let page = document(&results).markdown("");
            assert!(page.contains("](predicted.svg)") && !page.contains('{'), "{page}");
        }
    }

    #[test]
    fn growth_is_told_by_its_power_of_nodes() {
        let told = [4.0, 4.1, 2.0, 8.0, 64.0, 1024.0].map(|many| growth([4.0, many], [4, 64]));
        let names = ["no", "hardly", "it shrinks", "less than nodes", "as nodes", "faster than nodes"];
        assert_eq!(told, names);
    }
}
