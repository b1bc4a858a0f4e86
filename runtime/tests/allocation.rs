//! In the steady state no memory is allocated per fiber, token or small event. A second run of a program
//! makes a few allocations, independent of its amount of work. The tests count on the calling thread, which
//! does all the work of one SPN node and of the stepper.

use allocation_counter::{AllocationInfo, measure};
use earth::{Arrived, Call, Config, Eu, Machine, NodeId, Reply, SlotRef, Start, Then, Threaded, threaded};
use earth_programs::fib::Fib;

/// Largest number of allocations of a whole run, for example for the table of its functions and the list of
/// its first calls.
const PER_RUN: u64 = 9;

/// A consumer that signals its producer, on the next node, after each value.
struct Consumer {
    rounds: u64,
    round: u64,
    go: Option<SlotRef>,
    out: Reply<u64>,
}

#[threaded]
impl Consumer {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        let producer = Producer::call(rounds, eu.reply(Self::consume().x), eu.reply(Self::meet().go));
        eu.invoke(next, producer);
        Consumer { rounds, round: 0, go: None, out }
    }

    #[slot]
    fn meet(&mut self, go: SlotRef, eu: &mut Eu<Self>) {
        self.go = Some(go);
        eu.rsync(go);
    }

    #[slot(again)]
    fn consume(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(x, self.round);
        self.round += 1;
        if self.round < self.rounds {
            if let Some(go) = self.go {
                eu.rsync(go);
            }
            return Then::Wait;
        }
        eu.put(self.out, self.round);
        Then::End
    }
}

struct Producer {
    rounds: u64,
    round: u64,
    to: Reply<u64>,
}

#[threaded]
impl Producer {
    fn start(rounds: u64, to: Reply<u64>, hello: Reply<SlotRef>, eu: &mut Eu<Self>) -> Self {
        eu.put(hello, eu.slot_ref(Self::produce()));
        Producer { rounds, round: 0, to }
    }

    #[slot(sync, again)]
    fn produce(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.put(self.to, self.round);
        self.round += 1;
        if self.round == self.rounds { Then::End } else { Then::Wait }
    }
}

/// Computes Fibonacci numbers; the fiber has an array of two inlets with a constant length.
struct Listed {
    out: Reply<u64>,
}

#[threaded]
impl Listed {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        let parts = eu.replies(Self::add().parts);
        eu.token(Listed::call(n - 1, parts.at(0)));
        eu.token(Listed::call(n - 2, parts.at(1)));
        Start::Wait(Listed { out })
    }

    #[slot]
    fn add(self, #[inlets] parts: [u64; 2], eu: &mut Eu<Self>) {
        eu.put(self.out, parts.iter().sum());
    }
}

/// Sends `n` values ahead, so that all but one are parked, then takes them.
struct Ahead {
    n: u64,
    taken: u64,
    out: Reply<u64>,
}

#[threaded]
impl Ahead {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let to = eu.reply(Self::consume().x);
        (0..n).for_each(|i| eu.put(to, i));
        Ahead { n, taken: 0, out }
    }

    #[slot(again)]
    fn consume(&mut self, x: u64, eu: &mut Eu<Self>) -> Then {
        assert_eq!(x, self.taken);
        self.taken += 1;
        if self.taken < self.n {
            return Then::Wait;
        }
        eu.put(self.out, self.taken);
        Then::End
    }
}

/// A recursion whose calls make different numbers of further calls; their values arrive in an array.
struct Spread {
    out: Reply<u64>,
}

#[threaded(parts = (n as usize).min(2 + n as usize % 3))]
impl Spread {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 5 {
            eu.put(out, n);
            return Start::End;
        }
        let to = eu.replies(Self::add().sums);
        (0..parts).for_each(|i| eu.token(Spread::call(n - 2 - i as u64, to.at(i))));
        Start::Wait(Spread { out })
    }

    #[slot]
    fn add(self, #[inlets(parts)] sums: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sums.sum());
    }
}

/// A recursion like [`Spread`] whose slots only count signals.
struct Counting {
    out: Reply<u64>,
}

#[threaded]
impl Counting {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.token(Counted::call(n, eu.slot_ref(Self::end())));
        Counting { out }
    }

    #[slot(sync)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 0);
    }
}

struct Counted {
    done: SlotRef,
}

#[threaded(parts = (n as usize).min(2 + n as usize % 3))]
impl Counted {
    fn start(n: u64, done: SlotRef, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 5 {
            eu.rsync(done);
            return Start::End;
        }
        let to = eu.slot_ref(Self::end());
        (0..parts).for_each(|i| eu.token(Counted::call(n - 2 - i as u64, to)));
        Start::Wait(Counted { done })
    }

    #[slot(syncs = parts)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

/// Measures the allocations of runs of a function after the machine has run a larger one.
fn steady<F: Threaded>(
    machine: &mut Machine,
    call: fn(u64, Reply<u64>) -> Call<F>,
    large: u64,
    small: u64,
) -> [AllocationInfo; 2] {
    // The loop repeats the run until every frame number has served every function.
    (0..8).for_each(|_| assert!(machine.run(|out| call(large, out)).is_ok()));
    [large, small].map(|n| {
        let info = measure(|| {
            machine.run(|out| call(n, out)).unwrap();
        });
        assert!(info.count_total <= PER_RUN, "{} allocations for {n}", info.count_total);
        assert_eq!(info.count_current, 0, "what a run allocates is free after it");
        info
    })
}

/// Checks that a recursion of tokens allocates no memory per call.
fn recursion<F: Threaded>(call: fn(u64, Reply<u64>) -> Call<F>) {
    let [large, small] = steady(&mut Machine::threads(1), call, 22, 2);
    assert_eq!(large.count_total, small.count_total, "57,313 calls or 3");
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2, 5] {
            let [large, small] = steady(&mut Machine::stepper(3).nodes(nodes).config(config), call, 16, 2);
            assert_eq!(large.count_total, small.count_total, "{nodes} nodes, {config}");
        }
    }
}

#[test]
fn a_recursion_of_tokens_allocates_nothing_per_call() {
    recursion(Fib::call);
}

#[test]
fn a_recursion_with_an_array_of_two_inlets_allocates_nothing_per_call() {
    recursion(Listed::call);
}

#[test]
fn recursions_with_sizes_of_their_own_allocate_nothing_per_call() {
    recursion(Spread::call);
    recursion(Counting::call);
}

#[test]
fn a_loop_of_ten_thousand_rounds_allocates_nothing_per_round() {
    let [large, small] = steady(&mut Machine::threads(1), Consumer::call, 10_000, 1);
    assert_eq!(large.count_total, small.count_total);
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2] {
            let mut machine = Machine::stepper(4).nodes(nodes).config(config);
            let [large, small] = steady(&mut machine, Consumer::call, 10_000, 1);
            assert_eq!(large.count_total, small.count_total, "{nodes} nodes, {config}");
        }
    }
}

#[test]
fn parked_values_use_the_memory_of_those_before() {
    let [large, small] = steady(&mut Machine::threads(1), Ahead::call, 5_000, 1);
    assert_eq!(large.count_total, small.count_total);
}

#[test]
fn a_traced_run_writes_over_the_records_of_the_one_before() {
    let [large, small] = steady(&mut Machine::threads(1).trace(true), Fib::call, 18, 2);
    assert_eq!(large.count_total, small.count_total, "12,541 fibers or 4");
}

#[test]
fn the_allocations_of_a_program_are_counted() {
    // Checks the counter itself: it counts boxes, so the tests above do not pass because it counts no
    // allocation.
    let info = measure(|| drop((0..100).map(Box::new).collect::<Vec<Box<u64>>>()));
    assert_eq!((info.count_total, info.count_current), (101, 0));
}

/// The main function of a run whose work comes from outside.
struct Serves;

#[threaded]
impl Serves {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 0);
    }
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 2 * number);
    }
}

#[test]
fn a_request_from_outside_allocates_nothing() {
    for config in [Config::Spn, Config::Dual] {
        let input = Machine::threads(1).config(config).open(Serves::call);
        let ask = |requests: u64| {
            for number in 0..requests {
                let answer = input.ask(NodeId::new(0), |out| Doubles::call(number, out));
                assert_eq!(answer.and_then(earth::input::Answer::wait), Ok(2 * number));
            }
        };
        ask(1);
        assert_eq!(measure(|| ask(1000)).count_total, 0);
    }
}

/// A node of a machine on threads takes the same memory on 4 nodes as on 64: no queue belongs to a pair of
/// nodes. The footprint that a machine tells is most of it. A later run allocates a few times on any number.
#[test]
fn a_machine_takes_memory_for_each_node_and_none_for_each_pair() {
    for config in [Config::Spn, Config::Dual] {
        let [few, some, many] = [4, 16, 64].map(|nodes| {
            let mut machine = Machine::threads(nodes).config(config);
            let built = measure(|| assert!(machine.run(|out| Fib::call(1, out)).is_ok()));
            let again = measure(|| assert!(machine.run(|out| Fib::call(1, out)).is_ok()));
            (built.bytes_current as f64, again.count_total, machine.footprint() as f64)
        });
        let of_node = (many.0 - some.0) / 48.0;
        let ratio = of_node / ((some.0 - few.0) / 12.0);
        assert!(
            (0.98..1.02).contains(&ratio),
            "{config}: {of_node} bytes a node, {ratio} of the first nodes'"
        );
        let told = many.2 / 64.0;
        assert!((0.8..=1.0).contains(&(told / of_node)), "{config}: {told} bytes of {of_node}");
        // While other threads keep the cores busy, the calling thread borrows the units of all workers.
        assert!([few, some, many].iter().all(|of| of.1 <= 8), "{config}: {few:?}, {some:?}, {many:?}");
    }
}
