//! The weaknesses, each inactive until a thread activates it.

use std::cell::Cell;

/// A weakness: a protocol without one of its necessary steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weakness {
    /// Two senders may claim one cell of an event queue.
    Claim,
    /// The receiver of a message ring gives a cell back before it has emptied it.
    GiveBack,
    /// A worker that has found work does not record that it is busy.
    NeverBusy,
    /// The end of a run is declared by a single collection of the ledgers.
    QuietOnce,
    /// Two thieves may claim one token.
    Steal,
    /// A worker looks for work before it announces its sleep, and not afterwards.
    AnnounceAfter,
    /// Workers that hold messages are never woken by the progress of others.
    NoRing,
    /// An idle worker does not wake workers that hold messages before it sleeps.
    SleepsUnrung,
    /// A worker that has announced its sleep checks whether the run is over, but not whether there is work.
    ParksBlind,
    /// A unit of a DUAL node wakes the other unit before it publishes its messages.
    WakesFirst,
    /// The gate is opened without the lock under which a worker decides to block.
    GateUnlocked,
}

thread_local! {
    static AWAKE: Cell<Option<Weakness>> = const { Cell::new(None) };
}

/// Whether this weakness is active. Shuttle runs all threads of an execution in one thread of the system.
pub fn is_weak(weakness: Weakness) -> bool {
    AWAKE.get() == Some(weakness)
}

/// Does `work` with this weakness active.
pub fn weakened<T>(weakness: Weakness, work: impl FnOnce() -> T) -> T {
    /// Ends the weakness, even if the work unwinds.
    struct Asleep;
    impl Drop for Asleep {
        fn drop(&mut self) {
            AWAKE.set(None);
        }
    }
    let _asleep = Asleep;
    AWAKE.set(Some(weakness));
    work()
}
