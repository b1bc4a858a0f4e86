//! The number of paraffins: trees of n carbon atoms, each of which has four bonds (the problem of Turner, a
//! benchmark of Id and Sisal).
//!
//! A radical is a paraffin that lacks a hydrogen atom: a carbon atom with three smaller radicals, or
//! hydrogen. The center of a paraffin is either a bond, with two radicals of half its size, or an atom, with
//! four radicals smaller than half. So the number of radicals of each size depends on all smaller sizes, and
//! the number of paraffins depends on the radicals up to half its size. This is a graph of tasks, in which
//! paraffins are counted while larger radicals still are. The numbers are compared with the known ones.
//!
//! `cargo run --release -p earth --example programs -- paraffins [largest] [nodes] [spn|dual]`

use std::time::{Duration, Instant};

use earth::patterns::{Graph, RunGraph, Task};
use earth::{Config, Machine, Wire, Work};

/// A number to compute. It needs the numbers of radicals of sizes 0, 1, 2 and so on.
#[derive(Clone, Copy, Wire)]
enum Count {
    Radicals(usize),
    Paraffins(usize),
}

/// Returns the number of ways to take `take` things out of `kinds` kinds, any number of each.
fn choices(kinds: u64, take: u64) -> u64 {
    (0..take).fold(1, |ways, i| ways * (kinds + i) / (i + 1))
}

/// Returns the number of sets of `count` radicals with `atoms` atoms in total and at most `most` atoms each.
fn sets(radicals: &[u64], count: u64, atoms: usize, most: usize) -> u64 {
    if most == 0 {
        return u64::from(atoms == 0);
    }
    let fits = (0..=count).take_while(|&of_most| of_most as usize * most <= atoms);
    fits.map(|of_most| {
        choices(radicals[most], of_most)
            * sets(radicals, count - of_most, atoms - of_most as usize * most, most - 1)
    })
    .sum()
}

impl Task for Count {
    type Value = u64;

    fn run(self, radicals: Vec<u64>) -> u64 {
        match self {
            Count::Radicals(0) => 1,
            Count::Radicals(size) => sets(&radicals, 3, size - 1, size - 1),
            Count::Paraffins(size) => {
                let by_a_bond = if size % 2 == 0 { choices(radicals[size / 2], 2) } else { 0 };
                by_a_bond + sets(&radicals, 4, size - 1, (size - 1) / 2)
            }
        }
    }

    fn cost(&self) -> Work {
        let (Count::Radicals(size) | Count::Paraffins(size)) = *self;
        Work::Cycles(20 * (size as u64).pow(3))
    }
}

/// The known numbers of paraffins of 1 to 20 atoms.
const KNOWN: [u64; 20] =
    [1, 1, 1, 2, 3, 5, 9, 18, 35, 75, 159, 355, 802, 1858, 4347, 10_359, 24_894, 60_523, 148_284, 366_319];

/// Counts paraffins of up to `largest` atoms, and checks the numbers. Returns the times of a loop and of the
/// run.
pub(crate) fn demonstrate(
    largest: usize,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let began = Instant::now();
    let mut radicals = Vec::new();
    for size in 0..=largest / 2 {
        radicals.push(Count::Radicals(size).run(radicals.clone()));
    }
    let paraffins = |size: usize| Count::Paraffins(size).run(radicals[..=size / 2].to_vec());
    let expected: Vec<_> = (1..=largest).map(paraffins).collect();
    let plain = began.elapsed();

    let mut graph = Graph::new();
    let mut radicals = Vec::new();
    for size in 0..=largest / 2 {
        radicals.push(graph.add(Count::Radicals(size), radicals.clone()));
    }
    for size in 1..=largest {
        graph.add(Count::Paraffins(size), &radicals[..=size / 2]);
    }
    let run = machine.run(|out| RunGraph::call(graph, out))?;
    let found = if largest == 0 { &run.value[1..] } else { &run.value[..] };
    let known = KNOWN.iter().zip(found).all(|(known, found)| known == found);
    if found != expected || !known {
        return Err(format!("counted {found:?}").into());
    }
    eprintln!("paraffins of 1 to {largest} atoms: {found:?}");
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = args.collect();
    let largest = args.first().map_or(Ok(20), |arg| arg.parse())?;
    let nodes = args.get(1).map_or(Ok(2), |arg| arg.parse())?;
    let config = args.get(2).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(largest, &mut Machine::threads(nodes).config(config)).map(drop)
}
