//! A stage of a stream: an operation on each item, a batch at a time.

use std::collections::VecDeque;

use super::outlet::Outlet;
use super::{Batch, Credit, Held, Line, Upstream};
use crate::{Eu, Reply, Shared, Then, Wire, Work, threaded};

/// An operation on each item.
///
/// A closure implements it as [`Shared`], makes one item from each, and stays in its process.
pub trait Stage<In: Wire>: Wire {
    /// The items that the stage makes.
    type Out: Wire;

    /// Takes an item, and appends any number of resulting items.
    fn work(&mut self, item: In, out: &mut Vec<Self::Out>);

    /// Returns the cost of an item on a simulated machine; real machines ignore it.
    fn cost(&self, item: &In) -> Work {
        let _ = item;
        Work::Cycles(0)
    }

    /// Appends the remaining items after the last input. It is not called if the sink
    /// [has enough](super::Sink::has_enough) before that.
    fn end(&mut self, out: &mut Vec<Self::Out>) {
        let _ = out;
    }
}

impl<In: Wire, Out: Wire, F: Fn(In) -> Out + Send + Sync + 'static> Stage<In> for Shared<F> {
    type Out = Out;
    fn work(&mut self, item: In, out: &mut Vec<Out>) {
        out.push(self(item));
    }
}

/// The items that a stage makes from a stream: see [`through`](Upstream::through).
#[derive(Debug, Wire)]
pub struct Through<U, S> {
    before: U,
    stage: S,
}

impl<U, S> Through<U, S> {
    pub(super) fn new(before: U, stage: S) -> Self {
        Through { before, stage }
    }
}

impl<U: Upstream, S: Stage<U::Item>> Upstream for Through<U, S> {
    type Item = S::Out;
    type Held = U::Held;
    fn functions(&self) -> usize {
        self.before.functions() + 1
    }
    fn leave(&mut self, at: Reply<Reply<Batch<<U::Held as Held>::Item>>>) -> Option<U::Held> {
        self.before.leave(at)
    }
    fn begin(self, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu) {
        let node = line.node(self.functions(), eu);
        eu.invoke(node, RunStage::<U, S>::call(self.before, self.stage, line, to));
    }
}

/// The items that many stages make from a stream: see [`through_all`](Upstream::through_all).
#[derive(Debug, Wire)]
pub struct ThroughAll<U, S> {
    before: U,
    stages: Vec<S>,
}

impl<U, S> ThroughAll<U, S> {
    pub(super) fn new(before: U, stages: Vec<S>) -> Self {
        ThroughAll { before, stages }
    }
}

impl<U: Upstream, S: Stage<U::Item, Out = U::Item>> Upstream for ThroughAll<U, S> {
    type Item = U::Item;
    type Held = U::Held;
    fn functions(&self) -> usize {
        self.before.functions() + self.stages.len()
    }
    fn leave(&mut self, at: Reply<Reply<Batch<<U::Held as Held>::Item>>>) -> Option<U::Held> {
        self.before.leave(at)
    }
    fn begin(mut self, line: Line, to: Reply<Batch<U::Item>>, eu: &mut Eu) {
        let node = line.node(self.functions(), eu);
        match self.stages.pop() {
            Some(stage) => eu.invoke(node, RunStage::<Self, S>::call(self, stage, line, to)),
            None => self.before.begin(line, to, eu),
        }
    }
}

/// A running stage.
pub(super) struct RunStage<U: Upstream, S: Stage<U::Item>> {
    stage: S,
    to: Outlet<S::Out>,
    /// Batches that wait for a credit.
    waiting: VecDeque<Batch<U::Item>>,
    /// Whether no more items are needed.
    stopped: bool,
}

#[threaded]
impl<U: Upstream, S: Stage<U::Item>> RunStage<U, S> {
    pub(super) fn start(
        before: U,
        stage: S,
        line: Line,
        to: Reply<Batch<S::Out>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let takes = eu.reply(Self::take().batch);
        before.begin(line, takes, eu);
        let to = Outlet::new(to, line.flow.window);
        RunStage { stage, to, waiting: VecDeque::new(), stopped: false }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        self.waiting.push_back(batch);
        self.work(eu)
    }

    #[slot(again)]
    fn credit(&mut self, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.to.credit();
        self.stopped |= credit == Credit::Enough;
        self.work(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item>> RunStage<U, S> {
    /// Processes waiting batches while there are credits. A stopped stage drops them, and sends only its last
    /// batch.
    fn work(&mut self, eu: &mut Eu<Self>) -> Then {
        while let Some(batch) = self.waiting.front()
            && (self.to.is_open() || self.stopped && !batch.is_last)
            && let Some(Batch { items, credit, number, is_last }) = self.waiting.pop_front()
        {
            let mut out = Vec::new();
            if !self.stopped {
                out.reserve(items.len());
                for item in items {
                    eu.work(self.stage.cost(&item));
                    self.stage.work(item, &mut out);
                }
                if is_last {
                    self.stage.end(&mut out);
                }
            }
            if !self.stopped || is_last {
                let answer = eu.reply(Self::credit().credit);
                self.to.send(out, number, is_last, answer, eu);
            }
            eu.put(credit, Credit::of(self.stopped));
        }
        if self.to.is_over() { Then::End } else { Then::Wait }
    }
}
