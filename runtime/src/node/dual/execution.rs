//! The execution unit of a DUAL node: it receives handed-over work, runs the next fiber, and shows the
//! fiber's operations.

use std::time::Instant;

use earth_signal::{MessageReceiver, Tally};

use super::LATE;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::Runnable;
use crate::node::step::Step;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::policy::Policy;

/// The execution unit of a DUAL node, with its end of the ring from the synchronization unit.
pub(crate) struct Executor {
    pub(crate) eu: ExecutionUnit,
    from_su: MessageReceiver<ExecutionUnit>,
    pub(crate) received: u64,
    /// Whether it has reported that it has no work, and has received no work since.
    has_requested: bool,
    /// The most fibers of a step, at most [`FIBERS`](Self::FIBERS).
    pub(crate) fibers: u32,
    /// How many fibers have run since the other unit was shown their operations.
    unpublished_fibers: u32,
    /// Whether only messages of the other unit can bring more work.
    pub(crate) awaits_messages: bool,
    /// How many more fibers run before a token has its turn.
    until_token: u32,
    pub(crate) policy: Policy,
    /// The counter of taken-up work that the other unit reads, on a machine that traces.
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
            has_requested: false,
            fibers: Self::FIBERS,
            unpublished_fibers: 0,
            awaits_messages: false,
            until_token: policy.token_every,
            policy,
            taken_up,
        }
    }

    pub(crate) fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.eu.begin(began);
        self.eu.su.begin(decoding);
        self.from_su.begin_lap();
        // At the start the other unit knows without a message that this unit has no work.
        (self.received, self.has_requested, self.unpublished_fibers, self.awaits_messages) =
            (0, true, 0, false);
        self.until_token = self.policy.token_every;
        if let Some(taken_up) = &mut self.taken_up {
            taken_up.reset();
        }
    }

    /// Receives handed-over work and runs the next fibers. Returns the outcome.
    #[inline(always)]
    pub(crate) fn step<const TRACED: bool>(&mut self) -> Step {
        let begin = if TRACED { self.eu.stamp() } else { 0 };
        let sent = self.eu.su.holds_back && self.eu.su.flush();
        let received = self.receive();
        let ran = self.run_some::<TRACED>();
        if ran > 0 {
            if TRACED {
                self.record(begin);
            }
            self.unpublished_fibers += ran;
            self.awaits_messages = false;
            if !self.has_more() {
                self.awaits_messages = self.rest() == Step::Idle;
            } else if self.unpublished_fibers >= LATE {
                self.show_early();
            }
            return Step::Worked;
        }
        if sent || received {
            self.awaits_messages = false;
            return Step::Worked;
        }
        self.rest()
    }

    /// Takes a [step](Self::step) on a machine that traces in the time of the host, or has a stall monitor.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Step {
        self.step::<true>()
    }

    /// Records the fiber that ran since `begin`, on a machine that traces. It may have failed.
    fn record(&mut self, begin: u64) {
        self.eu.ran(begin, self.eu.stamp(), [0; 3]);
        if let Some(taken_up) = &mut self.taken_up {
            taken_up.raise();
        }
    }

    /// Receives all messages, on a machine that selects the next fiber itself.
    pub(crate) fn receive_all(&mut self) {
        while self.receive() {}
    }

    /// Runs this fiber or starts this function, and shows its operations, on a machine that selects it.
    pub(crate) fn run(&mut self, next: Runnable) {
        self.eu.run_or_start::<true>(next);
        self.flush_all();
    }

    /// Shows the other unit all operations that find room. Returns whether none is held back.
    pub(crate) fn flush_all(&mut self) -> bool {
        if self.eu.su.holds_back {
            self.eu.su.flush();
        }
        self.show();
        !self.eu.su.holds_back
    }

    /// Shows the other unit the operations of the fibers, and wakes it.
    #[inline(always)]
    fn show(&mut self) {
        self.unpublished_fibers = 0;
        self.eu.su.show();
    }

    /// Shows the other unit the operations of the fibers, before the next step.
    #[inline(always)]
    pub(crate) fn show_early(&mut self) {
        self.unpublished_fibers = 0;
        self.eu.su.show_early();
    }

    /// Receives messages, up to a batch. Returns whether there were any.
    #[inline(always)]
    fn receive(&mut self) -> bool {
        let given = self.eu.given;
        let received = self.from_su.receive_some(&mut self.eu, self.policy.batch, |()| true);
        self.received += u64::from(received);
        self.has_requested &= self.eu.given == given;
        received > 0
    }

    /// Runs fibers one after another until none is next, a token is due, or the other unit must be shown
    /// their operations. Returns how many fibers ran.
    #[inline(always)]
    fn run_some<const TRACED: bool>(&mut self) -> u32 {
        if self.until_token == 0 {
            self.until_token = self.policy.token_every;
            self.eu.turns = 1;
            if self.eu.start_due::<TRACED>() {
                return 1;
            }
        }
        // Values that wait outside their inlets are delivered to one fiber at a time. A recorder of fibers
        // records one in a step.
        let alone = TRACED && self.eu.recorder.is_some() || !self.eu.handed.is_empty();
        let turns =
            if alone { 1 } else { (LATE - self.unpublished_fibers).min(self.until_token).min(self.fibers) };
        self.eu.turns = turns;
        self.eu.token_started = false;
        let ran = if TRACED {
            // A fiber of a watched unit leaves its function, and takes one turn.
            let mut ran = 0;
            while ran < turns && !self.eu.verdict.is_over() && self.run_next::<TRACED>() {
                ran += 1;
            }
            ran
        } else {
            while self.eu.turns > 0 && self.run_next::<TRACED>() && !self.eu.verdict.is_over() {}
            turns - self.eu.turns
        };
        self.until_token = if self.eu.token_started || seeded!(TokenNeverFed) {
            self.policy.token_every
        } else {
            self.until_token - ran
        };
        ran
    }

    /// Runs the fiber or starts the function that is next. The newest token comes after the handed-over work,
    /// unless a token is due. Returns whether there was one.
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

    /// Whether a fiber, function or token can run next.
    #[inline(always)]
    fn has_more(&mut self) -> bool {
        let su = &mut self.eu.su;
        !su.run_queue.is_empty() || su.has_token_to_start()
    }

    /// Without work: shows the other unit all operations, and asks it for a token.
    fn rest(&mut self) -> Step {
        self.ask();
        let su = &self.eu.su;
        let holds = self.must_request() || self.keeps() || !su.tokens.is_empty();
        self.show();
        if holds { Step::Holding } else { Step::Idle }
    }

    /// Reports that it has no work, if it has not yet. If the last fiber's operations are not shown yet, they
    /// share a ring cell with the report.
    #[inline(always)]
    fn ask(&mut self) {
        if self.must_request() {
            self.has_requested = self.eu.su.request_token(self.eu.given);
        }
    }

    /// Whether it must still report that it has no work. With one node the report is useless: no other node
    /// has tokens.
    #[inline(always)]
    fn must_request(&self) -> bool {
        !self.has_requested && !self.eu.is_alone()
    }

    /// Whether it holds events back for lack of room.
    #[inline(always)]
    fn keeps(&self) -> bool {
        self.eu.su.holds_back && !seeded!(SpillAsleep)
    }

    /// Whether a message arrived for this idle unit.
    #[inline(always)]
    pub(crate) fn has_events(&mut self) -> bool {
        !self.from_su.is_empty()
    }

    /// Whether a step would find work.
    pub(crate) fn has_work(&mut self) -> bool {
        let events_heard = self.has_events();
        let su = &self.eu.su;
        events_heard
            || self.must_request()
            || !su.run_queue.is_empty()
            || !su.tokens.is_empty()
            || self.keeps()
            || su.may_be_asleep()
    }
}
