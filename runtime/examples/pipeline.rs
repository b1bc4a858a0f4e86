//! A pipeline: every item passes through all stages, each of which computes a new number from it, in order.
//!
//! The items travel in batches. At most one window of batches is under way between two stages: a stage that
//! takes a batch returns a credit for one more. [`Streams`] is written with the operations of a fiber alone.
//!
//! `cargo run --release -p earth --example programs -- pipeline [items] [stages] [window] [batch] [nodes] [spn|dual]`

use std::time::{Duration, Instant};

use earth::patterns::{Flow, Stage, Streams, Upstream, items};
use earth::{Config, Machine, Wire, Work};

/// A stage, with its number.
#[derive(Wire)]
struct Works(usize);

impl Stage<u64> for Works {
    type Out = u64;
    fn work(&mut self, item: u64, out: &mut Vec<u64>) {
        out.push(worked(self.0, item));
    }
    fn cost(&self, _: &u64) -> Work {
        Work::Cycles(10)
    }
}

/// Returns the result of stage `number` for an item. The stages do not commute, so a skipped stage would
/// show.
fn worked(number: usize, item: u64) -> u64 {
    (item ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

/// Sends `count` items through `stages` stages, and checks the results, their order and the back-pressure.
pub(crate) fn demonstrate(
    count: u64,
    stages: usize,
    flow: Flow,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let stream = items(0..count).through_all((0..stages).map(Works).collect());
    let nodes = machine.node_count();
    let run = machine.run(|out| Streams::call(stream, Vec::new(), flow, out))?;
    let began = Instant::now();
    let expected: Vec<_> =
        (0..count).map(|item| (0..stages).fold(item, |item, number| worked(number, item))).collect();
    let plain = began.elapsed();
    if run.value != expected {
        return Err("the results are wrong, or out of order".into());
    }
    // Each of the stages + 1 links has at most one window of batches at its end, and one of credits at its
    // beginning.
    let parked = run.counters.parked_high;
    if parked > 2 * ((stages + 1) * flow.window) as u64 {
        return Err(format!("{parked} batches and credits waited at once").into());
    }
    eprintln!("{count} items, {stages} stages, {flow:?} on {nodes} nodes: at most {parked} values waited");
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = args.collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let count = args.first().map_or(Ok(10_000), |arg| arg.parse())?;
    let config = args.get(5).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    let flow = Flow { window: number(2, 8)?, batch: number(3, 64)? };
    demonstrate(count, number(1, 6)?, flow, &mut Machine::threads(number(4, 2)?).config(config)).map(drop)
}
