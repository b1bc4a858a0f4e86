//! Key below a figure. It explains each color and stroke once, in lines as wide as the figure.

use super::heat::{HeatKey, NAMES};
use super::plot::{Plot, Stroke};

/// Left end of the first entry of a line, in pixels.
const INDENT: u32 = 40;

/// Space below a key, in pixels.
const BELOW: u32 = 24;

/// Entries of a figure, with their positions.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) entries: Vec<Entry>,
    /// Height of all its lines in pixels, or 0 without entries.
    pub(super) height: u32,
}

/// Sign with its text.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) sign: Sign,
    pub(super) text: String,
    /// Left end, at half the height of its line.
    pub(super) at: (i32, i32),
}

/// Sign before an entry's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Piece of a line in this stroke and color.
    Of(Stroke, usize),
    /// Neutral line, for the meaning of solid lines.
    Solid,
    /// Neutral dashes, for the meaning of dashed lines.
    Dashed,
    /// Piece of a shaded range.
    Range,
    /// Cell of a heat map, in the color of a step.
    Cell(usize),
    /// Hatched cell.
    Null,
    /// Edge of a heat map; whether it is predicted.
    Edge(bool),
}

impl Key {
    /// Returns the key of a figure of `width` pixels.
    pub(super) fn of(plot: &Plot, width: u32) -> Self {
        let layout = &plot.layout;
        let line = layout.font * 8 / 5;
        let (mut x, mut y) = (INDENT, line / 2);
        let place = |(sign, text): (Sign, String)| {
            let room = layout.entry + layout.letter * text.chars().count() as u32;
            if x + room > width && x > INDENT {
                (x, y) = (INDENT, y + line);
            }
            let at = (x.cast_signed(), y.cast_signed());
            x += room;
            Entry { sign, text, at }
        };
        let entries: Vec<_> = signs(plot).into_iter().map(place).collect();
        let height = if entries.is_empty() { 0 } else { y + line / 2 + BELOW };
        Self { entries, height }
    }
}

fn signs(plot: &Plot) -> Vec<(Sign, String)> {
    let mut signs = Vec::new();
    for line in plot.panels.iter().flat_map(|panel| &panel.lines).filter(|line| !line.key.is_empty()) {
        let stroke = match line.stroke {
            // The key explains dashes by entries of their own.
            Stroke::Dashed if plot.dashes.is_some() => Stroke::Solid,
            stroke => stroke,
        };
        let sign = Sign::Of(stroke, line.color);
        let sign = (sign, line.key.clone());
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    }
    let strokes =
        plot.dashes.into_iter().flat_map(|names| [Sign::Solid, Sign::Dashed].into_iter().zip(names));
    signs.extend(strokes.map(|(sign, name)| (sign, name.to_owned())));
    signs.extend(plot.range.iter().map(|(_, text)| (Sign::Range, text.clone())));
    signs.extend(plot.heat.iter().flat_map(of_heat));
    signs
}

/// Returns the signs of a heat map, with their texts.
fn of_heat(key: &HeatKey) -> Vec<(Sign, String)> {
    let steps = NAMES.into_iter().enumerate().map(|(step, name)| (Sign::Cell(step), name.to_owned()));
    let others =
        [(Sign::Null, &key.null), (Sign::Edge(false), &key.edge), (Sign::Edge(true), &key.predicted)];
    let others = others.into_iter().filter(|(_, text)| !text.is_empty());
    steps.chain(others.map(|(sign, text)| (sign, text.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::plot::{Axis, Line, Panel};
    use crate::figure::scale::Scale;

    fn plot(keys: &[(&str, usize)], dashes: Option<[&'static str; 2]>) -> Plot {
        let axis = || Axis::new("", Scale::Linear, |value| value.to_string());
        let line = |&(key, color): &(&str, usize)| Line::new(key, color, [(0.0, 0.0); 0]);
        let panel = || Panel::new("", keys.iter().map(line));
        Plot::beside([axis(), axis()], [panel(), panel()]).dashed(dashes)
    }

    #[test]
    fn long_keys_go_on_in_the_next_line() {
        let text = "a key of some length";
        let key = Key::of(&plot(&[0, 1, 2, 3, 4].map(|color| (text, color)), None), 900);
        let line = |y| key.entries.iter().filter(|entry| entry.at.1 == y).count();
        assert_eq!([24, 72, 120].map(line), [2, 2, 1]);
        assert_eq!(key.height, 3 * 48 + 24);
        let signs: Vec<_> = key.entries.iter().map(|entry| entry.sign).collect();
        assert_eq!(signs, [0, 1, 2, 3, 4].map(|color| Sign::Of(Stroke::Solid, color)));
    }

    #[test]
    fn each_stroke_has_its_sign() {
        let strokes = [Stroke::Solid, Stroke::Dashed, Stroke::Curve, Stroke::Marks, Stroke::Ideal];
        let mut plot = plot(&[("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4)], None);
        for panel in &mut plot.panels {
            for (line, stroke) in panel.lines.iter_mut().zip(strokes) {
                line.stroke = stroke;
            }
        }
        let drawn = |plot: &Plot| -> Vec<_> {
            Key::of(plot, 1800).entries.into_iter().map(|entry| (entry.sign, entry.text)).collect()
        };
        let signs: Vec<_> = strokes.into_iter().zip(0..).map(|(stroke, at)| Sign::Of(stroke, at)).collect();
        let first: Vec<_> = drawn(&plot).into_iter().map(|(sign, _)| sign).collect();
        assert_eq!(first, signs);
        // The shaded range comes last, and dashes are explained once.
        let plot = plot.dashed(["one", "other"]).with_range(0.5, 2.0, "null band");
        assert_eq!(drawn(&plot)[1].0, Sign::Of(Stroke::Solid, 1));
        assert_eq!(drawn(&plot).last(), Some(&(Sign::Range, "null band".to_owned())));
    }

    #[test]
    fn dashes_are_explained_where_used_and_each_key_once() {
        let texts = |plot: &Plot| -> Vec<_> {
            let key = Key::of(plot, 1800);
            key.entries.into_iter().map(|entry| entry.text).collect()
        };
        assert_eq!(texts(&plot(&[("N = 16", 0), ("", 1)], Some(["SPN", "DUAL"]))), ["N = 16", "SPN", "DUAL"]);
        assert_eq!(texts(&plot(&[("N = 16", 0), ("N = 16", 1)], None)), ["N = 16"; 2]);
        assert_eq!(Key::of(&plot(&[("", 0)], None), 1800).height, 0);
    }
}
