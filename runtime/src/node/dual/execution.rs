//! The execution unit of a DUAL node: it takes up what was handed over, runs what is next, and shows what that asked for.

use std::time::Instant;

use earth_signal::{MessageReceiver, Tally};

use super::LATE;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::step::Step;
use crate::vocabulary::policy::Policy;
use crate::vocabulary::value::Decoding;

/// The execution unit of a DUAL node, with what it hears of the other one.
pub(crate) struct Executor {
    pub(crate) eu: ExecutionUnit,
    from_su: MessageReceiver<ExecutionUnit>,
    /// How many messages came.
    pub(crate) received: u64,
    /// Whether it has said that it has nothing to run, and was given nothing since.
    has_asked: bool,
    /// The most fibers of a step, at most [`FIBERS`](Self::FIBERS).
    pub(crate) fibers: u32,
    /// How many fibers have run since the other unit was shown what they asked for.
    unseen: u32,
    /// Whether nothing is left to do but what comes from the other unit.
    pub(crate) dry: bool,
    /// How many more fibers run before a token has its turn.
    until_token: u32,
    pub(crate) policy: Policy,
    /// What tells the other unit how much was taken up, on a machine that traces.
    taken_up: Option<Tally>,
}

impl Executor {
    /// The most fibers of one step.
    pub(crate) const FIBERS: u32 = LATE;

    pub(crate) fn new(
        eu: ExecutionUnit,
        from_su: MessageReceiver<ExecutionUnit>,
        taken_up: Option<Tally>,
        policy: Policy,
    ) -> Self {
        Executor {
            eu,
            from_su,
            received: 0,
            has_asked: false,
            fibers: Self::FIBERS,
            unseen: 0,
            dry: false,
            until_token: policy.token_every,
            policy,
            taken_up,
        }
    }

    /// Prepares for a run, as new.
    pub(crate) fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.eu.begin(began);
        self.eu.su.begin(decoding);
        self.from_su.begin_lap();
        // The other unit knows without a message that nothing is there to run.
        (self.received, self.has_asked, self.unseen, self.dry) = (0, true, 0, false);
        self.until_token = self.policy.token_every;
        if let Some(taken_up) = &mut self.taken_up {
            taken_up.reset();
        }
    }

    /// Takes up what was handed over and runs what is next. Returns the outcome.
    #[inline(always)]
    pub(crate) fn step<const TRACED: bool>(&mut self) -> Step {
        let sent = self.eu.su.spilled && self.eu.su.flush();
        let received = self.receive();
        let ran = self.run_some::<TRACED>();
        if ran > 0 {
            self.unseen += ran;
            self.dry = false;
            if !self.has_more() {
                self.dry = self.rest() == Step::Idle;
            } else if self.unseen >= LATE {
                self.show_early();
            }
            return Step::Worked;
        }
        if sent || received {
            self.dry = false;
            return Step::Worked;
        }
        self.rest()
    }

    /// Takes a [step](Self::step) on a machine that traces, in the time of the host, or that has a stall monitor.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Step {
        let (begin, fibers) = (self.eu.stamp(), self.eu.counters.fibers);
        let step = self.step::<true>();
        if self.eu.counters.fibers > fibers {
            self.eu.ran(begin, self.eu.stamp(), [0; 3]);
            if let Some(taken_up) = &mut self.taken_up {
                taken_up.raise();
            }
        }
        step
    }

    /// Shows the other unit what was asked for, and wakes it.
    #[inline(always)]
    fn show(&mut self) {
        self.unseen = 0;
        self.eu.su.show();
    }

    /// Shows the other unit what was asked for, before the next step.
    #[inline(always)]
    pub(crate) fn show_early(&mut self) {
        self.unseen = 0;
        self.eu.su.show_early();
    }

    /// Takes up messages, a batch at most.
    #[inline(always)]
    fn receive(&mut self) -> bool {
        let given = self.eu.given;
        let received = self.from_su.receive_some(&mut self.eu, self.policy.batch, |()| true);
        self.received += u64::from(received);
        self.has_asked &= self.eu.given == given;
        received > 0
    }

    /// Runs what is next, one fiber after another, until none is, a token is due, or the other unit is to be shown what was asked
    /// for. Returns how many fibers there were.
    #[inline(always)]
    fn run_some<const TRACED: bool>(&mut self) -> u32 {
        if self.until_token == 0 {
            self.until_token = self.policy.token_every;
            self.eu.turns = 1;
            if self.eu.start_due::<TRACED>() {
                return 1;
            }
        }
        // Values that wait elsewhere than in their inlets are delivered to one fiber at a time.
        let alone = TRACED || !self.eu.handed.is_empty();
        let turns = if alone { 1 } else { (LATE - self.unseen).min(self.until_token).min(self.fibers) };
        self.eu.turns = turns;
        self.eu.token_started = false;
        while self.eu.turns > 0 && self.run_next::<TRACED>() && !self.eu.verdict.is_over() {}
        let ran = turns - self.eu.turns;
        self.until_token = if self.eu.token_started || seeded!(TokenNeverFed) {
            self.policy.token_every
        } else {
            self.until_token - ran
        };
        ran
    }

    /// Runs the fiber or starts the function that is next: the newest token behind those that were handed over, if none has
    /// its turn. Returns whether there was one.
    #[inline(always)]
    fn run_next<const TRACED: bool>(&mut self) -> bool {
        if self.eu.run_next::<TRACED>() {
            return true;
        }
        let started = self.eu.start_newest::<TRACED>()
            || !self.eu.su.tokens.is_empty() && self.eu.start_kept::<TRACED>();
        self.eu.token_started |= started;
        started
    }

    /// Whether anything is there to run next.
    #[inline(always)]
    fn has_more(&mut self) -> bool {
        let su = &mut self.eu.su;
        !su.run_queue.is_empty() || su.has_token_to_start()
    }

    /// Nothing is there to run: the other unit sees all that was asked for, and is asked for a token.
    fn rest(&mut self) -> Step {
        self.ask();
        let su = &self.eu.su;
        let holds = self.has_to_ask() || self.keeps() || !su.tokens.is_empty();
        self.show();
        if holds { Step::Holding } else { Step::Idle }
    }

    /// Says that it has nothing to run, if it has yet to: in the cell of what its last fiber asked for, if that is not shown.
    #[inline(always)]
    fn ask(&mut self) {
        if self.has_to_ask() {
            self.has_asked = self.eu.su.ask_for_token(self.eu.given);
        }
    }

    /// Whether it has yet to say that it has nothing to run: other nodes may have tokens.
    #[inline(always)]
    fn has_to_ask(&self) -> bool {
        !self.has_asked && !self.eu.is_alone()
    }

    /// Whether it keeps anything for lack of room.
    #[inline(always)]
    fn keeps(&self) -> bool {
        self.eu.su.spilled && !seeded!(SpillAsleep)
    }

    /// Whether anything came for this unit, which had nothing to do.
    #[inline(always)]
    pub(crate) fn hears(&mut self) -> bool {
        !self.from_su.is_empty()
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        let heard = self.hears();
        let su = &self.eu.su;
        heard
            || self.has_to_ask()
            || !su.run_queue.is_empty()
            || !su.tokens.is_empty()
            || self.keeps()
            || su.owes_wake()
    }
}
