//! Values with counts of the values that were made and of the values that still exist.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use earth::{Packer, Undecodable, Unpacker, Wire};

/// Counts of one test's values.
#[derive(Clone, Debug)]
pub struct Tally {
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
    /// Makes the tally of one test.
    #[allow(clippy::new_without_default, reason = "each tally has its own number")]
    pub fn new() -> Self {
        let mut tallies = TALLIES.lock().unwrap();
        let tally = Tally { number: tallies.len() as u32, counts: Arc::default() };
        tallies.push(tally.clone());
        tally
    }

    /// Returns the tally with this number. A run in another rank gets the number as an argument.
    pub fn of(number: u32) -> Self {
        TALLIES.lock().unwrap()[number as usize].clone()
    }

    /// Returns its number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Creates a value.
    pub fn value(&self, carries: u64) -> Counted {
        self.counts.made.fetch_add(1, Ordering::Relaxed);
        Counted { carries, tally: self.clone() }
    }

    /// Returns the number of values made so far. Encoding a value as bytes ends it, and decoding makes a new
    /// one.
    pub fn made(&self) -> usize {
        self.counts.made.load(Ordering::Relaxed)
    }

    /// Returns the number of values that still exist.
    pub fn left(&self) -> isize {
        self.made().cast_signed() - self.counts.dropped.load(Ordering::Relaxed).cast_signed()
    }
}

/// A counted value. It cannot be cloned.
#[derive(Debug)]
pub struct Counted {
    /// Its content.
    pub carries: u64,
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
    #[must_use]
    pub fn again(&self) -> Self {
        self.tally.value(self.carries)
    }
}
