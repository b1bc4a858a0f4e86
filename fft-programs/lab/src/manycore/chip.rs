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
    /// The bytes of a request without data, `S_r`. An estimate.
    pub(crate) request: u64,
    /// The cycles of the crossbar, one way, D. An estimate.
    pub(crate) delay: u64,
    /// The cycles from a floating-point operation to its result. An estimate.
    pub(crate) latency: u64,
    /// The integer operations of a butterfly, in percent of those counted in its [code](super::code). An estimate.
    pub(crate) integer: u64,
    /// The cycles of a load from the element's own memory. An estimate.
    pub(crate) near: u64,
    /// Whether requests wait for their bank.
    pub(crate) has_queues: bool,
    /// Whether a barrier is a counter in a bank, or costs nothing but waiting. An estimate.
    pub(crate) has_counter: bool,
}

/// A change of the chip.
pub(crate) type Change = fn(&mut Chip);

/// Banks serve any number of requests at once.
pub(crate) const NO_QUEUES: Change = |chip| chip.has_queues = false;
/// The crossbar takes no time.
pub(crate) const NO_DELAY: Change = |chip| chip.delay = 0;
/// A barrier costs nothing but waiting.
pub(crate) const FREE_BARRIERS: Change = |chip| chip.has_counter = false;

/// Our estimates, each halved and doubled, as far as that changes a cycle.
pub(crate) const ESTIMATES: [(&str, Change); 7] = [
    ("D half", |chip| chip.delay /= 2),
    ("D twice", |chip| chip.delay *= 2),
    ("results of operations after half the cycles", |chip| chip.latency /= 2),
    ("results of operations after twice the cycles", |chip| chip.latency *= 2),
    ("half the integer operations", |chip| chip.integer /= 2),
    ("twice the integer operations", |chip| chip.integer *= 2),
    ("requests of 16 bytes", |chip| chip.request *= 2),
];

/// Eight times the integer operations, as if the index of a butterfly were divided and not shifted.
pub(crate) const SLOW_INDEX: Change = |chip| chip.integer *= 8;

/// All changes that are shown, and what they are called.
pub(crate) fn changes() -> impl Iterator<Item = (&'static str, Change)> {
    let causes: [(_, Change); 4] = [
        ("as it is", |_| {}),
        ("banks without queues", NO_QUEUES),
        ("a barrier that costs nothing", FREE_BARRIERS),
        ("a floating-point unit for each element", |chip| chip.sharing = 1),
    ];
    causes.into_iter().chain(ESTIMATES).chain([("eight times the integer operations", SLOW_INDEX)])
}

/// The bytes of a point, `S_d`.
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
            integer: 100,
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

    /// The cycles of so many integer operations of a butterfly.
    pub(crate) fn integers(&self, counted: u64) -> u64 {
        counted * self.integer / 100
    }

    /// The floating-point unit of an element.
    pub(crate) fn unit(&self, element: usize) -> usize {
        let (core, place) = (element / self.elements, element % self.elements);
        core * self.elements.div_ceil(self.sharing) + place / self.sharing
    }

    /// The bank of an address.
    pub(crate) fn bank(&self, address: u64) -> usize {
        (address / self.line) as usize % self.banks
    }
}
