//! One-shot collectives: their results on every machine, and the messages, fibers and frames that each costs.

use crate::common::{Case, fails, gives, on_every, on_every_of};
use earth::collective::{Concat, Group, Kept, Max, Min, Sum, broadcast, everywhere, keep, reduce};
use earth::{Arrived, CellRef, Config, Counters, Error, Eu, Machine, NodeId, Reply, Then, threaded};

/// Returns the number of members outside node 0 if they are distributed round-robin over `nodes` nodes.
fn away(members: usize, nodes: usize) -> u64 {
    (members - members.div_ceil(nodes)) as u64
}

/// Returns the counts that the program determines: invokes, signals, fibers, frames, and parked values, which
/// must be 0.
fn fixed(counters: &Counters) -> [u64; 5] {
    [counters.invokes, counters.signals, counters.fibers, counters.frames, counters.parked]
}

/// Puts the numbers and nodes of the members of a group.
struct Places;

#[threaded]
impl Places {
    fn start(group: Group, members: u64, out: Reply<Vec<(u64, NodeId)>>, eu: &mut Eu<Self>) {
        everywhere::<Place>(eu, group, 0..members, out);
    }
}

struct Place;

#[threaded]
impl Place {
    fn start(member: u64, out: Reply<(u64, NodeId)>, eu: &mut Eu<Self>) {
        eu.put(out, (member, eu.node()));
    }
}

/// Returns the group of all nodes of a machine.
fn all_of(case: Case) -> Group {
    Group::new(NodeId::new(0)..NodeId::new(case.nodes))
}

#[test]
fn results_of_members_arrive_in_their_order() {
    on_every(|case| {
        for members in [0, 1, case.nodes as u64, 13] {
            let run = gives(&mut case.machine(), |out| Places::call(all_of(case), members, out));
            let place = |member| (member, NodeId::new(member as usize % case.nodes));
            assert_eq!(run.value, (0..members).map(place).collect::<Vec<_>>());
            let told = u64::from(members > 0);
            // A function with sizes that ends at once has a frame if frames have a cost.
            let frames = told.max(u64::from(case.is_simulated()));
            let expected = [1 + members, members + 1, 2 + members + told, frames, 0];
            assert_eq!(fixed(&run.counters), expected);
            assert_eq!(run.counters.events_sent, 2 * away(members as usize, case.nodes));
        }
    });
}

#[test]
fn members_stay_in_their_group() {
    on_every_of(3, |case| {
        let group = Group::new(NodeId::new(1)..NodeId::new(3));
        assert_eq!(group.len(), 2);
        let run = gives(&mut case.machine(), |out| Places::call(group, 5, out));
        assert_eq!(run.value.iter().map(|(_, node)| node.index()).collect::<Vec<_>>(), [1, 2, 1, 2, 1]);
    });
}

#[test]
fn a_group_beyond_the_machine_is_refused() {
    on_every(|case| {
        let group = Group::new(NodeId::new(case.nodes - 1)..NodeId::new(case.nodes + 1));
        let error = fails(&mut case.machine(), |out| Places::call(group, 2, out));
        assert!(matches!(error, Error::NoSuchNode { node, .. } if node == case.nodes), "{error}");
    });
}

#[test]
#[should_panic(expected = "a group has at least one node")]
fn a_group_of_no_nodes_is_refused() {
    Group::new(NodeId::new(3)..NodeId::new(3));
}

/// Broadcasts a word to `members` members. Each member puts the word's length and its own node.
struct Tells {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Tells {
    fn start(members: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (group, heard) = (Group::all(eu), eu.replies(Self::done().heard));
        let doors = eu.reply(Self::tell().doors);
        everywhere::<Listens>(eu, group, (0..members).map(|member| heard.at(member)), doors);
        Tells { out }
    }

    #[slot]
    fn tell(&mut self, doors: Vec<Reply<String>>, eu: &mut Eu<Self>) -> Then {
        let nobody = doors.is_empty();
        broadcast(eu, &"dataflow".to_owned(), doors);
        if nobody {
            eu.put(self.out, Vec::new());
            return Then::End;
        }
        Then::Wait
    }

    /// A slot counts at least one signal. Without members this slot waits for a signal that never comes.
    #[slot(syncs = usize::from(members == 0))]
    fn done(self, #[inlets(members)] heard: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, heard.collect());
    }
}

struct Listens {
    heard: Reply<u64>,
}

#[threaded]
impl Listens {
    fn start(heard: Reply<u64>, door: Reply<Reply<String>>, eu: &mut Eu<Self>) -> Self {
        eu.put(door, eu.reply(Self::hear().text));
        Listens { heard }
    }

    #[slot]
    fn hear(self, text: String, eu: &mut Eu<Self>) {
        eu.put(self.heard, text.len() as u64 + 100 * eu.node().index() as u64);
    }
}

#[test]
fn a_broadcast_reaches_each_node_by_one_message() {
    let tells = |machine: &mut Machine, nodes: usize, members: u64| {
        let run = gives(machine, |out| Tells::call(members as usize, out));
        assert_eq!(
            run.value,
            (0..members).map(|member| 8 + 100 * (member % nodes as u64)).collect::<Vec<_>>()
        );
        let reached = nodes.min(members.max(1) as usize) as u64 - 1;
        // Each member's start, inlet and received value; and the broadcast.
        assert_eq!(run.counters.events_sent, 3 * away(members as usize, nodes) + reached);
        assert_eq!(run.counters.invokes, 1 + members + reached);
    };
    on_every(|case| {
        for members in [0, 1, 3, case.nodes as u64, 13] {
            tells(&mut case.machine(), case.nodes, members);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        tells(&mut Machine::threads(64).config(config), 64, 64);
        tells(&mut Machine::stepper(3).nodes(61).config(config), 61, 100);
    }
}

/// Sums 1 / (i + 1) in pieces, in an order that only depends on the number of pieces.
struct Sums;

#[threaded]
impl Sums {
    fn start(members: u64, out: Reply<f64>, eu: &mut Eu<Self>) {
        let group = Group::all(eu);
        reduce::<Term, _>(eu, group, 0..members, Sum, out);
    }
}

struct Term;

#[threaded]
impl Term {
    fn start(i: u64, out: Reply<f64>, eu: &mut Eu<Self>) {
        eu.put(out, term(i));
    }
}

fn term(i: u64) -> f64 {
    1.0 / (i * i % 17 + i + 1) as f64
}

/// Computes the tree of a reduction as a recursion on the second half.
fn tree(first: u64, end: u64) -> f64 {
    let mut halves = Vec::new();
    let mut left = end;
    while left - first > 1 {
        let middle = first + (left - first).div_ceil(2);
        halves.push(tree(middle, left));
        left = middle;
    }
    halves.into_iter().rev().fold(term(first), |sum, half| sum + half)
}

#[test]
fn a_reduction_gives_the_same_bits_everywhere_and_costs_two_messages_a_member() {
    let sums = |machine: &mut Machine, nodes: usize, members: u64| {
        let run = gives(machine, |out| Sums::call(members, out));
        assert_eq!(run.value.to_bits(), tree(0, members).to_bits(), "{members} members");
        let expected = [2 * members, 2 * members, 1 + 3 * members, members, 0];
        assert_eq!(fixed(&run.counters), expected);
        if members <= nodes as u64 {
            assert_eq!(run.counters.events_sent, 2 * (members - 1));
        }
    };
    on_every(|case| {
        for members in [1, 2, 3, 5, 8, 13] {
            sums(&mut case.machine(), case.nodes, members);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        sums(&mut Machine::threads(64).config(config), 64, 64);
        sums(&mut Machine::stepper(4).nodes(63).config(config), 63, 63);
    }
}

/// Operations that are not commutative, and the extremes.
struct Combined {
    out: Reply<(Vec<u64>, u64, u64)>,
}

#[threaded]
impl Combined {
    fn start(out: Reply<(Vec<u64>, u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let (group, list) = (Group::all(eu), eu.reply(Self::done().list));
        let (min, max) = (eu.reply(Self::done().min), eu.reply(Self::done().max));
        reduce::<One, _>(eu, group, 0..11, Concat, list);
        reduce::<Digit, _>(eu, group, 0..11, Min, min);
        reduce::<Digit, _>(eu, group, 0..11, Max, max);
        Combined { out }
    }

    #[slot]
    fn done(self, list: Vec<u64>, min: u64, max: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, (list, min, max));
    }
}

struct One;

#[threaded]
impl One {
    fn start(i: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) {
        eu.put(out, vec![i]);
    }
}

struct Digit;

#[threaded]
impl Digit {
    fn start(i: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, (i * 7 + 3) % 11);
    }
}

#[test]
fn values_are_combined_from_left_to_right() {
    on_every(|case| {
        let (list, min, max) = gives(&mut case.machine(), Combined::call).value;
        assert_eq!((list, min, max), ((0..11).collect(), 0, 10));
    });
}

#[test]
fn a_reduction_of_no_members_is_refused() {
    on_every(|case| {
        let error = fails(&mut case.machine(), |out| Sums::call(0, out));
        let Error::Panicked { at, message } = error else { panic!("{error}") };
        assert_eq!(
            (at.function.as_str(), message.as_str()),
            ("Sums", "a reduction needs at least one member")
        );
    });
}

/// Values on all nodes. A function on each node requests them `questions` times, and they are released
/// `times` times.
struct Locals {
    questions: u64,
    times: u64,
    kept: Vec<Kept<String>>,
    out: Reply<Vec<String>>,
}

#[threaded]
impl Locals {
    fn start(questions: u64, times: u64, out: Reply<Vec<String>>, eu: &mut Eu<Self>) -> Self {
        let (group, kept) = (Group::all(eu), eu.reply(Self::ask().kept));
        keep(eu, group, (0..group.len()).map(|node| format!("of {node}")), kept);
        Locals { questions, times, kept: Vec::new(), out }
    }

    #[slot]
    fn ask(&mut self, kept: Vec<Kept<String>>, eu: &mut Eu<Self>) {
        let (group, heard) = (Group::all(eu), eu.reply(Self::done().heard));
        everywhere::<Asks>(eu, group, kept.iter().map(|kept| (kept.value, self.questions)), heard);
        self.kept = kept;
    }

    #[slot]
    fn done(self, heard: Vec<String>, eu: &mut Eu<Self>) {
        for _ in 0..self.times {
            self.kept.iter().for_each(|kept| eu.rsync(kept.done));
        }
        eu.put(self.out, heard);
    }
}

struct Asks {
    cell: CellRef<String>,
    questions: u64,
    out: Reply<String>,
}

#[threaded]
impl Asks {
    fn start(cell: CellRef<String>, questions: u64, out: Reply<String>, eu: &mut Eu<Self>) -> Self {
        assert_eq!(cell.node(), eu.node());
        eu.get(cell, eu.reply(Self::look().word));
        Asks { cell, questions, out }
    }

    #[slot(again)]
    fn look(&mut self, word: String, eu: &mut Eu<Self>) -> Then {
        self.questions -= 1;
        if self.questions > 0 {
            eu.get(self.cell, eu.reply(Self::look().word));
            return Then::Wait;
        }
        eu.put(self.out, word);
        Then::End
    }
}

#[test]
fn a_value_on_each_node_answers_there() {
    on_every(|case| {
        for questions in [1, 7] {
            let run = gives(&mut case.machine(), |out| Locals::call(questions, 1, out));
            let nodes = case.nodes as u64;
            assert_eq!(run.value, (0..nodes).map(|node| format!("of {node}")).collect::<Vec<_>>());
            // Start and address, start and answer, end; no request leaves its node.
            assert_eq!(run.counters.events_sent, 5 * (nodes - 1));
            assert_eq!(run.counters.signals, (nodes + 1) + (nodes + 1) + nodes * questions + nodes + 1);
            assert_eq!(run.counters.deferred_reads, 0);
        }
    });
}

#[test]
fn a_value_is_let_go_once() {
    on_every(|case| {
        let error = fails(&mut case.machine(), |out| Locals::call(1, 2, out));
        assert!(matches!(error, Error::StaleAddress { .. } | Error::TooManySignals { .. }), "{error}");
    });
}
