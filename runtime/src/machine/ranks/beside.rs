//! The execution unit of a DUAL node of a rank, in a thread of its own.
//!
//! The calling thread of a rank steps the synchronization unit and attends to the link, this one runs fibers. They
//! exchange rings of messages as the two threads of any DUAL node do, and wake each other: the execution unit sleeps
//! as a worker on real cores, the other one waits for its link, which is woken. That neither has anything to do, and
//! nothing is under way between them, is found by the ledgers of [`quiet`](earth_signal::quiet): there the messages
//! that give work, which the calling thread exchanges with other ranks, count as its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_signal::{Ledger, Process, Quiet, Sleepers, quiet};

use super::super::settings::Settings;
use super::super::thread;
use super::super::unit_set::UnitSet;
use super::super::units::Units as _;
use crate::node::step::Step;
use crate::node::verdict::RunVerdict;
use crate::primitive::spin_loop;
use crate::primitive::thread::JoinHandle;
use crate::transport::Waker;
use crate::vocabulary::error::Error;

/// The places of the two threads among the sleepers.
pub(super) const EU: usize = 0;
pub(super) const SU: usize = 1;

/// How many steps the unit takes before it looks whether the other one waits for its progress.
const TURN: u32 = 32;

/// How often it looks for work before it declares itself idle: longer than an answer of the other unit takes.
const GLANCES: usize = 100;

/// The execution unit, while its thread does not have it.
struct Unit {
    units: UnitSet,
    ledger: Ledger,
    /// How long it had nothing to do in the run.
    idle: Duration,
}

/// What the calling thread knows of the execution unit beside it.
pub(super) struct Beside {
    unit: Option<Unit>,
    thread: Option<JoinHandle<Unit>>,
    /// The calling thread's ledger.
    ledger: Ledger,
    quiet: Quiet,
    /// What wakes the calling thread.
    su: Waker,
    pub(super) sleepers: Arc<Sleepers>,
}

impl Beside {
    /// The thread for this unit. It sleeps among these sleepers, and wakes the calling one by `su`.
    pub(super) fn new(units: UnitSet, sleepers: Arc<Sleepers>, su: Waker) -> Self {
        let (quiet, ledgers) = quiet(2);
        let [eu, ledger] =
            <[Ledger; 2]>::try_from(ledgers).unwrap_or_else(|_| unreachable!("two were asked for"));
        let unit = Some(Unit { units, ledger: eu, idle: Duration::ZERO });
        Beside { unit, thread: None, ledger, quiet, su, sleepers }
    }

    /// The unit, while no run is on.
    pub(super) fn units(&mut self) -> Option<&mut UnitSet> {
        self.unit.as_mut().map(|unit| &mut unit.units)
    }

    /// How long the unit had nothing to do in the run that is over.
    pub(super) fn idle(&self) -> Duration {
        self.unit.as_ref().map_or(Duration::ZERO, |unit| unit.idle)
    }

    /// Starts the thread for a run.
    pub(super) fn start(&mut self, verdict: &Arc<RunVerdict>, settings: &Settings) -> Result<(), Error> {
        self.quiet.reset();
        let Some(mut unit) = self.unit.take() else { return Ok(()) };
        unit.idle = Duration::ZERO;
        let spin = settings.policy().spin as usize;
        let (verdict, sleepers, su) = (Arc::clone(verdict), Arc::clone(&self.sleepers), self.su.clone());
        let process = Process::current();
        let run = move || {
            let Unit { units, ledger, idle } = &mut unit;
            let outcome =
                units.guarded(|units| step_until_over(units, ledger, idle, (&verdict, &sleepers, &su), spin));
            thread::end_in_child(process);
            if let Err(error) = outcome {
                verdict.fail(error);
            }
            su.wake();
            unit
        };
        self.thread = Some(thread::start("earth-eu", settings.stack_size, run)?);
        Ok(())
    }

    /// Takes the unit back from its thread when that is done. The run is over.
    pub(super) fn stop(&mut self) {
        self.sleepers.wake(EU);
        if let Some(thread) = self.thread.take() {
            // It catches what its fibers do.
            self.unit = thread.join().ok();
        }
    }

    /// The calling thread is going to act.
    pub(super) fn busy(&mut self) {
        self.ledger.busy();
    }

    /// The calling thread has nothing to do, and has sent and received so many messages, those of other ranks
    /// included. Returns whether the execution unit has nothing to do either.
    pub(super) fn is_quiet(&mut self, sent: u64, received: u64) -> bool {
        self.ledger.idle(sent, received);
        self.quiet.is_quiet()
    }
}

fn step_until_over(
    units: &mut UnitSet,
    ledger: &mut Ledger,
    idle: &mut Duration,
    (verdict, sleepers, su): (&RunVerdict, &Sleepers, &Waker),
    spin: usize,
) -> Result<(), Box<Error>> {
    let (mut in_vain, process) = (0, Process::current());
    loop {
        let step = units.pass(TURN, verdict)?;
        if verdict.is_over() || !process.is_current() {
            return Ok(());
        }
        match step {
            Step::Worked => {
                in_vain = 0;
                // The other unit may wait for what was done.
                su.wake();
            }
            Step::Idle => {
                if (0..GLANCES).any(|_| units.hears()) {
                    continue;
                }
                let since = Instant::now();
                let (sent, received) = units.messages();
                ledger.idle(sent, received);
                su.wake();
                let found = |units: &mut UnitSet| units.hears() || verdict.is_over();
                if !(0..spin).any(|_| {
                    spin_loop();
                    found(units)
                }) {
                    sleepers.park_unless(EU, || verdict.is_over() || units.has_work());
                }
                ledger.busy();
                *idle += since.elapsed();
            }
            Step::Holding => {
                in_vain += 1;
                if in_vain <= spin {
                    spin_loop();
                    continue;
                }
                in_vain = 0;
                let since = Instant::now();
                su.wake();
                let mut outcome = Ok(Step::Worked);
                sleepers.park_holding_unless(EU, || {
                    outcome = units.pass(1, verdict);
                    !matches!(outcome, Ok(Step::Idle | Step::Holding))
                        || verdict.is_over()
                        || !units.has_work()
                });
                if outcome? != Step::Worked {
                    *idle += since.elapsed();
                }
            }
        }
    }
}
