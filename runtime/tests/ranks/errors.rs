//! An error on one rank ends the run on all, with the rank's name. The machine runs again if all ranks are
//! still there.

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{
    CancelToken, Config, Error, Eu, FiberName, Machine, NodeId, Reply, Shared, SharedValues, SlotRef,
    threaded,
};

use super::common::channels::{Channels, channels};
use super::common::{fails, still_works};
use super::{Case, Served, cases, on_ranks, on_ranks_of};

/// Panics on a node, and puts no value.
struct Panics;

#[threaded]
impl Panics {
    fn start(node: NodeId, out: Reply<u64>, eu: &mut Eu<Self>) {
        assert!(eu.node() != node, "as a test");
        eu.invoke(node, Panics::call(node, out));
    }
}

#[test]
fn a_panic_on_any_rank_ends_the_run_of_all() {
    for case in cases() {
        let Case { ranks, .. } = case;
        for node in 0..case.all_nodes() {
            let (error, served) = on_ranks(case, |mut machine| {
                let to = NodeId::new(node);
                fails(&mut machine, |out: Reply<u64>| Panics::call(to, out))
            });
            let at = FiberName { function: "Panics".to_owned(), fiber: "start".to_owned(), node };
            let expected = Error::Panicked { at, message: "as a test".to_owned() };
            assert_eq!(error, expected, "{case:?}");
            let all = || Served { runs: 1, errors: vec![expected.clone()] };
            assert_eq!(served, (1..ranks).map(|_| all()).collect::<Vec<_>>(), "{case:?}");
        }
    }
}

/// Leaves a frame on the last node that waits forever.
struct Waits;

#[threaded]
impl Waits {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.invoke(NodeId::new(eu.nodes() - 1), Waiter::call(false));
        eu.put(out, 1);
    }
}

struct Waiter;

#[threaded]
impl Waiter {
    fn start(signals: bool, eu: &mut Eu<Self>) -> Self {
        if signals {
            eu.sync(Self::never());
        }
        Waiter
    }

    #[slot(syncs = 1)]
    fn never(self) {}
}

#[test]
fn rank_0_reports_a_frame_that_waits_on_any_rank() {
    for case in cases() {
        let (error, _) = on_ranks(case, |mut machine| fails(&mut machine, Waits::call));
        let Error::Stuck(stuck) = error else { panic!("{error}") };
        assert_eq!(
            (stuck.frames, stuck.shown[0].node, &*stuck.shown[0].function),
            (1, case.all_nodes() - 1, "Waiter")
        );
    }
}

/// Answers at once.
struct Answers;

#[threaded]
impl Answers {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 42);
    }
}

#[test]
fn ranks_that_begin_with_other_values_do_not_run_together() {
    let values = || SharedValues::default().with(&Shared::new(1));
    let (error, served) = on_ranks_of(channels(2, 9), Machine::ranks, values, |mut machine| {
        let error = machine.run(Answers::call).map(|run| run.value).unwrap_err();
        let with_values = machine.run_with(values(), Answers::call).map(|run| run.value);
        assert_eq!(with_values, Ok(42));
        error
    });
    let why = "its number of shared values is 1, this rank's is 0".to_owned();
    assert_eq!(error, Error::OtherProgram { rank: 1, why });
    assert_eq!((served[0].runs, served[0].errors.len()), (1, 1));
}

#[test]
fn rank_0_runs_and_the_others_serve() {
    let mut links = channels(2, 9).into_iter();
    let mut zero = Machine::ranks(links.next().expect("there are two"));
    let mut one = Machine::ranks(links.next().expect("there are two"));
    assert!(matches!(zero.serve(), Err(Error::WrongRank(_))));
    assert!(matches!(one.run(Answers::call), Err(Error::WrongRank(_))));
    assert!(matches!(Machine::threads(2).serve(), Err(Error::WrongRank(_))));
    drop(zero);
    assert!(matches!(one.serve(), Ok(None)));
}

/// A link that returns a given rank and number of ranks.
struct Says(usize, usize);

impl Link for Says {
    fn rank(&self) -> usize {
        self.0
    }
    fn ranks(&self) -> usize {
        self.1
    }
    fn send(&mut self, _to: usize, _message: &mut Message) -> bool {
        true
    }
    fn poll(&mut self, _arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        Ok(None)
    }
}

#[test]
fn ranks_that_no_machine_has_are_refused() {
    for (rank, ranks) in [(0, 0), (2, 2), (0, Machine::MOST_NODES + 1), (0, usize::MAX)] {
        let mut machine = Machine::ranks(Says(rank, ranks));
        assert!(matches!(machine.run(Answers::call), Err(Error::CannotBuild(_))), "{rank} of {ranks}");
    }
}

#[test]
fn a_run_that_waits_for_others_can_be_cancelled() {
    let token = CancelToken::new();
    let mut machine = Machine::ranks(Says(0, 2)).cancel_token(token.clone());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| machine.run(Answers::call).map(|run| run.value));
        token.cancel();
        assert_eq!(run.join().expect("it does not panic"), Err(Error::Cancelled));
    });
}

/// Goes around the nodes forever.
struct Rounds;

#[threaded]
impl Rounds {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        eu.invoke(next, Rounds::call(out));
    }
}

#[test]
fn a_rank_that_is_lost_ends_the_run_of_all() {
    for ranks in 2..=4 {
        let mut links = channels(ranks, 1000);
        let mut lost = links.pop().expect("there is one");
        let build = |link| Machine::ranks(link);
        let (error, served) = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Sends rank 0's greeting back to all ranks, like a rank that dies after its greeting.
                let hello = loop {
                    if let Ok(Some((0, message))) = lost.poll_bytes() {
                        break message;
                    }
                };
                for rank in 0..ranks - 1 {
                    assert!(lost.send_bytes(rank, hello.clone()));
                }
            });
            on_ranks_of(links, build, SharedValues::default, |mut machine| {
                let error = machine.run(Rounds::call).map(|run| run.value).unwrap_err();
                let again = machine.run(Rounds::call).map(|run| run.value).unwrap_err();
                // The other ranks cannot serve any more either.
                assert!(matches!(again, Error::LostRank { .. }), "{again}");
                error
            })
        });
        let is_told = |error: &Error| matches!(error, Error::LostRank { rank, .. } if *rank == ranks - 1);
        assert!(is_told(&error), "{error}");
        assert!(
            served.iter().all(|served| served.runs == 0 && served.errors.iter().all(is_told)),
            "{served:?}"
        );
    }
}

/// Runs `main` on rank 0 with a rank 1 that greets and then sends `messages`.
fn against(messages: &[Vec<u8>], main: impl FnOnce(Machine) -> Error) -> Error {
    let mut links = channels(2, 1000).into_iter();
    let own = links.next().expect("there are two");
    let mut other = links.next().expect("there are two");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut hello = None;
            while hello.is_none() {
                hello = other.poll_bytes().expect("rank 0 is there").map(|(_, message)| message);
            }
            for message in hello.into_iter().chain(messages.iter().cloned()) {
                assert!(other.send_bytes(0, message));
            }
            // The rank stays until rank 0 has left.
            while other.poll_bytes().is_ok() {
                std::thread::yield_now();
            }
        });
        main(Machine::ranks(own))
    })
}

/// Waits for a signal, after it has sent its address to the last node.
struct Listens;

#[threaded]
impl Listens {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(eu.nodes() - 1), Signals::call(eu.slot_ref(Self::heard())));
        Listens
    }

    #[slot(syncs = 1)]
    fn heard(self) {}
}

struct Signals;

#[threaded]
impl Signals {
    fn start(to: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(to);
    }
}

#[test]
fn bytes_that_are_no_message_end_the_run_with_the_rank_that_sent_them() {
    let junk = |seed: u64, len: usize| -> Vec<u8> {
        (0..len as u64).map(|at| (super::common::scramble(seed + at, 3) >> 17) as u8).collect()
    };
    let mut messages: Vec<Vec<u8>> = vec![vec![], vec![255], vec![255, 99], vec![254], vec![254, 5, 1, 2]];
    // Each tag of an event and each other kind of message: truncated, with random bytes, and with extra bytes
    // at the end.
    for first in 0..12 {
        for len in [0, 1, 9, 40, 200] {
            messages.push([vec![first], junk(u64::from(first), len)].concat());
            messages.push([vec![255, first], junk(u64::from(first), len)].concat());
            messages.push([vec![254, first], junk(u64::from(first), len)].concat());
        }
    }
    // A valid message is followed by an invalid one.
    for message in messages {
        let shown = format!("{message:?}");
        let error = against(&[message, vec![]], |mut machine| {
            machine.run(Listens::call).map(|run| run.value).unwrap_err()
        });
        // Some messages are valid by chance: messages without content, text, addresses of frames that do not
        // exist.
        let is_named = matches!(
            error,
            Error::Undecodable { node: 0, from: 1 }
                | Error::LostRank { rank: 1, .. }
                | Error::StaleAddress { .. }
                | Error::StaysInProcess { .. }
        );
        assert!(is_named, "{shown}: {error}");
    }
}

#[test]
fn a_greeting_of_another_version_is_refused() {
    let mut links = channels(2, 9).into_iter();
    let own = links.next().expect("there are two");
    let mut other = links.next().expect("there are two");
    let mut machine = Machine::ranks(own);
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(move || machine.run(Answers::call).map(|run| run.value));
        let mut hello = loop {
            if let Ok(Some((_, message))) = other.poll_bytes() {
                break message;
            }
        };
        // The bytes: the kind of message, its number, the run, then version, fingerprint and so on.
        hello[2 + 8 + 4] ^= 1;
        assert!(other.send_bytes(0, hello));
        run.join().expect("it does not panic").unwrap_err()
    });
    let Error::OtherProgram { rank: 1, why } = &error else { panic!("{error}") };
    assert!(why.starts_with("its function fingerprint is"), "{why}");
}

#[test]
fn after_an_error_the_machine_of_ranks_works() {
    for case in cases() {
        on_ranks(case, |mut machine| {
            for _ in 0..3 {
                let last = NodeId::new(case.all_nodes() - 1);
                fails(&mut machine, |out: Reply<u64>| Panics::call(last, out));
            }
            still_works(&mut machine);
        });
    }
}

/// The link of a slow rank takes a message out only after several polls.
struct Slow {
    link: Channels,
    looks: u32,
}

impl Link for Slow {
    fn rank(&self) -> usize {
        self.link.rank()
    }
    fn ranks(&self) -> usize {
        self.link.ranks()
    }
    fn bulk_from(&self) -> usize {
        self.link.bulk_from()
    }
    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        self.link.send(to, message)
    }
    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        self.looks += 1;
        if self.looks.is_multiple_of(50) { self.link.poll(arrival, pool) } else { Ok(None) }
    }
}

#[test]
fn a_slow_rank_holds_up_nothing_but_itself() {
    let slow = |link: Channels| {
        if link.rank() == 1 { Machine::ranks(Slow { link, looks: 0 }) } else { Machine::ranks(link) }
    };
    let ((), served) = on_ranks_of(channels(3, 1), slow, SharedValues::default, |mut machine| {
        still_works(&mut machine);
        still_works(&mut machine);
    });
    assert!(served.iter().all(|served| served.runs == 2 && served.errors.is_empty()), "{served:?}");
}

/// The link of a single rank, bound to the thread that makes its machine.
struct Bound;

impl Link for Bound {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn send(&mut self, _to: usize, _message: &mut Message) -> bool {
        true
    }
    fn poll(&mut self, _arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        Ok(None)
    }
    fn is_thread_bound(&self) -> bool {
        true
    }
}

#[test]
fn a_link_that_is_bound_to_a_thread_runs_there_only() {
    fn value(machine: &mut Machine) -> Result<u64, Error> {
        machine.run(Answers::call).map(|run| run.value)
    }
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::ranks(Bound).config(config);
        let expected = value(&mut machine);
        assert!(expected.is_ok(), "{expected:?}");
        let other = std::thread::spawn(move || {
            let ran = value(&mut machine);
            (machine, ran)
        });
        let (machine, ran) = other.join().expect("it does not panic");
        assert_eq!(ran, Err(Error::WrongThread));
        let (mut machine, ran) = machine.open(Answers::call).close().wait();
        assert_eq!(ran.map(|run| run.value), Err(Error::WrongThread));
        assert_eq!(value(&mut machine), expected);
    }
}
