//! Values that own something and are counted: how many were made, and how many are left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use earth::{Packer, Undecodable, Unpacker, Wire};

/// The counts of one test's values.
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

/// What the number that stands for a tally in bytes means.
static TALLIES: LazyLock<Mutex<Vec<Tally>>> = LazyLock::new(Mutex::default);

impl Tally {
    pub(crate) fn new() -> Self {
        let mut tallies = TALLIES.lock().unwrap();
        let tally = Tally { number: tallies.len() as u32, counts: Arc::default() };
        tallies.push(tally.clone());
        tally
    }

    /// The tally that stands in another run's arguments for `number`.
    pub(crate) fn of(number: u32) -> Self {
        TALLIES.lock().unwrap()[number as usize].clone()
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// A new value.
    pub(crate) fn value(&self, carries: u64) -> Counted {
        self.counts.made.fetch_add(1, Ordering::Relaxed);
        Counted { carries, tally: self.clone() }
    }

    /// How many values there were so far. One that goes through bytes ends, and a new
    /// one is made of the bytes.
    pub(crate) fn made(&self) -> usize {
        self.counts.made.load(Ordering::Relaxed)
    }

    /// How many values there are.
    pub(crate) fn left(&self) -> isize {
        self.made().cast_signed() - self.counts.dropped.load(Ordering::Relaxed).cast_signed()
    }
}

/// A value that is counted. It cannot be cloned.
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
    /// A new value that carries the same.
    pub(crate) fn again(&self) -> Self {
        self.tally.value(self.carries)
    }
}
