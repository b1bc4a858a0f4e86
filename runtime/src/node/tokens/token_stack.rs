//! The private tokens of a node: a stack in chunks, whose oldest token can be taken from below.
//!
//! A chunk is one page of 64 tokens. A stack that grows takes another chunk and moves no tokens, so an
//! outstanding token costs only its 64 bytes. One emptied chunk is kept, so a stack that shrinks and grows
//! across a boundary does not allocate.
//!
//! Numbers start at 1. A node that only starts functions invoked there has at most one token, and so never
//! crosses a chunk boundary.
//!
//! ```text
//! below: [gone gone t2 .. t63] [t64 .. t127]    top: [t128 t129 empty ..]
//!                   ^ first                                     ^ len
//! ```
//!
//! Cost: a push is one test and the stores of the token; a pop is two tests.

use std::collections::VecDeque;

use earth_memory::{push_back, try_room};

const CHUNK: usize = 64;

/// The number of the first token of a stack that was restarted.
const START: usize = 1;

type Chunk<T> = Box<[T; CHUNK]>;

#[expect(clippy::unnecessary_box_returns, reason = "a chunk is made in its box")]
fn empty<T: Default>() -> Chunk<T> {
    let mut entries = try_room(CHUNK, "tokens").unwrap_or_else(|none| none.unwind());
    entries.extend((0..CHUNK).map(|_| T::default()));
    let chunk: Result<Chunk<T>, _> = entries.into_boxed_slice().try_into();
    chunk.unwrap_or_else(|_| unreachable!("a chunk has that many entries"))
}

/// A stack of tokens, numbered from the start of the oldest chunk. Entries outside `first..len` hold the
/// default value.
pub(crate) struct TokenStack<T> {
    top: Chunk<T>,
    /// The chunks below the top one, oldest first. All are full, except for tokens taken from the oldest.
    below: VecDeque<Chunk<T>>,
    spare: Option<Chunk<T>>,
    /// How many entries of the oldest chunk are empty.
    first: usize,
    len: usize,
    /// The value of `len` at which the stack held the most tokens.
    peak: usize,
    /// The value of `len` up to which no token can be popped: `first`, or the greatest number while the stack
    /// is barred.
    floor: usize,
    barred: bool,
}

impl<T: Default> TokenStack<T> {
    pub(crate) fn new() -> Self {
        let (top, below) = (empty(), VecDeque::new());
        TokenStack {
            top,
            below,
            spare: None,
            first: START,
            len: START,
            peak: START,
            floor: START,
            barred: false,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len - self.first
    }

    /// Returns the most tokens that were in the stack at once.
    pub(crate) fn high(&self) -> usize {
        self.peak - self.first
    }

    /// Resets the high-water mark.
    pub(crate) fn forget_high(&mut self) {
        self.peak = self.first;
    }

    /// Updates the high-water mark. Tokens are pushed many at a time and popped one at a time, so the peak is
    /// just before a pop.
    #[inline(always)]
    pub(crate) fn note_high(&mut self) {
        if self.len > self.peak {
            self.peak = self.len;
        }
    }

    /// Returns an empty entry on top, which the caller fills.
    #[inline(always)]
    pub(crate) fn push(&mut self) -> &mut T {
        if self.len.is_multiple_of(CHUNK) {
            self.grow();
        }
        let entry = &mut self.top[self.len % CHUNK];
        self.len += 1;
        entry
    }

    #[cold]
    fn grow(&mut self) {
        let empty = self.spare.take().unwrap_or_else(|| empty());
        push_back(&mut self.below, std::mem::replace(&mut self.top, empty));
    }

    /// Bars the stack: forbids popping, or allows it again.
    pub(crate) fn bar(&mut self, barred: bool) {
        self.barred = barred;
        self.floor = if barred { usize::MAX } else { self.first };
    }

    /// Returns the newest token, which the caller takes, unless there is none or the stack is barred.
    #[inline(always)]
    pub(crate) fn newest(&mut self) -> Option<&mut T> {
        if self.len <= self.floor {
            return None;
        }
        self.note_high();
        Some(self.top())
    }

    /// Returns the entry of the newest token. The stack must not be empty.
    #[inline(always)]
    pub(crate) fn top(&mut self) -> &mut T {
        &mut self.top[self.len.wrapping_sub(1) % CHUNK]
    }

    /// Removes the entry of the newest token, whose call was taken.
    #[inline(always)]
    pub(crate) fn forget_newest(&mut self) {
        debug_assert!(self.len > self.first, "there is a newest token");
        self.len -= 1;
        if self.len.is_multiple_of(CHUNK) {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        if let Some(full) = self.below.pop_back() {
            self.spare = Some(std::mem::replace(&mut self.top, full));
        }
        if self.first == self.len {
            self.restart();
        }
    }

    /// Returns the oldest token. A caller that takes it out of its entry must then call
    /// [`forget_oldest`](Self::forget_oldest).
    pub(crate) fn oldest(&mut self) -> Option<&mut T> {
        if self.len == self.first {
            return None;
        }
        Some(&mut self.below.front_mut().unwrap_or(&mut self.top)[self.first])
    }

    /// Removes the entry of the oldest token, whose call was taken.
    pub(crate) fn forget_oldest(&mut self) {
        self.first += 1;
        self.peak += 1;
        if self.first == self.len {
            self.restart();
        } else if self.first == CHUNK {
            self.spare = self.below.pop_front();
            self.first = 0;
            self.peak -= CHUNK;
            self.len -= if seeded!(ChunkLost) { 0 } else { CHUNK };
        }
        self.bar(self.barred);
    }

    /// Restarts the numbers of an empty stack.
    fn restart(&mut self) {
        self.below.clear();
        (self.first, self.len, self.peak) = (START, START, START + self.high());
        self.bar(self.barred);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares the stack with a deque of numbers, across chunk boundaries.
        #[test]
        fn is_a_stack_whose_oldest_may_be_taken(steps in prop::collection::vec((0..4u8, 1..150usize), 1..40)) {
            let mut stack = TokenStack::new();
            let mut model = VecDeque::new();
            let mut next = 0;
            for (what, times) in steps {
                for _ in 0..times {
                    match what {
                        0 | 1 => {
                            *stack.push() = Some(next);
                            model.push_back(next);
                            next += 1;
                        }
                        2 => {
                            let newest = stack.newest().and_then(Option::take);
                            if newest.is_some() {
                                stack.forget_newest();
                            }
                            prop_assert_eq!(newest, model.pop_back());
                        }
                        _ => {
                            let oldest = stack.oldest().and_then(Option::take);
                            if oldest.is_some() {
                                stack.forget_oldest();
                            }
                            prop_assert_eq!(oldest, model.pop_front());
                        }
                    }
                    prop_assert_eq!(stack.len(), model.len());
                    stack.bar(true);
                    prop_assert!(stack.newest().is_none());
                    stack.bar(false);
                    prop_assert_eq!(stack.newest().is_none(), model.is_empty());
                }
            }
        }
    }
}
