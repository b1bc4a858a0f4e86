//! Results of a simulation as rows of CSV, and as JSON.

use std::io;

use earth::simulated::Profile;
use earth::{Config, Policy};
use earth_report::document::csv;
use earth_report::statements::Row as Stated;
use serde::Serialize;

use super::chart::{Chart, Dot, Line, Panel};
use super::measured::{Measured, Point, Runs};
use super::setups::Setups;

/// Results of the chosen subjects. A change of any JSON key raises `schema`.
#[derive(Debug)]
pub struct Report {
    pub(super) setups: Setups,
    pub(super) charts: Vec<Chart>,
    pub(super) runs: Runs,
    pub(super) statements: Vec<Stated>,
}

/// Version of the JSON.
const SCHEMA: u32 = 3;

/// Dot of a chart with all results of its run: a row of CSV, an object of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    figure: &'static str,
    panel: &'a str,
    line: &'a str,
    /// Name of the profile, or of the change to it.
    costs: &'a str,
    flop_cycles: f64,
    program: String,
    config: Config,
    n: usize,
    p: usize,
    block: Option<usize>,
    /// Roots of a node in progress at a time, if not all were.
    roots: Option<usize>,
    point_bytes: usize,
    x: f64,
    y: f64,
    dealing_s: f64,
    local_s: f64,
    multithreaded_s: f64,
    gathering_s: f64,
    reordering_s: f64,
    /// Time of the local stages and of the multithreaded phase.
    total_s: f64,
    cycles: u64,
    /// Time of the row kernel on one node at the same costs, over the total time.
    speedup: f64,
    requests: u64,
    half_butterflies: u64,
    fibers: u64,
    messages: u64,
    eu_busy_s: f64,
    su_busy_s: f64,
    /// Relative error; `None` for a run without data.
    error: Option<f64>,
}

#[derive(Serialize)]
struct Figure<'a> {
    name: &'static str,
    title: &'static str,
    caption: &'a str,
    x: &'static str,
    y: &'static str,
    notes: Vec<&'a str>,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    /// Costs of the given profile. Costs that are not in `published` are estimates.
    profile: Profile,
    /// Policy of all machines; present only if it replaced the profile's policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    runs: usize,
    /// Largest relative error of the runs with data, if there are any.
    largest_error: Option<f64>,
    figures: Vec<Figure<'a>>,
    statements: &'a [Stated],
}

impl Report {
    /// Returns everything as one JSON object.
    pub fn answer(&self) -> impl Serialize + '_ {
        let figures = self
            .charts
            .iter()
            .map(|chart| Figure {
                name: chart.name,
                title: chart.title,
                caption: &chart.caption,
                x: chart.x,
                y: chart.y,
                notes: chart.notes(),
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

    /// Returns the rows of a chart, line by line.
    pub(super) fn rows<'a>(&'a self, chart: &'a Chart) -> Vec<Row<'a>> {
        chart.dots().filter_map(|(panel, line, dot)| self.row(chart, panel, line, dot)).collect()
    }

    fn row<'a>(&'a self, chart: &'a Chart, panel: &'a Panel, line: &'a Line, dot: &Dot) -> Option<Row<'a>> {
        let Dot { x, point, .. } = *dot;
        let run = self.runs.get(&point)?;
        let base = self.runs.get(&point.base())?;
        let Measured { dealing, local, multithreaded, gathering, reordering, cycles, .. } = *run;
        let Measured { requests, half_butterflies, fibers, messages, eu_busy, su_busy, error, .. } = *run;
        let Point { program, config, n, p, .. } = point;
        let costs = self.setups.of(&point);
        Some(Row {
            figure: chart.name,
            panel: &panel.title,
            line: &line.key,
            costs: &costs.name,
            flop_cycles: costs.profile.work.flop,
            program: point.name(),
            config,
            n,
            p,
            block: program.block(),
            roots: program.roots(),
            point_bytes: if point.single { 8 } else { 16 },
            x,
            y: dot.y(chart.measure, &self.runs),
            dealing_s: dealing,
            local_s: local,
            multithreaded_s: multithreaded,
            gathering_s: gathering,
            reordering_s: reordering,
            total_s: run.total(),
            cycles,
            speedup: base.total() / run.total(),
            requests,
            half_butterflies,
            fibers,
            messages,
            eu_busy_s: eu_busy,
            su_busy_s: su_busy,
            error,
        })
    }

    /// Returns name and content of a file for each chart's rows, and for the statements.
    ///
    /// # Errors
    ///
    /// Returns the errors of writing CSV. None occurs, because the files are in memory.
    pub fn tables(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let of = |chart: &Chart| Ok((format!("{}.csv", chart.name), csv::records(self.rows(chart))?));
        let mut files = self.charts.iter().map(of).collect::<io::Result<Vec<_>>>()?;
        if !self.statements.is_empty() {
            files.push(("statements.csv".to_owned(), csv::statements(&self.statements)?));
        }
        Ok(files)
    }

    /// Returns the largest relative error of the runs with data, if there are any.
    pub(super) fn largest_error(&self) -> Option<f64> {
        self.runs.values().filter_map(|run| run.error).reduce(f64::max)
    }
}
