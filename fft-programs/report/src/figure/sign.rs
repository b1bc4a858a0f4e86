//! Colors and shapes of lines and dots. The plot and its key draw them by the same functions.

use plotters::coord::CoordTranslate;
use plotters::prelude::*;

/// Number of colors, and of shapes.
pub(super) const COLORS: usize = 7;

/// Colors that people with red-green color blindness can distinguish.
const PALETTE: [RGBColor; COLORS] = [
    RGBColor(57, 135, 200),
    RGBColor(218, 124, 48),
    RGBColor(40, 158, 112),
    RGBColor(150, 108, 208),
    RGBColor(200, 80, 100),
    RGBColor(128, 128, 128),
    RGBColor(160, 145, 30),
];

/// Opacity of faint elements.
pub(super) const FAINT: f64 = 0.3;

/// Opacity of a shaded range.
const SHADE: f64 = 0.13;

/// Opacity of an ideal line.
const NEUTRAL: f64 = 0.65;

/// Lengths of the dashes of an ideal line and of the gaps between them.
pub(super) const SHORT_DASHES: [i32; 2] = [6, 7];

/// Radius of an open diamond, in radii of a dot.
const MARK: f64 = 2.2;

/// Area in which plots draw.
type Area<'a, C> = DrawingArea<SVGBackend<'a>, C>;

/// Error of drawing.
type Failed<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

pub(super) fn color(number: usize) -> RGBColor {
    PALETTE[number % COLORS]
}

/// Returns the style of bars and bands of a color.
pub(super) fn filling(number: usize, is_faint: bool) -> ShapeStyle {
    color(number).mix(if is_faint { FAINT } else { 1.0 }).filled()
}

/// Returns the style of a shaded range.
pub(super) fn shade() -> ShapeStyle {
    BLACK.mix(SHADE).filled()
}

/// Returns the style of an ideal line beside lines of this width.
pub(super) fn ideal(line: u32) -> ShapeStyle {
    BLACK.mix(NEUTRAL).stroke_width(line.div_ceil(2))
}

/// Draws a dot. Its shape and its color follow from the number.
pub(super) fn draw_dot<'a, C: CoordTranslate>(
    area: &Area<'a, C>,
    at: C::From,
    number: usize,
    radius: u32,
    opacity: f64,
) -> Result<(), Failed<'a>> {
    let style = color(number).mix(opacity).filled();
    let corners = corners(number % COLORS);
    if corners.is_empty() {
        return area.draw(&(EmptyElement::at(at) + Circle::new((0, 0), radius, style)));
    }
    let scaled = |part: f64| (part * f64::from(radius)).round() as i32;
    let corners: Vec<_> = corners.iter().map(|[x, y]| (scaled(*x), scaled(*y))).collect();
    area.draw(&(EmptyElement::at(at) + Polygon::new(corners, style)))
}

/// Draws the open diamond of a published point, beside dots of this radius.
pub(super) fn draw_mark<'a, C: CoordTranslate>(
    area: &Area<'a, C>,
    at: C::From,
    number: usize,
    radius: u32,
) -> Result<(), Failed<'a>> {
    let r = (MARK * f64::from(radius)).round() as i32;
    // The first side comes twice, so that the last corner is closed.
    let corners = [(0, -r), (r, 0), (0, r), (-r, 0), (0, -r), (r, 0)];
    area.draw(&(EmptyElement::at(at) + PathElement::new(corners, color(number).stroke_width(3))))
}

/// Returns the corners of a color's dots, in radii; none for a circle. The areas are about equal.
fn corners(number: usize) -> &'static [[f64; 2]] {
    match number {
        1 => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
        2 => &[[0.0, -1.5], [1.3, 0.75], [-1.3, 0.75]],
        3 => &[[0.0, -1.35], [1.35, 0.0], [0.0, 1.35], [-1.35, 0.0]],
        4 => &[[0.0, 1.5], [1.3, -0.75], [-1.3, -0.75]],
        5 => &[
            [-0.5, -1.35],
            [0.5, -1.35],
            [0.5, -0.5],
            [1.35, -0.5],
            [1.35, 0.5],
            [0.5, 0.5],
            [0.5, 1.35],
            [-0.5, 1.35],
            [-0.5, 0.5],
            [-1.35, 0.5],
            [-1.35, -0.5],
            [-0.5, -0.5],
        ],
        6 => &[[1.5, 0.0], [-0.75, 1.3], [-0.75, -1.3]],
        _ => &[],
    }
}
