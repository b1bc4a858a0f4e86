//! Explorations against brute force: all sequences of steps of a small program, without any reduction.
//!
//! Three things are compared: the outcomes, the classes, and that all sequences of a class have one outcome.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use proptest::prelude::*;

use super::*;
use crate::machine::explore::outcome_of;
use crate::node::function::Call;
use crate::vocabulary::address::{CellRef, NodeId, Reply, SlotRef};
use crate::vocabulary::wire::Wire;
use crate::{Arrived, Config, Eu, Machine, Start, Then, Threaded, threaded};

/// First letters of the text of an error.
const FAILS: &str = "fails: ";

/// Outcome of a schedule as text, for sets.
fn text(sample: &Sample) -> String {
    match &sample.outcome {
        Ok(outcome) => outcome.value.clone(),
        Err(error) => format!("{FAILS}{error:?}"),
    }
}

/// Explores all schedules of a program. Returns the outcomes and the classes.
fn explored<F: Threaded, R: Wire + Debug>(
    machine: &Machine,
    main: impl Fn(Reply<R>) -> Call<F>,
) -> (BTreeSet<String>, BTreeSet<u128>, u64) {
    let mut exploration = machine.explore(Bound::default());
    let conductor = exploration.conductor.clone();
    let (mut outcomes, mut classes) = (BTreeSet::new(), BTreeSet::new());
    let mut run = || outcome_of(exploration.machine.run(&main));
    let mut search = Search::new(&conductor, &mut run);
    let first = search.run_by(Beginning::Choices(Choices::default()), false).unwrap();
    let mut note = |sample: &Sample| {
        let conductor = conductor.lock();
        classes.insert(Order::of(&conductor.execution).class(&conductor.execution));
        outcomes.insert(text(sample));
        false
    };
    note(&first);
    assert!(matches!(search.search_on(1_000_000, note), Ok(Found::Same)));
    assert_eq!(search.diverged, 0, "the steps of a noted schedule are possible in their turn");
    let schedules = search.schedules;
    (outcomes, classes, schedules)
}

/// Runs all sequences of steps of a program, if there are at most `most`. Returns the outcomes of each class,
/// and the number of runs.
fn brute<F: Threaded, R: Wire + Debug>(
    machine: &Machine,
    most: u64,
    main: impl Fn(Reply<R>) -> Call<F>,
) -> Option<(HashMap<u128, BTreeSet<String>>, u64)> {
    let mut exploration = machine.explore(Bound::default());
    let conductor = exploration.conductor.clone();
    let mut run = || outcome_of(exploration.machine.run(&main));
    let mut search = Search::new(&conductor, &mut run);
    let mut classes: HashMap<u128, BTreeSet<String>> = HashMap::new();
    let mut choices = Vec::new();
    loop {
        let sample = search.run_by(Beginning::Choices(Choices(choices)), false).unwrap();
        let conductor = conductor.lock();
        let execution = &conductor.execution;
        let class = Order::of(execution).class(execution);
        classes.entry(class).or_default().insert(text(&sample));
        let taken = execution.steps.iter().map(|step| (step.choice, step.possible));
        let mut taken: Vec<_> = taken.collect();
        while taken.pop_if(|(choice, possible)| *choice + 1 == *possible).is_some() {}
        let Some((last, _)) = taken.last_mut() else { return Some((classes, search.schedules)) };
        *last += 1;
        choices = taken.into_iter().map(|(choice, _)| choice).collect();
        if search.schedules == most {
            return None;
        }
    }
}

/// Compares an exploration with brute force. Returns the numbers of outcomes, classes, explored schedules and
/// sequences.
#[track_caller]
fn compare<F: Threaded, R: Wire + Debug>(machine: &Machine, main: impl Fn(Reply<R>) -> Call<F>) -> [u64; 4] {
    compare_if(machine, 1_000_000, main).expect("the program is small")
}

/// Compares an exploration with brute force, if there are at most `most` sequences.
#[track_caller]
fn compare_if<F: Threaded, R: Wire + Debug>(
    machine: &Machine,
    most: u64,
    main: impl Fn(Reply<R>) -> Call<F>,
) -> Option<[u64; 4]> {
    let (by_class, sequences) = brute(machine, most, &main)?;
    let (outcomes, classes, schedules) = explored(machine, &main);
    let all: BTreeSet<_> = by_class.values().flatten().cloned().collect();
    if all.iter().any(|outcome| outcome.starts_with(FAILS)) {
        // A failed run lacks its last steps. So not all classes are found, but a success and a failure are.
        let kinds = |outcomes: &BTreeSet<String>| {
            outcomes.iter().map(|outcome| outcome.starts_with(FAILS)).collect::<BTreeSet<_>>()
        };
        assert!(outcomes.is_subset(&all), "{outcomes:?} of {all:?}");
        assert_eq!(kinds(&outcomes), kinds(&all));
        return Some([outcomes.len() as u64, classes.len() as u64, schedules, sequences]);
    }
    for (class, of_class) in &by_class {
        assert_eq!(of_class.len(), 1, "sequences of class {class:x} have one outcome: {of_class:?}");
    }
    assert_eq!(outcomes, all, "the exploration finds all outcomes, and no others");
    let all: BTreeSet<_> = by_class.into_keys().collect();
    assert_eq!(classes.len(), all.len());
    assert_eq!(classes, all, "the exploration finds all classes, and no others");
    Some([outcomes.len() as u64, classes.len() as u64, schedules, sequences])
}

fn machine(config: Config, nodes: usize) -> Machine {
    Machine::threads(nodes).config(config)
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

/// Each token runs on either node, and the order of the two values does not matter.
#[test]
fn tokens_have_a_class_for_each_node() {
    let spn = compare(&machine(Config::Spn, 2), |out| Fib::call(2, out));
    assert_eq!(spn[..2], [1, 4]);
    let dual = compare(&machine(Config::Dual, 2), |out| Fib::call(2, out));
    assert_eq!(dual[..2], [1, 4]);
    assert_eq!(compare(&machine(Config::Spn, 1), |out| Fib::call(3, out))[..2], [1, 1]);
    assert_eq!(explored(&machine(Config::Dual, 2), |out| Fib::call(3, out)).1.len(), 16);
}

/// Lists numbers in the order in which they come.
struct Lists {
    list: Vec<u64>,
    left: u64,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Lists {
    fn start(numbers: u64, nodes: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        for number in 0..numbers {
            let node = NodeId::new((number % nodes) as usize);
            eu.invoke(node, Number::call(number, eu.reply(Self::hear().number)));
        }
        Lists { list: Vec::new(), left: numbers, out }
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.list.push(number);
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.list));
        Then::End
    }
}

struct Number;

#[threaded]
impl Number {
    fn start(number: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, number);
    }
}

#[test]
fn values_for_one_inlet_come_in_every_order() {
    for (numbers, orders) in [(1, 1), (2, 2), (3, 6)] {
        for nodes in 1..=2 {
            for config in [Config::Spn, Config::Dual] {
                let [outcomes, classes, ..] =
                    compare(&machine(config, nodes), |out| Lists::call(numbers, nodes as u64, out));
                assert_eq!(
                    (outcomes, classes),
                    (orders, orders),
                    "{numbers} numbers, {nodes} nodes, {config}"
                );
            }
        }
    }
}

/// Two senders send to two receivers each, so the orders at the receivers depend on each other.
struct Pairs {
    first: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Pairs {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (a, b) = (eu.reply(Self::hear_a().number), eu.reply(Self::hear_b().number));
        for number in [1, 2] {
            eu.invoke(NodeId::new(1), Sender::call(number, a, b));
        }
        Pairs { first: Vec::new(), out }
    }

    #[slot(again)]
    fn hear_a(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.hear(number, eu)
    }

    #[slot(again)]
    fn hear_b(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.hear(10 * number, eu)
    }
}

impl Pairs {
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.first.push(number);
        if self.first.len() < 4 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.first));
        Then::End
    }
}

struct Sender;

#[threaded]
impl Sender {
    fn start(number: u64, a: Reply<u64>, b: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(a, number);
        eu.put(b, number);
    }
}

#[test]
fn messages_of_two_senders_keep_the_order_of_their_senders() {
    for config in [Config::Spn, Config::Dual] {
        let [outcomes, ..] = compare(&machine(config, 2), Pairs::call);
        assert!(outcomes > 2, "{config}");
    }
}

/// Writes a cell and reads it, in any order, and a second time if `twice`.
struct Cells {
    out: Reply<u64>,
}

#[threaded]
impl Cells {
    fn start(twice: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let cell = eu.cell_ref(Self::word());
        eu.invoke(NodeId::new(1), Writer::call(cell));
        if twice {
            eu.invoke(NodeId::new(0), Writer::call(cell));
        }
        eu.get(cell, eu.reply(Self::answer().word));
        Cells { out }
    }

    #[cell]
    fn word() -> u64;

    #[slot]
    fn answer(self, word: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, word);
    }
}

struct Writer;

#[threaded]
impl Writer {
    fn start(cell: CellRef<u64>, eu: &mut Eu<Self>) {
        eu.write(cell, 7);
    }
}

#[test]
fn a_cell_is_read_before_or_after_it_is_written() {
    for config in [Config::Spn, Config::Dual] {
        let [outcomes, ..] = compare(&machine(config, 2), |out| Cells::call(false, out));
        assert_eq!(outcomes, 1);
        let (outcomes, ..) = explored(&machine(config, 2), |out| Cells::call(true, out));
        assert!(outcomes.iter().all(|outcome| outcome.starts_with(FAILS)), "{outcomes:?}");
    }
}

/// Raises the count of a slot while a signal for it is on its way.
struct Raises {
    raised: bool,
    out: Reply<u64>,
}

#[threaded]
impl Raises {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Signals::call(eu.slot_ref(Self::go())));
        eu.sync(Self::raise());
        Raises { raised: false, out }
    }

    #[slot(sync)]
    fn raise(&mut self, eu: &mut Eu<Self>) {
        self.raised = true;
        eu.incr(Self::go(), 1);
        eu.sync(Self::go());
    }

    #[slot(sync)]
    fn go(self, eu: &mut Eu<Self>) {
        eu.put(self.out, u64::from(self.raised));
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
fn a_raise_that_may_come_too_late_is_found() {
    for config in [Config::Spn, Config::Dual] {
        let [outcomes, ..] = compare(&machine(config, 2), Raises::call);
        assert!(outcomes >= 2, "{config}: the signal comes before or after the raise");
    }
}

/// A program drawn at random. Tasks run on given nodes, and send their numbers to lists; a task may start
/// others. Each list is on a node, and keeps the order in which numbers come.
#[derive(Clone, Debug, Wire)]
struct Task {
    node: usize,
    /// Lists that it sends its number to.
    sends: Vec<usize>,
    starts: Vec<Task>,
    number: u64,
}

impl Task {
    fn count(&self, by_list: &mut BTreeMap<usize, u64>) {
        for list in &self.sends {
            *by_list.entry(*list).or_default() += 1;
        }
        self.starts.iter().for_each(|task| task.count(by_list));
    }
}

/// Starts the lists, then the tasks, and gathers the lists.
struct Random {
    tasks: Vec<Task>,
    out: Reply<Vec<Vec<u64>>>,
}

#[threaded]
impl Random {
    fn start(tasks: Vec<Task>, lists: usize, out: Reply<Vec<Vec<u64>>>, eu: &mut Eu<Self>) -> Start<Self> {
        let mut counts = BTreeMap::new();
        for task in &tasks {
            task.count(&mut counts);
        }
        for list in 0..lists {
            let hello = eu.reply(Self::meet().inlets.at(list));
            let done = eu.reply(Self::end().found.at(list));
            let left = counts.get(&list).copied().unwrap_or(0);
            eu.invoke(NodeId::new(list % eu.nodes()), List::call(left, hello, done));
        }
        Start::Wait(Random { tasks, out })
    }

    #[slot]
    fn meet(&mut self, #[inlets(lists)] inlets: Arrived<'_, Reply<u64>>, eu: &mut Eu<Self>) {
        let inlets: Vec<_> = inlets.collect();
        for task in std::mem::take(&mut self.tasks) {
            eu.invoke(NodeId::new(task.node), Runs::call(task, inlets.clone()));
        }
    }

    #[slot]
    fn end(self, #[inlets(lists)] found: Arrived<'_, Vec<u64>>, eu: &mut Eu<Self>) {
        eu.put(self.out, found.collect());
    }
}

struct List {
    numbers: Vec<u64>,
    left: u64,
    done: Reply<Vec<u64>>,
}

#[threaded]
impl List {
    fn start(left: u64, hello: Reply<Reply<u64>>, done: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(hello, eu.reply(Self::hear().number));
        if left == 0 {
            eu.put(done, Vec::new());
            return Start::End;
        }
        Start::Wait(List { numbers: Vec::new(), left, done })
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.numbers.push(number);
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.done, std::mem::take(&mut self.numbers));
        Then::End
    }
}

struct Runs;

#[threaded]
impl Runs {
    fn start(task: Task, lists: Vec<Reply<u64>>, eu: &mut Eu<Self>) {
        for list in task.sends {
            eu.put(lists[list], task.number);
        }
        for further in task.starts {
            eu.invoke(NodeId::new(further.node), Runs::call(further, lists.clone()));
        }
    }
}

/// Returns tasks that start up to `depth` generations of others. Together they send about `sends` numbers.
fn tasks(nodes: usize, lists: usize) -> impl Strategy<Value = Vec<Task>> {
    let task = move |starts| {
        let sends = prop::collection::vec(0..lists, 0..=2);
        (0..nodes, sends, starts).prop_map(|(node, sends, starts)| Task { node, sends, starts, number: 0 })
    };
    let leaf = task(Just(Vec::new()).boxed());
    let parent = task(prop::collection::vec(leaf.clone(), 0..=1).boxed());
    let numbered = |mut tasks: Vec<Task>| {
        let mut next = 1;
        for task in &mut tasks {
            task.number = next;
            for further in &mut task.starts {
                further.number = next + 1;
            }
            next += 2;
        }
        tasks
    };
    prop::collection::vec(parent, 1..=2).prop_map(numbered)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_have_the_outcomes_and_classes_of_brute_force(
        lists in 1..=2_usize,
        tasks in tasks(2, 1),
        dual in any::<bool>(),
    ) {
        let config = if dual { Config::Dual } else { Config::Spn };
        let main = |out| Random::call(tasks.clone(), lists, out);
        compare_if(&machine(config, 2), 5_000, main);
    }

    #[test]
    fn random_programs_of_two_lists_have_the_outcomes_and_classes_of_brute_force(
        tasks in tasks(2, 2),
    ) {
        compare_if(&machine(Config::Spn, 2), 5_000, |out| Random::call(tasks.clone(), 2, out));
    }
}
