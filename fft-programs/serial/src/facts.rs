//! Facts about passes, as plain data, for models of their time.

/// Method by which the lines of a pass are transformed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Contiguous rows, in place or out of place, without copies.
    Rows,
    /// Columns, without copies.
    Columns,
    /// Lines that are copied into scratch, transformed there as rows, and copied back.
    Gathered,
    /// Rows that become columns.
    Turned,
    /// Gathered rows that are written back as columns.
    GatheredTransposed,
}

/// Facts about a pass in one call, with all its turns counted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassFacts {
    /// Method by which its lines are transformed.
    pub way: Method,
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Length of a line for the kernel, in points. For real numbers that are read in pairs, it is half their
    /// number. For an odd number of them that is a matrix, it is the number of columns.
    pub len: usize,
    /// Number of lines for the kernel. A matrix has several lines.
    pub lines: usize,
    /// Whether the pass includes the step between real numbers and points.
    pub real: bool,
    /// Bytes that are read and written.
    pub bytes: usize,
    /// Bytes of the arrays that are accessed between this pass's access to a point and the previous one, by
    /// the previous pass or call. If they fit into a cache, the point is still there.
    pub footprint: usize,
}

impl PassFacts {
    /// Returns the facts of the pass if it is out of place.
    pub(crate) fn apart(self) -> Self {
        Self { footprint: self.bytes, ..self }
    }
}
