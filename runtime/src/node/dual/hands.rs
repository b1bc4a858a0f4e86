//! Receipt of fibers, functions and tokens by the execution unit of a DUAL node.

use earth_memory::frames::Handed;
use earth_signal::{Message, Receiver};

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{EuWork, Function};
use crate::vocabulary::address::FrameId;

/// The values of a round, at most `N` words of them.
type Values<const N: usize> = Handed<Function, N>;

impl Receiver for ExecutionUnit {
    type Outcome = ();
}

impl Message<ExecutionUnit> for EuWork {
    fn arrive(self, eu: &mut ExecutionUnit) {
        eu.given = eu.given.wrapping_add(usize::from(self.runs()));
        match self {
            EuWork::Value { inlet, value } => eu.handed.keep(inlet, value),
            EuWork::Fiber { ready, again } => {
                let memory = &eu.su.frames.memory;
                let earlier = |slot| memory.holds_any(ready.id, slot);
                let behind = eu.handed.has_coming() && ready.by().slot().is_some_and(earlier);
                eu.handed.enable(ready, again, behind, &mut eu.su.run_queue);
            }
            EuWork::Start(call) => eu.su.run_queue.push_function(call),
            EuWork::Token(token) => eu.su.tokens.push(token),
            EuWork::Domain(order) => {
                // It only drops frames and reports them, which does not fail.
                let obeyed = eu.su.obey(order);
                debug_assert!(obeyed.is_ok(), "an order about a domain is obeyed");
            }
        }
    }
}

impl ExecutionUnit {
    /// Adds a fiber to the run queue. Its values are stored in their inlets, unless values of an earlier
    /// round are there or wait.
    #[inline(always)]
    pub(super) fn enable_with<const N: usize>(&mut self, id: FrameId, link: u32, values: Values<N>) {
        self.given = self.given.wrapping_add(1);
        let (ready, memory) = (Ready::enabled(id, values.slot(), link), &mut self.su.frames.memory);
        match if self.handed.is_empty() { memory.take_over(id, values) } else { Err(values) } {
            Ok(()) => self.su.run_queue.push(ready),
            Err(values) => self.enable_behind(ready, values),
        }
    }

    /// Adds a fiber to the run queue behind an earlier fiber of its slot, which may wait with its values in
    /// their inlets.
    #[inline(never)]
    fn enable_behind<const N: usize>(&mut self, ready: Ready, values: Values<N>) {
        values.give(|inlet, value| self.handed.keep(inlet, value));
        self.handed.enable(ready, true, true, &mut self.su.run_queue);
    }
}
