//! Quiescence: never declared while work is left, always noticed when none is left.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use earth_model::atomic::AtomicBool;
use earth_model::checked::event_queue::event_queue;
use earth_model::checked::message_ring::{Message, Receiver, message_ring};
use earth_model::checked::quiet::{Ledger, Quiet, quiet};
use earth_model::checked::sleepers::Sleepers;
use earth_model::checked::verdict::{Ending, Verdict};
use earth_model::{Leaked, explore, misused, weak_fence};
use loom::sync::mpsc::channel;
use loom::thread::{spawn, yield_now};

/// A run whose units must act on `messages` messages before it is over. `acted` is not an atomic of loom's,
/// so that the model can read it without adding synchronization.
#[derive(Clone)]
struct Run {
    quiet: Quiet,
    acted: Arc<AtomicUsize>,
    messages: usize,
}

impl Run {
    fn new(quiet: Quiet, messages: usize) -> Self {
        Self { quiet, acted: Arc::new(AtomicUsize::new(0)), messages }
    }

    fn assert_finished(&self) {
        assert_eq!(self.acted.load(Relaxed), self.messages, "quiet was declared too early");
    }

    /// Runs a unit that has already sent `sent` messages. It `receive`s messages; for each, `answer` may send
    /// messages and returns their number. When no message is left the unit becomes idle, declares quiescence
    /// if it sees it, and then `wait`s or gives up.
    fn unit<T>(
        &self,
        mut ledger: Ledger,
        mut sent: u64,
        mut receive: impl FnMut() -> Option<T>,
        mut answer: impl FnMut(T) -> u64,
        declare: impl Fn(),
        mut wait: impl FnMut() -> bool,
    ) {
        let mut received = 0;
        loop {
            while let Some(message) = receive() {
                ledger.busy();
                received += 1;
                sent += answer(message);
                self.acted.fetch_add(1, Relaxed);
            }
            ledger.idle(sent, received);
            if self.quiet.is_quiet() {
                self.assert_finished();
                declare();
            }
            if !wait() {
                return;
            }
        }
    }
}

/// Allows exactly one more turn. The unit must not declare quiescence too early, whatever it finds.
fn two_turns() -> impl FnMut() -> bool {
    let mut more = 0..1;
    move || more.next().is_some()
}

/// Two units bounce a message: each answers by a message that may bounce once less.
#[test]
fn a_bouncing_message_keeps_the_run_alive() {
    explore(|| {
        let (view, mut ledgers) = quiet(2);
        let run = Run::new(view, 2);
        let (to_b, mut at_b) = event_queue(1);
        let (to_a, mut at_a) = event_queue(1);
        let (ledger_b, ledger_a) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
        let run_b = run.clone();
        let b = spawn(move || {
            let answer = |hops: u64| {
                assert!(hops == 0 || to_a.send(hops - 1).is_ok());
                u64::from(hops > 0)
            };
            run_b.unit(ledger_b, 0, || at_b.receive(), answer, || (), two_turns());
        });
        assert!(to_b.send(1).is_ok());
        let answer = |hops: u64| {
            assert_eq!(hops, 0);
            0
        };
        run.unit(ledger_a, 1, || at_a.receive(), answer, || (), two_turns());
        b.join().unwrap();
    });
}

/// An execution unit, and a fiber that is sent to it.
struct Eu;
struct Fiber;

impl Receiver for Eu {
    type Outcome = ();
}

impl Message<Eu> for Fiber {
    fn arrive(self, _: &mut Eu) {}
}

/// The EU and the SU of one node are two units with a queue in each direction: a fiber signals a slot.
#[test]
fn eu_and_su_of_one_node_are_two_units() {
    explore(|| {
        let (view, mut ledgers) = quiet(2);
        let run = Run::new(view, 2);
        let (events, mut at_su) = event_queue(2);
        let (mut fibers, mut at_eu) = message_ring(2);
        let (ledger_eu, ledger_su) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
        let run_eu = run.clone();
        let eu = spawn(move || {
            let run_fiber = |()| {
                assert!(events.send(()).is_ok());
                1
            };
            run_eu.unit(ledger_eu, 0, || at_eu.receive(&mut Eu), run_fiber, || (), two_turns());
        });
        assert!(fibers.send(Fiber).is_ok());
        fibers.publish();
        run.unit(ledger_su, 1, || at_su.receive(), |()| 0, || (), two_turns());
        eu.join().unwrap();
    });
}

/// Units that sleep instead of polling: the unit that sees the end wakes the other, so no unit sleeps
/// forever.
#[test]
fn sleeping_units_come_to_an_end() {
    explore(|| {
        let (view, mut ledgers) = quiet(2);
        let run = Run::new(view, 1);
        let shared = Arc::new((Sleepers::new(2), Verdict::new()));
        let (to_b, at_b) = event_queue::<()>(1);
        let (ledger_b, ledger_a) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
        let (run_b, shared_b) = (run.clone(), Arc::clone(&shared));
        let b = spawn(move || {
            let at_b = RefCell::new(at_b);
            let wait = || sleep(1, &shared_b, || !at_b.borrow_mut().is_empty());
            run_b.unit(ledger_b, 0, || at_b.borrow_mut().receive(), |()| 0, || end(&shared_b), wait);
            run_b.assert_finished();
        });
        assert!(to_b.send(()).is_ok());
        shared.0.wake(1);
        run.unit(ledger_a, 1, || None::<()>, |()| 0, || end(&shared), || sleep(0, &shared, || false));
        run.assert_finished();
        b.join().unwrap();
    });
}

/// A thread outside the run sends a message to a sleeping worker, and records it in its ledger. If `early`,
/// it records the message before sending it.
fn kept_alive_from_outside(early: bool) {
    let (view, mut ledgers) = quiet(2);
    let run = Run::new(view, 1);
    let shared = Arc::new((Sleepers::new(1), Verdict::new()));
    let (inbox, at_worker) = event_queue::<()>(1);
    let (mut outside, worker) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
    let (run_outside, shared_outside) = (run.clone(), Arc::clone(&shared));
    let sender = spawn(move || {
        let mut close = |sent| {
            outside.idle(sent, 0);
            if run_outside.quiet.is_quiet() {
                run_outside.assert_finished();
                end(&shared_outside);
            }
        };
        if early {
            close(0);
        }
        assert!(inbox.send(()).is_ok());
        shared_outside.0.wake(0);
        if !early {
            close(1);
        }
    });
    let at_worker = RefCell::new(at_worker);
    let wait = || sleep(0, &shared, || !at_worker.borrow_mut().is_empty());
    run.unit(worker, 0, || at_worker.borrow_mut().receive(), |()| 0, || end(&shared), wait);
    run.assert_finished();
    sender.join().unwrap();
}

#[test]
fn a_run_ends_when_its_input_is_closed() {
    explore(|| kept_alive_from_outside(false));
}

#[test]
#[should_panic(expected = "quiet was declared too early")]
fn a_ledger_that_is_closed_before_the_last_message_ends_the_run_too_early() {
    explore(|| kept_alive_from_outside(true));
}

fn end((sleepers, verdict): &(Sleepers, Verdict)) {
    // Both units may see quiescence; the first declaration counts.
    let _ = verdict.declare(Ending::Quiet);
    sleepers.wake_all();
}

/// Sleeps until there is work. Returns `false` when the run is over.
fn sleep(me: usize, (sleepers, verdict): &(Sleepers, Verdict), mut ready: impl FnMut() -> bool) -> bool {
    let over = verdict.is_over();
    if !over {
        sleepers.park_unless(me, || ready() || verdict.is_over());
    }
    !over
}

/// Two units become idle for good; at least one of them must notice the end.
macro_rules! both_go_idle {
    ($quiet:path) => {
        || {
            let (view, mut ledgers) = $quiet(2);
            let (mut ledger_b, mut ledger_a) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
            let view_b = view.clone();
            let b = spawn(move || {
                ledger_b.idle(0, 1);
                view_b.is_quiet()
            });
            ledger_a.idle(1, 0);
            let noticed = view.is_quiet();
            assert!(b.join().unwrap() || noticed, "no unit noticed");
        }
    };
}

#[test]
fn the_last_to_go_idle_notices() {
    explore(both_go_idle!(quiet));
}

#[test]
#[should_panic(expected = "no unit noticed")]
fn without_the_fence_a_signal_may_be_missed() {
    explore(both_go_idle!(weak_fence::quiet::quiet));
}

#[test]
fn a_reset_forgets_the_last_run() {
    explore(|| {
        let (view, mut ledgers) = quiet(2);
        // An aborted run: one message was never received.
        ledgers[0].idle(1, 0);
        ledgers[1].idle(0, 0);
        view.reset();
        let (mut ledger_b, mut ledger_a) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
        assert!(!view.is_quiet(), "all are busy");
        let view_b = view.clone();
        let b = spawn(move || {
            ledger_b.idle(0, 0);
            view_b.is_quiet()
        });
        ledger_a.idle(0, 0);
        let noticed = view.is_quiet();
        assert!(b.join().unwrap() || noticed, "no unit noticed");
    });
}

/// A unit's page in a book of ledgers.
trait Page: Send + 'static {
    fn busy(&mut self);
    fn idle(&mut self, sent: u64, received: u64);
}

impl Page for Ledger {
    fn busy(&mut self) {
        Self::busy(self);
    }

    fn idle(&mut self, sent: u64, received: u64) {
        Self::idle(self, sent, received);
    }
}

/// The critical case for a collector. A is idle; B sends to A, A answers, and B takes the answer and becomes
/// idle while A is still working.
fn trap<P: Page>(mut page_a: P, mut page_b: P, is_quiet: impl Fn() -> bool) {
    page_a.idle(0, 0);
    let work = Leaked::new(AtomicBool::new(false));
    let done = work.clone();
    let (to_a, at_a) = channel();
    let (to_b, at_b) = channel();
    let a = spawn(move || {
        at_a.recv().unwrap();
        page_a.busy();
        to_b.send(()).unwrap();
        done.store(true, Relaxed);
        page_a.idle(1, 1);
    });
    let b = spawn(move || {
        to_a.send(()).unwrap();
        at_b.recv().unwrap();
        page_b.idle(1, 1);
    });
    if is_quiet() {
        assert!(work.load(Relaxed), "quiet was declared while a unit was at work");
    }
    a.join().unwrap();
    b.join().unwrap();
    assert!(is_quiet());
}

#[test]
fn two_collections_are_not_deceived() {
    explore(|| {
        let (view, mut ledgers) = quiet(2);
        let (page_b, page_a) = (ledgers.pop().unwrap(), ledgers.pop().unwrap());
        trap(page_a, page_b, || view.is_quiet());
    });
}

/// A single collection, with the strongest possible order: each word is made sequentially consistent by
/// fences on both sides.
mod one_wave {
    use earth_model::Leaked;
    use earth_model::atomic::Ordering::{Relaxed, SeqCst};
    use earth_model::atomic::{AtomicU64, fence};

    /// Busy (1) or idle (0), number of sent messages, number of received messages.
    #[derive(Clone)]
    pub(super) struct OneWave(Leaked<[AtomicU64; 3]>);

    fn load(word: &AtomicU64) -> u64 {
        fence(SeqCst);
        word.load(Relaxed)
    }

    fn store(word: &AtomicU64, value: u64) {
        word.store(value, Relaxed);
        fence(SeqCst);
    }

    impl OneWave {
        pub(super) fn new() -> Self {
            Self(Leaked::new([1, 0, 0].map(AtomicU64::new)))
        }
    }

    impl super::Page for OneWave {
        fn busy(&mut self) {
            store(&self.0[0], 1);
        }

        fn idle(&mut self, sent: u64, received: u64) {
            store(&self.0[1], sent);
            store(&self.0[2], received);
            store(&self.0[0], 0);
        }
    }

    pub(super) fn is_quiet(pages: &[OneWave]) -> bool {
        let (mut sent, mut received) = (0, 0);
        for OneWave(page) in pages {
            if load(&page[0]) == 1 {
                return false;
            }
            sent += load(&page[1]);
            received += load(&page[2]);
        }
        sent == received
    }
}

#[test]
#[should_panic(expected = "quiet was declared while a unit was at work")]
fn one_collection_is_deceived() {
    explore(|| {
        let pages = [one_wave::OneWave::new(), one_wave::OneWave::new()];
        let [page_a, page_b] = pages.clone();
        trap(page_a, page_b, || one_wave::is_quiet(&pages));
    });
}

/// In DUAL a node is two units. If only the SU keeps a ledger for it, a fiber that the EU runs is not
/// counted.
#[test]
#[should_panic(expected = "quiet was declared while a fiber ran")]
fn an_su_that_answers_alone_declares_too_early() {
    explore(|| {
        let (view, mut ledgers) = misused::quiet::quiet(1);
        let (fibers, mut at_eu) = misused::event_queue::event_queue(1);
        let running = Arc::new(AtomicUsize::new(1));
        let fiber = Arc::clone(&running);
        let eu = spawn(move || {
            while at_eu.receive().is_none() {
                yield_now();
            }
            fiber.store(0, Relaxed);
        });
        assert!(fibers.send(()).is_ok());
        ledgers[0].idle(0, 0);
        if view.is_quiet() {
            assert_eq!(running.load(Relaxed), 0, "quiet was declared while a fiber ran");
        }
        eu.join().unwrap();
    });
}
