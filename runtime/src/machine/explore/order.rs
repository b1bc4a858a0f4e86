//! The order that a run imposes on its steps, and the races in it.
//!
//! A step comes *after* another one in four cases, and transitively:
//!
//! 1. The other one is a cause: it sent the message, enabled the fiber, or started the function.
//! 2. Both use one frame, and the order of these uses [can matter](Access::conflicts).
//! 3. Both received messages of one channel, and the sender of the first comes before the sender of the
//!    second, or is the same step.
//! 4. Steps that are not ordered so are *concurrent*. Any order of them gives the same state.
//!
//! Equal sets of steps with equal orders form a *class*: runs that differ only in the order of concurrent
//! steps (a trace of Mazurkiewicz). A *race* is a pair of steps ordered by rule 2 alone: another run may
//! have them in the other order.
//!
//! Messages of two concurrent steps on one channel are received in the order in which they were sent. Their
//! receipts count as concurrent all the same. The other order exists in a run whose senders take their steps
//! in the other order.
//!
//! Cost: the square of the number of steps, over 64, for each step.

use std::collections::HashMap;

use super::execution::{Execution, mixed};
use crate::probe::accesses::Access;
use crate::vocabulary::address::FrameId;

/// A set of steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct StepSet(Vec<u64>);

impl StepSet {
    pub(super) fn none(steps: usize) -> Self {
        StepSet(vec![0; steps.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, step: u32) {
        self.0[step as usize / 64] |= 1 << (step % 64);
    }

    pub(super) fn has(&self, step: u32) -> bool {
        self.0[step as usize / 64] >> (step % 64) & 1 == 1
    }

    pub(super) fn add(&mut self, other: &StepSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).filter(|step| self.has(*step))
    }
}

/// The order of the steps of a run.
pub(super) struct Order {
    /// The steps before each step.
    pub(super) before: Vec<StepSet>,
    /// The steps that each step directly follows, by any rule.
    pub(super) direct: Vec<Vec<u32>>,
    /// Races: pairs of steps, in the order of the run.
    pub(super) races: Vec<(u32, u32)>,
}

impl Order {
    pub(super) fn of(execution: &Execution) -> Self {
        let count = execution.steps.len();
        let mut order = Order { before: Vec::with_capacity(count), direct: Vec::new(), races: Vec::new() };
        let mut uses: HashMap<(u32, FrameId), Vec<(u32, Access)>> = HashMap::new();
        let mut by_node: HashMap<u32, Vec<(u32, bool)>> = HashMap::new();
        for (number, step) in (0..).zip(&execution.steps) {
            let mut direct = step.causes.clone();
            if let Some(message) = step.message {
                order.same_channel(execution, message, &mut direct);
            }
            let forced = direct.len();
            for &(frame, access) in &step.accesses {
                let of_frame = uses.entry((step.node, frame)).or_default();
                let conflicts = of_frame.iter().filter(|(_, earlier)| access.conflicts(*earlier));
                direct.extend(conflicts.map(|(earlier, _)| *earlier).filter(|earlier| *earlier != number));
                of_frame.push((number, access));
            }
            if !step.accesses.is_empty() {
                let whole = step.accesses.iter().any(|(_, access)| *access == Access::Node);
                let of_node = by_node.entry(step.node).or_default();
                direct
                    .extend(of_node.iter().filter(|(_, other)| *other || whole).map(|(earlier, _)| *earlier));
                of_node.push((number, whole));
            }
            order.push(direct, forced, number, count);
        }
        order
    }

    /// Adds the receipts of earlier messages of the same channel that this receipt must follow.
    fn same_channel(&self, execution: &Execution, message: u32, direct: &mut Vec<u32>) {
        let own = execution.messages[message as usize];
        for other in &execution.messages {
            let ordered = || other.sender == own.sender || self.before[own.sender as usize].has(other.sender);
            if other.channel == own.channel
                && other.label != own.label
                && let Some(receipt) = other.step
                && (receipt as usize) < self.before.len()
                && ordered()
            {
                direct.push(receipt);
            }
        }
    }

    /// Adds a step that directly follows `direct`, the first `forced` of them by rules 1 and 3.
    fn push(&mut self, mut direct: Vec<u32>, forced: usize, number: u32, count: usize) {
        let (causes, conflicts) = direct.split_at(forced);
        let mut racing: Vec<u32> = conflicts.to_vec();
        racing.sort_unstable();
        racing.dedup();
        racing.retain(|earlier| {
            !causes.contains(earlier)
                && !direct.iter().any(|between| self.before[*between as usize].has(*earlier))
        });
        self.races.extend(racing.into_iter().map(|earlier| (earlier, number)));
        direct.sort_unstable();
        direct.dedup();
        let mut before = StepSet::none(count);
        for earlier in &direct {
            before.add(&self.before[*earlier as usize]);
            before.insert(*earlier);
        }
        self.before.push(before);
        self.direct.push(direct);
    }

    /// Returns a hash of the class of the run.
    pub(super) fn class(&self, execution: &Execution) -> u128 {
        let all = (0..self.before.len() as u32).map(|step| (step, &self.before[step as usize]));
        class_of(execution, all)
    }
}

/// Returns a hash of the class of these steps, each with the steps before it. A step comes after the steps
/// before it.
pub(super) fn class_of<'a>(execution: &Execution, steps: impl Iterator<Item = (u32, &'a StepSet)>) -> u128 {
    let mut hashes = vec![0_u128; execution.steps.len()];
    let mut class = 0_u128;
    for (step, before) in steps {
        let label = execution.steps[step as usize].label.word();
        let past = before.iter().fold(0_u128, |sum, earlier| sum.wrapping_add(hashes[earlier as usize]));
        let words = [label as u64, (label >> 64) as u64, past as u64, (past >> 64) as u64];
        hashes[step as usize] = words.into_iter().fold(1, mixed);
        class = class.wrapping_add(hashes[step as usize]);
    }
    class
}
