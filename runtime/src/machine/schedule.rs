//! Choice of the lane that acts next, on a simulated machine or the stepper: by time, at random, or from a
//! recording.

mod limits;
mod orders;
mod recording;
mod shrink;

pub(super) use limits::RunLimits;
pub(super) use orders::Orders;
use recording::Choice;
pub use recording::{Recording, RecordingError};
pub use shrink::shrink;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::draw::Draw;

/// Number of lanes of a node: its processor (in DUAL its execution unit), its synchronization unit (DUAL),
/// and its outgoing lane.
pub(super) const LANES: usize = 3;
pub(super) const PROCESSOR: usize = 0;
pub(super) const SU: usize = 1;
pub(super) const OUT: usize = 2;

/// Order in which a simulated machine lets its units act.
///
/// In JSON a schedule is `"time"`, `"random"`, `{"pct": {"changes": 3, "steps": 100}}` or
/// `{"replay": "untimed 0p*2 0o"}`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Units act by virtual time, and at equal times by node. This is the order that the costs of the profile
    /// give.
    #[default]
    Time,
    /// The units of real cores act at random, in the calling thread. Any awake worker may be next, and
    /// workers without work sleep and are woken. Messages from one node to another keep their order, and
    /// otherwise arrive in any order. Time advances only by [work](crate::Eu::work).
    Random,
    /// Units act by random priorities, which change at `changes` random steps among the first `steps` steps.
    /// This is probabilistic concurrency testing (Burckhardt and others, ASPLOS 2010). It finds a bug that
    /// needs few changes with a known probability.
    ///
    /// Later steps are random. Priorities that never change again could starve a unit: for example, behind
    /// others that repeatedly ask for tokens that none of them may run.
    Pct {
        /// Number of times that the acting unit falls behind all others.
        changes: u32,
        /// Number of steps within which these changes occur: about the length of the run.
        steps: u32,
    },
    /// Units act as [recorded](crate::Machine::record).
    ///
    /// *Of a run on real cores*: the units take up fibers, tokens and messages in the same order. The run has
    /// the same value, counters and errors. The machine must have the same number of nodes and the same
    /// configuration. If the program is another one, the run ends with
    /// [`Error::NotReplayed`](crate::Error::NotReplayed).
    ///
    /// *Of a stepped run* on an equal machine with the same seed: the replay
    /// skips a choice that is not possible. After the last choice the unit that acted continues. When it has
    /// no work, or has continued for long, the next unit that can act does.
    Replay(Recording),
}

impl Schedule {
    /// Returns the recorded orders of a run on real cores, if it is one that the machine repeats.
    pub(super) fn orders(&self) -> Option<&Arc<Orders>> {
        if let Schedule::Replay(recording) = self { recording.orders() } else { None }
    }

    /// Returns whether units act by virtual time.
    pub(super) fn keeps_time(&self) -> bool {
        match self {
            Schedule::Time => true,
            Schedule::Replay(recording) => recording.is_timed(),
            Schedule::Random | Schedule::Pct { .. } => false,
        }
    }
}

/// Number of steps that a unit continues after the last replayed choice, before the next unit acts.
const GOES_ON: u32 = 256;

/// Scheduler: it chooses which lane acts next.
pub(super) struct Chooser {
    schedule: Schedule,
    draw: Draw,
    lanes: usize,
    /// Priority of each lane. The lane with the highest priority acts first.
    priorities: Vec<u64>,
    /// Steps at which the acting lane falls behind, in descending order.
    changes: Vec<u64>,
    step: u64,
    /// Index of the next choice to replay.
    next: usize,
    last: usize,
    /// Number of steps taken after the last choice to replay.
    gone_on: u32,
    /// Choices of the run, if it is recorded.
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

    /// Returns whether always the first lane acts and the run is not recorded.
    pub(super) fn takes_first(&self) -> bool {
        self.choices.is_none() && matches!(self.schedule, Schedule::Time)
    }

    /// Returns the choices of the run, if it is recorded.
    pub(super) fn recording(self) -> Option<Recording> {
        let timed = self.schedule.keeps_time();
        self.choices.map(|choices| Recording::new(timed, choices))
    }

    /// Returns the lane that acts next, among the lanes that satisfy `is_enabled`. `first` is the next lane
    /// by time.
    pub(super) fn next(&mut self, first: usize, is_enabled: impl Fn(usize) -> bool) -> usize {
        let try_continue = is_enabled(self.last);
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
                    None if try_continue && self.gone_on < GOES_ON => {
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
        let preempts = self.step > 0 && try_continue && lane != self.last;
        self.step += 1;
        self.last = lane;
        self.choices.iter_mut().for_each(|choices| choices.push(Choice { lane: lane as u32, preempts }));
        lane
    }

    /// Returns the first lane, from `from` on, that can act.
    fn enabled_from(&self, from: usize, first: usize, is_enabled: impl Fn(usize) -> bool) -> usize {
        (from..self.lanes).chain(0..from).find(|lane| is_enabled(*lane)).unwrap_or(first)
    }
}
