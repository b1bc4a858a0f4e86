//! Figures as SVG, by plotters.
//!
//! Text and reference lines have the color of the surrounding text (`currentColor`). The colors of the data
//! have a middle lightness, which contrasts with white and with black. In a page a figure takes the colors of
//! its surroundings. As a file it has its own, for light and for dark.

use std::ops::Range;

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::canvas::{Area, Drawn, Ruler};
use super::cells::{draw_heat, draw_sign};
use super::key::{Key, Sign};
use super::lines::draw_lines;
use super::plot::{Axis, Figure, Plot, Stroke};
use super::scale::apart;
use super::sign::{FAINT, SHORT_DASHES, color, draw_dot, draw_mark, filling, ideal, shade};

/// Color of the grid and the axes.
const GRAY: RGBColor = RGBColor(128, 128, 128);

/// Share of a linear axis that is left free at each end, across and up.
const ROOM: [f64; 2] = [0.02, 0.05];

/// Space around a panel, and the least space at its right end.
const MARGINS: [u32; 2] = [14, 30];

/// Least space between labels of an axis, and after the last one, in letters.
const GAP: f64 = 0.5;

/// Width of lines in a key.
const KEY_LINE: u32 = 6;

/// Radius of dots in a key.
const DOT: u32 = 9;

impl Figure {
    /// Returns the SVG for a page, or a paragraph with the error.
    pub fn inline(&self) -> String {
        let plot = &self.plot;
        let layout = &plot.layout;
        let [rows, columns] = layout.rows_and_columns(plot.panels.len());
        let width = layout.width.max(layout.panel * columns as u32);
        let height = layout.height * rows as u32;
        let key = Key::of(plot, width);
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, (width, height + key.height)).into_drawing_area();
        let (above, below) = area.split_vertically(height);
        let result = draw_panels(&above, plot)
            .and_then(|()| draw_key(&below, font(layout.font), &key))
            .and_then(|()| Ok(area.present()?));
        drop((above, below));
        drop(area);
        match result {
            Ok(()) => svg.replace("#000000", "currentColor"),
            Err(error) => format!("<p>The plot cannot be drawn: {error}.</p>"),
        }
    }

    /// Returns the SVG as a separate file.
    pub fn file(&self) -> String {
        let style = "<style>svg { color: #1d2126; background: #ffffff } \
                     @media (prefers-color-scheme: dark) { svg { color: #e4e7ea; background: #14171a } }</style>";
        let svg = self.inline();
        match svg.find('>') {
            Some(end) => format!("{}\n{style}{}\n", &svg[..=end], &svg[end + 1..]),
            None => svg,
        }
    }
}

fn font(size: u32) -> (&'static str, u32) {
    ("sans-serif", size)
}

/// Returns the label of a place on an axis: the number, or the name of its row.
fn label(axis: &Axis, place: f64) -> String {
    let value = axis.scale.value(place);
    axis.names.get(value as usize).map_or_else(|| (axis.shown)(value), Clone::clone)
}

/// Axes of all panels of a plot.
struct Axes {
    /// Ranges of places, across and up.
    ranges: [Range<f64>; 2],
    /// Places of the marks, across and up.
    marks: [Vec<f64>; 2],
    /// Space at the right end of a panel, which the last label needs.
    right: u32,
}

impl Axes {
    /// Returns the axes of panels of `width` pixels.
    fn new(plot: &Plot, width: u32) -> Self {
        let Plot { layout, across, up, level, panels, .. } = plot;
        let drawn = || plot.dots().filter(|dot| plot.has(dot));
        let xs = drawn().map(|dot| dot.x).chain(across.with.iter().copied());
        let ys = drawn().flat_map(|dot| dot.middle.unwrap_or([dot.y; 2])).chain(up.with.iter().copied());
        let xs: Vec<_> = xs.map(|x| across.scale.place(x)).collect();
        let ys = ys.chain(*level).map(|y| up.scale.place(y));
        let ys: Vec<_> = ys.chain(plot.range_places().into_iter().flatten()).collect();
        let ranges = [across.scale.range(&xs, ROOM[0]), up.scale.range(&ys, ROOM[1])];
        let [marks_across, marks_up] = layout.marks;
        let marks_across = if panels.len() > 1 { marks_across / 2 } else { marks_across };
        let marks =
            [across.scale.marks(&ranges[0], &xs, marks_across), up.scale.marks(&ranges[1], &ys, marks_up)];
        Self { ranges, marks, right: MARGINS[1] }.fitted(plot, width)
    }

    /// Leaves labels out that would overlap others, and makes room for the last label.
    fn fitted(self, plot: &Plot, width: u32) -> Self {
        let Self { ranges: [range, up], marks: [across, marks_up], .. } = self;
        let inner = width.saturating_sub(plot.layout.left + MARGINS[0] + MARGINS[1]);
        let pixels = f64::from(inner) / (range.end - range.start);
        let letter = f64::from(plot.layout.letter);
        let half = |place: f64| label(&plot.across, place).chars().count() as f64 * letter / 2.0;
        let overlap =
            |one: f64, other: f64| (one - other).abs() * pixels < half(one) + half(other) + GAP * letter;
        let across = apart(&across, overlap);
        let last = across.last().map_or(0.0, |&last| half(last) + GAP * letter - (range.end - last) * pixels);
        Self { right: MARGINS[1].max(last.ceil() as u32), ranges: [range, up], marks: [across, marks_up] }
    }

    fn ruler(&self, axis: usize) -> Ruler {
        Ruler { range: self.ranges[axis].clone(), marks: self.marks[axis].clone() }
    }
}

fn draw_panels(area: &Area<'_>, plot: &Plot) -> Drawn {
    let Plot { layout, across, up, level, panels, .. } = plot;
    let [rows, columns] = layout.rows_and_columns(panels.len());
    let axes = Axes::new(plot, area.dim_in_pixel().0 / columns as u32);
    for (area, panel) in area.split_evenly((rows, columns)).iter().zip(panels) {
        let mut builder = ChartBuilder::on(area);
        if !panel.title.is_empty() {
            builder.caption(&panel.title, font(layout.font + 4));
        }
        builder.margin(MARGINS[0]).margin_right(axes.right);
        builder.x_label_area_size(layout.below).y_label_area_size(layout.left);
        let mut chart = builder.build_cartesian_2d(axes.ruler(0), axes.ruler(1))?;
        let mut mesh = chart.configure_mesh();
        if !up.names.is_empty() {
            mesh.disable_y_mesh();
        }
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(GRAY.mix(FAINT).stroke_width(2))
            .axis_style(GRAY.stroke_width(2))
            .label_style(font(layout.font))
            .axis_desc_style(font(layout.font))
            .x_label_formatter(&|x| label(across, *x))
            .y_label_formatter(&|y| label(up, *y))
            .x_desc(across.title())
            .y_desc(up.title())
            .draw()?;
        let Range { start, end } = axes.ranges[0];
        if let Some([low, high]) = plot.range_places() {
            chart.draw_series([Rectangle::new([(start, low), (end, high)], shade())])?;
        }
        if let Some(level) = level.map(|level| up.scale.place(level)) {
            let ends = [(start, level), (end, level)];
            chart.draw_series([PathElement::new(ends, BLACK.stroke_width(3))])?;
        }
        draw_heat(&mut chart, plot, panel)?;
        draw_lines(&mut chart, plot, panel)?;
    }
    Ok(())
}

fn draw_key(area: &Area<'_>, font: (&str, u32), key: &Key) -> Drawn {
    for entry in &key.entries {
        let (x, y) = entry.at;
        let line = |from: i32, length: i32, color: RGBColor| {
            PathElement::new([(x + from, y), (x + from + length, y)], color.stroke_width(KEY_LINE))
        };
        let block =
            |style: ShapeStyle| area.draw(&Rectangle::new([(x + 12, y - 15), (x + 50, y + 15)], style));
        let dashes = |color| [0, 20, 40].into_iter().try_for_each(|from| area.draw(&line(from, 12, color)));
        let middle = (x + 25, y);
        match entry.sign {
            Sign::Of(Stroke::Bars { is_faint }, number) => block(filling(number, is_faint))?,
            Sign::Of(Stroke::Band, number) => block(filling(number, true))?,
            Sign::Of(Stroke::Marks, number) => draw_mark(area, middle, number, DOT - 2)?,
            Sign::Of(Stroke::Ideal, _) => {
                let [dash, gap] = SHORT_DASHES;
                let ends = [(x, y), (x + 52, y)];
                area.draw(&DashedPathElement::new(ends, dash, gap, ideal(KEY_LINE)))?;
            }
            Sign::Of(Stroke::Curve, number) => area.draw(&line(0, 50, color(number)))?,
            Sign::Of(Stroke::Solid, number) => {
                area.draw(&line(0, 50, color(number)))?;
                draw_dot(area, middle, number, DOT, 1.0)?;
            }
            Sign::Of(Stroke::Dashed, number) => {
                dashes(color(number))?;
                draw_dot(area, middle, number, DOT, 1.0)?;
            }
            Sign::Solid => area.draw(&line(0, 50, BLACK))?,
            Sign::Dashed => dashes(BLACK)?,
            Sign::Range => block(shade())?,
            sign @ (Sign::Cell(_) | Sign::Null | Sign::Edge(_)) => draw_sign(area, entry.at, sign)?,
        }
        let below = (font.1 / 2).cast_signed();
        area.draw(&Text::new(entry.text.clone(), (x + 64, y - below), font))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
