//! The order in which the units of a node took up work, on a machine that records it on real cores.
//!
//! A unit is deterministic: what it does follows from the messages that it received and from the fibers,
//! functions and tokens that it took up, in their order. So this order is enough to repeat a run. An entry
//! takes 8 bytes, and the units write one:
//!
//! * for each fiber, function and token that they start;
//! * for each message of another node;
//! * for each token that they take from another node, or give another one;
//! * in DUAL, for each group of operations of the execution unit that the synchronization unit applied.
//!
//! A fiber is named by its frame, its enabler and its index. Numbers of frames are the same in a repeated
//! run, because the machine makes new units for each recorded run. A token is named by the node that
//! made it and by its number among the tokens of that node. An invoked function needs no name: a node
//! starts these in the order in which they come.

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
    /// The unit sent a token to node `to`, which had asked for it, if `given`. The nodes are processes.
    Give { node: u32, number: u32, to: u32, given: bool },
    /// The synchronization unit handed the token that it took last to its execution unit (DUAL).
    Hand,
    /// The execution unit reported that it has no work (DUAL).
    Report,
    /// A timer fired.
    Timer,
}

/// An entry in one word: its kind in the upper 4 bits, then 28 and 32 bits of numbers. A fiber whose index is
/// not 0, and a token that is given away, have a second word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word(u64);

impl Word {
    const FIBER: u64 = 0;
    const FUNCTION: u64 = 1;
    const TOKEN: u64 = 2;
    const MESSAGE: u64 = 3;
    const OPERATIONS: u64 = 4;
    const STEAL: u64 = 5;
    const HAND: u64 = 6;
    const REPORT: u64 = 7;
    const TIMER: u64 = 8;
    /// The index of the fiber in the word before, or the receiver of the token.
    const INDEX: u64 = 9;
    const GIVE: u64 = 10;
    const GIVEN: u64 = 11;

    #[inline(always)]
    const fn new(kind: u64, first: u32, second: u32) -> Self {
        Word(kind << 60 | (first as u64 & 0xFFF_FFFF) << 32 | second as u64)
    }

    const fn numbers(self) -> (u32, u32) {
        ((self.0 >> 32) as u32 & 0xFFF_FFFF, self.0 as u32)
    }

    const fn kind(self) -> u64 {
        self.0 >> 60
    }
}

/// The order of a unit in a run.
#[derive(Debug)]
pub(crate) struct OrderLog {
    words: Log<Word>,
    /// Tokens that the node has made.
    tokens: u32,
}

impl Default for OrderLog {
    fn default() -> Self {
        OrderLog { words: Log::new(Self::MOST, Word(0)), tokens: 0 }
    }
}

impl OrderLog {
    /// The most entries of a unit.
    const MOST: usize = 1 << 28;

    pub(crate) fn begin(&mut self) {
        self.words.clear();
        self.tokens = 0;
    }

    /// Adds a fiber. Its frame has a number below 2^28.
    #[inline(always)]
    pub(crate) fn add_fiber(&mut self, frame: u32, by: u32, index: u32) {
        self.words.push(Word::new(Word::FIBER, frame, by));
        if index > 0 {
            self.words.push(Word::new(Word::INDEX, 0, index));
        }
    }

    /// Adds an entry. Callers name its kind, so the match is decided at compile time.
    #[inline(always)]
    pub(crate) fn add(&mut self, taken: Taken) {
        let word = match taken {
            Taken::Fiber { frame, by, index } => return self.add_fiber(frame, by, index),
            Taken::Function => Word::new(Word::FUNCTION, 0, 0),
            Taken::Token { node, number } => Word::new(Word::TOKEN, node, number),
            Taken::Message { from } => Word::new(Word::MESSAGE, 0, from),
            Taken::Operations { count } => Word::new(Word::OPERATIONS, 0, count),
            Taken::Steal { node, number } => Word::new(Word::STEAL, node, number),
            Taken::Give { node, number, to, given } => {
                let kind = if given { Word::GIVEN } else { Word::GIVE };
                self.words.push(Word::new(kind, node, number));
                Word::new(Word::INDEX, 0, to)
            }
            Taken::Hand => Word::new(Word::HAND, 0, 0),
            Taken::Report => Word::new(Word::REPORT, 0, 0),
            Taken::Timer => Word::new(Word::TIMER, 0, 0),
        };
        self.words.push(word);
    }

    /// Adds operations to the last entry, if it has some, else to a new one.
    pub(crate) fn applied(&mut self, operations: u32) {
        match self.words.last_mut() {
            Some(word) if word.kind() == Word::OPERATIONS => {
                *word = Word::new(Word::OPERATIONS, 0, word.numbers().1.saturating_add(operations));
            }
            _ if operations > 0 => self.add(Taken::Operations { count: operations }),
            _ => {}
        }
    }

    /// Returns the number of the next token that the node makes.
    pub(crate) fn next_token(&mut self) -> u32 {
        self.tokens += 1;
        self.tokens - 1
    }

    /// Returns the number of words of all entries.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether entries found no room.
    pub(crate) fn is_cut(&self) -> bool {
        self.words.dropped > 0
    }

    /// Returns the entry that begins at word `at`, and the word after it.
    pub(crate) fn entry(&self, at: usize) -> Option<(Taken, usize)> {
        let word = self.words.get(at)?;
        let (first, second) = word.numbers();
        let taken = match word.kind() {
            Word::FIBER => {
                let index = self.words.get(at + 1).filter(|next| next.kind() == Word::INDEX);
                let taken = |index| Taken::Fiber { frame: first, by: second, index };
                return Some(index.map_or((taken(0), at + 1), |index| (taken(index.numbers().1), at + 2)));
            }
            Word::TOKEN => Taken::Token { node: first, number: second },
            Word::MESSAGE => Taken::Message { from: second },
            Word::OPERATIONS => Taken::Operations { count: second },
            Word::STEAL => Taken::Steal { node: first, number: second },
            kind @ (Word::GIVE | Word::GIVEN) => {
                let (_, to) = self.words.get(at + 1)?.numbers();
                let given = kind == Word::GIVEN;
                return Some((Taken::Give { node: first, number: second, to, given }, at + 2));
            }
            Word::HAND => Taken::Hand,
            Word::REPORT => Taken::Report,
            Word::TIMER => Taken::Timer,
            _ => Taken::Function,
        };
        Some((taken, at + 1))
    }

    /// Returns all entries.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Taken> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (taken, next) = self.entry(at)?;
            at = next;
            Some(taken)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_added() {
        let entries = [
            Taken::Fiber { frame: (1 << 28) - 1, by: u32::MAX, index: 0 },
            Taken::Fiber { frame: 7, by: 1, index: u32::MAX },
            Taken::Fiber { frame: 0, by: 0, index: 1 },
            Taken::Function,
            Taken::Token { node: 1023, number: u32::MAX },
            Taken::Message { from: 1023 },
            Taken::Operations { count: 12 },
            Taken::Steal { node: 3, number: 5 },
            Taken::Give { node: 3, number: u32::MAX, to: 1023, given: true },
            Taken::Give { node: 0, number: 0, to: 0, given: false },
            Taken::Hand,
            Taken::Report,
            Taken::Timer,
        ];
        let mut log = OrderLog::default();
        for _ in 0..2 {
            log.begin();
            for entry in entries {
                log.add(entry);
            }
            assert!(log.entries().eq(entries) && !log.is_cut());
            assert_eq!(log.len(), entries.len() + 4);
        }
        log.add(Taken::Operations { count: 1 });
        log.applied(4);
        log.applied(0);
        assert_eq!(log.entries().last(), Some(Taken::Operations { count: 5 }));
    }
}
