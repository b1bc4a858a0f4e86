//! The order in which the units of a node took up work, on a machine that records it on real cores.
//!
//! A unit is deterministic: what it does follows from the messages that it received and from the fibers,
//! functions and tokens that it took up, in their order. So this order is enough to repeat a run. An entry
//! takes 16 bytes, and the units write one:
//!
//! * for each fiber, function and token that they start;
//! * for each message of another node;
//! * for each token that they take from another node;
//! * in DUAL, for each group of operations of the execution unit that the synchronization unit applied.
//!
//! A fiber is named by its frame, its enabler and its index. Numbers of frames are the same in a repeated run,
//! because the machine builds its units anew for each recorded run. A token is named by the node that made it
//! and by its number among the tokens of that node. An invoked function needs no name: a node starts these in
//! the order in which they come.

use super::log::Log;

/// An entry of the order of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// The unit ran a fiber.
    Fiber { frame: u32, by: u32, index: u32 },
    /// The unit started the function that had waited longest.
    Function,
    /// The unit started a token.
    Token { node: u32, number: u32 },
    /// The unit received a message of node `from`.
    Message { from: u32 },
    /// The synchronization unit applied operations of its execution unit (DUAL).
    Operations { count: u32 },
    /// The unit took a token from another node.
    Steal { node: u32, number: u32 },
    /// The synchronization unit handed the token that it took last to its execution unit (DUAL).
    Hand,
    /// The execution unit reported that it has no work (DUAL).
    Report,
    /// A timer fired.
    Timer,
}

/// The order of a unit in a run.
#[derive(Debug)]
pub(crate) struct OrderLog {
    pub(crate) entries: Log<Taken>,
    /// Tokens that the node has made.
    tokens: u32,
}

impl OrderLog {
    /// The most entries of a unit.
    const MOST: usize = 1 << 26;

    pub(crate) fn new() -> Self {
        OrderLog { entries: Log::new(Self::MOST, Taken::Function), tokens: 0 }
    }

    pub(crate) fn begin(&mut self) {
        self.entries.clear();
        self.tokens = 0;
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, taken: Taken) {
        self.entries.push(taken);
    }

    /// Adds operations to the last entry, if it has some, else to a new one.
    pub(crate) fn applied(&mut self, operations: u32) {
        match self.entries.last_mut() {
            Some(Taken::Operations { count }) => *count = count.saturating_add(operations),
            _ if operations > 0 => self.add(Taken::Operations { count: operations }),
            _ => {}
        }
    }

    /// Returns the number of the next token that the node makes.
    pub(crate) fn next_token(&mut self) -> u32 {
        self.tokens += 1;
        self.tokens - 1
    }
}
