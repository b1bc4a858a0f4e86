//! Result of a comparison, as JSON.

use std::fmt;

use earth::{Config, Policy};
use earth_fft::Shape;
use earth_report::facts::Facts;
use earth_report::spread::Spread;
use serde::{Serialize, Serializer};

use super::picture::Picture;

/// All rows. The field names are the JSON keys; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub(super) schema: u32,
    pub(super) machine: Facts,
    /// Policy of the machines of both configurations.
    pub(super) policy: Policy,
    /// Pairs of runs per row.
    pub(super) pairs: usize,
    pub(super) subjects: Vec<SubjectInfo>,
    pub(super) rows: Vec<Row>,
    /// Number of rows left out because the time was over.
    pub(super) rows_left_out: usize,
    /// Number of receiver-initiated rows left out because of too many requests.
    pub(super) rows_too_large: usize,
}

/// Properties of a subject.
#[derive(Debug, Serialize)]
pub(super) struct SubjectInfo {
    pub(super) name: String,
    /// Number of samples given.
    pub(super) samples: usize,
    /// Number of points transformed.
    pub(super) n: usize,
    /// Number of rows of a matrix; below, of columns.
    pub(super) rows: Option<usize>,
    pub(super) cols: Option<usize>,
    pub(super) precision: &'static str,
    /// Period of the strongest line except at zero frequency, in samples; for a series only.
    pub(super) strongest_period: Option<f64>,
    #[serde(skip)]
    pub(super) picture: Option<Picture>,
    /// Distance between two samples.
    #[serde(skip)]
    pub(super) unit: &'static str,
    /// Amplitude at each frequency from 1/N on, in units of the samples; for a series only.
    #[serde(skip)]
    pub(super) amplitudes: Vec<f64>,
}

impl SubjectInfo {
    /// Describes a subject before any transform.
    pub(super) fn of(
        name: String,
        given: usize,
        shape: Shape,
        precision: &'static str,
        unit: &'static str,
    ) -> Self {
        let (rows, cols) = shape.sides().unzip();
        let n = shape.samples().unwrap_or(usize::MAX);
        let (strongest_period, picture, amplitudes) = (None, None, Vec::new());
        Self { name, samples: given, n, rows, cols, precision, strongest_period, picture, unit, amplitudes }
    }

    /// Describes the size as text.
    pub(super) fn size(&self) -> String {
        let Self { samples, n, precision, .. } = self;
        match (self.rows, self.cols) {
            (Some(rows), Some(cols)) => format!("{rows} x {cols} samples ({precision})"),
            _ if samples < n => format!("{samples} samples, then zeros: N = {n} ({precision})"),
            _ => format!("N = {n} ({precision})"),
        }
    }
}

/// Program on two machines.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// Index of the subject.
    pub(super) subject: usize,
    pub(super) algorithm: &'static str,
    pub(super) equal: Equal,
    /// Points per block; `None` lets the program choose.
    pub(super) block: Option<usize>,
    pub(super) spn: Side,
    pub(super) dual: Side,
    /// DUAL's time over SPN's, pair by pair.
    pub(super) ratio: Spread,
    /// The larger relative error of the two sides.
    pub(super) verified_error: f64,
}

impl Row {
    /// Returns both sides, SPN first.
    pub(super) fn sides(&self) -> [(Config, &Side); 2] {
        [(Config::Spn, &self.spn), (Config::Dual, &self.dual)]
    }

    /// Returns whether a side has more threads than `cores`.
    pub(super) fn is_crowded(&self, cores: usize) -> bool {
        self.spn.threads.max(self.dual.threads) > cores
    }
}

/// Resource that is equal on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Equal {
    Nodes,
    Cores,
}

impl fmt::Display for Equal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nodes => "nodes",
            Self::Cores => "cores",
        })
    }
}

/// One configuration on a number of nodes.
#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) nodes: usize,
    /// One thread per node, or two. On fewer cores, the units take turns on one thread per core.
    pub(super) threads: usize,
    pub(super) seconds: Spread,
    pub(super) gflops: f64,
    /// Use of the units in a timed run, on average.
    pub(super) units: UnitTimes,
    pub(super) paper_tokens: u64,
    pub(super) half_butterflies: u64,
    /// Fibers, tokens, invokes, signals and bytes moved; these names are the JSON keys.
    #[serde(flatten, serialize_with = "named")]
    pub(super) counters: [u64; 5],
}

/// Serializes the counters by name.
fn named<S: Serializer>(counters: &[u64; 5], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(["fibers", "tokens", "invokes", "signals", "bytes_moved"].iter().zip(counters))
}

/// Busy and idle time of units, in seconds, summed over the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct UnitTimes {
    /// Time of busy execution units; with one thread per node it includes synchronization.
    pub(super) eu_busy: f64,
    /// Time of idle execution units.
    pub(super) eu_idle: f64,
    /// Time of busy synchronization units that have their own threads.
    pub(super) su_busy: f64,
    /// Time of idle synchronization units that have their own threads.
    pub(super) su_idle: f64,
}

impl Report {
    /// Returns the rows of one kind, sorted by program; rows of a program stay in the order of measurement.
    pub(super) fn rows_at(&self, equal: Equal) -> Vec<&Row> {
        let mut rows: Vec<_> = self.rows.iter().filter(|row| row.equal == equal).collect();
        rows.sort_by_key(|row| (row.subject, place(row.algorithm)));
        rows
    }

    /// Returns the distinct sets of counters.
    pub(super) fn distinct_work(&self) -> Vec<CounterSet<'_>> {
        let mut sets: Vec<CounterSet<'_>> = Vec::new();
        for row in &self.rows {
            for (_, side) in row.sides() {
                let new = CounterSet { row, side, on: [side.nodes; 2] };
                match sets.iter_mut().find(|set| set.counted() == new.counted()) {
                    Some(set) => set.on = [set.on[0].min(side.nodes), set.on[1].max(side.nodes)],
                    None => sets.push(new),
                }
            }
        }
        sets.sort_by_key(|set| (place(set.row.algorithm), set.on[0], set.row.block));
        sets
    }
}

/// Counters of a program, and the numbers of nodes that have them.
pub(super) struct CounterSet<'a> {
    pub(super) row: &'a Row,
    pub(super) side: &'a Side,
    /// Fewest and most nodes with these counters.
    on: [usize; 2],
}

impl CounterSet<'_> {
    /// Returns the key that distinguishes sets.
    fn counted(&self) -> (&'static str, Option<usize>, [u64; 5]) {
        (self.row.algorithm, self.row.block, self.side.counters)
    }

    /// Formats the numbers of nodes.
    pub(super) fn nodes(&self) -> String {
        match self.on {
            [least, most] if least < most => format!("{least}-{most}"),
            [nodes, _] => nodes.to_string(),
        }
    }
}

/// Returns the position of an algorithm among the rows of a subject.
fn place(algorithm: &str) -> usize {
    let known = ["receiver", "receiver-shared", "sender", "grouped"];
    known.iter().position(|name| *name == algorithm).unwrap_or(known.len())
}
