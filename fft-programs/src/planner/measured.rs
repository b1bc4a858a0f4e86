//! The measurements before a plan is chosen.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Candidates with a predicted time over this multiple of the best prediction are not run. The errors of two
/// predictions rarely add up to that.
pub(super) const PRUNE_RATIO: f64 = 2.0;

/// Times of the calls of one candidate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// Description of the candidate, for people.
    pub what: String,
    /// Shortest time of a call.
    pub least: Duration,
    /// Median time of a call.
    pub median: Duration,
    /// Number of times.
    pub times: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Measured {
    /// Times of the candidates, the estimate first.
    pub(crate) timed: Vec<Timed>,
    /// Whether the time limit ended the measuring.
    pub(crate) limited: bool,
    /// Number of candidates that were not run, because they were predicted to be far slower.
    pub(crate) pruned: usize,
}

/// Writes a line for each candidate.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("measured, the least and the median time of a call")?;
        if self.limited {
            f.write_str(" until the time limit was reached")?;
        }
        if self.pruned > 0 {
            write!(
                f,
                ", without {} candidates predicted to take over {PRUNE_RATIO} times as long as the best one",
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
