//! Programs in which a fiber enables itself, makes tokens or sends endlessly, until a waiting item has had
//! its turn.
//!
//! A fiber gives up after far more turns than any bound allows. A broken bound is then a failure instead of a
//! hang.

use std::sync::Mutex;

use earth::{CancelToken, Eu, NodeId, Reply, SlotRef, Then, threaded};

/// Number of turns that exceeds every bound of these policies on every machine.
pub(crate) const TOO_MANY: u64 = 20_000;

/// Counts a turn of a fiber that waits for the turn of something else.
pub(crate) fn turn(turns: &mut u64) {
    *turns += 1;
    assert!(*turns < TOO_MANY, "what waits has had no turn in {turns} turns of this fiber");
}

/// Returns the range that only contains this node.
pub(crate) fn here(eu: &Eu) -> std::ops::Range<NodeId> {
    eu.node()..NodeId::new(eu.node().index() + 1)
}

/// The kinds of work that a fiber waits for.
pub(crate) const SIBLING: u64 = 0;
pub(crate) const FUNCTION: u64 = 1;
pub(crate) const TOKEN: u64 = 2;
pub(crate) const OTHER_NODE: u64 = 3;

/// A fiber enables itself until it gets a signal of the work that was enabled before it. It puts the number
/// of its turns.
pub(crate) struct Spins {
    turns: u64,
    heard: bool,
    out: Reply<u64>,
}

#[threaded]
impl Spins {
    pub(crate) fn start(until: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let said = eu.slot_ref(Self::hear());
        match until {
            SIBLING => eu.rsync(said),
            FUNCTION => eu.invoke(eu.node(), Says::call(said)),
            OTHER_NODE => eu.invoke(NodeId::new(eu.nodes() - 1), Says::call(said)),
            _ => eu.token_within(here(eu), Says::call(said)),
        }
        eu.spawn(Self::spin());
        Spins { turns: 0, heard: false, out }
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.heard = true;
    }

    #[spawned]
    fn spin(&mut self, eu: &mut Eu<Self>) -> Then {
        turn(&mut self.turns);
        if self.heard {
            eu.put(self.out, self.turns);
            return Then::End;
        }
        eu.spawn(Self::spin());
        Then::Wait
    }
}

pub(crate) struct Says;

#[threaded]
impl Says {
    pub(crate) fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

/// Each token makes a newer one until the oldest has run.
pub(crate) struct Oldest {
    turns: u64,
    heard: bool,
    out: Reply<u64>,
}

#[threaded]
impl Oldest {
    pub(crate) fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.token(Says::call(eu.slot_ref(Self::hear())));
        eu.token(Says::call(eu.slot_ref(Self::make())));
        Oldest { turns: 0, heard: false, out }
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.heard = true;
    }

    #[slot(sync, again)]
    fn make(&mut self, eu: &mut Eu<Self>) -> Then {
        turn(&mut self.turns);
        if self.heard {
            eu.put(self.out, self.turns);
            return Then::End;
        }
        eu.token(Says::call(eu.slot_ref(Self::make())));
        Then::Wait
    }
}

/// All other nodes send this node signals endlessly until one of its fibers has had its turns. The fiber then
/// stops them or, if not `stops`, cancels the run.
pub(crate) struct Flood {
    stops: bool,
    turns: u64,
    flooders: Vec<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Flood {
    pub(crate) fn start(stops: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let others = eu.nodes() as u32 - 1;
        eu.incr(Self::flood(), u32::MAX);
        eu.incr(Self::over(), others);
        let hello = eu.reply(Self::meet().hello);
        let (flood, over) = (eu.slot_ref(Self::flood()), eu.slot_ref(Self::over()));
        for node in 1..eu.nodes() {
            eu.invoke(NodeId::new(node), Floods::call(stops, hello, flood, over));
        }
        Flood { stops, turns: 0, flooders: Vec::new(), out }
    }

    #[slot(again)]
    fn meet(&mut self, hello: SlotRef, eu: &mut Eu<Self>) {
        self.flooders.push(hello);
        if self.flooders.len() == eu.nodes() - 1 {
            eu.spawn(Self::spin());
        }
    }

    #[spawned]
    fn spin(&mut self, eu: &mut Eu<Self>) {
        self.turns += 1;
        if self.turns < 40 {
            eu.spawn(Self::spin());
        } else if self.stops {
            self.flooders.iter().for_each(|flooder| eu.rsync(*flooder));
        } else if let Some(token) = &*CANCELS.lock().expect("no test panics with it") {
            token.cancel();
        }
    }

    #[slot(syncs = 0)]
    fn flood(self) {
        unreachable!("so many signals do not come")
    }

    #[slot(syncs = 0)]
    fn over(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.turns);
    }
}

/// Sends signals until it gets a stop signal. Then it sends one signal of another kind, which arrives after
/// all others.
pub(crate) struct Floods {
    stops: bool,
    turns: u64,
    stopped: bool,
    flood: SlotRef,
    over: SlotRef,
}

#[threaded]
impl Floods {
    pub(crate) fn start(
        stops: bool,
        hello: Reply<SlotRef>,
        flood: SlotRef,
        over: SlotRef,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(hello, eu.slot_ref(Self::hear()));
        eu.spawn(Self::send());
        Floods { stops, turns: 0, stopped: false, flood, over }
    }

    #[slot(sync)]
    fn hear(&mut self) {
        self.stopped = true;
    }

    #[spawned]
    fn send(&mut self, eu: &mut Eu<Self>) -> Then {
        if self.stops {
            turn(&mut self.turns);
        }
        if self.stopped {
            eu.rsync(self.over);
            return Then::End;
        }
        (0..16).for_each(|_| eu.rsync(self.flood));
        eu.spawn(Self::send());
        Then::Wait
    }
}

/// Token that cancels the run of a flood that is not stopped.
pub(crate) static CANCELS: Mutex<Option<CancelToken>> = Mutex::new(None);
