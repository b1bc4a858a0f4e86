//! Long fibers that [poll](crate::Eu::poll) let other work proceed. Each fiber polls until an event that only
//! another worker can cause.

use parking_lot::Mutex;

use super::tests::{LOOKS, machine};
use crate::machine::{Config, Machine};
use crate::{CancelToken, CellRef, Error, Eu, NodeId, Reply, threaded};

/// Polls until `found` returns true, or gives up after many looks. Returns whether `found` returned true.
fn polls_until<F>(eu: &mut Eu<F>, mut found: impl FnMut() -> bool) -> bool {
    (0..LOOKS).any(|_| {
        eu.poll();
        std::thread::yield_now();
        found()
    })
}

/// Machines with one worker for each unit, and one with a single worker for both units of a DUAL node.
const MACHINES: [(Config, usize); 3] = [(Config::Spn, 2), (Config::Dual, 4), (Config::Dual, 2)];

/// Node that has run the token of [`Gives`].
static RAN_ON: Mutex<Option<NodeId>> = Mutex::new(None);

/// Makes one token, and polls until it has run.
struct Gives;

#[threaded]
impl Gives {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) {
        eu.token(Notes::call());
        let ran = polls_until(eu, || RAN_ON.lock().is_some());
        eu.put(out, ran && *RAN_ON.lock() != Some(eu.node()));
    }
}

struct Notes;

#[threaded]
impl Notes {
    fn start(eu: &mut Eu<Self>) {
        *RAN_ON.lock() = Some(eu.node());
    }
}

#[test]
fn the_only_token_of_a_polling_fiber_runs_on_another_node() {
    for (config, workers) in MACHINES {
        for trace in [false, true] {
            *RAN_ON.lock() = None;
            let (mut machine, _) = machine(Machine::threads(2).config(config).trace(trace), workers);
            let run = machine.run(Gives::call).expect("it runs");
            assert!(run.value, "{config}, {workers} workers, trace({trace})");
            assert_eq!(run.counters.tokens_stolen, 1);
        }
    }
}

/// Whether node 1 has received the answer of [`Answers`].
static ANSWERED: Mutex<bool> = Mutex::new(false);

/// Polls until its cell has answered a request of node 1. The value that node 1 sends back reaches the next
/// fiber.
struct Answers {
    out: Reply<bool>,
    answered: bool,
}

#[threaded]
impl Answers {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        let number = eu.cell_ref(Self::number());
        eu.write(number, 7);
        eu.invoke(NodeId::new(1), Questions::call(number, eu.reply(Self::end().back)));
        let answered = polls_until(eu, || *ANSWERED.lock());
        Answers { out, answered }
    }

    #[cell]
    fn number() -> u64;

    #[slot]
    fn end(self, back: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, self.answered && back == 7);
    }
}

struct Questions {
    back: Reply<u64>,
}

#[threaded]
impl Questions {
    fn start(from: CellRef<u64>, back: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.get(from, eu.reply(Self::answer().number));
        Questions { back }
    }

    #[slot]
    fn answer(self, number: u64, eu: &mut Eu<Self>) {
        *ANSWERED.lock() = true;
        eu.put(self.back, number);
    }
}

#[test]
fn a_node_answers_while_its_fiber_polls() {
    // A single worker that steps both units of a DUAL node cannot answer during a fiber.
    for (config, workers) in [(Config::Spn, 2), (Config::Dual, 4)] {
        for trace in [false, true] {
            *ANSWERED.lock() = false;
            let (mut machine, _) = machine(Machine::threads(2).config(config).trace(trace), workers);
            assert!(machine.run(Answers::call).expect("it runs").value, "{config}, trace({trace})");
        }
    }
}

/// Whether node 1 has sent the value of [`Early`].
static SENT: Mutex<bool> = Mutex::new(false);

/// Gives out an address of its frame, which is created on demand, and polls until a value has arrived there.
struct Early {
    out: Reply<bool>,
    sent: bool,
}

#[threaded]
impl Early {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(1), Sends::call(eu.reply(Self::end().value)));
        let sent = polls_until(eu, || *SENT.lock());
        (0..100).for_each(|_| eu.poll());
        Early { out, sent }
    }

    #[slot]
    fn end(self, value: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, self.sent && value == 7);
    }
}

struct Sends;

#[threaded]
impl Sends {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, 7);
        *SENT.lock() = true;
    }
}

#[test]
fn a_value_comes_to_the_frame_of_a_first_fiber_that_polls() {
    for (config, workers) in [(Config::Spn, 2), (Config::Dual, 4)] {
        *SENT.lock() = false;
        let (mut machine, _) = machine(Machine::threads(2).config(config), workers);
        assert!(machine.run(Early::call).expect("it runs").value, "{config}");
    }
}

/// Token that cancels the run of [`Ends`].
static TOKEN: Mutex<Option<CancelToken>> = Mutex::new(None);

/// Cancels its run and polls.
struct Ends;

/// Number of fibers of [`Ends`] that have ended by unwinding.
static UNWOUND: Mutex<u32> = Mutex::new(0);

struct Unwinds;

impl Drop for Unwinds {
    fn drop(&mut self) {
        *UNWOUND.lock() += u32::from(std::thread::panicking());
    }
}

#[threaded]
impl Ends {
    fn start(out: Reply<bool>, eu: &mut Eu<Self>) {
        let _unwinds = Unwinds;
        TOKEN.lock().iter().for_each(CancelToken::cancel);
        let found = polls_until(eu, || false);
        eu.put(out, found);
    }
}

#[test]
fn a_fiber_that_polls_ends_when_its_run_is_cancelled() {
    for (config, workers) in MACHINES {
        for nodes in [1, 2] {
            let token = CancelToken::new();
            *TOKEN.lock() = Some(token.clone());
            let workers = workers.min(nodes * if config == Config::Spn { 1 } else { 2 });
            let unwound = *UNWOUND.lock();
            let (mut machine, _) =
                machine(Machine::threads(nodes).config(config).cancel_token(token), workers);
            assert_eq!(machine.run(Ends::call).map(|run| run.value), Err(Error::Cancelled));
            assert_eq!(*UNWOUND.lock(), unwound + 1, "{config}, {nodes} nodes");
        }
    }
}
