//! Explorations of programs that are right under every schedule, and of programs with a known bug each.

use earth::explore::{Bound, Choices, Difference, Explored, Verdict};
use earth::{
    CellRef, Config, Error, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, assert_deterministic, threaded,
};

const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

fn explore<F: earth::Threaded, R: earth::Wire + std::fmt::Debug>(
    config: Config,
    nodes: usize,
    main: impl Fn(Reply<R>) -> earth::Call<F>,
) -> Explored {
    let mut exploration = Machine::threads(nodes).config(config).explore(Bound::default());
    exploration.run(main).expect("the machine can be built")
}

/// Returns two schedules with different outcomes, which are found within a few hundred schedules.
#[track_caller]
fn difference(explored: Explored) -> Difference {
    assert!(explored.schedules < 500, "{} schedules", explored.schedules);
    match explored.verdict {
        Verdict::Differs(difference) => *difference,
        verdict => panic!("no difference was found: {verdict:?}"),
    }
}

fn value(trace: &earth::explore::ScheduleTrace) -> &str {
    trace.outcome.as_ref().map_or("an error", |outcome| &outcome.value)
}

struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Fib { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

/// Each of the 8 tokens of `fib(4)` starts on either node.
#[test]
fn every_schedule_of_fib_has_its_value() {
    for config in CONFIGS {
        let explored = explore(config, 2, |out| Fib::call(4, out));
        let Verdict::Same(outcome) = &explored.verdict else { panic!("{explored}") };
        assert_eq!((outcome.value.as_str(), outcome.counters.fibers), ("3", 13));
        assert_eq!(explored.classes, 1 << 8);
    }
    assert_deterministic!(|out| Fib::call(3, out));
}

/// A bound below the number of schedules leaves the rest to random ones.
#[test]
fn beyond_the_bound_random_schedules_follow() {
    let bound = Bound { schedules: 10, samples: 30, changes: 1, ..Bound::default() };
    let mut exploration = Machine::threads(2).explore(bound);
    let explored = exploration.run(|out| Fib::call(4, out)).expect("it runs");
    let Verdict::Sampled { outcome, samples, probability } = &explored.verdict else { panic!("{explored}") };
    assert_eq!((outcome.value.as_str(), *samples, explored.schedules), ("3", 30, 10));
    assert!(*probability > 0.0 && *probability < 1.0);
    let found = exploration.run(|out| Adds::call(6, out)).expect("it runs");
    assert!(matches!(found.verdict, Verdict::Differs(_)), "{found}");
}

/// Adds numbers in the order in which they come.
struct Adds {
    sum: f64,
    left: u64,
    out: Reply<f64>,
}

#[threaded]
impl Adds {
    fn start(numbers: u64, out: Reply<f64>, eu: &mut Eu<Self>) -> Self {
        for number in 0..numbers {
            eu.token(Number::call(number, eu.reply(Self::add().number)));
        }
        Adds { sum: 0.0, left: numbers, out }
    }

    #[slot(again)]
    fn add(&mut self, number: f64, eu: &mut Eu<Self>) -> Then {
        self.sum += number;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

struct Number;

#[threaded]
impl Number {
    fn start(number: u64, to: Reply<f64>, eu: &mut Eu<Self>) {
        eu.put(to, [1e16, 1.0, -1e16, 0.5, 3.0, 7.25][number as usize % 6]);
    }
}

#[test]
fn a_sum_in_the_order_of_arrival_is_found() {
    for config in CONFIGS {
        let found = difference(explore(config, 2, |out| Adds::call(3, out)));
        assert_ne!(value(&found.first), value(&found.second));
        assert_eq!(found.second.choices.deviations(), 1, "one deviation is enough: {found}");
        let racing =
            |trace: &earth::explore::ScheduleTrace| trace.steps.iter().filter(|step| step.races).count();
        let marked = (racing(&found.first), racing(&found.second));
        assert!(matches!(marked, (1, 1) | (2, 2)), "{found}");
    }
}

/// The choices of a report repeat its outcome, also after a trip through text.
#[test]
fn a_schedule_is_replayed_by_its_choices() {
    for config in CONFIGS {
        let found = difference(explore(config, 2, |out| Adds::call(3, out)));
        let mut exploration = Machine::threads(2).config(config).explore(Bound::default());
        for trace in [&found.first, &found.second] {
            let choices: Choices = trace.choices.to_string().parse().expect("printed choices");
            let run = exploration.replay(&choices, |out| Adds::call(3, out)).expect("it runs");
            assert_eq!(format!("{:?}", run.value), value(trace));
        }
    }
}

#[test]
fn a_report_has_both_schedules() {
    let found = difference(explore(Config::Dual, 2, |out| Adds::call(3, out)));
    let text = found.to_string();
    for trace in [&found.first, &found.second] {
        assert!(text.contains(&format!("gives {}", value(trace))), "{text}");
    }
    assert!(text.contains("runs `Adds::add`") && text.contains("inlet `number` of `Adds`"), "{text}");
}

/// A strip that takes the borders of both neighbors at one inlet, so that one neighbor may overtake the
/// other.
struct Strip {
    value: u64,
    borders: Vec<u64>,
    left: usize,
    out: Reply<u64>,
}

#[threaded]
impl Strip {
    fn start(rounds: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for (node, first) in [(0, 10), (1, 500)] {
            eu.invoke(NodeId::new(node), Neighbour::call(first, rounds, eu.reply(Self::hear().border)));
        }
        Strip { value: 1, borders: Vec::new(), left: rounds, out }
    }

    #[slot(again)]
    fn hear(&mut self, border: u64, eu: &mut Eu<Self>) -> Then {
        self.borders.push(border);
        if self.borders.len() < 2 {
            return Then::Wait;
        }
        self.value = 3 * self.value + self.borders.drain(..).sum::<u64>();
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.value);
        Then::End
    }
}

struct Neighbour;

#[threaded]
impl Neighbour {
    fn start(first: u64, rounds: usize, to: Reply<u64>, eu: &mut Eu<Self>) {
        (first..).take(rounds).for_each(|border| eu.put(to, border));
    }
}

#[test]
fn a_stencil_whose_borders_overtake_is_found() {
    for config in CONFIGS {
        let found = difference(explore(config, 2, |out| Strip::call(2, out)));
        assert_ne!(value(&found.first), value(&found.second));
    }
    // In one round no border can overtake another one.
    assert_deterministic!(|out| Strip::call(1, out));
}

/// A strip with an inlet for each neighbor.
struct Right {
    value: u64,
    left: usize,
    out: Reply<u64>,
}

#[threaded]
impl Right {
    fn start(rounds: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Neighbour::call(10, rounds, eu.reply(Self::hear().left)));
        eu.invoke(NodeId::new(1), Neighbour::call(500, rounds, eu.reply(Self::hear().right)));
        Right { value: 1, left: rounds, out }
    }

    #[slot(again)]
    fn hear(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        self.value = 3 * self.value + left + right;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.value);
        Then::End
    }
}

#[test]
fn a_stencil_with_an_inlet_for_each_neighbor_is_right() {
    assert_deterministic!(|out| Right::call(4, out));
}

/// Two fibers. The second one signals only if the first one has run.
struct Misses {
    has_run: bool,
    out: Reply<u64>,
}

#[threaded]
impl Misses {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Signals::call(eu.slot_ref(Self::first())));
        eu.invoke(NodeId::new(1), Signals::call(eu.slot_ref(Self::second())));
        Misses { has_run: false, out }
    }

    #[slot(sync)]
    fn first(&mut self) {
        self.has_run = true;
    }

    #[slot(sync)]
    fn second(&mut self, eu: &mut Eu<Self>) {
        if self.has_run {
            eu.sync(Self::end());
        }
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

#[test]
fn a_signal_that_some_schedules_miss_is_found() {
    for config in CONFIGS {
        let found = difference(explore(config, 2, Misses::call));
        let errors: Vec<_> = [&found.first, &found.second].map(|trace| trace.outcome.clone().err()).into();
        assert!(errors.iter().any(|error| matches!(error, Some(Error::Stuck(_)))), "{found}");
    }
}

/// Ends its frame at the first signal. Others may come later.
struct Ends {
    out: Reply<u64>,
}

#[threaded]
impl Ends {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Signals::call(eu.slot_ref(Self::end())));
        eu.invoke(NodeId::new(1), Signals::call(eu.slot_ref(Self::other())));
        Ends { out }
    }

    #[slot(sync)]
    fn other(&mut self) {}

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

#[test]
fn a_signal_that_comes_too_late_in_some_schedules_is_found() {
    for config in CONFIGS {
        let found = difference(explore(config, 2, Ends::call));
        let mut errors = [&found.first, &found.second].map(|trace| trace.outcome.clone().err()).into_iter();
        let late = |error| matches!(error, Some(Error::StaleAddress { .. } | Error::EndedTooEarly { .. }));
        assert!(errors.any(late), "{found}");
    }
}

/// Two writers of one cell.
struct Writes {
    out: Reply<u64>,
}

#[threaded]
impl Writes {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let cell = eu.cell_ref(Self::word());
        for node in 0..2 {
            eu.invoke(NodeId::new(node), Writer::call(node as u64, cell));
        }
        eu.get(cell, eu.reply(Self::read().word));
        Writes { out }
    }

    #[cell]
    fn word() -> u64;

    #[slot]
    fn read(self, word: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, word);
    }
}

struct Writer;

#[threaded]
impl Writer {
    fn start(word: u64, cell: CellRef<u64>, eu: &mut Eu<Self>) {
        eu.write(cell, word);
    }
}

#[test]
fn a_cell_that_is_written_twice_is_found() {
    for config in CONFIGS {
        let explored = explore(config, 2, Writes::call);
        let Verdict::Fails(trace) = &explored.verdict else { panic!("{explored}") };
        let refused = matches!(
            trace.outcome,
            Err(Error::WrittenTwice { .. } | Error::StaleAddress { .. } | Error::EndedTooEarly { .. })
        );
        assert!(refused, "{trace}");
    }
}

/// Numbers its tokens in the order in which they start.
struct Orders {
    list: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Orders {
    fn start(tokens: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        for token in 0..tokens {
            eu.token(Tells::call(token, eu.reply(Self::hear().token)));
        }
        Orders { list: Vec::new(), out }
    }

    #[slot(again)]
    fn hear(&mut self, token: u64, eu: &mut Eu<Self>) -> Then {
        self.list.push(token);
        if self.list.len() < 2 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.list));
        Then::End
    }
}

struct Tells;

#[threaded]
impl Tells {
    fn start(token: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, token);
    }
}

/// On one node the newest token starts first. No program may rely on it.
#[test]
fn an_order_of_tokens_that_the_program_relies_on_is_found() {
    for config in CONFIGS {
        for nodes in 1..=2 {
            let found = difference(explore(config, nodes, |out| Orders::call(2, out)));
            let mut values = [value(&found.first), value(&found.second)];
            values.sort_unstable();
            assert_eq!(values, ["[0, 1]", "[1, 0]"]);
        }
    }
}

/// Gives the time.
struct Clock;

#[threaded]
impl Clock {
    fn start(out: Reply<u128>, eu: &mut Eu<Self>) {
        eu.put(out, std::time::Instant::now().elapsed().as_nanos() + COUNT.with(|count| count.replace(1)));
    }
}

std::thread_local! {
    static COUNT: std::cell::Cell<u128> = const { std::cell::Cell::new(1 << 100) };
}

#[test]
fn a_program_that_differs_from_run_to_run_is_unsteady() {
    let explored = explore(Config::Spn, 1, Clock::call);
    assert!(matches!(explored.verdict, Verdict::Unsteady), "{explored}");
}

#[test]
fn a_machine_that_cannot_be_built_and_a_cancelled_run_are_errors_of_the_exploration() {
    let mut none = Machine::threads(0).explore(Bound::default());
    assert!(matches!(none.run(|out| Fib::call(1, out)), Err(Error::CannotBuild(_))));
    let token = earth::CancelToken::new();
    token.cancel();
    let mut cancelled = Machine::threads(1).cancel_token(token).explore(Bound::default());
    assert!(matches!(cancelled.run(|out| Fib::call(1, out)), Err(Error::Cancelled)));
}

/// A fiber that enables itself for ever.
struct Endless;

#[threaded]
impl Endless {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::again());
        Endless
    }

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.sync(Self::again());
        Then::Wait
    }
}

#[test]
fn a_program_that_never_ends_fails_at_the_bound_of_steps() {
    for config in CONFIGS {
        let bound = Bound { steps: 100, ..Bound::default() };
        let explored = Machine::threads(1).config(config).explore(bound).run(Endless::call).expect("it runs");
        let Verdict::Fails(trace) = &explored.verdict else { panic!("{explored}") };
        assert!(matches!(trace.outcome, Err(Error::TooManySteps { .. })), "{trace}");
    }
}
