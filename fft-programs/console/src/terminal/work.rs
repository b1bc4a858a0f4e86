//! The listener of a measurement: it hears how far that is, and says when no further step is to be begun.

/// A listener of a measurement. Several threads may report at once.
pub trait Progress: Sync {
    /// `work` units are left to do; a unit is whatever the measurement counts in.
    fn begin(&self, work: u64);

    /// `work` units more were done.
    fn done(&self, work: u64);

    /// Whether the time is over.
    fn is_over(&self) -> bool;
}

/// A listener that ignores all reports and never ends a measurement.
impl Progress for () {
    fn begin(&self, _: u64) {}
    fn done(&self, _: u64) {}
    fn is_over(&self) -> bool {
        false
    }
}
