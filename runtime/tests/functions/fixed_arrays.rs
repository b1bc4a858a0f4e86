//! Arrays of inlets whose length is a literal. Every frame stores them like single inlets, and they arrive as
//! an array.

use crate::common::counted::{Counted, Tally};
use crate::common::{fails, gives, on_every};
use earth::{
    Arrived, Config, EntryName, Error, Eu, FiberName, NodeId, Replies, Reply, Run, Start, Then, Wire,
    threaded,
};

/// Computes Fibonacci numbers; the fiber has an array of two inlets.
struct Fib {
    out: Reply<u64>,
}

#[threaded(in_line)]
impl Fib {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.replies(Self::add().parts).at(0)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().parts.at(1))));
        Start::Wait(Fib { out })
    }

    #[slot]
    fn add(self, #[inlets] parts: [u64; 2], eu: &mut Eu<Self>) {
        eu.put(self.out, parts.iter().sum());
    }
}

#[test]
fn a_recursion_joins_by_an_array() {
    on_every(|case| {
        let run = gives(&mut case.machine(), |out| Fib::call(10, out));
        // 88 calls wait for two others, and 89 do not wait.
        assert_eq!((run.value, run.counters.tokens), (55, 176));
        assert_eq!((run.counters.fibers, run.counters.signals), (177 + 88, 176 + 1));
    });
}

/// Puts consecutive numbers from `first` to all elements.
struct Fill;

#[threaded]
impl Fill {
    fn start(first: u64, to: Replies<u64>, eu: &mut Eu<Self>) {
        for i in 0..to.len() {
            eu.put(to.at(i), first + i as u64);
        }
    }
}

/// Arrays of both kinds beside single inlets, in one slot and in two, a cell, and an array of slots.
struct Mixed {
    sums: Vec<u64>,
    out: Reply<(Vec<u64>, String)>,
}

#[threaded]
impl Mixed {
    fn start(n: usize, out: Reply<(Vec<u64>, String)>, eu: &mut Eu<Self>) -> Self {
        let (low, rest, high) =
            (eu.replies(Self::all().low), eu.replies(Self::all().rest), eu.replies(Self::all().high));
        let (more, few) = (eu.replies(Self::other().more), eu.replies(Self::other().few));
        assert_eq!([low.len(), rest.len(), high.len(), more.len(), few.len()], [3, n, 2, n + 1, 4]);
        for (first, to) in [(10, low), (30, rest), (500, more), (900, few)] {
            let node = NodeId::new(first as usize % eu.nodes());
            eu.invoke(node, Fill::call(first, to));
        }
        for (i, name) in ["a", "b"].into_iter().enumerate() {
            eu.put(high.at(i), name.to_owned());
        }
        eu.put(eu.reply(Self::all().one), 1);
        eu.get(eu.cell_ref(Self::known()), eu.reply(Self::all().last.at(0)));
        eu.write(eu.cell_ref(Self::known()), 77);
        for i in 0..n {
            eu.put(eu.reply(Self::each(i).x), i as u64);
        }
        Mixed { sums: Vec::new(), out }
    }

    #[cell]
    fn known() -> u64;

    #[slots(len = n)]
    fn each(&mut self, i: usize, x: u64, eu: &mut Eu<Self>) {
        assert_eq!(x, i as u64);
        eu.sync(Self::other());
    }

    #[slot(syncs = n)]
    fn other(&mut self, #[inlets(n + 1)] more: Arrived<'_, u64>, #[inlets] few: [u64; 4], eu: &mut Eu<Self>) {
        assert!(few.into_iter().eq(900..904));
        self.sums = more.collect();
        eu.sync(Self::all());
    }

    #[slot(sync)]
    fn all(
        mut self,
        one: u64,
        #[inlets] low: [u64; 3],
        #[inlets(n)] rest: Arrived<'_, u64>,
        #[inlets] high: [String; 2],
        #[inlets] last: [u64; 1],
        eu: &mut Eu<Self>,
    ) {
        self.sums.extend(low.into_iter().chain(rest).chain(last).chain([one]));
        eu.put(self.out, (self.sums, high.concat()));
    }
}

#[test]
fn arrays_of_both_kinds_stand_beside_single_inlets() {
    on_every(|case| {
        let mut machine = case.machine();
        for n in [0, 1, 5] {
            let run = gives(&mut machine, |out| Mixed::call(n as usize, out));
            let expected = (500..=500 + n).chain(10..13).chain(30..30 + n).chain([77, 1]);
            assert_eq!(run.value, (expected.collect(), "ab".to_owned()));
        }
    });
}

/// More inlets than a mask has bits, and values of any type that travel in boxes.
struct Wide<T> {
    sum: u64,
    out: Reply<(u64, [T; 3])>,
}

#[threaded]
impl<T: Wire + Clone> Wide<T> {
    fn start(large: T, out: Reply<(u64, [T; 3])>, eu: &mut Eu<Self>) -> Self {
        for i in (0..3).rev() {
            eu.put(eu.reply(Self::end().large.at(i)), large.clone());
        }
        let many = eu.replies(Self::add().many);
        for i in 0..40 {
            let node = NodeId::new(i % eu.nodes());
            eu.invoke(node, PutAt::call(i, many));
        }
        eu.put(eu.reply(Self::add().factor), 2);
        Wide { sum: 0, out }
    }

    #[slot]
    fn add(&mut self, factor: u64, #[inlets] many: [u64; 40], eu: &mut Eu<Self>) {
        assert!(many.into_iter().eq((0..40).map(|i| i * i)));
        self.sum = factor * many.iter().sum::<u64>();
        eu.sync(Self::end());
    }

    #[slot(sync)]
    fn end(self, #[inlets] large: [T; 3], eu: &mut Eu<Self>) {
        eu.put(self.out, (self.sum, large));
    }
}

struct PutAt;

#[threaded]
impl PutAt {
    fn start(i: usize, to: Replies<u64>, eu: &mut Eu<Self>) {
        eu.put(to.at(i), (i * i) as u64);
    }
}

#[test]
fn there_may_be_many_inlets_and_large_values() {
    on_every(|case| {
        let sum = 2 * (0..40).map(|i| i * i).sum::<u64>();
        let large: [u64; 10] = std::array::from_fn(|i| i as u64);
        assert_eq!(gives(&mut case.machine(), |out| Wide::call(large, out)).value, (sum, [large; 3]));
        let text = vec![String::from("text")];
        let run = gives(&mut case.machine(), |out| Wide::call(text.clone(), out));
        assert_eq!(run.value, (sum, [text.clone(), text.clone(), text]));
    });
}

/// Takes values in rounds. Each element has a producer that is far ahead.
struct Rounds {
    count: u64,
    pairs: u64,
    others: u64,
    out: Reply<u64>,
}

#[threaded]
impl Rounds {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (pair, many) = (eu.replies(Self::pair().pair), eu.replies(Self::others().many));
        for to in [pair, many] {
            for i in 0..to.len() {
                let node = NodeId::new(i % eu.nodes());
                eu.invoke(node, Ahead::call(1_000 * i as u64, rounds, to.at(i)));
            }
        }
        (0..rounds).for_each(|round| eu.put(eu.reply(Self::others().round), round));
        Rounds { count: rounds, pairs: 0, others: 0, out }
    }

    #[slot(again)]
    fn pair(&mut self, #[inlets] pair: [u64; 2], eu: &mut Eu<Self>) {
        assert_eq!(pair, [self.pairs, 1_000 + self.pairs]);
        self.pairs += 1;
        if self.pairs == self.count {
            eu.sync(Self::end());
        }
    }

    #[slot(again)]
    fn others(&mut self, #[inlets] many: [u64; 34], round: u64, eu: &mut Eu<Self>) {
        assert_eq!(round, self.others);
        assert!(many.into_iter().eq((0..34).map(|i| 1_000 * i + round)));
        self.others += 1;
        if self.others == self.count {
            eu.sync(Self::end());
        }
    }

    #[slot(syncs = 2)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.pairs + self.others);
    }
}

/// Sends all its values in one fiber.
struct Ahead;

#[threaded]
impl Ahead {
    fn start(first: u64, count: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        (first..first + count).for_each(|i| eu.put(to, i));
    }
}

#[test]
fn values_that_come_early_are_parked_by_element() {
    on_every(|case| {
        let rounds = 7;
        let run = gives(&mut case.machine(), |out| Rounds::call(rounds, out));
        assert_eq!((run.value, run.counters.signals), (2 * rounds, rounds * (2 + 34 + 1) + 2 + 1));
        if case.config == Config::Spn && case.nodes == 1 {
            // All values but the first find the inlet full, since the last element's producer runs last.
            assert!(run.counters.parked >= (rounds - 1) * (34 + 1), "{}", run.counters.parked);
        }
    });
}

/// Defines functions whose slot gets a signal too many instead of a value. `$more` are additional fibers.
macro_rules! lacks {
    ($name:ident, $len:literal, $($more:tt)*) => {
        struct $name {
            out: Reply<u64>,
        }

        #[threaded]
        impl $name {
            fn start(how: usize, value: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
                let parts = Self::add().parts;
                match how {
                    // The frame waits forever, one element is full, and a value is parked.
                    0 => {
                        eu.put(eu.reply(parts.at(1)), value.again());
                        eu.put(eu.reply(parts.at(1)), value);
                    }
                    1 => {
                        eu.put(eu.reply(parts.at(0)), value);
                        (0..2).for_each(|_| eu.sync(Self::add()));
                    }
                    2 => {
                        eu.put(eu.reply(parts.at(1)), value);
                        (0..2).for_each(|_| eu.sync(Self::add()));
                    }
                    3 => drop(eu.reply(parts.at($len))),
                    _ => {
                        eu.put(out, value.carries);
                        return Start::End;
                    }
                }
                Start::Wait($name { out })
            }

            #[slot(sync)]
            fn add(self, #[inlets] parts: [Counted; $len], eu: &mut Eu<Self>) {
                eu.put(self.out, parts.iter().map(|part| part.carries).sum());
            }

            $($more)*
        }
    };
}
lacks!(Plain, 2,);
lacks!(
    Sized,
    2,
    #[slots(len = 3, sync)]
    fn each(&mut self, _i: usize, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
        let _ = eu.reply(Self::each(0).x);
    }
);

/// Checks the error of each mistake of a function of [`lacks!`].
fn mistakes_are_named<F: earth::Threaded>(
    function: &str,
    call: fn(usize, Counted, Reply<u64>) -> earth::Call<F>,
) {
    let at = |fiber: &str| FiberName { function: function.to_owned(), fiber: fiber.to_owned(), node: 0 };
    on_every(|case| {
        let tally = Tally::new();
        let mut machine = case.machine().parking_limit(64);
        let mut says = |how| fails(&mut machine, |out| call(how, tally.value(5), out));
        let Error::Stuck(stuck) = says(0) else { panic!("it is stuck") };
        assert_eq!((stuck.frames, stuck.parked), (1, 1));
        assert_eq!(stuck.shown[0].full, [("parts[1]".to_owned(), 1)]);
        for (how, inlet) in [(1, "parts[1]"), (2, "parts[0]")] {
            assert_eq!(says(how), Error::NotDelivered { at: at("add"), inlet: inlet.to_owned() });
        }
        let what = "element 2 of an array of 2 inlets".to_owned();
        let Error::NoSuchEntry { at: fiber, what: entry, .. } = says(3) else { panic!("there are two") };
        assert_eq!((fiber, entry), (at("start"), what));
        let mut machine = machine.parking_limit(0);
        let inlet = EntryName {
            what: "inlet".into(),
            name: "parts[1]".to_owned(),
            function: function.to_owned(),
            node: 0,
        };
        let error = machine.run(|out| call(0, tally.value(5), out)).map(|run| run.value);
        assert_eq!(error, Err(Error::ParkingFull { node: 0, limit: 0, inlet }));
        let run: Run<u64> = gives(&mut machine, |out| call(4, tally.value(5), out));
        assert_eq!((run.value, tally.left()), (5, 0));
    });
}

#[test]
fn errors_name_elements() {
    mistakes_are_named("Plain", Plain::call);
    mistakes_are_named("Sized", Sized::call);
}

/// Receives counted values.
struct Owns {
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Owns {
    fn start(value: Counted, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let own = eu.replies(Self::take().own);
        for i in 0..9 {
            eu.put(own.at(i % 3), value.again());
        }
        Owns { left: 3, out }
    }

    #[slot(again)]
    fn take(&mut self, #[inlets] own: [Counted; 3], eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, own.iter().map(|value| value.carries).sum());
        Then::End
    }
}

#[test]
fn values_are_dropped_once() {
    on_every(|case| {
        let tally = Tally::new();
        assert_eq!(gives(&mut case.machine(), |out| Owns::call(tally.value(4), out)).value, 12);
        assert_eq!(tally.left(), 0);
    });
}
