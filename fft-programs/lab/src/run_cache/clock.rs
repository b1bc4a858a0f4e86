//! Processor time of a thread, so that the duration of a run does not depend on other programs.

use std::fs;
use std::time::Instant;

/// Clock of the calling thread: its processor time where the system tells it, otherwise real time.
pub(crate) struct Clock {
    begun: Instant,
    used: Option<f64>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now(), used: used() }
    }

    /// Returns the seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.used, used()) {
            (Some(before), Some(now)) => now - before,
            _ => self.begun.elapsed().as_secs_f64(),
        }
    }
}

/// Returns the processor time that this thread has used, in seconds.
fn used() -> Option<f64> {
    // Its first figure is nanoseconds on a processor.
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_that_sleeps_uses_no_processor_time() {
        let clock = Clock::start();
        thread::sleep(Duration::from_millis(50));
        let slept = clock.seconds();
        assert!(slept >= 0.0 && (slept < 0.045 || used().is_none()), "{slept}");
        let before = clock.seconds();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {}
        assert!(clock.seconds() > before);
    }
}
