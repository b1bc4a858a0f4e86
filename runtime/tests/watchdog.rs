//! The polling watchdog of the simulated machine: what interrupts a fiber, what that takes, and what it puts off.
//! No built-in profile has one.

mod common;

use std::time::Duration;

use common::good;
use earth::{CellRef, Machine, NodeId, Operations, Profile, Reply, SlotRef, Then, Work, threaded_old};

/// The profile of MANNA with a watchdog of this patience, whose interrupts take 30 cycles; its clock ticks every
/// 20 ns.
fn watched(watchdog: Option<u64>) -> Profile {
    let mut profile = Profile::named("manna50").expect("it is built in");
    profile.spn = Operations { watchdog, interrupt: 30, ..profile.spn };
    profile
}

/// What an interrupt for a question takes: the interrupt, receiving the question, sending the answer.
const INTERRUPTION: u64 = 30 + 55 + 50;

threaded_old! {
    /// Asks node 1 for a number while it works for `cycles`. How long the answer took, when the work was
    /// done, and when node 0 heard of it, in nanoseconds.
    fn Interrupts(cycles: u64, out: Reply<(u64, u64, u64)>)
    state { asked: Duration = Duration::ZERO, answered: Duration = Duration::ZERO, busy: Option<SlotRef> = None }
    calls { Busy }
    inlets { cell: (CellRef<u64>, SlotRef), answer: u64, done: u64 }
    slots { met: 1 => ask, come: 1 => hear, both: 2 => end }
    fiber start(this, eu) {
        let cell = eu.reply_to(Self::cell, Self::met);
        eu.invoke_old::<Busy>(NodeId::new(1), (this.cycles, cell, eu.reply_to(Self::done, Self::both)));
        Then::Wait
    }
    fiber ask(this, eu) {
        let (cell, busy) = eu.take(Self::cell);
        this.busy = Some(busy);
        this.asked = eu.now();
        let to = eu.reply_to(Self::answer, Self::come);
        eu.get(cell, to);
        Then::Wait
    }
    fiber hear(this, eu) {
        assert_eq!(eu.take(Self::answer), 7);
        this.answered = eu.now() - this.asked;
        eu.sync(Self::both);
        Then::Wait
    }
    fiber end(this, eu) {
        let done = eu.take(Self::done);
        if let Some(busy) = this.busy {
            eu.rsync(busy);
        }
        eu.put(this.out, (this.answered.as_nanos() as u64, done, eu.now().as_nanos() as u64));
        Then::End
    }
}

threaded_old! {
    fn Busy(cycles: u64, cell: Reply<(CellRef<u64>, SlotRef)>, done: Reply<u64>)
    cells { number: u64 }
    slots { dismissed: 1 => end }
    fiber start(this, eu) {
        let number = eu.cell_ref(Self::number);
        eu.write(number, 7);
        let dismissed = eu.slot_ref(Self::dismissed);
        eu.put(this.cell, (number, dismissed));
        eu.spawn(Self::work);
        Then::Wait
    }
    fiber work(this, eu) {
        eu.work(Work::Cycles(this.cycles));
        eu.put(this.done, eu.now().as_nanos() as u64);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

#[test]
fn a_watchdog_lets_messages_in_and_puts_the_fiber_off() {
    let run = |watchdog| {
        let machine = &mut Machine::simulated(&watched(watchdog));
        let (answered, done, heard) = good::<Interrupts>(machine, 100_000).value;
        (answered / 20, done / 20, heard / 20)
    };
    let (patient, done, _) = run(None);
    assert!(patient > 99_000, "the answer waits for the fiber: {patient}");
    let (answered, done_too, heard) = run(Some(500));
    // Send, way, patience, interrupt, receive, send, way, receive, dispatch.
    assert_eq!(answered, 50 + 62 + 500 + INTERRUPTION + 62 + 55 + 26);
    // The fiber itself runs at once and knows nothing of it, but what it sends is put off.
    assert_eq!(done_too, done);
    // Its message, and the one that ends the busy frame, are sent, and the first is received.
    assert_eq!(heard - done, INTERRUPTION + 50 + 62 + 55 + 26 + 50);
}

threaded_old! {
    /// Makes a token, for which node 1 asks while a fiber works for `cycles`. When that work began and when the
    /// token's function did, in nanoseconds.
    fn Shares(cycles: u64, out: Reply<(u64, u64)>)
    state { began: u64 = 0 }
    calls { Says }
    inlets { said: u64 }
    slots { come: 1 => end }
    fiber start(_this, eu) {
        eu.token_old::<Says>((eu.reply_to(Self::said, Self::come),));
        eu.spawn(Self::work);
        Then::Wait
    }
    fiber work(this, eu) {
        this.began = eu.now().as_nanos() as u64;
        eu.work(Work::Cycles(this.cycles));
        Then::Wait
    }
    fiber end(this, eu) {
        let said = eu.take(Self::said);
        eu.put(this.out, (this.began, said));
        Then::End
    }
}

threaded_old! {
    /// When it begins.
    fn Says(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, eu.now().as_nanos() as u64);
        Then::End
    }
}

/// The answer leaves when the interrupt is over, as that to any other question does. It is no part of what
/// the fiber has still to do, which is put off.
#[test]
fn a_watchdog_lets_a_question_for_a_token_in() {
    let run = |watchdog| {
        let run = good::<Shares>(&mut Machine::simulated(&watched(watchdog)), 100_000);
        assert_eq!(run.counters.tokens_stolen, 1);
        let (began, said) = run.value;
        (said - began) / 20
    };
    // The way, receiving the answer, taking the token and beginning its function.
    let answer = 62 + 55 + 25 + 26;
    assert_eq!(run(None), 100_000 + 55 + 50 + answer);
    // Node 1 asks when the fiber is about to begin: send, way, patience.
    assert_eq!(run(Some(500)) + 26, 50 + 62 + 500 + INTERRUPTION + answer);
}

threaded_old! {
    /// Asks node 1 for a number that a long fiber there writes after it has sent a word to the same inlet. What came
    /// to the inlet, in its order.
    fn HearsWord(cycles: u64, out: Reply<(u64, u64)>)
    state { first: Option<u64> = None }
    calls { SendsWord }
    inlets { cell: CellRef<u64>, heard: u64 }
    slots { met: 1 => ask, come: 1, reset 1 => hear }
    fiber start(this, eu) {
        let cell = eu.reply_to(Self::cell, Self::met);
        let word = eu.reply_to(Self::heard, Self::come);
        eu.invoke_old::<SendsWord>(NodeId::new(1), (this.cycles, cell, word));
        Then::Wait
    }
    fiber ask(_this, eu) {
        let cell = eu.take(Self::cell);
        let to = eu.reply_to(Self::heard, Self::come);
        eu.get(cell, to);
        Then::Wait
    }
    fiber hear(this, eu) {
        let heard = eu.take(Self::heard);
        let Some(first) = this.first.replace(heard) else { return Then::Wait };
        eu.put(this.out, (first, heard));
        Then::End
    }
}

threaded_old! {
    fn SendsWord(cycles: u64, cell: Reply<CellRef<u64>>, word: Reply<u64>)
    cells { number: u64 }
    fiber start(this, eu) {
        let number = eu.cell_ref(Self::number);
        eu.put(this.cell, number);
        eu.spawn(Self::work);
        Then::Wait
    }
    fiber work(this, eu) {
        eu.work(Work::Cycles(this.cycles));
        eu.put(this.word, 1);
        let number = eu.cell_ref(Self::number);
        eu.write(number, 7);
        eu.spawn(Self::stay);
        Then::Wait
    }
    fiber stay(this, eu) {
        // The frame stays until the question has been answered.
        if eu.now().as_nanos() > 40 * u128::from(this.cycles) { return Then::End; }
        eu.work(Work::Cycles(this.cycles));
        eu.spawn(Self::stay);
        Then::Wait
    }
}

/// The question interrupts the fiber in the middle and finds the number written already, since the fiber has run, in
/// the time of the host. The answer may not overtake the word that the fiber sent before it wrote the number.
#[test]
fn an_answer_in_an_interrupt_does_not_overtake_what_the_fiber_sent_before() {
    for watchdog in [None, Some(500)] {
        let run = good::<HearsWord>(&mut Machine::simulated(&watched(watchdog)), 100_000);
        assert_eq!(run.value, (1, 7), "{watchdog:?}");
    }
}
