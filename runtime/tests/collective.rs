//! Collectives that happen once: what they give, on every machine, and how many messages,
//! fibers and frames each costs.

mod common;

use common::{Case, bad, good, on_every, on_every_of};
use earth::collective::{
    Broadcast, Concat, Everywhere, Group, Kept, Local, Max, Min, Reduce, Sum, broadcast, everywhere, keep,
    reduce,
};
use earth::{CellRef, Config, Counters, Error, Machine, NodeId, Reply, Then, threaded_old};

/// Members dealt round `nodes` nodes that are not on node 0.
fn away(members: usize, nodes: usize) -> u64 {
    (members - members.div_ceil(nodes)) as u64
}

/// Counts that the program fixes: invokes, signals, fibers, frames, and that nothing was parked.
fn fixed(counters: &Counters) -> [u64; 5] {
    [counters.invokes, counters.signals, counters.fibers, counters.frames, counters.parked]
}

threaded_old! {
    /// What the members of a group say of where they are.
    fn Places(group: Group, members: u64, out: Reply<Vec<(u64, NodeId)>>)
    calls { Everywhere<Place> }
    fiber start(this, eu) {
        everywhere::<Place>(eu, this.group, 0..this.members, this.out);
        Then::End
    }
}

threaded_old! {
    fn Place(member: u64, out: Reply<(u64, NodeId)>)
    fiber start(this, eu) {
        eu.put(this.out, (this.member, eu.node()));
        Then::End
    }
}

/// All nodes of a machine.
fn all_of(case: Case) -> Group {
    Group::new(NodeId::new(0)..NodeId::new(case.nodes))
}

#[test]
fn what_members_everywhere_say_comes_in_their_order() {
    on_every(|case| {
        for members in [0, 1, case.nodes as u64, 13] {
            let run = good::<Places>(&mut case.machine(), (all_of(case), members));
            let place = |member| (member, NodeId::new(member as usize % case.nodes));
            assert_eq!(run.value, (0..members).map(place).collect::<Vec<_>>());
            let told = u64::from(members > 0);
            let expected = [1 + members, members + 1, 2 + members + told, 1, 0];
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
        let run = good::<Places>(&mut case.machine(), (group, 5));
        assert_eq!(run.value.iter().map(|(_, node)| node.index()).collect::<Vec<_>>(), [1, 2, 1, 2, 1]);
    });
}

#[test]
fn a_group_beyond_the_machine_is_refused() {
    on_every(|case| {
        let group = Group::new(NodeId::new(case.nodes - 1)..NodeId::new(case.nodes + 1));
        let error = bad::<Places>(&mut case.machine(), (group, 2));
        assert!(matches!(error, Error::NoSuchNode { node, .. } if node == case.nodes), "{error}");
    });
}

#[test]
#[should_panic(expected = "a group has at least one node")]
fn a_group_of_no_nodes_cannot_be_said() {
    Group::new(NodeId::new(3)..NodeId::new(3));
}

threaded_old! {
    /// Tells a word to `members` members, who each say how long it is and where they heard it.
    fn Tells(members: u64, out: Reply<Vec<u64>>)
    calls  { Everywhere<Listens>, Broadcast<String> }
    inlets { doors: Vec<Reply<String>>, heard[this.members as usize]: u64 }
    slots  { met: 1 => tell, all: (this.members.max(1)) => done }
    fiber start(this, eu) {
        let heard = eu.replies_to_one(Self::heard, Self::all);
        let given = (0..heard.len()).map(|member| heard.at(member));
        everywhere::<Listens>(eu, Group::all(eu), given, eu.reply_to(Self::doors, Self::met));
        if this.members == 0 {
            eu.put(this.out, Vec::new());
        }
        Then::Wait
    }
    fiber tell(this, eu) {
        let doors = eu.take(Self::doors);
        broadcast(eu, &"dataflow".to_owned(), doors);
        if this.members == 0 { Then::End } else { Then::Wait }
    }
    fiber done(this, eu) {
        let heard = (0..this.members as usize).map(|member| eu.take(Self::heard.at(member))).collect();
        eu.put(this.out, heard);
        Then::End
    }
}

threaded_old! {
    fn Listens(heard: Reply<u64>, door: Reply<Reply<String>>)
    inlets { text: String }
    slots  { told: 1 => hear }
    fiber start(this, eu) {
        eu.put(this.door, eu.reply_to(Self::text, Self::told));
        Then::Wait
    }
    fiber hear(this, eu) {
        let text = eu.take(Self::text);
        eu.put(this.heard, text.len() as u64 + 100 * eu.node().index() as u64);
        Then::End
    }
}

#[test]
fn a_broadcast_reaches_each_node_by_one_message() {
    let tells = |machine: &mut Machine, nodes: usize, members: u64| {
        let run = good::<Tells>(machine, members);
        assert_eq!(
            run.value,
            (0..members).map(|member| 8 + 100 * (member % nodes as u64)).collect::<Vec<_>>()
        );
        let reached = nodes.min(members.max(1) as usize) as u64 - 1;
        // The start of each member, its door, what it heard; and the broadcast.
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

threaded_old! {
    /// The sum of 1 / (i + 1) in pieces, in the order that their number fixes.
    fn Sums(members: u64, out: Reply<f64>)
    calls { Reduce<Term, Sum> }
    fiber start(this, eu) {
        reduce::<Term, Sum>(eu, Group::all(eu), 0..this.members, this.out);
        Then::End
    }
}

threaded_old! {
    fn Term(i: u64, out: Reply<f64>)
    fiber start(this, eu) {
        eu.put(this.out, term(this.i));
        Then::End
    }
}

fn term(i: u64) -> f64 {
    1.0 / (i * i % 17 + i + 1) as f64
}

/// The tree of a reduction, written down as a recursion on the second half.
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
        let run = good::<Sums>(machine, members);
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

threaded_old! {
    /// Operations that are not commutative, and the extremes.
    fn Combined(out: Reply<(Vec<u64>, u64, u64)>)
    calls  { Reduce<One, Concat>, Reduce<Digit, Min>, Reduce<Digit, Max> }
    inlets { list: Vec<u64>, min: u64, max: u64 }
    slots  { all: 3 => done }
    fiber start(_this, eu) {
        let group = Group::all(eu);
        reduce::<One, Concat>(eu, group, 0..11, eu.reply_to(Self::list, Self::all));
        reduce::<Digit, Min>(eu, group, 0..11, eu.reply_to(Self::min, Self::all));
        reduce::<Digit, Max>(eu, group, 0..11, eu.reply_to(Self::max, Self::all));
        Then::Wait
    }
    fiber done(this, eu) {
        let value = (eu.take(Self::list), eu.take(Self::min), eu.take(Self::max));
        eu.put(this.out, value);
        Then::End
    }
}

threaded_old! {
    fn One(i: u64, out: Reply<Vec<u64>>)
    fiber start(this, eu) {
        eu.put(this.out, vec![this.i]);
        Then::End
    }
}

threaded_old! {
    fn Digit(i: u64, out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, (this.i * 7 + 3) % 11);
        Then::End
    }
}

#[test]
fn values_are_combined_from_left_to_right() {
    on_every(|case| {
        let (list, min, max) = good::<Combined>(&mut case.machine(), ()).value;
        assert_eq!((list, min, max), ((0..11).collect(), 0, 10));
    });
}

#[test]
fn a_reduction_of_no_members_is_refused() {
    on_every(|case| {
        let error = bad::<Sums>(&mut case.machine(), 0);
        let Error::Panicked { at, message } = error else { panic!("{error}") };
        assert_eq!((at.function.as_str(), message.as_str()), ("Sums", "a reduction of no members"));
    });
}

threaded_old! {
    /// Values on all nodes, asked for by a function on each, `questions` times; they are let go
    /// `times` times.
    fn Locals(questions: u64, times: u64, out: Reply<Vec<String>>)
    state  { kept: Vec<Kept<String>> = Vec::new() }
    calls  { Everywhere<Local<String>>, Everywhere<Asks> }
    inlets { kept_in: Vec<Kept<String>>, heard: Vec<String> }
    slots  { built: 1 => ask, answered: 1 => done }
    fiber start(_this, eu) {
        let values = (0..eu.nodes()).map(|node| format!("of {node}"));
        keep(eu, Group::all(eu), values, eu.reply_to(Self::kept_in, Self::built));
        Then::Wait
    }
    fiber ask(this, eu) {
        this.kept = eu.take(Self::kept_in);
        let given = this.kept.iter().map(|kept| (kept.value, this.questions));
        everywhere::<Asks>(eu, Group::all(eu), given, eu.reply_to(Self::heard, Self::answered));
        Then::Wait
    }
    fiber done(this, eu) {
        let heard = eu.take(Self::heard);
        for _ in 0..this.times {
            this.kept.iter().for_each(|kept| eu.rsync(kept.done));
        }
        eu.put(this.out, heard);
        Then::End
    }
}

threaded_old! {
    fn Asks(cell: CellRef<String>, questions: u64, out: Reply<String>)
    inlets { word: String }
    slots  { came: 1, reset 1 => look }
    fiber start(this, eu) {
        assert_eq!(this.cell.node(), eu.node());
        eu.get(this.cell, eu.reply_to(Self::word, Self::came));
        Then::Wait
    }
    fiber look(this, eu) {
        let word = eu.take(Self::word);
        this.questions -= 1;
        if this.questions > 0 {
            eu.get(this.cell, eu.reply_to(Self::word, Self::came));
            return Then::Wait;
        }
        eu.put(this.out, word);
        Then::End
    }
}

#[test]
fn a_value_on_each_node_answers_there() {
    on_every(|case| {
        for questions in [1, 7] {
            let run = good::<Locals>(&mut case.machine(), (questions, 1));
            let nodes = case.nodes as u64;
            assert_eq!(run.value, (0..nodes).map(|node| format!("of {node}")).collect::<Vec<_>>());
            // Start and address, start and answer, end; no question leaves its node.
            assert_eq!(run.counters.events_sent, 5 * (nodes - 1));
            assert_eq!(run.counters.signals, (nodes + 1) + (nodes + 1) + nodes * questions + nodes + 1);
            assert_eq!(run.counters.deferred_reads, 0);
        }
    });
}

#[test]
fn a_value_is_let_go_once() {
    on_every(|case| {
        let error = bad::<Locals>(&mut case.machine(), (1, 2));
        assert!(matches!(error, Error::StaleAddress { .. } | Error::TooManySignals { .. }), "{error}");
    });
}
