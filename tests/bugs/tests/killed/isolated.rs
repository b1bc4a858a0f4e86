//! Isolated calls that fail: what is left of them, and what arrives for it.

use earth::isolated::IsolatedError;
use earth::{Eu, NodeId, Reply, SlotRef, threaded};

use crate::machines::{On, Verdict, everywhere, gives};

/// A failed answer.
type Failed = Result<u64, IsolatedError>;

/// Lets a call fail after it has started functions everywhere.
struct Late {
    out: Reply<bool>,
}

#[threaded]
impl Late {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.isolated(eu.node(), Starts::call, eu.reply(Self::came().answer));
        Late { out }
    }

    #[slot]
    fn came(self, answer: Failed, eu: &mut Eu<Self>) {
        eu.put(self.out, answer.is_err());
    }
}

struct Starts;

#[threaded]
impl Starts {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Result<(), &'static str> {
        for node in 0..eu.nodes() {
            eu.invoke(NodeId::new(node), Waits::call());
            eu.token(Waits::call());
        }
        Err("as a test")
    }
}

/// Waits for ever.
struct Waits;

#[threaded]
impl Waits {
    fn start(eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::never());
        Waits
    }

    #[slot(syncs = 2)]
    fn never(self) {}
}

pub(crate) fn late_calls() -> Verdict {
    everywhere(4, |machine| gives(machine.run(Late::call), true))
}

/// Signals a frame of a call that has failed. Then, and before, it uses a frame that was made afterwards.
struct Signals {
    old: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Signals {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let old = eu.reply(Self::learn().old);
        eu.isolated(eu.node(), |_: Reply<u64>| Fails::call(old), eu.reply(Self::came().answer));
        Signals { old: None, out }
    }

    #[slot]
    fn learn(&mut self, old: SlotRef, eu: &mut Eu<Self>) {
        self.old = Some(old);
        eu.sync(Self::came());
    }

    #[slot(sync)]
    fn came(&mut self, answer: Failed, eu: &mut Eu<Self>) {
        let after = eu.reply(Self::go_on().end);
        eu.invoke(eu.node(), After::call(after, self.out));
        assert!(answer.is_err());
    }

    #[slot]
    fn go_on(self, end: SlotRef, eu: &mut Eu<Self>) {
        self.old.into_iter().for_each(|old| eu.rsync(old));
        eu.rsync(end);
    }
}

/// Gives out the address of its frame before it is made, and fails.
struct Fails;

#[threaded]
impl Fails {
    fn start(to: Reply<SlotRef>, eu: &mut Eu<Self>) -> Result<Self, &'static str> {
        eu.put(to, eu.slot_ref(Self::first()));
        if eu.nodes() > 0 { Err("as a test") } else { Ok(Fails) }
    }

    #[slot(sync)]
    fn first(self) {}
}

/// A frame that is made after the other one was dropped.
struct After {
    out: Reply<u64>,
}

#[threaded]
impl After {
    fn start(to: Reply<SlotRef>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        // The other frame's slot has the number of this frame's first slot.
        let _ = Self::first();
        eu.put(to, eu.slot_ref(Self::second()));
        After { out }
    }

    #[slot(sync)]
    fn first(&mut self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }

    #[slot(sync)]
    fn second(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 2);
    }
}

pub(crate) fn late_signals() -> Verdict {
    On::SPN.each(|machine| gives(machine.run(Signals::call), 2))?;
    On::DUAL.each(|machine| gives(machine.run(Signals::call), 2))
}
