//! SPN: both units of a node in one thread. Operations are applied in line; the inbox
//! is polled between fibers.

use super::eu::{Eu, Route};
use super::event::Event;
use super::su::{Outcome, Su};
use crate::error::Error;

/// A node whose one processor does both units' work.
pub(crate) struct Merged {
    pub(crate) eu: Eu,
}

impl Merged {
    pub(crate) fn su(&mut self) -> &mut Su {
        match &mut self.eu.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su,
            Route::Separate(_) => unreachable!("a merged node applies operations in line"),
        }
    }

    pub(crate) fn su_ref(&self) -> Option<&Su> {
        match &self.eu.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => Some(su),
            Route::Separate(_) => None,
        }
    }

    /// Takes up to `turns` steps, as long as there is anything to do and the run is on. A step applies what
    /// arrived, then runs one fiber: an enabled one, else a function invoked here, else a token. Whether the
    /// last step found anything.
    #[inline(always)]
    pub(crate) fn steps(&mut self, turns: u32) -> Result<bool, Box<Error>> {
        self.eu.turns = turns;
        while self.eu.take_turn() {
            let mut worked = false;
            if self.eu.hears_something() {
                worked = self.communicate()?;
            }
            let ran = self.eu.run_next::<false>()
                || self.eu.start_newest::<false>()
                || self.eu.start_other::<false>();
            if !ran && !worked {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes such steps on a machine that traces, in the time of the host, or that has a stall monitor.
    #[inline(never)]
    pub(crate) fn steps_traced(&mut self, turns: u32) -> Result<bool, Box<Error>> {
        self.eu.turns = turns;
        // What begins where something else ends shares its stamp.
        let mut begin = self.eu.stamp();
        while self.eu.take_turn() {
            let mut worked = false;
            if self.eu.hears_something() {
                let waiting = self.su().inbox.len();
                worked = self.communicate()?;
                if worked {
                    let end = self.eu.stamp();
                    let ready = self.su().ready.len();
                    self.su().served(begin, end, ready, waiting);
                    begin = end;
                }
            }
            if self.eu.run_next::<true>() || self.eu.start_newest::<true>() || self.eu.start_other::<true>() {
                let end = self.eu.stamp();
                let waiting = self.su().inbox.len();
                self.eu.ran(begin, end, waiting);
                begin = end;
            } else if !worked {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs one fiber, in the same order, after what it costs to begin it: a step of a machine that charges
    /// for operations. Whether there was one.
    pub(crate) fn run_one(&mut self) -> bool {
        let (dispatch, take) =
            self.eu.costs.as_ref().map_or((0, 0), |costs| (costs.dispatch, costs.token_take));
        let su = self.su();
        su.now += dispatch;
        if !su.ready.is_empty() {
            return self.eu.run_next::<true>();
        }
        if su.tokens.next_function().is_some() {
            su.now += take;
            return self.eu.start_newest::<true>();
        }
        if !su.has_invoked() {
            su.now += take;
        }
        self.eu.start_other::<true>()
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        let su = self.su();
        !su.inbox.is_empty() || su.has_work() || su.is_spilled() || su.transport.can_steal()
    }

    /// Applies an event that arrived, on a machine that holds what is under way itself.
    pub(crate) fn attend(&mut self, event: Event) -> Outcome {
        self.eu.leave_fiber();
        self.su().attend(event)
    }

    /// Applies what arrived and sends what was kept. Whether there was anything.
    #[inline(never)]
    fn communicate(&mut self) -> Result<bool, Box<Error>> {
        self.eu.leave_fiber();
        let su = self.su();
        let heard = su.hear(usize::MAX)? > 0;
        Ok(if su.is_spilled() { su.flush() || heard } else { heard })
    }
}
