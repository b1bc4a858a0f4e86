//! Addresses that outlived their frame are reported and never followed, even if the frame's number already
//! serves another frame.

use crate::common::{fails, gives, on_every, on_every_of};
use earth::{
    Arrived, CellRef, Config, EntryName, Error, Eu, FiberName, Machine, NodeId, Reply, SlotRef, Start, Then,
    threaded,
};
use snapbox::{assert_data_eq, str};

/// Addresses of a slot, an inlet and a cell of one frame.
type Addresses = (SlotRef, Reply<u64>, CellRef<u64>);

/// Puts its addresses. Ends at once, or when it is poked.
struct Child;

#[threaded]
impl Child {
    fn start(stays: bool, out: Reply<Addresses>, eu: &mut Eu<Self>) -> Start<Self> {
        let inlet = eu.reply(Self::value().x);
        eu.put(out, (eu.slot_ref(Self::poke()), inlet, eu.cell_ref(Self::c())));
        if stays { Start::Wait(Child) } else { Start::End }
    }

    #[cell]
    fn c() -> u64;

    #[slot(sync)]
    fn poke(self) {}

    #[slot]
    fn value(self, x: u64) {
        unreachable!("{x} comes when the frame has ended")
    }
}

/// Starts a child on `node` that ends, and `others` children that stay. Then uses the first child's addresses
/// in the way `how`, or else pokes the children that stay.
struct Parent {
    node: NodeId,
    others: usize,
    how: u64,
    ended: Option<Addresses>,
    stay: Vec<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Parent {
    fn start(node: NodeId, others: usize, how: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(node, Child::call(false, eu.reply(Self::told().child)));
        Parent { node, others, how, ended: None, stay: Vec::new(), out }
    }

    #[slot(again)]
    fn told(&mut self, child: Addresses, eu: &mut Eu<Self>) -> Then {
        match self.ended {
            Some(_) => self.stay.push(child.0),
            None => self.ended = Some(child),
        }
        if self.stay.len() < self.others {
            eu.invoke(self.node, Child::call(true, eu.reply(Self::told().child)));
            return Then::Wait;
        }
        let Some((slot, inlet, cell)) = self.ended else {
            unreachable!("the first child has put its addresses")
        };
        let reused = self.others == 0 || self.stay.iter().any(|&stays| is_same_number(stays, slot));
        assert!(reused, "none of {:?} has the number of {slot:?}", self.stay);
        match self.how {
            0 => eu.rsync(slot),
            1 => eu.put(inlet, 5),
            2 => eu.get(cell, eu.reply(Self::answered().answer)),
            3 => eu.write(cell, 5),
            _ => {
                self.stay.drain(..).for_each(|stays| eu.rsync(stays));
                eu.put(self.out, 8);
                return Then::End;
            }
        }
        Then::Wait
    }

    #[slot]
    fn answered(self, answer: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, answer);
    }
}

/// Whether the texts of two slots show the same frame number with different generations.
fn is_same_number(a: SlotRef, b: SlotRef) -> bool {
    let number = |slot: SlotRef| format!("{slot:?}").split(" (generation").next().map(str::to_owned);
    a != b && number(a) == number(b)
}

fn entry(what: &'static str, name: &str, function: &str, node: NodeId) -> EntryName {
    EntryName { what: what.into(), name: name.to_owned(), function: function.to_owned(), node: node.index() }
}

fn fiber(fiber: &str, function: &str, node: NodeId) -> FiberName {
    FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: node.index() }
}

/// Returns the error of `Parent` when it uses the addresses of its first child in the way `how`.
fn stale(how: usize, node: NodeId) -> Error {
    let (what, kind, name) = [
        ("a signal", "slot", "poke"),
        ("a value", "inlet", "x"),
        ("a read request", "cell", "c"),
        ("a value", "cell", "c"),
    ][how];
    let sender = Box::new(fiber("told", "Parent", NodeId::new(0)));
    Error::StaleAddress {
        what: what.into(),
        to: entry(kind, name, "Child", node),
        why: "had ended".into(),
        sender,
    }
}

/// Whether the error is the one of an early message: on a DUAL node, `Parent`'s message reached the
/// synchronization unit before the news that the child had ended.
fn is_early(how: usize, error: &Error) -> bool {
    match error {
        Error::EndedTooEarly { function, why, .. } => {
            let enabled = **why == *"while one of its fibers was enabled";
            let reads = **why == *"while values were parked at its inlets or reads waited at its cells";
            function == "Child" && (how < 2 && enabled || how == 2 && reads)
        }
        Error::Stuck(stuck) => how == 3 && stuck.frames == 1,
        _ => false,
    }
}

/// Collects the errors of each way for many seeds: likely and unlikely ones.
#[test]
fn an_address_of_a_frame_that_ends_may_be_used_early_in_dual() {
    let mut early = 0;
    for (seed, how) in (0..600).flat_map(|seed| [0, 1, 2, 3].map(|how| (seed, how))) {
        let mut machine = Machine::stepper(seed).config(Config::Dual);
        let last = NodeId::new(1);
        let error = fails(&mut machine, |out| Parent::call(last, 0, how as u64, out));
        assert!(error == stale(how, last) || is_early(how, &error), "way {how}, seed {seed}: {error}");
        early += usize::from(is_early(how, &error));
    }
    assert!((1..60).contains(&early), "{early}");
}

#[test]
fn an_address_of_an_ended_frame_is_reported() {
    on_every_of(2, |case| {
        for how in 0..4 {
            let mut machine = case.machine();
            let error = fails(&mut machine, |out| Parent::call(case.last(), 0, how as u64, out));
            let may =
                error == stale(how, case.last()) || case.config == Config::Dual && is_early(how, &error);
            assert!(may, "way {how}: {error}");
            assert_eq!(gives(&mut machine, |out| Parent::call(case.last(), 0, 4, out)).value, 8);
        }
    });
}

#[test]
fn an_address_is_not_followed_to_a_newer_frame_of_the_same_number() {
    on_every(|case| {
        for how in 0..4 {
            let mut machine = case.machine();
            let error = fails(&mut machine, |out| Parent::call(case.last(), 3, how as u64, out));
            assert_eq!(error, stale(how, case.last()), "way {how}");
            assert_eq!(gives(&mut machine, |out| Parent::call(case.last(), 3, 4, out)).value, 8);
        }
    });
}

/// Starts a sequence of functions that begin and end under one frame number of the last node. The first is a
/// `Sized`, whose address is kept; `others` functions of alternating types follow. Then another function puts
/// a value to the first one.
struct Succession {
    others: u64,
    turn: u64,
    first: Option<Reply<u64>>,
}

#[threaded]
impl Succession {
    fn start(others: u64, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Sized::call(3, eu.reply(Self::next().address)));
        Succession { others, turn: 0, first: None }
    }

    #[slot(again)]
    fn next(&mut self, address: Reply<u64>, eu: &mut Eu<Self>) -> Then {
        let last = NodeId::new(eu.nodes() - 1);
        let first = *self.first.get_or_insert(address);
        let to = eu.reply(Self::next().address);
        self.turn += 1;
        match self.turn {
            turn if turn > self.others => eu.invoke(last, Late::call(first)),
            // Each function has the frame number of the previous one, which has ended.
            turn if turn % 2 == 0 => eu.invoke(last, Plain::call(to)),
            _ => eu.invoke(last, Other::call(to)),
        }
        Then::Wait
    }
}

/// Puts the address of its last inlet and ends.
struct Sized;

#[threaded]
impl Sized {
    fn start(len: usize, out: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(out, eu.replies(Self::s().x).at(len - 1));
        Start::End
    }

    #[slot]
    fn s(self, #[inlets(len)] x: Arrived<'_, u64>) {
        unreachable!("{x:?} come when the frame has ended")
    }
}

struct Plain;

#[threaded]
impl Plain {
    fn start(out: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(out, eu.reply(Self::s().a));
        Start::End
    }

    #[slot]
    fn s(self, a: u64) {
        unreachable!("{a} is never put")
    }
}

struct Other;

#[threaded]
impl Other {
    fn start(out: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(out, eu.reply(Self::s().b));
        Start::End
    }

    #[slot(sync)]
    fn s(self, b: u64) {
        unreachable!("{b} is never put")
    }
}

/// Puts a value from a frame of its own. Its frame number is never reused by smaller frames.
struct Late {
    to: Reply<u64>,
    _size: [u64; 32],
}

#[threaded]
impl Late {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::late());
        Late { to, _size: [0; 32] }
    }

    #[slot(sync)]
    fn late(self, eu: &mut Eu<Self>) {
        eu.put(self.to, 5);
    }
}

#[test]
fn an_ended_frame_is_named_though_its_number_serves_another_function() {
    on_every_of(2, |case| {
        for others in 0..6 {
            let sender = Box::new(fiber("late", "Late", case.last()));
            let name = if others == 0 { "x[2]" } else { "number 3" };
            let to = entry("inlet", name, "Sized", case.last());
            let expected =
                Error::StaleAddress { what: "a value".into(), to, why: "had ended".into(), sender };
            assert_eq!(
                fails(&mut case.machine(), |_: Reply<u64>| Succession::call(others)),
                expected,
                "{others} others"
            );
        }
    });
}

/// Has a cell on the last node. `Asks` reads it and ends; then `Answers` writes it.
struct HasCell;

#[threaded]
impl HasCell {
    fn start(hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), HasCell::call(false, out));
            return Start::End;
        }
        eu.invoke(eu.node(), Asks::call(eu.cell_ref(Self::c())));
        Start::Wait(HasCell)
    }

    #[cell]
    fn c() -> u64;
}

struct Asks;

#[threaded]
impl Asks {
    fn start(cell: CellRef<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.get(cell, eu.reply(Self::come().answer));
        eu.invoke(eu.node(), Answers::call(cell));
        Start::End
    }

    #[slot]
    fn come(self, answer: u64) {
        unreachable!("{answer} comes when the frame has ended")
    }
}

struct Answers;

#[threaded]
impl Answers {
    fn start(cell: CellRef<u64>, eu: &mut Eu<Self>) {
        eu.write(cell, 1);
    }
}

#[test]
fn an_answer_to_an_ended_frame_counts_as_sent_by_the_requester() {
    on_every(|case| {
        let sender = Box::new(fiber("start", "Asks", case.last()));
        let to = entry("inlet", "answer", "Asks", case.last());
        let expected = Error::StaleAddress { what: "a value".into(), to, why: "had ended".into(), sender };
        assert_eq!(fails(&mut case.machine(), |out| HasCell::call(true, out)), expected);
    });
}

#[test]
fn an_error_of_an_address_reads_as_a_sentence() {
    let to = entry("inlet", "left", "Fib", NodeId::new(1));
    let sender = Box::new(fiber("start", "Ring", NodeId::new(0)));
    let error = Error::StaleAddress { what: "a value".into(), to, why: "had ended".into(), sender };
    assert_data_eq!(
        error.to_string(),
        str![
            "fiber `start` of Ring on node 0 sent a value to inlet `left` of Fib on node 1, which had ended"
        ]
    );
}
