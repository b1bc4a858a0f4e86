//! Lines of a panel, by plotters.
//!
//! Areas are at the bottom. Above them are lines, ideal lines, whiskers, dots, and open diamonds at the top.
//! A line or a dot under a later one is larger, so that no line hides another.

use plotters::prelude::*;

use super::canvas::{Chart, Drawn};
use super::overlap::{Course, Cover};
use super::plot::{Dot, Line, Panel, Plot, Stroke};
use super::sign::{COLORS, SHORT_DASHES, color, draw_dot, draw_mark, filling, ideal};

/// Length of dashes and of the gaps between them.
const DASHES: [i32; 2] = [14, 10];

/// Distance between lines with whiskers, in places of the axis, so that whiskers do not hide each other.
const ASIDE: f64 = 0.035;

/// Half of a bar's height, in rows.
const HALF: f64 = 0.36;

/// Width that shows of a covered line at each side of the line above it, in pixels.
const EDGE: u32 = 3;

/// Opacity of a covered line or dot under another one of its color.
const UNDER_ITS_COLOR: f64 = 0.45;

type Place = (f64, f64);

/// Line with the places of its dots.
struct Placed<'a> {
    line: &'a Line,
    dots: Vec<Place>,
    whiskers: Vec<[Place; 2]>,
}

impl<'a> Placed<'a> {
    /// Places a line. Dots with whiskers move by `shift`.
    fn new(plot: &Plot, line: &'a Line, shift: f64) -> Self {
        let at = |dot: &Dot, y: f64| {
            let shift = if dot.middle.is_some() { shift } else { 0.0 };
            (plot.across.scale.place(dot.x) + shift, plot.up.scale.place(y))
        };
        let dots = || line.dots.iter().filter(|dot| plot.has(dot));
        let whisker = |dot: &Dot| Some(dot.middle?.map(|y| at(dot, y)));
        Self {
            line,
            dots: dots().map(|dot| at(dot, dot.y)).collect(),
            whiskers: dots().filter_map(whisker).collect(),
        }
    }

    /// Whether the stroke is a line in the line's color.
    fn is_line(&self) -> bool {
        matches!(self.line.stroke, Stroke::Solid | Stroke::Dashed | Stroke::Curve)
    }

    fn has_dots(&self) -> bool {
        matches!(self.line.stroke, Stroke::Solid | Stroke::Dashed)
    }

    /// Returns the course in pixels. It is empty for strokes that hide no line.
    fn course(&self, chart: &Chart<'_>) -> Course {
        let dots = if self.is_line() { self.dots.as_slice() } else { &[] };
        let pixel = |place| <[i32; 2]>::from(chart.backend_coord(place)).map(f64::from);
        Course {
            color: self.line.color % COLORS,
            points: dots.iter().map(pixel).collect(),
            has_dots: self.has_dots(),
        }
    }

    fn draw_area(&self, chart: &mut Chart<'_>) -> Drawn {
        match self.line.stroke {
            Stroke::Bars { is_faint } => {
                let bar = |ends: &[Place]| {
                    let corners = [(ends[0].0, ends[0].1 - HALF), (ends[1].0, ends[1].1 + HALF)];
                    Rectangle::new(corners, filling(self.line.color, is_faint))
                };
                chart.draw_series(self.dots.chunks_exact(2).map(bar))?;
            }
            Stroke::Band => {
                chart.draw_series([Polygon::new(self.dots.clone(), filling(self.line.color, true))])?;
            }
            _ => (),
        }
        Ok(())
    }

    /// Draws the line in parts, each as wide as the lines above it need.
    fn draw_line(&self, chart: &mut Chart<'_>, width: u32, course: &Course, later: &[Course]) -> Drawn {
        for part in course.parts(later) {
            let places = part.places(&self.dots);
            let width = width + 2 * EDGE * part.cover.number;
            let style = color(self.line.color).mix(opacity(part.cover)).stroke_width(width);
            if self.line.stroke == Stroke::Dashed {
                let [dash, gap] = DASHES;
                chart.draw_series(DashedLineSeries::new(places, dash, gap, style))?;
            } else {
                chart.draw_series([PathElement::new(places, style)])?;
            }
        }
        Ok(())
    }
}

fn opacity(cover: Cover) -> f64 {
    if cover.has_its_color { UNDER_ITS_COLOR } else { 1.0 }
}

pub(super) fn draw_lines(chart: &mut Chart<'_>, plot: &Plot, panel: &Panel) -> Drawn {
    let [width, radius] = [plot.layout.line, plot.layout.dot];
    let middle = (panel.lines.len() as f64 - 1.0) / 2.0;
    let shift = |index: usize| ASIDE * (index as f64 - middle);
    let lines = panel.lines.iter().enumerate();
    let lines: Vec<_> = lines.map(|(index, line)| Placed::new(plot, line, shift(index))).collect();
    let courses: Vec<_> = lines.iter().map(|line| line.course(chart)).collect();
    for line in &lines {
        line.draw_area(chart)?;
    }
    for (at, line) in lines.iter().enumerate() {
        line.draw_line(chart, width, &courses[at], &courses[at + 1..])?;
    }
    for line in lines.iter().filter(|line| line.line.stroke == Stroke::Ideal) {
        let [dash, gap] = SHORT_DASHES;
        chart.draw_series(DashedLineSeries::new(line.dots.iter().copied(), dash, gap, ideal(width)))?;
    }
    for line in &lines {
        let style = color(line.line.color).mix(0.7).stroke_width(4);
        chart.draw_series(line.whiskers.iter().map(|ends| PathElement::new(*ends, style)))?;
    }
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.has_dots()) {
        for (&place, &pixel) in line.dots.iter().zip(&courses[at].points) {
            let cover = courses[at].dots_over(pixel, &courses[at + 1..]);
            let radius = radius + EDGE * cover.number;
            draw_dot(chart.plotting_area(), place, line.line.color, radius, opacity(cover))?;
        }
    }
    for line in lines.iter().filter(|line| line.line.stroke == Stroke::Marks) {
        for &place in &line.dots {
            draw_mark(chart.plotting_area(), place, line.line.color, radius)?;
        }
    }
    Ok(())
}
