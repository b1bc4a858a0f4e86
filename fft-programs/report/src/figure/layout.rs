//! How large the parts of a figure are.
//!
//! The library draws in whole pixels, so a figure is about twice as large as it is mostly shown.

/// Sizes in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Whether the figure takes the width of a page or stands beside others.
    pub is_wide: bool,
    /// The least width of all panels together, and of one.
    pub width: u32,
    /// The least width of a panel.
    pub panel: u32,
    /// The most panels beside each other; more of them stand below.
    pub beside: usize,
    /// The height of the panels beside each other, without the key.
    pub height: u32,
    /// The font of all text but the panels' titles, which are a little larger.
    pub font: u32,
    /// The room for the numbers and names of the axes, below and to the left.
    pub below: u32,
    /// The room to the left.
    pub left: u32,
    /// The width of lines and the radius of dots.
    pub line: u32,
    /// The radius of dots.
    pub dot: u32,
    /// The width of a key's entry beside its text, and of each letter of the text.
    pub entry: u32,
    /// The width of a letter of a key's text.
    pub letter: u32,
    /// About so many marks on linear axes, across and up. Panels beside each other have half as many across.
    pub marks: [usize; 2],
}

impl Layout {
    /// The rows and columns of so many panels.
    pub fn rows_and_columns(&self, panels: usize) -> [usize; 2] {
        let columns = panels.clamp(1, self.beside.max(1));
        [panels.div_ceil(columns).max(1), columns]
    }

    /// As wide as a page.
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

    /// Beside other figures.
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
