//! A many-core chip with memory that programs manage, as plain data: that of Chen and Gao, and one with more elements.
//!
//! [`Machine`](super::machine::Machine) plays programs on it.

/// What is published of the Cyclops-64, and what is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chip {
    /// Its cores that are used.
    pub(crate) cores: usize,
    /// The processing elements of a core.
    pub(crate) elements: usize,
    /// The elements that share a floating-point unit.
    pub(crate) sharing: usize,
    /// The memory banks.
    pub(crate) banks: usize,
    /// The bytes of a line: lines that follow each other are in banks that do.
    pub(crate) line: u64,
    /// The bytes a cycle of a port of a core, in or out, and of a bank.
    pub(crate) width: u64,
    /// The bytes of a request without data, S_r. An estimate.
    pub(crate) request: u64,
    /// The cycles of the crossbar, one way, D. An estimate.
    pub(crate) delay: u64,
    /// The cycles from a floating-point operation to its result. An estimate.
    pub(crate) latency: u64,
    /// The cycles of a load from the element's own memory. An estimate.
    pub(crate) near: u64,
    /// Whether requests wait for their bank.
    pub(crate) has_queues: bool,
    /// Whether a barrier is a counter in a bank, or costs nothing but waiting. An estimate.
    pub(crate) has_counter: bool,
}

/// The bytes of a point, S_d.
pub(crate) const POINT: u64 = 16;

/// The cycles of a second.
pub(crate) const CLOCK: f64 = 500e6;

impl Chip {
    /// The Cyclops-64 with so many of its 80 cores at work; the paper uses up to 64.
    pub(crate) fn c64(cores: usize) -> Self {
        Self {
            cores,
            elements: 2,
            sharing: 2,
            banks: 80,
            line: 128,
            width: 8,
            request: 8,
            delay: 14,
            latency: 6,
            near: 2,
            has_queues: true,
            has_counter: true,
        }
    }

    /// The paper's C64+: the same with four elements a core, which then share its one floating-point unit.
    pub(crate) fn c64_plus(cores: usize) -> Self {
        Self { elements: 4, sharing: 4, ..Self::c64(cores) }
    }

    /// All elements.
    pub(crate) fn all(&self) -> usize {
        self.cores * self.elements
    }

    /// The cycles in which so many bytes go through a port or a bank.
    pub(crate) fn passing(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.width)
    }

    /// The bank of an address.
    pub(crate) fn bank(&self, address: u64) -> usize {
        (address / self.line) as usize % self.banks
    }
}
