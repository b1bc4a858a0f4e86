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
use crate::pfft::measure::{Measured, Plan, Reliability};

/// Numbers of rows that are measured at any cost, for unpadded rows and for rows with stride.
const LEAST_SIZES: usize = 3;

/// Number of points of unpadded rows that are measured twice, so that a difference of groups can be compared
/// with the difference of a group from itself.
const TWICE: usize = LEAST_SIZES;

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
        if number < TWICE && subject.pad == Pad::None {
            let again = measure::<T>(machine, subject, size, reliability)?;
            if let Some(point) = sampled.last_mut() {
                [point.again, point.again_half_widths] = of_groups(&again);
            }
        }
    }
    Ok(model)
}

/// Measures rows of several lengths, `rows` of each for each group.
pub(super) fn of_lengths<T: Precision>(
    machine: &mut Machine,
    subject: &Subject,
    rows: usize,
    lengths: impl Iterator<Item = usize>,
    reliability: Reliability,
) -> Result<Vec<Sampled>, BenchError> {
    let of = |length| {
        let size = Size { length, rows };
        Ok(sample(subject, size, &measure::<T>(machine, subject, size, reliability)?))
    };
    lengths.map(of).collect()
}

/// Returns the means of all groups, and the half widths of their intervals.
fn of_groups(measured: &Measured) -> [Vec<f64>; 2] {
    let means = measured.points.iter().map(|point| point.mean);
    [means.collect(), measured.points.iter().map(|point| point.half_width).collect()]
}

fn sample(subject: &Subject, Size { length, rows }: Size, measured: &Measured) -> Sampled {
    let [seconds, half_widths] = of_groups(measured);
    let (again, again_half_widths) = (Vec::new(), Vec::new());
    Sampled { pad: subject.pad.to_string(), rows, length, seconds, half_widths, again, again_half_widths }
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
    sampled.push(sample(subject, size, &measured));
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
