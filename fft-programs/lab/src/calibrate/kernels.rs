//! Costs of the programs' kernels. They need no EARTH machine, so the computer's clock measures them.

use earth::Block;
use earth::simulated::WorkProfile;
use earth_fft::dataflow::work;
use earth_fft::kernel::own_rows;
use earth_kernels::{Direction, RadixFactors, RadixOrder, ReceiverOrder, SenderOrder, Twiddles, transpose};
use num_complex::Complex;

use super::profile::CLOCK_MHZ;
use super::rates::{CalibrationEffort, time};

/// Measures the cost of the programs' kernels on this computer, per unit of work, in blocks that fit in a
/// cache.
pub fn kernels() -> WorkProfile {
    const POINTS: usize = 1 << 12;
    let cycles_each = |units: usize, work: &mut dyn FnMut()| {
        time::of_work(CalibrationEffort::default(), work) * CLOCK_MHZ / 1e3 / units as f64
    };
    let mut points: Vec<Complex<f64>> =
        (0..POINTS).map(|j| Complex::new(1.0 / (j + 1) as f64, 0.5)).collect();
    let mut other = points.clone();
    let row = own_rows::<f64>(POINTS);
    let mut scratch = row.scratch();
    let row_fft = cycles_each(POINTS * POINTS.ilog2() as usize, &mut || {
        row.transform(Direction::Forward, &mut points, &mut scratch);
        row.transform(Direction::Inverse, &mut points, &mut scratch);
        for point in &mut points {
            *point /= POINTS as f64;
        }
    }) / 2.0;
    let factors = Twiddles::new(2 * POINTS, Direction::Forward);
    let sender = SenderOrder::new(2 * POINTS, POINTS).unwrap_or_else(|error| unreachable!("{error}"));
    let sender_butterfly = cycles_each(POINTS, &mut || {
        // The lower mate multiplies and the upper mate does not; both occur equally often.
        sender.combine(0, 0, &mut points, &other, &factors);
        sender.combine(1, 0, &mut other, &points, &factors);
    }) / 2.0;
    let receiver = ReceiverOrder::new(2 * POINTS, 2).unwrap_or_else(|error| unreachable!("{error}"));
    let receiver_butterfly = cycles_each(POINTS, &mut || {
        for (at, point) in points.iter_mut().enumerate() {
            *point = receiver.combine(at, 1, [*point, other[at]], &factors);
        }
        for point in &mut points {
            *point *= 0.5;
        }
    });
    let stages = RadixOrder::new(POINTS, 2, POINTS / 2).unwrap_or_else(|error| unreachable!("{error}"));
    let [there, back] =
        [Direction::Forward, Direction::Inverse].map(|direction| RadixFactors::new(stages, direction));
    let radix_butterfly = cycles_each(POINTS * POINTS.ilog2() as usize, &mut || {
        stages.transform_own(&mut points, there.with(&[]));
        stages.transform_own(&mut points, back.with(&[]));
        for point in &mut points {
            *point /= POINTS as f64;
        }
    }) / 2.0;
    // The programs copy by transposing tiles and by permuting points.
    let side = POINTS.isqrt();
    let mut tile = Block::from_fn(side, side, |row, col| points[row * side + col]);
    let copy = cycles_each(POINTS, &mut || transpose(&mut tile));
    let kernels = [
        (&work::ROW_FFT, row_fft),
        (&work::SENDER_BUTTERFLY, sender_butterfly),
        (&work::RECEIVER_BUTTERFLY, receiver_butterfly),
        (&work::RADIX_BUTTERFLY, radix_butterfly),
        (&work::COPY, copy),
    ];
    WorkProfile {
        flop: row_fft / work::ROW_FFT.flops(),
        kernels: kernels.into_iter().map(|(kernel, cycles)| (kernel.name().to_owned(), cycles)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_measured() {
        let work = kernels();
        assert_eq!(work.kernels.len(), work::KERNELS.len());
        for kernel in work::KERNELS {
            let cycles = work.kernels[kernel.name()];
            assert!(cycles > 0.0 && cycles < 1e6, "{}: {cycles}", kernel.name());
        }
    }
}
