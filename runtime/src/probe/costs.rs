//! What operations cost in virtual time, on a machine that charges for them.
//!
//! A unit charges for what it does where it does it, so that what leaves it in the middle of a fiber leaves
//! at the fiber's start and what was charged since. Its clock stands with its synchronization unit. Times are cycles of the
//! processor.

use std::time::Duration;

use crate::vocabulary::layout::Sizes;

/// The end of virtual time, in cycles. A run that reaches it ends with [`Error::TooLong`](crate::Error::TooLong).
pub(crate) const END_OF_TIME: u64 = 1 << 62;

/// The time that is `cycles` after `now`, or the end of virtual time.
#[inline(always)]
pub(crate) fn after(now: u64, cycles: u64) -> u64 {
    now.saturating_add(cycles).min(END_OF_TIME)
}

/// The costs of the operations of one unit, in cycles.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// Cycles in a microsecond.
    pub(crate) clock_mhz: f64,
    /// Running an enabled fiber, or starting a function, beside what it does.
    pub(crate) dispatch: u64,
    /// Handing an operation to the other unit (DUAL).
    pub(crate) issue: u64,
    /// The execution unit's part of making a frame (DUAL).
    pub(crate) issue_frame: u64,
    /// Setting up a slot.
    pub(crate) init: u64,
    /// A signal on its own node.
    pub(crate) sync: u64,
    /// A value, a question or its answer on its own node.
    pub(crate) word: u64,
    /// A block, a question for one or its answer on its own node.
    pub(crate) block: u64,
    /// Enabling a fiber directly, raising a count, starting a function on its own node.
    pub(crate) spawn: u64,
    /// Making a frame.
    pub(crate) frame: u64,
    /// Queueing a token, and taking one to run it.
    pub(crate) token: u64,
    pub(crate) token_take: u64,
    /// Messages of words or blocks, to and from other nodes.
    pub(crate) send_word: u64,
    pub(crate) send_block: u64,
    pub(crate) receive_word: u64,
    pub(crate) receive_block: u64,
    /// Writing back 1024 bytes of a block for the other unit, whose cache is not coherent (DUAL).
    pub(crate) flush: u64,
    /// How long a message waits before it interrupts a fiber, if ever (SPN), and the cost of the interrupt.
    pub(crate) watchdog: Option<u64>,
    pub(crate) interrupt: u64,
    /// A floating-point operation.
    pub(crate) flop: f64,
    /// Kernels with a cost of their own, in cycles for each unit of their work.
    pub(crate) kernels: Vec<(String, f64)>,
}

/// Work that a fiber does between its operations, for machines that charge for it; see [`Eu::work`](crate::Eu::work).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Work {
    /// Floating-point operations.
    Flops(u64),
    /// Cycles of the processor, whatever its profile.
    Cycles(u64),
    /// Units of a named kernel's work.
    Kernel(&'static Kernel, u64),
}

/// A piece of code that a profile may know the cost of.
#[derive(PartialEq, Debug)]
pub struct Kernel {
    name: &'static str,
    flops: f64,
}

impl Kernel {
    /// A kernel that does `flops` floating-point operations for each unit of its work (a point, a row: its
    /// documentation says which). A profile that does not know it charges for these.
    pub const fn new(name: &'static str, flops: f64) -> Self {
        Kernel { name, flops }
    }

    /// The name that profiles know it by.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Floating-point operations for each unit of its work.
    pub const fn flops(&self) -> f64 {
        self.flops
    }
}

impl Costs {
    /// The cost of a value on its own node.
    pub(crate) fn value(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 { self.block } else { self.word }
    }

    /// The cost of setting up the slots of a frame.
    pub(crate) fn slots(&self, sizes: Sizes<'_>) -> u64 {
        self.init.saturating_mul(sizes.slots_total() as u64)
    }

    /// Whether it costs anything to make a frame.
    pub(crate) fn has_frames(&self) -> bool {
        self.frame | self.init | self.issue_frame > 0
    }

    pub(crate) fn sending(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 { self.send_block } else { self.send_word }
    }

    pub(crate) fn receiving(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 { self.receive_block } else { self.receive_word }
    }

    /// The cost of writing back what a unit has of blocks that it hands the other one.
    pub(crate) fn flushing(&self, bulk_bytes: u64) -> u64 {
        self.flush.saturating_mul(bulk_bytes) / 1024
    }

    pub(crate) fn work(&self, work: Work) -> u64 {
        let cycles = match work {
            Work::Cycles(cycles) => return cycles,
            Work::Flops(flops) => flops as f64 * self.flop,
            Work::Kernel(kernel, times) => {
                let known = self.kernels.iter().find(|(name, _)| name == kernel.name);
                times as f64 * known.map_or(kernel.flops * self.flop, |(_, cycles)| *cycles)
            }
        };
        cycles.round() as u64
    }
}

/// The time that `cycles` cycles of a clock take.
pub(crate) fn time(cycles: u64, clock_mhz: f64) -> Duration {
    Duration::from_nanos((cycles as f64 * 1e3 / clock_mhz).round() as u64)
}
