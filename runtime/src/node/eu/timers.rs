//! Timers: signals after some time.

use std::time::Duration;

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{ErasedCall, kind};
use crate::threaded;
use crate::vocabulary::address::SlotRef;

impl<F> Eu<F> {
    /// Signals a slot once, after at least the time `time`. The run does not end before, as long as the
    /// slot's frame lives. If the frame ends before, the timer is dropped without an error, and the run does
    /// not wait for it.
    ///
    /// On threads and ranks, time is real time. A timer fires between two fibers of the slot's node, so a
    /// fiber that runs long delays it. A node that only waits for a timer sleeps. On a [simulated
    /// machine](crate::Machine::simulated) time is virtual: the profile's clock turns it into cycles. On the
    /// [stepper](crate::Machine::stepper) no time passes. There timers of all nodes fire in the order of
    /// their times, at moments that the seed chooses: also before work that would take less time.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use earth::{Eu, Machine, Reply, threaded};
    ///
    /// /// Puts a value after some time.
    /// struct Sleeps {
    ///     out: Reply<u64>,
    /// }
    ///
    /// #[threaded]
    /// impl Sleeps {
    ///     fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
    ///         eu.after(Duration::from_millis(2), eu.slot_ref(Self::wakes()));
    ///         Sleeps { out }
    ///     }
    ///
    ///     #[slot(sync)]
    ///     fn wakes(self, eu: &mut Eu<Self>) {
    ///         eu.put(self.out, 42);
    ///     }
    /// }
    ///
    /// let run = Machine::threads(1).run(Sleeps::call)?;
    /// assert_eq!(run.value, 42);
    /// assert!(run.elapsed >= Duration::from_millis(2));
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors of the run
    ///
    /// [`TooManySignals`](crate::Error::TooManySignals) if the slot's frame lives and the slot expects no
    /// signal.
    ///
    /// *Cost.* A reading of the clock, an entry of a heap, and the start of a function when the timer fires.
    /// If the slot is on another node, a message.
    #[doc(alias = "sleep")]
    #[doc(alias = "timeout")]
    #[doc(alias = "timer")]
    #[doc(alias = "interval")]
    #[doc(alias = "delay")]
    pub fn after(&mut self, time: Duration, to: SlotRef) {
        self.unit.after(time, to);
    }
}

impl ExecutionUnit {
    #[inline(never)]
    fn after(&mut self, time: Duration, slot: SlotRef) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.make_before(Some(slot.to.frame()));
        self.charge_at(slot.node().0, |costs| costs.spawn);
        let call = ErasedCall::new(Timer::call(slot), kind::<Timer>());
        self.su.after(slot.to, nanos, call);
    }
}

/// Signals the slot of a timer that is due, on the slot's node, unless the slot's frame has ended.
struct Timer;

#[threaded]
impl Timer {
    fn start(slot: SlotRef, eu: &mut Eu<Self>) {
        if eu.unit.su.frames.memory.live_function(slot.to.id()).is_some() {
            let origin = eu.unit.origin();
            let outcome = eu.unit.su.ring(slot.to, origin);
            eu.unit.check(outcome);
        }
    }
}
