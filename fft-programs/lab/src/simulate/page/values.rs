//! Values that the template of the page is filled with: figures, tables, and the numbers of the findings.

use earth::Config;
use earth::simulated::Profile;
use earth_report::document::{Content, Part, Table};
use earth_report::numbers::{seconds, short};
use earth_report::statements::Row;

use crate::simulate::chart::{CONFIGS, Chart, Line, Measure, Panel, upper};
use crate::simulate::charts::experiments::{N, P};
use crate::simulate::charts::figures::{COMPARED_N, RECEIVER_N};
use crate::simulate::charts::threads::{STOLEN_N, STOLEN_P};
use crate::simulate::document::figure_of;
use crate::simulate::judge::{MANY, Results, SEVERAL, span};
use crate::simulate::measured::{Measured, Point, Runs};
use crate::simulate::program::Program;
use crate::simulate::statements::tokens_a_node;

/// Returns the content without the statements and the number of runs.
pub(super) fn content(charts: &[Chart], results: &Results, runs: &Runs, profile: &Profile) -> Content {
    let listed = |figures: &[String]| figures.iter().map(|figure| format!("`{figure}`")).collect::<Vec<_>>();
    let [few, many] = tokens_a_node();
    let content = Content::default()
        .text("profile", &profile.name)
        .text("clock", profile.clock_mhz)
        .text("flop", profile.work.flop)
        .texts("published", listed(&profile.published))
        .texts("fitted", listed(&profile.fitted))
        .text("few", few)
        .text("many", many)
        .rows("times", times(results))
        .rows("stolen_counts", stolen(results));
    let charted = |content: Content, chart: &Chart| content.parts(chart.name, charted(chart, runs));
    charts.iter().fold(findings(content, results), charted)
}

/// Adds the numbers of the findings.
fn findings(content: Content, results: &Results) -> Content {
    let time = |program, config| results.total(program, config, COMPARED_N, MANY).unwrap_or(f64::NAN);
    let ms = |program| range(CONFIGS.map(|config| results.ms(time(program, config))), 1);
    let sender = Program::Sender(16);
    let whole = |config| {
        let run = results.get(sender, config, COMPARED_N, MANY).copied().unwrap_or_default();
        results.ms(run.dealing + run.total() + run.gathering)
    };
    let share = |config| 100.0 * results.efficiency(sender, config, COMPARED_N, MANY).unwrap_or(f64::NAN);
    let ratios = |program: Program| {
        let pairs = RECEIVER_N.into_iter().flat_map(|n| SEVERAL.map(|p| (n, p)));
        let ratios: Vec<_> = pairs.filter_map(|(n, p)| results.dual_over_spn(program, n, p)).collect();
        span(&ratios)
    };
    let with_slow_units = |program| {
        let setup =
            results.others.su_speeds.iter().find(|(speed, _)| *speed < 1.0).map(|(_, setups)| setups[0]);
        let time = |config| results.time(&Point { setup: setup?, ..Point::at(program, config, N, P) });
        Some(time(Config::Dual)? / time(Config::Spn)?)
    };
    let slow = [Program::Tree, Program::Shared].map(|program| with_slow_units(program).unwrap_or(f64::NAN));
    let stolen = |config| {
        let pairs = STOLEN_N.into_iter().flat_map(|n| STOLEN_P[1..].iter().map(move |&p| (n, p)));
        let ratio = |(n, p)| {
            Some(results.total(Program::Tokens, config, n, p)? / results.total(Program::Tree, config, n, p)?)
        };
        pairs.filter_map(ratio).collect::<Vec<_>>()
    };
    content
        .text("sender_share", range(CONFIGS.map(share), 0))
        .text("sender_ms", ms(sender))
        .text("sender_whole", range(CONFIGS.map(whole), 1))
        .text("tree_ms", ms(Program::Tree))
        .text("shared_ms", ms(Program::Shared))
        .text(
            "shared_over",
            range(CONFIGS.map(|config| time(Program::Shared, config) / time(sender, config)), 1),
        )
        .text("tree_dual", ratios(Program::Tree))
        .text("slow_units", range(slow, 2))
        .text("tokens_over", span(&CONFIGS.map(stolen).concat()))
}

/// Formats the extent of numbers, with this many decimals.
fn range<const K: usize>(numbers: [f64; K], decimals: usize) -> String {
    let [low, high] = earth_report::numbers::extent(numbers).map(|number| format!("{number:.decimals$}"));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Tabulates the parts of the time for 16K points on 64 nodes.
fn times(results: &Results) -> Vec<[String; 7]> {
    let programs = [
        ("sender, B = 16", Program::Sender(16)),
        ("sender, B = 64", Program::Sender(MANY)),
        ("receiver, tree", Program::Tree),
        ("receiver, shared", Program::Shared),
    ];
    let row = |(name, program): (&str, Program), config| {
        let run = results.get(program, config, COMPARED_N, MANY).copied().unwrap_or_default();
        let Measured { dealing, local, multithreaded, gathering, .. } = run;
        let share = results.efficiency(program, config, COMPARED_N, MANY).unwrap_or(f64::NAN);
        [
            format!("{name}, {}", upper(config)),
            seconds(dealing),
            if local > 0.0 { seconds(local) } else { String::new() },
            seconds(multithreaded),
            seconds(run.total()),
            seconds(gathering),
            format!("{:.0}%", 100.0 * share),
        ]
    };
    programs.into_iter().flat_map(|program| CONFIGS.map(|config| row(program, config))).collect()
}

/// Tabulates the receiver by tokens.
fn stolen(results: &Results) -> Vec<[String; 6]> {
    let row = |(n, p): (usize, usize), config| {
        let of = |program| results.get(program, config, n, p).copied().unwrap_or_default();
        let [tokens, tree] = [Program::Tokens, Program::Tree].map(of);
        [
            format!("2^{}, P = {p}, {}", n.ilog2(), upper(config)),
            tokens.requests.to_string(),
            tokens.stolen.to_string(),
            seconds(tokens.total()),
            seconds(tree.total()),
            format!("{:.2}", tokens.total() / tree.total()),
        ]
    };
    let pairs = STOLEN_P.map(|p| (STOLEN_N[STOLEN_N.len() - 1], p));
    pairs.into_iter().flat_map(|pair| CONFIGS.map(|config| row(pair, config))).collect()
}

/// Formats a line for a table, from the values of its dots.
type Cell = fn(&Line, &dyn Fn(usize) -> f64) -> String;

/// Returns the figure of a chart, and a table of its lines: of a ratio the least and the greatest value, of
/// speed-ups the value on the most nodes.
fn charted(chart: &Chart, runs: &Runs) -> Vec<Part> {
    let figure = Part::figure(figure_of(chart, runs));
    let (title, cell): (String, Cell) = match chart.measure {
        Measure::Ratio => (
            format!("Least and greatest {}", chart.y.replace("time over", "ratio of the time to")),
            |line, y| span(&(0..line.dots.len()).map(y).collect::<Vec<_>>()),
        ),
        Measure::Speedup => {
            let most = chart.dots().map(|(.., dot)| dot.x).fold(0.0, f64::max);
            (format!("Speed-up on {most} nodes"), |line, y| short(y(line.dots.len() - 1)))
        }
        Measure::Multithreaded | Measure::Total => return vec![figure],
    };
    let mut keys: Vec<&str> = Vec::new();
    for (_, line, _) in chart.dots() {
        if !keys.contains(&line.key.as_str()) {
            keys.push(&line.key);
        }
    }
    let row = |panel: &Panel, config: Config| {
        let line = |key: &&str| panel.lines.iter().find(|line| line.config == config && line.key == **key);
        let cells = keys.iter().map(|key| match line(key) {
            Some(line) => cell(line, &|at| line.dots[at].y(chart.measure, runs)),
            None => String::new(),
        });
        let is_named = panel.title.starts_with(upper(config)) || chart.is_of_one_configuration();
        let name = if is_named { panel.title.clone() } else { format!("{}, {}", panel.title, upper(config)) };
        std::iter::once(name).chain(cells).collect::<Vec<_>>()
    };
    let rows = chart.panels.iter().flat_map(|panel| {
        let configs =
            CONFIGS.into_iter().filter(|config| panel.lines.iter().any(|line| line.config == *config));
        configs.map(|config| row(panel, config)).collect::<Vec<_>>()
    });
    let names = std::iter::once("").chain(keys.iter().copied());
    vec![figure, Part::Table(Table::new(names).titled(title).with(rows.collect::<Vec<_>>()))]
}

/// Tabulates the statements whose verdicts at the costs of other machines differ. No estimate is changed.
pub(super) fn elsewhere(given: &[Row], others: &[(&str, Vec<Row>)]) -> Vec<Vec<String>> {
    let differs = |row: &&Row| {
        let of =
            |rows: &[Row]| rows.iter().find(|other| other.number == row.number).map(|other| other.verdict);
        others.iter().any(|(_, rows)| of(rows) != Some(row.verdict))
    };
    let row = |row: &Row| {
        let of = |rows: &[Row]| {
            let other = rows.iter().find(|other| other.number == row.number);
            other.map_or("", |other| other.verdict.words()).to_owned()
        };
        let verdicts = others.iter().map(|(_, rows)| of(rows));
        [row.number.to_string(), row.statement.to_owned(), row.verdict.words().to_owned()]
            .into_iter()
            .chain(verdicts)
            .collect()
    };
    given.iter().filter(differs).map(row).collect()
}
