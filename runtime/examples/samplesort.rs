//! Sorting by samples: numbers on all nodes end in order, the smallest on the first node.
//!
//! ```text
//! cargo run --release --example samplesort -p earth -- 1000000 4 spn     # numbers, nodes, spn or dual
//! ```
//!
//! 1. *Everywhere:* a sorter on every node makes its share of the numbers, sorts it, and says a sample of it
//!    and where it takes what follows.
//! 2. *Broadcast:* of all samples, sorted, every P-th is a splitter. They go to all sorters, which are
//!    introduced to each other meanwhile.
//! 3. *All to all:* a sorter cuts its share at the splitters and sends each sorter a piece; what it gets it
//!    sorts. That is its part of the result.
//! 4. *Reduce:* the parts, appended from left to right along a tree, are the result.
//!
//! A part is left for step 4 in a write-once cell of the main function. Parts are of about equal size if the
//! samples are fair; numbers all alike would go to one node.

use earth::collective::{
    AllToAll, Broadcast, Concat, Everywhere, Group, Meet, Peers, Reduce, all_to_all, broadcast, everywhere,
    reduce,
};
use earth::{CellRef, Config, Machine, Reply, Then, Wire, threaded_old};

/// What a sorter says of itself.
#[derive(Wire)]
struct Hello {
    sample: Vec<u64>,
    splitters: Reply<Vec<u64>>,
    meet: Meet<Vec<u64>>,
}

threaded_old! {
    /// `count` numbers, in order, from sorters on all `nodes` nodes.
    fn Sort(count: usize, nodes: usize, out: Reply<Vec<u64>>)
    calls  { Everywhere<Sorter>, Broadcast<Vec<u64>>, AllToAll<Vec<u64>>, Reduce<Part, Concat> }
    inlets { hellos: Vec<Box<Hello>>, sorted: Vec<u64> }
    cells  { part[this.nodes]: Vec<u64> }
    slots  { met: 1 => split, all: 1 => done }
    fiber start(this, eu) {
        let parts = eu.cell_refs(Self::part);
        let given = (0..this.nodes).map(|member| (this.count, parts.at(member)));
        everywhere::<Sorter>(eu, Group::all(eu), given, eu.reply_to(Self::hellos, Self::met));
        let parts = (0..this.nodes).map(|member| parts.at(member));
        reduce::<Part, Concat>(eu, Group::all(eu), parts, eu.reply_to(Self::sorted, Self::all));
        Then::Wait
    }
    fiber split(this, eu) {
        let (mut samples, mut doors, mut meets) = (Vec::new(), Vec::new(), Vec::new());
        for hello in eu.take(Self::hellos) {
            let Hello { sample, splitters, meet } = *hello;
            samples.extend(sample);
            doors.push(splitters);
            meets.push(meet);
        }
        samples.sort_unstable();
        let splitters = (1..this.nodes).filter_map(|part| samples.get(part * samples.len() / this.nodes).copied());
        broadcast(eu, &splitters.collect(), doors);
        all_to_all(eu, 1, meets);
        Then::Wait
    }
    fiber done(this, eu) {
        let sorted = eu.take(Self::sorted);
        eu.put(this.out, sorted);
        Then::End
    }
}

threaded_old! {
    /// One node's share of the sorting of `count` numbers.
    fn Sorter(count: usize, part: CellRef<Vec<u64>>, hello: Reply<Box<Hello>>)
    state  { numbers: Vec<u64> = Vec::new() }
    inlets { splitters: Vec<u64>, peers: Peers<Vec<u64>>, pieces: Vec<Vec<u64>> }
    slots  { told: 2 => cut, got: 1 => gather }
    fiber start(this, eu) {
        let (member, members) = (eu.node().index(), eu.nodes());
        let share = member * this.count / members..(member + 1) * this.count / members;
        this.numbers = share.map(number).collect();
        this.numbers.sort_unstable();
        let spacing = (this.numbers.len() / (4 * members)).max(1);
        let hello = Hello {
            sample: this.numbers.iter().copied().step_by(spacing).collect(),
            splitters: eu.reply_to(Self::splitters, Self::told),
            meet: Meet {
                peers: eu.reply_to(Self::peers, Self::told),
                values: eu.reply_to(Self::pieces, Self::got),
            },
        };
        eu.put(this.hello, Box::new(hello));
        Then::Wait
    }
    fiber cut(this, eu) {
        let (splitters, mut peers) = (eu.take(Self::splitters), eu.take(Self::peers));
        // From the last piece to the first, each from the end of what is left; with few numbers
        // the last pieces are empty.
        let mut pieces = vec![Vec::new(); peers.members()];
        for (splitter, piece) in splitters.iter().zip(&mut pieces[1..]).rev() {
            *piece = this.numbers.split_off(this.numbers.partition_point(|number| number < splitter));
        }
        pieces[0] = std::mem::take(&mut this.numbers);
        peers.send(eu, pieces);
        Then::Wait
    }
    fiber gather(this, eu) {
        let mut numbers = eu.take(Self::pieces).concat();
        numbers.sort_unstable();
        eu.write(this.part, numbers);
        Then::End
    }
}

threaded_old! {
    /// One part of the result, when it is there.
    fn Part(part: CellRef<Vec<u64>>, out: Reply<Vec<u64>>)
    inlets { numbers: Vec<u64> }
    slots  { came: 1 => tell }
    fiber start(this, eu) {
        eu.get(this.part, eu.reply_to(Self::numbers, Self::came));
        Then::Wait
    }
    fiber tell(this, eu) {
        let numbers = eu.take(Self::numbers);
        eu.put(this.out, numbers);
        Then::End
    }
}

/// Number `i` of those to be sorted, which look random and are always the same.
fn number(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 40
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut of = |default| args.next().map_or(Ok(default), |number| number.parse::<usize>());
    let (count, nodes) = (of(1_000_000)?, of(2)?);
    let config = if args.next().as_deref() == Some("dual") { Config::Dual } else { Config::Spn };
    demonstrate(count, nodes, config)
}

/// Sorts, and checks the result against one sort of all the numbers.
pub(crate) fn demonstrate(
    count: usize,
    nodes: usize,
    config: Config,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut expected: Vec<_> = (0..count).map(number).collect();
    expected.sort_unstable();
    let run = Machine::threads(nodes).config(config).run_old::<Sort>((count, nodes))?;
    assert!(run.value == expected, "not sorted, or not the same numbers");
    println!(
        "{count} numbers on {nodes} nodes, {config}: {:.1} ms, {} messages",
        run.elapsed.as_secs_f64() * 1e3,
        run.counters.events_sent,
    );
    Ok(())
}
