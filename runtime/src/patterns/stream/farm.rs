//! A farm: copies of a stage that process batches at the same time.
//!
//! 1. `Gather` is on the node of the next stage and starts `Deal`, which is on the node of the previous one.
//!    `Deal` starts the copies on consecutive nodes. Each copy returns the address of its inlet.
//! 2. `Deal` numbers the batches. It sends each to the copy with the fewest batches under way, and none to a
//!    copy whose window is full.
//! 3. A copy is a stage like any other. It passes the number of a batch on to what it makes from it.
//! 4. `Gather` passes on the batches of an ordered farm by their numbers. A batch that came early waits, and
//!    its credit waits with it. So a copy cannot run further ahead than its window.
//! 5. After its last batch, `Deal` sends each copy an empty one, marked as the last, with the next numbers.
//!
//! The batch that `Gather` waits for is never stuck behind a full window: all batches dealt before it have
//! been passed on, and their credits are back.
//!
//! # Cost
//!
//! For each batch: two links more than for a stage, with four fibers and up to four messages.
//!
//! Once: a frame, an invoke and a put per copy; two frames, two invokes and three fibers for the farm. At its
//! end a farm of n copies has n more batches.
//!
//! # When it loses
//!
//! If another stage is slower, the two links only cost. A stage whose items depend on previous ones cannot be
//! copied.

use std::collections::VecDeque;
use std::marker::PhantomData;

use super::outlet::Outlet;
use super::source::Travels;
use super::stage::RunStage;
use super::{Batch, Credit, Held, Line, Stage, Upstream};
use crate::{Arrived, Eu, Machine, NodeId, Reply, Then, Wire, threaded};

/// The items that copies of a stage make from a stream: see [`farm`](Upstream::farm).
#[derive(Debug, Wire)]
pub struct Farm<U, S> {
    before: U,
    stage: S,
    copies: usize,
    keeps_order: bool,
}

impl<U, S> Farm<U, S> {
    pub(super) fn new(before: U, stage: S, copies: usize, keeps_order: bool) -> Self {
        let most = Machine::MOST_NODES;
        assert!((1..=most).contains(&copies), "a farm has 1 to {most} copies of its stage, not {copies}");
        Farm { before, stage, copies, keeps_order }
    }
}

impl<U: Upstream, S: Stage<U::Item> + Clone> Upstream for Farm<U, S> {
    type Item = S::Out;
    type Held = U::Held;
    fn functions(&self) -> usize {
        self.before.functions() + self.copies
    }
    fn leave(&mut self, at: Reply<Reply<Batch<<U::Held as Held>::Item>>>) -> Option<U::Held> {
        self.before.leave(at)
    }
    fn begin(self, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu) {
        eu.invoke(to.node(), Gather::call(self, line, to));
    }
}

/// The previous function of a copy. It is there already, and takes the address of the copy's inlet.
#[derive(Debug, Wire)]
struct Dealt<T: Wire>(Reply<Reply<Batch<T>>>);

impl<T: Wire> Upstream for Dealt<T> {
    type Item = T;
    type Held = Travels;
    fn functions(&self) -> usize {
        0
    }
    fn leave(&mut self, _: Reply<Reply<Batch<()>>>) -> Option<Travels> {
        None
    }
    fn begin(self, _: Line, to: Reply<Batch<T>>, eu: &mut Eu) {
        eu.put(self.0, to);
    }
}

/// Deals the batches to the copies.
struct Deal<U: Upstream, S> {
    window: usize,
    /// The links to the copies, when all copies have returned their addresses.
    copies: Vec<Outlet<U::Item>>,
    /// The copy after the one that got the previous batch.
    next: usize,
    /// Batches that wait for a credit.
    waiting: VecDeque<Batch<U::Item>>,
    /// Number of batches dealt, modulo 2^32.
    dealt: u32,
    /// Whether the last batch has been taken.
    ended: bool,
    /// Whether no more items are needed.
    stopped: bool,
    stage: PhantomData<fn(S)>,
}

#[threaded(count = farm.copies)]
impl<U: Upstream, S: Stage<U::Item> + Clone> Deal<U, S> {
    fn start(farm: Farm<U, S>, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let Farm { before, stage, .. } = farm;
        let first = line.node(before.functions() + count, eu).index();
        let inlets = eu.replies(Self::meet().inlets);
        for copy in 0..count {
            let node = NodeId::new((first + copy) % eu.nodes());
            let inlet = Dealt(inlets.at(copy));
            eu.invoke(node, RunStage::<Dealt<U::Item>, S>::call(inlet, stage.clone(), line, to));
        }
        let takes = eu.reply(Self::take().batch);
        before.begin(line, takes, eu);
        Deal {
            window: line.flow.window,
            copies: Vec::new(),
            next: 0,
            waiting: VecDeque::new(),
            dealt: 0,
            ended: false,
            stopped: false,
            stage: PhantomData,
        }
    }

    #[slot]
    fn meet(
        &mut self,
        #[inlets(count)] inlets: Arrived<'_, Reply<Batch<U::Item>>>,
        eu: &mut Eu<Self>,
    ) -> Then {
        let window = self.window;
        self.copies = inlets.map(|to| Outlet::new(to, window)).collect();
        self.deal(eu)
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        self.waiting.push_back(batch);
        self.deal(eu)
    }

    #[slots(len = count, again)]
    fn credit(&mut self, copy: usize, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.copies[copy].credit();
        self.stopped |= credit == Credit::Enough;
        self.deal(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item> + Clone> Deal<U, S> {
    /// Deals waiting batches while a copy has room. A stopped farm drops them. After the last one, each copy
    /// gets an end.
    fn deal(&mut self, eu: &mut Eu<Self>) -> Then {
        let count = self.copies.len();
        while let Some(copy) = self.least_busy()
            && (self.stopped || self.copies[copy].is_open())
            && let Some(Batch { items, credit, is_last, .. }) = self.waiting.pop_front()
        {
            if !self.stopped && !items.is_empty() {
                let answer = eu.reply(Self::credit(copy).credit);
                self.copies[copy].send(items, self.dealt, false, answer, eu);
                self.dealt = self.dealt.wrapping_add(1);
                self.next = (copy + 1) % count;
            }
            self.ended = is_last;
            eu.put(credit, Credit::of(self.stopped));
        }
        if !self.ended {
            return Then::Wait;
        }
        for copy in 0..count {
            if self.copies[copy].is_open() {
                let answer = eu.reply(Self::credit(copy).credit);
                let number = self.dealt.wrapping_add(copy as u32);
                self.copies[copy].send(Vec::new(), number, true, answer, eu);
            }
        }
        if self.copies.iter().all(Outlet::is_over) { Then::End } else { Then::Wait }
    }

    /// Returns the copy with the fewest batches under way; among equal ones, the one whose turn comes first.
    fn least_busy(&self) -> Option<usize> {
        let count = self.copies.len();
        let turns = (0..count).map(|turn| (self.next + turn) % count);
        turns.min_by_key(|&copy| self.copies[copy].under_way())
    }
}

/// Gathers what the copies make.
struct Gather<U: Upstream, S: Stage<U::Item>> {
    to: Outlet<S::Out>,
    /// Number of copies that have not ended.
    left: usize,
    keeps_order: bool,
    /// Batches to pass on, in this order. `None` has not come yet.
    waiting: VecDeque<Option<Batch<S::Out>>>,
    /// Number of the first of these.
    next: u32,
    /// Number of batches passed on, modulo 2^32.
    passed: u32,
    /// Whether no more items are needed.
    stopped: bool,
}

#[threaded]
impl<U: Upstream, S: Stage<U::Item> + Clone> Gather<U, S> {
    fn start(farm: Farm<U, S>, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let Farm { copies, keeps_order, .. } = farm;
        let node = line.node(farm.before.functions(), eu);
        eu.invoke(node, Deal::call(farm, line, eu.reply(Self::take().batch)));
        Gather {
            to: Outlet::new(to, line.flow.window),
            left: copies,
            keeps_order,
            waiting: VecDeque::new(),
            next: 0,
            passed: 0,
            stopped: false,
        }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<S::Out>, eu: &mut Eu<Self>) -> Then {
        if self.keeps_order && !self.stopped {
            let place = batch.number.wrapping_sub(self.next) as usize;
            self.waiting.resize_with(self.waiting.len().max(place + 1), || None);
            self.waiting[place] = Some(batch);
        } else {
            self.waiting.push_back(Some(batch));
        }
        self.pass_on(eu)
    }

    #[slot(again)]
    fn credit(&mut self, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.to.credit();
        self.stopped |= credit == Credit::Enough;
        if self.stopped {
            // Batches that the copies drop leave gaps.
            self.waiting.retain(Option::is_some);
        }
        self.pass_on(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item> + Clone> Gather<U, S> {
    /// Passes on the batches that are next, while there are credits: those with items, and the end of the
    /// last copy. A stopped farm passes on that end alone.
    fn pass_on(&mut self, eu: &mut Eu<Self>) -> Then {
        while let Some(Some(batch)) = self.waiting.front() {
            let is_last = batch.is_last && self.left == 1;
            let passes = is_last || !self.stopped && !batch.items.is_empty();
            if passes && !self.to.is_open() {
                break;
            }
            let Some(Some(batch)) = self.waiting.pop_front() else { break };
            self.next = self.next.wrapping_add(1);
            self.left -= usize::from(batch.is_last);
            if passes {
                let items = if self.stopped { Vec::new() } else { batch.items };
                let answer = eu.reply(Self::credit().credit);
                self.to.send(items, self.passed, is_last, answer, eu);
                self.passed = self.passed.wrapping_add(1);
            }
            eu.put(batch.credit, Credit::of(self.stopped));
        }
        if self.to.is_over() { Then::End } else { Then::Wait }
    }
}
