//! Handshakes of long blocks on the simulated machine: when blocks arrive, by hand.

use crate::common::gives;
use earth::simulated::{Faults, NetworkKind, Profile};
use earth::{Block, Config, Eu, Machine, NodeId, Reply, SlotRef, Then, Work, threaded};

/// Bytes of a block, which take a cycle each on a link.
const BYTES: u64 = 1000;
/// Cycles of a message through the network, of sending a message of words, and of receiving one.
const CROSSING: u64 = 70;
const SENDING: u64 = 11;
const RECEIVING: u64 = 13;

/// Work of the two nodes, in cycles. Node 0 works before it sends the blocks, and after it in the same fiber.
#[derive(Clone, Copy, Debug, earth::Wire)]
struct Busy {
    before: u64,
    after: u64,
    /// Work of node 1 after node 0 has begun, and the number of fibers that share it.
    receiver: u64,
    fibers: u64,
}

/// Inlets of node 1.
#[derive(Debug, earth::Wire)]
struct Inlets {
    go: SlotRef,
    blocks: Reply<Block<u8>>,
}

/// Sends two long blocks and a short one to node 1. Puts the cycles of their arrivals since it began.
struct Source {
    busy: Busy,
    began: u64,
    out: Reply<Vec<u64>>,
}

fn cycles<F>(eu: &Eu<F>) -> u64 {
    // A cycle takes a microsecond.
    eu.now().as_micros() as u64
}

#[threaded]
impl Source {
    fn start(busy: Busy, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (inlets, ends) = (eu.reply(Self::send().inlets), eu.reply(Self::end().times));
        eu.invoke(NodeId::new(1), Sink::call(busy, inlets, ends));
        Source { busy, began: 0, out }
    }

    #[slot]
    fn send(&mut self, inlets: Inlets, eu: &mut Eu<Self>) {
        self.began = cycles(eu);
        eu.rsync(inlets.go);
        eu.work(Work::Cycles(self.busy.before));
        for bytes in [BYTES, BYTES, 1] {
            eu.put(inlets.blocks, Block::from_fn(1, bytes as usize, |_, _| 1));
        }
        eu.work(Work::Cycles(self.busy.after));
    }

    #[slot]
    fn end(self, times: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, times.iter().map(|time| time - self.began).collect());
    }
}

/// Receives the blocks, and works.
struct Sink {
    busy: Busy,
    worked: u64,
    times: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Sink {
    fn start(busy: Busy, inlets: Reply<Inlets>, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.put(inlets, Inlets { go: eu.slot_ref(Self::work()), blocks: eu.reply(Self::take().block) });
        Sink { busy, worked: 0, times: Vec::new(), out }
    }

    #[slot(sync, again)]
    fn work(&mut self, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(self.busy.receiver / self.busy.fibers));
        self.worked += 1;
        if self.worked < self.busy.fibers {
            eu.sync(Self::work());
        }
    }

    #[slot(again)]
    fn take(&mut self, block: Block<u8>, eu: &mut Eu<Self>) -> Then {
        let expected = [BYTES, BYTES, 1][self.times.len()];
        assert_eq!(
            block.row(0),
            vec![1; expected as usize],
            "blocks arrive in the order of their departures"
        );
        self.times.push(cycles(eu));
        if expected > 1 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.times));
        Then::End
    }
}

fn machine(eager: Option<u64>, config: Config) -> Machine {
    let mut profile = Profile::free();
    (profile.network.kind, profile.network.byte) = (NetworkKind::Crossbar, 1.0);
    (profile.network.interface, profile.network.eager) = (CROSSING as f64, eager);
    for operations in [&mut profile.spn, &mut profile.dual] {
        (operations.send_word, operations.receive_word) = (SENDING, RECEIVING);
    }
    assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile.clone()));
    Machine::simulated(&profile).nodes(2).config(config)
}

fn arrivals(eager: Option<u64>, config: Config, busy: Busy) -> Vec<u64> {
    let mut times = gives(&mut machine(eager, config), |out| Source::call(busy, out)).value;
    assert!(times.is_sorted(), "{times:?}");
    times.truncate(2);
    times
}

const IDLE: Busy = Busy { before: 500, after: 0, receiver: 0, fibers: 1 };

/// Cycles from when the receiver takes up a request until the sender has the grant.
const GRANTED: u64 = RECEIVING + SENDING + CROSSING + RECEIVING;

/// Cycles after which an idle sender sends the first block. In DUAL the synchronization unit sends the word
/// to begin while the fiber works.
fn sent(config: Config) -> u64 {
    if config == Config::Spn { SENDING + IDLE.before } else { IDLE.before }
}

#[test]
fn blocks_up_to_the_limit_leave_at_once() {
    for config in [Config::Spn, Config::Dual] {
        let first = sent(config) + CROSSING + BYTES;
        for eager in [None, Some(BYTES)] {
            assert_eq!(arrivals(eager, config, IDLE), [first, first + BYTES], "{config:?}");
        }
    }
}

/// The second request is taken up directly after the first one, so the second block leaves with the first
/// one still on the link.
#[test]
fn idle_nodes_shake_hands_at_once() {
    for config in [Config::Spn, Config::Dual] {
        let first = sent(config) + CROSSING + GRANTED + CROSSING + BYTES;
        assert_eq!(arrivals(Some(BYTES - 1), config, IDLE), [first, first + BYTES], "{config:?}");
    }
}

/// The receiver takes up requests between its fibers, and is idle again when the blocks arrive.
#[test]
fn a_request_waits_for_the_end_of_the_receivers_fiber_unless_it_has_two_processors() {
    let work = 1000;
    let begins = SENDING + CROSSING + RECEIVING;
    let requested = SENDING + IDLE.before + CROSSING;
    for fibers in [1, 4, 10] {
        let busy = Busy { receiver: work, fibers, ..IDLE };
        let each = work / fibers;
        let taken_up = begins + (requested - begins).div_ceil(each) * each;
        let first = taken_up + GRANTED + CROSSING + BYTES;
        assert_eq!(arrivals(Some(0), Config::Spn, busy), [first, first + BYTES], "{fibers} fibers");
        let idle = arrivals(Some(0), Config::Dual, IDLE);
        assert_eq!(arrivals(Some(0), Config::Dual, busy), idle, "the synchronization unit takes up requests");
    }
}

#[test]
fn a_grant_waits_for_the_end_of_the_senders_fiber_unless_it_has_two_processors() {
    let busy = Busy { after: 20_000, ..IDLE };
    let ends = SENDING + busy.before + busy.after;
    let first = ends + RECEIVING + CROSSING + BYTES;
    assert_eq!(arrivals(Some(0), Config::Spn, busy), [first, first + BYTES]);
    let idle = arrivals(Some(0), Config::Dual, IDLE);
    assert_eq!(arrivals(Some(0), Config::Dual, busy), idle, "the synchronization unit takes up grants");
}

/// Delays reorder requests, grants and blocks of different pairs, and no run loses one or its order.
#[test]
fn faults_lose_no_block() {
    for config in [Config::Spn, Config::Dual] {
        for seed in 0..50 {
            let faults = Faults { delay: 3000, slowness: 3 };
            let mut machine = machine(Some(0), config).faults(faults).seed(seed);
            let run = gives(&mut machine, |out| Source::call(IDLE, out));
            assert!(run.value.is_sorted(), "{:?}", run.value);
        }
    }
}
