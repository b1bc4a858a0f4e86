//! A run with input from outside lasts until its input is closed, and no longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{CancelToken, Eu, Machine, NodeId, Policy, Reply, threaded};

use super::machines::{Verdict, ends, same};

/// Number of functions that are sent.
const REQUESTS: u64 = 3;

/// Limit of the waits of a rank for its link. A run that does not end would wait forever.
const WAITS: u64 = 1_000;

/// The link of a machine of one rank. It reports each wait of the rank, and cancels a run that does not end.
struct Outside {
    waiting: Sender<()>,
    cancel: CancelToken,
    closed: Arc<AtomicBool>,
    /// Number of waits since the input was closed.
    waits: u64,
}

impl Link for Outside {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn send(&mut self, _to: usize, _message: &mut Message) -> bool {
        unreachable!("there is no other rank")
    }
    fn poll(&mut self, _arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        Ok(None)
    }
    fn wait(&mut self, _most: Duration) {
        self.waits += u64::from(self.closed.load(Ordering::Relaxed));
        if self.waits == WAITS {
            self.cancel.cancel();
        }
        let _ = self.waiting.send(());
        std::thread::yield_now();
    }
}

/// The main function, which ends at once.
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
    let ((waiting, waits), cancel, closed) = (channel(), CancelToken::new(), Arc::<AtomicBool>::default());
    let link = Outside { waiting, cancel: cancel.clone(), closed: Arc::clone(&closed), waits: 0 };
    // The rank waits for the link after few unsuccessful polls.
    let policy = Policy { spin: 4, ..Policy::default() };
    let machine = Machine::ranks(link).policy(policy).cancel_token(cancel);
    let bug = earth::awake();
    let input = machine.open(move |out| {
        earth::stay_awake(bug);
        Serves::call(out)
    });
    for _ in 0..REQUESTS {
        // The loop ends when the rank waits, or if the run is over too early.
        while waits.try_recv().is_err() && !input.is_over() {
            std::thread::yield_now();
        }
        input.invoke(NodeId::new(0), Request::call()).map_err(|why| why.to_string())?;
    }
    let running = input.close();
    closed.store(true, Ordering::Relaxed);
    let (_, run) = running.wait();
    let run = ends(run)?;
    same("the result", &run.value, &7)?;
    same("functions started", &run.counters.fibers, &(1 + REQUESTS))
}
