//! Stall monitor: reports fibers that do not return, and runs that make no progress.
//!
//! A fiber that never returns keeps its run from ending. Its unit cannot report it, because the unit is
//! executing the fiber. So a machine with a [stall monitor](crate::Machine::stall_monitor) has an additional
//! thread during each run. Each execution unit [publishes](earth_signal::Activity) the fiber that it runs.
//! The thread reads this four times in the time after which a fiber counts as stalled, and sleeps in between.
//! It ends before the run does.
//!
//! The monitor of a program receives each stalled fiber once. Without one, the [variable] `EARTH_WATCH`
//! switches a monitor on that [prints](printer) what the thread sees of the whole [machine](surroundings).
//!
//! A machine without a monitor has no cost. Only the tracing code publishes fibers, and only machines that
//! trace or have a monitor run that code.

mod printer;
mod surroundings;
mod variable;

use std::fmt;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_signal::{ActivityView, Process, Running};

pub(super) use surroundings::{Beginning, NodeState, Rest, Surroundings};

use printer::Printer;

use super::thread;
use crate::node::function::functions;
use crate::primitive::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use crate::primitive::thread::JoinHandle;
use crate::vocabulary::error::{Error, FiberName};
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::origin::Origin;

/// Minimum time that the monitor sleeps between two looks.
const SHORTEST: Duration = Duration::from_millis(1);

/// Fiber that has not returned for a long time.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stall {
    /// The fiber.
    pub at: FiberName,
    /// Lower bound of its running time: the time since the monitor first saw it.
    pub running_for: Duration,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has been running for {} and has not returned", self.at, Seconds(self.running_for))
    }
}

/// Time in a sentence.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs_f64() {
            seconds if seconds < 1.0 => write!(f, "{:.0} ms", 1e3 * seconds),
            seconds => write!(f, "{seconds:.1} s"),
        }
    }
}

/// Stall monitor: the running time after which a fiber counts as stalled, and the receiver of its reports.
#[derive(Clone)]
pub(super) struct StallMonitor {
    after: Duration,
    report: Audience,
}

#[derive(Clone)]
enum Audience {
    /// The program's function, called once for each stalled fiber.
    Program(Arc<dyn Fn(&Stall) + Send + Sync>),
    /// The standard error stream.
    Printed,
}

impl fmt::Debug for StallMonitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StallMonitor").field("after", &self.after).finish_non_exhaustive()
    }
}

/// Everything that a monitor looks at during a run.
pub(super) struct WatchedRun {
    /// Execution units that publish their fibers, with their nodes.
    pub(super) units: Vec<(usize, ActivityView)>,
    pub(super) surroundings: Box<dyn Surroundings>,
}

impl StallMonitor {
    /// Makes the monitor of a program.
    pub(super) fn new(after: Duration, report: impl Fn(&Stall) + Send + Sync + 'static) -> Self {
        StallMonitor { after, report: Audience::Program(Arc::new(report)) }
    }

    /// Looks repeatedly, until the other end of `over` is dropped.
    fn look_until_over(&self, scene: WatchedRun, over: &Receiver<()>) {
        let WatchedRun { units, surroundings } = scene;
        let mut units: Vec<_> = units
            .into_iter()
            .map(|(node, view)| WatchedUnit { node, view, seen: LastSeen::default() })
            .collect();
        let process = Process::current();
        let rest = (self.after / 4).max(SHORTEST);
        let mut printer = Printer::new(self.after);
        loop {
            let now = Instant::now();
            for unit in &mut units {
                unit.look(now);
            }
            match &self.report {
                Audience::Program(report) => {
                    for unit in &mut units {
                        let Some(stall) = unit.new_stall(now, self.after) else { continue };
                        // The user's report may panic, and dropping its payload may panic too.
                        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| report(&stall))) {
                            std::mem::forget(payload);
                        }
                        thread::end_in_child(process);
                    }
                }
                Audience::Printed => print(printer.look(&units, &*surroundings, now)),
            }
            if over.recv_timeout(rest) != Err(RecvTimeoutError::Timeout) {
                return print(printer.end(Instant::now()));
            }
        }
    }
}

/// Prints a report. A closed error stream is ignored.
fn print(report: Option<String>) {
    if let Some(report) = report {
        let _ = std::io::stderr().write_all(report.as_bytes());
    }
}

/// Execution unit, and its state at the last look.
struct WatchedUnit {
    node: usize,
    view: ActivityView,
    seen: LastSeen,
}

impl WatchedUnit {
    fn look(&mut self, now: Instant) {
        self.seen.look(self.view.running(), self.view.begun(), now);
    }

    /// Returns the name of the fiber that it ran at the last look.
    fn fiber(&self) -> Option<FiberName> {
        self.seen.running.map(|running| name(running, self.node))
    }

    /// Returns the stall of the fiber that it ran at the last look, if it is one.
    fn stall(&self, now: Instant, after: Duration) -> Option<Stall> {
        let running_for = self.seen.time(now);
        self.fiber().filter(|_| running_for >= after).map(|at| Stall { at, running_for })
    }

    /// Returns the stall of its fiber once.
    fn new_stall(&mut self, now: Instant, after: Duration) -> Option<Stall> {
        let stall = if self.seen.reported { None } else { self.stall(now, after) };
        self.seen.reported |= stall.is_some();
        stall
    }
}

/// Has a monitor, if there is one, watch this scene until the guard is dropped.
pub(super) fn watch(
    monitor: Option<&StallMonitor>,
    scene: impl FnOnce() -> WatchedRun,
) -> Result<Option<Watch>, Error> {
    let Some(monitor) = monitor.cloned() else { return Ok(None) };
    let (scene, (run, over)) = (scene(), channel());
    let thread = thread::start("earth-stalls", None, move || monitor.look_until_over(scene, &over))?;
    Ok(Some(Watch { thread: Some((run, thread)), process: Process::current() }))
}

/// Returns the name of a fiber that runs on `node`.
fn name(running: Running, node: usize) -> FiberName {
    let function = functions::get(running.function());
    let layout = function.map_or(&BETWEEN_FIBERS, |function| function.hooks().layout);
    Origin { layout, fiber: running.fiber(), node: node as u32 }.name()
}

/// State of one unit when the monitor last looked.
#[derive(Default)]
struct LastSeen {
    running: Option<Running>,
    /// Number of fibers that the unit has begun.
    begun: u32,
    /// Time at which the monitor first saw this state.
    since: Option<Instant>,
    reported: bool,
}

impl LastSeen {
    /// Records what runs `now`.
    fn look(&mut self, running: Option<Running>, begun: u32, now: Instant) {
        if self.since.is_none() || (running, begun) != (self.running, self.begun) {
            *self = LastSeen { running, begun, since: Some(now), reported: false };
        }
    }

    /// Returns how long the unit has been in this state.
    fn time(&self, now: Instant) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now.duration_since(since))
    }
}

/// Handle of the monitor's thread, which ends when this is dropped.
pub(super) struct Watch {
    /// The thread, and the sender whose drop announces the end of the run.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
    process: Process,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.process.is_current() {
            // The thread exists only in the parent, and may have held a lock of the channel during the fork.
            return std::mem::forget(self.thread.take());
        }
        if let Some((run, thread)) = self.thread.take() {
            drop(run);
            // The thread catches the panics of reports, so the result of `join` holds no information.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use earth_signal::Activity;

    use super::*;

    #[test]
    fn a_fiber_is_reported_once_and_only_after_its_time() {
        let mut activity = Activity::new();
        let mut unit = WatchedUnit { node: 0, view: activity.view(), seen: LastSeen::default() };
        let (began, second) = (Instant::now(), Duration::from_secs(1));
        let mut look = |seconds: u32| {
            let now = began + second * seconds;
            unit.look(now);
            unit.new_stall(now, 3 * second).map(|stall| stall.running_for)
        };
        assert_eq!([0, 3, 9].map(&mut look), [None; 3], "nothing runs");
        activity.begin(5, 1);
        assert_eq!([10, 12].map(&mut look), [None; 2], "it has not run for long");
        assert_eq!(look(14), Some(4 * second));
        assert_eq!([17, 30].map(&mut look), [None; 2], "it was reported");
        activity.rest();
        activity.begin(5, 1);
        assert_eq!([31, 33].map(&mut look), [None; 2], "it is another one");
        assert_eq!(look(34), Some(3 * second));
        activity.rest();
        assert_eq!([35, 99].map(&mut look), [None; 2], "nothing runs again");
    }

    #[test]
    fn a_stall_is_reported_in_one_sentence() {
        let at = FiberName { function: "F".to_owned(), fiber: "x".to_owned(), node: 0 };
        let stall = |millis| Stall { at: at.clone(), running_for: Duration::from_millis(millis) }.to_string();
        let told =
            |time| format!("fiber `x` of F on node 0 has been running for {time} and has not returned");
        assert_eq!([stall(2_000), stall(61_300), stall(50)], ["2.0 s", "61.3 s", "50 ms"].map(told));
    }
}
