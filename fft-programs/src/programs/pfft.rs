//! The methods of Khokhriakov, Manumachu and Lastovetsky (2018) as what the program for groups is told: who gets
//! which rows, and how long these are.
//!
//! 1. *Who gets which rows.* PFFT-LB: the same number for each group. PFFT-FPM: by the speed functions of the
//!    groups for rows of that length, so that the slowest is as fast as can be
//!    ([`partition`](crate::partition::partition())); for the rows of the matrix and for those of its
//!    transpose, each by its own length.
//! 2. *How long rows are.* Nothing is done to them, or what was asked for, for all groups; or the fastest that
//!    is exact by the speed functions, group by group: as they are, or through a chirp, and all of them apart or
//!    none. Then step 1 takes for each group and number of rows the faster of the two.
//! 3. *As published* (PFFT-FPM-PAD), if asked for: of the measured lengths past N the one at which the
//!    slowest group would be fastest with its rows, if that is faster than at N. One length for all groups,
//!    where the paper gives each its own: see [`twod::pass`](crate::twod::pass).
//!
//! Speed functions know some lengths. Between two of them times are interpolated, and the answer says so; past
//! them there is no answer.

use super::twod::Sharing;
use crate::model::{Grouping, PerformanceModel, Section, SpeedFunction};
use crate::partition::{Distribution, Options, TimeFunction, partition, predict};
use crate::request::Refusal;
use crate::request::groups::{Groups, Pad, Partition};
use crate::twod::lengths::{chirp_lengths, odd_lines};

/// What was decided, and what should be known about it.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) sharing: Sharing,
    /// Sentences for people.
    pub(crate) notes: Vec<String>,
}

/// What `asked` becomes for a matrix of points of `point` bytes in `precision`.
pub(crate) fn decide(
    asked: &Groups,
    grouping: Grouping,
    [rows, cols]: [usize; 2],
    block: Option<usize>,
    (precision, point): (&str, usize),
) -> Result<Decided, Refusal> {
    let speeds = Known::of(asked, grouping, precision)?;
    let mut sharing = Sharing {
        threads: grouping.threads,
        block,
        kernel: asked.kernel()?,
        effort: asked.effort()?,
        barrier: asked.barrier,
        ..Sharing::default()
    };
    let mut notes = Vec::new();
    let sides = [(rows, cols), (cols, rows)];
    let mut deal = |apart: bool| -> Result<[Dealt; 2], Refusal> {
        let along = speeds.deal(asked, sides[0], apart, &mut notes)?;
        let across =
            if rows == cols { along.clone() } else { speeds.deal(asked, sides[1], apart, &mut notes)? };
        Ok([along, across])
    };
    let (apart, dealt) = match asked.pad {
        Pad::Stride => (true, deal(true)?),
        Pad::Auto if speeds.of_pad(Pad::Stride).is_some() => {
            let slowest = |dealt: &[Dealt; 2]| dealt[0].seconds + dealt[1].seconds;
            let [apart, close] = [deal(true)?, deal(false)?];
            if slowest(&apart) < slowest(&close) { (true, apart) } else { (false, close) }
        }
        _ => (false, deal(false)?),
    };
    if apart {
        sharing.stride = Some([cols, rows].map(|len| odd_lines(len, point)));
    }
    if asked.pad == Pad::Spectrum {
        let lengths = [0, 1].map(|pass| speeds.faster_length(&dealt[pass], sides[pass].1));
        let [along, across] = lengths;
        let lengths = [along?, across?];
        sharing.spectrum = Some(lengths);
        if lengths != [cols, rows] {
            notes.push(format!(
                "rows are filled up with zeros to {} and {} points: the result is the spectrum on a finer grid, cropped, and not the transform",
                lengths[0], lengths[1]
            ));
        }
    }
    let [along, across] = dealt;
    sharing.chirps = [along.chirps, across.chirps];
    sharing.distribution = [along.rows, across.rows];
    notes.dedup();
    Ok(Decided { sharing, notes })
}

/// Rows of one length, dealt.
#[derive(Clone, Debug)]
struct Dealt {
    /// Of each group.
    rows: Vec<usize>,
    /// What each goes through; 0 is its own length.
    chirps: Vec<usize>,
    /// What the slowest group would take, where that is known.
    seconds: f64,
}

/// The speed functions that were given, which fit together.
struct Known<'a> {
    groups: usize,
    models: &'a [PerformanceModel],
}

impl<'a> Known<'a> {
    fn of(
        asked: &'a Groups,
        Grouping { groups, threads }: Grouping,
        precision: &str,
    ) -> Result<Self, Refusal> {
        for model in asked.speeds.iter() {
            let of = model.grouping();
            if (of.groups, of.threads) != (groups, threads) {
                return Err(Refusal::OtherGroups {
                    measured: [of.groups, of.threads],
                    asked: [groups, threads],
                });
            }
            let of = model.kernel();
            let known = (of.name.as_str(), of.precision.as_str());
            let kernel = asked.kernel()?.to_string();
            if known != (kernel.as_str(), precision) {
                let measured = format!("{} in {}", of.name, of.precision);
                return Err(Refusal::OtherKernel { measured, asked: format!("{kernel} in {precision}") });
            }
        }
        Ok(Self { groups, models: &asked.speeds })
    }

    /// The functions for rows to which this is done.
    fn of_pad(&self, pad: Pad) -> Option<&'a PerformanceModel> {
        self.models.iter().find(|model| model.kernel().pad == pad.to_string())
    }

    /// The times for rows of a length, by group.
    fn times(&self, pad: Pad, length: usize, notes: &mut Vec<String>) -> Result<Vec<TimeFunction>, Refusal> {
        let model = self.of_pad(pad).ok_or(Refusal::NoSpeeds { pad })?;
        let sections =
            model.sections_or_between(length).map_err(|error| Refusal::Unmeasured(error.to_string()))?;
        if let Some((below, above)) = sections.iter().find_map(|section| section.between) {
            notes.push(format!(
                "rows of {length} points were not measured: their times are interpolated between {below} and {above}"
            ));
        }
        Ok(sections.into_iter().map(|Section { times, .. }| times).collect())
    }

    /// Deals `rows` rows of `length` points, which lie apart or do not.
    fn deal(
        &self,
        asked: &Groups,
        (rows, length): (usize, usize),
        apart: bool,
        notes: &mut Vec<String>,
    ) -> Result<Dealt, Refusal> {
        let own = if apart { Pad::Stride } else { Pad::None };
        let through = chirp_lengths(length).first().copied().unwrap_or(0);
        // Rows that lie apart are transformed as others are, if nobody measured that.
        let own = if self.of_pad(own).is_some() { own } else { Pad::None };
        let times = |pad: Pad, notes: &mut Vec<String>| self.times(pad, length, notes);
        // By group: its own time, and whether it goes through a chirp.
        let (functions, chirped) = match (asked.pad, asked.partition) {
            (Pad::Auto, _) => {
                let own = times(own, notes)?;
                let chirped =
                    if self.of_pad(Pad::Chirp).is_some() { times(Pad::Chirp, notes).ok() } else { None };
                let functions = match &chirped {
                    Some(chirped) => {
                        own.iter().zip(chirped).map(|(own, chirped)| faster(own, chirped)).collect()
                    }
                    None => own,
                };
                (Some(functions), chirped)
            }
            (_, Partition::Lb) => (None, None),
            (Pad::Chirp, Partition::Fpm) => (Some(times(Pad::Chirp, notes)?), None),
            (_, Partition::Fpm) => (Some(times(own, notes)?), None),
        };
        let balanced = Distribution::balanced(rows, self.groups)
            .map_err(|error| Refusal::Unmeasured(error.to_string()))?;
        let (distribution, seconds) = match (asked.partition, &functions) {
            (Partition::Fpm, Some(functions)) => {
                let options = Options { granularity: granularity(functions), ..Options::default() };
                let found = partition(functions, rows, options);
                let found = found.map_err(|error| Refusal::Unmeasured(error.to_string()))?;
                (found.optimum.distribution.clone(), found.optimum.seconds())
            }
            (_, functions) => {
                let times = functions.as_ref().and_then(|functions| predict(functions, &balanced));
                let slowest = times
                    .map_or(f64::NAN, |times| times.iter().map(|time| time.seconds()).fold(0.0, f64::max));
                (balanced, slowest)
            }
        };
        let goes_through = |(group, &rows): (usize, &usize)| {
            let chirps = match (asked.pad, &functions, &chirped) {
                (Pad::Chirp, _, _) => true,
                // The function is the faster of both, so it is that of the chirp where that is its own.
                (Pad::Auto, Some(functions), Some(chirped)) => {
                    let [best, chirp] =
                        [&functions[group], &chirped[group]].map(|function| function.measured(rows));
                    rows > 0 && chirp.is_some() && chirp <= best
                }
                _ => false,
            };
            if chirps { through } else { 0 }
        };
        let chirps = distribution.rows().iter().enumerate().map(goes_through).collect();
        Ok(Dealt { rows: distribution.rows().to_vec(), chirps, seconds })
    }

    /// The measured length from `length` on at which the slowest group would be fastest with its rows.
    fn faster_length(&self, dealt: &Dealt, length: usize) -> Result<usize, Refusal> {
        let model = self.of_pad(Pad::None).ok_or(Refusal::NeedsSpeeds { what: "padding as published" })?;
        let slowest = |length: usize| {
            let sections = model.sections_or_between(length).ok()?;
            let times = sections.iter().zip(&dealt.rows).map(|(section, &rows)| section.times.estimate(rows));
            times
                .map(|time| Some(time?.seconds()))
                .try_fold(0.0, |slowest: f64, time| Some(slowest.max(time?)))
        };
        let measured = model.functions().first().into_iter().flat_map(SpeedFunction::lengths);
        let longer = measured.filter(|&longer| longer > length);
        let timed =
            std::iter::once(length).chain(longer).filter_map(|length| Some((slowest(length)?, length)));
        Ok(timed.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(length, |(_, length)| length))
    }
}

/// The greatest number of rows of which all that were measured are multiples.
fn granularity(functions: &[TimeFunction]) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let rows = functions.iter().flat_map(|function| function.points().map(|(rows, _)| rows));
    rows.fold(0, divisor).max(1)
}

/// The faster of two ways, where both or one of them is known.
fn faster(one: &TimeFunction, other: &TimeFunction) -> TimeFunction {
    let mut points: std::collections::BTreeMap<usize, f64> = one.points().collect();
    for (rows, seconds) in other.points() {
        points.entry(rows).and_modify(|least| *least = least.min(seconds)).or_insert(seconds);
    }
    TimeFunction::new(points).unwrap_or_default()
}

#[cfg(test)]
#[path = "pfft_tests.rs"]
mod tests;
