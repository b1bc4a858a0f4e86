//! Lines that hide others, in pixels.
//!
//! A line hides an earlier one where both run along the same pixels. The earlier line is drawn wider there,
//! so that it shows on both sides. A crossing is too short to hide a line.

/// Greatest distance in pixels of things that hide each other.
const NEAR: f64 = 3.0;

/// Length in pixels of the pieces that are compared.
const PIECE: f64 = 8.0;

/// Least length in pixels along which a line is hidden.
const LEAST: f64 = 40.0;

/// Course of a line in pixels.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) color: usize,
    /// Points in the order of the line.
    pub(super) points: Vec<[f64; 2]>,
    /// Whether the points have dots.
    pub(super) has_dots: bool,
}

/// Lines over a piece of an earlier line, or dots over an earlier dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) number: u32,
    /// Whether one of them has the color of the earlier one.
    pub(super) has_its_color: bool,
}

/// Part of a line under one number of other lines.
///
/// A position along a line is the index of a point, plus the share of the way to the next one.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) cover: Cover,
}

impl Cover {
    /// Counts the lines of this list, whose elements are a color and whether it covers.
    fn of(color: usize, all: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut cover = Self::default();
        for (other, _) in all.filter(|(_, covers)| *covers) {
            cover.number += 1;
            cover.has_its_color |= other == color;
        }
        cover
    }
}

impl Part {
    /// Returns the part of a line of these places.
    pub(super) fn places(&self, line: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let at = |position: f64| {
            let [one, next] = [position.floor(), position.ceil()].map(|index| line[index as usize]);
            let share = position.fract();
            (one.0 + share * (next.0 - one.0), one.1 + share * (next.1 - one.1))
        };
        let between = self.from.floor() as usize + 1..self.to.ceil() as usize;
        [at(self.from)].into_iter().chain(between.map(|index| line[index])).chain([at(self.to)]).collect()
    }
}

impl Course {
    /// Returns the parts of the line under later ones, in their order. They cover the whole line.
    pub(super) fn parts(&self, later: &[Self]) -> Vec<Part> {
        let pieces = self.pieces();
        let covered: Vec<_> = later.iter().map(|other| (other.color, other.covers(&pieces))).collect();
        let mut parts: Vec<Part> = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let cover = Cover::of(self.color, covered.iter().map(|(color, by)| (*color, by[index])));
            match parts.last_mut() {
                Some(part) if part.cover == cover => part.to = piece.to,
                _ => parts.push(Part { from: piece.from, to: piece.to, cover }),
            }
        }
        parts
    }

    /// Returns the dots of later lines over a dot of this one.
    pub(super) fn dots_over(&self, dot: [f64; 2], later: &[Self]) -> Cover {
        let is_over =
            |other: &Self| other.has_dots && other.points.iter().any(|&at| distance(dot, at) <= NEAR);
        Cover::of(self.color, later.iter().map(|other| (other.color, is_over(other))))
    }

    /// Cuts the line into short pieces.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (index, ends) in self.points.windows(2).enumerate() {
            let length = distance(ends[0], ends[1]);
            let number = (length / PIECE).ceil().max(1.0);
            let place = |k: f64| if k < number { index as f64 + k / number } else { index as f64 + 1.0 };
            pieces.extend((0..number as usize).map(|k| Piece {
                from: place(k as f64),
                to: place(k as f64 + 1.0),
                middle: between(ends[0], ends[1], (k as f64 + 0.5) / number),
                length: length / number,
            }));
        }
        pieces
    }

    /// Returns whether this line hides each piece of another one. It hides only long runs of pieces.
    fn covers(&self, pieces: &[Piece]) -> Vec<bool> {
        let is_near =
            |piece: &Piece| self.points.windows(2).any(|ends| to_segment(piece.middle, ends) <= NEAR);
        let near: Vec<_> = pieces.iter().map(|piece| (piece.length, is_near(piece))).collect();
        let runs = near.chunk_by(|(_, one), (_, next)| one == next);
        let is_long =
            |run: &[(f64, bool)]| run[0].1 && run.iter().map(|(length, _)| length).sum::<f64>() >= LEAST;
        runs.flat_map(|run| vec![is_long(run); run.len()]).collect()
    }
}

struct Piece {
    from: f64,
    to: f64,
    middle: [f64; 2],
    length: f64,
}

fn between(one: [f64; 2], other: [f64; 2], share: f64) -> [f64; 2] {
    [0, 1].map(|axis| one[axis] + share * (other[axis] - one[axis]))
}

fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

/// Returns the distance of a point from a straight line between two ends.
fn to_segment(point: [f64; 2], ends: &[[f64; 2]]) -> f64 {
    let [along, to] = [ends[1], point].map(|end| [end[0] - ends[0][0], end[1] - ends[0][1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 { (along[0] * to[0] + along[1] * to[1]) / square } else { 0.0 };
    distance(point, between(ends[0], ends[1], share.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course<const N: usize>(color: usize, points: [[f64; 2]; N]) -> Course {
        Course { color, points: points.into(), has_dots: true }
    }

    fn covers(line: &Course, later: &[Course]) -> Vec<(u32, bool)> {
        let cover = |part: Part| (part.cover.number, part.cover.has_its_color);
        line.parts(later).into_iter().map(cover).collect()
    }

    #[test]
    fn a_line_is_covered_where_later_ones_run_along_it() {
        let line = course(0, [[0.0, 0.0], [100.0, 0.0], [200.0, 0.0]]);
        let up = course(1, [[0.0, 1.0], [100.0, 1.0], [200.0, 90.0]]);
        assert_eq!(covers(&line, &[]), [(0, false)]);
        assert_eq!(covers(&line, &[up]), [(1, false), (0, false)]);
        let both = [course(1, [[0.0, 0.0], [200.0, 0.0]]), course(0, [[100.0, 2.0], [200.0, 2.0]])];
        assert_eq!(covers(&line, &both), [(1, false), (2, true)]);
        assert_eq!(covers(&line, &[course(1, [[0.0, 5.0], [200.0, 5.0]])]), [(0, false)]);
    }

    #[test]
    fn a_crossing_covers_neither_line() {
        let line = course(0, [[0.0, 0.0], [200.0, 0.0]]);
        assert_eq!(covers(&line, &[course(1, [[0.0, 20.0], [200.0, -20.0]])]), [(0, false)]);
    }

    #[test]
    fn parts_have_the_points_between_their_ends() {
        let places = [(0.0, 0.0), (1.0, 10.0), (2.0, 0.0)];
        let part = |from, to| Part { from, to, cover: Cover::default() }.places(&places);
        assert_eq!(part(0.0, 2.0), places);
        assert_eq!(part(0.5, 1.5), [(0.5, 5.0), (1.0, 10.0), (1.5, 5.0)]);
        assert_eq!(part(0.5, 1.0), [(0.5, 5.0), (1.0, 10.0)]);
        assert_eq!(part(1.0, 2.0), [(1.0, 10.0), (2.0, 0.0)]);
    }

    #[test]
    fn dots_are_covered_by_near_dots() {
        let line = course(0, [[0.0, 0.0], [100.0, 0.0]]);
        let over = |later: Course| line.dots_over([100.0, 0.0], &[later]).number;
        assert_eq!(over(course(1, [[99.0, 1.0]])), 1);
        assert_eq!(over(course(1, [[99.0, 9.0]])), 0);
        assert_eq!(over(Course { has_dots: false, ..course(1, [[99.0, 1.0]]) }), 0);
    }
}
