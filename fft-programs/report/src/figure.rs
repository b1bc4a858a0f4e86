//! Figures: plain data that is drawn as SVG.
//!
//! 1. [`plot`] defines figures: lines or bars, in panels with the same two axes.
//! 2. [`scale`] finds the range of an axis and its marks, [`layout`] the sizes, and [`key`] the entries for
//!    colors and dashes.
//! 3. [`sign`] draws dots, in the plot and in its key. [`overlap`] finds lines that hide others.
//! 4. [`svg`] draws the figure, [`lines`] the lines of a panel and [`cells`] its [heat map](heat), by plotters.

mod canvas;
mod cells;
mod heat;
mod key;
mod layout;
mod lines;
mod overlap;
mod plot;
mod scale;
mod sign;
mod svg;

pub use heat::{Cell, Edge, Heat, HeatKey};
pub use layout::Layout;
pub use plot::{Axis, Figure, Line, Panel, Plot, Stroke};
pub use scale::Scale;
