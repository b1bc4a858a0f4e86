//! The simulated machine: what things take, that one seed is one run, and that time does not change results.

mod common;

use common::good;
use earth::{
    CellRef, Config, Counters, Error, Faults, Kernel, Machine, NodeId, Profile, Reply, Schedule, SlotRef,
    Then, Work, threaded_old,
};

threaded_old! {
    /// Two frames on two nodes that signal each other in turn, `rounds` times each.
    fn PingPong(rounds: u64, out: Reply<u64>)
    state { left: u64 = 0, other: Option<SlotRef> = None }
    calls { Pong }
    inlets { pong: SlotRef }
    slots { met: 1 => begin, ping: 1, reset 1 => hit }
    fiber start(this, eu) {
        this.left = this.rounds;
        let to = (eu.slot_ref(Self::ping), this.rounds, eu.reply_to(Self::pong, Self::met));
        eu.invoke_old::<Pong>(NodeId::new(1), to);
        Then::Wait
    }
    fiber begin(this, eu) {
        let other = eu.take(Self::pong);
        this.other = Some(other);
        eu.rsync(other);
        Then::Wait
    }
    fiber hit(this, eu) {
        this.left -= 1;
        match this.other {
            Some(other) if this.left > 0 => {
                eu.rsync(other);
                Then::Wait
            }
            _ => {
                eu.put(this.out, this.rounds);
                Then::End
            }
        }
    }
}

threaded_old! {
    fn Pong(other: SlotRef, left: u64, hello: Reply<SlotRef>)
    slots { pong: 1, reset 1 => hit }
    fiber start(this, eu) {
        let own = eu.slot_ref(Self::pong);
        eu.put(this.hello, own);
        Then::Wait
    }
    fiber hit(this, eu) {
        eu.rsync(this.other);
        this.left -= 1;
        if this.left == 0 { Then::End } else { Then::Wait }
    }
}

threaded_old! {
    /// Asks node 1 for a number, `rounds` times, `width` questions at a time.
    fn Asks(rounds: u64, width: usize, out: Reply<u64>)
    state { sum: u64 = 1, from: Option<CellRef<u64>> = None, keeper: Option<SlotRef> = None }
    calls { Keeper }
    inlets { keeper: (CellRef<u64>, SlotRef), answer[this.width]: u64 }
    slots { met: 1 => begin, come: (this.width), reset (this.width) => add }
    fiber start(this, eu) {
        this.sum = 0;
        let to = eu.reply_to(Self::keeper, Self::met);
        eu.invoke_old::<Keeper>(NodeId::new(1), (to,));
        Then::Wait
    }
    fiber begin(this, eu) {
        let (from, keeper) = eu.take(Self::keeper);
        (this.from, this.keeper) = (Some(from), Some(keeper));
        this.ask(eu);
        Then::Wait
    }
    fiber add(this, eu) {
        for i in 0..this.width {
            this.sum += eu.take(Self::answer.at(i));
        }
        this.rounds -= 1;
        if this.rounds > 0 {
            this.ask(eu);
            return Then::Wait;
        }
        if let Some(keeper) = this.keeper {
            eu.rsync(keeper);
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

impl Asks {
    fn ask(&self, eu: &mut earth::Eu) {
        let Some(from) = self.from else { return };
        let replies = eu.replies_to_one(Self::answer, Self::come);
        for i in 0..self.width {
            eu.get(from, replies.at(i));
        }
    }
}

threaded_old! {
    fn Keeper(hello: Reply<(CellRef<u64>, SlotRef)>)
    cells { number: u64 }
    slots { dismissed: 1 => end }
    fiber start(this, eu) {
        let cell = eu.cell_ref(Self::number);
        eu.write(cell, 7);
        let hello = (cell, eu.slot_ref(Self::dismissed));
        eu.put(this.hello, hello);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

fn manna50() -> Profile {
    Profile::named("manna50").expect("it is built in")
}

fn cycles<F: earth::Threaded>(machine: &mut Machine, input: common::Input<F>) -> u64
where
    F::Args: earth::Main,
{
    good::<F>(machine, input).cycles.expect("a simulated machine counts cycles")
}

#[track_caller]
fn about(cycles: f64, expected: f64) {
    assert!((cycles / expected - 1.0).abs() < 0.1, "{cycles} cycles, not about {expected}");
}

/// The checks of the cost model: DUAL, cycles at 50 MHz.
#[test]
fn remote_operations_of_manna_take_what_they_took() {
    let machine = &mut Machine::simulated(&manna50()).config(Config::Dual);
    let mut each = |run: &dyn Fn(&mut Machine, u64) -> u64| {
        let (few, many) = (run(machine, 50), run(machine, 250));
        (many - few) as f64 / 200.0
    };
    // A round is two signals, one after the other.
    about(each(&cycles::<PingPong>) / 2.0, 199.0);
    about(each(&|machine, rounds| cycles::<Asks>(machine, (rounds, 1))), 355.0);
    about(each(&|machine, width| cycles::<Asks>(machine, (1, width as usize))), 95.0);
}

/// By hand: SPN pays 50 to send, 62 on the way, 55 to receive and 26 to run the fiber.
#[test]
fn one_processor_pays_for_both_units() {
    let machine = &mut Machine::simulated(&manna50());
    let round = (cycles::<PingPong>(machine, 110) - cycles::<PingPong>(machine, 10)) / 100;
    assert_eq!(round, 2 * (50 + 62 + 55 + 26));
}

threaded_old! {
    /// The sum of what all nodes send, each after some work of its own.
    fn Gathers(nodes: usize, out: Reply<u64>)
    calls { Works }
    inlets { part[this.nodes]: u64 }
    slots { all: (this.nodes) => add }
    fiber start(this, eu) {
        let to = eu.replies_to_one(Self::part, Self::all);
        for node in 0..this.nodes {
            eu.invoke_old::<Works>(NodeId::new(node), (node as u64 * 1000, to.at(node)));
        }
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = (0..this.nodes).map(|node| eu.take(Self::part.at(node))).sum();
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    fn Works(cycles: u64, out: Reply<u64>)
    fiber start(this, eu) {
        eu.work(Work::Cycles(this.cycles));
        eu.put(this.out, this.cycles);
        Then::End
    }
}

#[test]
fn a_machine_has_up_to_1024_nodes_and_nodes_work_at_once() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&manna50()).nodes(1024).config(config);
        let run = good::<Gathers>(&mut machine, 1024);
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
    let error = Machine::simulated(&manna50()).nodes(1025).run_old::<Gathers>(1).expect_err("too many nodes");
    assert_eq!(error.to_string(), "the machine cannot be built: it has 1 to 1024 nodes, not 1025");
}

#[test]
fn one_seed_is_one_run_and_faults_change_its_time_alone() {
    for config in [Config::Spn, Config::Dual] {
        let run = |seed: Option<u64>| {
            let faults = seed.map_or_else(Faults::default, |_| Faults { delay: 5_000, slowness: 3 });
            let machine = Machine::simulated(&manna50()).nodes(7).config(config).faults(faults);
            let run = good::<Gathers>(&mut machine.seed(seed.unwrap_or(0)), 7);
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
        let first = cycles::<PingPong>(machine, 20);
        assert_eq!([cycles::<PingPong>(machine, 20), cycles::<PingPong>(machine, 20)], [first; 2]);
    }
}

#[test]
fn work_costs_what_the_profile_says() {
    static KNOWN: Kernel = Kernel::new("known", 5.0);
    static UNKNOWN: Kernel = Kernel::new("unknown", 5.0);
    threaded_old! {
        fn Does(out: Reply<u64>)
        fiber start(this, eu) {
            let mut cycles = Vec::new();
            for work in [Work::Cycles(7), Work::Flops(10), Work::Kernel(&KNOWN, 3), Work::Kernel(&UNKNOWN, 2)] {
                let before = eu.now();
                eu.work(work);
                cycles.push((eu.now() - before).as_nanos() as u64 / 20);
            }
            eu.put(this.out, cycles.iter().fold(0, |sum, cycles| 1000 * sum + cycles));
            Then::End
        }
    }
    let mut profile = manna50();
    profile.work.flop = 4.0;
    profile.work.kernels.insert("known".to_owned(), 50.5);
    let run = good::<Does>(&mut Machine::simulated(&profile).nodes(1), ());
    // 3 x 50.5 is rounded; 2 x 5 operations of 4 cycles.
    assert_eq!(run.value, 7_040_152_040);
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
        ("dispatch = 20", "dispatches = 20", "unknown field `dispatches`"),
        ("dispatch = 20", "dispatch = \"twenty\"", "invalid type: string \"twenty\", expected u64"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let refused = Profile::from_toml(&text.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(refused.contains(expected) && !refused.contains('\n'), "{refused}");
    }
}

threaded_old! {
    /// Makes tokens for node 0 alone, which idle nodes take and send back; counts those that ran.
    fn Fenced(count: u64, out: Reply<u64>)
    state  { ran: u64 = 0 }
    calls  { Here }
    inlets { node: u64 }
    slots  { came: 1, reset 1 => note }
    fiber start(this, eu) {
        for _ in 0..this.count {
            let node = eu.reply_to(Self::node, Self::came);
            eu.token_within_old::<Here>(NodeId::new(0)..NodeId::new(1), (node,));
        }
        Then::Wait
    }
    fiber note(this, eu) {
        assert_eq!(eu.take(Self::node), 0);
        this.ran += 1;
        if this.ran < this.count {
            return Then::Wait;
        }
        eu.put(this.out, this.ran);
        Then::End
    }
}

threaded_old! {
    fn Here(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, eu.node().index() as u64);
        Then::End
    }
}

/// Idle nodes of high priority that ask for these tokens again and again keep nobody waiting for ever.
#[test]
fn priorities_do_not_keep_a_run_from_its_end() {
    for seed in 0..20 {
        let schedule = Schedule::Pct { changes: 3, steps: 300 };
        let machine = Machine::stepper(seed).schedule(schedule).nodes(3).config(Config::Dual);
        assert_eq!(good::<Fenced>(&mut { machine }, 40).value, 40, "seed {seed}");
    }
}

threaded_old! {
    /// Enables its own fiber for ever.
    fn Spins(out: Reply<u64>)
    slots { never: 1 => end }
    fiber start(_this, eu) { eu.spawn(Self::start); Then::Wait }
    fiber end(this, eu) {
        eu.put(this.out, 0);
        Then::End
    }
}

#[test]
fn a_run_that_never_ends_ends_at_its_limit() {
    for config in [Config::Spn, Config::Dual] {
        for machine in [Machine::simulated(&manna50()), Machine::stepper(3)] {
            let mut machine = machine.config(config).step_limit(5_000);
            assert_eq!(common::bad::<Spins>(&mut machine, ()), Error::TooManySteps { limit: 5_000 });
            // What a run takes to the last step is within the limit.
            let enough = (1..500).find(|&limit| {
                let mut machine = Machine::simulated(&manna50()).config(config).step_limit(limit);
                machine.run_old::<PingPong>(3).is_ok()
            });
            assert!(enough.is_some_and(|steps| (20..200).contains(&steps)), "{enough:?}");
        }
    }
    let error = Machine::stepper(1).step_limit(10).run_old::<Spins>(()).expect_err("it never ends");
    assert_eq!(error.to_string(), "the run did not end within 10 steps of the simulated machine");
}
