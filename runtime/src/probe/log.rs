//! Log of records, written in order up to a limit, and read at the end.
//!
//! Records are stored in chunks that are filled in place. A record costs one comparison and its own stores.
//! Unlike a vector, the log moves no record when it grows. Chunks are kept for the next run.

const CHUNK: usize = 256;

/// A log of up to a given number of records.
#[derive(Debug)]
pub(crate) struct Log<T> {
    /// The chunk being filled; its first `at` records are used.
    open: Box<[T]>,
    at: usize,
    /// The full chunks before the open one.
    full: Vec<Box<[T]>>,
    /// Chunks that earlier runs have filled, kept for later runs.
    spare: Vec<Box<[T]>>,
    /// The record that initializes new chunks.
    blank: T,
    /// Number of records that still fit after the open chunk.
    left: usize,
    limit: usize,
    /// Number of records that found no room.
    pub(crate) dropped: u64,
}

impl<T: Copy> Log<T> {
    pub(crate) fn new(limit: usize, blank: T) -> Self {
        Log {
            open: Box::default(),
            at: 0,
            full: Vec::new(),
            spare: Vec::new(),
            blank,
            left: limit,
            limit,
            dropped: 0,
        }
    }

    /// Makes the log of these records, without further room.
    pub(crate) fn of(records: impl Iterator<Item = T>, blank: T, dropped: u64) -> Self {
        let open: Box<[T]> = records.collect();
        let at = open.len();
        Log { open, at, dropped, ..Log::new(0, blank) }
    }

    pub(crate) fn clear(&mut self) {
        self.spare.append(&mut self.full);
        self.spare.push(std::mem::take(&mut self.open));
        self.spare.retain(|chunk| chunk.len() == CHUNK);
        self.at = 0;
        self.left = self.limit;
        self.dropped = 0;
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.at
    }

    /// Adds a record if there is room. Returns whether there was; if not, the record counts as dropped.
    #[inline(always)]
    pub(crate) fn push(&mut self, record: T) -> bool {
        if self.at >= self.open.len() && !self.open_next() {
            return false;
        }
        let Some(entry) = self.open.get_mut(self.at) else { return false };
        *entry = record;
        self.at += 1;
        true
    }

    #[cold]
    #[inline(never)]
    fn open_next(&mut self) -> bool {
        if self.left == 0 {
            self.dropped += 1;
            return false;
        }
        let room = self.left.min(CHUNK);
        let spare = if room == CHUNK { self.spare.pop() } else { None };
        let next = spare.unwrap_or_else(|| vec![self.blank; room].into_boxed_slice());
        let full = std::mem::replace(&mut self.open, next);
        if !full.is_empty() {
            self.full.push(full);
        }
        self.left -= room;
        self.at = 0;
        true
    }

    /// Returns a record by its number. All full chunks have the same length.
    pub(crate) fn get(&self, number: usize) -> Option<T> {
        let (chunk, at) = (number / CHUNK, number % CHUNK);
        match self.full.get(chunk) {
            Some(chunk) => chunk.get(at).copied(),
            None if number < self.len() => self.open.get(at).copied(),
            None => None,
        }
    }

    /// Returns all records, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flatten().chain(&self.open[..self.at])
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        self.open[..self.at].last_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_so_many_records_and_counts_the_rest() {
        for limit in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            let mut log = Log::new(limit, 0);
            for count in [3 * CHUNK + 9, 2 * CHUNK, 5, 0, 4 * CHUNK] {
                let kept = (0..count).filter(|&record| log.push(record)).count();
                assert_eq!((kept, log.len()), (count.min(limit), kept), "{count} of {limit}");
                assert_eq!(log.dropped, (count - kept) as u64);
                assert!(log.iter().copied().eq(0..kept));
                assert_eq!(log.last_mut().copied(), kept.checked_sub(1));
                log.clear();
                assert_eq!((log.len(), log.dropped, log.iter().count()), (0, 0, 0));
            }
        }
    }

    #[test]
    fn a_second_run_allocates_nothing() {
        let mut log = Log::new(10 * CHUNK, 0);
        let chunks = |log: &mut Log<u32>| {
            (0..5 * CHUNK as u32).for_each(|record| assert!(log.push(record)));
            let mut entries: Vec<_> =
                log.full.iter().chain([&log.open]).map(|chunk| chunk.as_ptr()).collect();
            entries.sort_unstable();
            entries
        };
        let first = chunks(&mut log);
        log.clear();
        assert_eq!((chunks(&mut log), log.spare.len()), (first, 0));
    }
}
