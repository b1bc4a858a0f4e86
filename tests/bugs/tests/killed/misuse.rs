//! Wrong programs, and the errors that must end their runs.

use earth::{Config, Error, Eu, Machine, Reply, SlotRef, Start, Then, threaded};

use crate::machines::{On, Verdict, fails};

/// Runs `test` on SPN, where a fiber's own operations are applied immediately, and on DUAL.
fn both(mut test: impl FnMut(&mut Machine) -> Verdict) -> Verdict {
    On::SPN.each(&mut test)?;
    On::DUAL.each(&mut test)
}

struct SignalsTwice {
    out: Reply<u64>,
}

#[threaded]
impl SignalsTwice {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::once());
        eu.sync(Self::once());
        SignalsTwice { out }
    }

    #[slot(sync)]
    fn once(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 1);
    }
}

pub(crate) fn over_signal() -> Verdict {
    On::SPN.each(|machine| {
        fails(machine.run(SignalsTwice::call), |error| matches!(error, Error::TooManySignals { .. }))
    })
}

/// Signals one of its own slots, then starts a function that signals a slot too often.
struct Before {
    out: Reply<u64>,
}

#[threaded]
impl Before {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::once());
        Before { out }
    }

    #[slot(sync)]
    fn once(self, eu: &mut Eu<Self>) {
        eu.token(SignalsTwice::call(self.out));
    }
}

/// Both units run in this thread.
pub(crate) fn after_another() -> Verdict {
    if let Some(&core) = core_affinity::get_core_ids().unwrap_or_default().first() {
        core_affinity::set_for_current(core);
    }
    let run = Machine::threads(1).config(Config::Dual).run(Before::call);
    fails(
        run,
        |error| matches!(error, Error::TooManySignals { sender, .. } if sender.function.ends_with("SignalsTwice")),
    )
}

/// Signals a slot instead of putting the value of its first round. A value comes for the second round.
struct Early {
    out: Reply<u64>,
}

#[threaded]
impl Early {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::round());
        eu.sync(Self::round());
        eu.put(eu.reply(Self::round().value), 1);
        Early { out }
    }

    #[slot(sync, again)]
    fn round(self, value: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, value);
    }
}

pub(crate) fn signals_alone() -> Verdict {
    both(|machine| fails(machine.run(Early::call), |error| matches!(error, Error::NotDelivered { .. })))
}

struct RaisesLate {
    out: Reply<u64>,
}

#[threaded]
impl RaisesLate {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::once());
        RaisesLate { out }
    }

    #[slot(sync)]
    fn once(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.incr(Self::once(), 1);
        eu.put(self.out, 1);
        Then::Wait
    }
}

pub(crate) fn raised() -> Verdict {
    both(|machine| fails(machine.run(RaisesLate::call), |error| matches!(error, Error::CannotRaise { .. })))
}

/// Signals a frame that has ended, or puts a value there, when other frames may have its number.
struct Late {
    value: bool,
    old: Option<(SlotRef, Reply<u64>)>,
    out: Reply<u64>,
}

#[threaded]
impl Late {
    fn start(at_once: bool, value: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(eu.node(), Brief::call(at_once, eu.reply(Self::settle().old)));
        Late { value, old: None, out }
    }

    #[slot]
    fn settle(&mut self, old: (SlotRef, Reply<u64>), eu: &mut Eu<Self>) {
        self.old = Some(old);
        (0..3).for_each(|_| eu.invoke(eu.node(), Squatter::call(eu.slot_ref(Self::signal()))));
    }

    #[slot(syncs = 3)]
    fn signal(self, eu: &mut Eu<Self>) {
        match self.old {
            Some((_, inlet)) if self.value => eu.put(inlet, 1),
            Some((slot, _)) => eu.rsync(slot),
            None => {}
        }
        eu.put(self.out, 1);
    }
}

/// Puts its addresses and ends, at once or in its second fiber.
struct Brief;

#[threaded]
impl Brief {
    fn start(at_once: bool, hello: Reply<(SlotRef, Reply<u64>)>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(hello, (eu.slot_ref(Self::signal()), eu.reply(Self::value().number)));
        if at_once {
            return Start::End;
        }
        eu.sync(Self::soon());
        Start::Wait(Brief)
    }

    #[slot(sync)]
    fn signal(self) {}

    #[slot]
    fn value(self, number: u64) {
        unreachable!("{number} is never put in time")
    }

    #[slot(sync)]
    fn soon(self) {}
}

/// Waits for a signal and a value that must never reach it.
struct Squatter;

#[threaded]
impl Squatter {
    fn start(settled: SlotRef, eu: &mut Eu<Self>) -> Self {
        // Creates addresses that it gives to no other function.
        let _ = (eu.slot_ref(Self::signal()), eu.reply(Self::value().number));
        eu.rsync(settled);
        Squatter
    }

    #[slot(sync)]
    fn signal(self) {}

    #[slot]
    fn value(self, number: u64) {
        unreachable!("{number} is meant for another frame")
    }
}

fn stale(error: &Error) -> bool {
    matches!(error, Error::StaleAddress { .. })
}

pub(crate) fn late_signal() -> Verdict {
    both(|machine| {
        fails(machine.run(|out| Late::call(true, false, out)), stale)?;
        fails(machine.run(|out| Late::call(false, false, out)), stale)
    })
}

/// One real node, which runs in this thread and applies operations in line.
pub(crate) fn late_put() -> Verdict {
    fails(Machine::threads(1).config(Config::Spn).run(|out| Late::call(false, true, out)), stale)
}

/// Ends with a value in its inlet.
struct EndsFull;

#[threaded]
impl EndsFull {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(eu.reply(Self::both().number), 1);
        eu.put(out, 1);
        Start::End
    }

    #[slot(sync)]
    fn both(self, number: u64) {
        unreachable!("the signal beside {number} never comes")
    }
}

pub(crate) fn ended_full() -> Verdict {
    both(|machine| fails(machine.run(EndsFull::call), |error| matches!(error, Error::EndedTooEarly { .. })))
}

/// Puts its value and waits for a second signal, which never comes.
struct Waits;

#[threaded]
impl Waits {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(out, 1);
        eu.sync(Self::never());
        Waits
    }

    #[slot(syncs = 2)]
    fn never(self) {}
}

pub(crate) fn waits() -> Verdict {
    both(|machine| fails(machine.run(Waits::call), |error| matches!(error, Error::Stuck(_))))
}

struct WritesTwice;

#[threaded]
impl WritesTwice {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let cell = eu.cell_ref(Self::number());
        eu.write(cell, 1);
        eu.write(cell, 2);
        eu.put(out, 1);
    }

    #[cell]
    fn number() -> u64;
}

pub(crate) fn written_twice() -> Verdict {
    both(|machine| fails(machine.run(WritesTwice::call), |error| matches!(error, Error::WrittenTwice { .. })))
}

struct AnswersTwice;

#[threaded]
impl AnswersTwice {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
        eu.put(out, 2);
    }
}

pub(crate) fn second_value() -> Verdict {
    both(|machine| fails(machine.run(AnswersTwice::call), |error| matches!(error, Error::SecondValue)))
}
