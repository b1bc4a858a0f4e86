//! Items through stages: typed, in batches, in order, bounded in flight, with an end.
//!
//! 1. The sink starts the last stage, the last stage starts the one before it, and so on to the source of the
//!    items. Each is a function that receives the destination of its batches as an argument. [`line`] chooses
//!    their nodes: neighbouring stages work at the same time, on few cores too.
//! 2. A link between two functions has a window of batches. A receiver answers batches with a credit as soon
//!    as it has taken them: one credit for half a window, at most for four batches. A sender whose window is
//!    full makes no more batches until a credit returns.
//! 3. The last batch is marked as the last. A function ends when it has sent its last batch and all its
//!    credits are back, so no credit reaches an ended frame.
//! 4. A sink that has enough says so in its credits. A function that receives such a credit drops the batches
//!    that it holds, passes the stop on in its own credits, and sends its last batch.
//!
//! Messages from one node to another arrive in the order in which they were sent, so the items stay in order.
//! A [farm](Upstream::farm) restores their order by the numbers of the batches.
//!
//! # Cost
//!
//! For each batch and each credit of a link: a fiber, and a message if the link leads to another node. A
//! window of two or three batches has a credit for each batch, a window of four or five for every second one,
//! a window of eight for every fourth one. For each function: a frame and an invoke. With a window of more
//! than four batches: one more fiber for every four batches of the first window. At most one window of
//! batches waits at a link.
//!
//! Stages whose items have the same size and alignment use the memory of a batch again. Then the source
//! allocates each batch, and the sink frees it.
//!
//! # When it loses
//!
//! If a batch is less work than its two messages: make batches larger. The slowest stage limits unequal
//! stages: make it a farm.

mod farm;
mod here;
mod line;
mod link;
mod source;
mod stage;

use std::marker::PhantomData;

use crate::{Eu, Reply, Then, Wire, threaded};

pub use farm::Farm;
pub use here::{ItemsHere, Stays, items_here};
use line::Line;
use link::{Batch, Credit, Inlet, Outlet};
pub use source::{Items, items};
pub use stage::{Stage, Through, ThroughAll};

/// The back-pressure of a stream: limits for each link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub struct Flow {
    /// The number of items of each batch except the last. Numbers above [`MOST_ITEMS`](Flow::MOST_ITEMS) are
    /// reduced to it.
    pub batch: usize,
    /// The number of batches that may be sent before a credit returns. Batches wait at the inlet of the next
    /// stage, and credits at the sender's inlet, where they are parked. The machine's
    /// [limit](crate::Machine::parking_limit) applies. With a window of four or more, a credit is for several
    /// batches, which takes less time.
    pub window: usize,
}

impl Flow {
    /// The largest number of items of a batch, because one fiber makes all of them.
    pub const MOST_ITEMS: usize = 1 << 20;
}

impl Default for Flow {
    /// Batches of 256 items, four of them at each link.
    fn default() -> Self {
        Flow { batch: 256, window: 4 }
    }
}

/// The receiver of the items at the end of a stream. It stays on the node where [`Streams`] starts.
///
/// A sink that is not [`Wire`], such as one with a file, is given as [`Stays`].
pub trait Sink<T: Wire>: Send + 'static {
    /// The result after the last item.
    type Output: Wire;

    /// Takes an item.
    fn take(&mut self, item: T);

    /// Returns the result after the last item.
    fn finish(&mut self) -> Self::Output;

    /// Returns whether the sink needs no more items. Then [`finish`](Sink::finish) is called at once, all
    /// items under way are dropped, and the source makes no more.
    ///
    /// It is called before and after each item. The source makes items until the stop has reached it: at most
    /// those that fit in the windows of all links.
    fn has_enough(&self) -> bool {
        false
    }
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

/// A stream without its sink: a source of items.
pub trait Upstream: Wire {
    /// The items of the stream.
    type Item: Wire;

    /// The source, if it stays on the node of the sink.
    #[doc(hidden)]
    type Held: Held;

    /// Returns its number of stages, each copy of a farm included.
    #[doc(hidden)]
    fn stages(&self) -> usize;

    /// Takes out the source, if it stays on the node of the sink. The address for its items will be put to
    /// `at`.
    #[doc(hidden)]
    fn leave(&mut self, at: Reply<Reply<Batch<<Self::Held as Held>::Item>>>) -> Option<Self::Held>;

    /// Starts the last of its functions, which starts its predecessors. Its batches go to `to`.
    #[doc(hidden)]
    fn begin(self, line: Line, to: Reply<Batch<Self::Item>>, eu: &mut Eu);

    /// Returns the stream of the items that `stage` makes.
    fn through<S: Stage<Self::Item>>(self, stage: S) -> Through<Self, S> {
        Through::new(self, stage)
    }

    /// Returns the stream of the items after many stages, one after another.
    fn through_all<S: Stage<Self::Item, Out = Self::Item>>(self, stages: Vec<S>) -> ThroughAll<Self, S> {
        ThroughAll::new(self, stages)
    }

    /// Returns the stream of the items that `copies` clones of `stage` make at the same time. The items keep
    /// their order. The copies are spread over the nodes, and share nodes if there are too few.
    ///
    /// Each batch is processed by one copy. So a stage with a state sees the items of some batches only. The
    /// items of [`Stage::end`] come last, in the order of the copies.
    ///
    /// ```
    /// use earth::patterns::{Flow, Streams, Upstream, items};
    /// use earth::{Machine, Shared};
    ///
    /// // Steps of the Collatz sequence, counted by three copies at the same time.
    /// let steps = Shared::new(|number: u64| {
    ///     let next = |n: &u64| if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
    ///     std::iter::successors(Some(number), |n| (*n > 1).then(|| next(n))).count() as u64 - 1
    /// });
    /// let stream = items(1..1000u64).farm(3, steps);
    /// let run = Machine::threads(2).run(|out| Streams::call(stream, Vec::new(), Flow::default(), out))?;
    /// assert_eq!((run.value[26], run.value.len()), (111, 999)); // 27 needs 111 steps.
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `copies` is 0 or more than [`Machine::MOST_NODES`](crate::Machine::MOST_NODES).
    fn farm<S: Stage<Self::Item> + Clone>(self, copies: usize, stage: S) -> Farm<Self, S> {
        Farm::new(self, stage, copies, true)
    }

    /// Returns the stream of a [farm](Upstream::farm) whose batches are passed on as they are ready. A slow
    /// batch holds back no other; the items are in no particular order.
    ///
    /// # Panics
    ///
    /// If `copies` is 0 or more than [`Machine::MOST_NODES`](crate::Machine::MOST_NODES).
    fn farm_unordered<S: Stage<Self::Item> + Clone>(self, copies: usize, stage: S) -> Farm<Self, S> {
        Farm::new(self, stage, copies, false)
    }
}

/// The source of a stream that stays on the node of the sink.
pub trait Held: Send + 'static {
    /// The items of the source.
    type Item: Wire;

    /// Starts the source on this node. Its batches go to `to`.
    fn begin(self, flow: Flow, to: Reply<Batch<Self::Item>>, eu: &mut Eu);
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
    /// Whether the sink's result has been put, so that further items are dropped.
    finished: bool,
    /// The source, until the function that takes its items is there.
    held: Option<U::Held>,
    flow: Flow,
    out: Reply<K::Output>,
    takes: PhantomData<fn(U)>,
}

#[threaded]
impl<U: Upstream, K: Sink<U::Item> + Wire> Streams<U, K> {
    /// Passes the items of `stream` to `sink`, and puts the sink's result to `out`.
    ///
    /// # Panics
    ///
    /// If `flow.batch` or `flow.window` is 0.
    pub fn start(mut stream: U, sink: K, flow: Flow, out: Reply<K::Output>, eu: &mut Eu<Self>) -> Self {
        assert!(
            flow.batch > 0 && flow.window > 0,
            "a stream needs at least one item per batch and one batch per window"
        );
        let flow = Flow { batch: flow.batch.min(Flow::MOST_ITEMS), ..flow };
        let takes = eu.reply(Self::take().batch);
        let held = stream.leave(eu.reply(Self::open().to));
        let source_stays = held.is_some();
        let line = Line { flow, sink: eu.node(), stages: stream.stages(), source_stays };
        stream.begin(line, takes, eu);
        Streams { sink, finished: false, held, flow, out, takes: PhantomData }
    }

    /// Starts the source that stayed here.
    #[slot]
    fn open(&mut self, to: Reply<Batch<<U::Held as Held>::Item>>, eu: &mut Eu<Self>) {
        if let Some(held) = self.held.take() {
            held.begin(self.flow, to, eu);
        }
    }

    #[slot(again)]
    fn take(&mut self, mut batch: Batch<U::Item>, eu: &mut Eu<Self>) -> Then {
        let is_last = batch.is_last;
        if !self.finished {
            let mut items = std::mem::take(&mut batch.items).into_iter();
            while !self.sink.has_enough()
                && let Some(item) = items.next()
            {
                self.sink.take(item);
            }
            self.finished = is_last || self.sink.has_enough();
            if self.finished {
                eu.put(self.out, self.sink.finish());
            }
        }
        batch.answer(self.finished, eu);
        if is_last { Then::End } else { Then::Wait }
    }
}
