//! Networks of simulated machines.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use earth::policy::{Arrival, Departure, Network, Policies};
use earth::simulated::{NetworkKind, Profile};
use earth::{Block, Config, Eu, Machine, NodeId, Reply, Then, threaded};

use crate::common::gives;
use earth_programs::fib::Fib;

/// Messages that a network carried: sender, receiver, bytes, departure and arrival.
type Log = Arc<Mutex<Vec<(usize, usize, u64, u64, u64)>>>;

/// A bus, which carries one message at a time: 10 cycles, and one for each byte of blocks.
struct Bus {
    free: u64,
    log: Log,
}

impl Network for Bus {
    fn send(&mut self, Departure { from, to, bytes, at, .. }: Departure) -> Option<u64> {
        self.free = self.free.max(at) + 10 + bytes;
        self.log.lock().expect("no holder panics").push((from, to, bytes, at, self.free));
        Some(self.free)
    }
}

/// Requests from every other node the time at which the request arrived and a block of its number times 8
/// bytes. Puts the times, each with the time at which the answer arrived.
struct Requests {
    times: Vec<(u64, u64)>,
    out: Reply<Vec<(u64, u64)>>,
}

#[threaded]
impl Requests {
    fn start(out: Reply<Vec<(u64, u64)>>, eu: &mut Eu<Self>) -> Self {
        for node in 1..eu.nodes() {
            eu.invoke(NodeId::new(node), Answers::call(eu.reply(Self::hear().answer)));
        }
        Requests { times: Vec::new(), out }
    }

    #[slot(again)]
    fn hear(&mut self, answer: (u64, Block<u64>), eu: &mut Eu<Self>) -> Then {
        self.times.push((answer.0, cycles(eu)));
        if self.times.len() + 1 < eu.nodes() {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.times));
        Then::End
    }
}

struct Answers;

#[threaded]
impl Answers {
    fn start(out: Reply<(u64, Block<u64>)>, eu: &mut Eu<Self>) {
        let block = Block::zeroed(1, eu.node().index());
        eu.put(out, (cycles(eu), block));
    }
}

/// Returns the virtual time on a machine of one cycle a microsecond.
fn cycles<F>(eu: &Eu<F>) -> u64 {
    eu.now().as_micros() as u64
}

/// On a machine whose operations take no time, the three requests leave at 0 and occupy the bus until 10, 20
/// and 30. The answer of node 1 has 8 bytes and waits for the bus from 10 to 30. It occupies the bus until
/// 48. The answer of node 2 has 16 bytes and occupies it until 74. The answer of node 3 has 24 bytes and
/// occupies it until 108.
#[test]
fn messages_on_a_bus_arrive_when_it_has_carried_them() {
    for config in [Config::Spn, Config::Dual] {
        let log = Log::default();
        let kept = Arc::clone(&log);
        let policies = Policies::new().network("bus", move |_| Bus { free: 0, log: Arc::clone(&kept) });
        let mut machine = Machine::simulated(&Profile::free()).nodes(4).config(config).policies(policies);
        for _ in 0..2 {
            let run = gives(&mut machine, Requests::call);
            assert_eq!(run.value, [(10, 48), (20, 74), (30, 108)], "{config}");
            assert_eq!(run.cycles, Some(108));
            let carried = std::mem::take(&mut *log.lock().expect("no holder panics"));
            let requests = [(0, 1, 0, 0, 10), (0, 2, 0, 0, 20), (0, 3, 0, 0, 30)];
            let answers = [(1, 0, 8, 10, 48), (2, 0, 16, 20, 74), (3, 0, 24, 30, 108)];
            assert_eq!(carried, [requests, answers].concat());
        }
    }
}

/// The bus as a queue of messages: it reports each arrival by an event.
#[derive(Default)]
struct QueuedBus {
    waiting: VecDeque<Departure>,
    /// End of the message at the front.
    until: u64,
    free: u64,
}

impl QueuedBus {
    fn begin(&mut self) {
        if let Some(Departure { bytes, at, .. }) = self.waiting.front() {
            self.until = self.free.max(*at) + 10 + bytes;
        }
    }
}

impl Network for QueuedBus {
    fn send(&mut self, departure: Departure) -> Option<u64> {
        self.waiting.push_back(departure);
        if self.waiting.len() == 1 {
            self.begin();
        }
        None
    }

    fn next(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.until }
    }

    fn step(&mut self, arrived: &mut Vec<Arrival>) {
        let Departure { number, .. } = self.waiting.pop_front().expect("a message is under way");
        arrived.push(Arrival { number, at: self.until });
        self.free = self.until;
        self.begin();
    }
}

fn outcomes(
    config: Config,
    profile: &Profile,
    policies: &Policies,
) -> Vec<(u64, Vec<earth::Counters>, Option<u64>)> {
    let runs = [3, 8].into_iter().map(|nodes| {
        let machine = Machine::simulated(profile).nodes(nodes).config(config);
        let run = gives(&mut machine.policies(policies.clone()), |out| Fib::call(13, out));
        (run.value, run.by_node, run.cycles)
    });
    runs.collect()
}

/// Two models of one bus: one tells each arrival at the departure, the other by an event. In DUAL a
/// synchronization unit looks ahead at arrivals that are known, so only runs without tokens are equal there.
#[test]
fn a_bus_of_events_gives_the_same_times() {
    let profile = Profile::named("manna50").expect("it is built in");
    let at_once = Policies::new().network("bus", |_| Bus { free: 0, log: Log::default() });
    let by_events = Policies::new().network("queued", |_| QueuedBus::default());
    let trees = [&at_once, &by_events].map(|policies| outcomes(Config::Spn, &profile, policies));
    assert_eq!(trees[0], trees[1]);
    for config in [Config::Spn, Config::Dual] {
        let times = [&at_once, &by_events].map(|policies| {
            let machine = Machine::simulated(&profile).nodes(8).config(config);
            let mut machine = machine.policies(policies.clone());
            let run = gives(&mut machine, Requests::call);
            (run.value, run.by_node, run.cycles)
        });
        assert_eq!(times[0], times[1], "{config}");
    }
}

/// The built-in network without contention, written again. Only the bytes of `manna50` take parts of
/// cycles.
struct Ideal {
    fixed: f64,
    byte: f64,
    smallest: u64,
}

impl Network for Ideal {
    fn send(&mut self, departure: Departure) -> Option<u64> {
        let bytes = (self.smallest + departure.bytes) as f64;
        Some(departure.at + (self.fixed + self.byte * bytes + 0.5).floor() as u64)
    }
}

#[test]
fn a_built_in_network_written_again_gives_the_same_runs() {
    let mut profile = Profile::named("manna50").expect("it is built in");
    profile.network.kind = NetworkKind::Ideal;
    let network = profile.network.clone();
    let ideal = Policies::new().network("ideal", move |_| Ideal {
        fixed: network.interface + network.hop,
        byte: network.byte,
        smallest: network.smallest,
    });
    // The times matter: on a network of no time the runs differ.
    let none = Policies::new().network("none", |_| Ideal { fixed: 0.0, byte: 0.0, smallest: 0 });
    for config in [Config::Spn, Config::Dual] {
        let built_in = outcomes(config, &profile, &Policies::new());
        assert_eq!(outcomes(config, &profile, &ideal), built_in);
        assert_ne!(outcomes(config, &profile, &none), built_in);
    }
}

/// Lets every second message take very long.
struct Uneven(u64);

impl Network for Uneven {
    fn send(&mut self, departure: Departure) -> Option<u64> {
        self.0 += 1;
        Some(departure.at + self.0 % 2 * 100_000)
    }
}

/// Sends numbers to a node, which checks their order.
struct Sends {
    expected: u64,
    out: Reply<u64>,
}

#[threaded]
impl Sends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Counts::call(eu.reply(Self::hear().number)));
        Sends { expected: 0, out }
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(number, self.expected, "numbers arrive in the order in which they were sent");
        self.expected += 1;
        if self.expected < 20 {
            return Then::Wait;
        }
        eu.put(self.out, number);
        Then::End
    }
}

struct Counts;

#[threaded]
impl Counts {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
        (0..20).for_each(|number| eu.put(to, number));
    }
}

#[test]
fn no_network_reorders_what_one_node_sends_to_another() {
    for config in [Config::Spn, Config::Dual] {
        let policies = Policies::new().network("uneven", |_| Uneven(0));
        let profile = Profile::named("manna50").expect("it is built in");
        let mut machine = Machine::simulated(&profile).config(config).policies(policies);
        assert_eq!(gives(&mut machine, Sends::call).value, 19);
    }
}
