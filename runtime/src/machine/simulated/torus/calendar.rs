//! Events ordered by their cycles, within a horizon: a ring of buckets, one for each cycle, and a bit for
//! each bucket that is not empty. All costs are constant, except the cost of skipping empty cycles, 64 at a
//! time.

/// Events that will happen.
#[derive(Clone, Debug)]
pub(super) struct Calendar<T> {
    buckets: Vec<Vec<T>>,
    filled: Vec<u64>,
    len: usize,
    /// No event is earlier than this time.
    now: u64,
}

impl<T> Calendar<T> {
    /// Makes a calendar for events at most `horizon` cycles ahead.
    pub(super) fn new(horizon: u64) -> Self {
        let ring = (horizon as usize + 1).next_power_of_two().max(64);
        let buckets = (0..ring).map(|_| Vec::new()).collect();
        Calendar { buckets, filled: vec![0; ring / 64], len: 0, now: 0 }
    }

    fn bucket(&self, at: u64) -> usize {
        at as usize & (self.buckets.len() - 1)
    }

    pub(super) fn push(&mut self, at: u64, event: T) {
        debug_assert!(at >= self.now && at - self.now < self.buckets.len() as u64, "within the horizon");
        let bucket = self.bucket(at);
        self.buckets[bucket].push(event);
        self.filled[bucket / 64] |= 1 << (bucket % 64);
        self.len += 1;
    }

    /// Returns the time of the next event.
    pub(super) fn next(&self) -> Option<u64> {
        if self.len == 0 {
            return None;
        }
        let first = self.bucket(self.now);
        let words = self.filled.len();
        let (mut word, mut bits) = (first / 64, self.filled[first / 64] & (u64::MAX << (first % 64)));
        while bits == 0 {
            word = (word + 1) % words;
            bits = self.filled[word];
        }
        let bucket = word * 64 + bits.trailing_zeros() as usize;
        Some(self.now + (bucket.wrapping_sub(first) & (self.buckets.len() - 1)) as u64)
    }

    /// Advances to the time `at`, before which no event waits, and replaces `events` by the events of that
    /// time.
    pub(super) fn take(&mut self, at: u64, events: &mut Vec<T>) {
        events.clear();
        self.now = at;
        let bucket = self.bucket(at);
        std::mem::swap(&mut self.buckets[bucket], events);
        self.filled[bucket / 64] &= !(1 << (bucket % 64));
        self.len -= events.len();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::machine::draw::Draw;

    #[test]
    fn events_happen_in_order_of_time_and_each_once() {
        let (mut calendar, mut plain) = (Calendar::new(200), BTreeMap::<u64, Vec<usize>>::new());
        let (mut draw, mut now, mut events) = (Draw::new(5), 0, Vec::new());
        for event in 0..20_000 {
            let at = now + draw.below(201) as u64;
            calendar.push(at, event);
            plain.entry(at).or_default().push(event);
            assert_eq!(calendar.next(), plain.keys().next().copied());
            if draw.below(8) == 0 || event > 19_000 {
                let (at, expected) = plain.pop_first().unwrap();
                now = at;
                calendar.take(at, &mut events);
                assert_eq!(events, expected);
            }
        }
    }
}
