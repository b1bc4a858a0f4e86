//! The receiver-initiated FFT without values: the requests between nodes, and the functions that wait for two
//! answers.
//!
//! Points are numbered from 0 to N - 1. Each node has N/P consecutive points. The two operands of a point at
//! level l differ in the bit of N/P 2^(l-1).

use std::collections::{HashMap, HashSet};

use super::nodes::{Act, Costs, Program, simulate};

/// The receiver of an answer.
#[derive(Clone, Copy)]
enum To {
    /// The function with this number, and its node.
    Function(usize, usize),
    /// The node that wants the point as one of its results.
    Root,
}

#[derive(Clone, Copy)]
enum Item {
    /// A node's local stages, and its requests for the points of the last level.
    Begin,
    /// A request for a point of a level, by the point itself or by its mate.
    Ask { point: usize, level: u32, itself: bool, to: To },
    /// One answer has arrived at a function.
    Answer(usize),
    /// Both answers have arrived at a function.
    Combine(usize),
    /// All results of a node have arrived.
    Collect,
}

/// A request that waits for its operands.
struct Function {
    point: usize,
    level: u32,
    to: To,
    missing: u32,
}

struct Receiver {
    share: usize,
    levels: u32,
    shared: bool,
    functions: Vec<Function>,
    /// Receivers that wait for a point of a level, and the points that are there (shared requests only).
    cells: HashMap<(usize, u32), Vec<To>>,
    there: HashSet<(usize, u32)>,
    missing_roots: Vec<usize>,
    done: u64,
}

/// Returns the cycles from the beginning of the local stages until the last node has its results.
pub(crate) fn cycles(costs: &Costs, points: usize, nodes: usize, shared: bool) -> u64 {
    let share = points / nodes;
    let mut receiver = Receiver {
        share,
        levels: nodes.ilog2(),
        shared,
        functions: Vec::new(),
        cells: HashMap::new(),
        there: HashSet::new(),
        missing_roots: vec![share; nodes],
        done: 0,
    };
    simulate(&mut receiver, costs, nodes, (0..nodes).map(|node| (node, Item::Begin)));
    assert!(receiver.missing_roots.iter().all(|&missing| missing == 0), "all results have come");
    receiver.done
}

impl Receiver {
    fn node(&self, point: usize) -> usize {
        point / self.share
    }

    /// Takes an answer for a local function or node.
    fn take(&mut self, to: To, act: &mut Act<'_, Item>) {
        match to {
            To::Root => {
                self.missing_roots[act.node] -= 1;
                if self.missing_roots[act.node] == 0 {
                    act.enable(Item::Collect);
                }
            }
            To::Function(number, _) => {
                let missing = &mut self.functions[number].missing;
                *missing -= 1;
                if *missing == 0 {
                    act.enable(Item::Combine(number));
                }
            }
        }
    }

    /// Answers a request for a local value. The local cost is already spent.
    fn answer(&mut self, to: To, act: &mut Act<'_, Item>) {
        match to {
            To::Function(number, node) if node != act.node => act.send(node, Item::Answer(number), 0),
            here => self.take(here, act),
        }
    }

    fn ask(&mut self, point: usize, level: u32, itself: bool, to: To, act: &mut Act<'_, Item>) {
        if level == 0 || (self.shared && !itself) {
            act.spend(act.costs.word);
            if level == 0 || self.there.contains(&(point, level)) {
                self.answer(to, act);
            } else {
                self.cells.entry((point, level)).or_default().push(to);
            }
            return;
        }
        act.spend(act.costs.frame);
        let (number, apart) = (self.functions.len(), self.share << (level - 1));
        self.functions.push(Function { point, level, to, missing: 2 });
        for operand in [point & !apart, point | apart] {
            let to = To::Function(number, act.node);
            let ask = Item::Ask { point: operand, level: level - 1, itself: operand == point, to };
            if self.node(operand) == act.node {
                act.spend(act.costs.spawn);
                act.enable(ask);
            } else {
                act.send(self.node(operand), ask, 0);
            }
        }
    }

    fn combine(&mut self, number: usize, act: &mut Act<'_, Item>) {
        let Function { point, level, to, .. } = self.functions[number];
        // A complex multiplication and an addition.
        act.spend(act.costs.flops(8.0));
        if self.shared && level < self.levels {
            act.spend(act.costs.word);
            self.there.insert((point, level));
            for waiting in self.cells.remove(&(point, level)).unwrap_or_default() {
                self.answer(waiting, act);
            }
        }
        if !matches!(to, To::Function(_, node) if node != act.node) {
            act.spend(act.costs.word);
        }
        self.answer(to, act);
    }
}

impl Program for Receiver {
    type Item = Item;

    fn receive(&mut self, item: Item, act: &mut Act<'_, Item>) {
        match item {
            Item::Answer(number) => self.take(To::Function(number, act.node), act),
            ask => act.enable(ask),
        }
    }

    fn run(&mut self, item: Item, act: &mut Act<'_, Item>) {
        match item {
            Item::Begin => {
                let share = self.share as f64;
                act.spend(act.costs.flops(5.0 * share * share.log2()));
                act.spend(act.costs.word * self.share as u64);
                for point in act.node * self.share..(act.node + 1) * self.share {
                    act.spend(act.costs.spawn);
                    act.enable(Item::Ask { point, level: self.levels, itself: true, to: To::Root });
                }
            }
            Item::Ask { point, level, itself, to } => self.ask(point, level, itself, to, act),
            Item::Combine(number) => self.combine(number, act),
            Item::Collect => self.done = self.done.max(act.now),
            Item::Answer(_) => unreachable!("an answer is no fiber"),
        }
    }
}
