//! What a simulation found: as tables, as rows of CSV, and as JSON.

use std::collections::BTreeSet;
use std::fmt;

use earth::{Policy, Profile};
use earth_fft::request::Config;
use serde::Serialize;

use super::chart::{Chart, Dot, Line, Measure, Panel, upper};
use super::measured::{Measured, Point, Runs};
use super::setups::Setups;
use crate::numbers::seconds;
use crate::statements::{Row as Stated, Verdict, count};
use crate::table::Table;

/// All that was asked for. A change of any name in JSON raises `schema`.
#[derive(Debug)]
pub struct Report {
    pub(super) setups: Setups,
    pub(super) charts: Vec<Chart>,
    pub(super) runs: Runs,
    pub(super) statements: Vec<Stated>,
}

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// A dot of a chart with all that is known of its run: a row of CSV, an object of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    figure: &'static str,
    panel: &'a str,
    line: &'a str,
    /// What was changed of the profile, or its name.
    costs: &'a str,
    flop_cycles: f64,
    program: &'static str,
    config: Config,
    n: usize,
    p: usize,
    block: Option<usize>,
    x: f64,
    y: f64,
    setup_s: f64,
    local_s: f64,
    multithreaded_s: f64,
    reordering_s: f64,
    /// Local stages and multithreaded phase.
    total_s: f64,
    cycles: u64,
    /// Against the row kernel on one node, at the same costs.
    speedup: f64,
    asks: u64,
    half_butterflies: u64,
    fibers: u64,
    messages: u64,
    eu_busy_s: f64,
    su_busy_s: f64,
    /// Nothing of a run without data.
    error: Option<f64>,
}

#[derive(Serialize)]
struct Figure<'a> {
    name: &'static str,
    title: &'a str,
    caption: &'a str,
    x: &'static str,
    y: &'static str,
    notes: &'a [String],
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    /// The costs that were asked for. What is not in `published` is an estimate.
    profile: Profile,
    /// All machines ran under this policy; JSON has it only if it took the place of a profile's.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    runs: usize,
    /// Of the runs with data, if there are any.
    largest_error: Option<f64>,
    figures: Vec<Figure<'a>>,
    statements: &'a [Stated],
}

impl Report {
    /// Everything as one JSON object.
    pub fn answer(&self) -> impl Serialize + '_ {
        let figures = self
            .charts
            .iter()
            .map(|chart| Figure {
                name: chart.name,
                title: &chart.title,
                caption: &chart.caption,
                x: chart.x,
                y: chart.measure.axis(),
                notes: &chart.notes,
                rows: self.rows(chart),
            })
            .collect();
        let (given, policy) = (self.setups.given(), self.setups.other_policy());
        Answer {
            schema: SCHEMA,
            profile: Profile { policy: policy.unwrap_or(given.policy), ..given.clone() },
            policy,
            runs: self.runs.len(),
            largest_error: self.largest_error(),
            figures,
            statements: &self.statements,
        }
    }

    /// The rows of a chart, line by line.
    pub(super) fn rows<'a>(&'a self, chart: &'a Chart) -> Vec<Row<'a>> {
        chart.dots().filter_map(|(panel, line, dot)| self.row(chart, panel, line, dot)).collect()
    }

    fn row<'a>(&'a self, chart: &'a Chart, panel: &'a Panel, line: &'a Line, dot: &Dot) -> Option<Row<'a>> {
        let Dot { x, point, .. } = *dot;
        let run = self.runs.get(&point)?;
        let base = self.runs.get(&point.base())?;
        let Measured { setup, local, multithreaded, reordering, cycles, asks, half_butterflies, .. } = *run;
        let Measured { fibers, messages, eu_busy, su_busy, error, .. } = *run;
        let Point { program, config, n, p, .. } = point;
        let costs = self.setups.of(&point);
        Some(Row {
            figure: chart.name,
            panel: &panel.title,
            line: &line.key,
            costs: &costs.name,
            flop_cycles: costs.profile.work.flop,
            program: program.name(),
            config,
            n,
            p,
            block: program.block(),
            x,
            y: dot.y(chart.measure, &self.runs),
            setup_s: setup,
            local_s: local,
            multithreaded_s: multithreaded,
            reordering_s: reordering,
            total_s: run.total(),
            cycles,
            speedup: base.total() / run.total(),
            asks,
            half_butterflies,
            fibers,
            messages,
            eu_busy_s: eu_busy,
            su_busy_s: su_busy,
            error,
        })
    }

    /// A chart's rows as a file.
    pub(super) fn csv(&self, chart: &Chart) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in self.rows(chart) {
            writer.serialize(row)?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// The statements as a file.
    pub(super) fn statements_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["number", "statement", "rule", "verdict", "passed", "checks", "found"])?;
        for Stated { number, says, rule, verdict, passed: [passed, checks], found, .. } in &self.statements {
            let [number, passed, checks] = [number.to_string(), passed.to_string(), checks.to_string()];
            writer.write_record([number.as_str(), says, rule, verdict.words(), &passed, &checks, found])?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    fn largest_error(&self) -> Option<f64> {
        self.runs.values().filter_map(|run| run.error).reduce(f64::max)
    }

    /// The costs, and which of them are known: for people.
    pub(super) fn machine(&self) -> Vec<String> {
        let profile = self.setups.given();
        let Profile { name, clock_mhz, work, network, .. } = profile;
        let published =
            if profile.published.is_empty() { "none".to_owned() } else { profile.published.join(", ") };
        let network_mhz = network.clock_mhz.unwrap_or(*clock_mhz);
        let mut said = vec![
            format!(
                "Simulated: {name}, processors of {clock_mhz} MHz, network of {network_mhz} MHz, {} cycles a flop.",
                work.flop
            ),
            format!("Published figures of the profile: {published}; all its other costs are estimates."),
            "Total is local stages and multithreaded phase; dealing the points and the sender's reordering, which the paper does \
             not time, are in the CSV and JSON alone."
                .to_owned(),
        ];
        if let Some(policy) = self.setups.other_policy() {
            said.push(format!("All machines run under the policy {policy}, whatever their profiles say."));
        }
        let without_data = self.runs.values().filter(|run| run.error.is_none()).count();
        if let Some(error) = self.largest_error() {
            let with_data = self.runs.len() - without_data;
            said.push(format!(
                "{with_data} runs, each compared with the row kernel: the largest relative error is {error:.1e}."
            ));
        }
        if without_data > 0 {
            said.push(format!("{without_data} runs without data, whose times do not depend on it."));
        }
        said
    }

    /// How many statements came to what.
    pub(super) fn verdict(&self) -> String {
        let of = |verdict| count(&self.statements, verdict);
        format!(
            "Of the paper's {} statements {} hold, {} in part, {} do not.",
            self.statements.len(),
            of(Verdict::Holds),
            of(Verdict::InPart),
            of(Verdict::DoesNotHold)
        )
    }
}

/// A panel's lines of one configuration, as a table over x.
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// All tables of a chart.
pub(super) fn sheets(chart: &Chart, runs: &Runs) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    for panel in &chart.panels {
        let configs: BTreeSet<_> = panel.lines.iter().map(|line| line.config).collect();
        for &config in &configs {
            let lines: Vec<_> = panel.lines.iter().filter(|line| line.config == config).collect();
            let mut xs: Vec<_> = lines.iter().flat_map(|line| line.dots.iter().map(|dot| dot.x)).collect();
            xs.sort_by(f64::total_cmp);
            xs.dedup();
            let cell = |line: &Line, x: f64| {
                let dot = line.dots.iter().find(|dot| dot.x.total_cmp(&x).is_eq());
                dot.map_or(String::new(), |dot| shown(chart.measure, dot.y(chart.measure, runs)))
            };
            let row = |&x: &f64| {
                let cells = lines.iter().map(|line| cell(line, x));
                std::iter::once(x.to_string()).chain(cells).collect::<Vec<_>>()
            };
            let title =
                if panel.title == upper(config) || (configs.len() == 1 && chart.measure == Measure::Ratio) {
                    panel.title.clone()
                } else {
                    format!("{}, {}", panel.title, upper(config))
                };
            let names = std::iter::once(chart.x.to_owned()).chain(lines.iter().map(|line| line.key.clone()));
            sheets.push(Sheet { title, names: names.collect(), rows: xs.iter().map(row).collect() });
        }
    }
    sheets
}

fn shown(measure: Measure, y: f64) -> String {
    if measure.is_time() { seconds(y) } else { format!("{y:.3}") }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.machine();
        writeln!(f, "{}", machine.join("\n"))?;
        for chart in &self.charts {
            writeln!(f, "\n{}\n{}", chart.title, chart.caption)?;
            for Sheet { title, names, rows } in sheets(chart, &self.runs) {
                let mut table = Table::with_names(names);
                for row in rows {
                    table.cells(row);
                }
                writeln!(f, "\n{title}:\n\n{table}")?;
            }
            for note in &chart.notes {
                writeln!(f, "\n{note}")?;
            }
        }
        if !self.statements.is_empty() {
            writeln!(f, "\nThe paper's statements")?;
            for Stated { number, says, rule, verdict, passed, found, .. } in &self.statements {
                let [passed, checks] = passed;
                writeln!(
                    f,
                    "\n{number:3}. {says}: {}, {passed} of {checks} checks",
                    verdict.words().to_uppercase()
                )?;
                writeln!(f, "     rule: {rule}\n     found: {found}")?;
            }
            writeln!(f, "\n{}", self.verdict())?;
        }
        Ok(())
    }
}
