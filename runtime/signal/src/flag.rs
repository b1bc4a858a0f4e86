//! A flag that anybody may raise: what a cancel token holds.

use super::primitive::{Arc, AtomicBool, Ordering};

/// A shared flag; clones are handles of the same flag. Raising is one store, looking is one load, both
/// allowed anywhere, a signal handler included.
#[derive(Clone)]
pub struct Flag {
    raised: Arc<AtomicBool>,
}

impl Flag {
    /// A flag that is down.
    pub fn new() -> Self {
        Self { raised: Arc::new(AtomicBool::new(false)) }
    }

    /// Raises the flag.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Release);
    }

    /// Whether the flag is up. What was done before it was raised is then visible.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Takes the flag down.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::Release);
    }
}

impl Default for Flag {
    fn default() -> Self {
        Self::new()
    }
}
