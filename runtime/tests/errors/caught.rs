//! A fiber that catches the unwinding of a wrong operation does not save its run. The error was declared
//! before, and the run returns it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{fails, gives, on_every, scramble};
use earth::{EntryName, Error, Eu, FiberName, NodeId, Reply, Start, threaded};

/// Does `work` and catches its unwinding. The payload of an error is the error.
fn caught<F>(eu: &mut Eu<F>, work: impl FnOnce(&mut Eu<F>)) -> Option<Error> {
    let payload = catch_unwind(AssertUnwindSafe(|| work(eu))).err()?;
    Some(*payload.downcast::<Error>().expect("an operation unwinds with its error"))
}

/// Line of the slot that does not exist, in `Catches`.
const LINE: u32 = line!() + 21;

/// Misuses an operation on the last node in the way `how`, catches the error, misuses another one, and ends
/// successfully.
struct Catches {
    how: u64,
    out: Reply<u64>,
}

#[threaded]
impl Catches {
    fn start(how: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        let (last, beyond) = (NodeId::new(eu.nodes() - 1), NodeId::new(eu.nodes()));
        if hop {
            eu.invoke(last, Catches::call(how, false, out));
            return Start::End;
        }
        eu.sync(Self::once());
        let error = caught(eu, |eu| match how {
            0 => eu.invoke(beyond, Catches::call(0, false, out)),
            1 => eu.token_within(last..last, Catches::call(0, false, out)),
            2 => eu.sync(Self::many(1)),
            4 => eu.sync(Self::once()),
            _ => {}
        });
        // This takes long enough for the workers of other nodes to fall asleep.
        assert_ne!(scramble(how, 100_000), 0);
        if let Some(error) = error {
            let second = caught(eu, |eu| eu.sync(Self::many(2)));
            assert!(second.is_some_and(|second| second != error));
        }
        eu.sync(Self::next());
        Start::Wait(Catches { how, out })
    }

    #[slot(syncs = 2)]
    fn next(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.how);
    }

    #[slot(sync)]
    fn once(&mut self, eu: &mut Eu<Self>) {
        eu.sync(Self::next());
    }

    #[slots(len = 1, sync)]
    fn many(&mut self, _i: usize) {}
}

#[test]
fn a_fiber_that_catches_an_error_does_not_save_its_run() {
    on_every(|case| {
        let mut machine = case.machine();
        let node = case.last().index();
        let at = || FiberName { function: "Catches".to_owned(), fiber: "start".to_owned(), node };
        let errors = [
            Error::NoSuchNode { at: at(), node: case.nodes, nodes: case.nodes },
            Error::NoSuchNode { at: at(), node, nodes: case.nodes },
            Error::NoSuchEntry {
                at: at(),
                what: "element 1 of an array of 1 slots".to_owned(),
                place: Some(format!("{}:{LINE}:21", file!())),
            },
        ];
        for (how, expected) in errors.into_iter().enumerate() {
            assert_eq!(fails(&mut machine, |out| Catches::call(how as u64, true, out)), expected);
        }
        assert_eq!(gives(&mut machine, |out| Catches::call(9, true, out)).value, 9);
    });
}

#[test]
fn an_error_of_the_synchronization_unit_is_declared_too() {
    on_every(|case| {
        // In DUAL another unit finds this error, so the fiber does not unwind.
        let error = fails(&mut case.machine(), |out| Catches::call(4, true, out));
        let name = "once".to_owned();
        let slot = EntryName {
            what: "slot".into(),
            name,
            function: "Catches".to_owned(),
            node: case.last().index(),
        };
        let node = case.last().index();
        let sender = Box::new(FiberName { function: "Catches".to_owned(), fiber: "start".to_owned(), node });
        assert_eq!(error, Error::TooManySignals { slot, sender });
    });
}
