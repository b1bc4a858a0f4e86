//! A farm: copies of a stage that process batches at the same time.
//!
//! 1. `Gather` is on the node of the next stage and starts `Deal`, which is on the node of the previous one.
//!    `Deal` starts the copies, spread over the nodes. Each copy returns the address of its inlet.
//! 2. `Deal` numbers the batches. It sends each to the copy with the fewest batches under way, and none to a
//!    copy whose window is full. A copy returns a credit for each batch, so these numbers are exact.
//! 3. A copy is a stage like any other. It passes the number of a batch on to what it makes from it.
//! 4. `Gather` passes on the batches of an ordered farm by their numbers. A batch that came early waits, and
//!    its credit waits with it. So a copy cannot run further ahead than its window.
//! 5. After its last batch, `Deal` sends each copy an empty one, marked as the last, with the next numbers.
//!
//! The batch that `Gather` waits for is never stuck behind a full window: all batches dealt before it have
//! been passed on. Fewer of these than fill a window wait for a credit that several of them share.
//!
//! # Cost
//!
//! For each batch: two links more than for a stage, with at most four fibers and four messages.
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

use super::source::Travels;
use super::stage::RunStage;
use super::{Batch, Credit, Flow, Held, Inlet, Line, Outlet, Stage, Upstream};
use crate::{Arrived, Eu, Machine, Reply, Then, Wire, threaded};

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
    fn stages(&self) -> usize {
        self.before.stages() + self.copies
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
    fn stages(&self) -> usize {
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
    flow: Flow,
    from: Inlet<U::Item>,
    /// The links to the copies, when all copies have returned their addresses.
    copies: Vec<Outlet<U::Item>>,
    /// The copy after the one that got the previous batch.
    next: usize,
    /// Number of batches dealt, modulo 2^32.
    dealt: u32,
    /// Whether the last batch has been taken.
    ended: bool,
    stage: PhantomData<fn(S)>,
}

#[threaded(count = farm.copies)]
impl<U: Upstream, S: Stage<U::Item> + Clone> Deal<U, S> {
    fn start(farm: Farm<U, S>, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let Farm { before, stage, .. } = farm;
        let inlets = eu.replies(Self::meet().inlets);
        for copy in 0..count {
            let inlet = Dealt(inlets.at(copy));
            let node = line.copy(before.stages(), copy, count, eu.nodes());
            eu.invoke(node, RunStage::<Dealt<U::Item>, S>::call(inlet, stage.clone(), line, to));
        }
        let takes = eu.reply(Self::take().batch);
        before.begin(line, takes, eu);
        Deal {
            flow: line.flow,
            from: Inlet::new(),
            copies: Vec::new(),
            next: 0,
            dealt: 0,
            ended: false,
            stage: PhantomData,
        }
    }

    #[slot]
    fn meet(
        &mut self,
        #[inlets(count)] inlets: Arrived<'_, Reply<Batch<U::Item>>>,
        eu: &mut Eu<Self>,
    ) -> Then {
        let flow = self.flow;
        self.copies = inlets.map(|to| Outlet::exact(to, flow)).collect();
        self.deal(eu)
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        self.from.push(batch);
        self.deal(eu)
    }

    #[slots(len = count, again)]
    fn credit(&mut self, copy: usize, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.copies[copy].credit(credit);
        self.deal(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item> + Clone> Deal<U, S> {
    /// Deals waiting batches while a copy has room. A stopped farm drops them. After the last one, each copy
    /// gets an end.
    fn deal(&mut self, eu: &mut Eu<Self>) -> Then {
        let count = self.copies.len();
        let stopped = self.copies.iter().any(Outlet::is_stopped);
        while let Some(copy) = self.least_busy()
            && let Some((mut batch, is_dropped)) =
                self.from.next(self.copies[copy].is_open(), |batch| stopped || batch.items.is_empty())
        {
            if !is_dropped {
                let items = std::mem::take(&mut batch.items);
                let answer = eu.reply(Self::credit(copy).credit);
                self.copies[copy].send(items, self.dealt, false, answer, eu);
                self.dealt = self.dealt.wrapping_add(1);
                self.next = (copy + 1) % count;
            }
            self.ended = batch.is_last;
            batch.answer(stopped, eu);
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
    keeps_order: bool,
    /// Batches of an ordered farm that came early, by their numbers from `next` on.
    early: VecDeque<Option<Batch<S::Out>>>,
    /// Number of the next batch.
    next: u32,
    /// Batches to pass on, in this order.
    from: Inlet<S::Out>,
    to: Outlet<S::Out>,
    /// Number of copies that have not ended.
    left: usize,
}

#[threaded]
impl<U: Upstream, S: Stage<U::Item> + Clone> Gather<U, S> {
    fn start(farm: Farm<U, S>, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let Farm { copies, keeps_order, .. } = farm;
        let node = line.node(farm.before.stages(), eu.nodes());
        eu.invoke(node, Deal::call(farm, line, eu.reply(Self::take().batch)));
        Gather {
            keeps_order,
            early: VecDeque::new(),
            next: 0,
            from: Inlet::new(),
            to: Outlet::new(to, line.flow),
            left: copies,
        }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<S::Out>, eu: &mut Eu<Self>) -> Then {
        if self.keeps_order && !self.to.is_stopped() {
            let place = batch.number.wrapping_sub(self.next) as usize;
            self.early.resize_with(self.early.len().max(place + 1), || None);
            self.early[place] = Some(batch);
            while let Some(Some(batch)) = self.early.pop_front_if(|early| early.is_some()) {
                self.next = self.next.wrapping_add(1);
                self.from.push(batch);
            }
        } else {
            self.from.push(batch);
        }
        self.pass_on(eu)
    }

    #[slot(again)]
    fn credit(&mut self, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.to.credit(credit);
        if self.to.is_stopped() {
            // Batches that the copies drop leave gaps.
            self.early.drain(..).flatten().for_each(|batch| self.from.push(batch));
        }
        self.pass_on(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item> + Clone> Gather<U, S> {
    /// Passes on the batches that are next, while there are credits: those with items, and the end of the
    /// last copy. A stopped farm passes on that end alone.
    fn pass_on(&mut self, eu: &mut Eu<Self>) -> Then {
        let stopped = self.to.is_stopped();
        loop {
            let left = self.left;
            let is_end = |batch: &Batch<S::Out>| batch.is_last && left == 1;
            let is_dropped = |batch: &Batch<S::Out>| !is_end(batch) && (stopped || batch.items.is_empty());
            let Some((mut batch, is_dropped)) = self.from.next(self.to.is_open(), is_dropped) else { break };
            let is_last = is_end(&batch);
            self.left -= usize::from(batch.is_last);
            if !is_dropped {
                let items = if stopped { Vec::new() } else { std::mem::take(&mut batch.items) };
                let answer = eu.reply(Self::credit().credit);
                self.to.send(items, 0, is_last, answer, eu);
            }
            batch.answer(stopped, eu);
        }
        if self.to.is_over() { Then::End } else { Then::Wait }
    }
}
