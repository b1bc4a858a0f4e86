//! The result of a program: the transform, and the time of each part.

use std::time::Duration;

use earth::{Block, Eu, Operands, Wire, Work};
use earth_kernels::Real;
use num_complex::Complex;

use super::points::Points;
use super::work;

/// The result of a program: the transform in natural order, and where the time went.
#[derive(Debug, Wire)]
pub struct Done<T: Real> {
    /// The transform, one row after another; the inverse is divided by N unless the plan says otherwise. It has no points
    /// if there are `numbers`.
    pub spectrum: Block<Complex<T>>,
    /// Real numbers that are the transform and do not lie in the memory of points.
    pub numbers: Option<Block<T>>,
    /// The time of each part.
    pub phases: Phases,
}

impl<T: Real> Done<T> {
    /// The result of a program for complex points.
    pub fn new(spectrum: Block<Complex<T>>, phases: Phases) -> Self {
        Self { spectrum, numbers: None, phases }
    }

    /// The result of a program whose transform is real numbers.
    pub fn of_numbers(numbers: Block<T>, phases: Phases) -> Self {
        Self { spectrum: Block::zeroed(0, 0), numbers: Some(numbers), phases }
    }
}

/// The time of each part of a program, by the clock of its main function on node 0: virtual time on a
/// simulated machine. Planning is not among them.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Phases {
    /// In nanoseconds, so that they may travel.
    setup: u64,
    local: u64,
    multithreaded: u64,
    gathering: u64,
    reordering: u64,
    spent: Spent,
}

/// When the parts of an FFT of a series by threads began: each ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// When the program was started.
    pub started: Duration,
    /// When every thread had its points, and nobody had computed any.
    pub dealt: Duration,
    /// When the last node had done the stages that need no other one, if these come first.
    pub local: Duration,
    /// When the last point was computed.
    pub computed: Duration,
    /// When the last point was back on node 0.
    pub home: Duration,
    /// When the points were in natural order.
    pub ended: Duration,
}

impl Phases {
    /// The phases of a program whose points are back as they are computed: the times of the start, when all threads are
    /// connected, when the last point is back, and of the end.
    pub fn between([start, ready, home, end]: [Duration; 4]) -> Self {
        Self {
            setup: nanoseconds(start, ready),
            local: 0,
            multithreaded: nanoseconds(ready, home),
            gathering: 0,
            reordering: nanoseconds(home, end),
            spent: Spent::default(),
        }
    }

    /// Adds the time that fibers spent.
    #[must_use]
    pub fn with_spent(self, spent: Spent) -> Self {
        Self { spent, ..self }
    }

    /// The time that fibers spent.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// The phases of an FFT of a series by threads. What nodes tell is by their own clocks, which on nodes in several
    /// processes do not begin together; so it is taken as no later than when node 0 heard of it, and no earlier than
    /// what came before.
    pub fn of(times: Times) -> Self {
        let Times { started, dealt, local, computed, home, ended } = times;
        let local = local.clamp(dealt, home.max(dealt));
        let computed = computed.clamp(local, home.max(local));
        Self {
            setup: nanoseconds(started, dealt),
            local: nanoseconds(dealt, local),
            multithreaded: nanoseconds(local, computed),
            gathering: nanoseconds(computed, home),
            reordering: nanoseconds(home, ended),
            spent: Spent::default(),
        }
    }

    /// The time until all threads, or row blocks, have their points and are connected. Nodes that slept wake up here.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// The time of stages that need no other node, until the last node has done them, where they come first (the
    /// receiver-initiated FFT).
    pub fn local(&self) -> Duration {
        Duration::from_nanos(self.local)
    }

    /// The time from then until the last point is computed: the paper's multithreaded phase. Of a matrix, and of the
    /// transpose algorithm, until the last point is back.
    pub fn multithreaded(&self) -> Duration {
        Duration::from_nanos(self.multithreaded)
    }

    /// The time from then until the last point is back on node 0, in the sender- and the receiver-initiated FFT. There
    /// node 0 takes in what others have done while it still computes itself.
    pub fn gathering(&self) -> Duration {
        Duration::from_nanos(self.gathering)
    }

    /// The time from then until the transform is in natural order; of the FFTs by stages the time before all others, in which the
    /// digits of indices are reversed; of a matrix until its row blocks are one, which is
    /// nothing unless some came through bytes.
    pub fn reordering(&self) -> Duration {
        Duration::from_nanos(self.reordering)
    }

    /// The time that all nodes together spent in transforming rows of a matrix, and in copying rows to another leading
    /// dimension; of this the total holds a part, at best one over the number of nodes. Other programs do not tell.
    pub fn rows(&self) -> Duration {
        Duration::from_nanos(self.spent.rows)
    }

    /// The time that all nodes together spent in transposing tiles of a matrix.
    pub fn tiles(&self) -> Duration {
        Duration::from_nanos(self.spent.tiles)
    }

    /// The time of all parts.
    pub fn total(&self) -> Duration {
        self.setup() + self.local() + self.multithreaded() + self.gathering() + self.reordering()
    }
}

/// The time that a row block's fibers spent, in nanoseconds. In programs for matrices no step waits for all of another step, so
/// steps have no times by the clock.
#[derive(Clone, Copy, Default, Debug, Wire)]
pub struct Spent {
    /// In transforms of rows.
    pub rows: u64,
    /// In transposes of tiles.
    pub tiles: u64,
}

impl Spent {
    /// Transforms rows by `transform`, which takes so much work, after their points were copied `from` elsewhere if they
    /// are there, and counts the time.
    pub fn on_rows<T: Real>(
        &mut self,
        eu: &mut Eu,
        (from, rows): (Option<&Points<T>>, &mut Points<T>),
        work: Work,
        transform: impl FnOnce(Option<&Points<T>>, &mut Points<T>),
    ) {
        let start = eu.now();
        match from {
            None => eu.compute(rows, work, |rows| transform(None, rows)),
            Some(from) => {
                eu.work(work::copy(from.len()));
                eu.compute((from, rows), work, |(from, rows)| transform(Some(from), rows))
            }
        };
        self.rows += nanoseconds(start, eu.now());
    }

    /// Copies rows back to where they came, if they came elsewhere, and counts the time.
    pub fn on_return<T: Real>(&mut self, eu: &mut Eu, rows: Points<T>, home: Option<Points<T>>) -> Points<T> {
        let Some(mut home) = home else { return rows };
        let start = eu.now();
        eu.compute((&mut home, &rows), work::copy(rows.len()), |(home, rows)| home.copy_from(rows));
        self.rows += nanoseconds(start, eu.now());
        home
    }

    /// Transforms blocks by `transform`, which takes so much work, and counts the time as that of rows.
    pub fn on_blocks<B: Operands>(&mut self, eu: &mut Eu, blocks: B, work: Work, transform: impl FnOnce(B)) {
        let start = eu.now();
        eu.compute(blocks, work, transform);
        self.rows += nanoseconds(start, eu.now());
    }

    /// Transposes tiles of `points` points by `transpose` and counts the time.
    pub fn on_tiles<B: Operands>(&mut self, eu: &mut Eu, points: usize, tiles: B, transpose: impl FnOnce(B)) {
        let start = eu.now();
        eu.compute(tiles, work::copy(points), transpose);
        self.tiles += nanoseconds(start, eu.now());
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
}

/// The nanoseconds from one time to another: a plain number, which may travel.
pub fn nanoseconds(from: Duration, to: Duration) -> u64 {
    to.saturating_sub(from).as_nanos() as u64
}
