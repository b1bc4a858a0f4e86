//! What a pass is predicted to take, and what bounds it.

use std::fmt;

/// What a pass takes, in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    /// By computation alone.
    pub compute: f64,
    /// By memory alone.
    pub memory: f64,
    /// What synchronisation adds.
    pub sync: f64,
    /// All together.
    pub time: f64,
    /// The level of memory.
    pub level: String,
}

/// What bounds a pass.
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
    /// A pass that takes so long by computation and by memory, of the shorter of which `overlap` is not hidden.
    pub fn new(compute: f64, memory: f64, overlap: f64, sync: f64, level: String) -> Self {
        let time = compute.max(memory) + overlap * compute.min(memory) + sync;
        Self { compute, memory, sync, time, level }
    }

    /// What bounds it.
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
