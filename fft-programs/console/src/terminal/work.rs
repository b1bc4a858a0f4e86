//! Listener of a measurement: it receives the progress, and decides when no further step may begin.

/// Listener of a measurement. Several threads may report at once.
pub trait Progress: Sync {
    /// Reports that `work` units remain. The measurement chooses the unit.
    fn begin(&self, work: u64);

    /// Reports that `work` more units are done.
    fn done(&self, work: u64);

    /// Whether the time is over.
    fn is_over(&self) -> bool;
}

/// Listener that ignores all reports and never ends a measurement.
impl Progress for () {
    fn begin(&self, _: u64) {}
    fn done(&self, _: u64) {}
    fn is_over(&self) -> bool {
        false
    }
}
