//! What the plots of all commands have in common: how they become SVG, colours, axes with round numbers.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

/// A plot of this size to stand in a page, whose colour of text it takes, or why there is none.
pub(crate) fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error>>,
) -> String {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let result = draw(&area).and_then(|()| Ok(area.present()?));
    drop(area);
    match result {
        Ok(()) => svg.replace("#000000", "currentColor"),
        Err(error) => format!("<p>The plot cannot be drawn: {error}.</p>"),
    }
}

/// A plot to stand in a page as a file, which brings its own colours for light and for dark.
pub(crate) fn as_file(svg: String) -> String {
    let style = "<style>svg { color: #1d2126; background: #ffffff } \
                 @media (prefers-color-scheme: dark) { svg { color: #e4e7ea; background: #14171a } }</style>";
    match svg.find('>') {
        Some(end) => format!("{}\n{style}{}\n", &svg[..=end], &svg[end + 1..]),
        None => svg,
    }
}

/// A colour of data.
pub(crate) type Colour = RGBColor;

/// Colours that are told apart by people who do not tell red from green.
pub(crate) const COLOURS: [Colour; 7] = [
    RGBColor(57, 135, 200),
    RGBColor(218, 124, 48),
    RGBColor(40, 158, 112),
    RGBColor(150, 108, 208),
    RGBColor(200, 80, 100),
    RGBColor(128, 128, 128),
    RGBColor(160, 145, 30),
];

/// Of what is drawn without emphasis: as strong as this part of its colour.
pub(crate) const FAINT: f64 = 0.3;

/// Of what belongs to no data.
pub(crate) const GREY: Colour = RGBColor(128, 128, 128);

/// An axis with marks where it is told.
pub(crate) struct Axis {
    pub(crate) range: Range<f64>,
    pub(crate) marks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// From the least to the greatest, or something to draw an axis for.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values
        .filter(|value| value.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// Round numbers between powers of ten, as logarithms: so many that there are some to read.
pub(crate) fn decades(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = match high - low {
        span if span > 2.5 => &[1.0],
        span if span > 1.2 => &[1.0, 3.0],
        span if span > 0.5 => &[1.0, 2.0, 5.0],
        _ => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
    };
    let powers = low.floor() as i32..=high.ceil() as i32;
    let all = powers.flat_map(|power| steps.iter().map(move |step| f64::from(power) + step.log10()));
    all.filter(|at| (low..=high).contains(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::short;

    #[test]
    fn ticks_are_round() {
        let ticks = |low: f64, high: f64| -> Vec<_> {
            decades(low.log10(), high.log10()).into_iter().map(|at| short(10_f64.powf(at))).collect()
        };
        assert_eq!(ticks(0.9, 1.7), ["1", "1.2", "1.5"]);
        assert_eq!(ticks(0.5, 6.0), ["0.5", "1", "2", "5"]);
        assert_eq!(ticks(0.004, 90.0), ["0.01", "0.1", "1", "10"]);
    }
}
