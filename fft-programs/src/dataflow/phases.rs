//! The result of a program: the transform, and the time of each part.

use std::time::Duration;

use earth::{Block, Eu, Operands, Wire, Work};
use earth_kernels::Real;
use num_complex::Complex;

use super::points::Points;
use super::work;

/// Result of a program: the transform in natural order, and the time of each part.
#[derive(Debug, Wire)]
pub struct Done<T: Real> {
    /// Transform in row-major order. The inverse is divided by N unless the plan says otherwise. Without
    /// points if there are `numbers`.
    pub spectrum: Block<Complex<T>>,
    /// Real numbers of the transform, if they are not stored in the memory of points.
    pub numbers: Option<Block<T>>,
    /// Time of each part.
    pub phases: Phases,
}

impl<T: Real> Done<T> {
    /// Makes the result of a program for complex points.
    pub fn new(spectrum: Block<Complex<T>>, phases: Phases) -> Self {
        Self { spectrum, numbers: None, phases }
    }

    /// Makes the result of a program whose transform is real numbers.
    pub fn of_numbers(numbers: Block<T>, phases: Phases) -> Self {
        Self { spectrum: Block::zeroed(0, 0), numbers: Some(numbers), phases }
    }
}

/// Time of each part of a program, by the clock of its main function on node 0. The time is virtual on a
/// simulated machine. Planning is not included.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Phases {
    /// In nanoseconds, as plain numbers that can be sent between nodes.
    setup: u64,
    local: u64,
    multithreaded: u64,
    gathering: u64,
    reordering: u64,
    spent: Spent,
}

/// Start times of the parts of a threaded FFT of a series. Each part ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Start of the program.
    pub started: Duration,
    /// Time when every thread had its points, before the first computation.
    pub dealt: Duration,
    /// Time when the last node had finished the stages that need no other node, if these come first.
    pub local: Duration,
    /// Time when the last point was computed.
    pub computed: Duration,
    /// Time when the last point was back on node 0.
    pub home: Duration,
    /// Time when the points were in natural order.
    pub ended: Duration,
}

impl Phases {
    /// Makes the phases of a program whose points return as they are computed. The times are the start, the
    /// connection of all threads, the return of the last point, and the end.
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

    /// Returns the time that fibers spent.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Makes the phases of a threaded FFT of a series. Nodes report times by their own clocks, and the clocks
    /// of nodes in several processes have different origins. So each time is clamped: no earlier than the
    /// time before it, and no later than node 0 received it.
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

    /// Returns the time until all threads, or row blocks, have their points and are connected. Parked nodes
    /// wake up here.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// Returns the time until the last node has finished the stages that need no other node, if they come
    /// first, as in the receiver-initiated FFT.
    pub fn local(&self) -> Duration {
        Duration::from_nanos(self.local)
    }

    /// Returns the time from the end of `local` until the last point is computed: the paper's multithreaded
    /// phase. For a matrix, and for the transpose algorithm, it lasts until the last point is back.
    pub fn multithreaded(&self) -> Duration {
        Duration::from_nanos(self.multithreaded)
    }

    /// Returns the time from the end of `multithreaded` until the last point is back on node 0, in the
    /// sender- and the receiver-initiated FFT. There node 0 receives the results of other nodes while it
    /// still computes its own.
    pub fn gathering(&self) -> Duration {
        Duration::from_nanos(self.gathering)
    }

    /// Returns the time of reordering:
    ///
    /// * from the end of `gathering` until the transform is in natural order;
    /// * for the FFTs by stages, the first part, in which the digits of indices are reversed;
    /// * for a matrix, until its row blocks are joined, which takes no time unless some arrived as bytes.
    pub fn reordering(&self) -> Duration {
        Duration::from_nanos(self.reordering)
    }

    /// Returns the time that all nodes together spent on transforms of rows of a matrix, and on copies of
    /// rows to another leading dimension. The total time contains a part of it, at best one over the number
    /// of nodes. Zero for other programs.
    pub fn rows(&self) -> Duration {
        Duration::from_nanos(self.spent.rows)
    }

    /// Returns the time that all nodes together spent on transposes of tiles of a matrix.
    pub fn tiles(&self) -> Duration {
        Duration::from_nanos(self.spent.tiles)
    }

    /// Returns the time of all parts.
    pub fn total(&self) -> Duration {
        self.setup() + self.local() + self.multithreaded() + self.gathering() + self.reordering()
    }
}

/// Time that the fibers of a row block spent, in nanoseconds. In programs for matrices, steps overlap because
/// no step waits for all of another step. So the clock gives no time of a step.
#[derive(Clone, Copy, Default, Debug, Wire)]
pub struct Spent {
    /// Time of transforms of rows.
    pub rows: u64,
    /// Time of transposes of tiles.
    pub tiles: u64,
}

impl Spent {
    /// Transforms rows by `transform`, which takes this work, and counts the time. With `from`, the points
    /// there are first copied; the copy is charged for.
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

    /// Copies rows back to `home`, if they came from there, and counts the time.
    pub fn on_return<T: Real>(&mut self, eu: &mut Eu, rows: Points<T>, home: Option<Points<T>>) -> Points<T> {
        let Some(mut home) = home else { return rows };
        let start = eu.now();
        eu.compute((&mut home, &rows), work::copy(rows.len()), |(home, rows)| home.copy_from(rows));
        self.rows += nanoseconds(start, eu.now());
        home
    }

    /// Transforms blocks by `transform`, which takes this work, and counts the time as time of rows.
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

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
}

/// Returns the nanoseconds between two times, as a plain number that can be sent between nodes.
pub fn nanoseconds(from: Duration, to: Duration) -> u64 {
    to.saturating_sub(from).as_nanos() as u64
}
