//! The number of paraffins: trees of n carbon atoms, each of which has four bonds (the problem of Turner, a
//! benchmark of Id and Sisal).
//!
//! A radical is a paraffin that lacks a hydrogen atom: a carbon atom with three smaller radicals, or
//! hydrogen. The center of a paraffin is either a bond, with two radicals of half its size, or an atom, with
//! four radicals smaller than half. So the number of radicals of each size depends on all smaller sizes, and
//! the number of paraffins depends on the radicals up to half its size. This is a graph of tasks, in which
//! paraffins are counted while larger radicals still are. The numbers are compared with the known ones.
//!
//! `cargo run --release -p earth-programs -- paraffins [largest] [nodes] [spn|dual]`

use earth::patterns::{Graph, RunGraph, Task};
use earth::{Machine, Wire, Work};

use crate::program::{Instance, Program, ProgramError, Size};

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

/// Counts by a loop.
fn plain(largest: usize) -> Vec<u64> {
    let mut radicals = Vec::new();
    for size in 0..=largest / 2 {
        radicals.push(Count::Radicals(size).run(radicals.clone()));
    }
    (1..=largest).map(|size| Count::Paraffins(size).run(radicals[..=size / 2].to_vec())).collect()
}

/// Returns the graph, whose result is the numbers of paraffins of 1 to `largest` atoms. For 0 atoms it is the
/// number of radicals.
fn graph(largest: usize) -> Graph<Count> {
    let mut graph = Graph::new();
    let mut radicals = Vec::new();
    for size in 0..=largest / 2 {
        radicals.push(graph.add(Count::Radicals(size), radicals.clone()));
    }
    for size in 1..=largest {
        graph.add(Count::Paraffins(size), &radicals[..=size / 2]);
    }
    graph
}

/// Counts the paraffins of up to a number of atoms.
pub struct Paraffins;

impl Program for Paraffins {
    fn name(&self) -> &'static str {
        "paraffins"
    }

    fn title(&self) -> &'static str {
        "paraffins"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("atoms", 40, 9).within(0, 60)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let largest = sizes[0] as usize;
        let run = move |machine: &mut Machine| {
            let run = machine.run(|out| RunGraph::call(graph(largest), out))?;
            let run = run.map(|found| if largest == 0 { Vec::new() } else { found });
            let is_known = KNOWN.iter().zip(&run.value).all(|(known, found)| known == found);
            if is_known { Ok(run) } else { Err(ProgramError::Wrong(format!("{:?}", run.value))) }
        };
        Ok(Instance::new(
            || plain(largest),
            run,
            |found| match found.last() {
                Some(last) => format!("{last} paraffins of {} atoms", found.len()),
                None => "no paraffins".to_owned(),
            },
        ))
    }
}
