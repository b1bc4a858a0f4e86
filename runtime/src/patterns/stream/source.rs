//! The source of a stream: an iterator, a batch at a time.

use super::{Batch, Credit, Flow, Held, Line, Outlet, Upstream};
use crate::{Eu, Reply, Then, Wire, threaded};

/// The largest number of batches that one fiber makes, because a cancelled run ends between two fibers.
const MAX_BATCHES_PER_FIBER: usize = 4;

/// Returns the stream of an iterator's items. The iterator travels to the node that runs it.
///
/// [`items_here`](super::items_here()) is for iterators that do not travel.
pub fn items<I: Iterator<Item: Wire> + Wire>(items: I) -> Items<I> {
    Items(items)
}

/// Items from an iterator: see [`items`].
#[derive(Debug, Wire)]
pub struct Items<I>(I);

impl<I: Iterator<Item: Wire> + Wire> Upstream for Items<I> {
    type Item = I::Item;
    type Held = Travels;
    fn stages(&self) -> usize {
        0
    }
    fn leave(&mut self, _: Reply<Reply<Batch<()>>>) -> Option<Travels> {
        None
    }
    fn begin(self, line: Line, to: Reply<Batch<I::Item>>, eu: &mut Eu) {
        eu.invoke(line.source(eu.nodes()), Source::call(self.0, line.flow, to));
    }
}

/// No source stays behind.
#[derive(Debug)]
pub enum Travels {}

impl Held for Travels {
    type Item = ();
    fn begin(self, _: Flow, _: Reply<Batch<()>>, _: &mut Eu) {
        match self {}
    }
}

/// Makes batches of an iterator's items.
pub(super) struct Source<I: Iterator<Item: Wire> + Wire> {
    items: I,
    batch: usize,
    to: Outlet<I::Item>,
    /// Whether a run of the fiber `fill` is pending.
    fills: bool,
}

#[threaded]
impl<I: Iterator<Item: Wire> + Wire> Source<I> {
    pub(super) fn start(items: I, flow: Flow, to: Reply<Batch<I::Item>>, eu: &mut Eu<Self>) -> Self {
        let mut source = Source { items, batch: flow.batch, to: Outlet::new(to, flow), fills: false };
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

    #[slot(again)]
    fn credit(&mut self, credit: Credit, eu: &mut Eu<Self>) -> Then {
        self.to.credit(credit);
        self.send(MAX_BATCHES_PER_FIBER, eu);
        self.then()
    }
}

impl<I: Iterator<Item: Wire> + Wire> Source<I> {
    /// Sends up to `most` batches while the window has room and the last batch has not been sent. If the
    /// window still has room, the fiber `fill` sends the next ones.
    fn send(&mut self, most: usize, eu: &mut Eu<Self>) {
        for _ in 0..most {
            if !self.to.is_open() {
                return;
            }
            let wanted = if self.to.is_stopped() { 0 } else { self.batch };
            let items: Vec<_> = self.items.by_ref().take(wanted).collect();
            let is_last = items.len() < self.batch;
            let credit = eu.reply(Self::credit().credit);
            self.to.send(items, 0, is_last, credit, eu);
        }
        if !self.fills && self.to.is_open() {
            self.fills = true;
            eu.sync(Self::fill());
        }
    }

    /// Returns whether the source ends: the credits of all its batches are back.
    fn then(&self) -> Then {
        if self.to.is_over() && !self.fills { Then::End } else { Then::Wait }
    }
}
