//! Items through stages: typed, in batches, in order, bounded in flight, with an end.
//!
//! 1. The sink starts the last stage, the last stage starts the one before it, and so on to the source of the
//!    items. Each is a function that receives the destination of its batches as an argument. Consecutive
//!    functions are on the same node where possible.
//! 2. A link between two functions has a window of batches. Each batch carries the address of a slot, its
//!    credit, which its receiver signals as soon as it has taken the batch. A sender whose window is full
//!    makes no more batches until a credit returns.
//! 3. The last batch is marked as the last. A function ends when it has sent its last batch and all its
//!    credits are back, so no credit reaches an ended frame.
//!
//! Messages from one node to another arrive in the order in which they were sent, so the items stay in order.
//!
//! # Cost
//!
//! For each batch and link: two fibers, and two messages if the link leads to another node (the batch and its
//! credit). For each function: a frame and an invoke. With a window of more than four batches: one more fiber
//! for every four batches of the first window. At most one window of batches waits at a link.
//!
//! # When it loses
//!
//! If a batch is less work than its two messages: make batches larger. The slowest stage limits unequal
//! stages.

use std::collections::VecDeque;
use std::marker::PhantomData;

use crate::{Eu, NodeId, Reply, Shared, SlotRef, Then, Wire, Work, threaded};

/// The back-pressure of a stream: limits for each link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Flow {
    /// The number of items of each batch except the last. Numbers above [`MOST_ITEMS`](Flow::MOST_ITEMS) are
    /// reduced to it.
    pub batch: usize,
    /// The number of batches that may be sent before a credit for one of them returns. Batches that the next
    /// stage has not taken are parked at its inlet, where the machine's
    /// [limit](crate::Machine::parking_limit) applies.
    pub window: usize,
}

impl Flow {
    /// The largest number of items of a batch, because one fiber makes all of them.
    pub const MOST_ITEMS: usize = 1 << 20;
}

/// The largest number of batches that one fiber makes, because a cancelled run ends between two fibers.
const MAX_BATCHES_PER_FIBER: usize = 4;

impl Default for Flow {
    /// Batches of 256 items, four of them at each link.
    fn default() -> Self {
        Flow { batch: 256, window: 4 }
    }
}

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

    /// Appends the remaining items after the last input.
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

/// The receiver of the items at the end of a stream.
pub trait Sink<T: Wire>: Wire {
    /// The result after the last item.
    type Output: Wire;

    /// Takes an item.
    fn take(&mut self, item: T);

    /// Returns the result after the last item.
    fn finish(&mut self) -> Self::Output;
}

/// A list collects all items.
impl<T: Wire> Sink<T> for Vec<T> {
    type Output = Vec<T>;
    fn take(&mut self, item: T) {
        self.push(item);
    }
    fn finish(&mut self) -> Vec<T> {
        std::mem::take(self)
    }
}

/// Items under way.
#[derive(Debug, Wire)]
pub struct Batch<T: Wire> {
    items: Vec<T>,
    is_last: bool,
    /// The slot to signal when the batch has been taken.
    credit: SlotRef,
}

/// A stream without its sink: a source of items.
pub trait Upstream: Wire {
    /// The items of the stream.
    type Item: Wire;

    /// Returns its number of functions.
    #[doc(hidden)]
    fn functions(&self) -> usize;

    /// Starts the last of its functions, which starts its predecessors. Its batches go to `to`.
    #[doc(hidden)]
    fn begin(self, line: Line, to: Reply<Batch<Self::Item>>, eu: &mut Eu);

    /// Returns the stream of the items that `stage` makes.
    fn through<S: Stage<Self::Item>>(self, stage: S) -> Through<Self, S> {
        Through { before: self, stage }
    }

    /// Returns the stream of the items after many stages, one after another.
    fn through_all<S: Stage<Self::Item, Out = Self::Item>>(self, stages: Vec<S>) -> ThroughAll<Self, S> {
        ThroughAll { before: self, stages }
    }
}

/// Data that all functions of a stream share.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Line {
    flow: Flow,
    /// Node of the sink.
    sink: NodeId,
    /// Number of functions, including the sink.
    functions: usize,
}

impl Line {
    /// Returns the node of the last function of a stream with `functions` functions.
    fn node(self, functions: usize, eu: &Eu) -> NodeId {
        let before_sink = self.functions - functions;
        NodeId::new((self.sink.index() + before_sink * eu.nodes() / self.functions) % eu.nodes())
    }
}

/// Returns the stream of an iterator's items. The iterator travels to the node that runs it.
pub fn items<I: Iterator<Item: Wire> + Wire>(items: I) -> Items<I> {
    Items(items)
}

/// Items from an iterator: see [`items`].
#[derive(Debug, Wire)]
pub struct Items<I>(I);

impl<I: Iterator<Item: Wire> + Wire> Upstream for Items<I> {
    type Item = I::Item;
    fn functions(&self) -> usize {
        1
    }
    fn begin(self, line: Line, to: Reply<Batch<I::Item>>, eu: &mut Eu) {
        eu.invoke(line.node(1, eu), Source::call(self.0, line.flow, to));
    }
}

/// The items that a stage makes from a stream: see [`through`](Upstream::through).
#[derive(Debug, Wire)]
pub struct Through<U, S> {
    before: U,
    stage: S,
}

impl<U: Upstream, S: Stage<U::Item>> Upstream for Through<U, S> {
    type Item = S::Out;
    fn functions(&self) -> usize {
        self.before.functions() + 1
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

impl<U: Upstream, S: Stage<U::Item, Out = U::Item>> Upstream for ThroughAll<U, S> {
    type Item = U::Item;
    fn functions(&self) -> usize {
        self.before.functions() + self.stages.len()
    }
    fn begin(mut self, line: Line, to: Reply<Batch<U::Item>>, eu: &mut Eu) {
        let node = line.node(self.functions(), eu);
        match self.stages.pop() {
            Some(stage) => eu.invoke(node, RunStage::<Self, S>::call(self, stage, line, to)),
            None => self.before.begin(line, to, eu),
        }
    }
}

/// Makes batches of an iterator's items.
struct Source<I: Iterator<Item: Wire> + Wire> {
    items: I,
    flow: Flow,
    to: Reply<Batch<I::Item>>,
    under_way: usize,
    /// Whether a run of the fiber `fill` is pending.
    fills: bool,
    ended: bool,
}

#[threaded]
impl<I: Iterator<Item: Wire> + Wire> Source<I> {
    fn start(items: I, flow: Flow, to: Reply<Batch<I::Item>>, eu: &mut Eu<Self>) -> Self {
        let mut source = Source { items, flow, to, under_way: 0, fills: false, ended: false };
        source.send(MAX_BATCHES_PER_FIBER, eu);
        source
    }

    /// Continues to fill the window.
    #[slot(sync, again)]
    fn fill(&mut self, eu: &mut Eu<Self>) -> Then {
        self.fills = false;
        self.send(MAX_BATCHES_PER_FIBER, eu);
        self.then()
    }

    #[slot(sync, again)]
    fn credit(&mut self, eu: &mut Eu<Self>) -> Then {
        self.under_way -= 1;
        self.send(1, eu);
        self.then()
    }
}

impl<I: Iterator<Item: Wire> + Wire> Source<I> {
    /// Sends up to `most` batches while the window has room and the last batch has not been sent. If the
    /// window still has room, the fiber `fill` sends the next ones.
    fn send(&mut self, most: usize, eu: &mut Eu<Self>) {
        for _ in 0..most {
            if self.ended || self.under_way >= self.flow.window {
                return;
            }
            let items: Vec<_> = self.items.by_ref().take(self.flow.batch).collect();
            self.ended = items.len() < self.flow.batch;
            self.under_way += 1;
            eu.put(self.to, Batch { items, is_last: self.ended, credit: eu.slot_ref(Self::credit()) });
        }
        if !self.fills && !self.ended && self.under_way < self.flow.window {
            self.fills = true;
            eu.sync(Self::fill());
        }
    }

    /// Returns whether the source ends: the credits of all its batches are back.
    fn then(&self) -> Then {
        if self.under_way > 0 || self.fills { Then::Wait } else { Then::End }
    }
}

/// A running stage.
struct RunStage<U: Upstream, S: Stage<U::Item>> {
    stage: S,
    window: usize,
    to: Reply<Batch<S::Out>>,
    /// Batches that wait for a credit.
    waiting: VecDeque<Batch<U::Item>>,
    under_way: usize,
    ended: bool,
}

#[threaded]
impl<U: Upstream, S: Stage<U::Item>> RunStage<U, S> {
    fn start(before: U, stage: S, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let takes = eu.reply(Self::take().batch);
        before.begin(line, takes, eu);
        RunStage { stage, window: line.flow.window, to, waiting: VecDeque::new(), under_way: 0, ended: false }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        self.waiting.push_back(batch);
        self.work(eu)
    }

    #[slot(sync, again)]
    fn credit(&mut self, eu: &mut Eu<Self>) -> Then {
        self.under_way -= 1;
        self.work(eu)
    }
}

impl<U: Upstream, S: Stage<U::Item>> RunStage<U, S> {
    /// Processes waiting batches while there are credits.
    fn work(&mut self, eu: &mut Eu<Self>) -> Then {
        while self.under_way < self.window
            && let Some(Batch { items, is_last, credit }) = self.waiting.pop_front()
        {
            let mut out = Vec::with_capacity(items.len());
            for item in items {
                eu.work(self.stage.cost(&item));
                self.stage.work(item, &mut out);
            }
            if is_last {
                self.stage.end(&mut out);
                self.ended = true;
            }
            self.under_way += 1;
            eu.put(self.to, Batch { items: out, is_last, credit: eu.slot_ref(Self::credit()) });
            eu.rsync(credit);
        }
        if self.ended && self.under_way == 0 { Then::End } else { Then::Wait }
    }
}

/// A stream with its sink. Its result is the sink's result after the last item.
///
/// ```
/// use earth::patterns::{Flow, Streams, Upstream, items};
/// use earth::{Machine, Shared};
///
/// let lengths = items(0..1000u64)
///     .through(Shared::new(|number: u64| number.to_string()))
///     .through(Shared::new(|text: String| text.len() as u64));
/// let run = Machine::threads(2).run(|out| Streams::call(lengths, Vec::new(), Flow::default(), out))?;
/// assert_eq!(run.value.iter().sum::<u64>(), 10 + 2 * 90 + 3 * 900);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Streams<U: Upstream, K: Sink<U::Item>> {
    sink: K,
    out: Reply<K::Output>,
    takes: PhantomData<fn(U)>,
}

#[threaded]
impl<U: Upstream, K: Sink<U::Item>> Streams<U, K> {
    /// Passes the items of `stream` to `sink`, and puts the sink's result to `out`.
    ///
    /// # Panics
    ///
    /// If `flow.batch` or `flow.window` is 0.
    pub fn start(stream: U, sink: K, flow: Flow, out: Reply<K::Output>, eu: &mut Eu<Self>) -> Self {
        assert!(
            flow.batch > 0 && flow.window > 0,
            "a stream needs at least one item per batch and one batch per window"
        );
        let flow = Flow { batch: flow.batch.min(Flow::MOST_ITEMS), ..flow };
        let takes = eu.reply(Self::take().batch);
        let line = Line { flow, sink: eu.node(), functions: stream.functions() + 1 };
        stream.begin(line, takes, eu);
        Streams { sink, out, takes: PhantomData }
    }

    #[slot(again)]
    fn take(&mut self, batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        batch.items.into_iter().for_each(|item| self.sink.take(item));
        eu.rsync(batch.credit);
        if !batch.is_last {
            return Then::Wait;
        }
        eu.put(self.out, self.sink.finish());
        Then::End
    }
}
