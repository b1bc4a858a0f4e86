//! Stall monitor: reports fibers that do not return.
//!
//! A fiber that never returns keeps its run from ending. Its unit cannot report it, because the unit is
//! executing the fiber. So a machine with a [stall monitor](crate::Machine::stall_monitor) has an additional
//! thread during each run. Each execution unit [publishes](earth_signal::Activity) the fiber that it runs.
//! The thread reads this four times in the time after which a fiber counts as stalled, and sleeps in between.
//! It ends before the run does.
//!
//! A machine without a monitor has no cost. Only the tracing code publishes fibers, and only machines that
//! trace or have a monitor run that code.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use earth_signal::{ActivityView, Process, Running};

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
        write!(f, "{} has been running for ", self.at)?;
        match self.running_for.as_secs_f64() {
            seconds if seconds < 1.0 => write!(f, "{:.0} ms", 1e3 * seconds)?,
            seconds => write!(f, "{seconds:.1} s")?,
        }
        f.write_str(" and has not returned")
    }
}

/// Stall monitor: the running time after which a fiber counts as stalled, and the function that reports it.
#[derive(Clone)]
pub(super) struct StallMonitor {
    after: Duration,
    report: Arc<dyn Fn(&Stall) + Send + Sync>,
}

impl fmt::Debug for StallMonitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StallMonitor").field("after", &self.after).finish_non_exhaustive()
    }
}

impl StallMonitor {
    pub(super) fn new(after: Duration, report: impl Fn(&Stall) + Send + Sync + 'static) -> Self {
        StallMonitor { after, report: Arc::new(report) }
    }

    /// Looks repeatedly, until the other end of `over` is dropped.
    fn look_until_over(&self, units: Vec<(usize, ActivityView)>, over: &Receiver<()>) {
        let mut units: Vec<_> =
            units.into_iter().map(|(node, view)| (node, view, LastSeen::default())).collect();
        let process = Process::current();
        let rest = (self.after / 4).max(SHORTEST);
        loop {
            for (node, view, seen) in &mut units {
                if let Some((running, running_for)) = seen.look(view.running(), Instant::now(), self.after) {
                    let stall = Stall { at: name(running, *node), running_for };
                    // The user's report may panic, and dropping its payload may panic too.
                    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (self.report)(&stall))) {
                        std::mem::forget(payload);
                    }
                    thread::end_in_child(process);
                }
            }
            if over.recv_timeout(rest) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }
}

/// Has a monitor, if there is one, watch the execution units of these nodes until the guard is dropped.
pub(super) fn watch(
    monitor: Option<&StallMonitor>,
    units: impl FnOnce() -> Vec<(usize, ActivityView)>,
) -> Result<Option<Watch>, Error> {
    let Some(monitor) = monitor.cloned() else { return Ok(None) };
    let (units, (run, over)) = (units(), channel());
    let thread = thread::start("earth-stalls", None, move || monitor.look_until_over(units, &over))?;
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
    /// Time at which the monitor first saw that fiber.
    since: Option<Instant>,
    reported: bool,
}

impl LastSeen {
    /// Records what runs `now`. Returns the fiber and its running time if it must be reported: once, after
    /// the monitor has seen it for at least the time `after`.
    fn look(
        &mut self,
        running: Option<Running>,
        now: Instant,
        after: Duration,
    ) -> Option<(Running, Duration)> {
        if running != self.running {
            *self = LastSeen { running, since: Some(now), reported: false };
        }
        let running_for = now.duration_since(self.since?);
        if self.reported || running_for < after {
            return None;
        }
        self.reported = running.is_some();
        running.map(|running| (running, running_for))
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
        let view = activity.view();
        let (mut seen, began) = (LastSeen::default(), Instant::now());
        let second = Duration::from_secs(1);
        let mut look = |seconds: u32| seen.look(view.running(), began + second * seconds, 3 * second);
        let reports = |running: Option<(Running, Duration)>| {
            running.map(|(running, time)| (running.function(), running.fiber(), time))
        };
        assert_eq!([0, 3, 9].map(&mut look), [None; 3], "nothing runs");
        activity.begin(5, 1);
        assert_eq!([10, 12].map(&mut look), [None; 2], "it has not run for long");
        assert_eq!(reports(look(14)), Some((5, 1, 4 * second)));
        assert_eq!([17, 30].map(&mut look), [None; 2], "it was reported");
        activity.rest();
        activity.begin(5, 1);
        assert_eq!([31, 33].map(&mut look), [None; 2], "it is another one");
        assert_eq!(reports(look(34)), Some((5, 1, 3 * second)));
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
