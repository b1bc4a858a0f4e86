//! In DUAL, a rank waits for its link until a message arrives or its execution unit wakes it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Wake, Waker};
use std::time::Duration;

use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use earth::{Config, Machine, Policy};
use earth_programs::fib::Fib;

/// Time limit of a wait that is not ended by a wake-up, instead of the requested limit.
const LONG: Duration = Duration::from_secs(30);

/// A bell that ends a wait.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rung.lock().expect("the lock is not poisoned") = true;
        self.ringing.notify_one();
    }
}

/// The link of a machine of one rank, to which no message comes. It counts the waits that reached the time
/// limit.
struct Patient {
    bell: Arc<Bell>,
    in_vain: Arc<AtomicUsize>,
}

impl Link for Patient {
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
        let rung = self.bell.rung.lock().expect("the lock is not poisoned");
        let (mut rung, wait) = self
            .bell
            .ringing
            .wait_timeout_while(rung, LONG, |rung| !*rung)
            .expect("the lock is not poisoned");
        *rung = false;
        self.in_vain.fetch_add(usize::from(wait.timed_out()), Ordering::Relaxed);
    }
    fn waker(&self) -> Option<Waker> {
        Some(Waker::from(Arc::clone(&self.bell)))
    }
}

/// While it runs, the execution unit publishes its requests; before it rests, it certainly wakes the rank.
/// The first request that finds the rank waiting at its link ends the wait.
#[test]
fn an_execution_unit_wakes_a_rank_that_waits_for_its_link() {
    let in_vain = Arc::<AtomicUsize>::default();
    let link = Patient { bell: Arc::default(), in_vain: Arc::clone(&in_vain) };
    // The rank waits after few unsuccessful polls.
    let policy = Policy { spin: 20, ..Policy::default() };
    let mut machine = Machine::ranks(link).config(Config::Dual).policy(policy);
    for _ in 0..3 {
        assert_eq!(machine.run(|out| Fib::call(14, out)).map(|run| run.value), Ok(377));
    }
    assert_eq!(in_vain.load(Ordering::Relaxed), 0, "a wait reached its time limit");
}
