//! What came of a step of a unit.

/// The outcome of a step.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    /// Nothing to do.
    Idle,
    /// Something is held that cannot go on yet, so the unit is not idle.
    Holding,
    /// Something was done.
    Worked,
}
