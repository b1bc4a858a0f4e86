//! Programs in which a fiber enables itself again, makes tokens or sends without an end until what waits behind it
//! has had its turn.
//!
//! A fiber that has had far more turns than any bound allows gives up, so that a bound that is broken is a failure
//! and no hang.

use std::sync::Mutex;

use earth::{CancelToken, Eu, NodeId, Reply, SlotRef, Then, threaded_old};

/// More turns than any bound of these policies allows on any machine.
pub(crate) const TOO_MANY: u64 = 20_000;

/// Counts a turn of a fiber that waits for something else to have its own.
pub(crate) fn turn(turns: &mut u64) {
    *turns += 1;
    assert!(*turns < TOO_MANY, "what waits has had no turn in {turns} turns of this fiber");
}

/// The range of nodes that is this node alone.
pub(crate) fn here(eu: &Eu) -> std::ops::Range<NodeId> {
    eu.node()..NodeId::new(eu.node().index() + 1)
}

/// What a fiber waits for.
pub(crate) const SIBLING: u64 = 0;
pub(crate) const FUNCTION: u64 = 1;
pub(crate) const TOKEN: u64 = 2;
pub(crate) const OTHER_NODE: u64 = 3;

threaded_old! {
    /// A fiber enables itself again until it hears from what was enabled before it. How many turns it took.
    pub(crate) fn Spins(until: u64, out: Reply<u64>)
    state { turns: u64 = 0, heard: bool = false }
    calls { Says }
    slots { said: 1 => hear }
    fiber start(this, eu) {
        let said = eu.slot_ref(Self::said);
        match this.until {
            SIBLING => eu.rsync(said),
            FUNCTION => eu.invoke_old::<Says>(eu.node(), (said,)),
            OTHER_NODE => eu.invoke_old::<Says>(NodeId::new(eu.nodes() - 1), (said,)),
            _ => eu.token_within_old::<Says>(here(eu), (said,)),
        }
        eu.spawn(Self::spin);
        Then::Wait
    }
    fiber hear(this, _eu) {
        this.heard = true;
        Then::Wait
    }
    fiber spin(this, eu) {
        turn(&mut this.turns);
        if this.heard {
            eu.put(this.out, this.turns);
            return Then::End;
        }
        eu.spawn(Self::spin);
        Then::Wait
    }
}

threaded_old! {
    pub(crate) fn Says(to: SlotRef)
    fiber start(this, eu) {
        eu.rsync(this.to);
        Then::End
    }
}

threaded_old! {
    /// Each token is followed by a newer one until the oldest has run.
    pub(crate) fn Oldest(out: Reply<u64>)
    state { turns: u64 = 0, heard: bool = false }
    calls { Says }
    slots { said: 1 => hear, again: 1, reset 1 => make }
    fiber start(_this, eu) {
        eu.token_old::<Says>((eu.slot_ref(Self::said),));
        eu.token_old::<Says>((eu.slot_ref(Self::again),));
        Then::Wait
    }
    fiber hear(this, _eu) {
        this.heard = true;
        Then::Wait
    }
    fiber make(this, eu) {
        turn(&mut this.turns);
        if this.heard {
            eu.put(this.out, this.turns);
            return Then::End;
        }
        eu.token_old::<Says>((eu.slot_ref(Self::again),));
        Then::Wait
    }
}

threaded_old! {
    /// All other nodes send this one signals without an end until a fiber here has had its turns. If it is not to
    /// stop them it cancels the run.
    pub(crate) fn Flood(stops: bool, out: Reply<u64>)
    state { turns: u64 = 0, flooders: Vec<SlotRef> = Vec::new() }
    calls { Floods }
    inlets { hello: SlotRef }
    slots { come: 1, reset 1 => meet, flood: 0 => never, over: 0 => end }
    fiber start(this, eu) {
        let others = eu.nodes() as u32 - 1;
        eu.incr(Self::flood, u32::MAX);
        eu.incr(Self::over, others);
        for node in 1..eu.nodes() {
            let hello = eu.reply_to(Self::hello, Self::come);
            let to = Box::new((eu.slot_ref(Self::flood), eu.slot_ref(Self::over)));
            eu.invoke_old::<Floods>(NodeId::new(node), (this.stops, hello, to));
        }
        Then::Wait
    }
    fiber meet(this, eu) {
        let flooder = eu.take(Self::hello);
        this.flooders.push(flooder);
        if this.flooders.len() == eu.nodes() - 1 {
            eu.spawn(Self::spin);
        }
        Then::Wait
    }
    fiber spin(this, eu) {
        this.turns += 1;
        if this.turns < 40 {
            eu.spawn(Self::spin);
        } else if this.stops {
            this.flooders.iter().for_each(|flooder| eu.rsync(*flooder));
        } else if let Some(token) = &*CANCELS.lock().expect("no test panics with it") {
            token.cancel();
        }
        Then::Wait
    }
    fiber never(_this, _eu) { unreachable!("so many signals do not come") }
    fiber end(this, eu) {
        eu.put(this.out, this.turns);
        Then::End
    }
}

threaded_old! {
    /// Sends signals until it is told to stop, and then one of another kind, which comes after all others.
    pub(crate) fn Floods(stops: bool, hello: Reply<SlotRef>, to: Box<(SlotRef, SlotRef)>)
    state { turns: u64 = 0, stopped: bool = false }
    slots { stop: 1 => hear }
    fiber start(this, eu) {
        let stop = eu.slot_ref(Self::stop);
        eu.put(this.hello, stop);
        eu.spawn(Self::flood);
        Then::Wait
    }
    fiber hear(this, _eu) {
        this.stopped = true;
        Then::Wait
    }
    fiber flood(this, eu) {
        if this.stops { turn(&mut this.turns); }
        if this.stopped {
            eu.rsync(this.to.1);
            return Then::End;
        }
        (0..16).for_each(|_| eu.rsync(this.to.0));
        eu.spawn(Self::flood);
        Then::Wait
    }
}

/// What cancels the run of a flood that is not to be stopped.
pub(crate) static CANCELS: Mutex<Option<CancelToken>> = Mutex::new(None);
