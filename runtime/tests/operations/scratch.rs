//! Scratch memory: who made it and how often, on every machine and on ranks.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::channels::channels;
use crate::common::{Case, on_every_of_one_process, scramble};
use earth::collective::Concat;
use earth::patterns::{Grain, MapReduce, ParallelFor, Rows, Scratch};
use earth::{Block, Error, Machine, Shared, SharedValues, Wire};

/// Returns scratch memory and the number of times that it was made.
fn counted() -> (Scratch<Vec<u64>>, Arc<AtomicUsize>) {
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let make = move || {
        count.fetch_add(1, Ordering::Relaxed);
        Vec::new()
    };
    (Scratch::new(make), made)
}

/// Checks that scratch memory was made once, or at most once for each thread.
fn check(case: Case, made: &AtomicUsize) {
    let made = made.load(Ordering::Relaxed);
    let most = if case.is_stepped() { 1 } else { case.nodes };
    assert!((1..=most).contains(&made), "made {made} times");
}

/// Makes numbers in a buffer, and returns those whose remainder is 1.
fn odd(buffer: &mut Vec<u64>, range: Range<usize>) -> Vec<u64> {
    buffer.clear();
    buffer.extend(range.map(|i| scramble(i as u64, 50)));
    buffer.iter().copied().filter(|number| number % 2 == 1).collect()
}

/// Adds the sum of the row before to each row. Rows without one are counted as zero.
#[derive(Clone, Wire)]
struct Adds(Shared<Scratch<Vec<u64>>>);

impl Rows<u64> for Adds {
    fn rows(&self, first: usize, rows: &mut Block<u64>) {
        self.0.with(|sums| {
            sums.clear();
            sums.extend(rows.iter_rows().map(|row| row.iter().sum::<u64>()));
            for ((row, sum), i) in rows.iter_rows_mut().zip(&*sums).zip(first as u64..) {
                row.fill(sum + i);
            }
        });
    }
}

#[test]
fn scratch_memory_is_made_at_most_once_a_node_and_used_in_turn() {
    on_every_of_one_process(|case| {
        let mut machine = case.machine();
        let (scratch, made) = counted();
        let odds = Shared::new(move |range| scratch.with(|buffer| odd(buffer, range)));
        let values = SharedValues::default().with(&odds);
        let run = machine.run_with(values, |out| MapReduce::call(0..500, Grain::of(5), odds, Concat, out));
        assert_eq!(run.expect("it runs").value, odd(&mut Vec::new(), 0..500), "{case}");
        check(case, &made);

        let (scratch, made) = counted();
        let scratch = Shared::new(scratch);
        let values = SharedValues::default().with(&scratch);
        let block = Block::from_fn(60, 4, |i, j| (i * j) as u64);
        let run =
            machine.run_with(values, |out| ParallelFor::call(0, block, Grain::of(2), Adds(scratch), out));
        let expected = Block::from_fn(60, 4, |i, _| (i * 6 + i) as u64);
        assert_eq!(run.expect("it runs").value.into_vec(), expected.into_vec());
        check(case, &made);

        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let init = move || {
            count.fetch_add(1, Ordering::Relaxed);
            0
        };
        let mut elements = [1_usize; 300];
        // Rows of one piece share what the first of them makes, and what earlier pieces left.
        let each = |rows: &mut usize, i: usize, row: &mut [usize]| {
            *rows += 1;
            assert!(*rows <= 100);
            row.fill(i);
        };
        machine.for_rows_init(&mut elements, 3, init, each).expect("it runs");
        assert!(elements.iter().copied().eq((0..300).map(|at| at / 3)));
        check(case, &made);
    });
}

#[test]
fn uses_at_the_same_time_have_different_memory_and_a_panic_drops_its_own() {
    let (scratch, made) = counted();
    scratch.with(|outer| {
        outer.push(1);
        scratch.with(|inner| assert!(inner.is_empty()));
        scratch.with(|inner| inner.push(2));
        outer.push(3);
    });
    // The memory that was given back last is used first.
    scratch.with(|last| assert_eq!(*last, [1, 3]));
    assert_eq!(made.load(Ordering::Relaxed), 2);
    let mut machine = Machine::threads(1);
    let failed = machine.for_rows_init(&mut [0; 2], 1, || 0, |_, i, _| assert_ne!(i, 1, "on purpose"));
    assert!(matches!(failed, Err(Error::Panicked { .. })));
    let scratch = Arc::new(scratch);
    let of_piece = Arc::clone(&scratch);
    let failed = machine.for_rows(&mut [0; 1], 1, move |_, _| {
        of_piece.with(|last| assert!(last.is_empty(), "dropped with {} numbers, on purpose", last.len()));
    });
    assert!(failed.expect_err("it panics").to_string().contains("dropped with 2 numbers"));
    scratch.with(|other| assert_eq!(*other, [2]));
}

#[test]
fn each_rank_has_scratch_memory_of_its_own() {
    const RANKS: usize = 3;
    /// The same closure in each process, with memory of its own.
    fn odds(scratch: Scratch<Vec<u64>>) -> Shared<impl Fn(Range<usize>) -> Vec<u64> + Send + Sync + 'static> {
        Shared::new(move |range| scratch.with(|buffer| odd(buffer, range)))
    }
    let made: [_; RANKS] = std::array::from_fn(|_| counted());
    let counts = made.each_ref().map(|(_, count)| Arc::clone(count));
    let mut links = channels(RANKS, 1000).into_iter();
    let mut made = made.into_iter().map(|(scratch, _)| odds(scratch));
    let (own, link) = (made.next().expect("a rank"), links.next().expect("a rank"));
    std::thread::scope(|scope| {
        for (link, odds) in links.zip(made) {
            scope.spawn(move || {
                let mut machine = Machine::ranks(link);
                let values = SharedValues::default().with(&odds);
                while !matches!(machine.serve_with(values.clone()), Ok(None) | Err(Error::LostRank { .. })) {}
            });
        }
        let mut machine = Machine::ranks(link);
        let values = SharedValues::default().with(&own);
        let call = |out| MapReduce::call(0..3000, Grain::of(5), own, Concat, out);
        let run = machine.run_with(values, call).expect("it runs");
        assert_eq!(run.value, odd(&mut Vec::new(), 0..3000));
    });
    let counts = counts.map(|count| count.load(Ordering::Relaxed));
    assert!(counts[0] == 1 && counts.iter().all(|&count| count <= 1), "{counts:?}");
}
