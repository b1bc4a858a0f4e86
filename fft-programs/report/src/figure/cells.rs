//! Drawing of heat maps.
//!
//! The colors diverge from a neutral one at 1 to blue below and to red above, which people with color
//! blindness can distinguish. A cell that has room shows its ratio.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{Area, Chart, Drawn};
use super::heat::{COLORS, Edge, STEPS, step};
use super::key::Sign;
use super::plot::{Panel, Plot};
use crate::numbers::ratio;

/// Colors of the steps, from the least ratio to the greatest.
const PALETTE: [RGBColor; COLORS] = [
    RGBColor(33, 102, 172),
    RGBColor(67, 147, 195),
    RGBColor(146, 197, 222),
    RGBColor(209, 229, 240),
    RGBColor(247, 247, 247),
    RGBColor(253, 219, 199),
    RGBColor(244, 165, 130),
    RGBColor(214, 96, 77),
    RGBColor(178, 24, 43),
];

/// Colors on cells. They do not follow the colors of the page, as the cells do not.
const DARK: RGBColor = RGBColor(20, 22, 26);
const BRIGHT: RGBColor = RGBColor(255, 255, 255);
const GOLD: RGBColor = RGBColor(255, 200, 40);
const HATCH: RGBColor = RGBColor(96, 96, 96);

/// Width of an edge, and of the inner line of a predicted edge, in pixels.
const EDGE: [u32; 2] = [9, 4];

/// Lengths of the dashes of a predicted edge and of the gaps between them.
const DASHES: [i32; 2] = [12, 8];

/// Hatching lines of a cell.
const HATCHES: u32 = 4;

/// Returns the color of text on the color of a step.
fn text_color(step: usize) -> RGBColor {
    if step.abs_diff(STEPS.len()) >= 3 { BRIGHT } else { DARK }
}

/// Returns the corners of an edge: one above the other.
fn ends(plot: &Plot, edge: &Edge) -> [(f64, f64); 2] {
    let (x, y) = (plot.across.scale.place(edge.at), plot.up.scale.place(edge.row as f64));
    [(x, y + 0.5), (x, y - 0.5)]
}

/// Draws the cells and edges of a panel.
pub(super) fn draw_heat(chart: &mut Chart<'_>, plot: &Plot, panel: &Panel) -> Drawn {
    let Some(heat) = &panel.heat else { return Ok(()) };
    let size = plot.layout.font * 2 / 3;
    for cell in heat.cells.iter().filter(|cell| cell.ratio.is_finite()) {
        let [left, right] = cell.across.map(|x| plot.across.scale.place(x));
        let y = plot.up.scale.place(cell.row as f64);
        let step = step(cell.ratio);
        let corners = [(left, y - 0.5), (right, y + 0.5)];
        chart.draw_series([Rectangle::new(corners, PALETTE[step].filled())])?;
        if cell.is_null {
            let style = HATCH.mix(0.6).stroke_width(2);
            let at = |number: u32| left + (right - left) * f64::from(number) / f64::from(HATCHES);
            let line = |number| PathElement::new([(at(number), y - 0.5), (at(number + 1), y + 0.5)], style);
            chart.draw_series((0..HATCHES).map(line))?;
        }
        let text = ratio(cell.ratio);
        let pixels = chart.backend_coord(&(right, y)).0 - chart.backend_coord(&(left, y)).0;
        if pixels.unsigned_abs() >= size * 2 / 3 * text.len() as u32 {
            let anchor = Pos::new(HPos::Center, VPos::Center);
            let style = ("sans-serif", size).into_font().color(&text_color(step)).pos(anchor);
            chart.draw_series([Text::new(text, (left.midpoint(right), y), style)])?;
        }
    }
    let [width, inner] = EDGE;
    for edge in heat.edges.iter().filter(|edge| !edge.is_predicted) {
        chart.draw_series([PathElement::new(ends(plot, edge), DARK.stroke_width(width))])?;
    }
    let [dash, gap] = DASHES;
    for edge in heat.edges.iter().filter(|edge| edge.is_predicted) {
        for (color, width) in [(DARK, width), (GOLD, inner)] {
            let style = color.stroke_width(width);
            chart.draw_series([DashedPathElement::new(ends(plot, edge), dash, gap, style)])?;
        }
    }
    Ok(())
}

/// Draws a sign of a key, whose left end is at `at`.
pub(super) fn draw_sign(area: &Area<'_>, (x, y): (i32, i32), sign: Sign) -> Drawn {
    let corners = [(x + 8, y - 16), (x + 54, y + 16)];
    let ends = [(x + 31, y - 18), (x + 31, y + 18)];
    match sign {
        Sign::Cell(step) => area.draw(&Rectangle::new(corners, PALETTE[step].filled()))?,
        Sign::Null => {
            area.draw(&Rectangle::new(corners, PALETTE[STEPS.len()].filled()))?;
            let style = HATCH.mix(0.6).stroke_width(2);
            for from in [x + 8, x + 20, x + 32, x + 44] {
                area.draw(&PathElement::new([(from, y + 16), (from + 10, y - 16)], style))?;
            }
        }
        Sign::Edge(is_predicted) => {
            let [width, inner] = EDGE;
            if is_predicted {
                let [dash, gap] = DASHES;
                for (color, width) in [(DARK, width), (GOLD, inner)] {
                    area.draw(&DashedPathElement::new(ends, dash, gap, color.stroke_width(width)))?;
                }
            } else {
                area.draw(&PathElement::new(ends, DARK.stroke_width(width)))?;
            }
        }
        Sign::Of(..) | Sign::Solid | Sign::Dashed | Sign::Range => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::heat::{Cell, Heat, HeatKey};
    use crate::figure::layout::Layout;
    use crate::figure::plot::{Axis, Figure};
    use crate::figure::scale::Scale;
    use crate::numbers::short;

    #[test]
    fn colors_diverge_at_1_and_are_symmetric() {
        assert_eq!([0.4, 0.6, 0.8, 0.95, 1.0, 1.05, 1.2, 1.5, 2.0].map(step), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        for ratio in [1.01, 1.03, 1.2, 1.7, 5.0] {
            assert_eq!(step(ratio) + step(1.0 / ratio), COLORS - 1, "{ratio}");
        }
        assert_eq!([text_color(0), text_color(4), text_color(8)], [BRIGHT, DARK, BRIGHT]);
    }

    fn drawn(cells: &[Cell], edges: &[Edge]) -> String {
        let key = HeatKey { null: "no difference".into(), edge: "found".into(), predicted: "told".into() };
        let mut rows = Axis::new("", Scale::Rows, short).with([0.0, 1.0]);
        rows.names = ["one", "two"].map(str::to_owned).into();
        let across = Axis::new("grain", Scale::Decades, short).with([10.0, 1000.0]);
        let heat = Heat { cells: cells.to_vec(), edges: edges.to_vec() };
        let plot = Plot::beside([across, rows], [Panel::new("panel", []).with_heat(heat)]).heated(key);
        let text = String::new;
        Figure { name: text(), title: text(), caption: text(), plot: plot.sized(Layout::WIDE) }.inline()
    }

    fn cell(row: usize, ratio: f64) -> Cell {
        Cell { across: [10.0, 100.0], row, ratio, is_null: false }
    }

    /// Counts the elements that are filled with the color of a step.
    fn filled(svg: &str, step: usize) -> usize {
        let RGBColor(r, g, b) = PALETTE[step];
        svg.matches(&format!("fill=\"#{r:02X}{g:02X}{b:02X}\"")).count()
    }

    #[test]
    fn a_map_has_its_cells_their_ratios_and_a_key_of_all_colors() {
        let svg = drawn(&[cell(0, 0.3), cell(1, 1.2)], &[]);
        for step in 0..COLORS {
            let own = usize::from(step == 0 || step == 6);
            let neutral = usize::from(step == STEPS.len());
            // The key has each color once, and the neutral one a second time below the hatching. White is
            // also the color of text.
            assert_eq!(filled(&svg, step), 1 + own + neutral, "{step}");
        }
        for text in ["0.30", "1.20", "one", "two", "below 1/2", "above 2", "no difference", "found", "told"] {
            assert!(svg.lines().any(|line| line.trim() == text), "{text}: {svg}");
        }
        assert!(!svg.contains("#000000") && svg.contains("grain (log scale)"), "{svg}");
    }

    #[test]
    fn null_cells_are_hatched_and_predicted_edges_dashed() {
        let lines = |svg: &str| svg.matches("<polyline").count() + svg.matches("<line").count();
        let plain = lines(&drawn(&[cell(0, 1.0)], &[]));
        let null = Cell { is_null: true, ..cell(0, 1.0) };
        assert_eq!(lines(&drawn(&[null], &[])), plain + HATCHES as usize);
        let edge = Edge { at: 50.0, row: 1, is_predicted: false };
        let gold = |svg: &str| svg.matches("#FFC828").count();
        assert_eq!(lines(&drawn(&[cell(0, 1.0)], &[edge])), plain + 1);
        let [without, with] =
            [false, true].map(|is_predicted| gold(&drawn(&[cell(0, 1.0)], &[Edge { is_predicted, ..edge }])));
        assert!(with > without + 2, "{without}, {with}");
    }

    #[test]
    fn a_ratio_that_is_no_number_has_no_cell() {
        let svg = drawn(&[cell(0, f64::NAN)], &[]);
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
