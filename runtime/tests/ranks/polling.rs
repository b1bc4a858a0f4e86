//! A long fiber that polls lets the link make progress, though it receives no message.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{Config, Eu, Machine, Reply, Shared, threaded};

/// The link of a single rank, which counts its calls.
struct Counting {
    attended: Arc<AtomicU64>,
    polled: Arc<AtomicU64>,
}

impl Link for Counting {
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
        self.polled.fetch_add(1, Relaxed);
        Ok(None)
    }
    fn attend(&mut self) {
        self.attended.fetch_add(1, Relaxed);
    }
}

/// Polls a hundred times. Returns how often the link was attended and polled meanwhile.
struct Polls;

#[threaded]
impl Polls {
    fn start(calls: Shared<[Arc<AtomicU64>; 2]>, out: Reply<[u64; 2]>, eu: &mut Eu<Self>) {
        let now = || [calls[0].load(Relaxed), calls[1].load(Relaxed)];
        let before = now();
        (0..100).for_each(|_| eu.poll());
        let after = now();
        eu.put(out, [after[0] - before[0], after[1] - before[1]]);
    }
}

#[test]
fn a_fiber_that_polls_lets_the_link_make_progress() {
    let calls = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
    let [attended, polled] = calls.clone();
    let mut machine = Machine::ranks(Counting { attended, polled }).config(Config::Spn);
    // Also after a long run without messages.
    for _ in 0..2 {
        let calls = Shared::new(calls.clone());
        let run = machine.run(move |out| Polls::call(calls, out)).expect("it ends");
        assert_eq!(run.value, [100, 0]);
    }
}
