//! The outcome of a unit's step.

/// The outcome of a step.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    /// The unit has no work.
    Idle,
    /// The unit holds work that is blocked, so it is not idle.
    Holding,
    /// The unit did some work.
    Worked,
}
