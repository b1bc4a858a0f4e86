//! Key below a figure. It explains each color and dash once, in lines as wide as the figure.

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
    /// Dot on a line of this color.
    Dot(usize),
    Solid,
    Dashed,
    /// Part of a bar of this color.
    Block {
        color: usize,
        is_faint: bool,
    },
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
        let sign = match line.stroke {
            Stroke::Bars { is_faint } => Sign::Block { color: line.color, is_faint },
            Stroke::Band => Sign::Block { color: line.color, is_faint: true },
            _ => Sign::Dot(line.color),
        };
        let sign = (sign, line.key.clone());
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    }
    let strokes =
        plot.dashes.into_iter().flat_map(|names| [Sign::Solid, Sign::Dashed].into_iter().zip(names));
    signs.extend(strokes.map(|(sign, name)| (sign, name.to_owned())));
    signs
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
        assert_eq!(signs, [0, 1, 2, 3, 4].map(Sign::Dot));
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
