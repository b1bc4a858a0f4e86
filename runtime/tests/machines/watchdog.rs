//! The polling watchdog of the simulated machine: the interrupts of a fiber, their cost, and the work that
//! they delay. No built-in profile has a watchdog.

use std::time::Duration;

use crate::common::gives;
use earth::simulated::{Operations, Profile};
use earth::{CellRef, Eu, Machine, NodeId, Reply, SlotRef, Then, Work, threaded};

/// Returns the profile of MANNA with a watchdog of this patience, whose interrupts take 30 cycles. Its clock
/// ticks every 20 ns.
fn watched(watchdog: Option<u64>) -> Profile {
    let mut profile = Profile::named("manna50").expect("it is built in");
    profile.spn = Operations { watchdog, interrupt: 30, ..profile.spn };
    profile
}

/// Cycles of an interrupt for a request: the interrupt, receiving the request, sending the answer.
const INTERRUPTION: u64 = 30 + 55 + 50;

/// Requests a number from node 1, which works for `cycles`. Puts the latency of the answer, the time when the
/// work was done, and the time when node 0 learned of it, in nanoseconds.
struct Interrupts {
    asked: Duration,
    answered: Duration,
    busy: Option<SlotRef>,
    out: Reply<(u64, u64, u64)>,
}

#[threaded]
impl Interrupts {
    fn start(cycles: u64, out: Reply<(u64, u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let (cell, done) = (eu.reply(Self::ask().cell), eu.reply(Self::end().done));
        eu.invoke(NodeId::new(1), Busy::call(cycles, cell, done));
        Interrupts { asked: Duration::ZERO, answered: Duration::ZERO, busy: None, out }
    }

    #[slot]
    fn ask(&mut self, cell: (CellRef<u64>, SlotRef), eu: &mut Eu<Self>) {
        self.busy = Some(cell.1);
        self.asked = eu.now();
        eu.get(cell.0, eu.reply(Self::hear().answer));
    }

    #[slot]
    fn hear(&mut self, answer: u64, eu: &mut Eu<Self>) {
        assert_eq!(answer, 7);
        self.answered = eu.now().saturating_sub(self.asked);
        eu.sync(Self::end());
    }

    #[slot(sync)]
    fn end(self, done: u64, eu: &mut Eu<Self>) {
        if let Some(busy) = self.busy {
            eu.rsync(busy);
        }
        eu.put(self.out, (self.answered.as_nanos() as u64, done, eu.now().as_nanos() as u64));
    }
}

struct Busy {
    cycles: u64,
    done: Reply<u64>,
}

#[threaded]
impl Busy {
    fn start(cycles: u64, cell: Reply<(CellRef<u64>, SlotRef)>, done: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let number = eu.cell_ref(Self::number());
        eu.write(number, 7);
        eu.put(cell, (number, eu.slot_ref(Self::end())));
        eu.spawn(Self::work());
        Busy { cycles, done }
    }

    #[cell]
    fn number() -> u64;

    #[spawned]
    fn work(&mut self, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(self.cycles));
        eu.put(self.done, eu.now().as_nanos() as u64);
    }

    #[slot(sync)]
    fn end(self) {}
}

#[test]
fn a_watchdog_lets_messages_in_and_puts_the_fiber_off() {
    let run = |watchdog| {
        let machine = &mut Machine::simulated(&watched(watchdog));
        let (answered, done, heard) = gives(machine, |out| Interrupts::call(100_000, out)).value;
        (answered / 20, done / 20, heard / 20)
    };
    let (patient, done, _) = run(None);
    assert!(patient > 99_000, "the answer waits for the fiber: {patient}");
    let (answered, done_too, heard) = run(Some(500));
    // Send, way, patience, interrupt, receive, send, way, receive, dispatch.
    assert_eq!(answered, 50 + 62 + 500 + INTERRUPTION + 62 + 55 + 26);
    // The fiber itself runs at once and does not see the interrupt, but its messages are delayed.
    assert_eq!(done_too, done);
    // Its message, and the message that ends the busy frame, are sent, and the first is received.
    assert_eq!(heard - done, INTERRUPTION + 50 + 62 + 55 + 26 + 50);
}

/// Makes a token, which node 1 requests while a fiber works for `cycles`. Puts the times when that work began
/// and when the token's function began, in nanoseconds.
struct Shares {
    cycles: u64,
    began: u64,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl Shares {
    fn start(cycles: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        eu.token(Says::call(eu.reply(Self::end().said)));
        eu.spawn(Self::work());
        Shares { cycles, began: 0, out }
    }

    #[spawned]
    fn work(&mut self, eu: &mut Eu<Self>) {
        self.began = eu.now().as_nanos() as u64;
        eu.work(Work::Cycles(self.cycles));
    }

    #[slot]
    fn end(self, said: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, (self.began, said));
    }
}

/// Puts the time when it begins.
struct Says;

#[threaded]
impl Says {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, eu.now().as_nanos() as u64);
    }
}

/// The answer leaves at the end of the interrupt, like every other answer. It does not delay the remaining
/// work of the fiber, which is delayed by the interrupt.
#[test]
fn a_watchdog_lets_a_question_for_a_token_in() {
    let run = |watchdog| {
        let run = gives(&mut Machine::simulated(&watched(watchdog)), |out| Shares::call(100_000, out));
        assert_eq!(run.counters.tokens_stolen, 1);
        let (began, said) = run.value;
        (said - began) / 20
    };
    // The way, receiving the answer, taking the token and beginning its function.
    let answer = 62 + 55 + 25 + 26;
    assert_eq!(run(None), 100_000 + 55 + 50 + answer);
    // Node 1 sends its request when the fiber is about to begin: send, way, patience.
    assert_eq!(run(Some(500)) + 26, 50 + 62 + 500 + INTERRUPTION + answer);
}

/// Requests a number from node 1. A long fiber there writes it, after it has sent a word to the same inlet.
/// Puts the values of the inlet, in order of arrival.
struct HearsWord {
    first: Option<u64>,
    out: Reply<(u64, u64)>,
}

#[threaded]
impl HearsWord {
    fn start(cycles: u64, out: Reply<(u64, u64)>, eu: &mut Eu<Self>) -> Self {
        let (cell, word) = (eu.reply(Self::ask().cell), eu.reply(Self::hear().heard));
        eu.invoke(NodeId::new(1), SendsWord::call(cycles, cell, word));
        HearsWord { first: None, out }
    }

    #[slot]
    fn ask(&mut self, cell: CellRef<u64>, eu: &mut Eu<Self>) {
        eu.get(cell, eu.reply(Self::hear().heard));
    }

    #[slot(again)]
    fn hear(&mut self, heard: u64, eu: &mut Eu<Self>) -> Then {
        let Some(first) = self.first.replace(heard) else { return Then::Wait };
        eu.put(self.out, (first, heard));
        Then::End
    }
}

struct SendsWord {
    cycles: u64,
    word: Reply<u64>,
}

#[threaded]
impl SendsWord {
    fn start(cycles: u64, cell: Reply<CellRef<u64>>, word: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(cell, eu.cell_ref(Self::number()));
        eu.spawn(Self::work());
        SendsWord { cycles, word }
    }

    #[cell]
    fn number() -> u64;

    #[spawned]
    fn work(&mut self, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(self.cycles));
        eu.put(self.word, 1);
        eu.write(eu.cell_ref(Self::number()), 7);
        eu.spawn(Self::stay());
    }

    #[spawned]
    fn stay(&mut self, eu: &mut Eu<Self>) -> Then {
        // The frame stays until the request has been answered.
        if eu.now().as_nanos() > 40 * u128::from(self.cycles) {
            return Then::End;
        }
        eu.work(Work::Cycles(self.cycles));
        eu.spawn(Self::stay());
        Then::Wait
    }
}

/// The request interrupts the fiber in the middle. The number is already written, since the fiber has run in
/// the host's time. The answer must not overtake the word that the fiber sent before it wrote the number.
#[test]
fn an_answer_in_an_interrupt_does_not_overtake_what_the_fiber_sent_before() {
    for watchdog in [None, Some(500)] {
        let run = gives(&mut Machine::simulated(&watched(watchdog)), |out| HearsWord::call(100_000, out));
        assert_eq!(run.value, (1, 7), "{watchdog:?}");
    }
}
