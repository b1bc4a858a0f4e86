//! Figures as SVG, by plotters.
//!
//! Text and reference lines have the color of the surrounding text (`currentColor`). The colors of the data
//! have a middle lightness, which contrasts with white and with black. In a page a figure takes the colors of
//! its surroundings. As a file it has its own, for light and for dark.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

use super::key::{Key, Sign};
use super::plot::{Axis, Dot, Figure, Line, Panel, Plot, Stroke};

/// Colors that people with red-green color blindness can distinguish.
const PALETTE: [RGBColor; 7] = [
    RGBColor(57, 135, 200),
    RGBColor(218, 124, 48),
    RGBColor(40, 158, 112),
    RGBColor(150, 108, 208),
    RGBColor(200, 80, 100),
    RGBColor(128, 128, 128),
    RGBColor(160, 145, 30),
];

/// Color of the grid and the axes.
const GRAY: RGBColor = RGBColor(128, 128, 128);

/// Opacity of faint elements.
const FAINT: f64 = 0.3;

/// Share of a linear axis that is left free at each end, across and up.
const ROOM: [f64; 2] = [0.02, 0.05];

/// Distance between lines with whiskers, in places of the axis, so that whiskers do not hide each other.
const ASIDE: f64 = 0.035;

/// Length of dashes and of the gaps between them.
const DASHES: [i32; 2] = [14, 10];

/// Half of a bar's height, in rows.
const HALF: f64 = 0.36;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Ruler, Ruler>>;
type Drawn<T = ()> = Result<T, Box<dyn Error>>;

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

/// Axis with marks at given places.
struct Ruler {
    range: Range<f64>,
    marks: Vec<f64>,
}

impl Ranged for Ruler {
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

fn font(size: u32) -> (&'static str, u32) {
    ("sans-serif", size)
}

fn color(number: usize) -> RGBColor {
    PALETTE[number % PALETTE.len()]
}

/// Returns the label of a place on an axis: the number, or the name of its row.
fn label(axis: &Axis, place: f64) -> String {
    let value = axis.scale.value(place);
    axis.names.get(value as usize).map_or_else(|| (axis.shown)(value), Clone::clone)
}

fn draw_panels(area: &Area<'_>, plot: &Plot) -> Drawn {
    let Plot { layout, across, up, level, panels, .. } = plot;
    let drawn = || plot.dots().filter(|dot| plot.has(dot));
    let xs = drawn().map(|dot| dot.x).chain(across.with.iter().copied());
    let ys = drawn().flat_map(|dot| dot.middle.unwrap_or([dot.y; 2])).chain(up.with.iter().copied());
    let xs: Vec<_> = xs.map(|x| across.scale.place(x)).collect();
    let ys: Vec<_> = ys.chain(*level).map(|y| up.scale.place(y)).collect();
    let ranges = [across.scale.range(&xs, ROOM[0]), up.scale.range(&ys, ROOM[1])];
    let [marks_across, marks_up] = layout.marks;
    let marks_across = if panels.len() > 1 { marks_across / 2 } else { marks_across };
    let marks =
        [across.scale.marks(&ranges[0], &xs, marks_across), up.scale.marks(&ranges[1], &ys, marks_up)];
    let ruler = |axis: usize| Ruler { range: ranges[axis].clone(), marks: marks[axis].clone() };
    let [rows, columns] = layout.rows_and_columns(panels.len());
    for (area, panel) in area.split_evenly((rows, columns)).iter().zip(panels) {
        let mut builder = ChartBuilder::on(area);
        if !panel.title.is_empty() {
            builder.caption(&panel.title, font(layout.font + 4));
        }
        builder.margin(14).margin_right(30);
        builder.x_label_area_size(layout.below).y_label_area_size(layout.left);
        let mut chart = builder.build_cartesian_2d(ruler(0), ruler(1))?;
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
            .x_desc(&across.name)
            .y_desc(&up.name)
            .draw()?;
        if let Some(level) = level.map(|level| up.scale.place(level)) {
            let ends = [(ranges[0].start, level), (ranges[0].end, level)];
            chart.draw_series([PathElement::new(ends, BLACK.stroke_width(3))])?;
        }
        draw_lines(&mut chart, plot, panel)?;
    }
    Ok(())
}

fn draw_lines(chart: &mut Chart<'_>, plot: &Plot, panel: &Panel) -> Drawn {
    let middle = (panel.lines.len() as f64 - 1.0) / 2.0;
    for (index, Line { color: number, stroke, dots, .. }) in panel.lines.iter().enumerate() {
        let color = color(*number);
        let style = color.stroke_width(plot.layout.line);
        let at = |dot: &Dot, y: f64| {
            let aside = if dot.middle.is_some() { ASIDE * (index as f64 - middle) } else { 0.0 };
            (plot.across.scale.place(dot.x) + aside, plot.up.scale.place(y))
        };
        let dots = || dots.iter().filter(|dot| plot.has(dot));
        let places: Vec<_> = dots().map(|dot| at(dot, dot.y)).collect();
        match *stroke {
            Stroke::Dashed => {
                let [dash, gap] = DASHES;
                chart.draw_series(DashedLineSeries::new(places.iter().copied(), dash, gap, style))?;
            }
            Stroke::Bars { is_faint } => {
                let bar = |ends: &[(f64, f64)]| {
                    let corners = [(ends[0].0, ends[0].1 - HALF), (ends[1].0, ends[1].1 + HALF)];
                    Rectangle::new(corners, filling(*number, is_faint))
                };
                chart.draw_series(places.chunks_exact(2).map(bar))?;
            }
            Stroke::Band => {
                chart.draw_series([Polygon::new(places.clone(), filling(*number, true))])?;
            }
            Stroke::Solid | Stroke::Curve => {
                chart.draw_series(LineSeries::new(places.iter().copied(), style))?;
            }
        }
        let whisker = |dot: &Dot| {
            let ends = dot.middle?.map(|y| at(dot, y));
            Some(PathElement::new(ends, color.mix(0.7).stroke_width(4)))
        };
        chart.draw_series(dots().filter_map(whisker))?;
        if matches!(stroke, Stroke::Solid | Stroke::Dashed) {
            chart.draw_series(
                places.iter().map(|&place| Circle::new(place, plot.layout.dot, color.filled())),
            )?;
        }
    }
    Ok(())
}

fn filling(number: usize, is_faint: bool) -> ShapeStyle {
    color(number).mix(if is_faint { FAINT } else { 1.0 }).filled()
}

fn draw_key(area: &Area<'_>, font: (&str, u32), key: &Key) -> Drawn {
    for entry in &key.entries {
        let (x, y) = entry.at;
        let line = |from: i32, length: i32, color: RGBColor| {
            PathElement::new([(x + from, y), (x + from + length, y)], color.stroke_width(6))
        };
        match entry.sign {
            Sign::Dot(number) => {
                area.draw(&line(0, 50, color(number)))?;
                area.draw(&Circle::new((x + 25, y), 9, color(number).filled()))?;
            }
            Sign::Solid => area.draw(&line(0, 50, BLACK))?,
            Sign::Dashed => [0, 20, 40].into_iter().try_for_each(|from| area.draw(&line(from, 12, BLACK)))?,
            Sign::Block { color, is_faint } => {
                area.draw(&Rectangle::new([(x + 12, y - 15), (x + 50, y + 15)], filling(color, is_faint)))?;
            }
        }
        let below = (font.1 / 2).cast_signed();
        area.draw(&Text::new(entry.text.clone(), (x + 64, y - below), font))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
