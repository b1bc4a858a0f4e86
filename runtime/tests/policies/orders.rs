//! Orders of fibers and of tokens.

#[allow(dead_code, reason = "other test binaries use the rest")]
#[path = "../operations/endless.rs"]
mod endless;

use earth::policy::{FiberPolicy, OwnTokens, Placement, Policies, TokenPolicy, UnitPlace, WaitingWork};
use earth::simulated::Profile;
use earth::{Config, Error, Eu, FiberOrder, Machine, Policy, Reply, Then, TokenOrder, threaded};
use endless::{FUNCTION, OTHER_NODE, Oldest, SIBLING, Spins, TOKEN};

use crate::common::{gives, on_every, still_works};
use earth_programs::fib::Fib;

/// Takes the oldest entry: one FIFO queue.
struct First;

impl FiberPolicy for First {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        assert!(waiting.len() > 1);
        assert!(waiting.is_sorted_by_key(|entry| std::cmp::Reverse(entry.passed_over())));
        0
    }
}

#[test]
fn one_queue_written_again_gives_the_same_runs() {
    let policy = Policy { fibers: FiberOrder::OneQueue, ..Policy::default() };
    crate::are_alike(policy, &Policies::new().fibers("first", |_| First));
}

/// Takes the oldest fiber before any function, and a function after `in_a_row` fibers.
struct FibersFirst {
    in_a_row: u32,
    left: u32,
}

impl FiberPolicy for FibersFirst {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        let function = waiting.iter().position(WaitingWork::is_start);
        let fiber = waiting.iter().position(|entry| !entry.is_start());
        match (function, fiber) {
            (Some(function), _) if self.left == 0 || fiber.is_none() => {
                self.left = self.in_a_row;
                function
            }
            (_, fiber) => {
                self.left = self.left.checked_sub(1).unwrap_or(self.in_a_row);
                fiber.unwrap_or(0)
            }
        }
    }
}

/// Invokes a few functions on its node and enables fibers, and puts the order in which they ran.
struct Mixed {
    order: String,
    out: Reply<String>,
}

#[threaded]
impl Mixed {
    fn start(out: Reply<String>, eu: &mut Eu<Self>) -> Self {
        for number in 0..3 {
            eu.invoke(eu.node(), Answers::call(number, eu.reply(Self::answer().number)));
            eu.spawn(Self::fiber(number as usize));
        }
        Mixed { order: String::new(), out }
    }

    #[spawned]
    fn fiber(&mut self, index: usize) {
        self.order.extend(["f", &index.to_string(), " "]);
    }

    #[slot(again)]
    fn answer(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.order.extend(["a", &number.to_string(), " "]);
        if self.order.matches('a').count() < 3 {
            return Then::Wait;
        }
        eu.put(self.out, self.order.clone());
        Then::End
    }
}

struct Answers;

#[threaded]
impl Answers {
    fn start(number: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, number);
    }
}

fn order_of(config: Config, policies: Policies) -> String {
    let mut machine = Machine::threads(1).config(config).policies(policies);
    gives(&mut machine, Mixed::call).value.trim_end().to_owned()
}

/// Takes the spawned fiber with the greatest number, else the oldest entry.
struct Backward;

impl FiberPolicy for Backward {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        let fibers = (0..waiting.len()).filter(|&at| waiting[at].fiber() == "fiber");
        let at = fibers.max_by_key(|&at| waiting[at].index());
        if let Some(at) = at {
            assert!(waiting[at].function().ends_with("Mixed") && waiting[at].frame().is_some());
        }
        at.unwrap_or(0)
    }
}

#[test]
fn a_policy_chooses_by_function_fiber_and_index() {
    let backward = || Policies::new().fibers("backward", |_| Backward);
    assert_eq!(order_of(Config::Spn, backward()), "f2 f1 f0 a0 a1 a2");
    let fibers_first = || Policies::new().fibers("fibers", |_| FibersFirst { in_a_row: 32, left: 32 });
    assert_eq!(order_of(Config::Spn, fibers_first()), "f0 f1 f2 a0 a1 a2");
    let one_queue = || Policies::new().fibers("first", |_| First);
    assert_eq!(order_of(Config::Spn, one_queue()), "f0 f1 f2 a0 a1 a2");
}

/// Takes the newest entry always.
struct Last;

impl FiberPolicy for Last {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        waiting.len() - 1
    }
}

#[test]
fn an_order_that_prefers_the_newest_starves_nothing() {
    on_every(|case| {
        let policy = Policy { in_a_row: 3, token_every: 7, batch: 4, ..Policy::default() };
        let own = Policies::new().fibers("last", |_| Last).tokens("newest", |_| TokenOrder::NewestFirst);
        let mut machine = case.machine().policy(policy).policies(own);
        for (until, bound) in [(SIBLING, 4), (FUNCTION, 8), (TOKEN, 7 + 8)] {
            if until == TOKEN && case.nodes > 1 && !case.is_stepped() {
                continue;
            }
            let turns = gives(&mut machine, |out| Spins::call(until, out)).value;
            let exact = case.config == Config::Spn && (until != TOKEN || case.nodes == 1);
            assert!(turns <= bound || !exact, "{turns} turns, not {bound}, until {until}");
        }
        if case.is_stepped() && case.nodes > 1 {
            gives(&mut machine, |out| Spins::call(OTHER_NODE, out));
        }
        still_works(&mut machine);
    });
}

/// Takes its numbers in the order in which they were sent, in rounds of one slot. All of them may wait at
/// once.
struct Rounds {
    next: u64,
    out: Reply<u64>,
}

#[threaded]
impl Rounds {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let to = eu.reply(Self::hear().number);
        (0..40).for_each(|number| eu.put(to, number));
        Rounds { next: 0, out }
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(number, self.next);
        self.next += 1;
        if self.next < 40 {
            return Then::Wait;
        }
        eu.put(self.out, number);
        Then::End
    }
}

#[test]
fn rounds_of_a_slot_keep_their_order_whatever_a_policy_says() {
    on_every(|case| {
        let mut machine = case.machine().policies(Policies::new().fibers("last", |_| Last));
        assert_eq!(gives(&mut machine, Rounds::call).value, 39);
    });
}

/// Answers as a built-in order of tokens does.
struct Answer(TokenOrder);

impl TokenPolicy for Answer {
    fn next(&self, own: OwnTokens) -> TokenOrder {
        assert!(own.shared <= earth::policy::MOST_SHARED);
        self.0
    }
}

#[test]
fn an_order_of_tokens_written_again_gives_the_same_runs() {
    for tokens in [TokenOrder::NewestFirst, TokenOrder::OldestFirst] {
        let policy = Policy { tokens, ..Policy::default() };
        crate::are_alike(policy, &Policies::new().tokens("again", move |_| Answer(tokens)));
    }
    // The policy replaces the order of the machine.
    let oldest = Policies::new().tokens("oldest", |_| TokenOrder::OldestFirst);
    for config in [Config::Spn, Config::Dual] {
        let high = |policies| {
            let mut machine = Machine::threads(1).config(config).policies(policies);
            gives(&mut machine, |out| Fib::call(13, out)).counters.tokens_high
        };
        assert!(high(oldest.clone()) > 4 * high(Policies::new()), "breadth first keeps more tokens");
    }
}

/// Takes newest tokens until more than this number wait, and then the oldest.
struct Bounded {
    most: usize,
    taken: u64,
}

impl TokenPolicy for Bounded {
    fn next(&self, own: OwnTokens) -> TokenOrder {
        if own.kept + own.shared > self.most { TokenOrder::NewestFirst } else { TokenOrder::OldestFirst }
    }

    fn took(&mut self, _end: TokenOrder) {
        self.taken += 1;
    }
}

#[test]
fn a_rule_on_counts_runs_on_every_machine() {
    on_every(|case| {
        let own = Policies::new().tokens("bounded", |_| Bounded { most: 6, taken: 0 });
        let mut machine = case.machine().policies(own);
        assert_eq!(gives(&mut machine, |out| Fib::call(13, out)).value, 233);
        gives(&mut machine, Oldest::call);
    });
}

/// Feeds a DUAL node ahead while fewer than this number wait.
struct Feeds(usize);

impl TokenPolicy for Feeds {
    fn next(&self, _own: OwnTokens) -> TokenOrder {
        TokenOrder::NewestFirst
    }

    fn feeds(&self, waiting: usize, feed: usize) -> bool {
        assert!(waiting > 0);
        assert_eq!(feed, 2, "the default");
        waiting < self.0
    }
}

#[test]
fn a_policy_feeds_a_simulated_dual_node() {
    let profile = Profile::named("manna50").expect("it is built in");
    let run = |feed: u32, own: Policies| {
        let policy = Policy { feed, ..Policy::default() };
        let machine = Machine::simulated(&profile).nodes(3).config(Config::Dual).policy(policy);
        crate::outcome(machine.policies(own))
    };
    let runs = [1, 2, 6].map(|feed| {
        let built_in = run(feed, Policies::new());
        assert_eq!(run(2, Policies::new().tokens("feeds", move |_| Feeds(feed as usize))), built_in);
        built_in
    });
    assert!(runs[0] != runs[1] && runs[1] != runs[2], "the number matters");
}

/// Names an entry that does not wait.
struct Beyond;

impl FiberPolicy for Beyond {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        waiting.len()
    }
}

#[test]
fn an_entry_that_does_not_wait_ends_the_run() {
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::threads(1).config(config);
        machine = machine.policies(Policies::new().fibers("beyond", |_| Beyond));
        let error = machine.run(Mixed::call).map(|run| run.value);
        let Err(error @ Error::Policy { .. }) = error else { panic!("{error:?}") };
        assert!(error.to_string().contains("that wait"), "{error}");
        let mut machine = machine.policies(Policies::new());
        still_works(&mut machine);
    }
}

/// The built-in placement.
struct SideBySide;

impl Placement for SideBySide {
    fn worker(&self, unit: UnitPlace, workers: usize) -> usize {
        (unit.node * unit.units + usize::from(unit.synchronizes)) * workers / (unit.nodes * unit.units)
    }
}

#[test]
fn the_built_in_placement_written_again_gives_the_same_runs() {
    crate::are_alike(Policy::default(), &Policies::new().placement("side-by-side", SideBySide));
}

/// Deals the units to the workers in turn.
struct InTurn;

impl Placement for InTurn {
    fn worker(&self, unit: UnitPlace, workers: usize) -> usize {
        (unit.node * unit.units + usize::from(unit.synchronizes)) % workers
    }
}

/// Another placement gives another order on a stepper whose workers share units, and the same results.
#[test]
fn units_run_where_a_placement_puts_them() {
    on_every(|case| {
        let mut machine = case.machine().policies(Policies::new().placement("in-turn", InTurn));
        assert_eq!(gives(&mut machine, |out| Fib::call(13, out)).value, 233);
    });
    let counters = |policies: Policies, seed| {
        let mut machine = Machine::stepper(seed).nodes(4).config(Config::Dual).policies(policies);
        gives(&mut machine, |out| Fib::call(13, out)).by_node
    };
    let in_turn = || Policies::new().placement("in-turn", InTurn);
    assert!((0..20).any(|seed| counters(in_turn(), seed) != counters(Policies::new(), seed)));
}
