//! Rows of any length by means of kernels of other lengths, compared with the definition.

use std::sync::Arc;

use earth_codelets::{Chirp, Composite, Isa, Rader, columns, rows};
use earth_kernels::{Direction, Real, RowKernel};

use crate::common::noise;
use crate::rows::are_transformed;

/// Checks two rows in a call, in both directions.
fn it_is_the_definition<T: Real>(kernel: &dyn RowKernel<T>) {
    let input = noise::<T>(2 * kernel.len());
    for direction in [Direction::Forward, Direction::Inverse] {
        kernel.prepare(direction);
        let mut found = input.clone();
        kernel.transform(direction, &mut found, &mut kernel.scratch());
        are_transformed(kernel, direction, &input, &found);
    }
}

fn own<T: Real>(len: usize) -> Arc<dyn RowKernel<T>> {
    rows(Isa::best(), len).expect("small prime factors")
}

fn chirps<T: Real>() {
    for n in (1..=40).chain([97, 100, 256, 509]) {
        let least = Chirp::<T>::least(n);
        let usual = Chirp::<T>::usual(n);
        assert!(usual >= least && usual < least + least / 8 + 64, "{n} points through {usual}");
        let smallest = (least..2 * least + 2).find(|length| rows::<T>(Isa::best(), *length).is_some());
        for length in [smallest.expect("a length"), usual, (2 * n).next_power_of_two()] {
            it_is_the_definition(&Chirp::<T>::new(n, own(length)));
        }
    }
}

#[test]
fn any_length_goes_through_one_that_is_long_enough() {
    chirps::<f64>();
    chirps::<f32>();
}

/// All odd primes that exceed a length with small factors by one point, and some others.
fn primes<T: Real>() {
    let mut found = Vec::new();
    for n in (0..600).filter(|n| Rader::<T>::is_for(*n)) {
        found.push(n);
        if let Some(through) = rows::<T>(Isa::best(), n - 1) {
            it_is_the_definition(&Rader::new(through));
        }
    }
    let is_prime = |n: &usize| (2..*n).all(|factor| !n.is_multiple_of(factor));
    assert_eq!(found, (3..600).filter(is_prime).collect::<Vec<_>>());
    // A prime whose smallest primitive root is greater than 2, and a length that is not a product of small
    // factors.
    it_is_the_definition(&Rader::<T>::new(own(640)));
    it_is_the_definition(&Rader::<T>::new(Arc::new(Chirp::new(22, own(64)))));
}

#[test]
fn primes_go_through_a_point_less() {
    primes::<f64>();
    primes::<f32>();
}

fn products<T: Real>() {
    for a in [1, 2, 3, 4, 8, 15, 49, 64] {
        for b in [1, 2, 11, 13, 17, 31, 67] {
            let columns = columns::<T>(Isa::best(), a).expect("small prime factors");
            let through = Chirp::<T>::usual(b);
            it_is_the_definition(&Composite::new(columns, Arc::new(Chirp::new(b, own(through)))));
        }
    }
}

#[test]
fn products_go_through_columns_and_rows() {
    products::<f64>();
    products::<f32>();
}

#[test]
#[should_panic(expected = "rows of 8 points go through 15 points, not 14")]
fn a_length_that_wraps_round_is_refused() {
    let _ = Chirp::<f64>::new(8, own(14));
}

#[test]
#[should_panic(expected = "rows of 9 points, which is no odd prime below 2^32")]
fn a_length_that_is_no_prime_is_refused() {
    let _ = Rader::<f64>::new(own(8));
}

/// Returns one kernel of each kind, for rows of 3 points.
fn all() -> [Arc<dyn RowKernel<f64>>; 3] {
    let columns = columns(Isa::best(), 3).expect("small prime factors");
    [Arc::new(Chirp::new(3, own(8))), Arc::new(Rader::new(own(2))), Arc::new(Composite::new(columns, own(1)))]
}

#[test]
fn short_scratches_and_parts_of_rows_are_refused() {
    let refused = |call: &dyn Fn()| {
        let message = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
        message.downcast_ref::<String>().expect("a message").clone()
    };
    for kernel in all() {
        let short = refused(&|| kernel.forward(&mut noise(3), &mut noise(kernel.scratch_len() - 1)));
        let needed = kernel.scratch_len();
        assert_eq!(short, format!("a scratch of {} points where {needed} are needed", needed - 1));
        let part = refused(&|| kernel.forward(&mut noise(4), &mut kernel.scratch()));
        assert_eq!(part, "4 points are no whole number of rows of 3", "{kernel:?}");
    }
}
