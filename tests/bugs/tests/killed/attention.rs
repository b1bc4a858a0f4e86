//! Attention requests to a unit that runs consecutive fibers of one function. The tests use two real nodes,
//! the first of them in this thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use earth::{Config, Error, Eu, FiberOrder, Machine, NodeId, Policy, Reply, Then, threaded};

use crate::machines::{Verdict, fails, gives, same};

fn machine() -> Machine {
    let policy = Policy { fibers: FiberOrder::NewestFirst, in_a_row: 1000, ..Policy::default() };
    // A pinned machine has all its threads, even if the cores are busy.
    Machine::threads(2).config(Config::Spn).policy(policy).pin(Machine::usable_cores() > 1)
}

/// Progress of the two nodes of [`RunsOn`].
static STAGE: AtomicU32 = AtomicU32::new(0);

/// Number of fibers of [`RunsOn`] that have run.
static RAN: AtomicU32 = AtomicU32::new(0);

fn reached(stage: u32) {
    while STAGE.load(Ordering::Acquire) < stage {
        std::thread::yield_now();
    }
}

/// Runs consecutive fibers of one function. The third one blocks until another node has failed, which a fiber
/// should not do.
struct RunsOn;

#[threaded]
impl RunsOn {
    fn start(eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Fails::call());
        eu.sync(Self::next());
        RunsOn
    }

    #[slot(sync, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        let ran = RAN.fetch_add(1, Ordering::Relaxed) + 1;
        if ran == 3 {
            STAGE.store(1, Ordering::Release);
            reached(2);
        }
        if ran == 12 {
            return Then::End;
        }
        eu.sync(Self::next());
        Then::Wait
    }
}

/// Its drop reports that its fiber unwinds.
struct Unwinds;

impl Drop for Unwinds {
    fn drop(&mut self) {
        STAGE.store(2, Ordering::Release);
    }
}

struct Fails;

#[threaded]
impl Fails {
    fn start(eu: &mut Eu<Self>) {
        reached(1);
        let _unwinds = Unwinds;
        eu.invoke(NodeId::new(2), Fails::call());
    }
}

pub(crate) fn failure() -> Verdict {
    STAGE.store(0, Ordering::Release);
    RAN.store(0, Ordering::Relaxed);
    let run = machine().run(|_: Reply<()>| RunsOn::call());
    fails(run, |error| matches!(error, Error::NoSuchNode { node: 2, .. }))?;
    same("fibers until the run was over", &RAN.load(Ordering::Relaxed), &3)
}

/// Whether the token of [`Offers`] has run.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Number of times that a fiber checks whether the token has run: far more than a thief needs to wake up.
const LOOKS: u32 = 1 << 20;

/// Makes a token in its second fiber. The next fiber blocks until another node has run the token, which a
/// fiber should not do.
struct Offers {
    ran: u64,
    out: Reply<bool>,
}

#[threaded]
impl Offers {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::next());
        Offers { ran: 0, out }
    }

    #[slot(sync, again)]
    fn next(&mut self, eu: &mut Eu<Self>) -> Then {
        self.ran += 1;
        match self.ran {
            2 => eu.token(Takes::call()),
            3 => {
                let taken = (0..LOOKS).any(|_| {
                    std::thread::yield_now();
                    TAKEN.load(Ordering::Acquire)
                });
                eu.put(self.out, taken);
                return Then::End;
            }
            _ => {}
        }
        eu.sync(Self::next());
        Then::Wait
    }
}

struct Takes;

#[threaded]
impl Takes {
    fn start() {
        TAKEN.store(true, Ordering::Release);
    }
}

pub(crate) fn offer() -> Verdict {
    TAKEN.store(false, Ordering::Release);
    gives(machine().run(Offers::call), true)
}
