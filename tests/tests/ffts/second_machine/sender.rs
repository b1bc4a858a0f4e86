//! The sender-initiated FFT without values: the exchanges of blocks, and the fibers that wait for two
//! operands.
//!
//! Thread t of M is on node t mod P. Its mate in stage s is the thread whose number differs in the bit of
//! M/2^(s+1). On each node a part begins its threads, and sends their blocks to node 0 when all are computed.

use super::nodes::{Act, Costs, Program, simulate};

#[derive(Clone, Copy)]
enum Item {
    /// Node 0 sends each part the addresses of the other parts' threads.
    Connect,
    /// A part knows the mates of its threads.
    Part,
    /// A thread knows its mates.
    Begin(usize),
    Produce(usize, u32),
    /// An operand for a stage of a thread: a block, or the signal of the thread's own producer.
    Operand(usize, u32),
    Consume(usize, u32),
    Local,
    /// All threads of a part are done.
    SendHome,
    /// The part's blocks are back on node 0.
    Home,
}

struct Sender {
    threads: usize,
    block: usize,
    nodes: usize,
    stages: u32,
    /// Number of operands that have arrived for each stage of each thread.
    come: Vec<Vec<u32>>,
    /// Number of each node's threads that are not done.
    missing: Vec<usize>,
    done: u64,
}

/// Returns the cycles from when node 0 knows all threads until the last block is computed.
pub(crate) fn cycles(costs: &Costs, points: usize, block: usize, nodes: usize) -> u64 {
    let threads = points / block;
    let stages = threads.ilog2();
    let come = vec![vec![0; stages as usize]; threads];
    let missing = (0..nodes).map(|node| (node..threads).step_by(nodes).len()).collect();
    let mut sender = Sender { threads, block, nodes, stages, come, missing, done: 0 };
    simulate(&mut sender, costs, nodes, [(0, Item::Connect)]);
    assert!(sender.missing.iter().all(|&missing| missing == 0), "all blocks are computed");
    sender.done - costs.fiber
}

impl Sender {
    fn bytes(&self) -> u64 {
        16 * self.block as u64
    }

    /// Returns the threads of a node.
    fn threads_of(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + use<> {
        (node..self.threads).step_by(self.nodes)
    }

    fn go_on(&self, thread: usize, stage: u32, act: &mut Act<'_, Item>) {
        act.spend(act.costs.spawn);
        act.enable(if stage < self.stages { Item::Produce(thread, stage) } else { Item::Local });
    }

    fn operand(&mut self, thread: usize, stage: u32, act: &mut Act<'_, Item>) {
        let come = &mut self.come[thread][stage as usize];
        *come += 1;
        if *come == 2 {
            act.enable(Item::Consume(thread, stage));
        }
    }
}

impl Program for Sender {
    type Item = Item;

    fn receive(&mut self, item: Item, act: &mut Act<'_, Item>) {
        match item {
            Item::Operand(thread, stage) => self.operand(thread, stage, act),
            Item::Home => {}
            other => act.enable(other),
        }
    }

    fn run(&mut self, item: Item, act: &mut Act<'_, Item>) {
        let block = self.block as f64;
        match item {
            Item::Connect => {
                for node in 0..self.nodes.min(self.threads) {
                    if node == 0 {
                        act.spend(act.costs.word);
                        act.enable(Item::Part);
                    } else {
                        act.send(node, Item::Part, 0);
                    }
                }
            }
            Item::Part => {
                for thread in self.threads_of(act.node) {
                    act.spend(act.costs.word);
                    act.enable(Item::Begin(thread));
                }
            }
            Item::Begin(thread) => self.go_on(thread, 0, act),
            Item::Produce(thread, stage) => {
                let mate = thread ^ (self.threads >> (stage + 1));
                if mate % self.nodes == act.node {
                    act.spend(act.costs.block);
                    self.operand(mate, stage, act);
                } else {
                    act.send(mate % self.nodes, Item::Operand(mate, stage), self.bytes());
                }
                act.spend(act.costs.sync);
                self.operand(thread, stage, act);
            }
            Item::Consume(thread, stage) => {
                // Half of the ten operations of a butterfly, for each point.
                act.spend(act.costs.flops(5.0 * block));
                self.go_on(thread, stage + 1, act);
            }
            Item::Local => {
                act.spend(act.costs.flops(5.0 * block * block.log2()));
                self.done = self.done.max(act.now);
                act.spend(act.costs.block);
                self.missing[act.node] -= 1;
                if self.missing[act.node] == 0 {
                    act.enable(Item::SendHome);
                }
            }
            Item::SendHome => {
                let bytes = self.bytes() * self.threads_of(act.node).len() as u64;
                if act.node == 0 {
                    act.spend(act.costs.block);
                } else {
                    act.send(0, Item::Home, bytes);
                }
            }
            Item::Operand(..) | Item::Home => unreachable!("no fiber"),
        }
    }
}
