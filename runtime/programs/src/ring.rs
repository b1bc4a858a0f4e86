//! A ring of producers and consumers: each node takes a ball from its left neighbor, adds its own number to
//! it and passes it on.
//!
//! ```text
//! cargo run --release -p earth-programs -- ring 1000 8 dual     # laps, nodes, spn or dual
//! ```
//!
//! 1. The main function starts a member on every node. It holds a write-once cell for each member's address.
//! 2. A member writes its own address into its cell and requests the address in its right neighbor's cell. A
//!    request before the write waits at the cell. So linking the ring needs no order and no polling.
//! 3. A member passes on each ball that comes. The first ball also waits for the address. So the fiber's slot
//!    resets, with one more signal in its first round.
//!
//! A hop is one event between two nodes and one fiber. All hops are sequential, so the run measures the
//! latency of a message.

use earth::{CellRefs, Eu, Machine, NodeId, Reply, Then, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// Hops left, and the sum of the numbers of all nodes that had the ball.
type Ball = (u64, u64);

/// Computes the sum of the numbers of all nodes that had the ball, `laps` times around `nodes` nodes.
pub struct Ring {
    hops: u64,
    out: Reply<u64>,
}

#[threaded]
impl Ring {
    /// Starts the members, and throws the ball to the first.
    pub fn start(nodes: usize, laps: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let doors = eu.cell_refs(Self::doors(..));
        for node in 0..nodes {
            eu.invoke(NodeId::new(node), Member::call(laps, doors, eu.reply(Self::done().caught)));
        }
        eu.get(doors.at(0), eu.reply(Self::throw().first));
        Ring { hops: laps * nodes as u64, out }
    }

    /// The address at which each member takes the ball.
    #[cells(len = nodes)]
    fn doors(node: usize) -> Reply<Ball>;

    #[slot]
    fn throw(&mut self, first: Reply<Ball>, eu: &mut Eu<Self>) {
        eu.put(first, (self.hops, 0));
    }

    #[slot]
    fn done(self, caught: Ball, eu: &mut Eu<Self>) {
        let (hops, sum) = caught;
        assert_eq!(hops, 0);
        eu.put(self.out, sum);
    }
}

/// One node's part: passes `laps` balls on, the last ball of all to `end`.
struct Member {
    laps: u64,
    end: Reply<Ball>,
    next: Option<Reply<Ball>>,
}

#[threaded]
impl Member {
    fn start(laps: u64, doors: CellRefs<Reply<Ball>>, end: Reply<Ball>, eu: &mut Eu<Self>) -> Self {
        let me = eu.node().index();
        eu.write(doors.at(me), eu.reply(Self::pass().ball));
        eu.get(doors.at((me + 1) % eu.nodes()), eu.reply(Self::link().next));
        Member { laps, end, next: None }
    }

    #[slot]
    fn link(&mut self, next: Reply<Ball>, eu: &mut Eu<Self>) {
        self.next = Some(next);
        eu.sync(Self::pass());
    }

    #[slot(again, first = 1)]
    fn pass(&mut self, ball: Ball, eu: &mut Eu<Self>) -> Then {
        let Some(next) = self.next else { unreachable!("the first round waits for the signal of `link`") };
        let (hops, sum) = ball;
        let to = if hops == 1 { self.end } else { next };
        eu.put(to, (hops - 1, sum + eu.node().index() as u64));
        self.laps -= 1;
        if self.laps == 0 { Then::End } else { Then::Wait }
    }
}

/// Passes a ball around all nodes.
pub struct PassBall;

impl Program for PassBall {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn title(&self) -> &'static str {
        "ring of producers and consumers"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("laps", 1_000, 5)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let laps = sizes[0];
        // The sum and the number of fibers follow from the number of nodes, which the machine has.
        let run = move |machine: &mut Machine| {
            let nodes = machine.node_count();
            let run = machine.run(|out| Ring::call(nodes, laps, out))?;
            let (nodes, fibers) = (nodes as u64, run.counters.fibers);
            if run.value != laps * (0..nodes).sum::<u64>() || fibers != 1 + 2 * nodes + 1 + laps * nodes + 1 {
                return Err(ProgramError::Wrong(format!("the sum is {}, of {fibers} fibers", run.value)));
            }
            Ok(run.map(|_| laps))
        };
        Ok(Instance::new(|| laps, run, |laps| format!("{laps} laps")))
    }
}
