//! Main loop of a worker: it steps its units until the run is over, looks for work if there is none, and
//! sleeps if it finds none.
//!
//! A worker that cannot act is in one of two states. In both states it sleeps after the
//! [policy](crate::Policy::spin)'s number of fruitless looks:
//!
//! * An *idle* worker has no work. It declares this for the termination detection. A worker that sends to it
//!   or shares tokens wakes it.
//! * A *holding* worker has something blocked: an event for a full queue, or a token that its execution unit
//!   cannot use yet. It sleeps without the declaration. Any worker that makes progress wakes it.
//!
//! Each worker rings for holding sleepers before it sleeps. If it may have made room for them, it also rings
//! after a pass that used up a unit's turns, and after every few passes.

use std::time::Instant;

use earth_signal::{Active, Ledger, Round, Signal, Sleepers};

use super::super::cancel::Cancels;
use super::super::thread;
use super::super::unit_set::UnitSet;
use super::super::units::Units as _;
use super::borrowed_units::BorrowedUnits;
use super::idle::IdleTime;
use super::{GATE_SPIN, ThreadsShared, WorkerState};
use crate::node::step::Step;
use crate::primitive::spin_loop;
use crate::primitive::thread::yield_now;
use crate::vocabulary::error::Error;

/// Number of looks after which an idle worker yields its core.
const YIELD: usize = 4_000;

/// Number of looks after which it does so if there are not enough cores for all workers and a thread outside,
/// which may be the one that has work.
const YIELD_IF_CROWDED: usize = 8;

/// Maximum number of looks for work before a worker declares itself idle; the number grows if declarations
/// come too early. This is longer than an answer from another core takes. So a dialogue of two nodes pays
/// neither for the declaration nor for the pauses between later looks (about 40 ns each).
const LOOKS_BEFORE_IDLE: usize = 200;

/// As [`LOOKS_BEFORE_IDLE`], in a run with input, which cannot end before its input is closed. This is longer
/// than a thread outside takes between an answer and its next request.
const LOOKS_WITH_INPUT: usize = 2_000;

/// Number of looks before the first declaration of a run. Each declaration that comes too early doubles it.
/// So a run with little work ends soon.
const FIRST_GLANCES: usize = 8;

/// Number of steps that one unit takes before the worker's next unit has its turn.
const TURN: u32 = 32;

/// Number of steps if the worker has no other unit and the machine has no other worker.
const TURN_ALONE: u32 = 1 << 10;

/// Number of looks for work between two readings of the clock, while a timer is pending.
const LOOKS_A_CLOCK: usize = 64;

/// Number of passes after which a worker rings for holding workers, if no pass used up a unit's turns.
const RING: usize = 8;

impl ThreadsShared {
    /// Serves runs as a worker other than the calling thread, until the gate is shut.
    pub(super) fn serve(&self, me: usize) {
        let mut seen = Round::default();
        while let Signal::Start(round) = self.gate.wait(seen, GATE_SPIN) {
            seen = round;
            self.work(me, &mut Active::new(), None);
            thread::end_in_child(self.process);
            self.gate.done();
        }
    }

    /// Steps the units of worker `me` for one run, and the units of `others` as long as this thread has them.
    /// In a child that one of its fibers has forked, it leaks them and takes no lock that another thread of
    /// the parent may have held.
    pub(super) fn work(&self, me: usize, active: &mut Active, mut others: Option<&mut BorrowedUnits>) {
        let Some(mut state) = self.states[me].lock().take() else { return };
        let WorkerState { units, ledger, idle: time } = &mut state;
        if let Some(others) = &mut others {
            others.join(units);
        }
        let idle = Idle::of(self.spin, units, self.outside.lock().is_open);
        let mut worker = Worker { shared: self, me, ledger, time, active, idle };
        let outcome = units.guarded(|units| worker.step_until_over(units, others.as_deref_mut()));
        if !self.process.is_current() {
            return std::mem::forget(state);
        }
        match outcome {
            Err(error) => self.fail(error),
            // A fiber declared an error and caught its own unwinding.
            Ok(()) if self.verdict.has_failed() => self.sleepers.wake_all(),
            Ok(()) => {}
        }
        if let Some(others) = others {
            others.part(&mut state.units, &mut state.idle);
            self.put_back(others);
        }
        *self.states[me].lock() = Some(state);
    }

    /// Ends the run with an error, unless it is over.
    fn fail(&self, error: Box<Error>) {
        self.verdict.fail(error);
        self.sleepers.wake_all();
    }

    /// Tries to continue as a holding worker that has announced its sleep. Returns whether the worker stays
    /// awake. Stores the outcome of one turn of each unit.
    pub(in crate::machine) fn try_continue(
        &self,
        units: &mut UnitSet,
        outcome: &mut Result<Step, Box<Error>>,
    ) -> bool {
        // A single turn of each unit shows exactly whether any unit can act.
        *outcome = units.pass(1, &self.verdict);
        // If the worker no longer holds anything, it is idle, and must declare that before it sleeps.
        !matches!(outcome, Ok(Step::Idle | Step::Holding)) || self.verdict.is_over() || !units.has_work()
    }

    /// Declares a worker idle. Before that it wakes the holding workers, since it may have made room for
    /// them.
    pub(in crate::machine) fn begin_to_wait(&self, units: &mut UnitSet, ledger: &mut Ledger) {
        self.sleepers.wake_holders();
        let (sent, received) = units.messages();
        ledger.idle(sent, received);
        if !self.is_whole {
            // This may have been the last busy worker of the process.
            self.sleepers.wake(0);
        }
    }

    /// Returns whether an idle worker finds neither work nor the end of the run in `looks` looks. Declares
    /// the end if the run is quiet. Declares the worker busy if there is work.
    pub(in crate::machine) fn keeps_waiting(
        &self,
        looks: usize,
        units: &mut UnitSet,
        ledger: &mut Ledger,
    ) -> bool {
        if self.verdict.is_over() {
            return false;
        }
        if self.is_whole && self.quiet.is_quiet() {
            self.verdict.settle();
            self.sleepers.wake_all();
            return false;
        }
        let found = self.look_for_work(looks, units);
        if found {
            ledger.busy();
        }
        !found
    }

    /// Returns whether an idle worker that has announced its sleep stays awake.
    pub(in crate::machine) fn is_awaited(&self, units: &mut UnitSet) -> bool {
        self.verdict.is_over() || units.has_work()
    }

    /// Looks for work `looks` times. The policy's default takes about 100 us, more than twice the time of a
    /// wake-up. There are never more workers than cores, so spinning keeps no other worker from its core. A
    /// run with input may have more threads than cores; then the worker yields often. Returns whether there
    /// is work.
    fn look_for_work(&self, looks: usize, units: &mut UnitSet) -> bool {
        let crowded = self.crowded.is_raised();
        for round in 1..=looks {
            if units.has_events() {
                return true;
            }
            if self.verdict.is_over() {
                return false;
            }
            if gives_way(round) || crowded && round.is_multiple_of(YIELD_IF_CROWDED) {
                yield_now();
            } else {
                spin_loop();
            }
        }
        false
    }
}

/// Worker that steps units through one run.
struct Worker<'a> {
    shared: &'a ThreadsShared,
    me: usize,
    ledger: &'a mut Ledger,
    time: &'a mut IdleTime,
    active: &'a mut Active,
    idle: Idle,
}

impl Worker<'_> {
    fn step_until_over(
        &mut self,
        units: &mut UnitSet,
        mut others: Option<&mut BorrowedUnits>,
    ) -> Result<(), Box<Error>> {
        let shared = self.shared;
        let turns = if shared.states.len() == 1 && units.len() == 1 { TURN_ALONE } else { TURN };
        loop {
            units.fire_due();
            let best = units.pass(turns, &shared.verdict)?;
            if shared.verdict.is_over() || !shared.process.is_current() {
                return Ok(());
            }
            if let Some(others) = others.take_if(|_| shared.has_cores()) {
                shared.hand_over(others, units, self.time);
            }
            self.idle.passed(best, units, &shared.sleepers);
            match best {
                Step::Worked => {}
                Step::Holding => self.held(units)?,
                Step::Idle => {
                    self.idle(units)?;
                    if shared.verdict.is_over() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Pauses after a pass in which a unit held something blocked, and sleeps after many such passes.
    #[inline]
    fn held(&mut self, units: &mut UnitSet) -> Result<(), Box<Error>> {
        self.time.looked(1);
        if gives_way(self.idle.in_vain + 1) {
            self.time.clock(yield_now);
        } else {
            self.time.pause();
        }
        self.rest_if_in_vain(units)
    }

    /// Looks for work a few times after a pass in which no unit found any. Waits if there is none.
    #[inline]
    fn idle(&mut self, units: &mut UnitSet) -> Result<(), Box<Error>> {
        let glances = self.idle.glances;
        let found = (0..glances).position(|_| units.has_events());
        // The fruitless steps of the pass count as one look.
        self.time.looked(1 + found.unwrap_or(glances));
        if found.is_some() {
            return self.rest_if_in_vain(units);
        }
        let since = Instant::now();
        if let Some(deadline) = units.deadline() {
            // A pending timer is work, so the worker is not idle.
            self.wait_for_timer(units, deadline);
        } else {
            self.wait(units);
            self.idle.waited();
        }
        self.time.waited(since.elapsed());
        Ok(())
    }

    /// Counts a fruitless pass, and sleeps after many of them.
    #[inline(always)]
    fn rest_if_in_vain(&mut self, units: &mut UnitSet) -> Result<(), Box<Error>> {
        if self.idle.held(units) { self.hold(units) } else { Ok(()) }
    }

    /// Sleeps while something is blocked, until another worker makes progress or sends something.
    #[inline(never)]
    fn hold(&mut self, units: &mut UnitSet) -> Result<(), Box<Error>> {
        let Worker { shared, me, time, active, .. } = self;
        let since = Instant::now();
        shared.sleepers.wake_holders();
        let mut outcome = Ok(Step::Worked);
        active.asleep(|| {
            shared.sleepers.park_holding_unless(*me, || shared.try_continue(units, &mut outcome));
        });
        // A worker that could continue at once was not idle meanwhile.
        if outcome? != Step::Worked {
            time.waited(since.elapsed());
        }
        self.idle.restart(units);
        Ok(())
    }

    /// Waits until a timer is due, there is work, or the run is over. The worker looks for work as an idle
    /// worker does, and then sleeps.
    #[inline(never)]
    fn wait_for_timer(&mut self, units: &mut UnitSet, deadline: Instant) {
        let Worker { shared, me, active, .. } = self;
        shared.sleepers.wake_holders();
        for _ in 0..looks(shared.spin, units.len()).div_ceil(LOOKS_A_CLOCK) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || shared.look_for_work(LOOKS_A_CLOCK, units) || shared.verdict.is_over() {
                return;
            }
        }
        active.asleep(|| {
            shared.sleepers.park_until(*me, Some(deadline), || shared.is_awaited(units));
        });
    }

    /// Waits as an idle worker until there is work or the run is over.
    #[inline(never)]
    fn wait(&mut self, units: &mut UnitSet) {
        let Worker { shared, me, ledger, active, .. } = self;
        shared.begin_to_wait(units, ledger);
        while shared.keeps_waiting(looks(shared.spin, units.len()).max(1), units, ledger) {
            active.asleep(|| shared.sleepers.park_unless(*me, || shared.is_awaited(units)));
        }
    }
}

/// Counts the passes of a worker over its units. They decide when a holding worker sleeps, when the worker
/// declares itself idle, and when it wakes holding workers.
#[derive(Debug)]
pub(in crate::machine) struct Idle {
    /// Number of fruitless passes before the worker sleeps.
    looks: usize,
    in_vain: usize,
    /// Number of passes since the worker last considered waking holding workers.
    unrung: usize,
    /// Value of [`freed`](UnitSet::freed) at that time.
    freed: u64,
    /// Value of [`acts`](UnitSet::acts) when the worker last considered sleep.
    acts: u64,
    /// Number of looks before the worker declares itself idle, and its maximum.
    glances: usize,
    most_glances: usize,
}

impl Idle {
    /// Makes the counts of a worker that sleeps after `looks` fruitless passes, and declares itself idle
    /// without a look.
    pub(in crate::machine) fn new(looks: usize) -> Self {
        Idle { looks, in_vain: 0, unrung: 0, freed: 0, acts: 0, glances: 0, most_glances: 0 }
    }

    /// Makes the counts of a worker that looks at each of these units `spin` times before it sleeps.
    fn of(spin: usize, units: &UnitSet, has_input: bool) -> Self {
        let (first, most) =
            if has_input { (LOOKS_WITH_INPUT, LOOKS_WITH_INPUT) } else { (FIRST_GLANCES, LOOKS_BEFORE_IDLE) };
        let (glances, most_glances) = (looks(first, units.len()), looks(most, units.len()));
        Idle { glances, most_glances, ..Idle::new(looks(spin, units.len())) }
    }

    /// Counts a pass with this outcome. Wakes the holding workers if this worker may have made room for them.
    #[inline(always)]
    pub(in crate::machine) fn passed(&mut self, best: Step, units: &mut UnitSet, sleepers: &Sleepers) {
        self.unrung += 1;
        if best == Step::Worked {
            self.in_vain = 0;
        } else if self.unrung < RING {
            return;
        }
        let freed = units.freed();
        if freed != self.freed {
            sleepers.wake_holders();
        }
        (self.freed, self.unrung) = (freed, 0);
    }

    /// Counts a fruitless pass of a holding worker. Returns whether the worker should sleep: after
    /// [`looks`](Self::looks) passes, unless its units have acted since it last considered sleep.
    #[inline(always)]
    pub(in crate::machine) fn held(&mut self, units: &mut UnitSet) -> bool {
        self.in_vain += 1;
        if self.in_vain <= self.looks {
            return false;
        }
        let acts = self.acts;
        self.restart(units);
        acts == self.acts
    }

    /// Restarts the count of passes.
    pub(in crate::machine) fn restart(&mut self, units: &mut UnitSet) {
        (self.in_vain, self.acts) = (0, units.acts());
    }

    /// Doubles the number of looks before the next declaration, after a declaration that came too early.
    fn waited(&mut self) {
        self.in_vain = 0;
        self.glances = (2 * self.glances).min(self.most_glances);
    }
}

/// Returns how often a worker looks at all its units so that it looks `at_a_unit` times at a unit.
fn looks(at_a_unit: usize, units: usize) -> usize {
    at_a_unit.div_ceil(units.max(1))
}

impl Cancels for ThreadsShared {
    fn cancel(&self) {
        if self.process.is_current() {
            self.fail(Box::new(Error::Cancelled));
        }
    }
}

/// Returns whether a worker yields its core in this round.
fn gives_way(round: usize) -> bool {
    round.is_multiple_of(YIELD)
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "poll_tests.rs"]
mod poll_tests;
