//! Idle time of a worker, measured without a clock reading between the arrival of a message and its handling.
//!
//! A worker that finds no work looks again at once, up to about a hundred times, since an answer from another
//! core takes no longer. Two readings of a clock take as long as two looks, and the second reading would
//! delay the handling of the message. So the worker only counts fruitless looks. The duration of a look is
//! measured once, when the machine is built and all queues are empty, as the fastest of a few batches. This
//! is representative: a fruitless look finds the queues unchanged, in its own cache. The worker reads the
//! clock only around longer waits and around yielding its core.
//!
//! Two durations count as busy: the last part of a look, after work has arrived, and the time of a preemption
//! during a short look.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::primitive::spin_loop;

/// Number of looks or pauses in a measured batch. A batch takes much longer than a clock reading.
const BATCH: u32 = 64;

const BATCHES: u32 = 4;

/// Idle time of one worker in a run.
#[derive(Debug, Default)]
pub(in crate::machine) struct IdleTime {
    /// Duration of a batch of fruitless looks.
    looks_take: Duration,
    /// Duration of a batch of pauses.
    pauses_take: Duration,
    looks: u64,
    pauses: u64,
    /// Time measured by the clock.
    clocked: Duration,
}

impl IdleTime {
    /// Returns the idle time of a worker that looks for work by `look`, which must find none now.
    pub(super) fn measure(mut look: impl FnMut() -> bool) -> Self {
        IdleTime {
            looks_take: fastest(|| {
                black_box(look());
            }),
            pauses_take: fastest(spin_loop),
            ..IdleTime::default()
        }
    }

    pub(super) fn begin(&mut self) {
        let IdleTime { looks_take, pauses_take, .. } = *self;
        *self = IdleTime { looks_take, pauses_take, ..IdleTime::default() };
    }

    /// Counts `times` fruitless looks.
    #[inline]
    pub(super) fn looked(&mut self, times: usize) {
        self.looks += times as u64;
    }

    /// Pauses between two looks.
    #[inline]
    pub(super) fn pause(&mut self) {
        self.pauses += 1;
        spin_loop();
    }

    /// Runs `wait`, and counts its duration by the clock.
    pub(super) fn clock(&mut self, wait: impl FnOnce()) {
        let since = Instant::now();
        wait();
        self.waited(since.elapsed());
    }

    /// Counts time that the clock has measured.
    pub(in crate::machine) fn waited(&mut self, time: Duration) {
        self.clocked += time;
    }

    /// Returns the total idle time of the run.
    pub(in crate::machine) fn total(&self) -> Duration {
        let reckoned = |batch: Duration, times: u64| batch.mul_f64(times as f64 / f64::from(BATCH));
        self.clocked + reckoned(self.looks_take, self.looks) + reckoned(self.pauses_take, self.pauses)
    }
}

fn fastest(mut act: impl FnMut()) -> Duration {
    let batch = |_| {
        let since = Instant::now();
        (0..BATCH).for_each(|_| act());
        since.elapsed()
    };
    (0..BATCHES).map(batch).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Config, Kind, Machine};
    use crate::{Eu, Reply, threaded};

    struct Answer;

    #[threaded]
    impl Answer {
        fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
            eu.put(out, 42);
        }
    }

    #[test]
    fn no_worker_rests_before_its_looks_were_counted() {
        for config in [Config::Spn, Config::Dual] {
            let mut machine = Machine::threads(2).config(config);
            machine.run(Answer::call).expect("it runs");
            let Kind::Threads(Some(pool)) = &machine.kind else { unreachable!("it has run on threads") };
            for state in &pool.shared.states {
                let looks = state.lock().as_ref().map(|state| state.idle.looks);
                assert!(looks.is_some_and(|looks| looks > 0), "{looks:?}");
            }
        }
    }

    #[test]
    fn looks_and_pauses_are_reckoned_and_waits_are_added() {
        let micros = Duration::from_micros;
        let mut idle = IdleTime { looks_take: micros(2), pauses_take: micros(6), ..IdleTime::default() };
        assert_eq!(idle.total(), Duration::ZERO);
        idle.looked(1);
        idle.looked(10 * BATCH as usize - 1);
        assert_eq!(idle.total(), micros(20));
        (0..3 * BATCH).for_each(|_| idle.pause());
        assert_eq!(idle.total(), micros(20 + 18));
        idle.clocked += micros(100);
        assert_eq!(idle.total(), micros(20 + 18 + 100));
        idle.begin();
        assert_eq!(idle.total(), Duration::ZERO);
        idle.looked(BATCH as usize);
        assert_eq!(idle.total(), micros(2));
    }

    #[test]
    fn the_cost_of_a_look_is_measured_by_looking() {
        let mut looks = 0;
        let idle = IdleTime::measure(|| {
            looks += 1;
            false
        });
        assert_eq!((looks, idle.looks, idle.total()), (BATCH * BATCHES, 0, Duration::ZERO));
    }
}
