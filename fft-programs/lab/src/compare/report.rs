//! What a comparison found, as JSON.

use std::fmt;

use earth::{Config, Policy};
use earth_fft::Shape;
use earth_report::facts::Facts;
use earth_report::spread::Spread;
use serde::{Serialize, Serializer};

use super::picture::Picture;

/// All rows. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub(super) schema: u32,
    pub(super) machine: Facts,
    /// Machines of both configurations ran under it.
    pub(super) policy: Policy,
    /// Pairs of runs a row.
    pub(super) pairs: usize,
    pub(super) subjects: Vec<About>,
    pub(super) rows: Vec<Row>,
    /// Because the time was over.
    pub(super) rows_left_out: usize,
    /// Because they would have asked too often, receiver-initiated ones.
    pub(super) rows_too_large: usize,
}

/// What is known of a subject.
#[derive(Debug, Serialize)]
pub(super) struct About {
    pub(super) name: String,
    /// How many samples there were.
    pub(super) samples: usize,
    /// How many are transformed.
    pub(super) n: usize,
    /// Of a matrix.
    pub(super) rows: Option<usize>,
    pub(super) cols: Option<usize>,
    pub(super) precision: &'static str,
    /// How many samples one turn of the strongest line takes, the line at zero aside; of a series.
    pub(super) strongest_period: Option<f64>,
    #[serde(skip)]
    pub(super) picture: Option<Picture>,
    /// What lies between two samples.
    #[serde(skip)]
    pub(super) unit: &'static str,
    /// The amplitude of a line of each frequency, from 1/N on, in units of the samples; of a series.
    #[serde(skip)]
    pub(super) amplitudes: Vec<f64>,
}

impl About {
    /// What is known before any transform.
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

    /// Its size, for people.
    pub(super) fn size(&self) -> String {
        let Self { samples, n, precision, .. } = self;
        match (self.rows, self.cols) {
            (Some(rows), Some(cols)) => format!("{rows} x {cols} samples ({precision})"),
            _ if samples < n => format!("{samples} samples, then zeros: N = {n} ({precision})"),
            _ => format!("N = {n} ({precision})"),
        }
    }
}

/// A program on two machines.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// Which of the subjects, from 0.
    pub(super) subject: usize,
    pub(super) algorithm: &'static str,
    pub(super) equal: Equal,
    /// The points of a block, where it was asked for.
    pub(super) block: Option<usize>,
    pub(super) spn: Side,
    pub(super) dual: Side,
    /// DUAL's time over SPN's, pair by pair.
    pub(super) ratio: Spread,
    /// The larger of both sides' relative errors.
    pub(super) verified_error: f64,
}

impl Row {
    /// Both sides, SPN first.
    pub(super) fn sides(&self) -> [(Config, &Side); 2] {
        [(Config::Spn, &self.spn), (Config::Dual, &self.dual)]
    }

    /// Whether a side has more threads than there are `cores`.
    pub(super) fn is_crowded(&self, cores: usize) -> bool {
        self.spn.threads.max(self.dual.threads) > cores
    }
}

/// What both sides have the same number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Equal {
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

/// One configuration on so many nodes.
#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) nodes: usize,
    /// One a node or two; where there are fewer cores, they take turns on as many threads as there are cores.
    pub(super) threads: usize,
    pub(super) seconds: Spread,
    pub(super) gflops: f64,
    /// What the units did in a timed run, on average.
    pub(super) units: Use,
    pub(super) paper_tokens: u64,
    pub(super) half_butterflies: u64,
    /// Fibers, tokens, invokes, signals and bytes moved, by these names in JSON.
    #[serde(flatten, serialize_with = "named")]
    pub(super) counters: [u64; 5],
}

/// Writes counters by their names.
fn named<S: Serializer>(counters: &[u64; 5], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(["fibers", "tokens", "invokes", "signals", "bytes_moved"].iter().zip(counters))
}

/// The seconds that units were at work and had nothing to do, summed over the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Use {
    /// Execution units at work; with one thread a node, synchronization included.
    pub(super) eu_busy: f64,
    /// Execution units without work.
    pub(super) eu_idle: f64,
    /// Synchronization units at work, if they have threads of their own.
    pub(super) su_busy: f64,
    /// Synchronization units without work, if they have threads of their own.
    pub(super) su_idle: f64,
}

impl Report {
    /// Program by program, each in the order in which it was measured.
    pub(super) fn rows_at(&self, equal: Equal) -> Vec<&Row> {
        let mut rows: Vec<_> = self.rows.iter().filter(|row| row.equal == equal).collect();
        rows.sort_by_key(|row| (row.subject, place(row.algorithm)));
        rows
    }

    /// What the programs count, each set once.
    pub(super) fn distinct_work(&self) -> Vec<Work<'_>> {
        let mut sets: Vec<Work<'_>> = Vec::new();
        for row in &self.rows {
            for (_, side) in row.sides() {
                let new = Work { row, side, on: [side.nodes; 2] };
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

/// What a program counts, and on how many nodes.
pub(super) struct Work<'a> {
    pub(super) row: &'a Row,
    pub(super) side: &'a Side,
    /// The fewest and the most nodes of which this is true.
    on: [usize; 2],
}

impl Work<'_> {
    /// What tells it from others.
    fn counted(&self) -> (&'static str, Option<usize>, [u64; 5]) {
        (self.row.algorithm, self.row.block, self.side.counters)
    }

    /// The nodes, for people.
    pub(super) fn nodes(&self) -> String {
        match self.on {
            [least, most] if least < most => format!("{least}-{most}"),
            [nodes, _] => nodes.to_string(),
        }
    }
}

/// The place of an algorithm in the rows of a subject.
fn place(algorithm: &str) -> usize {
    let known = ["receiver", "receiver-shared", "sender", "grouped"];
    known.iter().position(|name| *name == algorithm).unwrap_or(known.len())
}
