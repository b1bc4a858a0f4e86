//! SPN: both units of a node in one thread. Operations are applied in line; the inbox is polled between fibers.

use std::num::NonZero;

use earth_signal::EventReceiver;

use super::eu::{Eu, Route};
use super::event::Event;
use super::su::Su;

/// A node whose one processor does both units' work.
pub(crate) struct Merged {
    pub(crate) eu: Eu,
    inbox: EventReceiver<Event>,
    connected: bool,
}

impl Merged {
    pub(crate) fn new(node: u32, nodes: NonZero<u32>, su: Su, inbox: EventReceiver<Event>) -> Self {
        Merged { eu: Eu::new(node, nodes, Route::Merged(su)), inbox, connected: nodes.get() > 1 }
    }

    pub(crate) fn su(&mut self) -> &mut Su {
        match &mut self.eu.route {
            Route::Merged(su) => su,
            Route::Separate(_) => unreachable!("a merged node applies operations in line"),
        }
    }

    pub(crate) fn su_ref(&self) -> Option<&Su> {
        match &self.eu.route {
            Route::Merged(su) => Some(su),
            Route::Separate(_) => None,
        }
    }

    /// Takes up to `turns` steps, as long as there is anything to do and `over` does not hold. A step applies what arrived, then runs
    /// one fiber: an enabled one, else a function invoked here, else a token. Whether the last step found anything.
    #[inline(always)]
    pub(crate) fn steps(
        &mut self,
        turns: usize,
        mut over: impl FnMut() -> bool,
    ) -> Result<bool, Box<crate::Error>> {
        for _ in 0..turns {
            if over() {
                return Ok(true);
            }
            let mut worked = false;
            if self.hears_something() {
                worked = self.communicate()?;
            }
            if !self.eu.run_next() && !self.eu.start_next() {
                match self.su().shared_token() {
                    Some(mut token) => self.eu.start(&mut token.call),
                    None if worked => {}
                    None => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        let su = self.su();
        su.has_work() || su.is_spilled() || su.transport.can_steal()
    }

    /// Whether anything arrived, or is kept to be sent. A node that is alone hears nothing.
    #[inline(always)]
    fn hears_something(&mut self) -> bool {
        self.connected && (!self.inbox.is_empty() || self.su().is_spilled())
    }

    /// Applies what arrived and sends what was kept. Whether there was anything.
    #[inline(never)]
    fn communicate(&mut self) -> Result<bool, Box<crate::Error>> {
        self.eu.leave_fiber();
        let mut worked = false;
        while let Some(event) = self.inbox.receive() {
            let su = self.su();
            su.received += 1;
            su.apply(event)?;
            worked = true;
        }
        let su = self.su();
        Ok(if su.is_spilled() { su.flush() || worked } else { worked })
    }
}
