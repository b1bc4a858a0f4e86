//! One-dimensional FFTs as dataflow programs: threaded functions that run, unchanged, on every machine.
//!
//! * [`sender`]: the sender-initiated FFT, N/B threads that exchange blocks.
//! * [`receiver`]: the receiver-initiated FFT, points that ask for their operands, in two variants.
//! * [`row`]: the row kernel in one fiber, for any number of points.
//! * [`planned`]: what is computed before the clock starts, and how it travels; [`known`]: what is
//!   only known during a run.
//!
//! [`programs`](crate::programs) runs them for signals in vectors.

use std::time::Duration;

use earth::{Block, wire};
use earth_kernels::Real;
use num_complex::Complex;

pub mod known;
pub mod planned;
pub mod receiver;
pub mod row;
pub mod sender;

wire! {
    /// What a program gives: the transform in natural order, and where the time went.
    #[derive(Debug)]
    pub struct Done<T: Real> {
        /// The transform, one row after another; the inverse is divided by N.
        pub spectrum: Block<Complex<T>>,
        /// The time of each part.
        pub phases: Box<Phases>,
    }
}

wire! {
    /// The time of each part of a program, by the clock of its main function on node 0: virtual time on a
    /// simulated machine. Planning is not
    /// among them.
    #[derive(Clone, Copy, Debug)]
    pub struct Phases {
        /// In nanoseconds, so that they may travel.
        setup: u64,
        local: u64,
        multithreaded: u64,
        reordering: u64,
    }
}

impl Phases {
    /// Of a program that begins and ends each part where the next one begins.
    fn between([start, ready, home, end]: [Duration; 4]) -> Self {
        Self {
            setup: nanoseconds(start, ready),
            local: 0,
            multithreaded: nanoseconds(ready, home),
            reordering: nanoseconds(home, end),
        }
    }

    /// The same with local stages before the others are known. `clock` holds six times: of the start, when
    /// the points are dealt, when the local stages are done, when all know each other, when the last point
    /// is back, and of the end.
    fn with_local(clock: &[Duration]) -> Self {
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

/// That the signal is one row of the plan's points.
#[track_caller]
fn check_signal<T: Real>(signal: &Block<Complex<T>>, points: usize) {
    let found = (signal.rows(), signal.cols());
    assert_eq!(found, (1, points), "a signal of other rows and points than the plan's");
}

/// The points of several blocks in a block of new memory, row by row; of phantoms a phantom.
pub(crate) fn copied<'a, T: Real>(
    [rows, cols]: [usize; 2],
    blocks: &'a [Block<Complex<T>>],
    points: impl Iterator<Item = &'a Complex<T>>,
) -> Block<Complex<T>> {
    if let Some(phantom) = blocks.iter().find(|block| block.is_phantom()) {
        return phantom.zeroed_like(rows, cols);
    }
    let mut together = Vec::with_capacity(rows * cols);
    together.extend(points);
    Block::from_vec(rows, cols, together).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn nanoseconds(from: Duration, to: Duration) -> u64 {
    to.saturating_sub(from).as_nanos() as u64
}
