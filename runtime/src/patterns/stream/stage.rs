//! A stage of a stream: an operation on each item, a batch at a time.

use super::{Batch, Credit, Held, Inlet, Line, Outlet, Upstream};
use crate::{Eu, Reply, Shared, Then, Wire, Work, threaded};

/// An operation on each item.
///
/// A closure implements it as [`Shared`], makes one item from each, and stays in its process.
pub trait Stage<In: Wire>: Wire {
    /// The items that the stage makes.
    type Out: Wire;

    /// Takes an item, and appends any number of resulting items.
    fn work(&mut self, item: In, out: &mut Vec<Self::Out>);

    /// Takes all items of a batch, as [`work`](Stage::work) one by one. A stage with little work for an item
    /// is faster if it appends the results of all items at once, by [`Vec::extend`]. Closures do.
    fn work_all(&mut self, items: &mut Vec<In>, out: &mut Vec<Self::Out>) {
        for item in items.drain(..) {
            self.work(item, out);
        }
    }

    /// Returns the cost of an item on a simulated machine; real machines ignore it. It is called for each
    /// item of a batch before the first of them is processed.
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
    fn work_all(&mut self, items: &mut Vec<In>, out: &mut Vec<Out>) {
        let each: &F = self;
        out.extend(items.drain(..).map(each));
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
    fn stages(&self) -> usize {
        self.before.stages() + 1
    }
    fn leave(&mut self, at: Reply<Reply<Batch<<U::Held as Held>::Item>>>) -> Option<U::Held> {
        self.before.leave(at)
    }
    fn begin(self, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu) {
        let node = line.node(self.stages(), eu.nodes());
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
    fn stages(&self) -> usize {
        self.before.stages() + self.stages.len()
    }
    fn leave(&mut self, at: Reply<Reply<Batch<<U::Held as Held>::Item>>>) -> Option<U::Held> {
        self.before.leave(at)
    }
    fn begin(mut self, line: Line, to: Reply<Batch<U::Item>>, eu: &mut Eu) {
        let node = line.node(self.stages(), eu.nodes());
        match self.stages.pop() {
            Some(stage) => eu.invoke(node, RunStage::<Self, S>::call(self, stage, line, to)),
            None => self.before.begin(line, to, eu),
        }
    }
}

/// A running stage.
pub(super) struct RunStage<U: Upstream, S: Stage<U::Item>> {
    stage: S,
    from: Inlet<U::Item>,
    to: Outlet<S::Out>,
    /// Memory of a processed batch, for the next one to send.
    spare: Vec<S::Out>,
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
        RunStage { stage, from: Inlet::new(), to: Outlet::new(to, line.flow), spare: Vec::new() }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        self.from.push(batch);
        self.work(eu)
    }

    #[slot(again)]
    fn credit(&mut self, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.to.credit(credit);
        self.work(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item>> RunStage<U, S> {
    /// Processes waiting batches while there are credits. A stopped stage drops them, and sends only its last
    /// batch.
    fn work(&mut self, eu: &mut Eu<Self>) -> Then {
        let stopped = self.to.is_stopped();
        while let Some((mut batch, is_dropped)) =
            self.from.next(self.to.is_open(), |batch| stopped && !batch.is_last)
        {
            if !is_dropped {
                let items = std::mem::take(&mut batch.items);
                let out = if stopped { Vec::new() } else { self.process(items, batch.is_last, eu) };
                let answer = eu.reply(Self::credit().credit);
                self.to.send(out, batch.number, batch.is_last, answer, eu);
            }
            batch.answer(stopped, eu);
        }
        if self.to.is_over() { Then::End } else { Then::Wait }
    }

    /// Returns the items that the stage makes of these.
    fn process(&mut self, mut items: Vec<U::Item>, is_last: bool, eu: &mut Eu<Self>) -> Vec<S::Out> {
        let mut out = std::mem::take(&mut self.spare);
        out.reserve(items.len());
        for item in &items {
            match self.stage.cost(item) {
                // A constant cost of 0 takes no time on real machines either.
                Work::Cycles(0) => {}
                cost => eu.work(cost),
            }
        }
        self.stage.work_all(&mut items, &mut out);
        if is_last {
            self.stage.end(&mut out);
        }
        self.spare = memory_of(items);
        out
    }
}

/// Returns an empty list with the memory of `list`, if its elements have the same size and alignment. The
/// standard library collects in place. So a batch is allocated once for all its stages.
fn memory_of<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}
