//! Flag that any thread may raise: the state of a cancel token.

use super::primitive::{Arc, AtomicBool, Ordering};

/// Shared flag; clones are handles of the same flag. Raising is one store and looking is one load. Both are
/// allowed anywhere, including in a signal handler.
#[derive(Clone)]
pub struct Flag {
    raised: Arc<AtomicBool>,
}

impl Flag {
    /// Returns a flag that is down.
    pub fn new() -> Self {
        Self { raised: Arc::new(AtomicBool::new(false)) }
    }

    /// Raises the flag.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Release);
    }

    /// Whether the flag is up. If so, all writes before it was raised are visible.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Lowers the flag.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::Release);
    }
}

impl Default for Flag {
    fn default() -> Self {
        Self::new()
    }
}
