//! Runs in threads of their own: waiting without limit, for a time, and by `await`.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::common::{on_every, still_works};
use earth::{CancelToken, Error, Eu, Machine, Reply, Then, threaded};
use earth_programs::fib::Fib;

/// Wakes a thread.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A minimal executor.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn a_run_in_its_own_thread_is_waited_for_or_awaited() {
    on_every(|case| {
        let (machine, run) = case.machine().start(|out| Fib::call(9, out)).wait();
        assert_eq!(run.expect("it runs").value, 34);
        let (mut machine, run) = block_on(machine.start(|out| Fib::call(10, out)));
        assert_eq!(run.expect("it runs").value, 55);
        still_works(&mut machine);
    });
}

#[test]
fn a_run_that_is_not_over_by_a_deadline_is_given_back() {
    let token = CancelToken::new();
    let running = Machine::threads(2).cancel_token(token.clone()).start(Spins::call);
    let running = running.wait_for(Duration::ZERO).expect_err("it is on");
    let running = running.wait_for(Duration::from_millis(1)).expect_err("it is on");
    assert!(!running.is_over());
    token.cancel();
    let (_, run) = running.wait();
    assert!(matches!(run, Err(Error::Cancelled)));

    // The longest time ends later than the clock can represent.
    for time in [Duration::from_mins(10), Duration::MAX] {
        let running = Machine::threads(1).start(|out| Fib::call(5, out));
        let Ok((_, run)) = running.wait_for(time) else { panic!("it does not end") };
        assert_eq!(run.expect("it runs").value, 5);
    }
}

/// Runs forever.
struct Spins;

#[threaded]
impl Spins {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::again());
        Spins
    }

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.sync(Self::again());
        Then::Wait
    }
}

#[test]
fn a_panic_before_a_run_goes_on_where_it_is_waited_for() {
    let running = Machine::threads(1).start::<Fib, u64>(|_| panic!("no call"));
    let panic = catch_unwind(AssertUnwindSafe(|| running.wait())).map(drop).expect_err("it panics");
    assert_eq!(panic.downcast_ref(), Some(&"no call"));
    let running = Machine::threads(1).start::<Fib, u64>(|_| panic!("no call"));
    let panic = catch_unwind(AssertUnwindSafe(|| block_on(running))).map(drop).expect_err("it panics");
    assert_eq!(panic.downcast_ref(), Some(&"no call"));
}
