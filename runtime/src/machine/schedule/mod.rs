//! Which lane of a simulated machine or of the stepper acts next: by a schedule, by chance, or as it was recorded.

mod limits;
mod recording;
mod shrink;

pub(super) use limits::Limits;
use recording::Choice;
pub use recording::{Recording, RecordingError};
pub use shrink::shrink;

use super::draw::Draw;

/// The lanes of a node: its processor (in DUAL its execution unit), its synchronization unit (DUAL), and its way out.
pub(super) const LANES: usize = 3;
pub(super) const PROCESSOR: usize = 0;
pub(super) const SU: usize = 1;
pub(super) const OUT: usize = 2;

/// The order in which a simulated machine lets its units act.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// Units act by virtual time, at equal times by node: the order that the costs of the profile give.
    #[default]
    Time,
    /// The units of real cores act at random, in the calling thread: any worker that is awake may be next, workers that find
    /// nothing to do sleep and are woken, and messages arrive in any order that keeps those of one node for another as
    /// they were sent. Time passes by [work](crate::Eu::work) alone.
    Random,
    /// They act by random priorities that change at `changes` random steps of the first `steps` (probabilistic
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

impl Schedule {
    /// Whether units act by virtual time.
    pub(super) fn keeps_time(&self) -> bool {
        match self {
            Schedule::Time => true,
            Schedule::Replay(recording) => recording.is_timed(),
            Schedule::Random | Schedule::Pct { .. } => false,
        }
    }
}

/// How many steps a unit goes on after the last choice to replay before the next one acts.
const GOES_ON: u32 = 256;

/// A scheduler: it chooses which lane acts next.
pub(super) struct Chooser {
    schedule: Schedule,
    draw: Draw,
    lanes: usize,
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
    /// The choices of the run, if it is recorded.
    choices: Option<Vec<Choice>>,
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
            lanes,
            priorities,
            changes,
            step: 0,
            next: 0,
            last: 0,
            gone_on: 0,
            choices: records.then(Vec::new),
        }
    }

    /// Whether it is always the first lane that acts, and the run is not recorded.
    pub(super) fn takes_first(&self) -> bool {
        self.choices.is_none() && matches!(self.schedule, Schedule::Time)
    }

    /// The choices of the run, if it is recorded.
    pub(super) fn recording(self) -> Option<Recording> {
        let timed = self.schedule.keeps_time();
        self.choices.map(|choices| Recording::new(timed, choices))
    }

    /// The lane that acts next, of those for which `is_enabled` holds. The one that would by time is `first`.
    pub(super) fn next(&mut self, first: usize, is_enabled: impl Fn(usize) -> bool) -> usize {
        let goes_on = is_enabled(self.last);
        let lane = match &self.schedule {
            Schedule::Time => first,
            Schedule::Pct { steps, .. } if self.step < u64::from(*steps) => {
                if self.changes.pop_if(|step| *step <= self.step).is_some() {
                    self.priorities[self.last] = self.changes.len() as u64;
                }
                let enabled = (0..self.priorities.len()).filter(|lane| is_enabled(*lane));
                enabled.max_by_key(|lane| self.priorities[*lane]).unwrap_or(first)
            }
            Schedule::Random | Schedule::Pct { .. } => {
                let from = self.draw.below(self.lanes);
                self.enabled_from(from, first, is_enabled)
            }
            Schedule::Replay(recording) => {
                let left = &recording.choices()[self.next..];
                let passed = left.iter().take_while(|choice| !is_enabled(choice.lane as usize)).count();
                self.next += (passed + 1).min(left.len());
                match left.get(passed) {
                    Some(choice) => choice.lane as usize,
                    None if goes_on && self.gone_on < GOES_ON => {
                        self.gone_on += 1;
                        self.last
                    }
                    None => {
                        self.gone_on = 0;
                        self.enabled_from((self.last + 1) % self.lanes, first, is_enabled)
                    }
                }
            }
        };
        let preempts = self.step > 0 && goes_on && lane != self.last;
        self.step += 1;
        self.last = lane;
        self.choices.iter_mut().for_each(|choices| choices.push(Choice { lane: lane as u32, preempts }));
        lane
    }

    /// The first lane from `from` on that can act.
    fn enabled_from(&self, from: usize, first: usize, is_enabled: impl Fn(usize) -> bool) -> usize {
        (from..self.lanes).chain(0..from).find(|lane| is_enabled(*lane)).unwrap_or(first)
    }
}
