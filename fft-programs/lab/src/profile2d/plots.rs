//! Figures as SVG: panels beside each other with the same linear axes, a key below them.
//!
//! As a file, a plot brings its own colours for light and for dark; in a page it takes those of the text around it.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::figures::{Figure, Panel, extent};
use crate::axes::{Axis, COLOURS, FAINT, GREY, as_file, drawn};
use crate::numbers::short;

/// A plot, twice as large as it is mostly shown: whole pixels are all the library draws in.
const WIDTH: u32 = 1800;
const HEIGHT: u32 = 760;
const FONT: (&str, u32) = ("sans-serif", 30);
const TITLE: (&str, u32) = ("sans-serif", 34);
const KEY_LINE: u32 = 48;

/// Where keys are drawn: their text, their colour and their place.
type Keys = Vec<(String, usize, (i32, i32))>;

/// The plot to stand in a page.
pub(super) fn inline(figure: &Figure) -> String {
    let keys = keys(figure);
    let lines = keys.last().map_or(0, |(_, _, (_, y))| y.unsigned_abs() / KEY_LINE + 1);
    drawn((WIDTH, HEIGHT + KEY_LINE * lines + 24), |area| draw(area, figure, &keys))
}

/// The plot as a file.
pub(super) fn file(figure: &Figure) -> String {
    as_file(inline(figure))
}

/// What colours mean: each key once, or each panel's own if panels have others.
fn keys(figure: &Figure) -> Keys {
    let mut keys = Keys::new();
    let (mut x, mut y) = (40, KEY_LINE.cast_signed() / 2);
    for line in figure.panels.iter().flat_map(|panel| &panel.lines) {
        if keys.iter().any(|(key, colour, _)| (key, *colour) == (&line.key, line.colour)) {
            continue;
        }
        let width = 100 + 16 * (line.key.chars().count() as u32).cast_signed();
        if x + width > WIDTH.cast_signed() && x > 40 {
            (x, y) = (40, y + KEY_LINE.cast_signed());
        }
        keys.push((line.key.clone(), line.colour, (x, y)));
        x += width;
    }
    keys
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    figure: &Figure,
    keys: &Keys,
) -> Result<(), Box<dyn Error>> {
    let (plots, below) = area.split_vertically(HEIGHT);
    let widened = |[low, high]: [f64; 2], share: f64| {
        let room = share * (high - low).max(1e-9 * high.abs()).max(1e-12);
        low - room..high + room
    };
    let [across, up] = extent(figure);
    let (across, mut up) = (widened(across, 0.02), widened(up, 0.05));
    if figure.level.is_none() {
        up.start = up.start.max(0.0);
    }
    let panels = plots.split_evenly((1, figure.panels.len().max(1)));
    for (area, panel) in panels.iter().zip(&figure.panels) {
        draw_panel(area, figure, panel, &across, &up)?;
    }
    for (key, colour, (x, y)) in keys {
        let style = COLOURS[colour % COLOURS.len()];
        below.draw(&PathElement::new([(*x, *y), (x + 50, *y)], style.stroke_width(6)))?;
        below.draw(&Circle::new((x + 25, *y), 9, style.filled()))?;
        below.draw(&Text::new(key.clone(), (x + 64, y - 15), FONT))?;
    }
    Ok(())
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    figure: &Figure,
    panel: &Panel,
    across: &Range<f64>,
    up: &Range<f64>,
) -> Result<(), Box<dyn Error>> {
    let narrow = figure.panels.len() > 1;
    let mut builder = ChartBuilder::on(area)
        .caption(&panel.title, TITLE)
        .margin(14)
        .margin_right(30)
        .x_label_area_size(86)
        .y_label_area_size(110)
        .build_cartesian_2d(
            Axis { range: across.clone(), marks: marks(across, if narrow { 5 } else { 10 }) },
            Axis { range: up.clone(), marks: marks(up, 7) },
        )?;
    builder
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(FAINT).stroke_width(2))
        .axis_style(GREY.stroke_width(2))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&|x| label(*x))
        .y_label_formatter(&|y| label(*y))
        .x_desc(panel.x)
        .y_desc(figure.y)
        .draw()?;
    if let Some(level) = figure.level {
        let ends = [(across.start, level), (across.end, level)];
        builder.draw_series([PathElement::new(ends, BLACK.stroke_width(3))])?;
    }
    for line in &panel.lines {
        let colour = COLOURS[line.colour % COLOURS.len()];
        builder.draw_series(LineSeries::new(line.dots.iter().copied(), colour.stroke_width(4)))?;
        builder.draw_series(line.dots.iter().map(|&dot| Circle::new(dot, 6, colour.filled())))?;
    }
    Ok(())
}

/// Multiples of 1, 2 or 5 times a power of ten, about so many.
fn marks(range: &Range<f64>, number: usize) -> Vec<f64> {
    let rough = (range.end - range.start) / number as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|of| of * power).find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let [first, last] = [(range.start / step).ceil(), (range.end / step).floor()].map(|at| at as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// A whole number as it is, another one shortly.
fn label(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile2d::figures::Line;

    fn figure(panels: usize) -> Figure {
        let line = |colour: usize| Line {
            key: format!("line {colour}"),
            colour,
            dots: vec![(256.0, 1.5 + colour as f64), (512.0, 2.0)],
        };
        let panel = |at| Panel { title: format!("panel {at}"), x: "N", lines: vec![line(0), line(1)] };
        Figure {
            name: "test".to_owned(),
            title: "Test".to_owned(),
            caption: String::new(),
            y: "Gflop/s",
            level: Some(1.0),
            panels: (0..panels).map(panel).collect(),
        }
    }

    #[test]
    fn a_plot_has_its_dots_and_each_key_once() {
        let page = inline(&figure(2));
        // Two panels of two lines of two dots, and two keys.
        assert_eq!(page.matches("<circle").count(), 2 * 2 * 2 + 2, "{page}");
        for text in ["panel 0", "panel 1", "line 0", "line 1", "Gflop/s", "300"] {
            assert!(page.lines().any(|line| line.trim() == text), "{text}: {page}");
        }
        assert_eq!(page.lines().filter(|line| line.trim() == "line 0").count(), 1);
        assert!(page.contains("currentColor") && !page.contains("<style>"));
        let file = file(&figure(1));
        assert!(file.contains("prefers-color-scheme: dark") && file.matches("<svg").count() == 1);
    }

    #[test]
    fn marks_are_round_and_within_the_axis() {
        assert_eq!(
            marks(&(230.0..2070.0), 10),
            [400.0, 600.0, 800.0, 1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0]
        );
        let shown: Vec<_> = marks(&(0.9..1.32), 7).into_iter().map(label).collect();
        assert_eq!(shown, ["0.9", "1", "1.1", "1.2", "1.3"]);
        assert!(marks(&(5.0..5.0 + 1e-9), 7).iter().all(|mark| (5.0..=5.0 + 1e-9).contains(mark)));
    }
}
