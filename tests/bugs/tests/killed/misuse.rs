//! Programs that are wrong, and the errors they must end with.

use earth::{Config, Error, Machine, Reply, SlotRef, Then, threaded_old};

use crate::machines::{On, Verdict, fails};

/// On SPN, where a fiber's own operations are applied as it runs, and on DUAL.
fn both(mut test: impl FnMut(&mut Machine) -> Verdict) -> Verdict {
    On::SPN.each(&mut test)?;
    On::DUAL.each(&mut test)
}

threaded_old! {
    fn SignalsTwice(out: Reply<u64>)
    slots { once: 1 => go }
    fiber start(_this, eu) {
        eu.sync(Self::once);
        eu.sync(Self::once);
        Then::Wait
    }
    fiber go(this, eu) {
        eu.put(this.out, 1);
        Then::End
    }
}

pub(crate) fn over_signal() -> Verdict {
    On::SPN.each(|machine| {
        fails(machine.run_old::<SignalsTwice>(()), |error| matches!(error, Error::TooManySignals { .. }))
    })
}

threaded_old! {
    /// Takes, with the value of a round, that of the other.
    fn Greedy(out: Reply<u64>)
    inlets { first: u64, second: u64 }
    slots  { came: 1, reset 1 => take }
    fiber start(_this, eu) {
        eu.put(eu.reply_to(Self::first, Self::came), 1);
        eu.put(eu.reply_to(Self::second, Self::came), 2);
        Then::Wait
    }
    fiber take(this, eu) {
        let sum = eu.take(Self::first) + eu.take(Self::second);
        eu.put(this.out, sum);
        Then::End
    }
}

pub(crate) fn next_round() -> Verdict {
    On::SPN.each(|machine| {
        fails(machine.run_old::<Greedy>(()), |error| matches!(error, Error::NotDelivered { .. }))
    })
}

threaded_old! {
    fn RaisesLate(out: Reply<u64>)
    slots { once: 1 => go }
    fiber start(_this, eu) {
        eu.sync(Self::once);
        Then::Wait
    }
    fiber go(this, eu) {
        eu.incr(Self::once, 1);
        eu.put(this.out, 1);
        Then::Wait
    }
}

pub(crate) fn raised() -> Verdict {
    both(|machine| {
        fails(machine.run_old::<RaisesLate>(()), |error| matches!(error, Error::CannotRaise { .. }))
    })
}

threaded_old! {
    /// Signals a frame that has ended, or puts a value there, when others may have its number.
    fn Late(at_once: bool, value: bool, out: Reply<u64>)
    state  { old: Option<(SlotRef, Reply<u64>)> = None }
    calls  { Brief, Squatter }
    inlets { old: (SlotRef, Reply<u64>) }
    slots  { met: 1 => settle, settled: 3 => signal }
    fiber start(this, eu) {
        eu.invoke_old::<Brief>(eu.node(), (this.at_once, eu.reply_to(Self::old, Self::met)));
        Then::Wait
    }
    fiber settle(this, eu) {
        this.old = Some(eu.take(Self::old));
        (0..3).for_each(|_| eu.invoke_old::<Squatter>(eu.node(), (eu.slot_ref(Self::settled),)));
        Then::Wait
    }
    fiber signal(this, eu) {
        match this.old {
            Some((_, inlet)) if this.value => eu.put(inlet, 1),
            Some((slot, _)) => eu.rsync(slot),
            None => {}
        }
        eu.put(this.out, 1);
        Then::End
    }
}

threaded_old! {
    /// Says where it can be reached and ends, at once or in its second fiber.
    fn Brief(at_once: bool, hello: Reply<(SlotRef, Reply<u64>)>)
    inlets { number: u64 }
    slots  { never: 1 => end, soon: 1 => end }
    fiber start(this, eu) {
        eu.put(this.hello, (eu.slot_ref(Self::never), eu.reply_to(Self::number, Self::never)));
        if this.at_once {
            return Then::End;
        }
        eu.sync(Self::soon);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

threaded_old! {
    /// Waits for what is never meant for it.
    fn Squatter(settled: SlotRef)
    inlets { number: u64 }
    slots  { never: 1 => end }
    fiber start(this, eu) {
        let _ = eu.slot_ref(Self::never);
        eu.rsync(this.settled);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

fn stale(error: &Error) -> bool {
    matches!(error, Error::StaleAddress { .. })
}

pub(crate) fn late_signal() -> Verdict {
    both(|machine| {
        fails(machine.run_old::<Late>((true, false)), stale)?;
        fails(machine.run_old::<Late>((false, false)), stale)
    })
}

/// One real node, on which operations are applied in line: all of it in this thread.
pub(crate) fn late_put() -> Verdict {
    fails(Machine::threads(1).config(Config::Spn).run_old::<Late>((false, true)), stale)
}

threaded_old! {
    /// Ends with a value in its inlet.
    fn EndsFull(out: Reply<u64>)
    inlets { number: u64 }
    slots  { both: 2 => end }
    fiber start(this, eu) {
        eu.put(eu.reply_to(Self::number, Self::both), 1);
        eu.put(this.out, 1);
        Then::End
    }
    fiber end(_this, _eu) { Then::End }
}

pub(crate) fn ended_full() -> Verdict {
    both(|machine| {
        fails(machine.run_old::<EndsFull>(()), |error| matches!(error, Error::EndedTooEarly { .. }))
    })
}

threaded_old! {
    /// Gives its value and waits for a signal that nobody sends.
    fn Waits(out: Reply<u64>)
    slots { never: 1 => end }
    fiber start(this, eu) {
        eu.put(this.out, 1);
        Then::Wait
    }
    fiber end(_this, _eu) { Then::End }
}

pub(crate) fn waits() -> Verdict {
    both(|machine| fails(machine.run_old::<Waits>(()), |error| matches!(error, Error::Stuck(_))))
}

threaded_old! {
    fn WritesTwice(out: Reply<u64>)
    cells { number: u64 }
    fiber start(this, eu) {
        let cell = eu.cell_ref(Self::number);
        eu.write(cell, 1);
        eu.write(cell, 2);
        eu.put(this.out, 1);
        Then::End
    }
}

pub(crate) fn written_twice() -> Verdict {
    both(|machine| {
        fails(machine.run_old::<WritesTwice>(()), |error| matches!(error, Error::WrittenTwice { .. }))
    })
}

threaded_old! {
    fn Leaves(out: Reply<u64>)
    inlets { number: u64 }
    slots  { came: 1 => leave }
    fiber start(_this, eu) {
        eu.put(eu.reply_to(Self::number, Self::came), 1);
        Then::Wait
    }
    fiber leave(this, eu) {
        eu.put(this.out, 1);
        Then::Wait
    }
}

pub(crate) fn not_taken() -> Verdict {
    both(|machine| fails(machine.run_old::<Leaves>(()), |error| matches!(error, Error::NotTaken { .. })))
}

threaded_old! {
    fn AnswersTwice(out: Reply<u64>)
    fiber start(this, eu) {
        eu.put(this.out, 1);
        eu.put(this.out, 2);
        Then::End
    }
}

pub(crate) fn second_value() -> Verdict {
    both(|machine| fails(machine.run_old::<AnswersTwice>(()), |error| matches!(error, Error::SecondValue)))
}
