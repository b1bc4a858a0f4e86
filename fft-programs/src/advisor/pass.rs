//! A pass as the model has it, and its predicted time.

use std::fmt;

use earth_serial::{PassFacts, Way};
use serde::{Deserialize, Serialize};

/// How an array is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// One element after another.
    Stream,
    /// Down columns of a few cache lines.
    Columns,
}

/// A pass over arrays, or a phase of a program, as the model has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Pass {
    /// What it is, for people.
    pub what: String,
    /// What is computed.
    pub work: Work,
    /// The bytes of a complex point.
    pub point: usize,
    /// The bytes that are read and written.
    pub bytes: usize,
    /// The bytes that are passed over before it comes to the same ones again.
    pub footprint: usize,
    /// The threads that share it.
    pub threads: usize,
    /// The largest share of a thread over an even one.
    pub uneven: f64,
    /// The parts that it is cut into on nodes; none where one thread does it without a machine.
    pub parts: usize,
    /// The tiles that its parts send or get.
    pub tiles: usize,
}

/// What a pass computes.
#[derive(Clone, PartialEq, Debug)]
pub enum Work {
    /// Lines of one length.
    Lines {
        /// Where they lie.
        way: Way,
        /// The name of the kernel.
        kernel: String,
        /// The points of a line.
        len: usize,
        /// Their number.
        lines: usize,
        /// Whether a step between real numbers and points goes with it.
        real: bool,
    },
    /// Nothing: points are put elsewhere.
    Moves(Pattern),
    /// Steps of a name, so many of them.
    Steps(&'static str, u64),
}

impl Pass {
    /// A pass of one thread.
    pub(crate) fn alone(facts: PassFacts, point: usize) -> Self {
        let PassFacts { way, kernel, len, lines, real, bytes, footprint } = facts;
        let told = match way {
            Way::Rows if real => "rows of real numbers as rows",
            Way::Rows => "rows",
            Way::Columns => "columns",
            Way::Gathered if real => "gathered lines of real numbers as lines",
            Way::Gathered => "gathered lines",
            Way::Turned => "rows into columns",
            Way::GatheredTurned => "gathered rows into columns",
        };
        let work = Work::Lines { way, kernel: kernel.to_owned(), len, lines, real };
        let what = format!("{lines} {told} of {len} by {kernel}");
        Self { what, work, point, bytes, footprint, threads: 1, uneven: 1.0, parts: 0, tiles: 0 }
    }

    /// The same pass shared by `threads` nodes, of which the busiest has `uneven` times an even share, cut into `parts`
    /// that exchange `tiles` with the passes beside it.
    #[must_use]
    pub fn shared(self, threads: usize, uneven: f64, [parts, tiles]: [usize; 2]) -> Self {
        Self { threads, uneven, parts, tiles, ..self }
    }

    /// The floating-point operations by the customary count, 5 n log2 n of a line.
    pub fn operations(&self) -> f64 {
        match &self.work {
            Work::Lines { len, lines, real, .. } => {
                let points = *len as f64 * *lines as f64;
                5.0 * points * (*len as f64).log2() + if *real { 5.0 * points } else { 0.0 }
            }
            Work::Moves(_) => 0.0,
            Work::Steps(_, count) => 5.0 * *count as f64,
        }
    }
}

/// The predicted time of a pass, in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    /// By computation alone.
    pub compute: f64,
    /// By memory alone.
    pub memory: f64,
    /// By synchronisation, which adds to the others.
    pub sync: f64,
    /// All together.
    pub time: f64,
    /// The level of memory.
    pub level: String,
}

/// The bound of a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Its arithmetic.
    Computation,
    /// The bandwidth of a level of memory.
    Memory(String),
    /// Its parts and tiles.
    Synchronisation,
}

impl Predicted {
    /// The pass whose computation and memory take these times; the part `overlap` of the shorter time is not hidden.
    pub fn new(compute: f64, memory: f64, overlap: f64, sync: f64, level: String) -> Self {
        let time = compute.max(memory) + overlap * compute.min(memory) + sync;
        Self { compute, memory, sync, time, level }
    }

    /// The bound.
    pub fn bound(&self) -> Bound {
        let Self { compute, memory, sync, .. } = *self;
        if sync > compute.max(memory) {
            Bound::Synchronisation
        } else if compute >= memory {
            Bound::Computation
        } else {
            Bound::Memory(self.level.clone())
        }
    }
}

/// `computation`, `L2`, `memory` or `synchronisation`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computation => f.pad("computation"),
            Self::Memory(level) => f.pad(level),
            Self::Synchronisation => f.pad("synchronisation"),
        }
    }
}
