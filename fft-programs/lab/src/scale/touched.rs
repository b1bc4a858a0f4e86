//! Small programs that show what a run and a signal touch, on any number of nodes.

use earth::collective::{Group, Sum, reduce};
use earth::{Config, Error, Eu, Machine, NodeId, Reply, Run, SlotRef, threaded};

/// A run of one fiber.
struct Empty;

#[threaded]
impl Empty {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 0);
    }
}

/// Starts a function on each node, one after another. Each signals this one a number of times.
struct All {
    out: Reply<u64>,
}

#[threaded(signals = each as usize * nodes)]
impl All {
    fn start(each: u64, nodes: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for node in 0..nodes {
            eu.invoke(NodeId::new(node), Signals::call(each, eu.slot_ref(Self::end())));
        }
        All { out }
    }

    #[slot(syncs = signals)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, 0);
    }
}

struct Signals;

#[threaded]
impl Signals {
    fn start(each: u64, to: SlotRef, eu: &mut Eu<Self>) {
        (0..each).for_each(|_| eu.rsync(to));
    }
}

/// Starts a function on each node and hears from all, along a tree.
struct Tree;

#[threaded]
impl Tree {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        let nodes = eu.nodes() as u64;
        reduce::<One, _>(eu, Group::all(eu), 0..nodes, Sum, out);
    }
}

struct One;

#[threaded]
impl One {
    fn start(_number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 1);
    }
}

/// Way to use the nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub(crate) enum Use {
    /// No node but the first.
    None,
    /// A function on each node, started by the first, with this many signals to the first.
    Each(u64),
    /// A function on each node, along a tree.
    Tree,
}

impl Use {
    /// Runs the program.
    pub(crate) fn run(self, machine: &mut Machine) -> Result<Run<u64>, Error> {
        match self {
            Self::None => machine.run(Empty::call),
            Self::Each(signals) => {
                let nodes = machine.node_count();
                machine.run(|out| All::call(signals, nodes, out))
            }
            Self::Tree => machine.run(Tree::call),
        }
    }
}

/// Returns the number of nodes whose counters an empty run on threads collects.
pub(crate) fn collected(nodes: usize, config: Config) -> Result<usize, Error> {
    Ok(Use::None.run(&mut Machine::threads(nodes).config(config))?.by_node.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::cases::CONFIGS;

    fn messages(of: Use, nodes: usize, config: Config) -> u64 {
        let profile = crate::scale::profile();
        let mut machine = Machine::simulated(&profile).nodes(nodes).config(config);
        of.run(&mut machine).unwrap().counters.events_sent
    }

    /// A signal is one message on any number of nodes. A run costs no message for a node that it does not
    /// use, and two for each node that it uses.
    #[test]
    fn messages_grow_with_what_a_program_does_and_not_with_nodes() {
        for (config, nodes) in CONFIGS.into_iter().flat_map(|config| [4, 16, 64].map(|nodes| (config, nodes)))
        {
            let others = nodes as u64 - 1;
            let counts =
                [Use::None, Use::Each(1), Use::Each(8), Use::Tree].map(|of| messages(of, nodes, config));
            assert_eq!(counts, [0, 2 * others, 9 * others, 2 * others], "{nodes} nodes, {config}");
        }
    }
}
