//! The measurements before a plan is chosen.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A planner does not run a candidate whose predicted time is over this multiple of the best prediction. The errors of two
/// predictions rarely add up to that.
pub(super) const FAR_SLOWER: f64 = 2.0;

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

/// A line for each way.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("measured, the least and the median time of a call")?;
        if self.limited {
            f.write_str(" until the limit of time was reached")?;
        }
        if self.pruned > 0 {
            write!(
                f,
                ", without {} ways predicted to be over {FAR_SLOWER} times as slow as the best one",
                self.pruned
            )?;
        }
        for Timed { what, least, median, times } in &self.timed {
            let [least, median] = [least, median].map(|time| time.as_secs_f64() * 1e6);
            let ending = if *times == 1 { "" } else { "s" };
            write!(f, "\n  {least:.1} and {median:.1} us in {times} time{ending}: {what}")?;
        }
        Ok(())
    }
}
