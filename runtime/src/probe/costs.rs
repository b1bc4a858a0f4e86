//! Costs of operations in virtual time, on a machine that charges for them.
//!
//! A unit charges for an action where it performs it. So a message sent in the middle of a fiber leaves at
//! the fiber's start plus the time charged since. The clock is part of the synchronization unit. Times are
//! processor cycles.

pub(crate) mod fiber_times;
pub(crate) mod model;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::vocabulary::custom::PolicyFault;
use crate::vocabulary::layout::{Layout, Sizes};
use fiber_times::FiberTimes;
use model::{BlockCost, NodeModel};

/// The end of virtual time, in cycles. A run that reaches it ends with
/// [`Error::TooLong`](crate::Error::TooLong).
pub(crate) const END_OF_TIME: u64 = 1 << 62;

/// Returns the time `cycles` after `now`, at most the end of virtual time.
#[inline(always)]
pub(crate) fn after(now: u64, cycles: u64) -> u64 {
    now.saturating_add(cycles).min(END_OF_TIME)
}

/// Costs of operations, in cycles. With one processor per node, that processor pays all of them. With two,
/// the execution unit pays `dispatch`, `init`, `issue`, `issue_frame` and its part of `flush`; the
/// synchronization unit pays the rest, except `hand_over`, which neither pays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Operations {
    /// Beginning a fiber.
    pub dispatch: u64,
    /// Looking for messages before each fiber.
    pub poll: u64,
    /// The execution unit's part of any operation except those below.
    pub issue: u64,
    /// The execution unit's part of making a frame.
    pub issue_frame: u64,
    /// Setting up a slot (`INIT_SYNC`).
    pub init: u64,
    /// A signal on its own node (`SYNC`).
    pub sync: u64,
    /// A value or a request on its own node.
    pub word: u64,
    /// A block on its own node.
    pub block: u64,
    /// Enabling a fiber, raising a count, starting a function on its own node (`SPAWN`, `INCR_SYNC`).
    pub spawn: u64,
    /// Making a frame.
    pub frame: u64,
    /// Queueing a token (`TOKEN`).
    pub token: u64,
    /// Taking a token from the queue.
    pub token_take: u64,
    /// Sending a message without a block to another node.
    pub send_word: u64,
    /// Sending a message with a block to another node.
    pub send_block: u64,
    /// Receiving and applying a message without a block.
    pub receive_word: u64,
    /// Receiving and applying a message with a block.
    pub receive_block: u64,
    /// With two processors per node without coherent caches: one of them writes back its cached part of a
    /// block that it hands to the other, per 1024 bytes. The execution unit pays it for blocks that it gives
    /// away, the synchronization unit for blocks that arrive for the execution unit.
    pub flush: u64,
    /// With one processor per node: how long a message waits during a fiber before it interrupts the fiber (a
    /// polling watchdog), in cycles. If `None`, it waits for the fiber's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watchdog: Option<u64>,
    /// The cost of a watchdog interrupt, without receiving the message.
    pub interrupt: u64,
    /// With two processors per node: how long an operation takes from the execution unit to the
    /// synchronization unit, and an enabled fiber back. Both units work meanwhile.
    #[serde(skip_serializing_if = "is_zero")]
    pub hand_over: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(cost: &u64) -> bool {
    *cost == 0
}

impl Operations {
    /// Returns all costs, without the delay of the watchdog. The compiler rejects an incomplete list.
    pub(crate) fn each(&mut self) -> [&mut u64; 19] {
        macro_rules! list {
            ($($cost:ident)*) => {{
                let Operations { watchdog: _, $($cost),* } = self;
                [$($cost),*]
            }};
        }
        list! {
            dispatch poll issue issue_frame init sync word block spawn frame token token_take send_word send_block
            receive_word receive_block flush interrupt hand_over
        }
    }
}

impl Operations {
    /// Whether no cost is above a thousand million cycles.
    pub(crate) fn are_in_range(&self) -> bool {
        let above = |cost: u64| cost > 1_000_000_000;
        !self.clone().each().into_iter().any(|cost| above(*cost)) && !self.watchdog.is_some_and(above)
    }
}

/// The costs of the operations of one unit, in cycles.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// Cycles per microsecond.
    pub(crate) clock_mhz: f64,
    /// Operations; `dispatch` includes `poll`.
    pub(crate) operations: Operations,
    /// Cost of a floating-point operation, in cycles.
    pub(crate) flop: f64,
    /// Kernels with separate costs, in cycles per unit of their work.
    pub(crate) kernels: Vec<(String, f64)>,
    /// The program's own cost model, which changes the costs above.
    pub(crate) model: Option<NodeModel>,
    /// Measured times of fibers, which replace the work that fibers report.
    pub(crate) fibers: Option<Arc<FiberTimes>>,
}

impl Deref for Costs {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

/// Work that a fiber does between its operations, for machines that charge for it; see
/// [`Eu::work`](crate::Eu::work).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Work {
    /// Floating-point operations.
    Flops(u64),
    /// Processor cycles, in any profile.
    Cycles(u64),
    /// Units of a named kernel's work.
    Kernel(&'static Kernel, u64),
}

/// A piece of code whose cost a profile may define.
#[derive(PartialEq, Debug)]
pub struct Kernel {
    name: &'static str,
    flops: f64,
}

impl Kernel {
    /// Returns a kernel that does `flops` floating-point operations per unit of its work (a point, a row: see
    /// the kernel's documentation). A profile without a cost for the kernel charges for these operations.
    pub const fn new(name: &'static str, flops: f64) -> Self {
        Kernel { name, flops }
    }

    /// Returns the kernel's name in profiles.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of floating-point operations per unit of its work.
    pub const fn flops(&self) -> f64 {
        self.flops
    }
}

impl Costs {
    /// Returns the measured time of a fiber in cycles, if the machine has measured times.
    pub(crate) fn fiber(&self, layout: &'static Layout, fiber: u32) -> Option<u64> {
        let nanos = self.fibers.as_ref()?.nanos(layout, fiber);
        Some((nanos * self.clock_mhz / 1e3).round() as u64)
    }

    /// Returns the cost of a value on its own node.
    pub(crate) fn value(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 { self.of_block(BlockCost::Local, bulk_bytes, self.block) } else { self.word }
    }

    /// Returns the cost of setting up the slots of a frame.
    pub(crate) fn slots(&self, sizes: Sizes<'_>) -> u64 {
        self.init.saturating_mul(sizes.slots_total() as u64)
    }

    /// Whether making a frame costs time.
    pub(crate) fn has_frames(&self) -> bool {
        self.frame | self.init | self.issue_frame > 0
    }

    pub(crate) fn sending(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 {
            self.of_block(BlockCost::Sending, bulk_bytes, self.send_block)
        } else {
            self.send_word
        }
    }

    pub(crate) fn receiving(&self, bulk_bytes: u64) -> u64 {
        if bulk_bytes > 0 {
            self.of_block(BlockCost::Receiving, bulk_bytes, self.receive_block)
        } else {
            self.receive_word
        }
    }

    /// Returns the cost of writing back a unit's cached part of blocks that it hands to the other unit.
    pub(crate) fn flushing(&self, bulk_bytes: u64) -> u64 {
        let usual = self.flush.saturating_mul(bulk_bytes) / 1024;
        if bulk_bytes > 0 { self.of_block(BlockCost::Flushing, bulk_bytes, usual) } else { usual }
    }

    /// Returns the cost of handling a block.
    #[inline(always)]
    fn of_block(&self, cost: BlockCost, bytes: u64, usual: u64) -> u64 {
        match &self.model {
            None => usual,
            Some(model) => model.block(cost, bytes, usual),
        }
    }

    /// Returns these costs as a model of the program changes them.
    pub(crate) fn with(&self, model: NodeModel) -> Costs {
        let operations = model.operations(&self.operations);
        Costs { operations, model: Some(model), ..self.clone() }
    }

    /// Returns the cost of work.
    ///
    /// # Errors
    ///
    /// A panic of the program's own cost model.
    pub(crate) fn work(&self, work: Work) -> Result<u64, PolicyFault> {
        let usual = self.usual_work(work);
        self.model.as_ref().map_or(Ok(usual), |model| model.work(work, usual))
    }

    fn usual_work(&self, work: Work) -> u64 {
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

/// Returns the time that `cycles` cycles of a clock take.
pub(crate) fn time(cycles: u64, clock_mhz: f64) -> Duration {
    Duration::from_nanos((cycles as f64 * 1e3 / clock_mhz).round() as u64)
}
