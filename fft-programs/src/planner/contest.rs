//! A contest between candidates for the same transform: they run in turn, and the fastest wins.
//!
//! *Steps.*
//!
//! 1. The estimate, which is the planner's own choice, is called twice: first without the clock, to allocate
//!    its memory, then by the clock. Each candidate is called twice in the same manner once it is planned. A
//!    candidate that takes more than [`DROP_RATIO`] times as long as the estimate is dropped at once, with
//!    its tables.
//! 2. The fastest few candidates and the estimate are called in turn, round by round, the estimate twice a
//!    round. A call that is too short for the clock is repeated.
//! 3. The score of a candidate is the median, over the rounds, of the ratio of its time to the estimate's.
//!    The ratio of the estimate's second time to its first would be 1 without noise. The middle half of these
//!    ratios is the noise of the rounds. The fastest candidate wins if it is faster than the estimate by more
//!    than the noise.
//!
//! *Limit.* The clock is read before each candidate and before each turn. Incomplete rounds do not count.
//! With fewer than [`FEWEST`] rounds the estimate wins.

use std::fmt;
use std::time::{Duration, Instant};

use super::measured::Timed;

/// A candidate whose first time is over this multiple of the estimate's is dropped at once.
const DROP_RATIO: u32 = 3;

/// The least number of complete rounds that decide.
const FEWEST: usize = 3;

/// A shorter call is repeated until it takes about this long.
const SHORT: Duration = Duration::from_micros(100);

/// A clock, from any start time, for a planner that [measures](crate::Planner::effort).
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the time since the clock's start.
    fn now(&self) -> Duration;
}

#[derive(Debug)]
pub(super) struct SystemClock(pub(super) Instant);

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

pub(super) struct Rules {
    pub(super) rounds: usize,
    /// Number of the fastest candidates that enter the rounds.
    pub(super) finalists: usize,
    pub(super) limit: Option<Duration>,
}

/// Candidate in a contest, and its times.
pub(super) struct Entrant<W> {
    what: String,
    /// `None` if the candidate was too slow for the rounds.
    pub(super) candidate: Option<W>,
    times: Vec<Duration>,
}

/// Result of a contest: the candidates, the estimate first, and the index of the fastest.
pub(super) struct Contest<W> {
    pub(super) entrants: Vec<Entrant<W>>,
    pub(super) winner: usize,
    pub(super) limited: bool,
}

/// Runs a contest between the estimate and `others`. `run` transforms once, and returns whether it succeeded.
pub(super) fn contest<W>(
    clock: &dyn Clock,
    rules: &Rules,
    estimate: (String, W),
    mut others: impl Iterator<Item = (String, W)>,
    mut run: impl FnMut(&W) -> bool,
) -> Contest<W> {
    let begin = clock.now();
    let over = || rules.limit.is_some_and(|limit| clock.now().saturating_sub(begin) >= limit);
    let mut time = |candidate: &W, calls: u32| {
        let begin = clock.now();
        let ran = (0..calls).all(|_| run(candidate));
        ran.then(|| clock.now().saturating_sub(begin) / calls)
    };
    let entrant = |(what, candidate), time| Entrant { what, candidate: Some(candidate), times: vec![time] };
    let first = time(&estimate.1, 1).and_then(|_| time(&estimate.1, 1));
    let mut entrants = vec![entrant(estimate, first.unwrap_or_default())];
    let Some(first) = first else { return Contest { entrants, winner: 0, limited: false } };

    let mut limited;
    loop {
        limited = over();
        let Some(other) = (if limited { None } else { others.next() }) else { break };
        let Some(second) = time(&other.1, 1).and_then(|_| time(&other.1, 1)) else { continue };
        let mut entrant = entrant(other, second);
        if second > first.saturating_mul(DROP_RATIO) {
            entrant.candidate = None;
        }
        entrants.push(entrant);
    }
    entrants[1..].sort_by_key(|entrant| (entrant.candidate.is_none(), entrant.times[0]));
    let left = entrants.iter().take_while(|entrant| entrant.candidate.is_some()).count();
    let finalists = left.min(1 + rules.finalists);
    entrants[finalists..].iter_mut().for_each(|entrant| entrant.candidate = None);

    let calls = SHORT.as_nanos().checked_div(first.as_nanos()).map_or(1, |calls| calls.clamp(1, 1000) as u32);
    let mut rounds: Vec<Vec<Duration>> = Vec::new();
    'rounds: while finalists > 1 && !limited && rounds.len() < rules.rounds {
        let mut round = Vec::new();
        for at in (0..finalists).chain([0]) {
            limited = over();
            let candidate = entrants[at].candidate.as_ref().filter(|_| !limited);
            let Some(time) = candidate.and_then(|candidate| time(candidate, calls)) else { break 'rounds };
            round.push(time);
        }
        rounds.push(round);
    }
    let mut winner = 0;
    if rounds.len() >= FEWEST {
        let ratios = |at: usize| {
            let ratio = |round: &Vec<Duration>| {
                let [time, estimate] = [round[at], round[0]].map(|time| time.as_nanos().max(1) as f64);
                time / estimate
            };
            quartiles(rounds.iter().map(ratio).collect())
        };
        let [below, _, above] = ratios(finalists);
        let noise = above.max(1.0 / below);
        let medians = (1..finalists).map(|at| (at, ratios(at)[1]));
        if let Some((at, ratio)) = medians.min_by(|a, b| a.1.total_cmp(&b.1)) {
            winner = if ratio * noise < 1.0 { at } else { 0 };
        }
        // The times before the rounds only selected the finalists.
        for (at, entrant) in entrants[..finalists].iter_mut().enumerate() {
            entrant.times = rounds.iter().map(|round| round[at]).collect();
        }
    }
    Contest { entrants, winner, limited }
}

/// Returns the lower quartile, the median and the upper quartile of at least one number.
fn quartiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len() - 1;
    [last / 4, last / 2, last - last / 4].map(|at| numbers[at])
}

impl<W> Entrant<W> {
    pub(super) fn timed(&self) -> Timed {
        let mut times = self.times.clone();
        times.sort_unstable();
        let median = times[(times.len() - 1) / 2];
        Timed { what: self.what.clone(), least: times[0], median, times: times.len() }
    }
}

#[cfg(test)]
#[path = "contest_tests.rs"]
mod tests;
