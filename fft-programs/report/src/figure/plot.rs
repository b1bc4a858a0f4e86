//! What a figure shows, as plain data.

use super::layout::Layout;
use super::scale::Scale;
use crate::spread::Spread;

/// A plot with its words.
#[derive(Debug)]
pub struct Figure {
    /// The name of its file, and of its anchor in a page.
    pub name: String,
    /// The title.
    pub title: String,
    /// What must be known to read it.
    pub caption: String,
    /// The plot.
    pub plot: Plot,
}

/// Panels beside each other, all with the same axes, so that they can be compared.
#[derive(Debug)]
pub struct Plot {
    /// Its sizes.
    pub layout: Layout,
    /// The horizontal axis.
    pub across: Axis,
    /// The vertical axis.
    pub up: Axis,
    /// A line across, where a value has a meaning.
    pub level: Option<f64>,
    /// What solid lines are and what dashed ones, if there are both.
    pub dashes: Option<[&'static str; 2]>,
    /// The panels.
    pub panels: Vec<Panel>,
}

impl Plot {
    /// Panels as wide as a page.
    pub fn beside([across, up]: [Axis; 2], panels: impl IntoIterator<Item = Panel>) -> Self {
        let panels = panels.into_iter().collect();
        Self { layout: Layout::WIDE, across, up, level: None, dashes: None, panels }
    }

    /// One panel, without a title.
    pub fn one(axes: [Axis; 2], lines: impl IntoIterator<Item = Line>) -> Self {
        Self::beside(axes, [Panel::new("", lines)])
    }

    /// The plot of this size.
    #[must_use]
    pub fn sized(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// The plot with a line across at 1, where two things are equal.
    #[must_use]
    pub fn of_ratios(self) -> Self {
        Self { level: Some(1.0), ..self }
    }

    /// The plot with a key that says what solid lines are and what dashed ones.
    #[must_use]
    pub fn dashed(self, dashes: impl Into<Option<[&'static str; 2]>>) -> Self {
        Self { dashes: dashes.into(), ..self }
    }

    /// All dots of all panels.
    pub(super) fn dots(&self) -> impl Iterator<Item = &Dot> + Clone {
        self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.dots)
    }

    /// Whether a dot has a place on both axes.
    pub(super) fn has(&self, dot: &Dot) -> bool {
        let ups = dot.middle.into_iter().flatten().chain([dot.y]);
        self.across.scale.has(dot.x) && ups.into_iter().all(|y| self.up.scale.has(y))
    }
}

/// An axis.
#[derive(Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its scale.
    pub scale: Scale,
    /// How a value is written.
    pub shown: fn(f64) -> String,
    /// Values that are on the axis whether or not a dot is there.
    pub with: Vec<f64>,
    /// The names of the rows of [`Scale::Rows`].
    pub names: Vec<String>,
}

impl Axis {
    /// An axis of what is drawn alone.
    pub fn new(name: impl Into<String>, scale: Scale, shown: fn(f64) -> String) -> Self {
        Self { name: name.into(), scale, shown, with: Vec::new(), names: Vec::new() }
    }

    /// The axis with these values on it.
    #[must_use]
    pub fn with(self, with: impl Into<Vec<f64>>) -> Self {
        Self { with: with.into(), ..self }
    }
}

/// Lines in one pair of axes; without a title if it is the only panel of a figure.
#[derive(Debug)]
pub struct Panel {
    /// The title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Panel {
    /// Makes one of its parts.
    pub fn new(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Self {
        Self { title: title.into(), lines: lines.into_iter().collect() }
    }
}

/// Dots that belong together, from the smallest x on.
#[derive(Debug)]
pub struct Line {
    /// The text of its entry in the figure's key; an empty one has no entry. Lines of one text and colour share theirs.
    pub key: String,
    /// The number of its colour; there are seven, which begin anew.
    pub colour: usize,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Its dots.
    pub dots: Vec<Dot>,
}

impl Line {
    /// A solid line.
    pub fn new<D: Into<Dot>>(
        key: impl Into<String>,
        colour: usize,
        dots: impl IntoIterator<Item = D>,
    ) -> Self {
        let dots = dots.into_iter().map(Into::into).collect();
        Self { key: key.into(), colour, stroke: Stroke::Solid, dots }
    }

    /// The line in another stroke.
    #[must_use]
    pub fn drawn(self, stroke: Stroke) -> Self {
        Self { stroke, ..self }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A solid line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A solid line through dots that are too many to be drawn.
    Curve,
    /// Bars, each of which goes from one dot to the next.
    Bars {
        /// Whether their colour is faint.
        is_faint: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    /// The ends of the middle half of what was measured, drawn as a whisker.
    pub middle: Option<[f64; 2]>,
}

/// A dot without a whisker.
impl From<(f64, f64)> for Dot {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, middle: None }
    }
}

/// The median, with a whisker over the middle half.
impl From<(f64, Spread)> for Dot {
    fn from((x, y): (f64, Spread)) -> Self {
        Self { x, y: y.median, middle: Some([y.q1, y.q3]) }
    }
}
