//! Execution unit of a rank's DUAL node, in a thread of its own.
//!
//! A rank's calling thread steps the synchronization unit and serves the link. This additional thread runs
//! fibers. The two exchange messages through rings, as the two threads of any DUAL node do, and wake each
//! other. The execution unit sleeps as a worker on real cores does. The synchronization unit waits for its
//! link, which can be woken. The ledgers of [`quiet`](earth_signal::quiet) detect that both are idle and no
//! message between them is in transit. Messages that transfer work between the calling thread and other ranks
//! count in the calling thread's ledger.

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

/// Indices of the two threads among the sleepers.
pub(super) const EU: usize = 0;
pub(super) const SU: usize = 1;

/// Number of steps of the unit before it checks whether the other unit waits for its progress.
const TURN: u32 = 32;

/// Number of looks for work before the unit declares itself idle: longer than an answer of the other unit
/// takes.
const LOOKS_BEFORE_IDLE: usize = 100;

/// Execution unit, while its thread does not have it.
struct Unit {
    units: UnitSet,
    ledger: Ledger,
    /// Idle time in the run.
    idle: Duration,
}

/// The calling thread's handle of the execution unit's thread.
pub(super) struct EuThread {
    unit: Option<Unit>,
    thread: Option<JoinHandle<Unit>>,
    /// Ledger of the calling thread.
    ledger: Ledger,
    quiet: Quiet,
    /// Waker of the calling thread.
    su: Waker,
    pub(super) sleepers: Arc<Sleepers>,
}

impl EuThread {
    /// Makes the handle for this unit. The unit sleeps among `sleepers`, and wakes the calling thread by
    /// `su`.
    pub(super) fn new(units: UnitSet, sleepers: Arc<Sleepers>, su: Waker) -> Self {
        let (quiet, ledgers) = quiet(2);
        let [eu, ledger] =
            <[Ledger; 2]>::try_from(ledgers).unwrap_or_else(|_| unreachable!("two were asked for"));
        let unit = Some(Unit { units, ledger: eu, idle: Duration::ZERO });
        EuThread { unit, thread: None, ledger, quiet, su, sleepers }
    }

    /// Returns the unit, while no run is in progress.
    pub(super) fn units(&mut self) -> Option<&mut UnitSet> {
        self.unit.as_mut().map(|unit| &mut unit.units)
    }

    /// Returns the unit's idle time in the last run.
    pub(super) fn idle(&self) -> Duration {
        self.unit.as_ref().map_or(Duration::ZERO, |unit| unit.idle)
    }

    /// Starts the thread for a run.
    pub(super) fn start(
        &mut self,
        verdict: &Arc<RunVerdict>,
        settings: &Settings,
        spin: usize,
    ) -> Result<(), Error> {
        self.quiet.reset();
        let Some(mut unit) = self.unit.take() else { return Ok(()) };
        unit.idle = Duration::ZERO;
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

    /// Waits for the thread and takes the unit back. The run must be over.
    pub(super) fn stop(&mut self) {
        self.sleepers.wake(EU);
        if let Some(thread) = self.thread.take() {
            // The thread catches its fibers' panics.
            self.unit = thread.join().ok();
        }
    }

    /// Declares that the calling thread is about to act.
    pub(super) fn busy(&mut self) {
        self.ledger.busy();
    }

    /// Declares the calling thread idle, with its total numbers of sent and received messages, including
    /// those exchanged with other ranks. Returns whether the execution unit is idle too.
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
                // The other unit may wait for this progress.
                su.wake();
            }
            Step::Idle => {
                if (0..LOOKS_BEFORE_IDLE).any(|_| units.has_events()) {
                    continue;
                }
                let since = Instant::now();
                let (sent, received) = units.messages();
                ledger.idle(sent, received);
                su.wake();
                let found = |units: &mut UnitSet| units.has_events() || verdict.is_over();
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
