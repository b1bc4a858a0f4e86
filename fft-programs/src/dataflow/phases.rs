//! What a program for one dimension gives: the transform, and the time of each part.

use std::time::Duration;

use earth::{Block, Wire};
use earth_kernels::Real;
use num_complex::Complex;

/// What a program gives: the transform in natural order, and where the time went.
#[derive(Debug, Wire)]
pub struct Done<T: Real> {
    /// The transform, one row after another; the inverse is divided by N.
    pub spectrum: Block<Complex<T>>,
    /// The time of each part.
    pub phases: Box<Phases>,
}

/// The time of each part of a program, by the clock of its main function on node 0: virtual time on a
/// simulated machine. Planning is not
/// among them.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Phases {
    /// In nanoseconds, so that they may travel.
    setup: u64,
    local: u64,
    multithreaded: u64,
    reordering: u64,
}

impl Phases {
    /// The phases of a program that begins and ends each part where the next one begins. `clock` holds the times of
    /// the start, when all threads know each other, when the last point is back, and of the end.
    pub(super) fn between([start, ready, home, end]: [Duration; 4]) -> Self {
        Self {
            setup: nanoseconds(start, ready),
            local: 0,
            multithreaded: nanoseconds(ready, home),
            reordering: nanoseconds(home, end),
        }
    }

    /// The phases of a program with local stages before threads know each other. `clock` holds six times: of the start, when
    /// the points are dealt, when the local stages are done, when all know each other, when the last point
    /// is back, and of the end.
    pub(super) fn with_local(clock: &[Duration]) -> Self {
        let &[start, dealt, computed, ready, home, end] = clock else {
            unreachable!("a program with local stages takes the time six times")
        };
        Self {
            setup: nanoseconds(start, dealt) + nanoseconds(computed, ready),
            local: nanoseconds(dealt, computed),
            multithreaded: nanoseconds(ready, home),
            reordering: nanoseconds(home, end),
        }
    }

    /// Until all threads have been given their points and know each other. Nodes that slept wake up here.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// The stages that need no other node, where they come first (the receiver-initiated
    /// FFT); on all nodes at once.
    pub fn local(&self) -> Duration {
        Duration::from_nanos(self.local)
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
        self.setup() + self.local() + self.multithreaded() + self.reordering()
    }
}

/// From one time to another, in nanoseconds, so that it may travel.
pub(super) fn nanoseconds(from: Duration, to: Duration) -> u64 {
    to.saturating_sub(from).as_nanos() as u64
}
