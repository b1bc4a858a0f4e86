use super::*;
use crate::oracle::noise::noise;
use crate::{bound, dft, inverse_dft, relative_error};

/// Returns all orders of up to 512 points.
fn orders() -> impl Iterator<Item = RadixOrder> {
    [2, 4, 8].into_iter().flat_map(|radix: usize| {
        let powers = move |from: u32| (from..10).map(move |t| radix.pow(t)).take_while(|&n| n <= 512);
        powers(1).flat_map(move |points| {
            powers(0).filter_map(move |block| RadixOrder::new(points, radix, block).ok())
        })
    })
}

/// Computes a transform thread by thread and round by round.
fn by_threads<T: Real>(order: RadixOrder, direction: Direction, signal: &[Complex<T>]) -> Vec<Complex<T>> {
    let factors = RadixFactors::new(order, direction);
    // The factors of the first stage are read from a copy.
    let near = factors.factors()[..order.factors(1)].to_vec();
    let factors = factors.with(&near);
    let mut x = signal.to_vec();
    order.reverse(signal, &mut x);
    x.chunks_exact_mut(order.radix() * order.block()).for_each(|points| order.transform_own(points, factors));
    let mut blocks: Vec<Vec<_>> = x.chunks_exact(order.block()).map(<[_]>::to_vec).collect();
    for round in 1..=order.rounds() {
        for thread in 0..order.threads() {
            let taken = order.of_blocks().butterfly(round, thread);
            let at: Vec<_> = (0..order.radix()).map(|m| taken.point(m)).collect();
            let mut mine: Vec<_> = at.iter().map(|&at| std::mem::take(&mut blocks[at])).collect();
            order.combine(round, thread, mine.iter_mut().map(Vec::as_mut_slice), factors);
            at.into_iter().zip(mine).for_each(|(at, block)| blocks[at] = block);
        }
    }
    blocks.concat()
}

fn they_are_transforms<T: Real>() {
    let mut tried = 0;
    for order in orders() {
        let signal = noise::<T>(order.points());
        for (direction, expected) in
            [(Direction::Forward, dft(&signal)), (Direction::Inverse, inverse_dft(&signal))]
        {
            let mut found = by_threads(order, direction, &signal);
            if direction == Direction::Inverse {
                crate::scale(&mut found, T::of(1.0 / order.points() as f64));
            }
            let error = relative_error(&found, &expected);
            assert!(error <= bound::<T>(order.points()), "{order:?}, {direction:?}: {error:e}");
            tried += 1;
        }
    }
    assert_eq!(tried, 2 * (45 + 10 + 6));
}

#[test]
fn orders_are_transforms() {
    they_are_transforms::<f32>();
    they_are_transforms::<f64>();
}

#[test]
fn each_point_is_taken_once_a_stage_and_its_taker_is_known() {
    for order in orders() {
        for stage in 0..order.stages() {
            let mut taken = vec![false; order.points()];
            for i in 0..order.butterflies() {
                let butterfly = order.butterfly(stage, i);
                for m in 0..order.radix() {
                    let point = butterfly.point(m);
                    assert!(!std::mem::replace(&mut taken[point], true));
                    assert_eq!(order.taker(stage, point), (i, m));
                }
            }
        }
    }
}

/// The published listings have the points `k l + j`, with `l = R^p`, `s = R^(p-1)` and `p` from 1. The row of
/// factors is `s - 1 + j` for radix 2 and `(s - 1) / 3 + j` for radix 4.
#[test]
fn butterflies_are_those_of_the_listings() {
    let two = RadixOrder::new(16, 2, 1).unwrap();
    assert_eq!(two.butterfly(2, 5), Butterfly { first: 9, distance: 4, row: 4 });
    let four = RadixOrder::new(64, 4, 1).unwrap();
    assert_eq!(four.butterfly(1, 6), Butterfly { first: 18, distance: 4, row: 3 });
    assert_eq!((four.factors(2), four.factors(9), four.stages()), (15, 63, 3));
}

#[test]
fn digits_are_reversed() {
    let order = RadixOrder::new(64, 4, 4).unwrap();
    assert_eq!((order.threads(), order.own_stages(), order.rounds()), (4, 2, 1));
    // 1 2 3 in base 4.
    assert_eq!(order.reversed(0b01_10_11), 0b11_10_01);
    for order in orders() {
        let from: Vec<_> = (0..order.points()).collect();
        let mut to = vec![0; order.points()];
        order.reverse(&from, &mut to);
        assert!(to.iter().enumerate().all(|(at, &from)| from == order.reversed(at)), "{order:?}");
    }
}

#[test]
fn only_powers_are_taken() {
    assert_eq!(RadixOrder::new(64, 3, 1), Err(RadixError::Radix(3)));
    for (points, radix) in [(0, 2), (1, 2), (12, 2), (8, 4), (32, 8), (1, 8)] {
        assert_eq!(RadixOrder::new(points, radix, 1), Err(RadixError::Points { points, radix }));
    }
    assert_eq!(RadixOrder::new(64, 4, 2), Err(RadixError::Block { block: 2, radix: 4 }));
    assert_eq!(RadixOrder::new(64, 4, 0), Err(RadixError::Block { block: 0, radix: 4 }));
    let long = RadixOrder::new(64, 4, 64).unwrap_err();
    assert_eq!(long, RadixError::TooLong { block: 64, butterflies: 16 });
    assert_eq!(long.to_string(), "blocks of 64 butterflies are longer than a stage of 16");
    assert_eq!([0, 1, 7, 8, 63, 64].map(|most| RadixOrder::longest_block(8, most)), [1, 1, 1, 8, 8, 64]);
}
