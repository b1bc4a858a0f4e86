//! Values with counts of the values that were made and of the values that still exist.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use earth::{Packer, Undecodable, Unpacker, Wire};

/// Counts of one test's values.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    number: u32,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    made: AtomicUsize,
    dropped: AtomicUsize,
}

/// The tallies by the number that encodes a tally in bytes.
static TALLIES: LazyLock<Mutex<Vec<Tally>>> = LazyLock::new(Mutex::default);

impl Tally {
    pub(crate) fn new() -> Self {
        let mut tallies = TALLIES.lock().unwrap();
        let tally = Tally { number: tallies.len() as u32, counts: Arc::default() };
        tallies.push(tally.clone());
        tally
    }

    /// Returns the tally with this number. A run in another rank gets the number as an argument.
    pub(crate) fn of(number: u32) -> Self {
        TALLIES.lock().unwrap()[number as usize].clone()
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Creates a value.
    pub(crate) fn value(&self, carries: u64) -> Counted {
        self.counts.made.fetch_add(1, Ordering::Relaxed);
        Counted { carries, tally: self.clone() }
    }

    /// Returns the number of values made so far. Encoding a value as bytes ends it, and decoding makes a new
    /// one.
    pub(crate) fn made(&self) -> usize {
        self.counts.made.load(Ordering::Relaxed)
    }

    /// Returns the number of values that still exist.
    pub(crate) fn left(&self) -> isize {
        self.made().cast_signed() - self.counts.dropped.load(Ordering::Relaxed).cast_signed()
    }
}

/// A counted value. It cannot be cloned.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) carries: u64,
    tally: Tally,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.tally.counts.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Wire for Counted {
    fn pack(self, out: &mut Packer) {
        (self.tally.number, self.carries).pack(out);
    }

    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (number, carries) = Wire::unpack(input)?;
        Ok(Tally::of(number).value(carries))
    }
}

impl Counted {
    /// Creates another value with the same content.
    pub(crate) fn again(&self) -> Self {
        self.tally.value(self.carries)
    }
}
