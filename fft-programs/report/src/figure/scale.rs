//! Positions of values on an axis, its range, and its marks.
//!
//! A *place* is a coordinate along the axis: the value itself, or a logarithm of it.

use std::ops::Range;

use crate::numbers::extent;

/// Least number of marks of an axis of [`Scale::Decades`].
const SEVERAL: usize = 4;

/// Mapping from values to an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths; marks are round numbers.
    Linear,
    /// Linear scale that begins at zero.
    FromZero,
    /// Equal ratios have equal lengths; marks are the drawn values, where there is room.
    Doublings,
    /// Equal ratios have equal lengths; marks are round numbers.
    Decades,
    /// Rows 0, 1, .. from the top, each with a mark.
    Rows,
}

impl Scale {
    /// Whether equal ratios have equal lengths.
    pub(super) fn is_logarithmic(self) -> bool {
        matches!(self, Self::Doublings | Self::Decades)
    }

    /// Whether a value has a place. On a logarithmic axis only positive numbers have one.
    pub(super) fn has(self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.is_logarithmic())
    }

    /// Returns the place of a value.
    pub(super) fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear | Self::FromZero => value,
            Self::Doublings => value.log2(),
            Self::Decades => value.log10(),
            Self::Rows => -value,
        }
    }

    /// Returns the value at a place.
    pub(super) fn value(self, place: f64) -> f64 {
        match self {
            Self::Linear | Self::FromZero => place,
            Self::Doublings => place.exp2(),
            Self::Decades => 10_f64.powf(place),
            Self::Rows => -place,
        }
    }

    /// Returns the range of an axis that includes these places, with a margin. `room` is the share of a
    /// linear axis that is left free at each end.
    pub(super) fn range(self, places: &[f64], room: f64) -> Range<f64> {
        let zero = (self == Self::FromZero).then_some(0.0);
        let [low, high] = match extent(places.iter().copied().chain(zero)) {
            [low, high] if low <= high => [low, high],
            // Without places the axis needs some range.
            _ => [0.0, 1.0],
        };
        let [room, more] = match self {
            Self::Linear | Self::FromZero => [room * (high - low).max(1e-9 * high.abs()).max(1e-12), 0.0],
            Self::Doublings => [0.15, 0.0],
            Self::Decades => [0.04 * (high - low), 0.01],
            Self::Rows => [0.5, 0.0],
        };
        let start = low - room - more;
        (if self == Self::FromZero { start.max(0.0) } else { start })..high + room + more
    }

    /// Returns the places of the marks on an axis of this range, about `number` on a linear one.
    pub(super) fn marks(self, range: &Range<f64>, places: &[f64], number: usize) -> Vec<f64> {
        match self {
            Self::Linear | Self::FromZero => steps(range, number),
            Self::Doublings => spaced(sorted(places)),
            Self::Rows => sorted(places),
            Self::Decades => decades(range.start, range.end),
        }
    }
}

/// Returns multiples of 1, 2 or 5 times a power of ten, about `number` of them.
fn steps(range: &Range<f64>, number: usize) -> Vec<f64> {
    let rough = (range.end - range.start) / number as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|of| of * power).find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let [first, last] = [(range.start / step).ceil(), (range.end / step).floor()].map(|at| at as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Returns each place once, in order.
fn sorted(places: &[f64]) -> Vec<f64> {
    let mut marks = places.to_vec();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    marks
}

/// Leaves out neighbors whose labels would overlap.
fn spaced(mut marks: Vec<f64>) -> Vec<f64> {
    let [low, high] = extent(marks.iter().copied());
    let least = (high - low) / 13.0;
    marks.dedup_by(|next, mark| *next - *mark < least);
    marks
}

/// Returns those marks whose labels do not overlap. Whole places go before others, and lower ones before
/// higher ones.
pub(super) fn apart(marks: &[f64], overlap: impl Fn(f64, f64) -> bool) -> Vec<f64> {
    let is_whole = |mark: &&f64| (**mark - mark.round()).abs() < 1e-9;
    let (whole, others): (Vec<&f64>, Vec<&f64>) = marks.iter().partition(is_whole);
    let mut kept: Vec<f64> = Vec::new();
    for &mark in whole.into_iter().chain(others) {
        if !kept.iter().any(|&other| overlap(mark, other)) {
            kept.push(mark);
        }
    }
    kept.sort_by(f64::total_cmp);
    kept
}

/// Returns round numbers between powers of ten, as logarithms. The steps are the widest that give several
/// marks.
fn decades(low: f64, high: f64) -> Vec<f64> {
    const STEPS: [&[f64]; 4] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]];
    let marks = |steps: &[f64]| -> Vec<f64> {
        let powers = low.floor() as i32..=high.ceil() as i32;
        let all = powers.flat_map(|power| steps.iter().map(move |step| f64::from(power) + step.log10()));
        all.filter(|at| (low..=high).contains(at)).collect()
    };
    let even =
        || steps(&(10f64.powf(low)..10f64.powf(high)), SEVERAL + 2).into_iter().map(f64::log10).collect();
    STEPS.into_iter().map(marks).find(|marks| marks.len() >= SEVERAL).unwrap_or_else(even)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::short;

    #[test]
    fn marks_between_powers_of_ten_are_round() {
        let marks = |low: f64, high: f64| -> Vec<_> {
            let marks = Scale::Decades.marks(&(low.log10()..high.log10()), &[], 0);
            marks.into_iter().map(|at| short(Scale::Decades.value(at))).collect()
        };
        assert_eq!(marks(0.9, 1.7), ["1", "1.2", "1.4", "1.6"]);
        assert_eq!(marks(0.78, 1.28), ["0.8", "0.9", "1", "1.1", "1.2"]);
        assert_eq!(marks(190.0, 770.0), ["200", "300", "500", "700"]);
        assert_eq!(marks(0.5, 6.0), ["0.5", "1", "2", "5"]);
        assert_eq!(marks(0.004, 90.0), ["0.01", "0.1", "1", "10"]);
    }

    #[test]
    fn marks_are_round_and_within_the_axis() {
        let marks = |range, number| Scale::Linear.marks(&range, &[], number);
        assert_eq!(
            marks(230.0..2070.0, 10),
            [400.0, 600.0, 800.0, 1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0]
        );
        let shown: Vec<_> = marks(0.9..1.32, 7).into_iter().map(short).collect();
        assert_eq!(shown, ["0.9", "1", "1.1", "1.2", "1.3"]);
        assert!(marks(5.0..5.0 + 1e-9, 7).iter().all(|mark| (5.0..=5.0 + 1e-9).contains(mark)));
    }

    #[test]
    fn every_row_has_a_mark() {
        let rows: Vec<_> = (0..30).map(f64::from).collect();
        assert_eq!(Scale::Rows.marks(&(-0.5..29.5), &rows, 5), rows);
        assert!(Scale::Doublings.marks(&(-0.5..29.5), &rows, 5).len() <= 14, "labels would overlap");
    }

    #[test]
    fn points_are_marked_where_there_is_room() {
        let marks = |values: &[f64]| -> Vec<_> {
            let places: Vec<_> = values.iter().map(|&value| Scale::Doublings.place(value)).collect();
            let range = Scale::Doublings.range(&places, 0.0);
            let marks = Scale::Doublings.marks(&range, &places, 0);
            marks.into_iter().map(|at| short(Scale::Doublings.value(at))).collect()
        };
        assert_eq!(marks(&[1.0, 4.0, 2.0, 4.0]), ["1", "2", "4"]);
        assert_eq!(marks(&[1.0, 64.0, 65.0, 8192.0]), ["1", "64", "8192"]);
        assert_eq!(marks(&[]), [""; 0]);
    }

    #[test]
    fn labels_that_would_overlap_are_left_out() {
        let overlap = |one: f64, other: f64| (one - other).abs() < 0.4;
        let kept = |values: &[f64]| {
            let places: Vec<_> = values.iter().map(|&value| Scale::Doublings.place(value)).collect();
            apart(&places, overlap)
                .into_iter()
                .map(|at| short(Scale::Doublings.value(at)))
                .collect::<Vec<_>>()
        };
        assert_eq!(kept(&[512.0, 768.0, 1000.0, 1024.0, 1536.0, 1600.0]), ["512", "768", "1024", "1536"]);
    }

    #[test]
    fn an_axis_has_room_and_begins_at_zero_where_it_should() {
        assert_eq!(Scale::Linear.range(&[1.0, 2.0], 0.5), 0.5..2.5);
        assert_eq!(Scale::FromZero.range(&[1.0, 2.0], 0.5), 0.0..3.0);
        assert_eq!(Scale::Doublings.range(&[], 0.5), -0.15..1.15);
        assert!(Scale::Linear.has(0.0) && !Scale::Decades.has(0.0) && !Scale::Linear.has(f64::NAN));
    }
}
