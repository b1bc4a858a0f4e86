//! Which lane of a simulated machine acts next.

use super::super::draw::Draw;
use super::lanes::{First, LANES, Lanes};
use super::recording::{Choice, Recording};

/// The order in which a simulated machine lets its units act.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// Units act by virtual time, at equal times by node: the order that the costs of the profile give.
    #[default]
    Time,
    /// Units act at random, whatever the time: any unit that can act may be next, and messages arrive in any order
    /// that keeps those of one node for another as they were sent.
    Random,
    /// Units act by random priorities that change at `changes` random steps of the first `steps` (probabilistic
    /// concurrency testing; Burckhardt and others, ASPLOS 2010): a bug that takes few changes to show is found with a
    /// known probability.
    ///
    /// Later steps are random: priorities that never change again could keep a unit waiting for ever behind
    /// others that find something to do again and again, asking for tokens that none of them may run, say.
    Pct {
        /// How often the unit that acts falls behind all others.
        changes: u32,
        /// The steps within which it does: about as many as the run takes.
        steps: u32,
    },
    /// Units act as [recorded](crate::Machine::record) on a machine like this one, with the same seed. A choice that
    /// cannot be taken is passed over; after the last one the unit that acted goes on, and when it has nothing to do,
    /// or has gone on for long, the next one that can act does.
    Replay(Recording),
}

/// How many steps a unit goes on after the last choice to replay before the next one acts.
const GOES_ON: u32 = 256;

/// A scheduler: it chooses which lane acts next.
pub(super) struct Chooser {
    schedule: Schedule,
    draw: Draw,
    /// The priority of each lane: the lane with the highest acts first.
    priorities: Vec<u64>,
    /// The steps at which the lane that acted falls behind, the last one first.
    changes: Vec<u64>,
    step: u64,
    /// The next choice to replay.
    next: usize,
    last: usize,
    /// How many steps were taken after the last choice to replay.
    gone_on: u32,
    /// Whether anybody asks whether a choice preempts.
    records: bool,
}

impl Chooser {
    pub(super) fn new(schedule: &Schedule, seed: u64, lanes: usize, records: bool) -> Self {
        let mut draw = Draw::new(seed);
        let (mut priorities, mut changes) = (Vec::new(), Vec::new());
        if let Schedule::Pct { changes: count, steps } = *schedule {
            priorities = (0..lanes).map(|_| u64::from(count) + 1 + (draw.next() >> 1)).collect();
            changes = (0..count).map(|_| draw.below(steps.max(1) as usize) as u64).collect();
            changes.sort_unstable_by(|a, b| b.cmp(a));
        }
        Chooser {
            schedule: schedule.clone(),
            draw,
            priorities,
            changes,
            step: 0,
            next: 0,
            last: 0,
            gone_on: 0,
            records,
        }
    }

    /// Whether units act by virtual time.
    pub(super) fn keeps_time(&self) -> bool {
        match &self.schedule {
            Schedule::Time => true,
            Schedule::Replay(recording) => recording.is_timed(),
            Schedule::Random | Schedule::Pct { .. } => false,
        }
    }

    /// Whether it is always the first lane that acts, and nobody asks about it.
    pub(super) fn takes_first(&self) -> bool {
        !self.records && matches!(self.schedule, Schedule::Time)
    }

    /// The lane that acts next. The one that would by time is `first`.
    pub(super) fn next(&mut self, lanes: &Lanes, first: First) -> Choice {
        let first = LANES * first.node + first.lane;
        let goes_on = lanes.is_enabled(self.last);
        let (lane, arrive) = match &self.schedule {
            Schedule::Time => (first as u32, true),
            Schedule::Pct { steps, .. } if self.step < u64::from(*steps) => {
                if self.changes.pop_if(|step| *step <= self.step).is_some() {
                    self.priorities[self.last] = self.changes.len() as u64;
                }
                let lane = (0..self.priorities.len())
                    .filter(|&lane| lanes.is_enabled(lane))
                    .max_by_key(|&lane| self.priorities[lane])
                    .unwrap_or(first);
                (lane as u32, self.draw.next() & 1 == 0)
            }
            Schedule::Random | Schedule::Pct { .. } => {
                let from = self.draw.below(lanes.len());
                (enabled_from(lanes, from, first), self.draw.next() & 1 == 0)
            }
            Schedule::Replay(recording) => {
                let left = &recording.choices()[self.next..];
                let passed = left.iter().take_while(|choice| !lanes.is_enabled(choice.lane as usize)).count();
                self.next += (passed + 1).min(left.len());
                match left.get(passed) {
                    Some(choice) => (choice.lane, choice.arrive),
                    // Messages may never come to an end as long as no fiber runs, nor fibers as long as no message
                    // is received: so one after the other, fibers first.
                    None if goes_on && self.gone_on < GOES_ON => {
                        self.gone_on += 1;
                        (self.last as u32, self.gone_on.is_multiple_of(2))
                    }
                    None => {
                        self.gone_on = 0;
                        (enabled_from(lanes, (self.last + 1) % lanes.len(), first), false)
                    }
                }
            }
        };
        let preempts = self.step > 0 && goes_on && lane as usize != self.last;
        self.step += 1;
        self.last = lane as usize;
        Choice { lane, arrive, preempts }
    }
}

/// The first lane from `from` on that can act.
fn enabled_from(lanes: &Lanes, from: usize, first: usize) -> u32 {
    let around = (from..lanes.len()).chain(0..from);
    around.into_iter().find(|&lane| lanes.is_enabled(lane)).unwrap_or(first) as u32
}
