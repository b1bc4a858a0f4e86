//! Items through stages: typed, in batches, in order, bounded in flight, with an end.
//!
//! 1. The sink starts the last stage, that one the stage before it, and so on to the items. Each is a function, and is told where its
//!    batches go; those that follow each other lie on the same node as far as can be.
//! 2. A link between two of them has a window of so many batches. Each batch carries the address of a slot, its credit, which its
//!    receiver signals as soon as it has taken the batch up. Who has as many batches out as the window
//!    allows makes no more until a credit comes back.
//! 3. The last batch says that it is the last. A function ends when it has sent that and all its credits are back, so no credit finds
//!    a frame that has ended.
//!
//! What a node sends another arrives in the order in which it was sent, so the items come in order.
//!
//! # Cost
//!
//! A batch and link: two fibers, and if the link leads to another node two messages, the batch and its credit back. A frame and an
//! invoke for each function. With a window of more than four batches, one fiber more for every four batches of the first
//! window. At most the window's number of batches wait at a link.
//!
//! # When it loses
//!
//! When a batch is less work than its two messages: make batches larger. Stages that are unequal wait for the slowest one.

use std::collections::VecDeque;
use std::marker::PhantomData;

use crate::{Eu, NodeId, Reply, Shared, SlotRef, Then, Wire, Work, threaded};

/// How much may be under way at each link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Flow {
    /// The number of items of each batch but the last. A number above [`MOST_ITEMS`](Flow::MOST_ITEMS) counts as that one.
    pub batch: usize,
    /// The number of batches that may be sent before a credit for one of them is back. Batches that no stage has taken up
    /// are parked at its inlet, where the [limit](crate::Machine::parking_limit) of the machine holds.
    pub window: usize,
}

impl Flow {
    /// The most items of a batch: one fiber makes all of them.
    pub const MOST_ITEMS: usize = 1 << 20;
}

/// The most batches that one fiber makes: a run that is cancelled ends between two fibers.
const AT_ONCE: usize = 4;

impl Default for Flow {
    /// Batches of 256 items, four of them at each link.
    fn default() -> Self {
        Flow { batch: 256, window: 4 }
    }
}

/// What becomes of each item.
///
/// A closure has it as [`Shared`], makes one item of each, and stays in its process.
pub trait Stage<In: Wire>: Wire {
    /// What comes out.
    type Out: Wire;

    /// Takes an item, and appends what it makes of it: any number of items.
    fn work(&mut self, item: In, out: &mut Vec<Self::Out>);

    /// What it costs to take an item on a simulated machine; a real one takes what it takes.
    fn cost(&self, item: &In) -> Work {
        let _ = item;
        Work::Cycles(0)
    }

    /// Appends what is left after the last item.
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

/// What takes the items at the end of a stream.
pub trait Sink<T: Wire>: Wire {
    /// What it says after the last item.
    type Said: Wire;

    /// Takes an item.
    fn take(&mut self, item: T);

    /// What it says after the last item.
    fn said(&mut self) -> Self::Said;
}

/// A list takes all items.
impl<T: Wire> Sink<T> for Vec<T> {
    type Said = Vec<T>;
    fn take(&mut self, item: T) {
        self.push(item);
    }
    fn said(&mut self) -> Vec<T> {
        std::mem::take(self)
    }
}

/// Items under way.
#[derive(Debug, Wire)]
pub struct Batch<T: Wire> {
    items: Vec<T>,
    is_last: bool,
    /// The slot that is signalled when it has been taken up.
    credit: SlotRef,
}

/// A stream without its sink: where items come from.
pub trait Upstream: Wire {
    /// What comes.
    type Item: Wire;

    /// How many functions it has.
    #[doc(hidden)]
    fn functions(&self) -> usize;

    /// Starts the last of its functions, which starts those before it. Its batches go to `to`.
    #[doc(hidden)]
    fn begin(self, line: Line, to: Reply<Batch<Self::Item>>, eu: &mut Eu);

    /// The stream of what `stage` makes of the items.
    fn through<S: Stage<Self::Item>>(self, stage: S) -> Through<Self, S> {
        Through { before: self, stage }
    }

    /// The stream of what many stages make of the items, one after another.
    fn through_all<S: Stage<Self::Item, Out = Self::Item>>(self, stages: Vec<S>) -> ThroughAll<Self, S> {
        ThroughAll { before: self, stages }
    }
}

/// What all functions of a stream know.
#[derive(Clone, Copy, Debug, Wire)]
pub struct Line {
    flow: Flow,
    /// Where the sink is.
    sink: NodeId,
    /// How many functions there are, the sink among them.
    functions: usize,
}

impl Line {
    /// The node of the last function of a stream of so many.
    fn node(self, functions: usize, eu: &Eu) -> NodeId {
        let before_sink = self.functions - functions;
        NodeId::new((self.sink.index() + before_sink * eu.nodes() / self.functions) % eu.nodes())
    }
}

/// The stream of what an iterator gives, which travels to the node where it is asked.
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

/// What a stage makes of a stream: see [`through`](Upstream::through).
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
        eu.invoke(node, Works::<U, S>::call(self.before, self.stage, line, to));
    }
}

/// What many stages make of a stream: see [`through_all`](Upstream::through_all).
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
            Some(stage) => eu.invoke(node, Works::<Self, S>::call(self, stage, line, to)),
            None => self.before.begin(line, to, eu),
        }
    }
}

/// Makes the batches of an iterator.
struct Source<I: Iterator<Item: Wire> + Wire> {
    items: I,
    flow: Flow,
    to: Reply<Batch<I::Item>>,
    under_way: usize,
    /// Whether the fiber `fill` is going to run.
    fills: bool,
    ended: bool,
}

#[threaded]
impl<I: Iterator<Item: Wire> + Wire> Source<I> {
    fn start(items: I, flow: Flow, to: Reply<Batch<I::Item>>, eu: &mut Eu<Self>) -> Self {
        let mut source = Source { items, flow, to, under_way: 0, fills: false, ended: false };
        source.send(AT_ONCE, eu);
        source
    }

    /// Goes on to fill the window.
    #[slot(sync, again)]
    fn fill(&mut self, eu: &mut Eu<Self>) -> Then {
        self.fills = false;
        self.send(AT_ONCE, eu);
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
    /// Sends up to `most` batches, while the window has room and the last one has not been sent. Another fiber sends those
    /// that the window has room for then.
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

    /// The source ends when all credits of its last batch and those before are back.
    fn then(&self) -> Then {
        if self.under_way > 0 || self.fills { Then::Wait } else { Then::End }
    }
}

/// A stage at work.
struct Works<U: Upstream, S: Stage<U::Item>> {
    stage: S,
    window: usize,
    to: Reply<Batch<S::Out>>,
    /// Batches that wait for a credit.
    waiting: VecDeque<Batch<U::Item>>,
    under_way: usize,
    ended: bool,
}

#[threaded]
impl<U: Upstream, S: Stage<U::Item>> Works<U, S> {
    fn start(before: U, stage: S, line: Line, to: Reply<Batch<S::Out>>, eu: &mut Eu<Self>) -> Self {
        let takes = eu.reply(Self::take().batch);
        before.begin(line, takes, eu);
        Works { stage, window: line.flow.window, to, waiting: VecDeque::new(), under_way: 0, ended: false }
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

impl<U: Upstream, S: Stage<U::Item>> Works<U, S> {
    /// Works on what waits, as far as there are credits.
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

/// A stream into its sink: gives what the sink says after the last item.
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
    out: Reply<K::Said>,
    takes: PhantomData<fn(U)>,
}

#[threaded]
impl<U: Upstream, K: Sink<U::Item>> Streams<U, K> {
    /// Takes the items of `stream` into `sink`, and puts what that says to `out`.
    ///
    /// # Panics
    ///
    /// If a batch has no item or a window no batch.
    pub fn start(stream: U, sink: K, flow: Flow, out: Reply<K::Said>, eu: &mut Eu<Self>) -> Self {
        assert!(flow.batch > 0 && flow.window > 0, "a stream needs an item a batch and a batch a window");
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
        eu.put(self.out, self.sink.said());
        Then::End
    }
}
