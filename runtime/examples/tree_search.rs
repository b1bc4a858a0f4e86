//! Counting the nodes of an unbalanced tree, after the benchmark UTS: how many children a node has is drawn from a
//! hash of the node, so nobody knows the size of a subtree before it has been searched.
//!
//! Each node above the cut-off depth is a token, which the balancer may run anywhere; a node at that depth counts its
//! whole subtree in one fiber. What the children counted comes together in one slot of their parent. The sum is
//! compared with that of a recursive count.
//!
//! `cargo run --release -p earth --example tree_search [depth] [cut-off] [seed] [nodes] [spn|dual]`

use earth::{Arrived, Config, Eu, Machine, Reply, Start, Wire, threaded};

/// A node of the tree: all that is below follows from it.
#[derive(Clone, Copy, Wire)]
pub(crate) struct Node {
    hash: u64,
    /// How many levels there may be below.
    height: u32,
}

impl Node {
    pub(crate) fn new(hash: u64, height: u32) -> Self {
        Node { hash: mix(hash), height }
    }

    /// Mostly none or a few, now and then many: two in the mean. The root has at least four.
    pub(crate) fn children(self, root: bool) -> usize {
        const DRAWN: [usize; 16] = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 6, 8];
        let drawn = DRAWN[(self.hash >> 60) as usize];
        match (self.height, root) {
            (0, _) => 0,
            (_, true) => drawn.max(4),
            (_, false) => drawn,
        }
    }

    pub(crate) fn child(self, i: usize) -> Self {
        Node::new(self.hash.wrapping_add(i as u64), self.height - 1)
    }

    /// The size of the tree below and with this node.
    pub(crate) fn count(self, root: bool) -> u64 {
        1 + (0..self.children(root)).map(|i| self.child(i).count(false)).sum::<u64>()
    }
}

/// The bits of a number, well mixed: the last step of splitmix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// The count of a subtree.
pub(crate) struct Count {
    out: Reply<u64>,
}

#[threaded(children = node.children(root))]
impl Count {
    /// Counts the subtree of `node`, whose `levels` uppermost levels are tokens.
    pub(crate) fn start(
        node: Node,
        levels: u32,
        root: bool,
        out: Reply<u64>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if levels == 0 || children == 0 {
            eu.put(out, node.count(root));
            return Start::End;
        }
        let counts = eu.replies(Self::add().counts);
        for i in 0..children {
            eu.token(Count::call(node.child(i), levels - 1, false, counts.at(i)));
        }
        Start::Wait(Count { out })
    }

    #[slot]
    fn add(self, #[inlets(children)] counts: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, 1 + counts.sum::<u64>());
    }
}

/// Counts a tree of at most `depth` levels below its root, by tokens down to depth `cutoff`, and checks the count.
pub(crate) fn demonstrate(
    depth: u32,
    cutoff: u32,
    seed: u64,
    machine: &mut Machine,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = Node::new(seed, depth);
    let nodes = machine.node_count();
    let run = machine.run(|out| Count::call(root, cutoff, true, out))?;
    let expected = root.count(true);
    if run.value != expected {
        return Err(format!("counted {} nodes of {expected}", run.value).into());
    }
    let (tokens, stolen) = (run.counters.tokens, run.counters.tokens_stolen);
    println!("{expected} nodes of a tree on {nodes} nodes: {tokens} tokens, {stolen} of them stolen");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual| args.get(i).map_or(Ok(usual), |arg| arg.parse());
    let seed = args.get(2).map_or(Ok(19), |arg| arg.parse())?;
    let nodes = args.get(3).map_or(Ok(2), |arg| arg.parse())?;
    let config = args.get(4).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    demonstrate(number(0, 18)?, number(1, 9)?, seed, &mut Machine::threads(nodes).config(config))
}
