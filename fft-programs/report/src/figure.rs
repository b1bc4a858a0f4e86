//! Figures: plain data that is drawn as SVG.
//!
//! 1. [`plot`] says what a figure is: lines, or bars, in panels with the same two axes;
//! 2. [`scale`] finds the range of an axis and its marks, [`layout`] says how large everything is, [`key`] what colours
//!    and dashes mean;
//! 3. [`svg`] draws it, by plotters.

mod key;
mod layout;
mod plot;
mod scale;
mod svg;

pub use layout::Layout;
pub use plot::{Axis, Figure, Line, Panel, Plot, Stroke};
pub use scale::Scale;
