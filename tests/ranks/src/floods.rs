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

use crate::Outcome;

/// Number of signals. Each takes some 30 bytes on its way.
const SIGNALS: u64 = 1_000_000;

/// Number of signals that the receiver sends meanwhile, one a millisecond.
const ANSWERS: u64 = 1_000;

/// Most mebibytes by which the receiver's memory may grow.
const MOST: u64 = 6;

/// Returns a size in the status of this process, in mebibytes. Zero if the system does not tell.
fn mebibytes(of: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(of));
    line.and_then(|line| line.split_whitespace().nth(1)).map_or(0, |size| size.parse().unwrap_or(0)) >> 10
}

/// Has the last node flooded with signals.
struct Flood {
    to: Option<SlotRef>,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Flood {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(
            last,
            Deaf::call(eu.reply(Self::go().to), eu.slot_ref(Self::answers()), eu.reply(Self::end().grown)),
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

    #[slot(syncs = ANSWERS as usize)]
    fn answers(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::end());
    }

    #[slot(syncs = 1)]
    fn end(self, grown: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, grown);
    }
}

/// Does not receive for a second, and then takes all signals. Returns by how much the memory of its process
/// has grown.
struct Deaf {
    answers: SlotRef,
    grown: Reply<u64>,
    before: u64,
}

#[threaded]
impl Deaf {
    fn start(to: Reply<SlotRef>, answers: SlotRef, grown: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(to, eu.slot_ref(Self::all()));
        eu.sync(Self::sleeps());
        Deaf { answers, grown, before: mebibytes("VmRSS") }
    }

    #[slot(sync)]
    fn sleeps(&mut self, eu: &mut Eu<Self>) {
        for _ in 0..ANSWERS {
            eu.rsync(self.answers);
            eu.poll();
            sleep(Duration::from_millis(1));
        }
    }

    #[slot(syncs = SIGNALS as usize)]
    fn all(self, eu: &mut Eu<Self>) {
        eu.put(self.grown, mebibytes("VmHWM").saturating_sub(self.before));
    }
}

pub(crate) fn floods(machine: &mut Machine) -> Outcome {
    if machine.node_count() > 1 {
        let grown = machine.run(Flood::call)?.value;
        assert!(grown <= MOST, "the memory of a rank that does not receive has grown by {grown} MiB");
    }
    Ok(())
}
