//! The synchronization unit of a DUAL node: it applies what its execution unit and other nodes ask for, hands over what that
//! enables, and sees that the execution unit has something to run.

use earth_signal::MessageReceiver;

use crate::node::separate::Step;
use crate::node::su::Su;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// The synchronization unit of a DUAL node, with what it hears of the execution unit.
pub(crate) struct Synchronizer {
    pub(crate) su: Su,
    from_eu: MessageReceiver<Su>,
    policy: Policy,
}

impl Synchronizer {
    pub(crate) fn new(su: Su, from_eu: MessageReceiver<Su>, policy: Policy) -> Self {
        Synchronizer { su, from_eu, policy }
    }

    /// Applies a batch of what each side asked for and hands on what that enabled.
    pub(crate) fn step(&mut self) -> Result<Step, Box<Error>> {
        let batch = self.policy.batch as usize;
        let mut worked = self.receive(batch)? | (self.su.hear(batch)? > 0);
        worked |= self.su.is_spilled() && self.su.flush();
        worked |= !self.su.work.is_empty() && self.su.hand_on();
        worked |= self.su.feed();
        self.su.share_tokens(|_| 0);
        self.su.show_eu();
        Ok(match worked {
            true => Step::Worked,
            false if self.su.holds() => Step::Holding,
            false => Step::Idle,
        })
    }

    /// Takes a [step](Self::step) on a machine that traces, in the time of the host.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Result<Step, Box<Error>> {
        let (begin, waiting) = (self.su.stamp(), self.su.inbox.len());
        let step = self.step()?;
        if step == Step::Worked {
            let end = self.su.stamp();
            let ready = self.su.way_to_eu().waiting();
            self.su.served(begin, end, ready, waiting);
        }
        Ok(step)
    }

    /// Applies what the execution unit asked for, a batch at most. Returns whether there was anything.
    #[inline(always)]
    fn receive(&mut self, most: usize) -> Result<bool, Box<Error>> {
        for received in 0..most {
            let Some(outcome) = self.from_eu.receive(&mut self.su) else { return Ok(received > 0) };
            self.su.received += 1;
            outcome?;
        }
        Ok(true)
    }

    /// Whether anything came for this unit, which had nothing to do.
    #[inline(always)]
    pub(crate) fn hears(&mut self) -> bool {
        !self.from_eu.is_empty() || !self.su.inbox.is_empty() || self.su.may_steal()
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        self.hears() || self.su.holds()
    }
}
