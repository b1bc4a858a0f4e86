//! The messages under way to one node, and which of them it receives next.
//!
//! In virtual time a message is received when its time has come. Out of time it is received at random, but never
//! before an earlier message of its sender: the sender draws a number for each message, the first messages of all
//! senders stand side by side, and the one with the lowest number is next. So every order that the rule about one
//! sender and one receiver leaves free can occur, and a schedule that is changed a little changes it a little.
//!
//! Cost: that of a [`Timeline`] in time; logarithmic in the number of senders out of time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::clock::NEVER;
use super::timeline::Timeline;

/// Messages of one kind from one sender: they arrive in the order in which they were sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Channel {
    /// Events of this node.
    Events(u32),
    /// Questions and answers about tokens. On real cores they have no messages: a thief takes a token itself.
    Tokens(u32),
}

/// The messages under way to one node.
#[derive(Debug)]
pub(super) struct Arrivals<T> {
    timed: Timeline<T>,
    /// Messages that arrive at random: those of each channel, oldest first, each with the number that its sender drew.
    drawn: BTreeMap<Channel, VecDeque<(u64, T)>>,
    /// The number and channel of the oldest message of each channel that has any.
    heads: BinaryHeap<Reverse<(u64, Channel)>>,
    drawn_len: usize,
}

impl<T: Copy + Default> Arrivals<T> {
    pub(super) fn new() -> Self {
        let (drawn, heads) = (BTreeMap::new(), BinaryHeap::new());
        Arrivals { timed: Timeline::new(), drawn, heads, drawn_len: 0 }
    }

    /// A message that arrives at this time.
    #[inline]
    pub(super) fn push_at(&mut self, time: u64, message: T) {
        self.timed.push(time, message);
    }

    /// A message that arrives at random, but after those before it in its channel.
    pub(super) fn push_drawn(&mut self, number: u64, channel: Channel, message: T) {
        let waiting = self.drawn.entry(channel).or_default();
        if waiting.is_empty() {
            self.heads.push(Reverse((number, channel)));
        }
        waiting.push_back((number, message));
        self.drawn_len += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.timed.len() + self.drawn_len
    }

    /// The time, or the number, of the message that is next, or [`NEVER`].
    #[inline]
    pub(super) fn first(&self) -> u64 {
        match self.timed.first() {
            NEVER => self.heads.peek().map_or(NEVER, |Reverse((number, _))| *number),
            first => first,
        }
    }

    /// A message that is likely to be the next.
    #[inline]
    pub(super) fn next_in_line(&self) -> Option<&T> {
        self.timed.next_in_line()
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        match self.timed.pop() {
            Some((_, message)) => Some(message),
            None => self.pop_drawn(),
        }
    }

    fn pop_drawn(&mut self) -> Option<T> {
        let Reverse((_, channel)) = self.heads.pop()?;
        let waiting = self.drawn.get_mut(&channel)?;
        let (_, message) =
            if seeded!(MessagesOvertake) { waiting.pop_back()? } else { waiting.pop_front()? };
        self.drawn_len -= 1;
        if let Some((number, _)) = waiting.front() {
            self.heads.push(Reverse((*number, channel)));
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_channel_keeps_its_order_and_the_lowest_first_number_is_next(
            steps in prop::collection::vec((any::<bool>(), 0..4_u32, 0..50_u64), 1..200),
        ) {
            let mut arrivals = Arrivals::new();
            let mut plain: Vec<VecDeque<(u64, usize)>> = vec![VecDeque::new(); 4];
            for (at, (push, sender, number)) in steps.into_iter().enumerate() {
                if push {
                    let channel = if sender < 2 { Channel::Events(sender) } else { Channel::Tokens(sender) };
                    arrivals.push_drawn(number, channel, at);
                    plain[sender as usize].push_back((number, at));
                } else {
                    let next = (0..4).filter(|&sender| !plain[sender].is_empty());
                    let next = next.min_by_key(|&sender| (plain[sender][0].0, sender));
                    prop_assert_eq!(arrivals.first(), next.map_or(NEVER, |sender| plain[sender][0].0));
                    let expected = next.and_then(|sender| plain[sender].pop_front());
                    prop_assert_eq!(arrivals.pop(), expected.map(|(_, at)| at));
                }
                prop_assert_eq!(arrivals.len(), plain.iter().map(VecDeque::len).sum::<usize>());
            }
        }
    }

    /// With two messages from each of three senders, all 90 orders that keep each sender's occur.
    #[test]
    fn every_order_that_keeps_the_senders_orders_occurs() {
        let mut draw = crate::machine::draw::Draw::new(1);
        let mut orders = BTreeSet::new();
        for _ in 0..20_000 {
            let mut arrivals = Arrivals::new();
            for sender in 0..3 {
                for nth in 0..2 {
                    arrivals.push_drawn(draw.next() >> 1, Channel::Events(sender), (sender, nth));
                }
            }
            let order: Vec<_> = std::iter::from_fn(|| arrivals.pop()).collect();
            for sender in 0..3 {
                let own: Vec<_> =
                    order.iter().filter(|(from, _)| *from == sender).map(|(_, nth)| *nth).collect();
                assert_eq!(own, [0, 1]);
            }
            orders.insert(order);
        }
        assert_eq!(orders.len(), 90);
    }
}
