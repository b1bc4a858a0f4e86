//! One-dimensional FFTs as dataflow programs: threaded functions that run, unchanged, on every machine.
//!
//! * [`sender`]: the sender-initiated FFT, N/B threads that exchange blocks.
//! * [`row`]: the row kernel in one fiber, for any number of points.
//! * [`planned`]: what is computed before the clock starts, and how it travels.
//!
//! [`programs`](crate::programs) runs them for signals in vectors.

use std::time::{Duration, Instant};

use earth::{Block, wire};
use earth_kernels::Real;
use num_complex::Complex;

pub mod planned;
pub mod row;
pub mod sender;

wire! {
    /// What a program gives: the transform in natural order, and where the time went.
    #[derive(Debug)]
    pub struct Done<T: Real> {
        /// The transform, one row after another; the inverse is divided by N.
        pub spectrum: Block<Complex<T>>,
        /// The time of each part.
        pub phases: Phases,
    }
}

wire! {
    /// The time of each part of a program, by the clock of its main function on node 0. Planning is not
    /// among them.
    #[derive(Clone, Copy, Debug)]
    pub struct Phases {
        /// In nanoseconds, so that they may travel.
        setup: u64,
        multithreaded: u64,
        reordering: u64,
    }
}

impl Phases {
    /// Of a program that begins and ends each part where the next one begins.
    fn between([start, ready, home, end]: [Instant; 4]) -> Self {
        let nanoseconds = |from: Instant, to: Instant| (to - from).as_nanos() as u64;
        Self {
            setup: nanoseconds(start, ready),
            multithreaded: nanoseconds(ready, home),
            reordering: nanoseconds(home, end),
        }
    }

    /// Until all threads have been given their points and know each other. Nodes that slept wake up here.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// Until the last point of the transform is back: what the paper calls the multithreaded phase.
    pub fn multithreaded(&self) -> Duration {
        Duration::from_nanos(self.multithreaded)
    }

    /// Until the transform is in natural order.
    pub fn reordering(&self) -> Duration {
        Duration::from_nanos(self.reordering)
    }

    /// All of them.
    pub fn total(&self) -> Duration {
        self.setup() + self.multithreaded() + self.reordering()
    }
}
