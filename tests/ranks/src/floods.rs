//! A rank that does not receive for a while does not make the memory of any rank but the sender grow.
//!
//! The last node runs a long fiber while node 0 sends it signals, each by a fiber of its own, so that they
//! leave in many small messages. The long fiber sends signals, too. So it calls MPI, which stores arrived
//! messages in the memory of the receiver. The link must hold them back at the sender. Without that, MPICH
//! takes 10 MiB at the receiver; Open MPI has a bound of its own in shared memory.
//! Each rank must be a process of its own, because the receiver measures the memory of its process.

use std::thread::sleep;
use std::time::Duration;

use earth::{Eu, Machine, NodeId, Reply, SlotRef, threaded};
use earth_test_support::resident::{peak, resident};

use crate::Outcome;

/// Number of signals. Each takes some 30 bytes on its way.
const SIGNALS: usize = 1_000_000;

/// Number of signals that the receiver sends meanwhile, one a millisecond. The sleeps make its fiber long; no
/// check depends on their length.
const ANSWERS: usize = 1_000;

/// Bound of the growth of the receiver's memory, in bytes.
const MOST: usize = 6 << 20;

/// Has the last node flooded with signals.
struct Flood {
    to: Option<SlotRef>,
    left: usize,
    out: Reply<usize>,
}

#[threaded]
impl Flood {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(
            last,
            Deaf::call(eu.reply(Self::go().to), eu.slot_ref(Self::end()), eu.reply(Self::end().grown)),
        );
        Flood { to: None, left: SIGNALS, out }
    }

    #[slot]
    fn go(&mut self, to: SlotRef, eu: &mut Eu<Self>) {
        self.to = Some(to);
        eu.sync(Self::signals());
    }

    #[slot(sync, again)]
    fn signals(&mut self, eu: &mut Eu<Self>) {
        let Some(to) = self.to.filter(|_| self.left > 0) else { return };
        eu.rsync(to);
        self.left -= 1;
        eu.sync(Self::signals());
    }

    #[slot(syncs = ANSWERS)]
    fn end(self, grown: usize, eu: &mut Eu<Self>) {
        eu.put(self.out, grown);
    }
}

/// Does not receive for a second, and then takes all signals. Returns by how much the memory of its process
/// has grown.
struct Deaf {
    answers: SlotRef,
    grown: Reply<usize>,
    before: usize,
}

#[threaded]
impl Deaf {
    fn start(to: Reply<SlotRef>, answers: SlotRef, grown: Reply<usize>, eu: &mut Eu<Self>) -> Self {
        eu.put(to, eu.slot_ref(Self::all()));
        eu.sync(Self::sleeps());
        Deaf { answers, grown, before: resident() }
    }

    #[slot(sync)]
    fn sleeps(&mut self, eu: &mut Eu<Self>) {
        for _ in 0..ANSWERS {
            eu.rsync(self.answers);
            eu.poll();
            sleep(Duration::from_millis(1));
        }
    }

    #[slot(syncs = SIGNALS)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.grown, peak().saturating_sub(self.before));
    }
}

pub(crate) fn floods(machine: &mut Machine) -> Outcome {
    if machine.node_count() > 1 {
        let grown = machine.run(Flood::call)?.value;
        assert!(grown <= MOST, "the memory of a rank that does not receive has grown by {grown} bytes");
    }
    Ok(())
}
