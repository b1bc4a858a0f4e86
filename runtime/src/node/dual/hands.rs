//! What the synchronization unit of a DUAL node tells the execution unit: what to run, and whether tokens may be started.

use earth_memory::frames::Handed;
use earth_signal::{Message, Receives};

use super::Pair;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{Function, Work};
use crate::vocabulary::address::FrameId;

impl Receives for ExecutionUnit {
    type Outcome = ();
}

impl Message<ExecutionUnit> for Work {
    fn arrive(self, eu: &mut ExecutionUnit) {
        eu.given = eu.given.wrapping_add(usize::from(self.runs()));
        match self {
            Work::Value { inlet, value } => eu.handed.keep(inlet, value),
            Work::Fiber { ready, again } => {
                let memory = &eu.su.frames.memory;
                let earlier = |slot| memory.holds_any(ready.id, slot);
                let behind = eu.handed.has_coming() && ready.by().slot().is_some_and(earlier);
                eu.handed.enable(ready, again, behind, &mut eu.su.run_queue);
            }
            Work::Start(call) => eu.su.run_queue.push_function(call),
            Work::Token(token) => eu.su.tokens.push(token),
        }
    }
}

/// A fiber that may run, which a slot without inlets enables.
pub(super) struct Signalled {
    pub(super) id: FrameId,
    /// The number of the slot, and what a trace knows the signal by.
    pub(super) slot: Pair,
}

impl Message<ExecutionUnit> for Signalled {
    #[inline]
    fn arrive(self, eu: &mut ExecutionUnit) {
        eu.given = eu.given.wrapping_add(1);
        eu.su.run_queue.push(Ready::enabled(self.id, self.slot.first(), self.slot.second()));
    }
}

/// A fiber that may run, which the slot of these values enables, at most `N` words of them.
pub(super) struct EnabledWith<const N: usize> {
    pub(super) id: FrameId,
    /// What a trace knows the signal by, as a word: what is copied as one is written as one.
    pub(super) link: u64,
    pub(super) values: Handed<Function, N>,
}

impl<const N: usize> Message<ExecutionUnit> for EnabledWith<N> {
    /// Adds the fiber to the run queue. Its values come into their inlets, unless those of an earlier round are there or wait.
    #[inline]
    fn arrive(self, eu: &mut ExecutionUnit) {
        eu.given = eu.given.wrapping_add(1);
        let EnabledWith { id, link, values } = self;
        let (ready, memory) = (Ready::enabled(id, values.slot(), link as u32), &mut eu.su.frames.memory);
        match if eu.handed.is_empty() { memory.take_over(id, values) } else { Err(values) } {
            Ok(()) => eu.su.run_queue.push(ready),
            Err(values) => enable_behind(eu, ready, values),
        }
    }
}

/// Adds a fiber to the run queue behind an earlier one of its slot, which may wait with its values in their inlets.
#[inline(never)]
fn enable_behind<const N: usize>(eu: &mut ExecutionUnit, ready: Ready, values: Handed<Function, N>) {
    values.give(|inlet, value| eu.handed.keep(inlet, value));
    eu.handed.enable(ready, true, true, &mut eu.su.run_queue);
}

/// Whether something waits for room on its way to another node, so that no token is started.
pub(super) struct Barred(pub(super) bool);

impl Message<ExecutionUnit> for Barred {
    fn arrive(self, eu: &mut ExecutionUnit) {
        eu.su.bar_tokens_of(self.0);
    }
}
