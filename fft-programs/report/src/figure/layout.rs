//! Sizes of the parts of a figure.
//!
//! The library draws in whole pixels, so a figure is about twice as large as it is usually shown.

/// Sizes in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Whether the figure has the width of a page, rather than a place beside others.
    pub is_wide: bool,
    /// Least width of all panels together.
    pub width: u32,
    /// Least width of a panel.
    pub panel: u32,
    /// Largest number of panels side by side; further panels are below.
    pub beside: usize,
    /// Height of a row of panels, without the key.
    pub height: u32,
    /// Font size of all text except the panels' titles, which are slightly larger.
    pub font: u32,
    /// Space for the numbers and the name of the horizontal axis.
    pub below: u32,
    /// Space for the numbers and the name of the vertical axis.
    pub left: u32,
    /// Width of lines.
    pub line: u32,
    /// Radius of dots.
    pub dot: u32,
    /// Width of a key's entry without its text.
    pub entry: u32,
    /// Width of a letter of a key's text or of an axis's label.
    pub letter: u32,
    /// Approximate number of marks on linear axes, across and up. Panels side by side have half as many
    /// across.
    pub marks: [usize; 2],
}

impl Layout {
    /// Returns the numbers of rows and columns for this number of panels.
    pub fn rows_and_columns(&self, panels: usize) -> [usize; 2] {
        let columns = panels.clamp(1, self.beside.max(1));
        [panels.div_ceil(columns).max(1), columns]
    }

    /// Layout for the width of a page.
    pub const WIDE: Self = Self {
        is_wide: true,
        width: 1800,
        panel: 600,
        beside: usize::MAX,
        height: 760,
        font: 30,
        below: 86,
        left: 110,
        line: 4,
        dot: 6,
        entry: 100,
        letter: 16,
        marks: [10, 7],
    };

    /// Layout beside other figures.
    pub const SMALL: Self = Self {
        is_wide: false,
        width: 1120,
        panel: 1120,
        beside: usize::MAX,
        height: 700,
        font: 38,
        below: 108,
        left: 148,
        line: 5,
        dot: 10,
        entry: 110,
        letter: 19,
        marks: [6, 5],
    };
}
