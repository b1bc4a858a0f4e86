//! A pass for the model, and its predicted time.

use std::fmt;

use earth_serial::{Method, PassFacts};
use serde::{Deserialize, Serialize};

/// Access pattern of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Consecutive elements.
    Stream,
    /// Columns that are a few cache lines wide.
    Columns,
}

/// Pass over arrays, or phase of a program, for the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Pass {
    /// Description, for people.
    pub what: String,
    /// Computation of the pass.
    pub work: PassWork,
    /// Bytes of a complex point.
    pub point: usize,
    /// Bytes that are read and written.
    pub bytes: usize,
    /// Reuse distance: the bytes that the pass visits before it visits the same bytes again.
    pub footprint: usize,
    /// Number of threads that share the pass.
    pub threads: usize,
    /// Largest share of a thread, relative to an even share.
    pub uneven: f64,
    /// Number of parts on nodes; 0 if one thread does the pass without a machine.
    pub parts: usize,
    /// Number of tiles that the parts send or receive.
    pub tiles: usize,
}

/// Computation of a pass.
#[derive(Clone, PartialEq, Debug)]
pub enum PassWork {
    /// Lines of one length.
    Lines {
        /// How the lines are transformed.
        way: Method,
        /// Name of the kernel.
        kernel: String,
        /// Points of a line.
        len: usize,
        /// Number of lines.
        lines: usize,
        /// Whether the pass includes the step between real numbers and points.
        real: bool,
    },
    /// No computation: points are moved.
    Moves(Pattern),
    /// Steps of this name, and their number.
    Steps(&'static str, u64),
}

impl Pass {
    pub(crate) fn alone(facts: PassFacts, point: usize) -> Self {
        let PassFacts { way, kernel, len, lines, real, bytes, footprint } = facts;
        let told = match way {
            Method::Rows if real => "rows of real numbers as rows",
            Method::Rows => "rows",
            Method::Columns => "columns",
            Method::Gathered if real => "gathered lines of real numbers as lines",
            Method::Gathered => "gathered lines",
            Method::Turned => "rows into columns",
            Method::GatheredTransposed => "gathered rows into columns",
        };
        let work = PassWork::Lines { way, kernel: kernel.to_owned(), len, lines, real };
        let what = format!("{lines} {told} of {len} by {kernel}");
        Self { what, work, point, bytes, footprint, threads: 1, uneven: 1.0, parts: 0, tiles: 0 }
    }

    /// Returns the pass shared by `threads` nodes, the busiest with `uneven` times an even share. The pass is
    /// cut into `parts`, which exchange `tiles` with the neighboring passes.
    #[must_use]
    pub fn shared(self, threads: usize, uneven: f64, [parts, tiles]: [usize; 2]) -> Self {
        Self { threads, uneven, parts, tiles, ..self }
    }

    /// Returns the floating-point operations by the customary count, 5 n log2 n for a line.
    pub fn operations(&self) -> f64 {
        match &self.work {
            PassWork::Lines { len, lines, real, .. } => {
                let points = *len as f64 * *lines as f64;
                5.0 * points * (*len as f64).log2() + if *real { 5.0 * points } else { 0.0 }
            }
            PassWork::Moves(_) => 0.0,
            PassWork::Steps(_, count) => 5.0 * *count as f64,
        }
    }
}

/// Predicted time of a pass, in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    /// Time of computation alone.
    pub compute: f64,
    /// Time of memory alone.
    pub memory: f64,
    /// Time of synchronization, which adds to the others.
    pub sync: f64,
    /// Total time.
    pub time: f64,
    /// Level of memory that the pass uses.
    pub level: String,
}

/// Bound of a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Arithmetic.
    Computation,
    /// Bandwidth of a level of memory.
    Memory(String),
    /// Parts and tiles.
    Synchronization,
}

impl Predicted {
    /// Combines these times of computation and memory; the part `overlap` of the shorter time is not hidden.
    pub fn new(compute: f64, memory: f64, overlap: f64, sync: f64, level: String) -> Self {
        let time = compute.max(memory) + overlap * compute.min(memory) + sync;
        Self { compute, memory, sync, time, level }
    }

    /// Returns the bound.
    pub fn bound(&self) -> Bound {
        let Self { compute, memory, sync, .. } = *self;
        if sync > compute.max(memory) {
            Bound::Synchronization
        } else if compute >= memory {
            Bound::Computation
        } else {
            Bound::Memory(self.level.clone())
        }
    }
}

/// Writes `computation`, `L2`, `memory` or `synchronization`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computation => f.pad("computation"),
            Self::Memory(level) => f.pad(level),
            Self::Synchronization => f.pad("synchronization"),
        }
    }
}
