//! The private tokens of a node: a stack in chunks, whose oldest may be taken from below.
//!
//! A chunk is one page of 64 tokens. A stack that grows takes another chunk and moves nothing, so an
//! outstanding token costs its 64 bytes and no more; one emptied chunk is kept, so a stack that shrinks and
//! grows across a boundary allocates nothing.
//!
//! Numbers start at 1, so that a stack of one token or none, which a node has that only starts functions invoked there, is at
//! no bound of chunks.
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

/// The number of the first token of a stack that counts from the start.
const START: usize = 1;

type Chunk<T> = Box<[T; CHUNK]>;

#[expect(clippy::unnecessary_box_returns, reason = "a chunk is made in its box")]
fn empty<T: Default>() -> Chunk<T> {
    let mut entries = try_room(CHUNK, "tokens").unwrap_or_else(|none| none.unwind());
    entries.extend((0..CHUNK).map(|_| T::default()));
    let chunk: Result<Chunk<T>, _> = entries.into_boxed_slice().try_into();
    chunk.unwrap_or_else(|_| unreachable!("a chunk has that many entries"))
}

/// Tokens are counted from the start of the oldest chunk. Entries outside `first..len` are empty: as by default.
pub(crate) struct TokenStack<T> {
    top: Chunk<T>,
    /// The chunks below the top one, oldest first: full but for what was taken.
    below: VecDeque<Chunk<T>>,
    spare: Option<Chunk<T>>,
    /// How many tokens of the oldest chunk have gone.
    first: usize,
    len: usize,
    /// The length of the stack at which it has as many tokens as it ever had.
    peak: usize,
    /// The length of the stack at which nothing can be popped: `first`, or the greatest number while the stack is
    /// barred.
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

    /// The most tokens that have been there at once.
    pub(crate) fn high(&self) -> usize {
        self.peak - self.first
    }

    /// Forgets how many tokens have been there.
    pub(crate) fn forget_high(&mut self) {
        self.peak = self.first;
    }

    /// Notes how many tokens there are. Tokens are made many at a time and taken one at a time, so the most are there just
    /// before one is taken.
    #[inline(always)]
    pub(crate) fn note_high(&mut self) {
        if self.len > self.peak {
            self.peak = self.len;
        }
    }

    /// An empty entry on top, which the caller fills.
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

    /// Forbids popping, or allows it again.
    pub(crate) fn bar(&mut self, barred: bool) {
        self.barred = barred;
        self.floor = if barred { usize::MAX } else { self.first };
    }

    /// The newest token, which is going to be taken, unless there is none or the stack is barred.
    #[inline(always)]
    pub(crate) fn newest(&mut self) -> Option<&mut T> {
        if self.len <= self.floor {
            return None;
        }
        self.note_high();
        Some(self.top())
    }

    /// The entry of the newest token of a stack that is known not to be empty.
    #[inline(always)]
    pub(crate) fn top(&mut self) -> &mut T {
        &mut self.top[self.len.wrapping_sub(1) % CHUNK]
    }

    /// Gives up the entry of the newest token, whose call was taken.
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

    /// The oldest token, which may be taken out of its entry if it is [forgotten](Self::forget_oldest) then.
    pub(crate) fn oldest(&mut self) -> Option<&mut T> {
        if self.len == self.first {
            return None;
        }
        Some(&mut self.below.front_mut().unwrap_or(&mut self.top)[self.first])
    }

    /// Gives up the entry of the oldest token, whose call was taken.
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

    /// Counts an empty stack from the start again.
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
        /// A deque of numbers says what must come out, across the bounds of chunks.
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
