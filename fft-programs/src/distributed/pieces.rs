//! Pieces of an array: parts in memory of their own, and copies between them.

use earth_kernels::Real;
use num_complex::Complex;

use super::distribution::Part;

/// Points of a part, which are only read.
#[derive(Debug)]
pub(super) struct Piece<'a, T> {
    pub(super) part: Part,
    /// Points in row-major order of the part. There may be more behind them.
    pub(super) points: &'a [Complex<T>],
}

/// Memory for the points of a part.
#[derive(Debug)]
pub(super) struct PieceMut<'a, T> {
    pub(super) part: Part,
    /// Points in row-major order of the part. There may be more behind them.
    pub(super) points: &'a mut [Complex<T>],
}

/// Copies all points of `within` that pieces of both lists have.
pub(super) fn copy<T: Real>(within: &Part, from: &[Piece<'_, T>], to: &mut [PieceMut<'_, T>]) {
    for to in to {
        let Some(wanted) = to.part.common(within) else { continue };
        for from in from {
            let Some(common) = from.part.common(&wanted) else { continue };
            let (offsets, run) = Part::runs([&from.part, &to.part], &common);
            for [source, target] in offsets {
                to.points[target..target + run].copy_from_slice(&from.points[source..source + run]);
            }
        }
    }
}

/// Adds the rows of a matrix to a list. The matrix has one element of each dimension before this one.
pub(super) fn list_rows<'a, T>(
    matrix: &Part,
    dimension: usize,
    pieces: &[Piece<'a, T>],
    rows: &mut Vec<&'a [Complex<T>]>,
) {
    for Piece { part, points } in pieces {
        let Some(common) = part.common(matrix) else { continue };
        let (stride, width) = (part.product(dimension + 1), common.product(dimension + 1));
        let lines = points[part.offset_of(&common)..].chunks(stride).take(common.length(dimension));
        rows.extend(lines.map(|line| &line[..width]));
    }
}

/// Adds the rows of a matrix to a list, as [`list_rows`] does.
pub(super) fn list_rows_mut<'a, T>(
    matrix: &Part,
    dimension: usize,
    pieces: &'a mut [PieceMut<'_, T>],
    rows: &mut Vec<&'a mut [Complex<T>]>,
) {
    for PieceMut { part, points } in pieces {
        let Some(common) = part.common(matrix) else { continue };
        let (stride, width) = (part.product(dimension + 1), common.product(dimension + 1));
        let lines = points[part.offset_of(&common)..].chunks_mut(stride).take(common.length(dimension));
        rows.extend(lines.map(|line| &mut line[..width]));
    }
}
