//! Patterns compared with common alternatives: a loop over elements and a stencil on rayon, and a pipeline on
//! threads with the standard library's channels (which are crossbeam's).

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use earth::patterns::{
    Flow, Grain, Halos, Neighbours, ParallelFor, Patch, Rows, Side, Sink, Stage, Streams, Upstream, items,
};
use earth::{Block, Machine, Wire, lend};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::paired::timed;

/// Does the work on an item: about 10 ns.
fn work(number: u64) -> u64 {
    mixed(number, 5)
}

/// Does the work on an element: about 10 ns, since the compiler processes two elements at once.
fn element_work(number: u64) -> u64 {
    mixed(number, 10)
}

#[inline(always)]
fn mixed(number: u64, rounds: u32) -> u64 {
    (0..rounds).fold(number | 1, |x, _| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 7);
        x ^ (x << 17)
    })
}

#[derive(Clone, Wire)]
struct Works;

impl Rows<u64> for Works {
    fn rows(&self, first: usize, rows: &mut Block<u64>) {
        let elements = rows.as_mut_slice().expect("one element a row");
        elements.iter_mut().zip(first as u64..).for_each(|(element, i)| *element = element_work(i));
    }
}

fn check_elements(elements: &[u64]) {
    let every = elements.len() / 10 + 1;
    assert!(
        elements.iter().enumerate().step_by(every).all(|(i, &element)| element == element_work(i as u64))
    );
}

/// Does some work on each of `count` elements, by [`ParallelFor`].
///
/// # Panics
///
/// If an element is wrong.
pub fn elements_on_earth(machine: &mut Machine, count: usize) -> Duration {
    let mut elements = vec![0; count];
    let time = timed(|| {
        let run = lend(&mut elements, count, 1, |block| {
            machine.run(|out| ParallelFor::call(0, block, Grain::CHOSEN, Works, out)).map(drop)
        });
        run.expect("the shape is right").expect("it runs");
    });
    check_elements(&elements);
    time
}

/// Does some work on each of `count` elements, on rayon.
///
/// # Panics
///
/// If an element is wrong.
pub fn elements_on_rayon(pool: &ThreadPool, count: usize) -> Duration {
    let mut elements = vec![0; count];
    let time = timed(|| {
        pool.install(|| {
            elements.par_iter_mut().enumerate().for_each(|(i, element)| *element = element_work(i as u64));
        });
    });
    check_elements(&elements);
    time
}

impl Stage<u64> for Works {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(work(item));
    }
    fn work_all(&mut self, items: &mut Vec<u64>, out: &mut Vec<u64>) {
        out.extend(items.drain(..).map(work));
    }
}

/// Sum of the received items.
#[derive(Wire)]
struct Adds(u64);

impl Sink<u64> for Adds {
    type Output = u64;
    fn take(&mut self, item: u64) {
        self.0 = self.0.wrapping_add(item);
    }
    fn finish(&mut self) -> u64 {
        self.0
    }
}

/// Number of stages that the items pass.
const STAGES: usize = 3;

/// Number of items in a batch.
const BATCH: usize = 256;

/// Number of batches under way between two stages.
const WINDOW: usize = 4;

fn sum_of_items(count: u64) -> u64 {
    (0..count).map(|item| (0..STAGES).fold(item, |item, _| work(item))).fold(0, u64::wrapping_add)
}

/// Sends `count` items through some stages, by [`Streams`].
///
/// # Panics
///
/// If their sum is wrong.
pub fn items_on_earth(machine: &mut Machine, count: u64) -> Duration {
    let (mut sum, flow) = (0, Flow { batch: BATCH, window: WINDOW });
    let time = timed(|| {
        let stream = items(0..count).through_all(vec![Works; STAGES]);
        sum = machine.run(|out| Streams::call(stream, Adds(0), flow, out)).expect("it runs").value;
    });
    assert_eq!(sum, sum_of_items(count));
    time
}

/// Sends `count` items through some stages, with a thread per stage and channels of `batch` items per
/// message.
///
/// # Panics
///
/// If their sum is wrong.
pub fn items_on_channels(count: u64, batch: usize) -> Duration {
    let mut sum = 0u64;
    let time = timed(|| {
        std::thread::scope(|scope| {
            let (first, mut before) = sync_channel::<Vec<u64>>(WINDOW * BATCH / batch);
            scope.spawn(move || {
                let mut items = 0..count;
                loop {
                    let batch: Vec<_> = items.by_ref().take(batch).collect();
                    if batch.is_empty() || first.send(batch).is_err() {
                        return;
                    }
                }
            });
            for _ in 0..STAGES {
                let (to, after) = sync_channel::<Vec<u64>>(WINDOW * BATCH / batch);
                let from = std::mem::replace(&mut before, after);
                scope.spawn(move || {
                    from.iter().try_for_each(|batch| to.send(batch.into_iter().map(work).collect()))
                });
            }
            sum = before.iter().flatten().fold(0, u64::wrapping_add);
        });
    });
    assert_eq!(sum, sum_of_items(count));
    time
}

/// Some rows of a square whose values become the mean of their four neighbors. No other patch reads them, so
/// they are updated in place.
#[derive(Clone, Wire)]
struct Strip(Vec<Vec<f64>>);

/// Updates a row between two others.
fn relax(next: &mut [f64], row: &[f64], above: &[f64], below: &[f64]) {
    let last = row.len() - 1;
    (next[0], next[last]) = (row[0], row[last]);
    for j in 1..last {
        next[j] = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
    }
}

impl Patch for Strip {
    type Halo = Vec<f64>;
    type Output = Vec<Vec<f64>>;

    fn border(&self, side: Side) -> Vec<f64> {
        self.0[if side == Side::Left { 0 } else { self.0.len() - 1 }].clone()
    }

    /// The first row of the first strip and the last row of the last strip stay unchanged.
    fn round(&mut self, mut halos: Halos<Vec<f64>>) {
        let below = halos.take(Side::Right);
        // The old values of the row above, and the memory for the next row, which then holds the old row
        // above that one.
        let (mut above, mut next) = (halos.take(Side::Left), vec![0.0; self.0[0].len()]);
        for i in 0..self.0.len() {
            match (&above, self.0.get(i + 1).or(below.as_ref())) {
                (Some(above), Some(below)) => relax(&mut next, &self.0[i], above, below),
                _ => next.copy_from_slice(&self.0[i]),
            }
            std::mem::swap(&mut self.0[i], &mut next);
            let row = std::mem::take(&mut next);
            next = above.replace(row).unwrap_or_else(|| vec![0.0; self.0[0].len()]);
        }
    }

    fn finish(self) -> Vec<Vec<f64>> {
        self.0
    }
}

/// Rounds over a square of `side` rows.
#[derive(Debug)]
pub struct Square {
    side: usize,
    rounds: usize,
    values: Vec<f64>,
    expected: Vec<f64>,
}

impl Square {
    /// Makes a square, and computes its expected values in a loop.
    pub fn new(side: usize, rounds: usize) -> Self {
        let values: Vec<_> = (0..side * side).map(|i| (i * 7919 % 1000) as f64 / 1000.0).collect();
        let mut square = Square { side, rounds, expected: Vec::new(), values };
        let mut now = square.values.clone();
        let mut next = now.clone();
        for _ in 0..rounds {
            for i in 1..side - 1 {
                let row = |i: usize| &now[i * side..][..side];
                relax(&mut next[i * side..][..side], row(i), row(i - 1), row(i + 1));
            }
            std::mem::swap(&mut now, &mut next);
        }
        square.expected = now;
        square
    }

    /// Returns the number of updated values in all rounds.
    pub fn updates(&self) -> u64 {
        (self.rounds * self.side * self.side) as u64
    }

    /// Runs the rounds by [`Neighbours`], with a strip per node.
    ///
    /// # Panics
    ///
    /// If a value is wrong.
    pub fn on_earth(&self, machine: &mut Machine) -> Duration {
        let rows: Vec<_> = self.values.chunks(self.side).map(<[f64]>::to_vec).collect();
        let strips: Vec<_> =
            rows.chunks(self.side.div_ceil(machine.node_count())).map(|rows| Strip(rows.to_vec())).collect();
        let mut values = Vec::new();
        let time = timed(|| {
            let count = strips.len();
            let run = machine.run(|out| Neighbours::call(count, strips, self.rounds, out));
            values = run.expect("it runs").value;
        });
        assert!(values.into_iter().flatten().collect::<Vec<_>>().concat() == self.expected);
        time
    }

    /// Runs the rounds on rayon, with a row per chunk and a barrier after each round.
    ///
    /// # Panics
    ///
    /// If a value is wrong.
    pub fn on_rayon(&self, pool: &ThreadPool) -> Duration {
        let side = self.side;
        let (mut now, mut next) = (self.values.clone(), self.values.clone());
        let time = timed(|| {
            pool.install(|| {
                for _ in 0..self.rounds {
                    next.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(i, next)| {
                        let row = |i: usize| &now[i * side..][..side];
                        relax(next, row(i), row(i - 1), row(i + 1));
                    });
                    std::mem::swap(&mut now, &mut next);
                }
            });
        });
        assert!(now == self.expected);
        time
    }
}
