//! SPN: both units of a node in one thread, which applies operations in line. Between fibers the unit handles
//! requests of others only if they have [asked](earth_signal::Attention). While events keep coming it polls
//! its inbox instead, and senders do not ask.

use std::time::Instant;

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::su::Su;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// A node whose one thread does the work of both units.
pub(crate) struct Merged {
    pub(crate) eu: ExecutionUnit,
    pub(crate) policy: Policy,
    /// How many more turns the node takes before a waiting token has its turn.
    until_token: u32,
    /// The number of events at the last count of turns, and the number of turns since an event came.
    events_heard: u64,
    quiet_turns: u32,
}

/// The number of turns without an event after which a node stops polling its inbox between fibers, so that
/// senders must ask. One ask with its answer costs about as much as this many polls.
const MAX_QUIET_TURNS: u32 = 256;

impl Merged {
    pub(crate) fn new(eu: ExecutionUnit, policy: Policy) -> Self {
        Merged { eu, policy, until_token: policy.token_every, events_heard: 0, quiet_turns: 0 }
    }

    pub(crate) fn su(&mut self) -> &mut Su {
        &mut self.eu.su
    }

    pub(crate) fn begin(&mut self, decoding: &Decoding, began: Instant) {
        self.eu.begin(began);
        self.eu.su.begin(decoding);
        (self.until_token, self.events_heard, self.quiet_turns) = (self.policy.token_every, 0, 0);
    }

    /// Takes up to `turns` steps while there is work and the run is not over. Each step applies up to one
    /// batch of events, then runs one fiber: the next one of the run queue, else the first fiber of a token's
    /// function. Returns whether the last step found work.
    #[inline(always)]
    pub(crate) fn steps(&mut self, turns: u32) -> Result<bool, Box<Error>> {
        self.take_steps::<false>(turns)
    }

    /// Takes [steps](Self::steps) on a machine that traces in the time of the host, or has a stall monitor.
    #[inline(never)]
    pub(crate) fn steps_traced(&mut self, turns: u32) -> Result<bool, Box<Error>> {
        self.take_steps::<true>(turns)
    }

    #[inline(always)]
    fn take_steps<const TRACED: bool>(&mut self, turns: u32) -> Result<bool, Box<Error>> {
        let turns = turns.min(self.until_token);
        self.eu.turns = turns;
        self.eu.token_started = false;
        // A record that begins where another one ends shares its time stamp.
        let mut begin = if TRACED { self.eu.stamp() } else { 0 };
        while self.eu.turns > 0 && !self.eu.verdict.is_over() {
            let left = self.eu.turns;
            let mut worked = false;
            if self.eu.has_events_or_overflow() {
                let waiting = if TRACED { self.su().inbox.len() } else { 0 };
                worked = self.communicate()?;
                if TRACED && worked {
                    let (end, ready) = (self.eu.stamp(), self.su().run_queue.len());
                    self.su().served(begin, end, ready, waiting);
                    begin = end;
                }
            }
            if !self.eu.run_next::<TRACED>() {
                if self.eu.start_newest::<TRACED>() || self.eu.start_other::<TRACED>()? {
                    self.eu.token_started = true;
                } else if worked {
                    self.eu.turns -= 1;
                    continue;
                } else {
                    self.count::<TRACED>(turns - self.eu.turns);
                    return Ok(false);
                }
            }
            if TRACED {
                begin = self.note_fiber(begin);
                self.eu.turns = left - 1;
            }
        }
        self.count::<TRACED>(turns);
        Ok(true)
    }

    /// Counts the turns of a call. On an untraced machine the node stops polling after many turns without an
    /// event, and senders ask from then on.
    #[inline(always)]
    fn count<const TRACED: bool>(&mut self, turns: u32) {
        self.count_turns(turns);
        if TRACED {
            return;
        }
        let su = &mut self.eu.su;
        self.quiet_turns =
            if self.events_heard == su.events_heard { self.quiet_turns.saturating_add(turns) } else { 0 };
        self.events_heard = su.events_heard;
        if self.quiet_turns >= MAX_QUIET_TURNS
            && !su.sends_messages()
            && su.attention.cease_polling()
            && !su.inbox.is_drained()
        {
            su.attention.poll();
        }
    }

    /// Counts the turns since the last token was started, and starts a token when one is due. A due token
    /// runs in addition to the turns of the call. No token is due after a step without work, because that
    /// step is not counted.
    #[inline(always)]
    fn count_turns(&mut self, turns: u32) {
        self.until_token = if self.eu.token_started || seeded!(TokenNeverDue) {
            self.policy.token_every
        } else {
            self.until_token - turns
        };
        if self.until_token == 0 {
            self.start_due();
        }
    }

    #[inline(never)]
    fn start_due(&mut self) {
        self.until_token = self.policy.token_every;
        let begin = self.eu.stamp();
        if !self.eu.verdict.is_over() && self.eu.start_due::<true>() && self.eu.recorder.is_some() {
            self.note_fiber(begin);
        }
    }

    /// Records the fiber that ran since `begin`. Returns the time at which it ended.
    #[inline(always)]
    fn note_fiber(&mut self, begin: u64) -> u64 {
        if self.eu.recorder.is_none() {
            return begin;
        }
        let end = self.eu.stamp();
        let waiting = self.su().inbox.len();
        let lengths = self.eu.su.lengths(self.eu.su.run_queue.len(), waiting);
        self.eu.ran(begin, end, lengths);
        end
    }

    /// Takes a step of a machine that charges for operations: charges for the start of a fiber and runs it,
    /// in the order of [`steps`](Self::steps). Returns whether there was one.
    pub(crate) fn run_one(&mut self) -> Result<bool, Box<Error>> {
        let (dispatch, take) =
            self.eu.costs.as_ref().map_or((0, 0), |costs| (costs.dispatch, costs.token_take));
        let due = self.until_token == 0;
        let su = self.su();
        su.now += dispatch;
        let token = (due || seeded!(TokensFirst)) && !su.tokens.is_empty();
        if !token && !su.run_queue.is_empty() {
            self.until_token = self.until_token.saturating_sub(u32::from(!seeded!(NeverDueInTime)));
            return Ok(self.eu.run_next::<true>());
        }
        su.now += take;
        self.until_token = self.policy.token_every;
        if due && self.eu.start_due::<true>() || self.eu.start_newest::<true>() {
            return Ok(true);
        }
        self.eu.start_other::<true>()
    }

    /// Whether a step would find work, or a message is being sent. A worker may sleep if this returns `false`
    /// after its announcement.
    pub(crate) fn has_work(&mut self) -> bool {
        let su = self.su();
        !su.inbox.is_drained() || su.has_work() || su.holds_back || su.transport.can_steal()
    }

    /// Whether an event or a stealable token of another node arrived for this idle node.
    #[inline(always)]
    pub(crate) fn has_events(&mut self) -> bool {
        let su = self.su();
        !su.inbox.is_empty() || su.transport.can_steal()
    }

    /// Applies a batch of arrived events and sends events that were held back. Returns whether it did either.
    #[inline(never)]
    fn communicate(&mut self) -> Result<bool, Box<Error>> {
        self.eu.leave_fiber();
        let batch = self.policy.batch;
        let su = self.su();
        let events_heard = su.apply_events_and_poll(batch)?;
        Ok(if su.holds_back { su.flush() || events_heard } else { events_heard })
    }
}
