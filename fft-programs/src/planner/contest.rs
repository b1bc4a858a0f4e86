//! A contest of ways to do the same: they run in turn, and the fastest wins.
//!
//! *Steps.* 1. The planner's own choice, the estimate, is called twice: first without the clock, so that its memory is there,
//! then by the clock. So is each candidate, as soon as it is planned; one that takes more than [`FAR`] times the estimate
//! goes at once, with its tables. 2. The fastest few and the estimate are called in turn, round by round, the estimate
//! twice a round. A call that is too short for a clock is repeated. 3. A candidate is as fast as the median, over the rounds,
//! of its time over the estimate's. The second time of the estimate over its first is 1 but for noise: the middle half of
//! these ratios is the noise of the rounds. The fastest candidate is kept if it is faster than the estimate by more than
//! that.
//!
//! *Limit.* The clock is looked at before each candidate and before each turn. Rounds that are not complete do not count,
//! and with less than [`FEWEST`] the estimate is kept.

use std::fmt;
use std::time::{Duration, Instant};

use super::measured::Timed;

/// A candidate whose first time is over this multiple of the estimate's goes at once.
const FAR: u32 = 3;

/// The least complete rounds that decide.
const FEWEST: usize = 3;

/// A shorter call is repeated until it takes about so long.
const SHORT: Duration = Duration::from_micros(100);

/// Tells the time, from whenever on, to a planner that [measures](crate::Planner::effort).
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time that has passed since then.
    fn now(&self) -> Duration;
}

/// The clock of the computer.
#[derive(Debug)]
pub(super) struct Watch(pub(super) Instant);

impl Clock for Watch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// How much is measured.
pub(super) struct Rules {
    pub(super) rounds: usize,
    /// So many of the fastest are in the rounds.
    pub(super) finalists: usize,
    pub(super) limit: Option<Duration>,
}

/// One way in a contest, and its times.
pub(super) struct Entrant<W> {
    what: String,
    /// Nothing if it was too slow for the rounds.
    pub(super) way: Option<W>,
    times: Vec<Duration>,
}

/// The end of a contest: the ways that took part, the estimate first, and which was the fastest.
pub(super) struct Contest<W> {
    pub(super) entrants: Vec<Entrant<W>>,
    pub(super) winner: usize,
    pub(super) limited: bool,
}

/// Lets `others` compete with the estimate. `run` transforms once, and tells whether it could.
pub(super) fn contest<W>(
    clock: &dyn Clock,
    rules: &Rules,
    estimate: (String, W),
    mut others: impl Iterator<Item = (String, W)>,
    mut run: impl FnMut(&W) -> bool,
) -> Contest<W> {
    let begin = clock.now();
    let over = || rules.limit.is_some_and(|limit| clock.now().saturating_sub(begin) >= limit);
    let mut time = |way: &W, calls: u32| {
        let begin = clock.now();
        let ran = (0..calls).all(|_| run(way));
        ran.then(|| clock.now().saturating_sub(begin) / calls)
    };
    let entrant = |(what, way), time| Entrant { what, way: Some(way), times: vec![time] };
    let first = time(&estimate.1, 1).and_then(|_| time(&estimate.1, 1));
    let mut entrants = vec![entrant(estimate, first.unwrap_or_default())];
    let Some(first) = first else { return Contest { entrants, winner: 0, limited: false } };

    let mut limited;
    loop {
        limited = over();
        let Some(other) = (if limited { None } else { others.next() }) else { break };
        let Some(second) = time(&other.1, 1).and_then(|_| time(&other.1, 1)) else { continue };
        let mut entrant = entrant(other, second);
        if second > first.saturating_mul(FAR) {
            entrant.way = None;
        }
        entrants.push(entrant);
    }
    entrants[1..].sort_by_key(|entrant| (entrant.way.is_none(), entrant.times[0]));
    let left = entrants.iter().take_while(|entrant| entrant.way.is_some()).count();
    let finalists = left.min(1 + rules.finalists);
    entrants[finalists..].iter_mut().for_each(|entrant| entrant.way = None);

    let calls = SHORT.as_nanos().checked_div(first.as_nanos()).map_or(1, |calls| calls.clamp(1, 1000) as u32);
    let mut rounds: Vec<Vec<Duration>> = Vec::new();
    'rounds: while finalists > 1 && !limited && rounds.len() < rules.rounds {
        let mut round = Vec::new();
        for at in (0..finalists).chain([0]) {
            limited = over();
            let way = entrants[at].way.as_ref().filter(|_| !limited);
            let Some(time) = way.and_then(|way| time(way, calls)) else { break 'rounds };
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
        // The times before the rounds were for the choice of the finalists.
        for (at, entrant) in entrants[..finalists].iter_mut().enumerate() {
            entrant.times = rounds.iter().map(|round| round[at]).collect();
        }
    }
    Contest { entrants, winner, limited }
}

/// The quartile below, the median and the quartile above of at least one number.
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
