//! Timers: order, time, ended frames, and answers that may come too late.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{Case, fails, gives, on_every};
use earth::{CancelToken, Error, Eu, Machine, NodeId, Reply, SlotRef, Then, threaded};

/// Longer than any test takes.
const LONG: Duration = Duration::from_hours(1);

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Sets timers on the slots of a frame of another node, and returns the order of their signals.
struct Orders {
    out: Reply<Vec<usize>>,
}

#[threaded]
impl Orders {
    fn start(out: Reply<Vec<usize>>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Collects::call(eu.reply(Self::set().slots), eu.reply(Self::end().order)));
        Orders { out }
    }

    #[slot]
    fn set(&mut self, slots: Vec<SlotRef>, eu: &mut Eu<Self>) {
        for (slot, time) in slots.into_iter().zip([3, 1, 4, 2]) {
            eu.after(millis(time), slot);
        }
    }

    #[slot]
    fn end(self, order: Vec<usize>, eu: &mut Eu<Self>) {
        eu.put(self.out, order);
    }
}

struct Collects {
    order: Vec<usize>,
    done: Reply<Vec<usize>>,
}

#[threaded]
impl Collects {
    fn start(slots: Reply<Vec<SlotRef>>, done: Reply<Vec<usize>>, eu: &mut Eu<Self>) -> Self {
        eu.put(slots, (0..4).map(|index| eu.slot_ref(Self::arrives(index))).collect());
        Collects { order: Vec::new(), done }
    }

    #[slots(sync, len = 4)]
    fn arrives(&mut self, index: usize, eu: &mut Eu<Self>) -> Then {
        self.order.push(index);
        if self.order.len() < 4 {
            return Then::Wait;
        }
        eu.put(self.done, std::mem::take(&mut self.order));
        Then::End
    }
}

/// Returns whether a run took at least this time, on a machine whose time passes.
fn took(case: Case, elapsed: Duration, time: Duration) -> bool {
    case.is_stepped() && !case.is_simulated() || elapsed >= time
}

#[test]
fn each_timer_fires_once_and_not_before_its_time() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Orders::call);
        let mut order = run.value;
        if !case.is_simulated() {
            // In real time the sender may lose its core between two timers. On the stepper a timer may fire
            // before the next one arrives.
            order.sort_unstable_by_key(|index| [2, 0, 3, 1][*index]);
        }
        assert_eq!(order, [1, 3, 0, 2]);
        assert!(took(case, run.elapsed, millis(4)), "{:?}", run.elapsed);
        // Each timer that fires starts a function.
        assert_eq!(run.counters.fibers, 3 + 5 + 4);
    });
}

/// Makes frames that end before their timers are due, and one that ends after its timer.
struct Abandons {
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Abandons {
    fn start(count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for number in 0..count {
            let node = NodeId::new(number as usize % eu.nodes());
            eu.invoke(node, EndsFirst::call(eu.slot_ref(Self::ended())));
        }
        Abandons { left: count, out }
    }

    #[slot(sync, again)]
    fn ended(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, 7);
        Then::End
    }
}

struct EndsFirst {
    done: SlotRef,
}

#[threaded]
impl EndsFirst {
    fn start(done: SlotRef, eu: &mut Eu<Self>) -> Self {
        eu.after(LONG, eu.slot_ref(Self::never()));
        eu.sync(Self::now());
        EndsFirst { done }
    }

    #[slot(sync)]
    fn never(&mut self) {}

    #[slot(sync)]
    fn now(self, eu: &mut Eu<Self>) {
        eu.rsync(self.done);
    }
}

#[test]
fn the_timer_of_an_ended_frame_is_dropped_and_not_waited_for() {
    on_every(|case| {
        let mut machine = case.machine();
        for count in [1, 300] {
            let run = gives(&mut machine, |out| Abandons::call(count, out));
            assert_eq!(run.value, 7);
            assert!(run.elapsed < LONG);
            // On the stepper a timer may fire at any time.
            let is_stepper = case.is_stepped() && !case.is_simulated();
            assert!(is_stepper || run.counters.fibers == 1 + 3 * count, "{}", run.counters.fibers);
        }
    });
}

// ANCHOR: after
/// Puts the answer, or `None` if the time has passed before. A late answer is taken and dropped.
struct WithTimeout {
    out: Option<Reply<Option<u64>>>,
}

#[threaded]
impl WithTimeout {
    fn start(answer_after: u64, timeout: u64, out: Reply<Option<u64>>, eu: &mut Eu<Self>) -> Self {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke(last, Answers::call(answer_after, eu.reply(Self::answered().value)));
        eu.after(millis(timeout), eu.slot_ref(Self::late()));
        WithTimeout { out: Some(out) }
    }

    #[slot]
    fn answered(self, value: u64, eu: &mut Eu<Self>) {
        if let Some(out) = self.out {
            eu.put(out, Some(value));
        }
    }

    #[slot(sync)]
    fn late(&mut self, eu: &mut Eu<Self>) {
        if let Some(out) = self.out.take() {
            eu.put(out, None);
        }
    }
}
// ANCHOR_END: after

/// Answers after some time.
struct Answers {
    to: Reply<u64>,
}

#[threaded]
impl Answers {
    fn start(after: u64, to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.after(millis(after), eu.slot_ref(Self::now()));
        Answers { to }
    }

    #[slot(sync)]
    fn now(self, eu: &mut Eu<Self>) {
        eu.put(self.to, 42);
    }
}

#[test]
fn an_answer_or_a_timeout_whichever_comes_first() {
    let mut seen = BTreeSet::new();
    on_every(|case| {
        let mut machine = case.machine();
        for (answer, timeout) in [(0, 0), (1, 40), (40, 1), (1, 1)] {
            let run = gives(&mut machine, |out| WithTimeout::call(answer, timeout, out));
            assert!(matches!(run.value, None | Some(42)));
            // Virtual time decides. In real time a node may lose its core.
            if answer != timeout && case.is_simulated() {
                assert_eq!(run.value.is_none(), timeout < answer, "{answer} and {timeout}");
            }
            seen.insert((case.is_stepped(), run.value));
        }
        // The answer is long before the time-out, whose frame does not keep the run.
        let run = gives(&mut machine, |out| WithTimeout::call(0, LONG.as_millis() as u64, out));
        if !case.is_stepped() || case.is_simulated() {
            assert_eq!(run.value, Some(42));
        }
        assert!(run.elapsed < LONG);
    });
    assert!(seen.contains(&(true, None)) && seen.contains(&(true, Some(42))), "{seen:?}");
}

/// Ends its frames while their timers fire.
struct Races {
    left: u64,
    out: Reply<u64>,
}

#[threaded]
impl Races {
    fn start(count: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for number in 0..count {
            let node = NodeId::new(number as usize % eu.nodes());
            eu.invoke(node, Race::call(number % 3, eu.slot_ref(Self::ended())));
        }
        Races { left: count, out }
    }

    #[slot(sync, again)]
    fn ended(&mut self, eu: &mut Eu<Self>) -> Then {
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, 7);
        Then::End
    }
}

struct Race {
    left: u64,
    done: SlotRef,
}

#[threaded]
impl Race {
    fn start(rounds: u64, done: SlotRef, eu: &mut Eu<Self>) -> Self {
        for _ in 0..3 {
            eu.after(Duration::ZERO, eu.slot_ref(Self::timer()));
        }
        eu.sync(Self::again());
        Race { left: rounds, done }
    }

    #[slot(sync, again)]
    fn timer(&mut self) {}

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        if self.left == 0 {
            eu.rsync(self.done);
            return Then::End;
        }
        self.left -= 1;
        eu.sync(Self::again());
        Then::Wait
    }
}

#[test]
fn a_frame_may_end_while_its_timers_fire() {
    on_every(|case| {
        for trace in [false, true] {
            if trace && case.is_of_ranks() {
                continue;
            }
            let run = gives(&mut case.machine().trace(trace), |out| Races::call(60, out));
            assert_eq!(run.value, 7);
        }
    });
}

/// Waits for one signal, and gets two.
struct Twice {
    out: Reply<u64>,
}

#[threaded]
impl Twice {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.after(millis(1), eu.slot_ref(Self::once()));
        eu.after(millis(2), eu.slot_ref(Self::once()));
        Twice { out }
    }

    #[slot(sync)]
    fn once(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.put(self.out, 1);
        Then::Wait
    }
}

#[test]
fn a_timer_for_a_slot_that_expects_no_signal_ends_the_run() {
    on_every(|case| {
        let error = fails(&mut case.machine(), Twice::call);
        let Error::TooManySignals { slot, sender } = &error else { panic!("{error}") };
        assert_eq!((&*slot.name, &*sender.function), ("once", "Timer"));
    });
}

/// Waits for a timer that is due after the test.
struct Waits;

#[threaded]
impl Waits {
    fn start(_out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.after(LONG, eu.slot_ref(Self::never()));
        Waits
    }

    #[slot(sync)]
    fn never(self) {}
}

#[test]
fn a_run_that_waits_for_a_timer_can_be_cancelled() {
    on_every(|case| {
        if case.is_stepped() {
            return;
        }
        let token = CancelToken::new();
        let running = case.machine().cancel_token(token.clone()).start(Waits::call);
        // The run does not end by itself.
        let running = running.wait_for(millis(1)).map(drop).expect_err("the timer is pending");
        token.cancel();
        assert_eq!(running.wait().1.map(|run| run.value), Err(Error::Cancelled));
    });
}

#[test]
fn the_seed_decides_when_a_timer_fires() {
    // Before or after the work of another node, which takes no time on the stepper.
    let value =
        |seed| Machine::stepper(seed).nodes(2).run(|out| WithTimeout::call(0, 0, out)).map(|run| run.value);
    let values: Result<BTreeSet<_>, _> = (0..40).map(value).collect();
    assert!(values.is_ok_and(|values| values.into_iter().eq([None, Some(42)])));
}
