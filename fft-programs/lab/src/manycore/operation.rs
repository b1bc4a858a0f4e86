//! Operations of elements, and results of runs.

use serde::{Deserialize, Serialize};

/// Register number. A point takes two registers; the first is even.
pub(crate) type Register = u8;

/// Operation of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Integer operations, for a number of cycles.
    Integer(u64),
    /// Loads a point into two registers. `stage` is the number of stages that must have written it.
    Load { address: u64, to: Register, stage: u8 },
    /// Loads a point from the element's own memory.
    LoadLocal { to: Register },
    /// Floating-point operation on up to three registers.
    Float { from: [Register; 3], to: Register },
    /// Stores a point from two registers, as a result of `stage`.
    Store { address: u64, from: Register, stage: u8 },
    /// Waits until all loads have arrived and all stores are in their banks.
    Drain,
    /// Ends a stage.
    End,
    /// Waits for all elements at a program's barrier.
    Barrier,
    /// Asks again whether a polled barrier is open. It is in no program.
    Poll,
    /// Waits for all elements at no cost except waiting. No program can do this, but the model assumes it.
    Meet,
    /// Signals another element.
    Signal { to: u32 },
    /// Waits until this number of signals, in total, has arrived.
    Await { signals: u64 },
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Cycles of the whole run.
    pub(crate) cycles: u64,
    /// Cycle at which the last element ended each stage, and passed the barrier if there is one.
    pub(crate) ends: Vec<u64>,
    /// Cycles summed over all elements, by activity.
    pub(crate) spent: Spent,
    /// Number of points that were read before they were written.
    pub(crate) stale: u64,
}

/// Cycles by what elements did or waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spent {
    /// Integer operations.
    pub(crate) integer: u64,
    /// Floating-point operations, and waiting for them.
    pub(crate) floating: u64,
    /// Loads and stores, and waiting for them.
    pub(crate) memory: u64,
    /// Barriers and signals, and waiting for others.
    pub(crate) waiting: u64,
}

impl Spent {
    /// Counts an issued operation. Returns the number of cycles after which the element can issue the next
    /// one.
    pub(crate) fn issue(&mut self, operation: Operation) -> u64 {
        let (on, cycles) = match operation {
            Operation::Integer(cycles) => (&mut self.integer, cycles),
            Operation::Float { .. } => (&mut self.floating, 1),
            Operation::Load { .. } | Operation::LoadLocal { .. } | Operation::Store { .. } => {
                (&mut self.memory, 1)
            }
            Operation::Signal { .. } => (&mut self.waiting, 1),
            Operation::Drain
            | Operation::End
            | Operation::Barrier
            | Operation::Poll
            | Operation::Meet
            | Operation::Await { .. } => return 0,
        };
        *on += cycles;
        cycles
    }
}
