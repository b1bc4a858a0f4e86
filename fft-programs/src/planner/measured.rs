//! What was measured before a plan was chosen.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The times of one way to transform a problem, a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The way, for people.
    pub what: String,
    /// The shortest time.
    pub least: Duration,
    /// The median of the times.
    pub median: Duration,
    /// How many times there are.
    pub times: usize,
}

/// What was measured before a plan was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Measured {
    /// The estimate comes first.
    pub(crate) timed: Vec<Timed>,
    /// Whether the limit of time ended it.
    pub(crate) limited: bool,
    /// How many candidates were not run, since they were predicted to be far slower than others.
    pub(crate) pruned: usize,
}
