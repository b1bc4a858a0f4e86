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
    /// Largest number of loads of an element that may be under way. An estimate.
    pub(crate) loads: usize,
    /// Cost of a barrier that is a counter in a bank, in percent. If it is 0, the only cost is waiting. An
    /// estimate.
    pub(crate) barrier: u64,
    /// Kind of the barrier.
    pub(crate) kind: BarrierKind,
}

/// Kind of a barrier, which is a counter in any case. The paper leaves it open (section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum BarrierKind {
    /// The bank counts, and the last answer goes to all elements.
    Told,
    /// The bank counts, and each element asks until the answer says that the barrier is open.
    Polled,
    /// Each element fetches the count and writes it back under a lock. The last answer goes to all.
    Locked,
}

/// Variant of a chip.
pub(crate) type Variant = fn(&mut Chip);

/// Banks serve any number of requests at once.
pub(crate) const NO_QUEUES: Variant = |chip| chip.has_queues = false;
/// The crossbar has no latency.
pub(crate) const NO_DELAY: Variant = |chip| chip.delay = 0;
/// A barrier has no cost except waiting.
pub(crate) const FREE_BARRIERS: Variant = |chip| chip.barrier = 0;
/// Elements poll the barrier's counter.
pub(crate) const POLLED_BARRIERS: Variant = |chip| chip.kind = BarrierKind::Polled;
/// A lock guards the barrier's counter.
pub(crate) const LOCKED_BARRIERS: Variant = |chip| chip.kind = BarrierKind::Locked;
/// Eight times the integer operations, as if the index of a butterfly needed divisions instead of shifts.
pub(crate) const SLOW_INDEX: Variant = |chip| chip.integer *= 8;

/// Variants that show what the parts of the chip cost, with their names.
pub(crate) const PARTS: [(&str, Variant); 7] = [
    ("as it is", |_| {}),
    ("banks without queues", NO_QUEUES),
    ("a barrier that costs nothing", FREE_BARRIERS),
    ("a barrier that elements poll", POLLED_BARRIERS),
    ("a barrier with a lock", LOCKED_BARRIERS),
    ("a floating-point unit for each element", |chip| chip.sharing = 1),
    ("eight times the integer operations", SLOW_INDEX),
];

/// Largest number of loads under way, if it is no limit. A butterfly of radix 8 has 15 loads, and an element
/// needs all loads of a butterfly before it issues the loads of the next one.
pub(crate) const ANY_LOADS: usize = 16;

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
            loads: ANY_LOADS,
            barrier: 100,
            kind: BarrierKind::Told,
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

    /// Returns the cycles of a barrier's request, or of its answer, in the crossbar.
    pub(crate) fn barrier_delay(&self) -> u64 {
        self.delay * self.barrier / 100
    }

    /// Returns the cycles in which a barrier's counter serves request number `nth`, counted from 1.
    pub(crate) fn counting(&self, nth: u64) -> u64 {
        let lock = if self.kind == BarrierKind::Locked { 2 * self.barrier_delay() } else { 0 };
        self.passing(self.request) * (nth * self.barrier / 100 - (nth - 1) * self.barrier / 100) + lock
    }

    /// Returns the operations per second at which all floating-point units are busy with multiply-adds.
    pub(crate) fn peak(&self) -> f64 {
        (self.cores * self.elements.div_ceil(self.sharing)) as f64 * 2.0 * CLOCK
    }

    pub(crate) fn unit(&self, element: usize) -> usize {
        let (core, place) = (element / self.elements, element % self.elements);
        core * self.elements.div_ceil(self.sharing) + place / self.sharing
    }

    pub(crate) fn bank(&self, address: u64) -> usize {
        (address / self.line) as usize % self.banks
    }
}
