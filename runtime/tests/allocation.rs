//! In the steady state nothing is allocated per fiber, token or small event: a second run of a program costs
//! a few allocations, however much it does. Counted on the calling thread, which does all the work of one SPN
//! node and of the stepper.

use allocation_counter::{AllocationInfo, measure};
use earth::{Config, Machine, Main, NodeId, Reply, SlotRef, Then, Threaded, threaded_old};

/// Allocations that a whole run may cost: the table of its functions and the like.
const PER_RUN: u64 = 8;

threaded_old! {
    fn Fib(n: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { done: 2 => add }
    fiber start(this, eu) {
        if this.n < 2 {
            eu.put(this.out, this.n);
            return Then::End;
        }
        eu.token_old::<Fib>((this.n - 1, eu.reply_to(Self::left, Self::done)));
        eu.token_old::<Fib>((this.n - 2, eu.reply_to(Self::right, Self::done)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

threaded_old! {
    /// A consumer that tells its producer, on the next node, after each value.
    fn Consumer(rounds: u64, out: Reply<u64>)
    state  { round: u64 = 0, go: Option<SlotRef> = None }
    calls  { Producer }
    inlets { hello: SlotRef, x: u64 }
    slots  { met: 1 => meet, came: 1, reset 1 => consume }
    fiber start(this, eu) {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        let hello = eu.reply_to(Self::hello, Self::met);
        eu.invoke_old::<Producer>(next, (this.rounds, eu.reply_to(Self::x, Self::came), Box::new(hello)));
        Then::Wait
    }
    fiber meet(this, eu) {
        let go = eu.take(Self::hello);
        this.go = Some(go);
        eu.rsync(go);
        Then::Wait
    }
    fiber consume(this, eu) {
        assert_eq!(eu.take(Self::x), this.round);
        this.round += 1;
        if this.round < this.rounds {
            if let Some(go) = this.go {
                eu.rsync(go);
            }
            return Then::Wait;
        }
        eu.put(this.out, this.round);
        Then::End
    }
}

threaded_old! {
    fn Producer(rounds: u64, to: Reply<u64>, hello: Box<Reply<SlotRef>>)
    state { round: u64 = 0 }
    slots { go: 1, reset 1 => produce }
    fiber start(this, eu) {
        eu.put(*this.hello, eu.slot_ref(Self::go));
        Then::Wait
    }
    fiber produce(this, eu) {
        eu.put(this.to, this.round);
        this.round += 1;
        if this.round == this.rounds { Then::End } else { Then::Wait }
    }
}

threaded_old! {
    /// Sends `n` values ahead, so that all but one are parked, then takes them.
    fn Ahead(n: u64, out: Reply<u64>)
    state  { taken: u64 = 0 }
    inlets { x: u64 }
    slots  { came: 1, reset 1 => consume }
    fiber start(this, eu) {
        let to = eu.reply_to(Self::x, Self::came);
        (0..this.n).for_each(|i| eu.put(to, i));
        Then::Wait
    }
    fiber consume(this, eu) {
        assert_eq!(eu.take(Self::x), this.taken);
        this.taken += 1;
        if this.taken < this.n {
            return Then::Wait;
        }
        eu.put(this.out, this.taken);
        Then::End
    }
}

/// What runs of `F` allocate once the machine has run a larger one.
fn steady<F: Threaded>(machine: &mut Machine, large: u64, small: u64) -> [AllocationInfo; 2]
where
    F::Args: Main<Input = u64, Output = u64>,
{
    // More than once: each number of a frame has to have served each function.
    (0..8).for_each(|_| assert!(machine.run_old::<F>(large).is_ok()));
    [large, small].map(|n| {
        let info = measure(|| {
            machine.run_old::<F>(n).unwrap();
        });
        assert!(info.count_total <= PER_RUN, "{} allocations for {n}", info.count_total);
        assert_eq!(info.count_current, 0, "what a run allocates is free after it");
        info
    })
}

#[test]
fn a_recursion_of_tokens_allocates_nothing_per_call() {
    let [large, small] = steady::<Fib>(&mut Machine::threads(1), 22, 2);
    assert_eq!(large.count_total, small.count_total, "57,313 calls or 3");
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2, 5] {
            let [large, small] = steady::<Fib>(&mut Machine::stepper(3).nodes(nodes).config(config), 16, 2);
            assert_eq!(large.count_total, small.count_total, "{nodes} nodes, {config}");
        }
    }
}

#[test]
fn a_loop_of_ten_thousand_rounds_allocates_nothing_per_round() {
    let [large, small] = steady::<Consumer>(&mut Machine::threads(1), 10_000, 1);
    assert_eq!(large.count_total, small.count_total);
    for config in [Config::Spn, Config::Dual] {
        for nodes in [1, 2] {
            let mut machine = Machine::stepper(4).nodes(nodes).config(config);
            let [large, small] = steady::<Consumer>(&mut machine, 10_000, 1);
            assert_eq!(large.count_total, small.count_total, "{nodes} nodes, {config}");
        }
    }
}

#[test]
fn parked_values_use_the_memory_of_those_before() {
    let [large, small] = steady::<Ahead>(&mut Machine::threads(1), 5_000, 1);
    assert_eq!(large.count_total, small.count_total);
}

#[test]
fn the_allocations_of_a_program_are_counted() {
    // The counter itself: boxes are seen, so nothing above passes because nothing is seen.
    let info = measure(|| drop((0..100).map(Box::new).collect::<Vec<Box<u64>>>()));
    assert_eq!((info.count_total, info.count_current), (101, 0));
}
