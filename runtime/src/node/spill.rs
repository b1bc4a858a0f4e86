//! What an execution unit asked for and found no room for, oldest first.
//!
//! Tokens are kept as tokens, and a run of them is one entry: a fiber may make a million at once, and a token as
//! an event takes half as much more.

use std::collections::VecDeque;

use earth_memory::push_back;

use super::function::{Event, Token};

/// Events in the order in which they were sent.
#[derive(Default)]
pub(super) struct Spill {
    entries: VecDeque<Entry>,
    /// The tokens of the entries, in their order.
    tokens: VecDeque<Token>,
    len: usize,
}

enum Entry {
    Event(Event),
    /// A run of `count` tokens for the same node.
    Tokens {
        node: u32,
        count: u64,
    },
}

impl Spill {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        if self.is_empty() { 0 } else { self.len }
    }

    /// Adds the newest event.
    pub(super) fn push(&mut self, event: Event) {
        self.len += 1;
        let Event::Token { node: to, token } = event else {
            push_back(&mut self.entries, Entry::Event(event));
            return;
        };
        push_back(&mut self.tokens, token);
        match self.entries.back_mut() {
            Some(Entry::Tokens { node, count }) if *node == to => {
                *count += u64::from(!seeded!(SpilledTokenLost));
            }
            _ => push_back(&mut self.entries, Entry::Tokens { node: to, count: 1 }),
        }
    }

    /// Takes the oldest event.
    pub(super) fn pop(&mut self) -> Option<Event> {
        let oldest = self.entries.pop_front()?;
        self.len -= 1;
        match oldest {
            Entry::Event(event) => Some(event),
            Entry::Tokens { node, count } => {
                if count > 1 {
                    self.entries.push_front(Entry::Tokens { node, count: count - 1 });
                }
                self.tokens.pop_front().map(|token| Event::Token { node, token })
            }
        }
    }

    /// Puts back what was [taken](Self::pop) last.
    pub(super) fn put_back(&mut self, event: Event) {
        self.len += 1;
        let Event::Token { node: to, token } = event else {
            if seeded!(SpillReordered) {
                self.entries.push_back(Entry::Event(event));
            } else {
                self.entries.push_front(Entry::Event(event));
            }
            return;
        };
        self.tokens.push_front(token);
        match self.entries.front_mut() {
            Some(Entry::Tokens { node, count }) if *node == to => *count += 1,
            _ => self.entries.push_front(Entry::Tokens { node: to, count: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use proptest::prelude::*;

    use super::super::balance::Within;
    use super::super::function::ErasedCall;
    use super::*;
    use crate::vocabulary::address::FrameId;

    /// An event that is told from others by its number: a token for one of two nodes, or none.
    fn event(number: u32) -> Event {
        let end = NonZero::new(number + 1).unwrap();
        match number % 5 {
            0 => Event::Close { id: FrameId::new(number, 1).expect("1 is odd") },
            kind => {
                let within = Within { first: number, end };
                Event::Token {
                    node: u32::from(kind == 4),
                    token: Token { call: ErasedCall::empty(), within },
                }
            }
        }
    }

    fn number(event: &Event) -> u32 {
        match event {
            Event::Close { id } => id.number(),
            Event::Token { node, token } => {
                assert_eq!(*node, u32::from(token.within.first % 5 == 4));
                token.within.first
            }
            other => panic!("{other:?} was not put in"),
        }
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out_in_its_order(steps in prop::collection::vec(0..4_u8, 1..200)) {
            let (mut spill, mut expected) = (Spill::default(), VecDeque::new());
            for (at, step) in (0..).zip(steps) {
                match step {
                    0 | 1 => {
                        spill.push(event(at));
                        expected.push_back(at);
                    }
                    2 => prop_assert_eq!(spill.pop().as_ref().map(number), expected.pop_front()),
                    _ => {
                        if let Some(event) = spill.pop() {
                            spill.put_back(event);
                        }
                    }
                }
                prop_assert_eq!((spill.len(), spill.is_empty()), (expected.len(), expected.is_empty()));
            }
            while let Some(event) = spill.pop() {
                prop_assert_eq!(Some(number(&event)), expected.pop_front());
            }
            prop_assert!(expected.is_empty() && spill.tokens.is_empty());
        }
    }

    #[test]
    fn a_run_of_tokens_is_one_entry() {
        let mut spill = Spill::default();
        for _ in 0..1000 {
            spill.push(event(1));
        }
        assert_eq!((spill.entries.len(), spill.tokens.len()), (1, 1000));
    }
}
