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
}

impl Merged {
    pub(crate) fn new(node: u32, nodes: NonZero<u32>, su: Su, inbox: EventReceiver<Event>) -> Self {
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
            let Route::Merged(su) = &mut self.eu.route else {
                unreachable!("a merged node applies operations in line")
            };
            let mut worked = false;
            if !self.inbox.is_empty() || su.is_spilled() {
                worked = communicate(su, &mut self.inbox)?;
            }
            if let Some(ready) = su.ready.pop() {
                su.share_tokens(0);
                self.eu.run(ready);
            } else if let Some(mut call) = su.invoked.pop_front() {
                su.share_tokens(0);
                self.eu.start(&mut call);
            } else if su.has_own_token() {
                su.share_tokens(1);
                self.eu.start_newest();
            } else if let Some(mut token) = su.shared_token() {
                self.eu.start(&mut token.call);
            } else if !worked {
                return Ok(false);
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
}

/// Applies what arrived and sends what was kept. Whether there was anything.
#[inline(never)]
fn communicate(su: &mut Su, inbox: &mut EventReceiver<Event>) -> Result<bool, Box<crate::Error>> {
    let mut worked = false;
    while let Some(event) = inbox.receive() {
        su.received += 1;
        su.apply(event)?;
        worked = true;
    }
    Ok(if su.is_spilled() { su.flush() || worked } else { worked })
}
