//! Points of the speed functions around the balanced distribution, within a small time limit: the paper's
//! partial speed functions (section IV).
//!
//! The numbers of rows are multiples of a step of about a sixteenth of N. The step divides the balanced
//! share, so the balanced distribution can be chosen. Numbers of rows nearest to the balanced share come
//! first. The first few are measured at any cost, because a single number of rows leaves no choice.

use earth::Machine;
use earth_fft::{Precision, computer, memory};
use earth_papers::groups::{Pad, PerformanceModel};
use earth_papers::partition::Size;

use super::bench::BenchError;
use super::rows::Sampled;
use crate::pfft::measure::speeds::{Subject, measure};
use crate::pfft::measure::{Plan, Reliability};

/// Numbers of rows that are measured at any cost, for unpadded rows and for rows with stride.
const LEAST_SIZES: usize = 3;

/// Number of longer lengths that padding as published may choose from; they are multiples of the length
/// below.
const LONGER: usize = 4;
const LENGTHS: usize = 64;

/// Returns the step between numbers of rows of a matrix of `n`: the largest divisor of the balanced share
/// that is at most a sixteenth of `n`.
pub(super) fn step(n: usize, groups: usize) -> usize {
    let share = (n / groups.max(1)).max(1);
    (1..=(n / 16).max(1)).rev().find(|&step| share.is_multiple_of(step)).unwrap_or(1)
}

/// Measures a speed function around the balanced distribution of a matrix of `n`, and also adds its points to
/// `sampled`.
pub(super) fn around<T: Precision>(
    machine: &mut Machine,
    subject: &Subject,
    n: usize,
    reliability: Reliability,
    seconds: f64,
    sampled: &mut Vec<Sampled>,
) -> Result<PerformanceModel, BenchError> {
    let groups = subject.grouping.groups;
    let mut model = PerformanceModel::new(subject.described::<T>(), subject.grouping, computer::here())?;
    let least = if subject.pad == Pad::Chirp { 1 } else { LEAST_SIZES };
    let mut spent = 0.0;
    for (number, size) in Plan::around(n, n, groups, step(n, groups))?.sizes().enumerate() {
        if number >= least && spent >= seconds {
            break;
        }
        if number > 0 && subject.bytes::<T>(size) as u64 > memory::available() / 2 {
            continue;
        }
        spent += point::<T>(machine, subject, size, reliability, &mut model, sampled)?;
    }
    Ok(model)
}

/// Adds the points that padding as published needs for its choice: some longer rows, for the number of rows
/// of the largest group.
pub(super) fn longer<T: Precision>(
    machine: &mut Machine,
    subject: &Subject,
    n: usize,
    most: usize,
    reliability: Reliability,
    model: &mut PerformanceModel,
    sampled: &mut Vec<Sampled>,
) -> Result<(), BenchError> {
    for length in (1..=LONGER).map(|k| (n / LENGTHS + k) * LENGTHS) {
        point::<T>(machine, subject, Size { length, rows: most }, reliability, model, sampled)?;
    }
    Ok(())
}

/// Measures one point, and returns the seconds that it took.
fn point<T: Precision>(
    machine: &mut Machine,
    subject: &Subject,
    size: Size,
    reliability: Reliability,
    model: &mut PerformanceModel,
    sampled: &mut Vec<Sampled>,
) -> Result<f64, BenchError> {
    let measured = measure::<T>(machine, subject, size, reliability)?;
    model.add(size, &measured.points)?;
    sampled.push(Sampled {
        pad: subject.pad.to_string(),
        rows: size.rows,
        length: size.length,
        seconds: measured.points.iter().map(|point| point.mean).collect(),
        half_widths: measured.points.iter().map(|point| point.half_width).collect(),
    });
    Ok(measured.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_divide_the_balanced_share() {
        let steps = [(256, 2), (2048, 2), (1856, 2), (1984, 4), (320, 2), (257, 2), (7, 2), (3, 8), (1, 1)];
        assert_eq!(steps.map(|(n, groups)| step(n, groups)), [16, 128, 116, 124, 20, 16, 1, 1, 1]);
        for (n, groups) in steps {
            assert!((n / groups).is_multiple_of(step(n, groups)) && step(n, groups) <= (n / 16).max(1));
        }
    }
}
