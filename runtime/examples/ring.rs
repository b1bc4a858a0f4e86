//! A ring of producers and consumers: each node takes a ball from its left neighbour, adds its own
//! number to it and throws it on.
//!
//! ```text
//! cargo run --release --example ring -p earth -- 1000 8 dual     # laps, nodes, spn or dual
//! ```
//!
//! 1. The main function starts a member on every node. It holds a write-once cell for each member's address.
//! 2. A member writes its own address into its cell and asks for the address in its right
//!    neighbour's. Whoever asks before it is written waits at the cell: no order is needed to link
//!    the ring, and nobody polls.
//! 3. The first throw of a member needs two things, the address and the ball, each later one the ball alone:
//!    a slot with a count of 2 and a reset of 1.
//!
//! A hop is one event between two nodes and one fiber: all latency and no parallelism, so the run
//! shows the price of a message.

use earth::{CellRefs, Config, Machine, NodeId, Reply, Then, threaded};

/// Hops left, and the sum of the numbers of all nodes that had the ball.
type Ball = (u64, u64);

threaded! {
    /// The sum of the numbers of all nodes that had the ball, `laps` times around `nodes` nodes.
    fn Ring(nodes: usize, laps: u64, out: Reply<u64>)
    calls  { Member }
    inlets { first: Reply<Ball>, caught: Ball }
    cells  { doors[this.nodes]: Reply<Ball> }
    slots  { linked: 1 => throw, over: 1 => done }
    fiber start(this, eu) {
        let doors = eu.cell_refs(Self::doors);
        for node in 0..this.nodes {
            eu.invoke::<Member>(NodeId::new(node), (this.laps, doors, eu.reply_to(Self::caught, Self::over)));
        }
        eu.get(doors.at(0), eu.reply_to(Self::first, Self::linked));
        Then::Wait
    }
    fiber throw(this, eu) {
        let first = eu.take(Self::first);
        eu.put(first, (this.laps * this.nodes as u64, 0));
        Then::Wait
    }
    fiber done(this, eu) {
        let (hops, sum) = eu.take(Self::caught);
        assert_eq!(hops, 0);
        eu.put(this.out, sum);
        Then::End
    }
}

threaded! {
    /// One node's part: passes `laps` balls on, the very last one to `end`.
    fn Member(laps: u64, doors: CellRefs<Reply<Ball>>, end: Reply<Ball>)
    state  { next: Option<Reply<Ball>> = None }
    inlets { next: Reply<Ball>, ball: Ball }
    slots  { thrown: 2, reset 1 => pass }
    fiber start(this, eu) {
        let me = eu.node().index();
        eu.write(this.doors.at(me), eu.reply_to(Self::ball, Self::thrown));
        eu.get(this.doors.at((me + 1) % eu.nodes()), eu.reply_to(Self::next, Self::thrown));
        Then::Wait
    }
    fiber pass(this, eu) {
        let next = *this.next.get_or_insert_with(|| eu.take(Self::next));
        let (hops, sum) = eu.take(Self::ball);
        let to = if hops == 1 { this.end } else { next };
        eu.put(to, (hops - 1, sum + eu.node().index() as u64));
        this.laps -= 1;
        if this.laps == 0 { Then::End } else { Then::Wait }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let laps = args.next().map_or(Ok(1_000), |laps| laps.parse::<u64>())?.max(1);
    let nodes = args.next().map_or(Ok(4), |nodes| nodes.parse::<usize>())?;
    let config = if args.next().as_deref() == Some("dual") { Config::Dual } else { Config::Spn };
    demonstrate(laps, nodes, config)
}

/// Runs the ring and checks what it gives.
pub(crate) fn demonstrate(laps: u64, nodes: usize, config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let run = Machine::threads(nodes).config(config).run::<Ring>((nodes, laps))?;
    let hops = laps * nodes as u64;
    assert_eq!(run.value, laps * (0..nodes as u64).sum::<u64>());
    assert_eq!(run.counters.fibers, 1 + nodes as u64 + 1 + hops + 1);
    let nanos = run.elapsed.as_secs_f64() * 1e9 / hops as f64;
    println!("{hops} hops around {nodes} nodes, {config}: {nanos:.0} ns a hop; the sum is {}", run.value);
    Ok(())
}
