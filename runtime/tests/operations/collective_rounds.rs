//! Collectives of many rounds, barrier and all-to-all: no member is early, no value is parked, and each has
//! its expected cost.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::common::{fails, gives, on_every};
use earth::collective::{Barrier, ExchangeInlets, Group, Peers, Seat, Seats, all_to_all, everywhere};
use earth::{Arrived, Block, Config, Error, Eu, Machine, NodeId, Reply, Run, Then, Wire, threaded};

/// `members` members in step; member `i` takes part in `rounds + i` rounds. If `eager`, the last member
/// arrives twice in the first round.
struct March {
    members: u64,
    rounds: u64,
    eager: bool,
    out: Reply<u64>,
}

#[threaded]
impl March {
    fn start(members: u64, rounds: u64, eager: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (last, seats) = (NodeId::new(eu.nodes() - 1), eu.reply(Self::begin().seats));
        eu.invoke(last, Barrier::call(members as usize, seats));
        March { members, rounds, eager, out }
    }

    #[slot]
    fn begin(&mut self, seats: Seats, eu: &mut Eu<Self>) {
        let March { members, rounds, eager, .. } = *self;
        let given = (0..members).map(|member| {
            let twice = eager && member + 1 == members;
            Orders { members, rounds: rounds + member, eager, twice, seat: seats.at(member as usize) }
        });
        let (group, marched) = (Group::all(eu), eu.reply(Self::done().marched));
        everywhere::<Marcher>(eu, group, given, marched);
    }

    #[slot]
    fn done(self, marched: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, marched.iter().sum());
    }
}

/// Number of members that arrived at the barrier of each round of the running program.
static ARRIVED: [AtomicU64; 128] = [const { AtomicU64::new(0) }; 128];

/// Runs the program, one at a time.
fn march(machine: &mut Machine, members: u64, rounds: u64, eager: bool) -> Result<Run<u64>, Error> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock();
    for arrived in &ARRIVED {
        arrived.store(0, Relaxed);
    }
    machine.run(|out| March::call(members, rounds, eager, out))
}

#[derive(Wire)]
struct Orders {
    members: u64,
    rounds: u64,
    /// Whether a member arrives twice, and whether this member does.
    eager: bool,
    twice: bool,
    seat: Seat,
}

struct Marcher {
    orders: Orders,
    steps: u64,
    out: Reply<u64>,
}

#[threaded]
impl Marcher {
    fn start(orders: Orders, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        ARRIVED[0].fetch_add(1, Relaxed);
        for _ in 0..=u32::from(orders.twice) {
            eu.put(orders.seat, Some(eu.slot_ref(Self::step())));
        }
        Marcher { orders, steps: 0, out }
    }

    #[slot(sync, again)]
    fn step(&mut self, eu: &mut Eu<Self>) -> Then {
        let (round, orders) = (self.steps as usize, &self.orders);
        if round == 0 || !orders.eager {
            // A member that has left counts as arrived.
            assert_eq!(ARRIVED[round].load(Relaxed), orders.members, "let go before all had arrived");
        }
        self.steps += 1;
        let last = if self.steps < orders.rounds { round + 1 } else { ARRIVED.len() - 1 };
        for arrived in &ARRIVED[round + 1..=last] {
            arrived.fetch_add(1, Relaxed);
        }
        if self.steps < orders.rounds {
            eu.put(orders.seat, Some(eu.slot_ref(Self::step())));
            return Then::Wait;
        }
        eu.put(orders.seat, None);
        eu.put(self.out, self.steps);
        Then::End
    }
}

#[test]
fn a_barrier_opens_for_all_who_have_not_left() {
    on_every(|case| {
        for (members, rounds) in [(0, 1), (1, 1), (3, 4), (13, 5)] {
            let run = march(&mut case.machine(), members, rounds, false).unwrap();
            let arrivals = members * rounds + (0..members).sum::<u64>();
            assert_eq!(run.value, arrivals);
            // The barrier's start, and one round more than the last member's steps, in which that member
            // leaves.
            let opened = if members == 0 { 1 } else { 1 + rounds + members };
            let told = u64::from(members > 0);
            assert_eq!(run.counters.fibers, 3 + opened + 1 + told + members + arrivals);
            // The usual count of `everywhere`, then the barrier's seats, and the value of the run.
            let everywhere = members + 1;
            // Each arrival and its answer, each leave, and the barrier's signals for the members that left
            // earlier.
            let absent = (0..members).sum::<u64>();
            let signals = everywhere + 2 + 2 * arrivals + members + absent;
            assert_eq!(run.counters.signals, signals);
            assert_eq!(run.counters.parked, 0);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        let run = march(&mut Machine::threads(64).config(config), 64, 10, false).unwrap();
        assert_eq!(run.value, 640 + (0..64).sum::<u64>());
    }
}

#[test]
fn a_member_that_arrives_twice_does_not_count_for_another() {
    on_every(|case| {
        // Member 2 stays longest, so no round is left for its second arrival.
        let error = march(&mut case.machine(), 3, 2, true).expect_err("an arrival too many");
        assert!(matches!(error, Error::StaleAddress { .. } | Error::EndedTooEarly { .. }), "{error}");
    });
}

/// `members` members send each other blocks of `who * 100 + to + round`, for `rounds` rounds. Each member
/// puts the sum of its received blocks.
struct Trade {
    rounds: u32,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Trade {
    fn start(members: usize, rounds: u32, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (group, sums) = (Group::all(eu), eu.replies(Self::done().sums));
        let meets = eu.reply(Self::introduce().meets);
        let given = (0..members).map(|member| (member as u64, rounds, sums.at(member)));
        everywhere::<Trader>(eu, group, given, meets);
        Trade { rounds, out }
    }

    #[slot]
    fn introduce(&mut self, meets: Vec<ExchangeInlets<Block<u64>>>, eu: &mut Eu<Self>) {
        all_to_all(eu, self.rounds, meets);
    }

    #[slot]
    fn done(self, #[inlets(members)] sums: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.collect());
    }
}

struct Trader {
    member: u64,
    rounds: u64,
    peers: Option<Peers<Block<u64>>>,
    round: u64,
    total: u64,
    sum: Reply<u64>,
}

#[threaded]
impl Trader {
    fn start(
        member: u64,
        rounds: u32,
        sum: Reply<u64>,
        hello: Reply<ExchangeInlets<Block<u64>>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let meet =
            ExchangeInlets { peers: eu.reply(Self::begin().peers), values: eu.reply(Self::add().blocks) };
        eu.put(hello, meet);
        Trader { member, rounds: u64::from(rounds), peers: None, round: 0, total: 0, sum }
    }

    #[slot]
    fn begin(&mut self, peers: Peers<Block<u64>>, eu: &mut Eu<Self>) {
        self.peers = Some(peers);
        self.send(eu);
    }

    #[slot(again)]
    fn add(&mut self, blocks: Vec<Block<u64>>, eu: &mut Eu<Self>) -> Then {
        for (from, block) in (0..).zip(&blocks) {
            assert_eq!(block.row(0), [from * 100 + self.member + self.round; 3], "round {}", self.round);
            self.total += block.row(0)[0];
        }
        self.round += 1;
        if self.round < self.rounds {
            self.send(eu);
            return Then::Wait;
        }
        eu.put(self.sum, self.total);
        Then::End
    }
}

impl Trader {
    fn send(&mut self, eu: &mut Eu<Self>) {
        let (member, round) = (self.member, self.round);
        let Some(peers) = &mut self.peers else { unreachable!("introduced before") };
        let values = 0..peers.members() as u64;
        peers.send(eu, values.map(|to| Block::from_fn(1, 3, |_, _| member * 100 + to + round)));
    }
}

#[test]
fn everybody_gets_a_block_of_everybody_in_order() {
    let trade = |machine: &mut Machine, nodes: usize, members: u64, rounds: u32| {
        let run = gives(machine, |out| Trade::call(members as usize, rounds, out));
        let sum = |to: u64| {
            (0..u64::from(rounds))
                .map(|r| (0..members).map(|from| from * 100 + to + r).sum::<u64>())
                .sum::<u64>()
        };
        assert_eq!(run.value, (0..members).map(sum).collect::<Vec<_>>());
        let (m, r) = (members, u64::from(rounds));
        assert_eq!(run.counters.invokes, 1 + m + 1 + m);
        // The replies to `everywhere`; inlets and peers; a round's blocks, and passing them to the member;
        // sums.
        assert_eq!(run.counters.signals, (m + 1) + 2 * m + r * (m * m + m) + m + 1);
        assert_eq!(run.counters.frames, 1 + 1 + m + 1 + m);
        // The way to the exchange, and the way from it.
        assert_eq!(run.counters.bytes_moved, 2 * 24 * r * m * m);
        // A value may come one round early, in each round except the first.
        assert!(run.counters.parked <= r.saturating_sub(1) * m * m && run.counters.parked_high <= m * m);
        if m <= nodes as u64 {
            // Start, hello, exchange, inlets, peers and sum of each member except the first.
            assert_eq!(run.counters.events_sent, 6 * (m - 1) + r * m * (m - 1));
        }
    };
    on_every(|case| {
        for (members, rounds) in [(1, 3), (2, 1), (3, 5), (8, 2)] {
            trade(&mut case.machine(), case.nodes, members, rounds);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        trade(&mut Machine::threads(64).config(config), 64, 64, 3);
    }
}

/// Two members of an exchange of one round. The first sends `values` values. Then both send two in each of
/// `rounds` rounds. Puts the sum of all received values.
struct Pair {
    values: u64,
    rounds: u64,
    out: Reply<u64>,
}

#[threaded]
impl Pair {
    fn start(values: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let first =
            ExchangeInlets { peers: eu.reply(Self::send().first), values: eu.reply(Self::answer().got) };
        let second =
            ExchangeInlets { peers: eu.reply(Self::send().second), values: eu.reply(Self::answer().theirs) };
        all_to_all(eu, 1, vec![first, second]);
        Pair { values, rounds, out }
    }

    #[slot]
    fn send(&mut self, mut first: Peers<u64>, mut second: Peers<u64>, eu: &mut Eu<Self>) {
        first.send(eu, 0..self.values);
        for round in 0..self.rounds {
            second.send(eu, 0..2);
            if round > 0 {
                first.send(eu, 0..2);
            }
        }
    }

    #[slot]
    fn answer(self, got: Vec<u64>, theirs: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, got.iter().chain(&theirs).sum());
    }
}

#[test]
fn a_round_with_other_values_than_members_is_refused() {
    on_every(|case| {
        for values in [0, 1, 3] {
            let error = fails(&mut case.machine(), |out| Pair::call(values, 0, out));
            let Error::Panicked { at, message } = error else { panic!("{error}") };
            assert_eq!(
                (at.fiber.as_str(), message.as_str()),
                ("send", "a round needs one value for each of the 2 members")
            );
        }
    });
}

#[test]
fn a_member_that_sends_no_signal_is_detected() {
    on_every(|case| {
        let error = fails(&mut case.machine(), |out| Pair::call(2, 0, out));
        let Error::Stuck(stuck) = error else { panic!("{error}") };
        let full = earth::StuckSlot { slot: "hand_over".to_owned(), got: 1, expected: 2 };
        let waiting = |frame: &earth::StuckFrame| frame.waiting.contains(&full);
        assert_eq!(stuck.shown.iter().filter(|frame| waiting(frame)).count(), 2, "{stuck}");
    });
}

#[test]
fn a_round_that_was_not_agreed_on_is_found_out() {
    on_every(|case| {
        // Each member sends a 0 to the first and a 1 to the second.
        assert_eq!(gives(&mut case.machine(), |out| Pair::call(2, 1, out)).value, 2);
        let error = fails(&mut case.machine(), |out| Pair::call(2, 2, out));
        assert!(matches!(error, Error::StaleAddress { .. } | Error::EndedTooEarly { .. }), "{error}");
    });
}
