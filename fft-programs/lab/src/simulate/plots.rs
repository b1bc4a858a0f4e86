//! Charts as SVG: panels beside each other, both axes logarithmic, a key below them.
//!
//! As a file, a plot brings its own colours for light and for dark; in a page it takes those of the text around it.

use std::error::Error;

use earth_fft::request::Config;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::chart::{Chart, Measure, Panel};
use super::measured::Runs;
use crate::axes::{Axis, COLOURS, FAINT, GREY, as_file, decades, drawn, range};
use crate::numbers::{short, short_seconds};

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
    let height = PANEL.1 + KEY_LINE * rows.len() as u32 + 24;
    drawn((width, height), |area| draw(area, chart, runs, &keys, &rows))
}

/// The plot as a file.
pub(super) fn file(chart: &Chart, runs: &Runs) -> String {
    as_file(inline(chart, runs))
}

/// What a colour means, or with none what dashes do.
type Key<'a> = (Option<usize>, &'a str);

/// What colours and dashes mean, each once.
fn keys(chart: &Chart) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    for line in chart.panels.iter().flat_map(|panel| &panel.lines) {
        if !keys.iter().any(|&(_, key)| key == line.key) {
            keys.push((Some(line.colour), &line.key));
        }
    }
    if chart.panels.iter().any(is_mixed) {
        keys.extend([(None, SOLID), (None, DASHED)]);
    }
    keys
}

const SOLID: &str = "SPN";
const DASHED: &str = "DUAL";

/// Whether there are lines of both configurations, so that dashes tell them apart.
fn is_mixed(panel: &Panel) -> bool {
    panel.lines.iter().any(|line| line.config != panel.lines[0].config)
}

/// About how wide a key is drawn.
fn width_of(key: &str) -> u32 {
    90 + 15 * key.chars().count() as u32
}

/// Where each key starts, row by row.
fn lay_out(keys: &[Key<'_>], width: u32) -> Vec<Vec<(usize, i32)>> {
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
    keys: &[Key<'_>],
    rows: &[Vec<(usize, i32)>],
) -> Result<(), Box<dyn Error>> {
    let (plots, below) = area.split_vertically(PANEL.1);
    // The same axes in all panels, so that they can be compared.
    let all = || chart.dots().map(|(_, _, dot)| (dot.x.log2(), dot.y(chart.measure, runs)));
    let drawn = |y: &f64| *y > 0.0 && y.is_finite();
    let xs: Vec<_> = all().map(|(x, _)| x).collect();
    let [left, right] = range(xs.iter().copied());
    // Ratios that hardly differ are not to look as if they did.
    let least: &[f64] = if chart.measure == Measure::Ratio { &[0.8, 1.25] } else { &[] };
    let [low, high] = range(
        all().map(|(_, y)| y).filter(drawn).chain(least.iter().copied()).chain(chart.level).map(f64::log10),
    );
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
            let style = colour.map_or(BLACK, |colour| COLOURS[colour % COLOURS.len()]);
            let dashes: &[i32] = if colour.is_none() && key == DASHED { &[0, 20, 40] } else { &[0] };
            let length = if dashes.len() > 1 { 12 } else { 50 };
            for from in dashes {
                let ends = [(x + from, y), (x + from + length, y)];
                below.draw(&PathElement::new(ends, style.stroke_width(6)))?;
            }
            if colour.is_some() {
                below.draw(&Circle::new((x + 25, y), 9, style.filled()))?;
            }
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
    let is_mixed = is_mixed(panel);
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
    if measure.is_time() { short_seconds(y) } else { short(y) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::chart::{Dot, Line};
    use crate::simulate::measured::{Measured, Point};
    use crate::simulate::program::Program;

    /// Two dots a line, the second one without a run.
    fn chart(configs: &[Config]) -> (Chart, Runs) {
        let mut runs = Runs::new();
        let lines = configs
            .iter()
            .map(|&config| {
                let dots = [1, 2].map(|p| Dot {
                    x: p as f64,
                    point: Point::at(Program::Tree, config, 16, p),
                    base: None,
                });
                let measured = Measured {
                    setup: 0.0,
                    local: 1e-3,
                    multithreaded: 1e-3,
                    reordering: 0.0,
                    cycles: 0,
                    asks: 0,
                    half_butterflies: 0,
                    fibers: 0,
                    messages: 0,
                    eu_busy: 0.0,
                    su_busy: 0.0,
                    error: Some(0.0),
                };
                runs.insert(dots[0].point, measured);
                Line { key: "N = 16".to_owned(), colour: 0, config, dots: dots.into() }
            })
            .collect();
        let chart = Chart {
            name: "test",
            title: "Test".to_owned(),
            caption: String::new(),
            x: "nodes P",
            measure: Measure::Total,
            level: None,
            panels: vec![Panel { title: "Panel".to_owned(), lines }],
            notes: Vec::new(),
        };
        (chart, runs)
    }

    #[test]
    fn a_plot_has_its_runs_and_a_key_and_the_colours_of_its_place() {
        let (chart, runs) = chart(&[Config::Spn]);
        let page = inline(&chart, &runs);
        // The dot that was run, and the one in the key.
        assert_eq!(page.matches("<circle").count(), 2, "{page}");
        for text in ["Panel", "N = 16", "nodes P", "total time", "2 ms"] {
            assert!(page.lines().any(|line| line.trim() == text), "{text}: {page}");
        }
        assert!(page.contains("currentColor") && !page.contains("#000000") && !page.contains("<style>"));
        assert!(!page.lines().any(|line| line.trim() == DASHED), "one configuration needs no dashes");
        let file = file(&chart, &runs);
        assert!(file.contains("<style>") && file.contains("prefers-color-scheme: dark"));
        assert_eq!(file.matches("<svg").count(), 1);
    }

    #[test]
    fn dashes_are_told_where_they_tell_something() {
        let (chart, runs) = chart(&[Config::Spn, Config::Dual]);
        let page = inline(&chart, &runs);
        for text in [SOLID, DASHED] {
            assert!(page.lines().any(|line| line.trim() == text), "{text}: {page}");
        }
        assert_eq!(page.lines().filter(|line| line.trim() == "N = 16").count(), 1, "a key is told once");
    }

    #[test]
    fn long_keys_go_on_in_the_next_line() {
        let keys: Vec<Key<'_>> = vec![(Some(0), "a key of some length"); 5];
        let rows = lay_out(&keys, 900);
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(rows.concat().iter().map(|&(index, _)| index).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
