//! What passes do, as plain data: for models of the time that they take.

/// How the lines of a pass are transformed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// Rows of neighbouring points, where they are.
    Rows,
    /// Columns, where they are.
    Columns,
    /// Lines that are copied into scratch, transformed there as rows, and copied back.
    Gathered,
    /// Rows that become columns.
    Turned,
    /// Gathered rows that are put back as columns.
    GatheredTurned,
}

/// What a pass does in a call, whose turns are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassFacts {
    /// How its lines are transformed.
    pub way: Way,
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The points of a line as the kernel has it: half of the numbers of a line of real numbers that go two a point.
    pub len: usize,
    /// The lines.
    pub lines: usize,
    /// Whether a step between real numbers and points is made before or after the kernel's.
    pub real: bool,
    /// The bytes that are read and written.
    pub bytes: usize,
    /// The bytes of the arrays that are passed over before a point is read that was written, or read, by the pass before
    /// or the call before: what fits into a cache is found there.
    pub footprint: usize,
}

impl PassFacts {
    /// What a pass from one array to another does.
    pub(crate) fn apart(self) -> Self {
        Self { footprint: self.bytes, ..self }
    }
}
