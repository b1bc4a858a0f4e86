//! Input of a run from outside: functions that threads of the process start while the run is on.
//!
//! A run is over when no node has anything left to run. A program that serves requests, or follows a sensor, is idle at
//! times and is not over. [`Machine::open`] begins such a run in a thread of its own and gives its [`Input`]. The run goes
//! on as long as there is the `Input`; its workers sleep meanwhile. [`Input::close`] lets the run come to its end, and
//! gives the handle to wait for that.
//!
//! ```
//! use std::sync::mpsc::channel;
//!
//! use earth::{Eu, Machine, NodeId, Reply, Shared, threaded};
//! # use std::sync::mpsc::Sender;
//!
//! /// Answers a request.
//! struct Doubles;
//!
//! #[threaded]
//! impl Doubles {
//!     fn start(request: u64, answers: Shared<Sender<u64>>) {
//!         // It fails if the thread that asked is gone.
//!         let _ = answers.send(2 * request);
//!     }
//! }
//!
//! /// The main function.
//! struct Serves;
//!
//! #[threaded]
//! impl Serves {
//!     fn start(out: Reply<()>, eu: &mut Eu<Self>) {
//!         eu.put(out, ());
//!     }
//! }
//!
//! let input = Machine::threads(2).open(Serves::call);
//! let (answers, answered) = channel();
//! let answers = Shared::new(answers);
//! for request in 0..10 {
//!     input.invoke(NodeId::new(1), Doubles::call(request, answers.clone()))?;
//!     assert_eq!(answered.recv(), Ok(2 * request));
//! }
//! let (machine, run) = input.close().wait();
//! run?;
//! # drop(machine);
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! Threads share an `Input` by reference or in an [`Arc`]. There is one `Input` of a run, and `close` takes it: so no
//! thread can wait for the end of a run that its own handle keeps from ending. [`Machine::run`] has no input, and waits for
//! the run alone.
//!
//! [`Machine::invoke`] names functions that the next run starts with its main function, on every machine. On a machine of
//! [ranks](crate::ranks) each process has an input of its own, [`Machine::open_serving`], and the run waits for all of
//! them. A [simulated](crate::Machine::simulated) machine has no time that other threads share: it refuses a run with an
//! input at once.
//!
//! *What bounds memory.* Before the run begins, calls are kept in a list of any length. During the run a call takes
//! a place in a queue of [`queue_capacity`](crate::Machine::queue_capacity) places, and its sender waits
//! while that is full. A node takes a batch of events out of its queue for each fiber that it runs
//! ([`Policy::batch`](crate::Policy::batch)), and calls then wait with the node's other functions. So senders that
//! are faster than the program for a long time fill its memory, as nodes do that are faster than others. A program
//! that has to bound this lets the sender wait for answers, as the one above does.

use std::sync::Arc;

use super::gate::{Gate, ToNode};
use super::panics::quietly;
use super::running::Running;
use super::{Kind, Machine};
use crate::node::bytes;
use crate::node::function::{Call, ErasedCall, Event, Threaded, kind};
use crate::program::Run;
use crate::vocabulary::address::{NodeId, Reply};
use crate::vocabulary::error::{Error, FiberName};
use crate::vocabulary::inside::inside_fiber;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::wire::Wire;

/// The input of a run that [`Machine::open`] has begun: by it any thread starts functions in the run. The run does not
/// end before this is closed or dropped, unless by an error.
///
/// Calls of one thread for one node start in the order in which they were made, but for what the machine's
/// [`Policy`](crate::Policy) says of functions that wait.
///
/// An input belongs to the process that opened the run. A forked child has no use for its copy.
#[must_use = "the run comes to its end when its input is dropped"]
pub struct Input<R> {
    door: Door,
    running: Running<R>,
}

/// Closes the gate when it is dropped.
struct Door(Arc<Gate>);

impl<R> Input<R> {
    /// Starts a function on a node. Waits while the queue of that node is full. A call that is taken runs unless the
    /// run ends with an error before. With [`Machine::through_bytes`] a call goes through bytes, unless it is for node 0.
    ///
    /// # Errors
    ///
    /// * The error that ended the run;
    /// * [`Error::NoSuchNode`] if the machine has no such node;
    /// * [`Error::InsideFiber`] in a fiber, which has [`Eu::invoke`](crate::Eu::invoke);
    /// * [`Error::Forked`] in a child of the process that opened the run.
    ///
    /// The call is dropped then.
    pub fn invoke<F: Threaded>(&self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        if inside_fiber() {
            return Err(Error::InsideFiber);
        }
        let Door(gate) = &self.door;
        if !gate.is_here() {
            return Err(Error::Forked { what: "the input".into() });
        }
        check_node(node.index(), gate.nodes)?;
        let mut call = Event::Invoke { node: node.0, call: ErasedCall::new(call, kind::<F>()) };
        if let Some(shared) = gate.through_bytes.as_ref().filter(|_| node.0 > 0) {
            call = bytes::pack(call, 0, shared);
        }
        let mut call = Some(call);
        let mut offer = || gate.offer(node.0, &mut call);
        let mut full = offer()?;
        while let Some(injector) = full {
            let mut again = Ok(None);
            injector.wait(&mut || {
                again = offer();
                !matches!(again, Ok(Some(_)))
            });
            full = again?;
        }
        Ok(())
    }

    /// Whether the run is over, by an error.
    pub fn is_over(&self) -> bool {
        self.running.is_over()
    }

    /// Lets the run come to its end, and gives the handle to wait for it.
    pub fn close(self) -> Running<R> {
        self.running
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<R> std::fmt::Debug for Input<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl Machine {
    /// Runs a function as [`start`](Machine::start) does, in a run that goes on as long as its [`Input`] is there: see
    /// [`input`](self).
    pub fn open<F: Threaded, R: Wire>(
        self,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_with(SharedValues::default(), main)
    }

    /// Runs a function as [`open`](Machine::open) does, after every process was given these values: see
    /// [`run_with`](Machine::run_with).
    pub fn open_with<F: Threaded, R: Wire>(
        self,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_as(shared, |machine, gate, shared| machine.run_through(gate, None, shared, main))
    }

    /// Takes part in a run as [`serve_with`](Machine::serve_with) does, in a run that goes on as long as this rank's
    /// [`Input`] is there. The run ends with [`Error::LostRank`] if rank 0 begins no further run.
    pub fn open_serving(self, shared: SharedValues) -> Input<()> {
        self.open_as(shared, |machine, gate, shared| {
            let served = machine.serve_through(gate, None, shared)?;
            served.ok_or_else(|| Error::LostRank { rank: 0, why: "its machine was dropped".to_owned() })
        })
    }

    /// Has `run` run this machine with a gate for input, in a run that begins with the values `shared`.
    fn open_as<R: Send + 'static, W>(self, shared: SharedValues, run: W) -> Input<R>
    where
        W: FnOnce(&mut Machine, Option<&Gate>, SharedValues) -> Result<Run<R>, Error> + Send + 'static,
    {
        // A rank packs what leaves it.
        let packs = self.settings.through_bytes && !matches!(self.kind, Kind::Ranks(_));
        let gate = Arc::new(Gate::new(self.settings.nodes, packs.then(|| shared.clone())));
        let door = Door(Arc::clone(&gate));
        Input { door, running: self.start_as(Some(gate), |machine, gate| run(machine, gate, shared)) }
    }

    /// Starts a function on a node in the next run, with the main function: on every machine, and before any call of an
    /// [`Input`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchNode`] if the machine has no such node. The call is dropped then.
    pub fn invoke<F: Threaded>(&mut self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        check_node(node.index(), self.settings.nodes)?;
        let call = Event::Invoke { node: node.0, call: ErasedCall::new(call, kind::<F>()) };
        self.first.0.push((node.0, call));
        Ok(())
    }
}

/// Whether a machine of `nodes` nodes has this one, which was named outside of a run.
fn check_node(node: usize, nodes: usize) -> Result<(), Error> {
    if node < nodes {
        return Ok(());
    }
    let (function, fiber) = ("a thread".to_owned(), "outside of the run".to_owned());
    Err(Error::NoSuchNode { at: FiberName { function, fiber, node: 0 }, node, nodes })
}

/// The calls that the next run of a machine starts with its main function.
#[derive(Default)]
pub(super) struct FirstCalls(Vec<ToNode>);

impl FirstCalls {
    /// Takes the calls out, for a run on this many nodes.
    pub(super) fn take(&mut self, nodes: usize) -> Result<Vec<ToNode>, Error> {
        let calls = std::mem::take(&mut self.0);
        if let Some(&(last, _)) = calls.iter().max_by_key(|(node, _)| *node)
            && let Err(error) = check_node(last as usize, nodes)
        {
            quietly(calls);
            return Err(error);
        }
        Ok(calls)
    }
}

impl Drop for FirstCalls {
    fn drop(&mut self) {
        quietly(std::mem::take(&mut self.0));
    }
}
