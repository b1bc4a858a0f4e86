//! The run queue of a node: enabled fibers and functions invoked there, in the order of its [`Policy`] (rule
//! 14 of ARCHITECTURE.md).
//!
//! In SPN the queue belongs to the merged unit, in DUAL to the execution unit. The same code applies the
//! order wherever fibers are picked. No order lets an entry wait forever.
//!
//! The fiber that was enabled last is stored apart from the others, in every order, so that enabling a fiber
//! is always the same few stores. The order limits how many times in a row that fiber may be next. If the
//! limit is 0, it joins the queue of the others before one of them is picked.
//!
//! Cost: enabling a fiber and picking the newest are in line; picking another one is a call.

mod chosen;
mod line;

use chosen::Chosen;
use line::WaitQueue;

use crate::node::frame::Ready;
use crate::vocabulary::choice::{FiberPolicy, WaitingWork};
use crate::vocabulary::custom::Custom;
use crate::vocabulary::policy::{FiberOrder, Policy};

/// The next work of a node: a fiber, or a function by its call, a `C`.
pub(crate) enum Runnable<C> {
    Fiber(Ready),
    Function(C),
}

/// The enabled fibers and invoked functions of one node; functions are held as their calls.
pub(crate) struct RunQueue<C> {
    /// The fiber that was enabled last, unless it has joined the others.
    newest: Option<Ready>,
    /// How many more times the newest fiber may be next before another entry has its turn.
    left: u32,
    in_a_row: u32,
    others: WaitQueue<C>,
    fibers: FiberOrder,
    /// For `FibersFirst`: how many more fibers may run before a waiting function has its turn, and the limit
    /// of such a row.
    fibers_left: u32,
    fibers_in_a_row: u32,
    /// The program's own order. It replaces `fibers`, and counts its entries in `others`.
    chosen: Option<Box<Chosen<C>>>,
}

impl<C> RunQueue<C> {
    pub(crate) fn new(policy: &Policy, own: Option<Custom<dyn FiberPolicy>>) -> Self {
        let newest_first = policy.fibers == FiberOrder::NewestFirst && own.is_none();
        let in_a_row = if newest_first { policy.in_a_row } else { 0 };
        RunQueue {
            newest: None,
            left: in_a_row,
            in_a_row,
            others: WaitQueue::new(),
            fibers: policy.fibers,
            fibers_left: policy.in_a_row,
            fibers_in_a_row: policy.in_a_row,
            chosen: own.map(|own| Box::new(Chosen::new(own, policy.in_a_row))),
        }
    }

    pub(crate) fn begin(&mut self) {
        (self.left, self.fibers_left) = (self.in_a_row, self.fibers_in_a_row);
        if let Some(chosen) = &mut self.chosen {
            chosen.begin();
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, fiber: Ready) {
        self.join_others();
        self.newest = Some(fiber);
    }

    #[inline(never)]
    pub(crate) fn push_function(&mut self, function: C) {
        self.join_others();
        self.others.push_function(function);
    }

    /// Adds a fiber that must not run before a waiting one.
    pub(crate) fn push_behind(&mut self, fiber: Ready) {
        self.push(fiber);
        self.join_others();
    }

    /// Moves the newest fiber to the others, because a newer entry has come.
    #[inline(always)]
    fn join_others(&mut self) {
        if let Some(older) = &self.newest {
            if !seeded!(FiberLost) {
                self.others.push_fiber(*older);
            }
            self.newest = None;
        }
    }

    /// Returns the fiber that was enabled last, if it has not joined the others.
    #[inline(always)]
    pub(super) fn newest(&self) -> Option<&Ready> {
        self.newest.as_ref()
    }

    #[inline(always)]
    pub(super) fn newest_is_next(&self) -> bool {
        self.left > 0
    }

    /// Removes the newest fiber, which the caller runs.
    #[inline(always)]
    pub(super) fn forget_newest(&mut self) {
        self.left -= u32::from(!seeded!(NewestForEver));
        self.newest = None;
    }

    /// Takes the newest fiber, if there is one and it is next.
    #[inline(always)]
    pub(super) fn pop_newest(&mut self) -> Option<Ready> {
        let newest = self.newest.filter(|_| self.newest_is_next())?;
        self.forget_newest();
        Some(newest)
    }

    /// Returns the fiber that is next when there is no newest one, if it can be found at once.
    #[inline(always)]
    pub(super) fn oldest(&self) -> Option<&Ready> {
        if self.in_a_row > 0 && self.newest.is_none() { self.others.next_fiber() } else { None }
    }

    /// Removes the [oldest](Self::oldest) fiber, which the caller runs.
    #[inline(always)]
    pub(super) fn forget_oldest(&mut self) {
        self.left = self.in_a_row;
        self.others.forget_fiber();
    }

    pub(crate) fn pop(&mut self) -> Option<Runnable<C>> {
        if let Some(newest) = self.pop_newest() {
            return Some(Runnable::Fiber(newest));
        }
        if self.in_a_row == 0 {
            self.join_others();
        }
        self.left = self.in_a_row;
        let picked = match self.fibers {
            FiberOrder::NewestFirst | FiberOrder::OneQueue => self.others.pop(),
            FiberOrder::FibersFirst => self.pick_fibers_first(),
        };
        picked.or_else(|| self.newest.take().map(Runnable::Fiber))
    }

    /// Whether the order is the program's own, so that [`choose`](Self::choose) takes the place of
    /// [`pop`](Self::pop).
    #[inline(always)]
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// Takes the entry that the program's own order selects. `about` describes an entry.
    pub(crate) fn choose(&mut self, about: impl Fn(&Runnable<C>) -> WaitingWork) -> Option<Runnable<C>> {
        self.join_others();
        let chosen = self.chosen.as_mut()?;
        while let Some(entry) = self.others.set_apart() {
            let about = about(&entry);
            chosen.add(entry, about);
        }
        let taken = chosen.take()?;
        self.others.forget_apart();
        Some(taken)
    }

    /// Takes the oldest fiber, so that few frames are live at once. Takes the oldest function if no fiber
    /// waits or a function has its turn.
    fn pick_fibers_first(&mut self) -> Option<Runnable<C>> {
        let turn = self.fibers_left == 0 && !seeded!(FunctionsWait) || !self.others.has_fibers();
        let function = if turn { self.others.pop_function() } else { None };
        let left = self.fibers_left.checked_sub(1).filter(|_| function.is_none());
        let picked = function.or_else(|| self.others.pop_fiber())?;
        self.fibers_left = left.unwrap_or(self.fibers_in_a_row);
        Some(picked)
    }

    /// Whether a fiber may run before one that was enabled earlier.
    pub(crate) fn reorders_fibers(&self) -> bool {
        self.in_a_row > 0
    }

    /// Whether anything waits besides the newest fiber.
    #[inline(always)]
    pub(super) fn has_others(&self) -> bool {
        self.others.len() > 0
    }

    /// Returns how many fibers and functions wait.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.others.len() + usize::from(self.newest.is_some())
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_none() && !self.has_others()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::address::FrameId;

    /// A waiting entry in the model: its number, and whether it is a fiber.
    type Waiting = (u32, bool);

    fn fiber(number: u32) -> Ready {
        Ready::spawned(FrameId::ROOT, 0, number, 0)
    }

    /// Returns the model's entry for a runnable of a queue whose calls are numbers.
    fn number(runnable: &Runnable<u32>) -> Waiting {
        match runnable {
            Runnable::Fiber(ready) => (ready.index(), true),
            Runnable::Function(number) => (*number, false),
        }
    }

    /// Returns the entry that the policy selects, by a linear search.
    fn expected(
        fibers: FiberOrder,
        waiting: &mut Vec<Waiting>,
        row: &mut u32,
        in_a_row: u32,
    ) -> Option<Waiting> {
        // In `NewestFirst` the last fiber that came is next, until another entry is run instead.
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
        /// Compares two orders with a list that is searched.
        #[test]
        fn each_order_is_what_it_says(
            steps in prop::collection::vec(0..5_u8, 1..300),
            in_a_row in 1..5_u32,
            first in any::<bool>(),
        ) {
            let fibers = if first { FiberOrder::OneQueue } else { FiberOrder::FibersFirst };
            let mut queue = RunQueue::new(&Policy { fibers, in_a_row, ..Policy::default() }, None);
            let (mut waiting, mut row) = (Vec::new(), 0);
            for (at, step) in (0..).zip(steps) {
                match step {
                    0 | 1 => {
                        queue.push(fiber(at));
                        waiting.push((at, true));
                    }
                    2 => {
                        queue.push_function(at);
                        waiting.push((at, false));
                    }
                    _ => {
                        let next = expected(fibers, &mut waiting, &mut row, in_a_row);
                        prop_assert_eq!(queue.pop().as_ref().map(number), next);
                    }
                }
                prop_assert_eq!(queue.len(), waiting.len());
            }
        }

        /// In every order each entry is popped once and within its bound.
        #[test]
        fn everything_is_popped_once_and_within_its_bound(
            steps in prop::collection::vec(0..5_u8, 1..300),
            in_a_row in 1..5_u32,
            which in 0..3_usize,
        ) {
            let fibers = Policy::NAMED[which].1;
            let mut queue = RunQueue::new(&Policy { fibers, in_a_row, ..Policy::default() }, None);
            // Of each waiting entry: its number and kind, how many waited before it, and the number of pops
            // when it came.
            let mut waiting: Vec<(Waiting, u32, u32)> = Vec::new();
            let (mut pops, rounds) = (0, steps.len() as u32);
            for (at, step) in (0..).zip(steps.into_iter().chain(std::iter::repeat_n(4, 300))) {
                if step < 3 {
                    let is_fiber = step < 2;
                    if is_fiber {
                        queue.push(fiber(at));
                    } else {
                        queue.push_function(at);
                    }
                    waiting.push(((at, is_fiber), waiting.len() as u32, pops));
                    continue;
                }
                let next = queue.pop_newest().map(Runnable::Fiber).or_else(|| queue.pop());
                let Some(next) = next.as_ref().map(number) else {
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

    proptest! {
        /// Looking at the oldest fiber first does not change the order.
        #[test]
        fn the_oldest_is_what_is_next(
            steps in prop::collection::vec(0..6_u8, 1..300),
            in_a_row in 1..5_u32,
            which in 0..3_usize,
        ) {
            let fibers = Policy::NAMED[which].1;
            let policy = Policy { fibers, in_a_row, ..Policy::default() };
            let (mut queue, mut looked_at) = (RunQueue::new(&policy, None), RunQueue::new(&policy, None));
            for (at, step) in (0..).zip(steps) {
                if step < 3 {
                    for queue in [&mut queue, &mut looked_at] {
                        if step < 2 { queue.push(fiber(at)) } else { queue.push_function(at) }
                    }
                    continue;
                }
                let next = queue.pop_newest().map(Runnable::Fiber).or_else(|| queue.pop());
                let found = if let Some(&oldest) = looked_at.oldest() {
                    looked_at.forget_oldest();
                    Some(Runnable::Fiber(oldest))
                } else {
                    looked_at.pop_newest().map(Runnable::Fiber).or_else(|| looked_at.pop())
                };
                prop_assert_eq!(found.as_ref().map(number), next.as_ref().map(number));
                prop_assert_eq!(looked_at.len(), queue.len());
            }
        }
    }

    #[test]
    fn the_newest_runs_so_often_in_a_row_and_no_more() {
        let mut queue = RunQueue::new(&Policy { in_a_row: 3, ..Policy::default() }, None);
        for number in 0..3 {
            queue.push(fiber(number));
        }
        let mut order = Vec::new();
        for number in 3..12 {
            let next = queue.pop_newest().map(Runnable::Fiber).or_else(|| queue.pop());
            order.extend(next.as_ref().map(self::number).map(|(number, _)| number));
            queue.push(fiber(number));
        }
        // 0 and 1 have waited since before 2, and each fiber joins them when a newer one is pushed.
        assert_eq!(order, [2, 3, 4, 0, 6, 7, 8, 1, 10]);
    }
}
