//! Contents of a figure, as plain data.

use super::heat::{Heat, HeatKey};
use super::layout::Layout;
use super::scale::Scale;
use crate::spread::Spread;

/// Plot with its title and caption.
#[derive(Debug)]
pub struct Figure {
    /// Name of its file, and of its anchor in a page.
    pub name: String,
    /// Title.
    pub title: String,
    /// Explanation needed to read the figure.
    pub caption: String,
    /// Plot.
    pub plot: Plot,
}

/// Panels side by side. All have the same axes, so that they can be compared.
#[derive(Debug)]
pub struct Plot {
    /// Sizes.
    pub layout: Layout,
    /// Horizontal axis.
    pub across: Axis,
    /// Vertical axis.
    pub up: Axis,
    /// Value of a horizontal reference line.
    pub level: Option<f64>,
    /// Range of values that is shaded in all panels, with its text in the key.
    pub range: Option<([f64; 2], String)>,
    /// Meanings of solid and of dashed lines, if there are both.
    pub dashes: Option<[&'static str; 2]>,
    /// Texts in the key of a heat map, if the panels are heat maps.
    pub heat: Option<HeatKey>,
    /// Panels.
    pub panels: Vec<Panel>,
}

impl Plot {
    /// Creates a plot of panels as wide as a page.
    pub fn beside([across, up]: [Axis; 2], panels: impl IntoIterator<Item = Panel>) -> Self {
        let panels = panels.into_iter().collect();
        Self { layout: Layout::WIDE, across, up, level: None, range: None, dashes: None, heat: None, panels }
    }

    /// Creates a plot of one panel, without a title.
    pub fn one(axes: [Axis; 2], lines: impl IntoIterator<Item = Line>) -> Self {
        Self::beside(axes, [Panel::new("", lines)])
    }

    /// Returns the plot with this layout.
    #[must_use]
    pub fn sized(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Returns the plot with a reference line at 1, where two things are equal.
    #[must_use]
    pub fn of_ratios(self) -> Self {
        Self { level: Some(1.0), ..self }
    }

    /// Returns the plot with a shaded range of values, such as the null band. `text` is its entry in the key.
    #[must_use]
    pub fn with_range(self, low: f64, high: f64, text: impl Into<String>) -> Self {
        Self { range: Some(([low, high], text.into())), ..self }
    }

    /// Returns the plot with a key for solid and dashed lines.
    #[must_use]
    pub fn dashed(self, dashes: impl Into<Option<[&'static str; 2]>>) -> Self {
        Self { dashes: dashes.into(), ..self }
    }

    /// Returns the plot with the key of heat maps.
    #[must_use]
    pub fn heated(self, key: HeatKey) -> Self {
        Self { heat: Some(key), ..self }
    }

    /// Yields all dots of all panels.
    pub(super) fn dots(&self) -> impl Iterator<Item = &Dot> + Clone {
        self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.dots)
    }

    /// Returns the places of the shaded range on the vertical axis, if both ends have one.
    pub(super) fn range_places(&self) -> Option<[f64; 2]> {
        let (ends, _) = self.range.as_ref()?;
        ends.iter().all(|&end| self.up.scale.has(end)).then(|| ends.map(|end| self.up.scale.place(end)))
    }

    /// Whether a dot has a position on both axes.
    pub(super) fn has(&self, dot: &Dot) -> bool {
        let ups = dot.middle.into_iter().flatten().chain([dot.y]);
        self.across.scale.has(dot.x) && ups.into_iter().all(|y| self.up.scale.has(y))
    }
}

/// Axis.
#[derive(Debug)]
pub struct Axis {
    /// Name.
    pub name: String,
    /// Scale.
    pub scale: Scale,
    /// Formatter of values.
    pub shown: fn(f64) -> String,
    /// Values that the range of the axis includes even without a dot.
    pub with: Vec<f64>,
    /// Names of the rows of [`Scale::Rows`].
    pub names: Vec<String>,
}

impl Axis {
    /// Creates an axis whose range follows from the dots alone.
    pub fn new(name: impl Into<String>, scale: Scale, shown: fn(f64) -> String) -> Self {
        Self { name: name.into(), scale, shown, with: Vec::new(), names: Vec::new() }
    }

    /// Returns the axis with a range that includes these values.
    #[must_use]
    pub fn with(self, with: impl Into<Vec<f64>>) -> Self {
        Self { with: with.into(), ..self }
    }

    /// Returns the drawn name, which says whether the scale is logarithmic.
    pub(super) fn title(&self) -> String {
        let is_said = self.scale.is_logarithmic() && !self.name.is_empty();
        if is_said { format!("{} (log scale)", self.name) } else { self.name.clone() }
    }
}

/// Lines in one pair of axes. The title is empty if it is the only panel of a figure.
#[derive(Debug)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// Lines.
    pub lines: Vec<Line>,
    /// Cells below the lines.
    pub heat: Option<Heat>,
}

impl Panel {
    /// Creates a panel.
    pub fn new(title: impl Into<String>, lines: impl IntoIterator<Item = Line>) -> Self {
        Self { title: title.into(), lines: lines.into_iter().collect(), heat: None }
    }

    /// Returns the panel with a heat map. The vertical axis of its plot is [`Scale::Rows`]; both axes must
    /// [include](Axis::with) the cells.
    #[must_use]
    pub fn with_heat(self, heat: Heat) -> Self {
        Self { heat: Some(heat), ..self }
    }
}

/// Dots that belong together, in ascending order of x.
#[derive(Debug)]
pub struct Line {
    /// Text of its entry in the figure's key; empty for none. Lines of one text and color share an entry.
    pub key: String,
    /// Index of its color and of the shape of its dots, modulo seven.
    pub color: usize,
    /// Stroke.
    pub stroke: Stroke,
    /// Dots.
    pub dots: Vec<Dot>,
}

impl Line {
    /// Creates a solid line.
    pub fn new<D: Into<Dot>>(
        key: impl Into<String>,
        color: usize,
        dots: impl IntoIterator<Item = D>,
    ) -> Self {
        let dots = dots.into_iter().map(Into::into).collect();
        Self { key: key.into(), color, stroke: Stroke::Solid, dots }
    }

    /// Creates a thin neutral line for a rule, such as the perfect speed-up.
    ///
    /// It is straight between its dots as drawn. A curve on the plot's axes needs several dots.
    pub fn ideal(key: impl Into<String>, dots: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::new(key, 0, dots).drawn(Stroke::Ideal)
    }

    /// Returns the line in another stroke.
    #[must_use]
    pub fn drawn(self, stroke: Stroke) -> Self {
        Self { stroke, ..self }
    }
}

/// Stroke of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Solid line with dots.
    Solid,
    /// Dashed line with dots.
    Dashed,
    /// Solid line without dots, for many points.
    Curve,
    /// Open diamonds without a line, for points that others published.
    Marks,
    /// Thin dashed line without dots and without the line's color.
    Ideal,
    /// Bars, each from one dot to the next.
    Bars {
        /// Whether their color is faint.
        is_faint: bool,
    },
    /// Faint area inside the dots, which follow its outline.
    Band,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    /// Ends of the middle half of the measurements, drawn as a whisker.
    pub middle: Option<[f64; 2]>,
}

/// Creates a dot without a whisker.
impl From<(f64, f64)> for Dot {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, middle: None }
    }
}

/// Creates a dot at the median, with a whisker over the middle half.
impl From<(f64, Spread)> for Dot {
    fn from((x, y): (f64, Spread)) -> Self {
        Self { x, y: y.median, middle: Some([y.q1, y.q3]) }
    }
}
