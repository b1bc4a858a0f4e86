//! The case that a seed draws: a program, a machine, and its faults.

use earth::simulated::{Faults, Profile, Schedule};
use earth::{Config, Machine};
use earth_tests::manna50;

use super::programs::{KINDS, Program};

/// The order in which units act.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// In order of virtual time, with these faults.
    Time {
        delay: u64,
        slowness: u32,
    },
    Random,
    Pct {
        changes: u32,
        steps: u32,
    },
}

impl Order {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Order::Time { .. } => "time",
            Order::Random => "random",
            Order::Pct { .. } => "priorities",
        }
    }
}

/// The settings of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) program: Program,
    pub(crate) nodes: usize,
    pub(crate) config: Config,
    /// Whether events between nodes pass through bytes.
    pub(crate) bytes: bool,
    /// Capacity of queues, in entries.
    pub(crate) room: usize,
    pub(crate) schedule: Order,
}

/// Random numbers of a seed, by `SplitMix64` (Steele, Lea and Flood 2014). Consecutive seeds give independent
/// sequences.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Draws(seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }

    /// Returns one of `from..=to`.
    pub(crate) fn of(&mut self, from: usize, to: usize) -> usize {
        from + self.below((to - from + 1) as u64) as usize
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

impl Case {
    /// Draws the case of a seed. Kinds of programs and schedules take turns; everything else is random.
    pub(crate) fn draw(seed: u64) -> Case {
        let mut draws = Draws::new(seed);
        let kind = seed as usize % KINDS;
        let schedule = match seed as usize / KINDS % 3 {
            0 => Order::Time { delay: draws.below(5_000), slowness: draws.of(0, 5) as u32 },
            1 => Order::Random,
            _ => Order::Pct { changes: draws.of(1, 12) as u32, steps: draws.of(100, 3_000) as u32 },
        };
        let (program, nodes) = Program::draw(kind, &mut draws);
        let config = if draws.coin() { Config::Dual } else { Config::Spn };
        Case { seed, program, nodes, config, bytes: draws.coin(), room: 1 << draws.below(3), schedule }
    }

    /// Builds the machine, which records its run.
    pub(crate) fn machine(&self) -> Machine {
        let machine = match self.schedule {
            Order::Time { delay, slowness } => {
                Machine::simulated(&manna50()).faults(Faults { delay, slowness })
            }
            Order::Random => Machine::simulated(&Profile::free()).schedule(Schedule::Random),
            Order::Pct { changes, steps } => {
                Machine::simulated(&Profile::free()).schedule(Schedule::Pct { changes, steps })
            }
        };
        let machine = machine.nodes(self.nodes).config(self.config).through_bytes(self.bytes);
        // The longest case takes about 20,000 steps.
        machine.queue_capacity(self.room).seed(self.seed).record(true).step_limit(2_000_000)
    }
}
