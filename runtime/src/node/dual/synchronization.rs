//! The synchronization unit of a DUAL node: it applies what its execution unit and other nodes ask for, hands over what that
//! enables, and sees that the execution unit has something to run.

use earth_signal::MessageReceiver;

use crate::node::step::Step;
use crate::node::su::Su;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;
use crate::vocabulary::value::Decoding;

/// The synchronization unit of a DUAL node, with what it hears of the execution unit.
pub(crate) struct Synchronizer {
    pub(crate) su: Su,
    from_eu: MessageReceiver<Su>,
    pub(crate) policy: Policy,
    /// How much it has applied of what the execution unit asked for since other nodes had their turn.
    in_a_row: u32,
    /// Whether nothing is left to do but what comes from others.
    pub(crate) dry: bool,
}

impl Synchronizer {
    pub(crate) fn new(su: Su, from_eu: MessageReceiver<Su>, policy: Policy) -> Self {
        Synchronizer { su, from_eu, policy, in_a_row: 0, dry: false }
    }

    /// Prepares for a run, as new.
    pub(crate) fn begin(&mut self, decoding: &Decoding) {
        self.su.begin(decoding);
        self.from_eu.begin_lap();
        (self.in_a_row, self.dry) = (0, false);
    }

    /// Applies a batch of what each side asked for and hands on what that enabled. As long as the execution unit, in another
    /// thread, goes on asking, other nodes have their turn after a batch, and the execution unit is shown full cells alone: it has
    /// something to run.
    pub(crate) fn step(&mut self) -> Result<Step, Box<Error>> {
        let batch = self.policy.batch;
        let received = receive(&mut self.from_eu, &mut self.su, batch)?;
        self.in_a_row += received;
        self.dry = false;
        if received > 0 && self.in_a_row < batch && self.su.only_shows() {
            return Ok(Step::Worked);
        }
        self.in_a_row = 0;
        let heard = self.hear(batch as usize)?;
        let mut worked = received > 0 || heard > 0;
        worked |= self.su.spilled && self.su.flush();
        worked |= !self.su.work.is_empty() && self.su.hand_on();
        worked |= self.su.feed()?;
        let dry = received < batch && heard < batch as usize;
        self.su.show_eu(worked && !dry);
        self.dry = dry && !self.su.holds();
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

    /// Applies up to `most` events of other nodes. Each of them may rest on what the execution unit did before it shared a token,
    /// which is applied first. Returns how many there were.
    fn hear(&mut self, most: usize) -> Result<usize, Box<Error>> {
        let Synchronizer { su, from_eu, policy, .. } = self;
        su.hear(most, |su| {
            while from_eu.is_behind() && !seeded!(TokensOvertake) {
                receive(from_eu, su, policy.batch)?;
            }
            Ok(())
        })
    }

    /// Whether anything came for this unit, which had nothing to do.
    #[inline(always)]
    pub(crate) fn hears(&mut self) -> bool {
        !self.from_eu.is_empty() || !self.su.inbox.is_empty() || self.su.may_steal()
    }

    /// Whether a step would find anything to do.
    pub(crate) fn has_work(&mut self) -> bool {
        self.hears() || self.su.holds() || self.su.way_to_eu().owes()
    }
}

/// Applies what the execution unit asked for, a batch at most. Returns how much there was.
#[inline(always)]
fn receive(from_eu: &mut MessageReceiver<Su>, su: &mut Su, most: u32) -> Result<u32, Box<Error>> {
    let mut applied = Ok(());
    let received = from_eu.receive_some(su, most, |outcome| match outcome {
        Ok(()) => true,
        Err(error) => {
            applied = Err(error);
            false
        }
    });
    su.received += u64::from(received);
    applied.map(|()| received)
}
