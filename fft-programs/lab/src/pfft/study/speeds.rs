//! Points of the speed functions around the balanced distribution, within a small budget: the paper's partial
//! speed functions (section IV).
//!
//! The numbers of rows are multiples of a step that divides the balanced share, so that the balanced
//! distribution is among those that can be chosen, and of about a sixteenth of N. Nearest to the balanced share
//! first; the first few are measured whatever they take, since one number of rows leaves no choice.

use earth::Machine;
use earth_fft::{Precision, computer, memory};
use earth_papers::groups::{Pad, PerformanceModel};
use earth_papers::partition::Size;

use super::bench::BenchError;
use super::rows::Sampled;
use crate::pfft::measure::speeds::{Subject, measure};
use crate::pfft::measure::{Plan, Reliability};

/// Numbers of rows that are measured whatever they take: of the rows as they are, and apart.
const LEAST_SIZES: usize = 3;

/// Longer lengths that padding as published may choose from, and what they are multiples of.
const LONGER: usize = 4;
const LENGTHS: usize = 64;

/// The step between numbers of rows of a matrix of `n`: the largest divisor of the balanced share that is a
/// sixteenth of `n` at most.
pub(super) fn step(n: usize, groups: usize) -> usize {
    let share = (n / groups.max(1)).max(1);
    (1..=(n / 16).max(1)).rev().find(|&step| share.is_multiple_of(step)).unwrap_or(1)
}

/// Measures a speed function around the balanced distribution of a matrix of `n`, and keeps its points in
/// `sampled`, too.
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

/// Adds what padding as published chooses by: some longer rows, as many as the group with the most has.
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

/// One point, and the seconds that it took.
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
