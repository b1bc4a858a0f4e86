//! Heat maps: cells of ratios in a panel, and edges where the ratio passes 1.
//!
//! Colors come in steps of the ratio, so that the key has each of them.

/// Ratios in rows of a panel.
#[derive(Debug, Default)]
pub struct Heat {
    /// Cells.
    pub cells: Vec<Cell>,
    /// Edges.
    pub edges: Vec<Edge>,
}

/// Cell of a heat map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Ends on the horizontal axis.
    pub across: [f64; 2],
    /// Row of the vertical axis, from the top.
    pub row: usize,
    /// Ratio that the color shows.
    pub ratio: f64,
    /// Whether the ratio cannot be distinguished from 1. Such a cell is hatched.
    pub is_null: bool,
}

/// Edge in a row of a heat map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Place on the horizontal axis.
    pub at: f64,
    /// Row of the vertical axis, from the top.
    pub row: usize,
    /// Whether a model predicts it. Such an edge is dashed.
    pub is_predicted: bool,
}

/// Texts of the key of a heat map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatKey {
    /// Meaning of hatched cells.
    pub null: String,
    /// Meaning of edges.
    pub edge: String,
    /// Meaning of dashed edges; empty if there are none.
    pub predicted: String,
}

/// Ratios between the colors of ratios above 1. Below 1 they are the inverse.
pub(super) const STEPS: [f64; 4] = [1.02, 1.1, 4.0 / 3.0, 2.0];

/// Number of colors.
pub(super) const COLORS: usize = 2 * STEPS.len() + 1;

/// Texts of the steps in a key.
pub(super) const NAMES: [&str; COLORS] = [
    "below 1/2",
    "1/2 to 3/4",
    "3/4 to 0.91",
    "0.91 to 0.98",
    "0.98 to 1.02",
    "1.02 to 1.1",
    "1.1 to 4/3",
    "4/3 to 2",
    "above 2",
];

/// Returns the number of the color of a ratio.
pub(super) fn step(ratio: f64) -> usize {
    let above = |ratio: f64| STEPS.iter().filter(|&&step| ratio >= step).count();
    if ratio >= 1.0 { STEPS.len() + above(ratio) } else { STEPS.len() - above(1.0 / ratio) }
}
