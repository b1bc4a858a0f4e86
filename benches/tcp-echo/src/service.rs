//! The program of the run: a function that answers a request, and how requests are given to the nodes.

use earth::input::Input;
use earth::{Config, Eu, FiberOrder, Machine, NodeId, Policy, Reply, Shared, threaded};

use parking_lot::Mutex;

use crate::connection::Connection;
use crate::frame;

/// The main function. All work arrives from outside.
struct Opens;

#[threaded]
impl Opens {
    fn start(out: Reply<()>, eu: &mut Eu<Self>) {
        eu.put(out, ());
    }
}

/// Answers a request. A function has the parts that a larger service needs: it could start others, on any
/// node, and write the answer when their results have come.
struct Answers;

#[threaded]
impl Answers {
    fn start(connection: Shared<Connection>, number: u64, mut answer: Vec<u8>, done: Shared<Mutex<u64>>) {
        frame::seal(&mut answer);
        connection.answer(number, answer);
        *done.lock() += 1;
    }
}

/// Returns the machine of a server: functions start in the order of their calls, so that no request is
/// overtaken by all that came later. Idle threads leave their cores soon, because clients and the poller
/// need them.
pub fn machine(nodes: usize, config: Config) -> Machine {
    let policy = Policy { fibers: FiberOrder::OneQueue, spin: 0, ..Policy::default() };
    Machine::threads(nodes).config(config).policy(policy)
}

/// Number of unanswered requests at which a node is full, and the next node gets requests. On two cores 16
/// had the best throughput and tail of 1, 4, 16 and 64.
const DEPTH: u64 = 16;

/// An open run that answers requests.
#[derive(Debug)]
pub struct Service {
    input: Input<()>,
    nodes: Vec<Node>,
}

/// A node's share of the requests.
#[derive(Debug)]
struct Node {
    given: u64,
    /// Number of answered requests. The node counts it.
    done: Shared<Mutex<u64>>,
    /// Value of `done` when the poller last looked.
    seen: u64,
}

impl Node {
    /// Returns the number of unanswered requests. Below [`DEPTH`] it returns `DEPTH - 1`, without a lock.
    fn waiting(&mut self) -> u64 {
        if self.given - self.seen >= DEPTH {
            self.seen = *self.done.lock();
        }
        (self.given - self.seen).max(DEPTH - 1)
    }
}

impl Service {
    /// Opens the run, for requests on the first `nodes` nodes.
    pub fn open(machine: Machine, nodes: usize) -> Self {
        let node = || Node { given: 0, done: Shared::new(Mutex::new(0)), seen: 0 };
        Service { input: machine.open(Opens::call), nodes: (0..nodes).map(|_| node()).collect() }
    }

    /// Gives request `number` of a connection to a node. Waits while the node's queue is full.
    ///
    /// The first node with fewer than [`DEPTH`] unanswered requests gets it, or the node with the fewest. So
    /// under a small load the other nodes sleep, and each wake-up serves more requests.
    ///
    /// # Errors
    ///
    /// The error that ended the run.
    pub fn give(
        &mut self,
        connection: &Shared<Connection>,
        number: u64,
        payload: &[u8],
    ) -> Result<(), earth::Error> {
        let waiting = self.nodes.iter_mut().map(Node::waiting).enumerate();
        let (index, _) = waiting.min_by_key(|&(_, waiting)| waiting).expect("a machine has nodes");
        let node = &mut self.nodes[index];
        node.given += 1;
        let call = Answers::call(connection.clone(), number, frame::unsealed(payload), node.done.clone());
        self.input.invoke(NodeId::new(index), call)
    }

    /// Answers all given requests, and ends the run. Returns the machine, and the error that ended the run.
    pub fn close(self) -> (Machine, Result<(), earth::Error>) {
        let (machine, run) = self.input.close().wait();
        (machine, run.map(drop))
    }
}
