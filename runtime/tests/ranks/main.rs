//! Machines of ranks, whose links are queues between threads.

use earth_test_support as common;

mod errors;
mod heartbeat;
mod polling;
mod programs;
mod quiet;
mod replaying;
mod traces;
mod waits;

use std::thread;

use common::channels::{Channels, channels};
use earth::{Config, Error, Machine, SharedValues};

/// A machine of ranks.
#[derive(Clone, Copy, Debug)]
struct Case {
    config: Config,
    ranks: usize,
    /// Number of nodes of each rank.
    nodes: usize,
    /// Number of messages that a channel between two ranks has room for.
    room: usize,
}

impl Case {
    fn all_nodes(self) -> usize {
        self.ranks * self.nodes
    }

    fn build(self, link: Channels) -> Machine {
        Machine::ranks(link).config(self.config).nodes(self.nodes)
    }
}

/// Returns machines of 1 to 4 ranks with 1 to 3 nodes each, SPN and DUAL, with little and much room between
/// the ranks.
fn cases() -> impl Iterator<Item = Case> {
    let of_one = [(1, 1), (2, 1), (2, 1000), (3, 1), (3, 7), (4, 1000)].map(|(ranks, room)| (ranks, 1, room));
    let of_several = [(1, 2, 1), (2, 2, 1), (2, 3, 1000), (3, 2, 7)];
    [Config::Spn, Config::Dual].into_iter().flat_map(move |config| {
        let cases = of_one.into_iter().chain(of_several);
        cases.map(move |(ranks, nodes, room)| Case { config, ranks, nodes, room })
    })
}

/// Outcome of a serving rank: the number of served runs, and the errors.
#[derive(Debug, PartialEq)]
struct Served {
    runs: usize,
    errors: Vec<Error>,
}

/// Serves runs that begin with these values until rank 0 has left, or the rank can serve no more.
fn serve(mut machine: Machine, values: impl Fn() -> SharedValues) -> Served {
    let mut served = Served { runs: 0, errors: Vec::new() };
    loop {
        match machine.serve_with(values()) {
            Ok(Some(run)) => {
                assert_eq!(run.by_node.len(), machine.node_count());
                served.runs += 1;
            }
            Ok(None) => return served,
            Err(error) => {
                let is_last = matches!(error, Error::LostRank { .. } | Error::CannotBuild(_));
                served.errors.push(error);
                if is_last {
                    return served;
                }
            }
        }
    }
}

/// Runs `main` on rank 0 of a machine of ranks while the others serve. `build` makes each machine from its
/// link. Returns the result of `main`, and the outcomes of rank 1 and so on.
fn on_ranks_of<T>(
    links: Vec<Channels>,
    build: impl Fn(Channels) -> Machine + Sync,
    values: impl Fn() -> SharedValues + Sync,
    main: impl FnOnce(Machine) -> T,
) -> (T, Vec<Served>) {
    let (build, values) = (&build, &values);
    thread::scope(|scope| {
        let mut links = links.into_iter();
        let own = links.next().expect("there is a rank");
        let others: Vec<_> = links.map(|link| scope.spawn(move || serve(build(link), values))).collect();
        let value = main(build(own));
        (value, others.into_iter().map(|other| other.join().expect("it does not panic")).collect())
    })
}

/// Runs `main` on rank 0 of a machine, while the other ranks serve.
fn on_ranks<T>(case: Case, main: impl FnOnce(Machine) -> T) -> (T, Vec<Served>) {
    on_ranks_of(channels(case.ranks, case.room), |link| case.build(link), SharedValues::default, main)
}
