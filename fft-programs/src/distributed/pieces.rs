//! Pieces of an array: parts in memory of their own, and copies between them.

use earth::Element;
use earth_memory::copy_streaming;

use super::distribution::Part;

/// A part of at least this number of bytes is written past the caches: it does not stay in them anyway.
const STREAMED: usize = 16 << 20;

/// Elements of a part, which are only read.
#[derive(Debug)]
pub(super) struct Piece<'a, E> {
    pub(super) part: Part,
    /// Elements in row-major order of the part. There may be more behind them.
    pub(super) elements: &'a [E],
}

/// Memory for the elements of a part.
#[derive(Debug)]
pub(super) struct PieceMut<'a, E> {
    pub(super) part: Part,
    /// Elements in row-major order of the part. There may be more behind them.
    pub(super) elements: &'a mut [E],
}

/// Returns the pieces of these boxes, whose elements are one after the other.
pub(super) fn in_turn<E>(boxes: Vec<Part>, mut elements: &[E]) -> Vec<Piece<'_, E>> {
    let piece = |part: Part| {
        let (own, rest) = elements.split_at(part.len());
        elements = rest;
        Piece { part, elements: own }
    };
    boxes.into_iter().map(piece).collect()
}

/// Returns the pieces of these boxes, as [`in_turn`] does.
pub(super) fn in_turn_mut<E>(boxes: Vec<Part>, mut elements: &mut [E]) -> Vec<PieceMut<'_, E>> {
    let piece = |part: Part| {
        let (own, rest) = std::mem::take(&mut elements).split_at_mut(part.len());
        elements = rest;
        PieceMut { part, elements: own }
    };
    boxes.into_iter().map(piece).collect()
}

/// Copies all elements of `within` that pieces of both lists have.
pub(super) fn copy<E: Element>(within: &Part, from: &[Piece<'_, E>], to: &mut [PieceMut<'_, E>]) {
    each_common(within, from, to, |from, to, runs, run| {
        for [source, target] in runs {
            to[target..target + run].copy_from_slice(&from[source..source + run]);
        }
    });
}

/// Copies as [`copy`] does, past the caches if the pieces are of a part of many `bytes`.
pub(super) fn copy_out<E: Element>(
    within: &Part,
    bytes: usize,
    from: &[Piece<'_, E>],
    to: &mut [PieceMut<'_, E>],
) {
    if bytes < STREAMED {
        copy(within, from, to);
    } else {
        each_common(within, from, to, |from, to, runs, run| copy_streaming(from, to, runs, run));
    }
}

/// Calls `copied` with the elements of both pieces and their common runs, for all pairs of pieces.
fn each_common<E>(
    within: &Part,
    from: &[Piece<'_, E>],
    to: &mut [PieceMut<'_, E>],
    copied: impl Fn(&[E], &mut [E], &mut dyn Iterator<Item = [usize; 2]>, usize),
) {
    for to in to {
        let Some(wanted) = to.part.common(within) else { continue };
        for from in from {
            let Some(common) = from.part.common(&wanted) else { continue };
            let (mut runs, run) = Part::runs([&from.part, &to.part], &common);
            copied(from.elements, to.elements, &mut runs, run);
        }
    }
}

/// Adds the rows of a matrix to a list. The matrix has one element of each dimension before this one.
pub(super) fn list_rows<'a, E>(
    matrix: &Part,
    dimension: usize,
    pieces: &[Piece<'a, E>],
    rows: &mut Vec<&'a [E]>,
) {
    for Piece { part, elements } in pieces {
        let Some(common) = part.common(matrix) else { continue };
        let (stride, width) = (part.product(dimension + 1), common.product(dimension + 1));
        let lines = elements[part.offset_of(&common)..].chunks(stride).take(common.length(dimension));
        rows.extend(lines.map(|line| &line[..width]));
    }
}

/// Adds the rows of a matrix to a list, as [`list_rows`] does.
pub(super) fn list_rows_mut<'a, E>(
    matrix: &Part,
    dimension: usize,
    pieces: &'a mut [PieceMut<'_, E>],
    rows: &mut Vec<&'a mut [E]>,
) {
    for PieceMut { part, elements } in pieces {
        let Some(common) = part.common(matrix) else { continue };
        let (stride, width) = (part.product(dimension + 1), common.product(dimension + 1));
        let lines = elements[part.offset_of(&common)..].chunks_mut(stride).take(common.length(dimension));
        rows.extend(lines.map(|line| &mut line[..width]));
    }
}
