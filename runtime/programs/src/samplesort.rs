//! Sample sort: numbers on all nodes end in order, the smallest on the first node.
//!
//! ```text
//! cargo run --release -p earth-programs -- samplesort 1000000 4 spn     # numbers, nodes, spn or dual
//! ```
//!
//! 1. *Everywhere:* a sorter on every node makes its share of the numbers and sorts it. It returns a sample
//!    of its share and its inlets for the later steps.
//! 2. *Broadcast:* every P-th of all sorted samples is a splitter. The splitters go to all sorters, which are
//!    introduced to each other meanwhile.
//! 3. *All to all:* a sorter cuts its share at the splitters and sends each sorter a piece. It sorts the
//!    pieces that it receives: its part of the result.
//! 4. *Reduce:* the parts, appended from left to right along a tree, are the result.
//!
//! A part waits for step 4 in a write-once cell of the main function. Parts have about equal sizes if the
//! samples are representative; equal numbers would all go to one node.

use earth::collective::{Concat, ExchangeInlets, Group, Peers, all_to_all, broadcast, everywhere, reduce};
use earth::{CellRef, Eu, Machine, Reply, Wire, Work, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// A sorter's first message.
#[derive(Wire)]
struct Hello {
    sample: Vec<u64>,
    splitters: Reply<Vec<u64>>,
    meet: ExchangeInlets<Vec<u64>>,
}

/// Sorts `count` numbers with sorters on all `nodes` nodes.
struct Sort {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Sort {
    fn start(count: usize, nodes: usize, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (group, parts) = (Group::all(eu), eu.cell_refs(Self::part(..)));
        let (hellos, sorted) = (eu.reply(Self::split().hellos), eu.reply(Self::done().sorted));
        let given = (0..nodes).map(|member| (count, parts.at(member)));
        everywhere::<Sorter>(eu, group, given, hellos);
        reduce::<Part, _>(eu, group, (0..nodes).map(|member| parts.at(member)), Concat, sorted);
        Sort { out }
    }

    #[cells(len = nodes)]
    fn part(member: usize) -> Vec<u64>;

    #[slot]
    fn split(&mut self, hellos: Vec<Hello>, eu: &mut Eu<Self>) {
        let (mut samples, mut doors, mut meets) = (Vec::new(), Vec::new(), Vec::new());
        for Hello { sample, splitters, meet } in hellos {
            samples.extend(sample);
            doors.push(splitters);
            meets.push(meet);
        }
        samples.sort_unstable();
        let parts = meets.len();
        let splitters = (1..parts).filter_map(|part| samples.get(part * samples.len() / parts).copied());
        broadcast(eu, &splitters.collect(), doors);
        all_to_all(eu, 1, meets);
    }

    #[slot]
    fn done(self, sorted: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, sorted);
    }
}

/// One node's share in sorting `count` numbers.
struct Sorter {
    numbers: Vec<u64>,
    part: CellRef<Vec<u64>>,
}

#[threaded]
impl Sorter {
    fn start(count: usize, part: CellRef<Vec<u64>>, hello: Reply<Hello>, eu: &mut Eu<Self>) -> Self {
        let (member, members) = (eu.node().index(), eu.nodes());
        let share = member * count / members..(member + 1) * count / members;
        eu.work(sorting(share.len()));
        let mut numbers: Vec<_> = share.map(number).collect();
        numbers.sort_unstable();
        let spacing = (numbers.len() / (4 * members)).max(1);
        let hello_args = Hello {
            sample: numbers.iter().copied().step_by(spacing).collect(),
            splitters: eu.reply(Self::cut().splitters),
            meet: ExchangeInlets {
                peers: eu.reply(Self::cut().peers),
                values: eu.reply(Self::gather().pieces),
            },
        };
        eu.put(hello, hello_args);
        Sorter { numbers, part }
    }

    #[slot]
    fn cut(&mut self, splitters: Vec<u64>, mut peers: Peers<Vec<u64>>, eu: &mut Eu<Self>) {
        // From the last piece to the first, each split off the end of the remaining numbers. With few numbers
        // the last pieces are empty.
        let mut pieces = vec![Vec::new(); peers.members()];
        for (splitter, piece) in splitters.iter().zip(&mut pieces[1..]).rev() {
            *piece = self.numbers.split_off(self.numbers.partition_point(|number| number < splitter));
        }
        pieces[0] = std::mem::take(&mut self.numbers);
        peers.send(eu, pieces);
    }

    #[slot]
    fn gather(self, pieces: Vec<Vec<u64>>, eu: &mut Eu<Self>) {
        let mut numbers = pieces.concat();
        eu.work(sorting(numbers.len()));
        numbers.sort_unstable();
        eu.write(self.part, numbers);
    }
}

/// One part of the result, once it is written.
struct Part {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Part {
    fn start(part: CellRef<Vec<u64>>, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.get(part, eu.reply(Self::collect().numbers));
        Part { out }
    }

    #[slot]
    fn collect(self, numbers: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, numbers);
    }
}

/// Returns the cost of sorting `count` numbers on a simulated machine.
fn sorting(count: usize) -> Work {
    Work::Cycles(5 * count as u64 * u64::from(count.max(2).ilog2()))
}

/// Returns number `i` of the input: pseudorandom and reproducible.
fn number(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 40
}

/// Sorts numbers by samples.
pub struct SampleSort;

impl Program for SampleSort {
    fn name(&self) -> &'static str {
        "samplesort"
    }

    fn title(&self) -> &'static str {
        "sample sort"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("numbers", 300_000, 1_000).within(0, 1 << 32)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let count = sizes[0] as usize;
        let plain = move || {
            let mut numbers: Vec<_> = (0..count).map(number).collect();
            numbers.sort_unstable();
            numbers
        };
        let run = move |machine: &mut Machine| {
            let nodes = machine.node_count();
            machine.run(|out| Sort::call(count, nodes, out))
        };
        Ok(Instance::new(plain, run, |numbers| format!("{} numbers in order", numbers.len())))
    }
}
