//! How large the parts of a figure are.
//!
//! The library draws in whole pixels, so a figure is about twice as large as it is mostly shown.

/// Sizes in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Whether the figure takes the width of a page or stands beside others.
    pub(crate) is_wide: bool,
    /// The least width of all panels together, and of one.
    pub(crate) width: u32,
    pub(crate) panel: u32,
    /// The most panels beside each other; more of them stand below.
    pub(crate) beside: usize,
    /// The height of the panels beside each other, without the key.
    pub(crate) height: u32,
    /// The font of all text but the panels' titles, which are a little larger.
    pub(crate) font: u32,
    /// The room for the numbers and names of the axes, below and to the left.
    pub(crate) below: u32,
    pub(crate) left: u32,
    /// The width of lines and the radius of dots.
    pub(crate) line: u32,
    pub(crate) dot: u32,
    /// The width of a key's entry beside its text, and of each letter of the text.
    pub(crate) entry: u32,
    pub(crate) letter: u32,
    /// About so many marks on linear axes, across and up. Panels beside each other have half as many across.
    pub(crate) marks: [usize; 2],
}

impl Layout {
    /// The rows and columns of so many panels.
    pub(crate) fn rows_and_columns(&self, panels: usize) -> [usize; 2] {
        let columns = panels.clamp(1, self.beside.max(1));
        [panels.div_ceil(columns).max(1), columns]
    }

    /// As wide as a page.
    pub(crate) const WIDE: Self = Self {
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

    /// Beside other figures.
    pub(crate) const SMALL: Self = Self {
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
