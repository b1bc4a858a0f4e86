//! Support for observers of a node. The units write records on a machine that traces, publish the running
//! fiber on a machine with a stall monitor, and charge for operations on a machine with costs.
//!
//! A node without observers calls none of this code: it is called only by the `TRACED` variants of the
//! functions that run fibers, and by operations out of line.

use std::time::Duration;

use earth_memory::frames::Counted;
use earth_signal::{Activity, ActivityView};

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{ErasedCall, Event, Token, functions};
use crate::node::signature::signature;
use crate::node::su::Su;
use crate::probe::accesses::Access;
use crate::probe::costs::{self, Costs, Work};
use crate::probe::order::Taken;
use crate::probe::recorder::{FiberRef, Lengths};
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::Layout;

impl<F> Eu<F> {
    /// Charges for work that this fiber does. A simulated machine advances its clock by the cost of the work
    /// in its profile. On other machines the call costs one predictable branch.
    #[inline(always)]
    pub fn work(&mut self, work: Work) {
        if self.unit.costs.is_some() {
            self.unit.charge_work(work);
        }
    }

    /// Returns the time since the run began: virtual time on a simulated machine or a stepper.
    pub fn now(&self) -> Duration {
        let Some(costs) = &self.unit.costs else { return self.unit.began.elapsed() };
        costs::time(self.unit.su.now, costs.clock_mhz)
    }
}

impl ExecutionUnit {
    #[cold]
    fn charge_work(&mut self, work: Work) {
        if let Some(costs) = &self.costs
            && costs.fibers.is_none()
        {
            let cost = costs.work(work).unwrap_or_else(|fault| self.fail(fault.into_error()));
            self.su.now = costs::after(self.su.now, cost);
        }
    }

    /// Charges for the measured time of a fiber that runs next, on a machine with measured times.
    #[inline(always)]
    pub(super) fn charge_fiber(&mut self, layout: &'static Layout, by: Enabler) {
        if let Some(costs) = &self.costs
            && let Some(cycles) = costs.fiber(layout, by.fiber(layout))
        {
            self.su.now = costs::after(self.su.now, cycles);
        }
    }

    /// Charges for an operation on slots that this unit owns. Other operations are charged when they are
    /// passed on.
    pub(super) fn charge_at(&mut self, node: u32, cost: impl FnOnce(&Costs) -> u64) {
        if let Some(costs) = &self.costs
            && self.su.owns(node)
        {
            self.su.now = costs::after(self.su.now, cost(costs));
        }
    }

    /// Whether its fibers are recorded or published, or frames of a domain live here, so that the `TRACED`
    /// code must run them.
    #[inline(always)]
    pub(crate) fn is_watched(&self) -> bool {
        self.recorder.is_some() || self.su.order.is_some() || self.activity.is_some() || self.su.isolates()
    }

    /// Publishes the unit's fibers from now on, for a stall monitor.
    pub(crate) fn publish_fibers(&mut self) {
        self.activity = Some(Box::new(Activity::new()));
        self.su.publishes_tokens = true;
    }

    pub(crate) fn activity(&self) -> Option<ActivityView> {
        self.activity.as_ref().map(|activity| activity.view())
    }

    /// Announces an enabled fiber, of the entered frame and this layout, that runs next.
    #[inline(always)]
    pub(super) fn expect_enabled(&mut self, ready: &Ready, layout: &'static Layout) {
        let (by, index) = (ready.by(), ready.index() as usize);
        let (by, index) = if layout.slot_arrays { self.declared(by, index) } else { (by, index) };
        if let Some(recorder) = &mut self.recorder {
            recorder.expect_enabled(layout, by, index as u32, ready.link());
        }
        self.charge_fiber(layout, by);
        if let Some(activity) = &mut self.activity {
            activity.begin(functions::number_of(layout), by.fiber(layout));
            activity.waits(self.su.run_queue.len(), self.su.tokens.private.len());
        }
    }

    /// Announces the first fiber of a function of this layout that runs next, started by `starter`. Its call
    /// is still on top of the token stack.
    #[inline(always)]
    pub(super) fn expect_started(&mut self, starter: FiberRef, layout: &'static Layout) {
        if let Some(recorder) = &mut self.recorder {
            recorder.expect_started(layout, starter);
        }
        self.charge_fiber(layout, Enabler::START);
        if let Some(activity) = &mut self.activity {
            activity.begin(functions::number_of(layout), 0);
            activity.waits(self.su.run_queue.len(), self.su.tokens.private.len().saturating_sub(1));
        }
    }

    /// Publishes how many fibers and tokens wait, after the running fiber has made a token.
    pub(super) fn publish_waiting(&self) {
        if let Some(activity) = &self.activity {
            activity.waits(self.su.run_queue.len(), self.su.tokens.private.len());
        }
    }

    /// Publishes that the fiber has returned or panicked.
    #[inline(always)]
    pub(crate) fn publish_rest(&self) {
        if let Some(activity) = &self.activity {
            activity.rest();
        }
    }

    /// Returns the host's time on a machine that traces, else 0.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.stamp())
    }

    /// Records that the announced fiber ran from `begin` to `end`. `lengths` are the lengths of queues at its
    /// end (SPN).
    #[inline(always)]
    pub(crate) fn ran(&mut self, begin: u64, end: u64, lengths: Lengths) {
        let ExecutionUnit { recorder, su, .. } = self;
        let Some(recorder) = recorder else { return };
        let next = recorder.ran(begin, end, lengths);
        su.send_as(next);
    }

    /// Returns the name of the token that the running fiber makes next: the fiber, as records name it, or the
    /// number of the token, on a machine that records the order.
    pub(super) fn token_name(&mut self) -> FiberRef {
        match &mut self.su.order {
            Some(order) => FiberRef::new(self.node, order.next_token()),
            None => self.me(),
        }
    }

    /// Returns the running fiber, as records name it.
    #[inline(always)]
    pub(super) fn me(&self) -> FiberRef {
        self.recorder.as_ref().map_or(FiberRef::NONE, |recorder| recorder.me)
    }
}

impl Su {
    /// Returns the sender of the operation that the unit applies.
    pub(super) fn sender(&self) -> FiberRef {
        self.recorder.as_ref().map_or(FiberRef::NONE, |recorder| recorder.sender)
    }

    /// Sets the sender of the operations that the unit applies from now on. Returns the sender before.
    #[inline(always)]
    pub(super) fn send_as(&mut self, sender: FiberRef) -> FiberRef {
        match &mut self.recorder {
            Some(recorder) => std::mem::replace(&mut recorder.sender, sender),
            None => sender,
        }
    }

    /// Notes work that the unit takes up, on a machine that records the order.
    #[inline(always)]
    pub(super) fn note_order(&mut self, taken: Taken) {
        if let Some(order) = &mut self.order {
            order.add(taken);
        }
    }

    /// Notes the sender of a message, on a machine that records the order.
    pub(super) fn note_sender(&mut self, event: &Event) {
        if let Event::From { from, .. } | Event::Bytes { from, .. } = event {
            self.note_order(Taken::Message { from: *from });
        }
    }

    /// Notes a token, on a machine that records the order. Its call is signed with its name.
    #[cold]
    pub(super) fn note_token(&mut self, call: &ErasedCall, taken: fn(u32, u32) -> Taken) {
        if self.order.is_some() {
            let name = signature(call);
            self.note_order(taken(name.node(), name.number()));
        }
    }

    /// Notes a token that is sent to node `to`, which had asked for it if `given`, on a machine that
    /// records the order.
    pub(crate) fn note_given(&mut self, token: &Token, to: u32, given: bool) {
        if self.order.is_some() {
            let name = signature(&token.call);
            self.note_order(Taken::Give { node: name.node(), number: name.number(), to, given });
        }
    }

    /// Whether messages to other nodes name their sender, on a machine that records the order.
    #[inline(always)]
    pub(super) fn names_sender(&self) -> bool {
        self.order.is_some() && !self.passes_on()
    }

    /// Logs an access, on a machine that explores.
    pub(super) fn log(&mut self, frame: FrameId, access: Access) {
        if let Some(accesses) = &mut self.accesses {
            accesses.add(frame, access, false);
        }
    }

    /// Logs a signal that a slot has counted, on a machine that explores. `inlet` is the inlet of its value.
    pub(super) fn log_signal(&mut self, frame: FrameId, counted: Counted, inlet: Option<u32>) {
        if let Some(accesses) = &mut self.accesses {
            let slot = counted.slot();
            let access = inlet.map_or(Access::Signal { slot }, |inlet| Access::Value { slot, inlet });
            accesses.add(frame, access, matches!(counted, Counted::Enables(_)));
        }
    }

    /// Logs a value that is parked at a full inlet, on a machine that explores.
    pub(super) fn log_parked(&mut self, at: EntryRef) {
        if self.accesses.is_some() {
            let slot = self.frames.memory.slot_of(at.id(), at.number()).unwrap_or_default();
            self.log(at.id(), Access::Park { slot, inlet: at.number() });
        }
    }

    /// Returns the host's time on a machine that traces, else 0.
    pub(super) fn stamp(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.stamp())
    }

    /// Returns the lengths of queues for a record. The unit itself knows one of them, its private tokens.
    #[inline(always)]
    pub(crate) fn lengths(&self, ready: usize, inbox: usize) -> Lengths {
        // Queue lengths fit 32 bits: no memory holds longer queues.
        [ready, self.tokens.private.len(), inbox].map(|length| length as u32)
    }

    /// Records that the unit handled events in this time; `ready` and `inbox` are the lengths of queues.
    pub(crate) fn served(&mut self, begin: u64, end: u64, ready: usize, inbox: usize) {
        let lengths = self.lengths(ready, inbox);
        if let Some(recorder) = &mut self.recorder {
            recorder.served(begin, end, lengths);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use earth_signal::ActivityView;

    use crate::{Config, Error, Eu, Machine, Reply, threaded};

    /// The view of the unit that ran the last fiber.
    static VIEW: Mutex<Option<ActivityView>> = Mutex::new(None);

    struct Looks;

    #[threaded]
    impl Looks {
        fn start(panics: bool, out: Reply<bool>, eu: &mut Eu<Self>) {
            let view = eu.unit.activity();
            let seen = view.as_ref().and_then(ActivityView::running).is_some();
            *VIEW.lock().expect("no panic happens while it is locked") = view;
            assert!(!panics, "as a test");
            eu.put(out, seen);
        }
    }

    #[test]
    fn a_fiber_is_published_until_it_has_returned_or_panicked() {
        let still_runs = || {
            let view = VIEW.lock().expect("no panic happens while it is locked").take();
            view.map(|view| view.running().is_some())
        };
        for config in [Config::Spn, Config::Dual] {
            for machine in [Machine::threads(1), Machine::threads(2), Machine::stepper(0)] {
                let machine = machine.config(config);
                let mut watched = machine.stall_monitor(Duration::MAX, |_| {});
                assert_eq!(watched.run(|out| Looks::call(false, out)).map(|run| run.value), Ok(true));
                assert_eq!(still_runs(), Some(false));
                assert!(matches!(watched.run(|out| Looks::call(true, out)), Err(Error::Panicked { .. })));
                assert_eq!(still_runs(), Some(false));
            }
            let mut machine = Machine::threads(1).config(config);
            assert_eq!(machine.run(|out| Looks::call(false, out)).map(|run| run.value), Ok(false));
            assert_eq!(still_runs(), None);
        }
    }
}
