//! Frames that end while something needs them: values in their inlets or parked there, reads at their cells,
//! enabled fibers.

use crate::common::{fails, gives, on_every};
use earth::{Error, Eu, NodeId, Reply, Start, threaded};
use snapbox::{assert_data_eq, str};

/// Ends while something needs its frame.
struct EndsEarly;

#[threaded]
impl EndsEarly {
    fn start(how: u64, hop: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if hop {
            eu.invoke(NodeId::new(eu.nodes() - 1), EndsEarly::call(how, false, out));
            return Start::End;
        }
        let x = eu.reply(Self::pair().x);
        match how {
            0 => (1..3).for_each(|value| eu.put(x, value)),
            1 => eu.get(eu.cell_ref(Self::c()), x),
            2 | 7 => eu.put(x, 1),
            8 => {
                eu.put(x, 1);
                eu.put(eu.reply(Self::pair().y), 2);
            }
            3 => (0..2).for_each(|_| eu.sync(Self::again())),
            4 | 5 => eu.spawn(Self::end()),
            6 => eu.sync(Self::go()),
            _ => eu.put(out, how),
        }
        match how {
            0..=2 | 4 => eu.sync(Self::go()),
            3 => {}
            _ => return Start::End,
        }
        Start::Wait(EndsEarly)
    }

    #[cell]
    fn c() -> u64;

    #[slot(sync)]
    fn pair(self, x: u64, y: u64) {
        unreachable!("{x} and {y} come without a signal")
    }

    #[slot(sync)]
    fn go(self) {}

    #[slot(sync, again)]
    fn again(self) {}

    #[spawned]
    fn end(self) {}
}

#[test]
fn a_function_that_ends_while_its_frame_is_needed_is_named() {
    on_every(|case| {
        let mut machine = case.machine();
        let ended =
            |why| Error::EndedTooEarly { function: "EndsEarly".to_owned(), node: case.last().index(), why };
        let parked = "while values were parked at its inlets or reads waited at its cells";
        let full = "while its inlet `x` held a value that no fiber had taken";
        let both = "while its inlet `x` and 1 more held values that no fiber had taken";
        let enabled = "while one of its fibers was enabled";
        for (how, why) in
            [parked, parked, full, enabled, enabled, enabled, enabled, full, both].into_iter().enumerate()
        {
            let error = fails(&mut machine, |out| EndsEarly::call(how as u64, true, out));
            assert_eq!(error, ended(why.into()), "way {how}");
        }
        assert_eq!(gives(&mut machine, |out| EndsEarly::call(9, true, out)).value, 9);
    });
}

/// Enables its fiber twice, and starts other functions in between. The fiber ends the frame, so the second
/// time finds it gone or, in DUAL, used by one of the other functions.
struct EndsTwice;

#[threaded]
impl EndsTwice {
    fn start(others: u64, eu: &mut Eu<Self>) -> Self {
        eu.spawn(Self::end());
        for _ in 0..others {
            eu.invoke(eu.node(), Stays::call());
        }
        eu.spawn(Self::end());
        EndsTwice
    }

    #[spawned]
    fn end(self) {}
}

struct Stays;

#[threaded]
impl Stays {
    fn start(eu: &mut Eu<Self>) -> Self {
        let _ = eu.slot_ref(Self::never());
        Stays
    }

    #[slot(sync)]
    fn never(self) {
        panic!("a fiber of another frame was taken for this one")
    }
}

#[test]
fn an_enabled_fiber_is_never_run_in_the_frame_that_came_after_its_own() {
    on_every(|case| {
        for others in 0..4 {
            let Error::EndedTooEarly { function, node: 0, why } =
                fails(&mut case.machine(), |_: Reply<u64>| EndsTwice::call(others))
            else {
                panic!("it ends too early");
            };
            assert_data_eq!(&*why, str!["while one of its fibers was enabled"]);
            // If the frame serves another function, the name of the ended one may be lost. It must not be the
            // name of the other function.
            assert!(function == "EndsTwice" || others > 0 && function == "a function", "{function}");
        }
    });
}
