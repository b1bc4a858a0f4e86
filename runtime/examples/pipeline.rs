//! A pipeline: every item passes through all stages, each of which makes another number of it.
//!
//! Backpressure is by credits. A credit is an address: the place where a stage takes its next item, which it puts to
//! the stage before. That one works when it has both an item and a credit, so it never runs further ahead than the
//! window, the number of credits that each stage gives out when it starts; later it gives one for each item that it
//! has taken. What a stage sends arrives in order, so the results are in order, too.
//!
//! `cargo run --release -p earth --example pipeline [items] [stages] [window] [nodes] [spn|dual]`

use earth::{Config, Eu, Machine, NodeId, Reply, Then, Wire, threaded};

/// The leave to send one item, and where to.
type Credit = Reply<u64>;

/// What all stages know.
#[derive(Clone, Copy, Wire)]
struct Shape {
    items: usize,
    stages: usize,
    window: usize,
}

/// The first end of the pipeline: makes the items.
struct Source {
    items: std::ops::Range<u64>,
}

#[threaded]
impl Source {
    fn start(shape: Shape, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        start_next(0, shape, eu.reply(Self::feed().to), out, eu);
        Source { items: 0..shape.items as u64 }
    }

    #[slot(again)]
    fn feed(&mut self, to: Credit, eu: &mut Eu<Self>) -> Then {
        if let Some(item) = self.items.next() {
            eu.put(to, item);
        }
        if self.items.is_empty() { Then::End } else { Then::Wait }
    }
}

/// A stage between.
struct Stage {
    number: usize,
    left: usize,
    window: usize,
    before: Reply<Credit>,
}

#[threaded]
impl Stage {
    fn start(
        number: usize,
        shape: Shape,
        before: Reply<Credit>,
        out: Reply<Vec<u64>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        start_next(number + 1, shape, eu.reply(Self::work().to), out, eu);
        for _ in 0..shape.window.min(shape.items) {
            eu.put(before, eu.reply(Self::work().item));
        }
        Stage { number, left: shape.items, window: shape.window, before }
    }

    /// Takes an item and a credit. Of either, what comes early is parked.
    #[slot(again)]
    fn work(&mut self, item: u64, to: Credit, eu: &mut Eu<Self>) -> Then {
        eu.put(to, worked(self.number, item));
        // As many credits as items: the last ones would find that the stage before has ended.
        if self.left > self.window {
            eu.put(self.before, eu.reply(Self::work().item));
        }
        self.left -= 1;
        if self.left > 0 { Then::Wait } else { Then::End }
    }
}

/// The last end: collects the results, as they come.
struct Sink {
    results: Vec<u64>,
    shape: Shape,
    before: Reply<Credit>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Sink {
    fn start(shape: Shape, before: Reply<Credit>, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..shape.window.min(shape.items) {
            eu.put(before, eu.reply(Self::take().item));
        }
        Sink { results: Vec::with_capacity(shape.items), shape, before, out }
    }

    #[slot(again)]
    fn take(&mut self, item: u64, eu: &mut Eu<Self>) -> Then {
        let Shape { items, window, .. } = self.shape;
        if items - self.results.len() > window {
            eu.put(self.before, eu.reply(Self::take().item));
        }
        self.results.push(item);
        if self.results.len() < items {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.results));
        Then::End
    }
}

/// Starts stage `number`, or the sink after the last one, on the node after this one. Its credits go to `before`.
fn start_next(
    number: usize,
    shape: Shape,
    before: Reply<Credit>,
    out: Reply<Vec<u64>>,
    eu: &mut Eu<impl Sized>,
) {
    let node = NodeId::new((eu.node().index() + 1) % eu.nodes());
    if number < shape.stages {
        eu.invoke(node, Stage::call(number, shape, before, out));
    } else {
        eu.invoke(node, Sink::call(shape, before, out));
    }
}

/// What stage `number` makes of an item. The stages do not commute, so an item that left one out would show.
fn worked(number: usize, item: u64) -> u64 {
    (item ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

/// Sends `items` items through `stages` stages, and checks the results, their order and the backpressure.
pub(crate) fn demonstrate(
    items: usize,
    stages: usize,
    window: usize,
    machine: &mut Machine,
) -> Result<(), Box<dyn std::error::Error>> {
    if items == 0 || window == 0 {
        return Err("a pipeline needs an item and a window".into());
    }
    let shape = Shape { items, stages, window };
    let nodes = machine.node_count();
    let run = machine.run(|out| Source::call(shape, out))?;
    let expected = (0..items as u64).map(|item| (0..stages).fold(item, |item, number| worked(number, item)));
    if !run.value.iter().copied().eq(expected) {
        return Err("the results are wrong, or out of order".into());
    }
    // On each of the stages + 1 links no more can wait than a window of credits at one end, and at another time one of
    // items at the other.
    let parked = run.counters.parked_high;
    if parked > (2 * (stages + 1) * window) as u64 {
        return Err(format!("{parked} values waited at once").into());
    }
    println!("{items} items, {stages} stages, window {window} on {nodes} nodes: at most {parked} waited");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let config = args.get(4).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(
        number(0, 10_000)?,
        number(1, 6)?,
        number(2, 8)?,
        &mut Machine::threads(number(3, 2)?).config(config),
    )
}
