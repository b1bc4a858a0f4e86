//! The simulated machine: costs of operations, equal runs for equal seeds, and results that do not depend on
//! time.

use crate::common::{fails, gives};
use earth::simulated::{Faults, Kernel, Profile, Schedule};
use earth::{
    Arrived, Block, Call, CellRef, Config, Counters, Error, Eu, Machine, NodeId, Reply, SlotRef, Then,
    Threaded, Work, threaded,
};
use snapbox::{assert_data_eq, str};

/// Two frames on two nodes that signal each other in turn, `rounds` times each.
struct PingPong {
    rounds: u64,
    left: u64,
    other: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl PingPong {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let pong = Pong::call(eu.slot_ref(Self::hit()), rounds, eu.reply(Self::begin().other));
        eu.invoke(NodeId::new(1), pong);
        PingPong { rounds, left: rounds, other: None, out }
    }

    #[slot]
    fn begin(&mut self, other: SlotRef, eu: &mut Eu<Self>) {
        self.other = Some(other);
        eu.rsync(other);
    }

    #[slot(sync, again)]
    fn hit(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left == 0 {
            eu.put(self.out, self.rounds);
            return Then::End;
        }
        self.other.into_iter().for_each(|other| eu.rsync(other));
        Then::Wait
    }
}

struct Pong {
    other: SlotRef,
    left: u64,
}

#[threaded]
impl Pong {
    fn start(other: SlotRef, left: u64, hello: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(hello, eu.slot_ref(Self::hit()));
        Pong { other, left }
    }

    #[slot(sync, again)]
    fn hit(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.rsync(self.other);
        self.left -= 1;
        if self.left == 0 { Then::End } else { Then::Wait }
    }
}

/// Requests a number from node 1, `rounds` times, with `width` requests at a time.
struct Asks {
    rounds: u64,
    width: usize,
    sum: u64,
    keeper: Option<(CellRef<u64>, SlotRef)>,
    out: Reply<u64>,
}

#[threaded]
impl Asks {
    fn start(rounds: u64, width: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Keeper::call(eu.reply(Self::begin().keeper)));
        Asks { rounds, width, sum: 0, keeper: None, out }
    }

    #[slot]
    fn begin(&mut self, keeper: (CellRef<u64>, SlotRef), eu: &mut Eu<Self>) {
        self.keeper = Some(keeper);
        self.ask(eu);
    }

    #[slot(again)]
    fn add(&mut self, #[inlets(width)] answers: Arrived<'_, u64>, eu: &mut Eu<Self>) -> Then {
        self.sum += answers.sum::<u64>();
        self.rounds -= 1;
        if self.rounds > 0 {
            self.ask(eu);
            return Then::Wait;
        }
        if let Some((_, dismissed)) = self.keeper {
            eu.rsync(dismissed);
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

impl Asks {
    fn ask(&self, eu: &mut Eu<Self>) {
        let Some((from, _)) = self.keeper else { return };
        (0..self.width).for_each(|i| eu.get(from, eu.reply(Self::add().answers.at(i))));
    }
}

struct Keeper;

#[threaded]
impl Keeper {
    fn start(hello: Reply<(CellRef<u64>, SlotRef)>, eu: &mut Eu<Self>) -> Self {
        let cell = eu.cell_ref(Self::number());
        eu.write(cell, 7);
        eu.put(hello, (cell, eu.slot_ref(Self::end())));
        Keeper
    }

    #[cell]
    fn number() -> u64;

    #[slot(sync)]
    fn end(self) {}
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

fn cycles<F: Threaded>(machine: &mut Machine, main: impl FnOnce(Reply<u64>) -> Call<F>) -> u64 {
    gives(machine, main).cycles.expect("a simulated machine counts cycles")
}

fn ping_pong(machine: &mut Machine, rounds: u64) -> u64 {
    cycles(machine, |out| PingPong::call(rounds, out))
}

fn asks(machine: &mut Machine, rounds: u64, width: u64) -> u64 {
    cycles(machine, |out| Asks::call(rounds, width as usize, out))
}

#[track_caller]
fn about(cycles: f64, expected: f64) {
    assert!((cycles / expected - 1.0).abs() < 0.1, "{cycles} cycles, not about {expected}");
}

/// Checks of the cost model: DUAL, cycles at 50 MHz.
#[test]
fn remote_operations_of_manna_take_what_they_took() {
    let machine = &mut Machine::simulated(&manna50()).config(Config::Dual);
    let mut each = |run: &dyn Fn(&mut Machine, u64) -> u64| {
        let (few, many) = (run(machine, 50), run(machine, 250));
        (many - few) as f64 / 200.0
    };
    // A round is two signals, one after the other.
    about(each(&ping_pong) / 2.0, 199.0);
    about(each(&|machine, rounds| asks(machine, rounds, 1)), 355.0);
    about(each(&|machine, width| asks(machine, 1, width)), 95.0);
}

/// Expected by hand: SPN pays 50 to send, 62 on the way, 55 to receive and 26 to run the fiber.
#[test]
fn one_processor_pays_for_both_units() {
    let machine = &mut Machine::simulated(&manna50());
    let round = (ping_pong(machine, 110) - ping_pong(machine, 10)) / 100;
    assert_eq!(round, 2 * (50 + 62 + 55 + 26));
}

/// Puts the sum of the values of all nodes, each sent after some work.
struct Gathers {
    out: Reply<u64>,
}

#[threaded]
impl Gathers {
    fn start(nodes: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let parts = eu.replies(Self::add().parts);
        for node in 0..nodes {
            eu.invoke(NodeId::new(node), Works::call(node as u64 * 1000, parts.at(node)));
        }
        Gathers { out }
    }

    #[slot]
    fn add(self, #[inlets(nodes)] parts: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, parts.sum());
    }
}

struct Works;

#[threaded]
impl Works {
    fn start(cycles: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(cycles));
        eu.put(out, cycles);
    }
}

#[test]
fn a_machine_has_up_to_1024_nodes_and_nodes_work_at_once() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&manna50()).nodes(1024).config(config);
        let run = gives(&mut machine, |out| Gathers::call(1024, out));
        let (longest, all) = (1023 * 1000, (0..1024).map(|node| node * 1000).sum::<u64>());
        assert_eq!(run.value, all);
        let cycles = run.cycles.expect("a simulated machine counts cycles");
        assert!((longest..longest + 200_000).contains(&cycles), "{cycles} cycles, {config}");
        assert!(run.counters.eu_busy.as_nanos() as u64 / 20 >= all);
        let units = if config == Config::Spn { 1 } else { 2 };
        let Counters { eu_busy, eu_idle, su_busy, su_idle, .. } = run.counters;
        let sum = eu_busy + eu_idle + su_busy + su_idle;
        assert_eq!(
            sum.as_nanos() as u64,
            units * 1024 * 20 * cycles,
            "every unit is busy or idle at any time"
        );
    }
    let mut machine = Machine::simulated(&manna50()).nodes(1025);
    let error = machine.run(|out| Gathers::call(1, out)).expect_err("too many nodes");
    assert_data_eq!(
        error.to_string(),
        str!["the machine cannot be built: a machine has 1 to 1024 nodes, not 1025"]
    );
}

#[test]
fn one_seed_is_one_run_and_faults_change_its_time_alone() {
    for config in [Config::Spn, Config::Dual] {
        let run = |seed: Option<u64>| {
            let faults = seed.map_or_else(Faults::default, |_| Faults { delay: 5_000, slowness: 3 });
            let machine = Machine::simulated(&manna50()).nodes(7).config(config).faults(faults);
            let run = gives(&mut machine.seed(seed.unwrap_or(0)), |out| Gathers::call(7, out));
            (run.value, run.counters, run.cycles)
        };
        let (value, counters, cycles) = run(None);
        assert_eq!(run(None), (value, counters, cycles));
        let mut times = vec![cycles];
        for seed in 0..5 {
            let (of_seed, of_counters, of_cycles) = run(Some(seed));
            assert_eq!(run(Some(seed)), (of_seed, of_counters, of_cycles), "seed {seed} twice");
            assert_eq!(
                (of_seed, of_counters.signals, of_counters.fibers),
                (value, counters.signals, counters.fibers)
            );
            times.push(of_cycles);
        }
        times.sort_unstable();
        times.dedup();
        assert!(times.len() > 3, "{times:?}: seeds differ");
    }
}

#[test]
fn a_second_run_of_a_machine_is_like_the_first() {
    for config in [Config::Spn, Config::Dual] {
        let machine = &mut Machine::simulated(&manna50()).nodes(3).config(config);
        let first = ping_pong(machine, 20);
        assert_eq!([ping_pong(machine, 20), ping_pong(machine, 20)], [first; 2]);
    }
}

#[test]
fn work_costs_the_profile_s_figure() {
    static KNOWN: Kernel = Kernel::new("known", 5.0);
    static UNKNOWN: Kernel = Kernel::new("unknown", 5.0);
    struct Does;

    #[threaded]
    impl Does {
        fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
            let mut cycles = Vec::new();
            for work in [Work::Cycles(7), Work::Flops(10), Work::Kernel(&KNOWN, 3), Work::Kernel(&UNKNOWN, 2)]
            {
                let before = eu.now().as_nanos();
                eu.work(work);
                cycles.push((eu.now().as_nanos() - before) as u64 / 20);
            }
            eu.put(out, cycles.iter().fold(0, |sum, cycles| 1000 * sum + cycles));
        }
    }
    let mut profile = manna50();
    profile.work.flop = 4.0;
    profile.work.kernels.insert("known".to_owned(), 50.5);
    let run = gives(&mut Machine::simulated(&profile).nodes(1), Does::call);
    // 3 x 50.5 is rounded; 2 x 5 operations of 4 cycles.
    assert_eq!(run.value, 7_040_152_040);
}

/// Sends node 1 a block of 4096 bytes, and gets an answer.
struct Hands;

#[threaded]
impl Hands {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let block = Block::<f64>::zeroed(1, 512);
        eu.invoke(NodeId::new(1), Holds::call(block, out));
    }
}

struct Holds;

#[threaded]
impl Holds {
    fn start(block: Block<f64>, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, block.len() as u64);
    }
}

#[test]
fn units_without_coherent_caches_write_back_what_they_hand_each_other() {
    for (config, more) in [(Config::Spn, 0), (Config::Dual, 2 * 4 * 128)] {
        let of = |flush| {
            let mut profile = manna50();
            (profile.spn.flush, profile.dual.flush) = (flush, flush);
            cycles(&mut Machine::simulated(&profile).nodes(2).config(config), Hands::call)
        };
        assert_eq!(of(128) - of(0), more, "{config}");
    }
}

#[test]
fn built_in_profiles_are_files_and_bad_files_are_refused_in_a_sentence() {
    for name in Profile::names() {
        let profile = Profile::named(name).expect("it is built in");
        assert_eq!((profile.name.as_str(), profile.check()), (name, Ok(())));
        assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile));
    }
    assert_eq!(Profile::named("manna51"), None);
    assert!(manna50().is_published("network.byte") && !manna50().is_published("spn.dispatch"));
    let text = manna50().to_toml();
    for (from, to, expected) in [
        ("clock_mhz = 50.0", "clock_mhz = 0.0", "clock_mhz is above 0 and at most a million, in megahertz"),
        ("flop = 54.7", "flop = -1.0", "work.flop is 0 to a thousand million cycles, not -1"),
        ("flop = 54.7", "flop = nan", "work.flop is 0 to a thousand million cycles, not NaN"),
        ("dispatch = 20", "dispatch = 2000000000", "a cost in [spn] is above a thousand million cycles"),
        (
            "ports = 16",
            "ports = 2",
            "network.ports is at least 4, and network.smallest at most a million bytes",
        ),
        ("ports = 16", "torus.sides = [0]", "network.torus.sides are up to 6, each of 1 to 32768 nodes"),
        ("ports = 16", "torus.packet = 250", "network.torus.packet is a multiple of chunk"),
        ("ports = 16", "torus.header = 256", "and header is less than packet"),
        ("ports = 16", "torus.buffers = 1", "network.torus.buffers are 2 or more packets"),
        ("ports = 16", "torus.channels = 0", "network.torus.channels are 1 or more"),
        ("ports = 16", "torus.entries = 60", "a router has at most 64 queues"),
        ("ports = 16", "torus.side = [2]", "unknown field `side`"),
        ("dispatch = 20", "dispatches = 20", "unknown field `dispatches`"),
        ("dispatch = 20", "dispatch = \"twenty\"", "invalid type: string \"twenty\", expected u64"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let refused = Profile::from_toml(&text.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(refused.contains(expected) && !refused.contains('\n'), "{refused}");
    }
}

/// Makes tokens for node 0 only, which idle nodes take and send back. Counts the tokens that ran.
struct Fenced {
    count: u64,
    ran: u64,
    out: Reply<u64>,
}

#[threaded]
impl Fenced {
    fn start(count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..count {
            eu.token_within(NodeId::new(0)..NodeId::new(1), Here::call(eu.reply(Self::note().node)));
        }
        Fenced { count, ran: 0, out }
    }

    #[slot(again)]
    fn note(&mut self, node: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(node, 0);
        self.ran += 1;
        if self.ran < self.count {
            return Then::Wait;
        }
        eu.put(self.out, self.ran);
        Then::End
    }
}

struct Here;

#[threaded]
impl Here {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, eu.node().index() as u64);
    }
}

/// Idle nodes of high priority that request these tokens repeatedly do not block the others forever.
#[test]
fn priorities_do_not_keep_a_run_from_its_end() {
    for seed in 0..20 {
        let schedule = Schedule::Pct { changes: 3, steps: 300 };
        let machine = Machine::stepper(seed).schedule(schedule).nodes(3).config(Config::Dual);
        assert_eq!(gives(&mut { machine }, |out| Fenced::call(40, out)).value, 40, "seed {seed}");
    }
}

/// Has a fiber that enables itself forever.
struct Spins;

#[threaded]
impl Spins {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(out, 0);
        eu.spawn(Self::spin());
        Spins
    }

    #[spawned]
    fn spin(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.spawn(Self::spin());
        Then::Wait
    }
}

#[test]
fn a_run_that_never_ends_ends_at_its_limit() {
    for config in [Config::Spn, Config::Dual] {
        for machine in [Machine::simulated(&manna50()), Machine::stepper(3)] {
            let mut machine = machine.config(config).step_limit(5_000);
            assert_eq!(fails(&mut machine, Spins::call), Error::TooManySteps { limit: 5_000 });
            // The smallest limit that is enough for a run.
            let enough = (1..500).find(|&limit| {
                let mut machine = Machine::simulated(&manna50()).config(config).step_limit(limit);
                machine.run(|out| PingPong::call(3, out)).is_ok()
            });
            assert!(enough.is_some_and(|steps| (20..200).contains(&steps)), "{enough:?}");
        }
    }
    let error = Machine::stepper(1).step_limit(10).run(Spins::call).expect_err("it never ends");
    assert_data_eq!(error.to_string(), str!["the run did not end within 10 steps of the simulated machine"]);
}

/// Enables its fiber by a signal a number of times.
struct Repeats {
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Repeats {
    fn start(times: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::again());
        Repeats { left: times, out }
    }

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            eu.sync(Self::again());
            return Then::Wait;
        }
        eu.put(self.out, 0);
        Then::End
    }
}

/// In DUAL a signal goes to the synchronization unit, and the fiber that it enables comes back.
#[test]
fn a_hand_over_takes_its_time_each_way_and_only_in_dual() {
    let cycles = |config, hand_over, times| {
        let mut profile = Profile::named("manna50").expect("it is built in");
        (profile.spn.hand_over, profile.dual.hand_over) = (hand_over, hand_over);
        let run = Machine::simulated(&profile).config(config).run(|out| Repeats::call(times, out));
        run.expect("it ends").cycles.expect("it is simulated")
    };
    for (config, ways) in [(Config::Spn, 0), (Config::Dual, 2)] {
        let more = |hand_over| cycles(config, hand_over, 20) - cycles(config, hand_over, 10);
        assert_eq!(more(100) - more(0), 10 * ways * 100, "{config}");
    }
}
