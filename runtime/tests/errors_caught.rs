//! A fiber that catches what unwinds out of a wrong operation does not save its run: the error was declared before
//! and is what the run gives.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{bad, good, on_every, scramble};
use earth::{EntryName, Error, Eu, FiberName, NodeId, Reply, Then, threaded_old};

/// Does `work` and catches what unwinds out of it. The payload of an error is the error.
fn caught(eu: &mut Eu, work: impl FnOnce(&mut Eu)) -> Option<Error> {
    let payload = catch_unwind(AssertUnwindSafe(|| work(eu))).err()?;
    Some(*payload.downcast::<Error>().expect("an operation unwinds with its error"))
}

threaded_old! {
    /// Uses an operation wrongly on the last node, in the way that `how` says, catches that, does it again in
    /// another way, and ends well.
    fn Catches(how: u64, hop: bool, out: Reply<u64>)
    inlets { x: u64, y: u64 }
    slots  { once: 1 => fired, go: 2 => next }
    fiber start(this, eu) {
        if this.hop {
            eu.invoke_old::<Catches>(NodeId::new(eu.nodes() - 1), (this.how, false, this.out));
            return Then::End;
        }
        eu.sync(Self::once);
        let how = this.how;
        let error = caught(eu, |eu| match how {
            0 => { eu.take(Self::x); }
            1 => eu.invoke_old::<Catches>(NodeId::new(eu.nodes()), (0, false, Reply::clone(&this.out))),
            2 => eu.sync(HasArray::many.at(0)),
            4 => eu.sync(Self::once),
            _ => {}
        });
        // Long enough for the workers of other nodes to fall asleep.
        assert_ne!(scramble(how, 100_000), 0);
        if let Some(error) = error {
            let second = caught(eu, |eu| { eu.take(Self::y); });
            assert!(second.is_some_and(|second| second != error));
        }
        eu.sync(Self::go);
        Then::Wait
    }
    fiber next(this, eu) {
        eu.put(this.out, this.how);
        Then::End
    }
    fiber fired(_this, eu) {
        eu.sync(Self::go);
        Then::Wait
    }
}

threaded_old! {
    fn HasArray(out: Reply<u64>)
    slots { a: 1 => fired, b: 1 => fired, many[1]: 1 => fired }
    fiber start(this, eu) { eu.put(this.out, 0); Then::End }
    fiber fired(_this, _eu) { Then::Wait }
}

#[test]
fn a_fiber_that_catches_an_error_does_not_save_its_run() {
    on_every(|case| {
        let mut machine = case.machine();
        let node = case.last().index();
        let at = || FiberName { function: "Catches".to_owned(), fiber: "start".to_owned(), node };
        let errors = [
            Error::NotDelivered { at: at(), inlet: "x".to_owned() },
            Error::NoSuchNode { at: at(), node: case.nodes, nodes: case.nodes },
            Error::NoSuchEntry { at: at(), what: "an array of slots of another function".to_owned() },
        ];
        for (how, expected) in errors.into_iter().enumerate() {
            assert_eq!(bad::<Catches>(&mut machine, (how as u64, true)), expected);
        }
        assert_eq!(good::<Catches>(&mut machine, (9, true)).value, 9);
    });
}

#[test]
fn an_error_of_the_synchronization_unit_is_declared_too() {
    on_every(|case| {
        // In DUAL another unit meets this error, and nothing unwinds in the fiber.
        let error = bad::<Catches>(&mut case.machine(), (4, true));
        let name = "once".to_owned();
        let slot =
            EntryName { what: "slot", name, function: "Catches".to_owned(), node: case.last().index() };
        let node = case.last().index();
        let sender = Box::new(FiberName { function: "Catches".to_owned(), fiber: "start".to_owned(), node });
        assert_eq!(error, Error::TooManySignals { slot, sender });
    });
}
