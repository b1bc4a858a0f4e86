//! The program of the run: a function that answers a request, and how requests are given to the nodes.

use earth::input::Input;
use earth::{Config, Eu, FiberOrder, Machine, NodeId, Policy, Reply, Shared, threaded};

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
    fn start(connection: Shared<Connection>, number: u64, mut answer: Vec<u8>) {
        frame::seal(&mut answer);
        connection.answer(number, answer);
    }
}

/// Returns the machine of a server: functions start in the order of their calls, so that no request is
/// overtaken by all that came later. Idle threads leave their cores soon, because clients and the poller
/// need them.
pub fn machine(nodes: usize, config: Config) -> Machine {
    let policy = Policy { fibers: FiberOrder::OneQueue, spin: 0, ..Policy::default() };
    Machine::threads(nodes).config(config).policy(policy)
}

/// An open run that answers requests.
#[derive(Debug)]
pub struct Service {
    input: Input<()>,
    nodes: usize,
    /// Node of the next request.
    next: usize,
}

impl Service {
    /// Opens the run, for requests on the first `nodes` nodes.
    pub fn open(machine: Machine, nodes: usize) -> Self {
        Service { input: machine.open(Opens::call), nodes, next: 0 }
    }

    /// Gives request `number` of a connection to the next node. Waits while the node's queue is full.
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
        let node = NodeId::new(self.next);
        self.next = (self.next + 1) % self.nodes;
        self.input.invoke(node, Answers::call(connection.clone(), number, frame::unsealed(payload)))
    }

    /// Answers all given requests, and ends the run. Returns the machine, and the error that ended the run.
    pub fn close(self) -> (Machine, Result<(), earth::Error>) {
        let (machine, run) = self.input.close().wait();
        (machine, run.map(drop))
    }
}
