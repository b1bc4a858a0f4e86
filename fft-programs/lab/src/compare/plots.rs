//! Plots as SVG, for a page that may be light or dark and wide or narrow.
//!
//! What is neither data nor grid is drawn in the colour of the text around it (`currentColor`); the colours
//! of the data are of a middle lightness, which stands out against white and against black. Whole pixels are
//! all the library draws in, so a plot is twice as large as it is shown. There are no legends in the plots:
//! the page has them, where they may wrap.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::report::Spread;
use crate::axes::{Axis, GREY, decades, drawn, range};
pub(super) use crate::axes::{COLOURS, Colour, FAINT};
use crate::numbers::short;

const WIDTH: u32 = 1120;
const HEIGHT: u32 = 700;
const FONT: (&str, u32) = ("sans-serif", 38);
/// Values over powers of two.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) colour: Colour,
    pub(super) dashed: bool,
    /// From the smallest x on.
    pub(super) points: Vec<(usize, Spread)>,
}

/// Lines with whiskers over the middle half, both axes logarithmic. `level`, if there is one,
/// is drawn as a line across.
pub(super) fn lines(x_desc: &str, y_desc: &str, level: Option<f64>, lines: &[Line]) -> String {
    drawn((WIDTH, HEIGHT), |area| draw_lines(area, [x_desc, y_desc], level, lines))
}

fn draw_lines(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    [x_desc, y_desc]: [&str; 2],
    level: Option<f64>,
    lines: &[Line],
) -> Result<(), Box<dyn Error>> {
    // What is nothing, or no number, has no place on a logarithmic axis.
    let drawn = |(_, y): &&(usize, Spread)| [y.q1, y.median, y.q3].iter().all(|y| *y > 0.0 && y.is_finite());
    let points = || lines.iter().flat_map(|line| line.points.iter().filter(drawn));
    let xs: Vec<_> = points().map(|&(x, _)| (x as f64).log2()).collect();
    let ys = points().flat_map(|(_, y)| [y.q1, y.q3]).chain(level);
    let ([left, right], [low, high]) = (range(xs.iter().copied()), range(ys.map(f64::log10)));
    let (low, high) = (low - 0.04 * (high - low) - 0.01, high + 0.04 * (high - low) + 0.01);
    let mut keys = xs.clone();
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(28)
        .x_label_area_size(108)
        .y_label_area_size(148)
        .build_cartesian_2d(
            Axis { range: left - 0.2..right + 0.2, marks: keys },
            Axis { range: low..high, marks: decades(low, high) },
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(FAINT).stroke_width(2))
        .axis_style(GREY.stroke_width(2))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&|x| format!("{}", x.exp2().round()))
        .y_label_formatter(&|y| short(10_f64.powf(*y)))
        .x_desc(x_desc)
        .y_desc(y_desc)
        .draw()?;
    if let Some(level) = level.map(f64::log10) {
        let ends = [(left - 0.2, level), (right + 0.2, level)];
        chart.draw_series([PathElement::new(ends, BLACK.stroke_width(3))])?;
    }
    for (index, Line { colour, dashed, points }) in lines.iter().enumerate() {
        // Beside each other, so that whiskers do not hide each other.
        let aside = 0.035 * (index as f64 - (lines.len() - 1) as f64 / 2.0);
        let at = |x: usize, y: f64| ((x as f64).log2() + aside, y.log10());
        let medians: Vec<_> = points.iter().filter(drawn).map(|&(x, y)| at(x, y.median)).collect();
        let style = colour.stroke_width(5);
        if *dashed {
            chart.draw_series(DashedLineSeries::new(medians.iter().copied(), 14, 10, style))?;
        } else {
            chart.draw_series(LineSeries::new(medians.iter().copied(), style))?;
        }
        let whisker = |&(x, y): &(usize, Spread)| {
            PathElement::new([at(x, y.q1), at(x, y.q3)], colour.mix(0.7).stroke_width(4))
        };
        chart.draw_series(points.iter().filter(drawn).map(whisker))?;
        chart.draw_series(medians.iter().map(|&median| Circle::new(median, 10, colour.filled())))?;
    }
    Ok(())
}

/// A bar of parts that make up a whole.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    /// Colour, how strong it is, and how much there is of it.
    pub(super) parts: Vec<(Colour, f64, f64)>,
}

/// Bars below each other, each as long as the others.
pub(super) fn bars(x_desc: &str, bars: &[Bar]) -> String {
    drawn((WIDTH, 142 + 64 * bars.len() as u32), |area| draw_bars(area, x_desc, bars))
}

fn draw_bars(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    x_desc: &str,
    bars: &[Bar],
) -> Result<(), Box<dyn Error>> {
    let rows = bars.len();
    // The first one at the top.
    let middle = |row: usize| (rows - row) as f64 - 0.5;
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(40)
        .x_label_area_size(108)
        .y_label_area_size(400)
        .build_cartesian_2d(
            Axis { range: 0.0..1.0, marks: vec![0.0, 0.25, 0.5, 0.75, 1.0] },
            Axis { range: 0.0..rows.max(1) as f64, marks: (0..rows).map(middle).collect() },
        )?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(FAINT).stroke_width(2))
        .axis_style(GREY.stroke_width(2))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&|share| format!("{:.0}%", 100.0 * share))
        .y_label_formatter(&|y| {
            let row = (rows as f64 - y).floor() as usize;
            bars.get(row).map_or(String::new(), |bar| bar.name.clone())
        })
        .x_desc(x_desc)
        .draw()?;
    for (row, Bar { parts, .. }) in bars.iter().enumerate() {
        let all: f64 = parts.iter().map(|&(.., much)| much).sum();
        let mut from = 0.0;
        for &(colour, strength, much) in parts.iter().filter(|_| all > 0.0) {
            let to = from + much / all;
            let corners = [(from, middle(row) - 0.36), (to, middle(row) + 0.36)];
            chart.draw_series([Rectangle::new(corners, colour.mix(strength).filled())])?;
            from = to;
        }
    }
    Ok(())
}

/// Columns that a curve has at most: what is narrower than a pixel is not seen.
const MOST_COLUMNS: usize = WIDTH as usize;

/// The amplitudes of frequencies from one step on to half the rate, which is as many cycles a `unit` as 1/2.
pub(super) fn spectrum(unit: &str, amplitudes: &[f64]) -> String {
    drawn((WIDTH, HEIGHT * 3 / 4), |area| draw_spectrum(area, unit, amplitudes))
}

fn draw_spectrum(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    unit: &str,
    amplitudes: &[f64],
) -> Result<(), Box<dyn Error>> {
    // The strongest of what falls into a column, so that no line is averaged away.
    let width = amplitudes.len().div_ceil(MOST_COLUMNS).max(1);
    let strongest = |bins: &[f64]| bins.iter().copied().fold(0.0, f64::max);
    let curve: Vec<_> = amplitudes
        .chunks(width)
        .enumerate()
        .map(|(column, bins)| {
            let bin = column * width + bins.len().div_ceil(2);
            (bin as f64 / (2 * amplitudes.len()) as f64, strongest(bins))
        })
        .collect();
    let top = strongest(amplitudes);
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(28)
        .x_label_area_size(108)
        .y_label_area_size(148)
        .build_cartesian_2d(0.0..0.5, 0.0..1.05 * if top > 0.0 { top } else { 1.0 })?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(FAINT).stroke_width(2))
        .axis_style(GREY.stroke_width(2))
        .x_labels(6)
        .y_labels(5)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&|frequency: &f64| short((frequency * 1000.0).round() / 1000.0))
        .y_label_formatter(&|amplitude| short(*amplitude))
        .x_desc(format!("frequency in cycles a {unit}"))
        .y_desc("amplitude")
        .draw()?;
    chart.draw_series(LineSeries::new(curve, COLOURS[0].stroke_width(4)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(median: f64) -> Spread {
        Spread { min: 0.0, q1: median / 2.0, median, q3: median * 2.0, max: f64::INFINITY }
    }

    #[test]
    fn a_plot_has_its_data_and_takes_the_colour_of_the_text() {
        let line =
            Line { colour: COLOURS[1], dashed: false, points: vec![(1, spread(3.0)), (4, spread(0.5))] };
        let svg = lines("nodes", "ratio", Some(1.0), &[line]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("nodes") && svg.contains("ratio") && svg.contains("currentColor"), "{svg}");
        assert!(!svg.contains("#000000") && svg.contains("#DA7C30"));
        // Both values of x are named, and a value that is 1.
        let labels: Vec<_> = svg.lines().filter(|line| ["1", "4"].contains(&line.trim())).collect();
        assert_eq!(labels.len(), 3, "{svg}");
    }

    #[test]
    fn bars_are_as_long_as_their_shares() {
        let bar = |much: [f64; 2]| {
            let parts = vec![(COLOURS[0], 1.0, much[0]), (COLOURS[1], 1.0, much[1])];
            Bar { name: "sender SPN".to_owned(), parts }
        };
        let svg = bars("time", &[bar([1.0, 3.0]), bar([0.0, 0.0])]);
        let widths: Vec<f64> = svg
            .split("<rect")
            .filter(|rect| rect.contains("#3987C8") || rect.contains("#DA7C30"))
            .map(|rect| rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(widths.len(), 2, "nothing is drawn of nothing");
        assert!((widths[1] / widths[0] - 3.0).abs() < 0.05, "{widths:?}");
        assert!(svg.contains("sender SPN") && svg.contains("75%"));
    }

    #[test]
    fn a_narrow_line_of_a_long_spectrum_is_drawn_to_its_height() {
        let mut amplitudes = vec![0.0; 100_000];
        amplitudes[70_001] = 8.0;
        let svg = spectrum("year", &amplitudes);
        let curve = svg.lines().find(|line| line.contains("#3987C8")).unwrap();
        let points = curve.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let ys: Vec<i32> =
            points.split_whitespace().map(|at| at.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert!(ys.len() <= MOST_COLUMNS && ys.iter().min() < Some(&60), "{}", ys.len());
        assert!(svg.contains("frequency in cycles a year"));
    }

    #[test]
    fn nothing_is_drawn_without_a_panic() {
        for svg in
            [lines("x", "y", None, &[]), bars("x", &[]), spectrum("sample", &[]), spectrum("sample", &[0.0])]
        {
            assert!(svg.starts_with("<svg"), "{svg}");
        }
        let endless =
            Line { colour: GREY, dashed: true, points: vec![(1, spread(f64::NAN)), (2, spread(0.0))] };
        assert!(lines("x", "y", Some(1.0), &[endless]).starts_with("<svg"));
    }
}
