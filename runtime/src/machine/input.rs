//! Input of a run from outside: threads of the process start functions during the run.
//!
//! A run ends when no node has anything left to run. A program that serves requests or follows a sensor is
//! idle at times, but must not end then. [`Machine::open`] begins such a run in a thread of its own and
//! returns its [`Input`]. The run continues as long as the `Input` exists; idle workers sleep.
//! [`Input::close`] lets the run end and returns a handle that waits for the end.
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
//!     // Sending fails if the requesting thread is gone.
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
//! Threads share an `Input` by reference or in an [`Arc`]. A run has one `Input`, and `close` consumes it. So
//! no thread can wait for the end of a run that its own handle keeps open. [`Machine::run`] has no input and
//! waits only for the run.
//!
//! [`Machine::invoke`] names functions that the next run starts with its main function, on every kind of
//! machine. On a machine of [ranks](crate::ranks) each process has its own input, [`Machine::open_serving`],
//! and the run waits for all of them. A [simulated](crate::Machine::simulated) machine returns an error for a
//! run with input, because other threads do not share its virtual time.
//!
//! *Memory.* Before the run begins, calls are kept in an unbounded list. During the run a call takes a cell
//! of a queue of [`queue_capacity`](crate::Machine::queue_capacity) cells, and its sender waits while the
//! queue is full. For each fiber that it runs, a node takes a batch of events out of its queue
//! ([`Policy::batch`](crate::Policy::batch)). The calls then wait with the node's other functions. So senders
//! that stay faster than the program fill its memory, just as fast nodes do. To bound the memory, the sender
//! waits for answers, as in the example above.

use std::sync::Arc;

use super::Machine;
use super::gate::{InputGate, ToNode};
use super::panics::drop_ignoring_panics;
use super::running::Running;
use crate::node::bytes;
use crate::node::function::{Call, ErasedCall, Event, Threaded, kind};
use crate::node::su::Packing;
use crate::program::Run;
use crate::vocabulary::address::{NodeId, Reply};
use crate::vocabulary::error::{Error, FiberName};
use crate::vocabulary::inside::inside_fiber;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::wire::Wire;

/// Input of a run that [`Machine::open`] began. Any thread can use it to start functions in the run. The run
/// does not end before the input is closed or dropped, except by an error.
///
/// One thread's calls for one node start in the order of the calls. The machine's [`Policy`](crate::Policy)
/// may change the order of waiting functions.
///
/// An input belongs to the process that opened the run. A forked child cannot use its copy.
#[doc(alias = "channel")]
#[doc(alias = "Sender")]
#[must_use = "the run comes to its end when its input is dropped"]
pub struct Input<R> {
    door: Door,
    running: Running<R>,
}

/// Closes the gate when it is dropped.
struct Door(Arc<InputGate>);

impl<R> Input<R> {
    /// Starts a function on a node, and waits while that node's queue is full. An accepted call runs unless
    /// the run ends with an error first. With [`Machine::through_bytes`] the call is encoded as bytes, unless
    /// it is for node 0.
    ///
    /// # Errors
    ///
    /// * The error that ended the run.
    /// * [`Error::NoSuchNode`] if the machine has no such node.
    /// * [`Error::InsideFiber`] in a fiber; use [`Eu::invoke`](crate::Eu::invoke) there.
    /// * [`Error::Forked`] in a child of the process that opened the run.
    ///
    /// After an error the call is dropped.
    #[doc(alias = "spawn")]
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

    /// Returns whether the run has ended. Only an error ends a run with an open input.
    pub fn is_over(&self) -> bool {
        self.running.is_over()
    }

    /// Lets the run end, and returns the handle that waits for the end.
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
    /// Runs a function as [`start`](Machine::start) does. The run continues as long as its [`Input`] exists:
    /// see [`input`](self).
    pub fn open<F: Threaded, R: Wire>(
        self,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_with(SharedValues::default(), main)
    }

    /// Runs a function as [`open`](Machine::open) does, with values that every process has: see
    /// [`run_with`](Machine::run_with).
    pub fn open_with<F: Threaded, R: Wire>(
        self,
        shared: SharedValues,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Input<R> {
        self.open_as(shared, |machine, gate, shared| machine.run_through(gate, None, shared, main))
    }

    /// Takes part in a run as [`serve_with`](Machine::serve_with) does. The run continues as long as this
    /// rank's [`Input`] exists. It ends with [`Error::LostRank`] if rank 0 begins no further run.
    pub fn open_serving(self, shared: SharedValues) -> Input<()> {
        self.open_as(shared, |machine, gate, shared| {
            let served = machine.serve_through(gate, None, shared)?;
            served.ok_or_else(|| Error::LostRank { rank: 0, why: "its machine was dropped".to_owned() })
        })
    }

    /// Has `run` run this machine with a gate for input, in a run that begins with the values `shared`.
    fn open_as<R: Send + 'static, W>(self, shared: SharedValues, run: W) -> Input<R>
    where
        W: FnOnce(&mut Machine, Option<&InputGate>, SharedValues) -> Result<Run<R>, Error> + Send + 'static,
    {
        let packs = self.settings.packing == Packing::Bytes;
        let gate = Arc::new(InputGate::new(self.settings.nodes, packs.then(|| shared.clone())));
        let door = Door(Arc::clone(&gate));
        Input { door, running: self.start_as(Some(gate), |machine, gate| run(machine, gate, shared)) }
    }

    /// Starts a function on a node in the next run, with the main function and before any call of an
    /// [`Input`]. Every kind of machine supports this.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchNode`] if the machine has no such node. The call is then dropped.
    pub fn invoke<F: Threaded>(&mut self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        check_node(node.index(), self.settings.nodes)?;
        let call = Event::Invoke { node: node.0, call: ErasedCall::new(call, kind::<F>()) };
        self.first.0.push((node.0, call));
        Ok(())
    }
}

/// Checks that a machine of `nodes` nodes has node `node`, which a caller outside the run named.
fn check_node(node: usize, nodes: usize) -> Result<(), Error> {
    if node < nodes {
        return Ok(());
    }
    let (function, fiber) = ("a thread".to_owned(), "outside of the run".to_owned());
    Err(Error::NoSuchNode { at: FiberName { function, fiber, node: 0 }, node, nodes })
}

/// Calls that the next run of a machine starts with its main function.
#[derive(Default)]
pub(super) struct FirstCalls(Vec<ToNode>);

impl FirstCalls {
    /// Takes the calls out, for a run on `nodes` nodes.
    pub(super) fn take(&mut self, nodes: usize) -> Result<Vec<ToNode>, Error> {
        let calls = std::mem::take(&mut self.0);
        if let Some(&(last, _)) = calls.iter().max_by_key(|(node, _)| *node)
            && let Err(error) = check_node(last as usize, nodes)
        {
            drop_ignoring_panics(calls);
            return Err(error);
        }
        Ok(calls)
    }
}

impl Drop for FirstCalls {
    fn drop(&mut self) {
        drop_ignoring_panics(std::mem::take(&mut self.0));
    }
}
