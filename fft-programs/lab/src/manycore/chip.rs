//! Many-core chips with software-managed memory, as plain data: the chip of Chen and Gao, and one with more
//! elements.
//!
//! [`Machine`](super::machine::Machine) simulates programs on a chip.

use serde::Serialize;

/// Parameters of the Cyclops-64, published or estimated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Chip {
    /// Number of cores in use.
    pub(crate) cores: usize,
    /// Processing elements per core.
    pub(crate) elements: usize,
    /// Number of elements that share a floating-point unit.
    pub(crate) sharing: usize,
    /// Number of memory banks.
    pub(crate) banks: usize,
    /// Bytes per line. Consecutive lines are in consecutive banks.
    pub(crate) line: u64,
    /// Bandwidth of a bank and of a port of a core, in or out, in bytes per cycle.
    pub(crate) width: u64,
    /// Size of a request without data, `S_r`, in bytes. An estimate.
    pub(crate) request: u64,
    /// One-way latency of the crossbar, D, in cycles. An estimate.
    pub(crate) delay: u64,
    /// Latency of a floating-point operation, in cycles. An estimate.
    pub(crate) latency: u64,
    /// Integer operations of a butterfly, in percent of the operations counted in its [code](super::code). An
    /// estimate.
    pub(crate) integer: u64,
    /// Latency of a load from the element's own memory, in cycles. An estimate.
    pub(crate) local: u64,
    /// Whether requests queue at their bank.
    pub(crate) has_queues: bool,
    /// Whether a barrier is a counter in a bank; otherwise its only cost is waiting. An estimate.
    pub(crate) has_counter: bool,
}

/// Change of a chip.
pub(crate) type Change = fn(&mut Chip);

/// Banks serve any number of requests at once.
pub(crate) const NO_QUEUES: Change = |chip| chip.has_queues = false;
/// The crossbar has no latency.
pub(crate) const NO_DELAY: Change = |chip| chip.delay = 0;
/// A barrier has no cost except waiting.
pub(crate) const FREE_BARRIERS: Change = |chip| chip.has_counter = false;

/// Our estimates, each halved and doubled, where this changes a number of cycles.
pub(crate) const ESTIMATES: [(&str, Change); 7] = [
    ("D half", |chip| chip.delay /= 2),
    ("D twice", |chip| chip.delay *= 2),
    ("results of operations after half the cycles", |chip| chip.latency /= 2),
    ("results of operations after twice the cycles", |chip| chip.latency *= 2),
    ("half the integer operations", |chip| chip.integer /= 2),
    ("twice the integer operations", |chip| chip.integer *= 2),
    ("requests of 16 bytes", |chip| chip.request *= 2),
];

/// Eight times the integer operations, as if the index of a butterfly needed divisions instead of shifts.
pub(crate) const SLOW_INDEX: Change = |chip| chip.integer *= 8;

/// Lists all changes that are shown, with their names.
pub(crate) fn changes() -> impl Iterator<Item = (&'static str, Change)> {
    let causes: [(_, Change); 4] = [
        ("as it is", |_| {}),
        ("banks without queues", NO_QUEUES),
        ("a barrier that costs nothing", FREE_BARRIERS),
        ("a floating-point unit for each element", |chip| chip.sharing = 1),
    ];
    causes.into_iter().chain(ESTIMATES).chain([("eight times the integer operations", SLOW_INDEX)])
}

/// Size of a point, `S_d`, in bytes.
pub(crate) const POINT: u64 = 16;

/// Cycles per second.
pub(crate) const CLOCK: f64 = 500e6;

impl Chip {
    /// Returns the Cyclops-64 with `cores` of its 80 cores in use; the paper uses up to 64.
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
            integer: 100,
            local: 2,
            has_queues: true,
            has_counter: true,
        }
    }

    /// Returns the paper's C64+: the Cyclops-64 with four elements per core, which share its one
    /// floating-point unit.
    pub(crate) fn c64_plus(cores: usize) -> Self {
        Self { elements: 4, sharing: 4, ..Self::c64(cores) }
    }

    pub(crate) fn all(&self) -> usize {
        self.cores * self.elements
    }

    /// Returns the cycles in which `bytes` bytes pass a port or a bank.
    pub(crate) fn passing(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.width)
    }

    /// Returns the cycles of `counted` integer operations of a butterfly.
    pub(crate) fn integers(&self, counted: u64) -> u64 {
        counted * self.integer / 100
    }

    pub(crate) fn unit(&self, element: usize) -> usize {
        let (core, place) = (element / self.elements, element % self.elements);
        core * self.elements.div_ceil(self.sharing) + place / self.sharing
    }

    pub(crate) fn bank(&self, address: u64) -> usize {
        (address / self.line) as usize % self.banks
    }
}
