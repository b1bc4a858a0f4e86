//! The methods of Khokhriakov, Manumachu and Lastovetsky (2018), which decide on the shares and the padding
//! of groups.
//!
//! 1. *Distribution.* PFFT-LB gives each group the same number of rows. PFFT-FPM uses the groups' speed
//!    functions for rows of that length, so that the slowest group is as fast as possible
//!    ([`partition`](crate::partition::partition())). It decides separately for the rows of the matrix and of
//!    its transpose, each by its own length.
//! 2. *Padding and chirps.* All groups use the requested treatment, or each group uses the fastest exact one
//!    by the speed functions: rows as they came, padded rows, or a chirp. In the latter case step 1 takes the
//!    fastest of the three for each group and number of rows. Rows stay as they came unless that is slower by
//!    more than ε ([`EPSILON`]), the tolerance within which Algorithm 2 takes functions as equal.
//! 3. *As published* (PFFT-FPM-PAD), if requested: of the measured lengths past N, the one at which the
//!    slowest group would be fastest with its rows, if that is faster than at N. All groups use one length,
//!    where the paper gives each group its own: see [`dealing`](super::dealing).
//!
//! Speed functions cover some lengths. Between two measured lengths the times are interpolated, and a remark
//! reports that. Beyond them planning fails.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fft::PlanError;
use earth_fft::kernel::Kernel;
use earth_fft::solver::{Candidate, Measuring, Request, Solver};
use earth_fftw::Effort;

use super::dealing::{chirp_lengths, odd_lines};
use super::{Groups, Pad, Partition, PerformanceModel, Shares};
use crate::error::Error;
use crate::partition::{EPSILON, Grouping, Section, SpeedFunction, TimeFunction, balanced, partition};

/// Decision, and remarks on it.
#[derive(Debug)]
pub(crate) struct Decided {
    /// Distribution and padding.
    pub(crate) shares: Shares,
    /// Remarks, each a sentence for people.
    pub(crate) notes: Vec<String>,
}

/// Kernel and precision of the rows, and the bytes of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) precision: &'static str,
    pub(crate) point: usize,
}

/// Decides how groups share a matrix, as `request`.
pub(crate) fn decide(
    request: &Groups,
    grouping: Grouping,
    [rows, cols]: [usize; 2],
    of: Rows<'_>,
) -> Result<Decided, PlanError> {
    let speeds = GivenSpeeds::of(request, grouping, of)?;
    let mut shares = Shares { threads: grouping.threads, barrier: request.barrier, ..Shares::default() };
    let mut notes = Vec::new();
    let lengths = [cols, rows];
    let along = speeds.deal(request, (rows, cols), of.point, &mut notes)?;
    let across = if rows == cols {
        along.clone()
    } else {
        speeds.deal(request, (cols, rows), of.point, &mut notes)?
    };
    let ([rows, strides, chirps], [cols, cols_strides, cols_chirps]) = (along, across);
    shares.distribution = [rows, cols];
    shares.strides = [strides, cols_strides];
    shares.chirps = [chirps, cols_chirps];
    if request.pad == Pad::Spectrum {
        let faster = |pass: usize| speeds.faster_length(&shares.distribution[pass], lengths[pass]);
        let [along, across] = [faster(0)?, faster(1)?];
        shares.spectrum = Some([along, across]);
        if [along, across] != lengths {
            notes.push(format!(
                "rows are filled up with zeros to {along} and {across} points: the result is the spectrum on a finer grid, cropped, and not the transform"
            ));
        }
    }
    notes.dedup();
    Ok(Decided { shares, notes })
}

/// Treatment of rows, and each group's times for rows treated so.
struct Treatment {
    pad: Pad,
    times: Vec<TimeFunction>,
}

/// Speed functions that were given, all of the same groups, kernel and precision.
struct GivenSpeeds<'a> {
    groups: usize,
    models: &'a [PerformanceModel],
}

impl<'a> GivenSpeeds<'a> {
    fn of(
        request: &'a Groups,
        Grouping { groups, threads }: Grouping,
        of: Rows<'_>,
    ) -> Result<Self, PlanError> {
        for model in request.speeds.iter() {
            let found = model.grouping();
            if (found.groups, found.threads) != (groups, threads) {
                return Err(Error::GroupMismatch {
                    measured: [found.groups, found.threads],
                    requested: [groups, threads],
                }
                .into());
            }
            let rows = model.rows();
            let kernel = rows.kernel.confirmed_by(Some(of.kernel));
            if (&kernel, rows.precision.as_str()) != (of.kernel, of.precision) {
                let measured = format!("{} in {}", rows.kernel, rows.precision);
                let requested = format!("{} in {}", of.kernel, of.precision);
                return Err(Error::KernelMismatch { measured, requested }.into());
            }
        }
        Ok(Self { groups, models: &request.speeds })
    }

    /// Returns the functions for rows with this padding.
    fn of_pad(&self, pad: Pad) -> Option<&'a PerformanceModel> {
        self.models.iter().find(|model| model.rows().pad == pad)
    }

    /// Returns each group's times for rows of this length and padding.
    fn times(
        &self,
        pad: Pad,
        length: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<TimeFunction>, PlanError> {
        let model = self.of_pad(pad).ok_or_else(|| Error::NoSpeeds { pad: pad.to_string() })?;
        let sections =
            model.sections_or_between(length).map_err(|error| Error::Unmeasured(error.to_string()))?;
        if let Some((below, above)) = sections.iter().find_map(|section| section.between) {
            notes.push(format!(
                "rows of {length} points were not measured: their times are interpolated between {below} and {above}"
            ));
        }
        Ok(sections.into_iter().map(|Section { times, .. }| times).collect())
    }

    /// Returns the treatments to choose among for rows of this length; empty if the choice does not depend on
    /// times.
    fn candidates(
        &self,
        request: &Groups,
        length: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Treatment>, PlanError> {
        let candidate = |pad: Pad, notes: &mut Vec<String>| {
            Ok::<_, PlanError>(Treatment { pad, times: self.times(pad, length, notes)? })
        };
        match (request.pad, request.partition) {
            (Pad::Auto, _) => {
                let own = candidate(Pad::None, notes)?;
                let others = [Pad::Stride, Pad::Chirp].into_iter().filter(|&pad| self.of_pad(pad).is_some());
                let others: Vec<_> = others.filter_map(|pad| candidate(pad, notes).ok()).collect();
                Ok([own].into_iter().chain(others).collect())
            }
            (_, Partition::Lb) => Ok(Vec::new()),
            (Pad::Chirp, Partition::Fpm) => Ok(vec![candidate(Pad::Chirp, notes)?]),
            // Padded rows without measurements are assumed to be as fast as rows as they came.
            (Pad::Stride, Partition::Fpm) if self.of_pad(Pad::Stride).is_some() => {
                Ok(vec![candidate(Pad::Stride, notes)?])
            }
            (Pad::None | Pad::Stride | Pad::Spectrum, Partition::Fpm) => {
                Ok(vec![candidate(Pad::None, notes)?])
            }
        }
    }

    /// Distributes `rows` rows of `length` points of `point` bytes. Returns each group's number of rows,
    /// leading dimension, and length of the chirp; 0 stands for no padding and no chirp.
    fn deal(
        &self,
        request: &Groups,
        (rows, length): (usize, usize),
        point: usize,
        notes: &mut Vec<String>,
    ) -> Result<[Vec<usize>; 3], PlanError> {
        let candidates = self.candidates(request, length, notes)?;
        let distribution = if request.partition == Partition::Fpm {
            let functions: Vec<_> = (0..self.groups).map(|group| fastest(&candidates, group)).collect();
            let found = partition(&functions, rows, granularity(&functions));
            found.map_err(|error| Error::Unmeasured(error.to_string()))?.rows
        } else {
            balanced(rows, self.groups)
        };
        let done = |(group, &rows): (usize, &usize)| match request.pad {
            Pad::Auto => best(&candidates, |candidate| candidate.times[group].estimate(rows))
                .map_or(Pad::None, |(pad, _)| pad),
            pad => pad,
        };
        let done: Vec<_> = distribution.iter().enumerate().map(done).collect();
        let only = |wanted: Pad, length: usize| {
            done.iter().map(|&pad| if pad == wanted { length } else { 0 }).collect()
        };
        let through = chirp_lengths(length).first().copied().unwrap_or(0);
        let strides = only(Pad::Stride, odd_lines(length, point));
        Ok([distribution, strides, only(Pad::Chirp, through)])
    }

    /// Returns the measured length from `length` on at which the slowest group would be fastest with its
    /// rows.
    fn faster_length(&self, distribution: &[usize], length: usize) -> Result<usize, PlanError> {
        let model = self.of_pad(Pad::None).ok_or(Error::NeedsSpeeds { what: "padding as published" })?;
        let slowest = |length: usize| {
            let sections = model.sections_or_between(length).ok()?;
            let dealt = sections.iter().zip(distribution);
            let mut times = dealt.map(|(section, &rows)| section.times.estimate(rows));
            times.try_fold(0.0, |slowest: f64, time| Some(slowest.max(time?)))
        };
        let measured = model.functions().first().into_iter().flat_map(SpeedFunction::lengths);
        let longer = measured.filter(|&longer| longer > length);
        let timed =
            std::iter::once(length).chain(longer).filter_map(|length| Some((slowest(length)?, length)));
        Ok(timed.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(length, |(_, length)| length))
    }
}

/// Returns the greatest common divisor of the measured numbers of rows.
fn granularity(functions: &[TimeFunction]) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let rows = functions.iter().flat_map(|function| function.points().map(|(rows, _)| rows));
    rows.fold(0, divisor).max(1)
}

/// Returns the least time of a group over all treatments, for each number of rows measured in any of them.
fn fastest(candidates: &[Treatment], group: usize) -> TimeFunction {
    let numbers: BTreeSet<usize> = candidates
        .iter()
        .flat_map(|candidate| candidate.times[group].points().map(|(rows, _)| rows))
        .collect();
    let at = |rows: usize| {
        let (_, seconds) = best(candidates, |candidate| candidate.times[group].measured(rows))?;
        Some((rows, seconds))
    };
    TimeFunction::new(numbers.into_iter().filter_map(at)).unwrap_or_default()
}

/// Returns the fastest treatment and its time. The first treatment wins unless it is slower than the fastest
/// other one by more than ε.
fn best(candidates: &[Treatment], seconds: impl Fn(&Treatment) -> Option<f64>) -> Option<(Pad, f64)> {
    let timed = |candidate: &Treatment| Some((candidate.pad, seconds(candidate)?));
    let (first, others) = candidates.split_first()?;
    let other = others.iter().filter_map(timed).min_by(|a, b| a.1.total_cmp(&b.1));
    match (timed(first), other) {
        (Some(first), Some(other)) if first.1 > (1.0 + EPSILON) * other.1 => Some(other),
        (Some(first), _) => Some(first),
        (None, other) => other,
    }
}

/// Returns the exact ways to share a matrix that differ from even shares of unpadded rows.
///
/// * Distributions by the `known` speed functions, without padding, or with it where that is faster.
/// * Even shares of rows with a padded leading dimension.
/// * With `Effort::Patient` also each padding by the speed functions, and even shares through chirps.
///
/// `solver` makes the solver for such shares. The kernel is the speed functions' own unless one was
/// requested.
pub(crate) fn candidates(
    known: &[PerformanceModel],
    solver: impl Fn(Shares) -> Arc<dyn Solver>,
    request: &Request<'_>,
    measuring: &Measuring<'_>,
) -> Vec<Candidate> {
    let Measuring { effort, nodes, kernel, kernels, precision: (precision, point) } = *measuring;
    let [rows, cols] = *request.problem.lengths() else { return Vec::new() };
    let sides = [rows, cols];
    if request.problem.is_real() || !request.problem.is_one_array() {
        return Vec::new();
    }
    let patient = effort == Effort::Patient;
    let paddings = |few: &[Pad], more: &[Pad]| [few, if patient { more } else { &[] }].concat();
    let mut settings = Vec::new();
    let mut measured = BTreeMap::<_, Vec<_>>::new();
    for model in known {
        let Grouping { groups, threads } = model.grouping();
        let of = model.rows().kernel.confirmed_by(kernel);
        if !matches!(of, Kernel::Recorded(_)) {
            measured.entry((of, groups, threads)).or_default().push(model.clone());
        }
    }
    for ((of, groups, threads), models) in measured {
        for pad in paddings(&[Pad::Auto, Pad::None], &[Pad::Stride, Pad::Chirp]) {
            let speeds = models.clone().into();
            let by_speed = Groups { partition: Partition::Fpm, pad, speeds, ..Groups::default() };
            settings.push((of.clone(), by_speed, Grouping { groups, threads }));
        }
    }
    for of in kernels {
        for groups in nodes.iter().map(|nodes| nodes.get()) {
            for pad in paddings(&[Pad::Stride], &[Pad::Chirp]) {
                let evenly = Groups { pad, ..Groups::default() };
                settings.push((of.clone(), evenly, Grouping { groups, threads: 1 }));
            }
        }
    }
    let mut candidates = Vec::new();
    for (of, settings, grouping) in settings {
        let nodes = NonZeroUsize::new(grouping.groups.saturating_mul(grouping.threads));
        let Some(nodes) = nodes.filter(|&nodes| request.nodes.is_none_or(|requested| requested == nodes))
        else {
            continue;
        };
        let of_kernel = Rows { kernel: &of, precision, point };
        // The speed functions may have another precision, or not cover these sides.
        let Ok(decided) = decide(&settings, grouping, sides, of_kernel) else { continue };
        let differs = differs(&decided.shares, sides);
        let candidate = Candidate { solver: Some(solver(decided.shares)), nodes, kernel: of };
        if differs
            && kernel.is_none_or(|requested| *requested == candidate.kernel)
            && !candidates.contains(&candidate)
        {
            candidates.push(candidate);
        }
    }
    candidates
}

/// Whether the shares differ from even shares of unpadded rows.
fn differs(shares: &Shares, [rows, cols]: [usize; 2]) -> bool {
    let uneven = |rows: &Vec<usize>| rows.iter().max() > rows.iter().min().map(|least| least + 1).as_ref();
    let padded =
        [cols, rows].iter().zip(&shares.strides).any(|(len, of)| of.iter().any(|stride| stride > len));
    shares.distribution.iter().any(uneven)
        || padded
        || shares.chirps.iter().flatten().any(|&length| length > 0)
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
