//! Every form of `#[threaded]`, on every machine.

use crate::common::{gives, on_every};
use earth::{Arrived, CellRef, Eu, NodeId, Replies, Reply, SlotRef, SlotRefs, Start, Then, Wire, threaded};

/// A first fiber without a return value ends its function. It may have any name and no unit.
struct Product;

#[threaded]
impl Product {
    fn multiply(a: u64, b: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, a * b);
    }
}

/// `Start`, `self`, and two inlets of a slot.
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

#[test]
fn a_first_fiber_ends_or_waits() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, |out| Product::call(6, 7, out)).value, 42);
        let run = gives(&mut machine, |out| Fib::call(9, out));
        assert_eq!(run.value, 34);
        // Calls that end in their first fiber need no frame in SPN: 54 of the 109 calls make a join.
        assert_eq!(run.counters.fibers, 109 + 54);
    });
}

/// Signals beside inlets: `sync`, `syncs`, and a raised count. Also spawned fibers, with and without an
/// index.
struct Signals {
    seen: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Signals {
    fn start(signals: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::once());
        eu.put(eu.reply(Self::many().value), 7);
        for _ in 0..signals {
            eu.rsync(eu.slot_ref(Self::many()));
        }
        eu.incr(Self::last(), 2);
        Signals { seen: Vec::new(), out }
    }

    #[slot(sync)]
    fn once(&mut self, eu: &mut Eu<Self>) {
        self.seen.push(1);
        eu.spawn(Self::indexed(30));
    }

    #[slot(syncs = signals)]
    fn many(&mut self, value: u64, eu: &mut Eu<Self>) {
        self.seen.push(value);
        eu.spawn(Self::plain());
    }

    #[spawned]
    fn plain(&mut self, eu: &mut Eu<Self>) {
        self.seen.push(20);
        eu.sync(Self::last());
    }

    #[spawned]
    fn indexed(&mut self, index: usize, eu: &mut Eu<Self>) -> Then {
        self.seen.push(index as u64);
        eu.sync(Self::last());
        eu.sync(Self::last());
        Then::Wait
    }

    #[slot(sync)]
    fn last(mut self, eu: &mut Eu<Self>) {
        self.seen.sort_unstable();
        eu.put(self.out, self.seen);
    }
}

#[test]
fn signals_are_counted_beside_inlets() {
    on_every(|case| {
        for signals in [1, 3] {
            let run = gives(&mut case.machine(), |out| Signals::call(signals, out));
            assert_eq!(run.value, [1, 7, 20, 30]);
        }
    });
}

/// A slot that resets. Its first round counts two signals more, and an early value waits for its round.
struct Rounds {
    sum: u64,
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Rounds {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let value = eu.reply(Self::round().value);
        (1..=rounds).for_each(|round| eu.put(value, round));
        eu.spawn(Self::open(0));
        eu.spawn(Self::open(1));
        Rounds { sum: 0, left: rounds, out }
    }

    #[spawned]
    fn open(&mut self, _index: usize, eu: &mut Eu<Self>) {
        eu.sync(Self::round());
    }

    #[slot(again, first = 2)]
    fn round(&mut self, value: u64, eu: &mut Eu<Self>) -> Then {
        self.sum = 10 * self.sum + value;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

#[test]
fn a_slot_that_resets_has_rounds() {
    on_every(|case| assert_eq!(gives(&mut case.machine(), |out| Rounds::call(4, out)).value, 1234));
}

/// An array of slots whose fiber gets the index, by elements and as a whole. Its sizes have names.
struct Stages {
    sums: Vec<u64>,
    left: usize,
    out: Reply<Vec<u64>>,
}

#[threaded(stages = values.len(), rounds = 1 + extra as usize)]
impl Stages {
    fn start(values: Vec<u64>, extra: u8, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let all = eu.replies(Self::stage(..).right);
        eu.token(Feeds::call(all, eu.slot_refs(Self::stage(..)), u64::from(extra)));
        for (i, value) in values.iter().enumerate() {
            eu.put(eu.reply(Self::stage(i).left), *value);
        }
        Stages { sums: vec![0; stages], left: stages, out }
    }

    #[slots(len = stages, syncs = rounds)]
    fn stage(&mut self, i: usize, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        self.sums[i] = left + right;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.sums));
        Then::End
    }
}

/// Sends another function's stages a value each, and their signals.
struct Feeds;

#[threaded]
impl Feeds {
    fn start(to: Replies<u64>, stages: SlotRefs, extra: u64, eu: &mut Eu<Self>) {
        for i in 0..to.len() {
            eu.put(to.at(i), 100 * i as u64);
            (0..=extra).for_each(|_| eu.rsync(stages.at(i)));
        }
    }
}

#[test]
fn arguments_set_the_length_of_arrays_of_slots() {
    on_every(|case| {
        for extra in [0, 3] {
            let run = gives(&mut case.machine(), |out| Stages::call(vec![1, 2, 3], extra, out));
            assert_eq!(run.value, [1, 102, 203]);
        }
    });
}

/// Many inlets of one slot, beside a single inlet and a signal, round by round.
struct Gather {
    members: u64,
    left: u64,
    sum: u64,
    out: Reply<u64>,
}

#[threaded(half = members as usize / 2)]
impl Gather {
    fn start(members: u64, rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let own = Gather { members, left: rounds, sum: 0, out };
        own.ask(eu);
        own
    }

    #[slot(sync, again)]
    fn round(
        &mut self,
        #[inlets(half)] low: Arrived<'_, u64>,
        factor: u64,
        #[inlets(members as usize - half)] high: Arrived<'_, u64>,
        eu: &mut Eu<Self>,
    ) -> Then {
        assert_eq!(low.len() + high.len(), self.members as usize);
        self.sum += factor * low.chain(high).enumerate().map(|(i, value)| i as u64 * value).sum::<u64>();
        self.left -= 1;
        if self.left == 0 {
            eu.put(self.out, self.sum);
            return Then::End;
        }
        self.ask(eu);
        Then::Wait
    }
}

impl Gather {
    /// A helper that is not a fiber.
    fn ask(&self, eu: &mut Eu<Self>) {
        let half = self.members / 2;
        for member in 0..self.members {
            let to = if member < half {
                eu.replies(Self::round().low).at(member as usize)
            } else {
                eu.reply(Self::round().high.at((member - half) as usize))
            };
            let node = NodeId::new(member as usize % eu.nodes());
            eu.invoke(node, Product::call(member, 1, to));
        }
        eu.put(eu.reply(Self::round().factor), self.left);
        eu.sync(Self::round());
    }
}

#[test]
fn many_inlets_of_one_slot_arrive_as_a_vector() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Gather::call(5, 3, out));
        assert_eq!(run.value, (1 + 4 + 9 + 16) * (3 + 2 + 1));
    });
}

/// Cells, single and in an array, that are read before and after they are written.
struct Cells {
    sum: u64,
    out: Reply<(u64, String)>,
}

#[threaded]
impl Cells {
    fn start(length: usize, out: Reply<(u64, String)>, eu: &mut Eu<Self>) -> Self {
        let cells = eu.cell_refs(Self::squares(..));
        for i in 0..cells.len() {
            eu.get(cells.at(i), eu.reply(Self::add(i).square));
        }
        eu.get(eu.cell_ref(Self::name()), eu.reply(Self::end().name));
        eu.token(Writes::call(cells.at(0), eu.cell_ref(Self::squares(1)), eu.cell_ref(Self::name())));
        (2..length).for_each(|i| eu.write(eu.cell_ref(Self::squares(i)), (i * i) as u64));
        Cells { sum: 0, out }
    }

    /// Has a documentation comment.
    #[cells(len = length)]
    fn squares(i: usize) -> u64;

    #[cell]
    fn name() -> String;

    #[slots(len = length)]
    fn add(&mut self, i: usize, square: u64, eu: &mut Eu<Self>) {
        assert_eq!(square, (i * i) as u64);
        self.sum += square;
        eu.sync(Self::end());
    }

    #[slot(syncs = length)]
    fn end(self, name: String, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.sum, name));
    }
}

struct Writes;

#[threaded]
impl Writes {
    fn start(zero: CellRef<u64>, one: CellRef<u64>, name: CellRef<String>, eu: &mut Eu<Self>) {
        eu.write(zero, 0);
        eu.write(one, 1);
        eu.write(name, "squares".to_owned());
    }
}

#[test]
fn cells_are_read_before_they_are_written() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Cells::call(5, out));
        assert_eq!(run.value, (30, "squares".to_owned()));
    });
}

/// A generic function with a bound in a `where` clause and a constant. Calls infer its types.
struct Fold<T, const TIMES: usize> {
    out: Reply<T>,
}

#[threaded]
impl<T: Wire + Clone, const TIMES: usize> Fold<T, TIMES>
where
    T: std::ops::Add<Output = T>,
{
    fn start(value: T, out: Reply<T>, eu: &mut Eu<Self>) -> Self {
        for i in 0..TIMES {
            eu.token(Echo::call(value.clone(), eu.reply(Self::fold(i).value), eu.slot_ref(Self::end())));
        }
        eu.put(eu.reply(Self::end().first), value);
        Fold { out }
    }

    #[slots(len = TIMES)]
    fn fold(&mut self, i: usize, value: T, eu: &mut Eu<Self>) {
        eu.put(eu.reply(Self::end().rest.at(i)), value);
    }

    #[slot(syncs = TIMES)]
    fn end(self, first: T, #[inlets(TIMES)] rest: Arrived<'_, T>, eu: &mut Eu<Self>) {
        eu.put(self.out, rest.fold(first, |sum, value| sum + value));
    }
}

struct Echo<T>(std::marker::PhantomData<fn(T)>);

#[threaded]
impl<T: Wire> Echo<T> {
    fn start(value: T, out: Reply<T>, done: SlotRef, eu: &mut Eu<Self>) {
        eu.put(out, value);
        eu.rsync(done);
    }
}

#[test]
fn a_function_may_be_generic() {
    on_every(|case| {
        let mut machine = case.machine();
        assert_eq!(gives(&mut machine, |out| Fold::<u64, 3>::call(7, out)).value, 28);
        assert_eq!(
            gives(&mut machine, |out| Fold::<f64, 2>::call(0.5, out)).value.to_bits(),
            1.5f64.to_bits()
        );
    });
}

/// Functions that are started on named nodes, on any node, and on a range of nodes.
struct Starts {
    out: Reply<(usize, usize)>,
}

#[threaded]
impl Starts {
    fn start(out: Reply<(usize, usize)>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Here::call(eu.reply(Self::end().invoked)));
        eu.token_within(last..NodeId::new(eu.nodes()), Here::call(eu.reply(Self::end().within)));
        eu.token(Here::call(eu.reply(Self::end().anywhere)));
        Starts { out }
    }

    #[slot]
    fn end(self, invoked: usize, within: usize, anywhere: usize, eu: &mut Eu<Self>) {
        assert!(anywhere < eu.nodes());
        eu.put(self.out, (invoked, within));
    }
}

struct Here;

#[threaded]
impl Here {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(out, eu.node().index());
    }
}

#[test]
fn calls_start_on_their_nodes() {
    on_every(|case| {
        let last = case.last().index();
        assert_eq!(gives(&mut case.machine(), Starts::call).value, (last, last));
    });
}

/// More arguments than one tuple supports.
struct Nine;

#[threaded]
impl Nine {
    #[allow(clippy::many_single_char_names, reason = "the arguments have no meaning")]
    fn start(
        a: u8,
        b: u8,
        c: u8,
        d: u8,
        e: u8,
        f: u8,
        g: u8,
        h: u8,
        mut i: u32,
        out: Reply<u32>,
        eu: &mut Eu<Self>,
    ) {
        for digit in [a, b, c, d, e, f, g, h] {
            i = 10 * i + u32::from(digit);
        }
        eu.put(out, i);
    }
}

#[test]
fn a_function_may_have_many_arguments() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Nine::call(2, 3, 4, 5, 6, 7, 8, 9, 1, out));
        assert_eq!(run.value, 123_456_789);
    });
}
