//! What elements do, and what comes of it.

/// The number of a register; a point takes two, the first of them even.
pub(crate) type Register = u8;

/// What an element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Integer operations: so many cycles.
    Integer(u64),
    /// Loads a point into two registers. `stage` is the number of stages that have written it.
    Load { address: u64, to: Register, stage: u8 },
    /// Loads a point from its own memory.
    LoadNear { to: Register },
    /// A floating-point operation on up to three registers.
    Float { from: [Register; 3], to: Register },
    /// Stores a point from two registers, as that of a stage.
    Store { address: u64, from: Register, stage: u8 },
    /// Waits until all that it has loaded is there and all that it has stored is in its bank.
    Drain,
    /// Ends a stage.
    End,
    /// Waits for all elements, as programs do.
    Barrier,
    /// Waits for all elements, which costs nothing but waiting: what no program can do, and the model takes for granted.
    Meet,
    /// Signals another element.
    Signal { to: u32 },
    /// Waits until that many signals have come in all.
    Await { signals: u64 },
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// The cycles of all.
    pub(crate) cycles: u64,
    /// When the last element had ended each stage, and passed the barrier if there is one.
    pub(crate) ends: Vec<u64>,
    /// The cycles of all elements, by what they did or waited for.
    pub(crate) spent: Spent,
    /// Points that were read before they were written, or not at all.
    pub(crate) stale: u64,
}

/// Cycles by what elements did or waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Counts an operation that is issued. Returns after how many cycles the next one can be.
    pub(crate) fn issue(&mut self, operation: Operation) -> u64 {
        let (on, cycles) = match operation {
            Operation::Integer(cycles) => (&mut self.integer, cycles),
            Operation::Float { .. } => (&mut self.floating, 1),
            Operation::Load { .. } | Operation::LoadNear { .. } | Operation::Store { .. } => {
                (&mut self.memory, 1)
            }
            Operation::Signal { .. } => (&mut self.waiting, 1),
            Operation::Drain
            | Operation::End
            | Operation::Barrier
            | Operation::Meet
            | Operation::Await { .. } => return 0,
        };
        *on += cycles;
        cycles
    }
}
