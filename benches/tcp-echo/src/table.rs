//! The table of measurements.

use std::fmt::Write as _;

use crate::arguments::Engine;
use crate::client::Load;

/// Figures of one measurement.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Number of connections.
    pub connections: usize,
    /// Answers per second.
    pub per_second: f64,
    /// Percentiles 50, 99 and 99.9 of the times of requests, and the longest time, in microseconds.
    pub latencies: [f64; 4],
    /// Processor time of the server for a request, in microseconds.
    pub processor: f64,
    /// The most resident memory of the server at a time, in mebibytes.
    pub memory: f64,
}

/// A server under a load.
#[derive(Clone, Debug)]
pub struct Row {
    /// The server.
    pub engine: Engine,
    /// The load.
    pub load: Load,
    /// Figures of all rounds.
    pub rounds: Vec<Figures>,
}

/// Formats rows as a table, with the medians of each row's rounds.
pub fn table(rows: &[Row]) -> String {
    let mut text = "| load | connections | server | requests/s | p50, us | p99, us | p99.9, us | max, us | \
                    server's CPU, us a request | its memory, MiB |\n|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by_key(|row| matches!(row.load, Load::Open { .. }));
    for Row { engine, load, rounds } in rows {
        let load = match load {
            Load::Closed { active } => format!("closed, {active} under way"),
            Load::Open { rate } => format!("open, {rate} a second"),
        };
        let middle = |figure: &dyn Fn(&Figures) -> f64| median(rounds.iter().map(figure).collect());
        let connections = rounds.iter().map(|figures| figures.connections).min().unwrap_or_default();
        let per_second = middle(&|figures| figures.per_second);
        let [p50, p99, p999, max] = [0, 1, 2, 3].map(|rank| middle(&|figures| figures.latencies[rank]));
        let (processor, memory) = (middle(&|figures| figures.processor), middle(&|figures| figures.memory));
        writeln!(
            text,
            "| {load} | {connections} | {engine} | {per_second:.0} | {p50:.0} | {p99:.0} | {p999:.0} | {max:.0} \
             | {processor:.1} | {memory:.0} |"
        )
        .expect("memory takes any text");
    }
    text
}

/// Returns the median: the upper one of an even number.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
