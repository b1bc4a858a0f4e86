//! SPN: both units of a node in one thread. Operations are applied in line; the inbox is polled between fibers.

use earth_signal::EventReceiver;

use super::eu::{Eu, Route};
use super::event::Event;
use super::su::Su;

/// A node whose one processor does both units' work.
pub(crate) struct Merged {
    pub(crate) eu: Eu,
    inbox: EventReceiver<Event>,
}

impl Merged {
    pub(crate) fn new(node: u32, nodes: u32, su: Su, inbox: EventReceiver<Event>) -> Self {
        Merged { eu: Eu::new(node, nodes, Route::Merged(su)), inbox }
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

    /// Applies what arrived, then runs one fiber: an enabled one, else a function invoked here, else a token. Whether there was anything.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Result<bool, Box<crate::Error>> {
        let Route::Merged(su) = &mut self.eu.route else { unreachable!("a merged node applies operations in line") };
        let mut worked = false;
        while let Some(event) = self.inbox.receive() {
            su.received += 1;
            su.apply(event)?;
            worked = true;
        }
        if su.transport.is_spilled() {
            worked |= su.transport.flush();
        }
        if let Some(ready) = su.ready.pop() {
            su.share_tokens();
            self.eu.run(ready);
        } else if let Some(call) = su.invoked.pop_front() {
            su.share_tokens();
            self.eu.start(call);
        } else if let Some(token) = su.next_token() {
            su.share_tokens();
            self.eu.start(token.call);
        } else {
            return Ok(worked);
        }
        Ok(true)
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        let su = self.su();
        su.has_work() || su.transport.is_spilled() || su.transport.can_steal()
    }
}
