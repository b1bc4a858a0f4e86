//! Isolated calls by the thousand: each makes a tree of functions on all nodes, with cells, late messages and
//! isolated calls inside, and some fail in one of many ways. Each gets one answer, which a plain recursion
//! predicts, and no value, frame or message of it is left.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::counted::{Counted, Tally};
use crate::common::{Kind, gives, on_every, scramble, still_works};
use earth::isolated::IsolatedError;
use earth::{CellRef, Config, Error, Eu, Machine, NodeId, Reply, SlotRef, Start, Wire, threaded};

/// The answer of an isolated call inside another one that failed.
const LOST: u64 = 7_777;

/// The work of a request. Its functions form a binary tree; their paths number them from the root, 1.
#[derive(Clone, Copy, Wire)]
struct Plan {
    seed: u64,
    /// The function that fails; 0 for none.
    bad: u64,
    how: u64,
    tally: u32,
}

/// Ways to fail. Leaves know only the first.
const WAYS: u64 = 9;

impl Plan {
    fn new(seed: u64, tally: u32) -> Self {
        let draw = scramble(seed.wrapping_mul(0x9E37_79B9) + 1, 5);
        let functions = 2 << (1 + seed % 4);
        let bad = if draw.is_multiple_of(3) { 1 + (draw >> 8) % (functions - 1) } else { 0 };
        Plan { seed, bad, how: (draw >> 24) % WAYS, tally }
    }

    fn draw(self, path: u64) -> u64 {
        scramble(self.seed ^ path.wrapping_mul(0xD134_2543_DE82_EF95), 4)
    }

    fn is_leaf(self, path: u64) -> bool {
        u64::from(path.ilog2()) == 1 + self.seed % 4
    }

    /// Whether the function is isolated from the one that starts it.
    fn is_isolated(self, path: u64) -> bool {
        path > 1 && (self.draw(path) >> 40).is_multiple_of(4)
    }

    /// Returns the value of a function, or `None` if it fails.
    fn expected(self, path: u64) -> Option<u64> {
        if path == self.bad {
            return None;
        }
        let own = self.draw(path) % 1_000;
        if self.is_leaf(path) {
            return Some(own);
        }
        let child = |path| {
            let value = self.expected(path);
            if self.is_isolated(path) { value.or(Some(LOST)) } else { value }
        };
        // Both children start, whichever fails.
        let (left, right) = (child(2 * path), child(2 * path + 1));
        Some(own + left? + right?)
    }

    fn value(self, path: u64) -> Counted {
        Tally::of(self.tally).value(path)
    }
}

fn unwind(plan: Plan) -> ! {
    // A panic without its message on the terminal.
    resume_unwind(Box::new(format!("request {}", plan.seed)))
}

struct Tree {
    plan: Plan,
    path: u64,
    _own: Counted,
    out: Reply<u64>,
}

#[threaded]
impl Tree {
    fn start(plan: Plan, path: u64, own: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        let (bad, draw) = (plan.bad == path, plan.draw(path));
        if plan.is_leaf(path) {
            if bad {
                unwind(plan);
            }
            eu.put(out, draw % 1_000);
            return Start::End;
        }
        if bad && plan.how == 0 {
            unwind(plan);
        }
        let node = |by: u64| NodeId::new((draw >> by) as usize % eu.nodes());
        let (first, second) = (node(9), node(15));
        let add = Self::add();
        eu.invoke(
            first,
            Helper::call(draw % 1_000, plan.value(path), eu.reply(Self::ask().at), eu.reply(add.done)),
        );
        for (child, to) in [(2 * path, eu.reply(add.left)), (2 * path + 1, eu.reply(add.right))] {
            let own = plan.value(child);
            if plan.is_isolated(child) {
                eu.token(Safe::call(plan, child, own, to));
            } else if plan.draw(child) >> 30 & 1 == 0 {
                eu.token(Tree::call(plan, child, own, to));
            } else {
                eu.invoke(second, Tree::call(plan, child, own, to));
            }
        }
        match plan.how {
            1 if bad => unwind(plan),
            2 if bad => eu.invoke(NodeId::new(eu.nodes()), Safe::call(plan, 1, own.again(), out)),
            3 if bad => {
                // Catching the unwinding does not help.
                let beyond = NodeId::new(eu.nodes());
                let again = own.again();
                let caught =
                    catch_unwind(AssertUnwindSafe(|| eu.invoke(beyond, Tree::call(plan, 1, again, out))));
                assert!(caught.is_err());
            }
            _ => {}
        }
        Start::Wait(Tree { plan, path, _own: own, out })
    }

    /// Reads the helper's cell, which is written afterwards.
    #[slot]
    fn ask(&mut self, at: (CellRef<u64>, SlotRef), eu: &mut Eu<Self>) {
        eu.get(at.0, eu.reply(Self::add().number));
        eu.rsync(at.1);
        if self.plan.bad == self.path && self.plan.how == 4 {
            unwind(self.plan);
        }
    }

    #[slot]
    fn add(self, left: u64, right: u64, done: SlotRef, number: u64, eu: &mut Eu<Self>) -> Result<(), String> {
        let how = if self.plan.bad == self.path { self.plan.how } else { WAYS };
        eu.rsync(done);
        eu.put(self.out, number + left + right);
        match how {
            5 => return Err(format!("request {}", self.plan.seed)),
            // The answer is under way, and this signal is late.
            6 => eu.rsync(done),
            7 => eu.put(self.out, 0),
            8 => unwind(self.plan),
            _ => {}
        }
        Ok(())
    }
}

/// A function beside a tree's, whose cell is read before it is written.
struct Helper {
    number: u64,
    _own: Counted,
}

#[threaded]
impl Helper {
    fn start(
        number: u64,
        own: Counted,
        at: Reply<(CellRef<u64>, SlotRef)>,
        done: Reply<SlotRef>,
        eu: &mut Eu<Self>,
    ) -> Self {
        eu.put(at, (eu.cell_ref(Self::number()), eu.slot_ref(Self::write())));
        eu.put(done, eu.slot_ref(Self::done()));
        Helper { number, _own: own }
    }

    #[cell]
    fn number() -> u64;

    #[slot(sync)]
    fn write(&mut self, eu: &mut Eu<Self>) {
        eu.write(eu.cell_ref(Self::number()), self.number);
    }

    #[slot(sync)]
    fn done(self) {}
}

/// Isolates a part of a tree.
struct Safe {
    out: Reply<u64>,
}

#[threaded]
impl Safe {
    fn start(plan: Plan, path: u64, own: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let answer = eu.reply(Self::came().answer);
        if plan.draw(path) >> 50 & 1 == 0 {
            eu.isolated_token(|reply| Tree::call(plan, path, own, reply), answer);
        } else {
            let node = NodeId::new((plan.draw(path) >> 51) as usize % eu.nodes());
            eu.isolated(node, |reply| Tree::call(plan, path, own, reply), answer);
        }
        Safe { out }
    }

    #[slot]
    fn came(self, answer: Result<u64, IsolatedError>, eu: &mut Eu<Self>) {
        eu.put(self.out, answer.unwrap_or(LOST));
    }
}

type Answer = (u64, Result<u64, IsolatedError>);

/// One request.
struct One {
    request: u64,
    out: Reply<Answer>,
}

#[threaded]
impl One {
    fn start(request: u64, tally: u32, out: Reply<Answer>, eu: &mut Eu<Self>) -> Self {
        let (plan, answer) = (Plan::new(request, tally), eu.reply(Self::came().answer));
        let own = plan.value(1);
        if request.is_multiple_of(2) {
            eu.isolated_token(|reply| Tree::call(plan, 1, own, reply), answer);
        } else {
            let node = NodeId::new(request as usize / 2 % eu.nodes());
            eu.isolated(node, |reply| Tree::call(plan, 1, own, reply), answer);
        }
        One { request, out }
    }

    #[slot]
    fn came(self, answer: Result<u64, IsolatedError>, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.request, answer));
    }
}

/// Runs requests, a few at a time.
struct Service {
    next: u64,
    end: u64,
    tally: u32,
    answers: Vec<Answer>,
    left: u64,
    out: Reply<Vec<Answer>>,
}

#[threaded]
impl Service {
    fn start(first: u64, count: u64, tally: u32, out: Reply<Vec<Answer>>, eu: &mut Eu<Self>) -> Self {
        let mut service =
            Service { next: first, end: first + count, tally, answers: Vec::new(), left: count, out };
        (0..8.min(count)).for_each(|_| service.request(eu));
        service
    }

    #[slot(again)]
    fn answered(&mut self, answer: Answer, eu: &mut Eu<Self>) -> earth::Then {
        self.answers.push(answer);
        self.left -= 1;
        if self.next < self.end {
            self.request(eu);
        }
        if self.left > 0 {
            return earth::Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.answers));
        earth::Then::End
    }
}

impl Service {
    fn request(&mut self, eu: &mut Eu<Self>) {
        let one = One::call(self.next, self.tally, eu.reply(Self::answered().answer));
        self.next += 1;
        if self.next.is_multiple_of(3) {
            eu.invoke(NodeId::new(self.next as usize % eu.nodes()), one);
        } else {
            eu.token(one);
        }
    }
}

/// Checks the error of a request that fails.
fn check_error(plan: Plan, error: &IsolatedError) {
    let IsolatedError::Failed(error) = error else { panic!("request {}: {error}", plan.seed) };
    let how = if plan.is_leaf(plan.bad) { 0 } else { plan.how };
    let text = format!("request {}", plan.seed);
    let expected = match (how, &**error) {
        (0 | 1 | 4 | 8, Error::Panicked { at, message }) => at.function.ends_with("Tree") && *message == text,
        (5, Error::Failed { at, why }) => at.fiber == "add" && *why == text,
        (2 | 3, Error::NoSuchNode { at, .. }) => at.fiber == "start",
        (6 | 7, Error::StaleAddress { sender, .. } | Error::TooManySignals { sender, .. }) => {
            sender.fiber == "add"
        }
        // In DUAL, and while a value is parked, the frame that ends is the one that is wrong.
        (6 | 7, Error::EndedTooEarly { .. }) => true,
        _ => false,
    };
    assert!(expected, "request {} fails in the way {how}: {error}", plan.seed);
}

/// Runs `count` requests and checks all answers.
fn serves(machine: &mut Machine, first: u64, count: u64, tally: &Tally) {
    let run = gives(machine, |out| Service::call(first, count, tally.number(), out));
    let mut answers = run.value;
    answers.sort_by_key(|answer| answer.0);
    assert!((first..first + count).eq(answers.iter().map(|answer| answer.0)), "one answer each");
    for (request, answer) in &answers {
        let plan = Plan::new(*request, tally.number());
        match (plan.expected(1), answer) {
            (Some(value), Ok(given)) => assert_eq!(value, *given, "request {request}"),
            (None, Err(error)) => check_error(plan, error),
            (expected, given) => panic!("request {request}: {given:?}, not {expected:?}"),
        }
    }
}

fn many() -> u64 {
    if std::env::var_os("EARTH_LONG").is_some() { 50_000 } else { 1_250 }
}

#[test]
fn each_request_gets_its_answer_on_every_machine() {
    on_every(|case| {
        let (tally, mut machine) = (Tally::new(), case.machine());
        let count = if matches!(case.kind, Kind::Ranks { .. }) { 40 } else { 60 };
        serves(&mut machine, 1, count, &tally);
        still_works(&mut machine);
        drop(machine);
        if !case.is_of_ranks() {
            assert_eq!(tally.left(), 0);
        }
    });
}

#[test]
fn each_of_many_requests_gets_its_answer_on_threads() {
    for config in [Config::Spn, Config::Dual] {
        let (tally, mut machine) = (Tally::new(), Machine::threads(3).config(config));
        serves(&mut machine, 10_000, many(), &tally);
        assert_eq!(tally.left(), 0);
    }
}

#[test]
fn each_of_many_requests_gets_its_answer_on_steppers() {
    for config in [Config::Spn, Config::Dual] {
        let (tally, runs) = (Tally::new(), 50);
        for seed in 0..runs {
            let mut machine = Machine::stepper(seed).nodes(1 + seed as usize % 4).config(config);
            let (count, bytes) = (many() / runs, seed % 3 == 0);
            machine = machine.through_bytes(bytes).queue_capacity(if seed % 5 == 0 { 2 } else { 64 });
            serves(&mut machine, 1_000_000 + seed * count, count, &tally);
            assert_eq!(tally.left(), 0, "with seed {seed}");
        }
    }
}
