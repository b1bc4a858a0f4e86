//! The stall monitor: it names a fiber that does not return, on every machine, and changes no result.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::common::{gives, on_every_of_one_process, still_works};
use earth::{CancelToken, Error, Eu, Machine, NodeId, Reply, SlotRef, Stall, threaded};

/// Number of spinning fibers that may go on.
static GO_ON: AtomicU32 = AtomicU32::new(0);

/// Makes the calling test run alone, since it has spinning fibers.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Long for a fiber that returns, short for a test.
const AFTER: Duration = Duration::from_millis(2);

/// Starts two fibers that spin on the last node, one after the other.
struct Main {
    out: Reply<u64>,
}

#[threaded]
impl Main {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(NodeId::new(0), Other::call(eu.slot_ref(Self::end())));
        eu.invoke(NodeId::new(eu.nodes() - 1), Spins::call(eu.reply(Self::end().x)));
        Main { out }
    }

    #[slot(sync)]
    fn end(self, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }
}

struct Other;

#[threaded]
impl Other {
    fn start(over: SlotRef, eu: &mut Eu<Self>) {
        eu.rsync(over);
    }
}

struct Spins {
    out: Reply<u64>,
}

#[threaded]
impl Spins {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::first());
        Spins { out }
    }

    #[slot(sync)]
    fn first(&mut self, eu: &mut Eu<Self>) {
        spin_until(1);
        eu.sync(Self::second());
    }

    #[slot(sync)]
    fn second(self, eu: &mut Eu<Self>) {
        spin_until(2);
        eu.put(self.out, 7);
    }
}

fn spin_until(enough: u32) {
    while GO_ON.load(Ordering::Acquire) < enough {
        thread::yield_now();
    }
}

/// Whether the stalled fiber is one that spins.
fn spins(stall: &Stall) -> bool {
    stall.at.function == "Spins" && stall.at.fiber != "start"
}

/// A run ends only if both stalls are reported: the reports let the fibers go on.
#[test]
fn each_fiber_that_does_not_return_is_named_once() {
    let _alone = one_at_a_time();
    on_every_of_one_process(|case| {
        for traced in [false, true] {
            GO_ON.store(0, Ordering::Release);
            let (sender, reports) = mpsc::channel();
            let report = move |stall: &Stall| {
                // The receiver may already be gone.
                let _ = sender.send(stall.clone());
                if spins(stall) {
                    GO_ON.fetch_add(1, Ordering::AcqRel);
                }
            };
            let mut machine = case.machine().trace(traced).stall_monitor(AFTER, report);
            let run = gives(&mut machine, Main::call);
            assert_eq!((run.value, run.records.is_some()), (7, traced));
            let named: Vec<_> = reports.try_iter().filter(spins).collect();
            let names: Vec<_> = named.iter().map(|stall| stall.at.fiber.as_str()).collect();
            assert_eq!(names, ["first", "second"]);
            let last = case.nodes - 1;
            assert!(named.iter().all(|stall| stall.at.node == last && stall.running_for >= AFTER));
        }
    });
}

/// The system may interrupt some of these fibers for so long that they are reported. Each report must name a
/// real fiber.
#[test]
fn short_fibers_keep_their_names() {
    on_every_of_one_process(|case| {
        let (sender, reports) = mpsc::channel();
        let report = move |stall: &Stall| drop(sender.send(stall.clone()));
        still_works(&mut case.machine().stall_monitor(Duration::ZERO, report));
        for stall in reports.try_iter() {
            let name = (stall.at.function.as_str(), stall.at.fiber.as_str());
            assert!(["Everywhere", "Fib"].contains(&name.0) && ["start", "add"].contains(&name.1), "{stall}");
            assert!(stall.at.node < case.nodes);
        }
    });
}

/// Returns the machines on which a report must do no harm.
fn machines() -> impl Iterator<Item = Machine> {
    [Machine::threads(1), Machine::threads(2), Machine::stepper(1)].into_iter()
}

#[test]
fn a_report_that_panics_harms_nothing() {
    let _alone = one_at_a_time();
    for machine in machines() {
        GO_ON.store(0, Ordering::Release);
        let mut machine = machine.stall_monitor(AFTER, |stall| {
            if spins(stall) {
                GO_ON.fetch_add(1, Ordering::AcqRel);
            }
            panic!("as a test");
        });
        assert_eq!(gives(&mut machine, Main::call).value, 7);
        still_works(&mut machine);
    }
}

#[test]
fn a_report_may_cancel_the_run() {
    let _alone = one_at_a_time();
    for machine in machines() {
        GO_ON.store(0, Ordering::Release);
        let token = CancelToken::new();
        let cancel = token.clone();
        let mut machine = machine.cancel_token(token).stall_monitor(AFTER, move |stall| {
            if spins(stall) {
                cancel.cancel();
                GO_ON.store(2, Ordering::Release);
            }
        });
        assert_eq!(machine.run(Main::call).map(|run| run.value), Err(Error::Cancelled));
    }
}
