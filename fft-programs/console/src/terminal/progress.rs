//! Progress bar for work of more than a second, shown only if standard error is a terminal.
//!
//! Shorter work shows no bar. A thread waits for the second to pass, so that the work itself need not report:
//! a bar of unknown length shows only the elapsed time. The thread ends with the bar. If it cannot be
//! started, there is no bar.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::output::duration;
use crate::terminal::stderr::name;

/// Bar, hidden for its first second. Dropping it removes it from the terminal.
pub struct Progress {
    bar: ProgressBar,
    done: Option<Sender<()>>,
    revealer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Creates a bar for work of unknown length.
    pub fn endless(label: &'static str) -> Self {
        Self::over(None, label, "{msg} {spinner} {elapsed}")
    }

    /// Creates a bar for `steps` steps, reported by [`advance`](Self::advance).
    pub fn of(steps: u64, label: &'static str) -> Self {
        Self::over(Some(steps), label, "{msg} {bar:40} {pos}/{len} {eta}")
    }

    /// Creates a bar for `units` units of work, shown as a percentage, since the number means little to the
    /// user.
    pub fn weighted(units: u64, label: &'static str) -> Self {
        Self::over(Some(units), label, "{msg} {bar:40} {percent}% {eta}")
    }

    fn over(steps: Option<u64>, label: &'static str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden()).with_message(label);
        // A template that does not parse would only affect the appearance.
        if let Ok(style) = ProgressStyle::with_template(&format!("{}: {template}", name())) {
            bar.set_style(style);
        }
        let (done, ended) = mpsc::channel::<()>();
        let shown = bar.clone();
        let revealer = thread::Builder::new().name(label.to_owned()).spawn(move || {
            let lasts = |time| ended.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout);
            if lasts(Duration::from_secs(1)) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.tick();
                while lasts(Duration::from_millis(200)) {
                    shown.tick();
                }
            }
        });
        Self { bar, done: Some(done), revealer: revealer.ok() }
    }

    /// Reports that `units` more steps or units are done.
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
    }
}

/// Bar of a measurement, which begins when the amount of work is known, and the end of its time.
pub struct Timed {
    label: &'static str,
    bar: fn(u64, &'static str) -> Progress,
    deadline: Option<Instant>,
    shown: Mutex<Option<Progress>>,
}

impl Timed {
    /// Creates a bar for countable steps. The time is over `seconds` from now.
    pub fn steps(label: &'static str, seconds: Option<f64>) -> Self {
        Self::over(label, Progress::of, seconds)
    }

    /// Creates a bar for abstract units of work. The time is over `seconds` from now.
    pub fn weighted(label: &'static str, seconds: Option<f64>) -> Self {
        Self::over(label, Progress::weighted, seconds)
    }

    fn over(label: &'static str, bar: fn(u64, &'static str) -> Progress, seconds: Option<f64>) -> Self {
        let deadline = seconds.and_then(|seconds| Instant::now().checked_add(duration(seconds)));
        Self { label, bar, deadline, shown: Mutex::new(None) }
    }

    /// Removes the bar from the terminal.
    pub fn finish(&self) {
        drop(self.bar().take());
    }

    /// Locks the bar, even after a panic of another thread: the bar stays valid.
    fn bar(&self) -> MutexGuard<'_, Option<Progress>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl crate::terminal::work::Progress for Timed {
    fn begin(&self, work: u64) {
        *self.bar() = (work > 0).then(|| (self.bar)(work, self.label));
    }

    fn done(&self, work: u64) {
        if let Some(bar) = &*self.bar() {
            bar.advance(work);
        }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(revealer) = self.revealer.take() {
            // The thread neither panics nor owns anything.
            let _ = revealer.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_and_the_thread_ends_with_the_bar() {
        let progress = Progress::of(3, "testing");
        progress.advance(2);
        let bar = progress.bar.clone();
        assert_eq!((bar.position(), bar.length()), (2, Some(3)));
        assert!(bar.is_hidden());
        drop(progress);
        assert!(bar.is_finished());
    }
}
