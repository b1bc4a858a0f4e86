//! Charts as SVG: panels beside each other, both axes logarithmic, a key below them.
//!
//! As a file, a plot brings its own colours for light and for dark; in a page it takes those of the text around it.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::chart::{Chart, Measure, Panel};
use super::points::Runs;
use crate::cli::axes::{Axis, COLOURS, FAINT, GREY, decades, range, short};
use crate::cli::table::seconds;
use crate::request::Config;

/// One panel, twice as large as it is mostly shown: whole pixels are all the library draws in.
const PANEL: (u32, u32) = (960, 720);
const FONT: (&str, u32) = ("sans-serif", 30);
const TITLE: (&str, u32) = ("sans-serif", 34);
const KEY_LINE: u32 = 48;

/// The plot to stand in a page.
pub(super) fn inline(chart: &Chart, runs: &Runs) -> String {
    let width = PANEL.0 * chart.panels.len().max(1) as u32;
    let keys = keys(chart);
    let rows = lay_out(&keys, width);
    let height = PANEL.1 + KEY_LINE * (rows.len() as u32 + 1);
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
    let result = draw(&area, chart, runs, &keys, &rows).and_then(|()| Ok(area.present()?));
    drop(area);
    match result {
        Ok(()) => svg.replace("#000000", "currentColor"),
        Err(error) => format!("<p>The plot cannot be drawn: {error}.</p>"),
    }
}

/// The plot as a file.
pub(super) fn file(chart: &Chart, runs: &Runs) -> String {
    let style = "<style>svg { color: #1d2126; background: #ffffff } \
                 @media (prefers-color-scheme: dark) { svg { color: #e4e7ea; background: #14171a } }</style>";
    let svg = inline(chart, runs);
    match svg.find('>') {
        Some(end) => format!("{}\n{style}{}\n", &svg[..=end], &svg[end + 1..]),
        None => svg,
    }
}

/// What each colour means, each once.
fn keys(chart: &Chart) -> Vec<(usize, &str)> {
    let mut keys: Vec<(usize, &str)> = Vec::new();
    for line in chart.panels.iter().flat_map(|panel| &panel.lines) {
        if !keys.iter().any(|&(_, key)| key == line.key) {
            keys.push((line.colour, &line.key));
        }
    }
    keys
}

/// About how wide a key is drawn.
fn width_of(key: &str) -> u32 {
    90 + 17 * key.chars().count() as u32
}

/// Where each key starts, row by row.
fn lay_out(keys: &[(usize, &str)], width: u32) -> Vec<Vec<(usize, i32)>> {
    let mut rows = vec![Vec::new()];
    let mut x = 40;
    for (index, (_, key)) in keys.iter().enumerate() {
        if x + width_of(key) > width && x > 40 {
            rows.push(Vec::new());
            x = 40;
        }
        if let Some(row) = rows.last_mut() {
            row.push((index, x.cast_signed()));
        }
        x += width_of(key);
    }
    rows
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    chart: &Chart,
    runs: &Runs,
    keys: &[(usize, &str)],
    rows: &[Vec<(usize, i32)>],
) -> Result<(), Box<dyn Error>> {
    let (plots, below) = area.split_vertically(PANEL.1);
    // The same axes in all panels, so that they can be compared.
    let all = || chart.dots().map(|(_, _, dot)| (dot.x.log2(), dot.y(chart.measure, runs)));
    let drawn = |y: &f64| *y > 0.0 && y.is_finite();
    let xs: Vec<_> = all().map(|(x, _)| x).collect();
    let [left, right] = range(xs.iter().copied());
    let [low, high] = range(all().map(|(_, y)| y).filter(drawn).chain(chart.level).map(f64::log10));
    let (low, high) = (low - 0.04 * (high - low) - 0.01, high + 0.04 * (high - low) + 0.01);
    let mut marks = xs;
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    // Neighbours that would be written over each other.
    let least = (right - left) / 13.0;
    marks.dedup_by(|next, mark| *next - *mark < least);
    let axes = (left - 0.15..right + 0.15, low..high);
    for (area, panel) in plots.split_evenly((1, chart.panels.len().max(1))).iter().zip(&chart.panels) {
        draw_panel(area, chart, panel, runs, &axes, &marks)?;
    }
    for (row, entries) in rows.iter().enumerate() {
        let y = (KEY_LINE * row as u32 + KEY_LINE / 2).cast_signed();
        for &(index, x) in entries {
            let (colour, key) = keys[index];
            let style = COLOURS[colour % COLOURS.len()];
            below.draw(&PathElement::new([(x, y), (x + 50, y)], style.stroke_width(6)))?;
            below.draw(&Circle::new((x + 25, y), 9, style.filled()))?;
            below.draw(&Text::new(key.to_owned(), (x + 64, y - 15), FONT))?;
        }
    }
    Ok(())
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    chart: &Chart,
    panel: &Panel,
    runs: &Runs,
    (across, up): &(std::ops::Range<f64>, std::ops::Range<f64>),
    marks: &[f64],
) -> Result<(), Box<dyn Error>> {
    let measure = chart.measure;
    let mut builder = ChartBuilder::on(area)
        .caption(&panel.title, TITLE)
        .margin(14)
        .margin_right(30)
        .x_label_area_size(86)
        .y_label_area_size(140)
        .build_cartesian_2d(
            Axis { range: across.clone(), marks: marks.to_vec() },
            Axis { range: up.clone(), marks: decades(up.start, up.end) },
        )?;
    builder
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY.mix(FAINT).stroke_width(2))
        .axis_style(GREY.stroke_width(2))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .x_label_formatter(&|x| if chart.x == "points N" { format!("2^{x:.0}") } else { short(x.exp2()) })
        .y_label_formatter(&|y| value(measure, 10_f64.powf(*y)))
        .x_desc(chart.x)
        .y_desc(measure.axis())
        .draw()?;
    if let Some(level) = chart.level.map(f64::log10) {
        let ends = [(across.start, level), (across.end, level)];
        builder.draw_series([PathElement::new(ends, BLACK.stroke_width(3))])?;
    }
    let is_mixed = panel.lines.iter().any(|line| line.config != panel.lines[0].config);
    for line in &panel.lines {
        let colour = COLOURS[line.colour % COLOURS.len()];
        let dots = line.dots.iter().map(|dot| (dot.x, dot.y(measure, runs)));
        let dots: Vec<_> =
            dots.filter(|(_, y)| *y > 0.0 && y.is_finite()).map(|(x, y)| (x.log2(), y.log10())).collect();
        if is_mixed && line.config == Config::Dual {
            builder.draw_series(DashedLineSeries::new(
                dots.iter().copied(),
                14,
                10,
                colour.stroke_width(4),
            ))?;
        } else {
            builder.draw_series(LineSeries::new(dots.iter().copied(), colour.stroke_width(4)))?;
        }
        builder.draw_series(dots.iter().map(|&dot| Circle::new(dot, 7, colour.filled())))?;
    }
    Ok(())
}

/// A value on the axis, as short as can be.
fn value(measure: Measure, y: f64) -> String {
    if measure.is_time() {
        let text = seconds(y);
        let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
        format!("{} {unit}", short(number.parse().unwrap_or(y)))
    } else {
        short(y)
    }
}
