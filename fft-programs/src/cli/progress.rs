//! A bar for what takes longer than a second, shown only if standard error is a terminal.
//!
//! Work that ends within the second shows nothing at all. A thread waits out the second, so that the work
//! itself need not report: a bar of unknown length just shows that time goes by. The thread ends with the
//! bar.

use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar, hidden for its first second. Dropping it takes it off the terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    done: Option<Sender<()>>,
    revealer: Option<JoinHandle<()>>,
}

impl Progress {
    /// For work whose end cannot be foreseen.
    pub(super) fn endless(label: &'static str) -> Self {
        Self::over(None, label, "earth-fft: {msg} {spinner} {elapsed}")
    }

    /// For `steps` steps, each reported by [`step`](Self::step).
    pub(super) fn of(steps: u64, label: &'static str) -> Self {
        Self::over(Some(steps), label, "earth-fft: {msg} {bar:40} {pos}/{len} {eta}")
    }

    /// For work of so many units, reported by [`advance`](Self::advance), whose number tells nobody anything.
    pub(super) fn weighted(units: u64, label: &'static str) -> Self {
        Self::over(Some(units), label, "earth-fft: {msg} {bar:40} {percent}% {eta}")
    }

    fn over(steps: Option<u64>, label: &'static str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden()).with_message(label);
        // A template that does not parse would only cost the looks.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (done, ended) = mpsc::channel::<()>();
        let shown = bar.clone();
        let revealer = thread::Builder::new().name(label.to_owned()).spawn(move || {
            if ended.recv_timeout(Duration::from_secs(1)) == Err(mpsc::RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Self { bar, done: Some(done), revealer: revealer.ok() }
    }

    /// One step is done.
    pub(super) fn step(&self) {
        self.bar.inc(1);
    }

    /// So many units are done.
    pub(super) fn advance(&self, units: u64) {
        self.bar.inc(units);
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
        progress.step();
        progress.step();
        let bar = progress.bar.clone();
        assert_eq!((bar.position(), bar.length()), (2, Some(3)));
        assert!(bar.is_hidden());
        drop(progress);
        assert!(bar.is_finished());
    }
}
