//! A run that is sent functions from outside lasts until the last handle of its input is dropped, and no longer.

use std::sync::Arc;
use std::time::Duration;

use earth::input::Input;
use earth::ranks::{Link, Lost};
use earth::{CancelToken, Eu, Machine, NodeId, Policy, Reply, threaded};
use parking_lot::Mutex;

use super::machines::{Verdict, ends, same};

/// How many functions are sent.
const REQUESTS: u64 = 3;

/// How often a rank may wait for its link. A run that does not end would wait for ever.
const WAITS: u64 = 1_000;

/// The link of a machine of one rank. While the rank waits for it, it sends the run one function after another, then
/// drops the input: so all happens in the thread that runs the machine, in which bugs are awake.
struct Outside {
    input: Arc<Mutex<Option<Input>>>,
    cancel: CancelToken,
    waits: u64,
}

impl Link for Outside {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn send(&mut self, _to: usize, _message: Vec<u8>) -> Result<(), Vec<u8>> {
        unreachable!("there is no other rank")
    }
    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost> {
        Ok(None)
    }
    fn wait(&mut self, _most: Duration) {
        self.waits += 1;
        if self.waits == WAITS {
            self.cancel.cancel();
        }
        let mut input = self.input.lock();
        match &*input {
            Some(open) if self.waits <= REQUESTS => {
                open.invoke(NodeId::new(0), Request::call()).expect("the run is on");
            }
            _ => *input = None,
        }
    }
}

/// The main function, which is over at once.
struct Serves;

#[threaded]
impl Serves {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 7);
    }
}

struct Request;

#[threaded]
impl Request {
    fn start() {}
}

pub(crate) fn requests() -> Verdict {
    let (input, cancel) = (Arc::default(), CancelToken::new());
    let link = Outside { input: Arc::clone(&input), cancel: cancel.clone(), waits: 0 };
    // It waits for the link after few looks in vain.
    let policy = Policy { spin: 4, ..Policy::default() };
    let mut machine = Machine::ranks(link).policy(policy).cancel_token(cancel);
    *input.lock() = Some(machine.input());
    let run = ends(machine.run(Serves::call))?;
    same("the result", &run.value, &7)?;
    same("functions started", &run.counters.fibers, &(1 + REQUESTS))
}
