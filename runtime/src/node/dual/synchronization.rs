//! The synchronization unit of a DUAL node: it applies operations of its execution unit and of other nodes,
//! hands over the fibers that these enable, and keeps the execution unit supplied with work.

use earth_signal::MessageReceiver;

use crate::node::function::Event;
use crate::node::step::Step;
use crate::node::su::{Su, SuResult};
use crate::ranks::Arrival;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// The synchronization unit of a DUAL node, with its end of the ring from the execution unit.
pub(crate) struct Synchronizer {
    pub(crate) su: Su,
    from_eu: MessageReceiver<Su>,
    pub(crate) policy: Policy,
    /// How many operations of the execution unit it has applied since other nodes had their turn.
    in_a_row: u32,
    /// Whether only messages of other units can bring more work.
    pub(crate) awaits_messages: bool,
}

impl Synchronizer {
    pub(crate) fn new(su: Su, from_eu: MessageReceiver<Su>, policy: Policy) -> Self {
        Synchronizer { su, from_eu, policy, in_a_row: 0, awaits_messages: false }
    }

    pub(crate) fn begin(&mut self, decoding: &Decoding) {
        self.su.begin(decoding);
        self.from_eu.begin_lap();
        (self.in_a_row, self.awaits_messages) = (0, false);
    }

    /// Applies a batch of operations of each side and hands over the fibers that they enabled. While an
    /// execution unit in another thread keeps sending operations, other nodes have their turn only after a
    /// batch, and the execution unit is shown only full cells: it has work.
    pub(crate) fn step(&mut self) -> Result<Step, Box<Error>> {
        let batch = self.policy.batch;
        let received = receive(&mut self.from_eu, &mut self.su, batch)?;
        self.in_a_row += received;
        self.awaits_messages = false;
        if received > 0 && self.in_a_row < batch && self.su.only_shows() {
            return Ok(Step::Worked);
        }
        self.in_a_row = 0;
        let events_heard = self.apply_events(batch as usize)?;
        let mut worked = received > 0 || events_heard > 0;
        worked |= self.su.holds_back && self.su.flush();
        worked |= !self.su.work.is_empty() && self.su.hand_on();
        worked |= self.su.feed()?;
        let awaits_messages = received < batch && events_heard < batch as usize;
        self.su.show_eu(worked && !awaits_messages);
        self.awaits_messages = awaits_messages && !self.su.holds();
        Ok(match worked {
            true => Step::Worked,
            false if self.su.holds() => Step::Holding,
            false => Step::Idle,
        })
    }

    /// Takes a [step](Self::step) on a machine that traces in the time of the host.
    #[inline(never)]
    pub(crate) fn step_traced(&mut self) -> Result<Step, Box<Error>> {
        let (begin, waiting) = (self.su.stamp(), self.su.inbox.len());
        let step = self.step()?;
        if step == Step::Worked {
            let end = self.su.stamp();
            let ready = self.su.eu_ring().waiting();
            self.su.served(begin, end, ready, waiting);
        }
        Ok(step)
    }

    /// Applies the next operation of the execution unit, on a machine that selects it. Returns whether there
    /// was one.
    pub(crate) fn apply_next(&mut self) -> Result<bool, Box<Error>> {
        Ok(receive(&mut self.from_eu, &mut self.su, 1)? > 0)
    }

    /// Applies an event of another node, on a machine that selects it.
    pub(crate) fn attend(&mut self, event: Event) -> SuResult {
        catch_up(&mut self.from_eu, &mut self.su, self.policy.batch)?;
        self.su.attend(event)
    }

    /// Takes a token of another node and hands it over. Returns whether there was one.
    pub(crate) fn hand_token(&mut self) -> Result<bool, Box<Error>> {
        self.su.feed_any()
    }

    /// Hands over all work that finds room, and shows it.
    pub(crate) fn hand_all(&mut self) {
        if !self.su.work.is_empty() {
            self.su.hand_on();
        }
        self.su.show_eu(false);
    }

    /// Applies up to `most` events of other nodes. Each may depend on operations that the execution unit sent
    /// before it shared a token, so these are applied first. Returns how many events there were.
    fn apply_events(&mut self, most: usize) -> Result<usize, Box<Error>> {
        let Synchronizer { su, from_eu, policy, .. } = self;
        su.apply_events(most, |su| catch_up(from_eu, su, policy.batch))
    }

    /// Applies a message of another process, in the same order.
    pub(crate) fn attend_message(&mut self, from: u32, message: &mut Arrival) -> SuResult {
        catch_up(&mut self.from_eu, &mut self.su, self.policy.batch)?;
        self.su.attend_message(from, message)
    }

    /// Whether a message or a stealable token arrived for this idle unit.
    #[inline(always)]
    pub(crate) fn has_events(&mut self) -> bool {
        !self.from_eu.is_empty() || !self.su.inbox.is_empty() || self.su.may_steal()
    }

    /// Whether a step would find work, or a message is being sent. A worker may sleep if this returns `false`
    /// after its announcement.
    pub(crate) fn has_work(&mut self) -> bool {
        !self.su.inbox.is_drained() || self.has_events() || self.su.holds() || self.su.eu_ring().has_unseen()
    }
}

/// Applies all operations that the execution unit sent before it shared a token.
#[inline(always)]
fn catch_up(from_eu: &mut MessageReceiver<Su>, su: &mut Su, batch: u32) -> SuResult {
    while from_eu.is_behind() && !seeded!(TokensOvertake) {
        receive(from_eu, su, batch)?;
    }
    Ok(())
}

/// Applies up to `most` operations of the execution unit. Returns how many there were.
#[inline(always)]
fn receive(from_eu: &mut MessageReceiver<Su>, su: &mut Su, most: u32) -> Result<u32, Box<Error>> {
    let mut received = 0;
    su.turn_to_eu();
    let applied = loop {
        let mut applied = Ok(());
        received += from_eu.receive_some(su, most - received, |outcome| match outcome {
            Ok(()) => true,
            Err(error) => {
                applied = Err(error);
                false
            }
        });
        let failed = applied.is_err();
        // An error of a domain does not end the run.
        let applied = su.blame(applied);
        if !failed || applied.is_err() {
            break applied;
        }
    };
    su.turn_from_eu();
    su.received += u64::from(received);
    if let Some(order) = &mut su.order {
        order.applied(received);
    }
    applied.map(|()| received)
}
