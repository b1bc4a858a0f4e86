//! What a node can run: enabled fibers and functions invoked there, in the order of its [`Policy`].
//!
//! Each [`Order`] stands in a file of its own. In SPN the queue belongs to the merged unit, in DUAL to the execution
//! unit: the order is applied where fibers are picked, by the same code.
//!
//! Cost: the default order is in line, the others are one call away; fibers are moved once in and once out.

mod fibers_first;
mod first_in;
mod newest_first;
mod one_queue;

use fibers_first::FibersFirst;
use newest_first::NewestFirst;
use one_queue::OneQueue;

use super::function::Call;
use crate::frame::Ready;
use crate::vocabulary::policy::{FiberOrder, Policy};

/// What a node runs next.
pub(crate) enum Runnable {
    Fiber(Ready),
    Function(Call),
}

/// An order of fibers and functions. None of them lets anything wait for ever.
trait Order {
    /// Adds a fiber that was enabled.
    fn push_fiber(&mut self, fiber: Ready);

    /// Adds a fiber that must not run before one that waits.
    fn push_behind(&mut self, fiber: Ready) {
        self.push_fiber(fiber);
    }

    /// Adds a function that was invoked.
    fn push_function(&mut self, function: Call);

    /// Takes what is next.
    fn pop(&mut self) -> Option<Runnable>;

    /// How many fibers and functions wait.
    fn len(&self) -> usize;
}

/// The enabled fibers and invoked functions of one node.
pub(crate) enum RunQueue {
    NewestFirst(NewestFirst),
    OneQueue(OneQueue),
    FibersFirst(FibersFirst),
}

impl RunQueue {
    pub(crate) fn new(policy: &Policy) -> Self {
        match policy.fibers {
            FiberOrder::NewestFirst => RunQueue::NewestFirst(NewestFirst::new(policy.in_a_row)),
            FiberOrder::OneQueue => RunQueue::OneQueue(OneQueue::default()),
            FiberOrder::FibersFirst => RunQueue::FibersFirst(FibersFirst::new(policy.in_a_row)),
        }
    }

    fn order(&mut self) -> &mut dyn Order {
        match self {
            RunQueue::NewestFirst(order) => order,
            RunQueue::OneQueue(order) => order,
            RunQueue::FibersFirst(order) => order,
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, fiber: Ready) {
        match self {
            RunQueue::NewestFirst(order) => order.push_fiber(fiber),
            RunQueue::OneQueue(_) | RunQueue::FibersFirst(_) => self.push_apart(fiber),
        }
    }

    /// [`push`](Self::push) out of line.
    #[inline(never)]
    pub(crate) fn push_apart(&mut self, fiber: Ready) {
        self.order().push_fiber(fiber);
    }

    /// Whether a fiber may run before one that was enabled earlier.
    pub(crate) fn reorders_fibers(&self) -> bool {
        matches!(self, RunQueue::NewestFirst(_))
    }

    /// Adds a fiber that must not run before one that waits.
    pub(crate) fn push_behind(&mut self, fiber: Ready) {
        self.order().push_behind(fiber);
    }

    #[inline(never)]
    pub(crate) fn push_function(&mut self, function: Call) {
        self.order().push_function(function);
    }

    /// Takes the newest fiber, if that is next in the default order.
    #[inline(always)]
    pub(super) fn pop_newest(&mut self) -> Option<Ready> {
        match self {
            RunQueue::NewestFirst(order) => order.pop_newest(),
            RunQueue::OneQueue(_) | RunQueue::FibersFirst(_) => None,
        }
    }

    /// Takes what is next.
    pub(crate) fn pop(&mut self) -> Option<Runnable> {
        self.order().pop()
    }

    /// How many fibers and functions wait.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        match self {
            RunQueue::NewestFirst(order) => order.len(),
            RunQueue::OneQueue(order) => order.len(),
            RunQueue::FibersFirst(order) => order.len(),
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::Tag;
    use crate::unit::function::{Start, kind};
    use crate::vocabulary::address::FrameId;
    use crate::{Then, threaded};

    threaded! {
        fn Numbered(number: u32)
        fiber start(this, _eu) {
            let _ = this.number;
            Then::End
        }
    }

    /// What waits, as the model has it: its number, and whether it is a fiber.
    type Waiting = (u32, bool);

    fn fiber(number: u32) -> Ready {
        Ready::spawned(FrameId::ROOT, Tag::NONE, 0, number)
    }

    fn number(runnable: Runnable) -> Waiting {
        match runnable {
            Runnable::Fiber(ready) => (ready.index, true),
            Runnable::Function(mut call) => {
                let Some(Start((number,))) = call.take(kind::<Numbered>()) else {
                    panic!("another function")
                };
                (number, false)
            }
        }
    }

    /// What the policy says is next, found the slow way.
    fn expected(
        fibers: FiberOrder,
        waiting: &mut Vec<Waiting>,
        row: &mut u32,
        in_a_row: u32,
    ) -> Option<Waiting> {
        // The newest is next only until another one is run in its place: it is the last that came, if a fiber.
        let preferred = match fibers {
            FiberOrder::NewestFirst => waiting.iter().rposition(|waiting| waiting.1),
            FiberOrder::OneQueue => None,
            FiberOrder::FibersFirst => waiting.iter().position(|waiting| waiting.1),
        };
        let other = match fibers {
            FiberOrder::NewestFirst => (0..waiting.len()).find(|&at| Some(at) != preferred),
            FiberOrder::OneQueue => (!waiting.is_empty()).then_some(0),
            FiberOrder::FibersFirst => waiting.iter().position(|waiting| !waiting.1),
        };
        let at = match (preferred, other) {
            (Some(preferred), _) if *row < in_a_row => {
                *row += 1;
                preferred
            }
            (_, Some(other)) => {
                *row = 0;
                other
            }
            (preferred, None) => {
                let preferred = preferred?;
                *row = 0;
                preferred
            }
        };
        Some(waiting.remove(at))
    }

    proptest! {
        /// Against a list that is searched, for the two orders that a list can have.
        #[test]
        fn each_order_is_what_it_says(
            steps in prop::collection::vec(0..5_u8, 1..300),
            in_a_row in 1..5_u32,
            first in any::<bool>(),
        ) {
            let fibers = if first { FiberOrder::OneQueue } else { FiberOrder::FibersFirst };
            let mut queue = RunQueue::new(&Policy { fibers, in_a_row, ..Policy::default() });
            let (mut waiting, mut row) = (Vec::new(), 0);
            for (at, step) in (0..).zip(steps) {
                match step {
                    0 | 1 => {
                        queue.push(fiber(at));
                        waiting.push((at, true));
                    }
                    2 => {
                        queue.push_function(Call::new(Start::<Numbered>((at,)), kind::<Numbered>()));
                        waiting.push((at, false));
                    }
                    _ => {
                        let next = expected(fibers, &mut waiting, &mut row, in_a_row);
                        prop_assert_eq!(queue.pop().map(number), next);
                    }
                }
                prop_assert_eq!(queue.len(), waiting.len());
            }
        }

        /// Nothing is lost, and nothing waits longer than its bound, in any order.
        #[test]
        fn everything_is_popped_once_and_within_its_bound(
            steps in prop::collection::vec(0..5_u8, 1..300),
            in_a_row in 1..5_u32,
            which in 0..3_usize,
        ) {
            let fibers = Policy::NAMED[which].1;
            let mut queue = RunQueue::new(&Policy { fibers, in_a_row, ..Policy::default() });
            // Of each that waits: its number and kind, how many waited before it, and since how many pops.
            let mut waiting: Vec<(Waiting, u32, u32)> = Vec::new();
            let (mut pops, rounds) = (0, steps.len() as u32);
            for (at, step) in (0..).zip(steps.into_iter().chain(std::iter::repeat_n(4, 300))) {
                if step < 3 {
                    let is_fiber = step < 2;
                    if is_fiber {
                        queue.push(fiber(at));
                    } else {
                        queue.push_function(Call::new(Start::<Numbered>((at,)), kind::<Numbered>()));
                    }
                    waiting.push(((at, is_fiber), waiting.len() as u32, pops));
                    continue;
                }
                let next = queue.pop_newest().map(Runnable::Fiber).or_else(|| queue.pop());
                let Some(next) = next.map(number) else {
                    prop_assert!(waiting.is_empty());
                    continue;
                };
                pops += 1;
                let Some(at) = waiting.iter().position(|waiting| waiting.0 == next) else {
                    return Err(TestCaseError::fail(format!("{next:?} was popped twice")));
                };
                let (_, before, since) = waiting.remove(at);
                let bound = (before + 1) * (in_a_row + 1);
                prop_assert!(pops - since <= bound, "{next:?} waited for {} of {bound}", pops - since);
            }
            prop_assert!(waiting.is_empty(), "{} of {rounds} were lost", waiting.len());
        }
    }

    #[test]
    fn the_newest_runs_so_often_in_a_row_and_no_more() {
        let mut queue = RunQueue::new(&Policy { in_a_row: 3, ..Policy::default() });
        for number in 0..3 {
            queue.push(fiber(number));
        }
        let mut order = Vec::new();
        for number in 3..12 {
            let next = queue.pop_newest().map(Runnable::Fiber).or_else(|| queue.pop());
            order.extend(next.map(self::number).map(|(number, _)| number));
            queue.push(fiber(number));
        }
        // 0 and 1 have waited since before 2, and each that another was put before joins them.
        assert_eq!(order, [2, 3, 4, 0, 6, 7, 8, 1, 10]);
    }
}
