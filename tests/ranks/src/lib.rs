//! Programs for machines whose nodes are processes. Each checks its own results. The tests run them over Unix
//! sockets, and `earth-mpi` runs them over MPI.
#![forbid(unsafe_code)]

use std::error::Error;

use earth::collective::{Group, Sum, everywhere, reduce};
use earth::{Arrived, Block, Error as RunError, Eu, Machine, NodeId, Reply, threaded};
use earth_programs::soak::{Load, round};

mod distributed;
mod examples;
mod floods;
mod overlap;
mod transforms;

use distributed::distributed;
use examples::{examples, with_input};
use floods::floods;
use overlap::overlap;
use transforms::transforms;

/// The outcome of a program, which asserts that its results are right.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Adds up the values of members on all nodes, twice: as a list, and along a tree.
struct Adds {
    out: Reply<u64>,
}

/// Puts its number and its node.
struct Member;

#[threaded]
impl Member {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 100 * number + eu.node().index() as u64);
    }
}

#[threaded]
impl Adds {
    fn start(members: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let all = Group::new(NodeId::new(0)..NodeId::new(eu.nodes()));
        everywhere::<Member>(eu, all, 0..members, eu.reply(Self::sum().list));
        reduce::<Member, _>(eu, all, 0..members, Sum, eu.reply(Self::sum().tree));
        Adds { out }
    }

    #[slot]
    fn sum(self, list: Vec<u64>, tree: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, if list.iter().sum::<u64>() == tree { tree } else { 0 });
    }
}

fn collectives(machine: &mut Machine) -> Outcome {
    let nodes = machine.node_count() as u64;
    let run = machine.run(|out| Adds::call(13, out))?;
    assert_eq!(run.value, (0..13).map(|number| 100 * number + number % nodes).sum::<u64>());
    Ok(())
}

fn soak(machine: &mut Machine) -> Outcome {
    let nodes = machine.node_count();
    let load = Load { bursts: 5, signals: 20, values: 3, tokens: 60, hops: 17 };
    for _ in 0..5 {
        round(machine, nodes, load)?;
    }
    Ok(())
}

/// Sends the two halves of a block of some megabytes around the nodes. Each node adds 1 and its number to
/// every element.
struct Carries {
    out: Reply<u64>,
}

struct Adding;

#[threaded]
impl Adding {
    fn start(mut block: Block<u64>, hops: usize, back: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        for row in block.iter_rows_mut() {
            for element in row {
                *element += 1 + eu.node().index() as u64;
            }
        }
        if hops == 0 {
            eu.put(back, block);
        } else {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke(next, Adding::call(block, hops - 1, back));
        }
    }
}

#[threaded]
impl Carries {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let parts = Block::from_fn(512, 1024, |row, col| (row * col) as u64).split_cols(500);
        let (first, next) = (eu.node(), NodeId::new(1 % eu.nodes()));
        let hops = eu.nodes();
        eu.invoke(first, Adding::call(parts.0, hops, eu.reply(Self::end().parts.at(0))));
        eu.invoke(next, Adding::call(parts.1, hops, eu.reply(Self::end().parts.at(1))));
        Carries { out }
    }

    #[slot]
    fn end(self, #[inlets(2)] parts: Arrived<'_, Block<u64>>, eu: &mut Eu<Self>) {
        eu.put(self.out, parts.map(|part| part.iter_rows().flatten().sum::<u64>()).sum());
    }
}

fn blocks(machine: &mut Machine) -> Outcome {
    let nodes = machine.node_count() as u64;
    let run = machine.run(Carries::call)?;
    // Each half visits every node once, and its first node a second time.
    let added = |began: u64| (0..nodes).map(|node| 1 + node).sum::<u64>() + 1 + began % nodes;
    let sum = (0..512).sum::<u64>() * (0..1024).sum::<u64>();
    assert_eq!(run.value, sum + 512 * (500 * added(0) + 524 * added(1)));
    Ok(())
}

/// Panics on the last node.
struct Panics;

#[threaded]
impl Panics {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let last = NodeId::new(eu.nodes() - 1);
        assert_ne!(eu.node(), last, "a fiber panics on purpose");
        eu.invoke(last, Panics::call(out));
    }
}

/// Checks that a panic of a fiber ends the run of every rank with its error, and that later runs end well.
fn panics(machine: &mut Machine, rank: usize) -> Outcome {
    for _ in 0..3 {
        let ended = if rank == 0 { machine.run(Panics::call).map(drop) } else { machine.serve().map(drop) };
        let error = ended.expect_err("a fiber panicked");
        let RunError::Panicked { message, .. } = &error else { return Err(error.into()) };
        assert!(message.contains("a fiber panics on purpose"), "{message}");
        if rank == 0 {
            collectives(machine)?;
        } else {
            assert!(machine.serve()?.is_some(), "rank 0 begins another run");
        }
    }
    Ok(())
}

/// Goes around the nodes forever.
struct Rounds;

#[threaded]
impl Rounds {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
        if eu.node().index() == 0 {
            println!("round");
        }
        eu.invoke(next, Rounds::call(out));
    }
}

fn endless(machine: &mut Machine) -> Outcome {
    machine.run(Rounds::call)?;
    Ok(())
}

/// Serves until rank 0 is done.
fn serve(machine: &mut Machine) -> Outcome {
    while machine.serve()?.is_some() {}
    Ok(())
}

/// The ranks that call a program.
#[derive(Clone, Copy, Debug)]
enum Caller {
    /// Rank 0; the others serve.
    Rank0(fn(&mut Machine) -> Outcome),
    /// Every rank, with its number.
    Every(fn(&mut Machine, usize) -> Outcome),
}

/// A program for machines of ranks.
#[derive(Clone, Copy, Debug)]
pub struct Program(Caller);

impl Program {
    /// Returns the program with this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(Program(match name {
            "collectives" => Caller::Rank0(collectives),
            "examples" => Caller::Rank0(examples),
            "input" => Caller::Rank0(with_input),
            "panics" => Caller::Every(panics),
            "soak" => Caller::Rank0(soak),
            "transforms" => Caller::Every(transforms),
            "blocks" => Caller::Rank0(blocks),
            "distributed" => Caller::Every(distributed),
            "endless" => Caller::Rank0(endless),
            "endless-transforms" => Caller::Every(distributed::endless),
            "floods" => Caller::Rank0(floods),
            "overlap" => Caller::Every(overlap),
            _ => return None,
        }))
    }

    /// Takes part in the program as rank `rank`.
    ///
    /// # Errors
    ///
    /// The error of a run.
    ///
    /// # Panics
    ///
    /// If a result is wrong.
    pub fn run(self, machine: &mut Machine, rank: usize) -> Outcome {
        match self.0 {
            Caller::Every(program) => program(machine, rank),
            Caller::Rank0(program) if rank == 0 => program(machine),
            Caller::Rank0(_) => serve(machine),
        }
    }
}
