//! Groups that transform rows at once: each row is transformed, each group is timed, and the counts match the
//! module docs.

use std::time::Duration;

use earth::{Block, Machine, Shared};
use earth_fft::TransformError;
use earth_kernels::{Direction, RowKernel as _};
use earth_papers::groups::dealing::Dealing;
use earth_papers::groups::pass::Pass;
use earth_papers::row_speed;
use earth_tests::{Clock, RowByRow, bits, machines, noise};
use num_complex::Complex;

/// Plans a pass in which rows of the second group have the leading dimension `width`.
fn plan(distribution: &[usize], threads: usize, len: usize, width: usize) -> Shared<Pass<f64>> {
    let dealing = Dealing::grouped(distribution, threads, len, Some(3)).strides(&[0, width]);
    Shared::new(Pass::new(&dealing, &Direction::Forward.into()).unwrap())
}

#[test]
fn each_row_is_transformed_and_each_group_timed() {
    let (len, width) = (24, 27);
    for (distribution, threads, blocks) in
        [(vec![9, 9], 2, 6), (vec![4, 0, 1, 7], 1, 6), (vec![5], 3, 2), (vec![6, 3], 1, 3)]
    {
        let groups = distribution.len();
        for mut named in machines(groups * threads, &[1, 2]) {
            let count: usize = distribution.iter().sum();
            let signal = noise::<f64>(count * len, 3);
            let rows = Block::from_vec(count, len, signal.clone()).unwrap();
            let plan = plan(&distribution, threads, len, width);
            let run = row_speed(&mut named.machine, rows, plan, threads).unwrap();
            let (done, counters) = (run.value, run.counters);
            let mut expected = signal;
            let kernel = RowByRow::<f64>::new(len);
            for row in expected.chunks_mut(len) {
                kernel.forward(row, &mut kernel.scratch());
            }
            assert!(bits(&done.rows.into_vec()) == bits(&expected), "{}", named.name);
            for (time, rows) in done.times.iter().zip(&distribution) {
                let worked = *rows > 0 && named.clock != Clock::None;
                assert_eq!(*time > Duration::ZERO, worked, "{}: {:?}", named.name, done.times);
            }
            let (blocks, p) = (blocks as u64, groups as u64);
            let idle = distribution.iter().filter(|rows| **rows == 0).count() as u64;
            assert_eq!(
                [counters.fibers, counters.invokes, counters.signals, counters.block_moves],
                [blocks + 3 * p + 3 - idle, blocks + p, blocks + 3 * p + 1, 0],
                "{}",
                named.name
            );
        }
    }
}

/// Half as many rows take half the virtual time. Other groups do not change this.
#[test]
fn groups_are_timed_apart() {
    let mut machine = Machine::simulated(&earth_tests::manna50()).nodes(3);
    let rows = Block::from_vec(900, 64, noise::<f64>(900 * 64, 1)).unwrap();
    let times = row_speed(&mut machine, rows, plan(&[300, 150, 450], 1, 64, 64), 1).unwrap().value.times;
    let ratios = [1, 2].map(|group| times[group].as_secs_f64() / times[0].as_secs_f64());
    assert!((ratios[0] - 0.5).abs() < 0.01 && (ratios[1] - 1.5).abs() < 0.01, "{times:?}");
}

#[test]
fn rows_that_are_not_there_are_refused() {
    let mut machine = Machine::threads(2);
    let mut attempt = |rows: usize, len: usize, distribution: &[usize], threads: usize| {
        let rows = Block::<Complex<f64>>::zeroed(rows, len);
        match row_speed(&mut machine, rows, plan(distribution, threads, 4, 5), threads) {
            Err(TransformError::Plan(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(attempt(4, 4, &[2, 3], 1), earth_papers::Error::Dealt { dealt: 5, rows: 4 }.into());
    assert_eq!(attempt(5, 5, &[2, 3], 1), earth_papers::Error::Length { len: 4, found: 5 }.into());
    assert_eq!(
        attempt(5, 4, &[2, 3], 2),
        earth_papers::Error::Nodes { groups: 2, threads: 2, nodes: 2 }.into()
    );
}
