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

use earth_signal::Process;
use parking_lot::Mutex;

use super::running::Running;
use super::units::quietly;
use super::{Kind, Machine};
use crate::node::bytes;
use crate::node::function::{Call, ErasedCall, Event, Threaded, kind};
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

/// The way into one run.
pub(super) struct Gate {
    /// The process that opened the run.
    process: Process,
    state: Mutex<State>,
    /// How many nodes the machine has.
    nodes: usize,
    /// The values that the run begins with, if calls for other nodes than node 0 go through bytes.
    through_bytes: Option<SharedValues>,
}

/// A call, and the node that it is for.
pub(super) type ToNode = (u32, Event);

struct State {
    is_open: bool,
    stage: Stage,
}

/// Where the run is.
enum Stage {
    /// The run has not begun; these calls were sent.
    Before(Vec<ToNode>),
    On(Arc<dyn Injector>),
    /// The run has ended with this error, or never began.
    Over(Error),
}

/// The way from outside into a run that is on. All but [`wait`](Injector::wait) are called under the lock of the gate,
/// and not after the run.
pub(super) trait Injector: Send + Sync {
    /// Takes a call for a node of the machine, unless there is no room or the run is over.
    fn take(&self, node: u32, call: Event) -> Result<(), Refused>;

    /// Waits until there may be room or the run may be over, unless `ready` says that it need not. Calls `ready` at
    /// least once, after which no room that is made goes unnoticed.
    fn wait(&self, ready: &mut dyn FnMut() -> bool);

    /// No call follows.
    fn close(&self);

    /// The run has ended with an error.
    fn end(&self);
}

/// A call that was not taken: for lack of room, unless the run has ended with an error.
pub(super) struct Refused {
    pub(super) call: Event,
    pub(super) over: Option<Box<Error>>,
}

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
        if !self.0.is_here() {
            return;
        }
        let State { is_open, stage } = &mut *self.0.state.lock();
        *is_open = false;
        if let Stage::On(injector) = stage
            && !seeded!(InputNeverCloses)
        {
            injector.close();
        }
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
        let gate = self.gate(&shared);
        let door = Door(Arc::clone(&gate));
        let running =
            self.start_as(Some(gate), move |machine, gate| machine.run_through(gate, None, shared, main));
        Input { door, running }
    }

    /// Takes part in a run as [`serve_with`](Machine::serve_with) does, in a run that goes on as long as this rank's
    /// [`Input`] is there. The run ends with [`Error::LostRank`] if rank 0 begins no further run.
    pub fn open_serving(self, shared: SharedValues) -> Input<()> {
        let gate = self.gate(&shared);
        let door = Door(Arc::clone(&gate));
        let running = self.start_as(Some(gate), move |machine, gate| {
            let served = machine.serve_through(gate, None, shared)?;
            served.ok_or_else(|| Error::LostRank { rank: 0, why: "its machine was dropped".to_owned() })
        });
        Input { door, running }
    }

    /// The gate of this machine's next run, which begins with the values `shared`.
    fn gate(&self, shared: &SharedValues) -> Arc<Gate> {
        // A rank packs what leaves it.
        let packs = self.settings.through_bytes && !matches!(self.kind, Kind::Ranks(_));
        Arc::new(Gate {
            process: Process::current(),
            state: Mutex::new(State { is_open: true, stage: Stage::Before(Vec::new()) }),
            nodes: self.settings.nodes,
            through_bytes: packs.then(|| shared.clone()),
        })
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

impl Gate {
    /// Whether this process opened the run. Any thread of its parent may have held the lock as it was forked.
    fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Offers the call, and gives the injector that has no room for it.
    fn offer(&self, node: u32, call: &mut Option<Event>) -> Result<Option<Arc<dyn Injector>>, Error> {
        let State { stage, .. } = &mut *self.state.lock();
        let injector = match stage {
            Stage::Over(error) => return Err(error.clone()),
            Stage::Before(kept) => {
                kept.extend(call.take().map(|call| (node, call)));
                return Ok(None);
            }
            Stage::On(injector) => injector,
        };
        let Some(taken) = call.take() else { return Ok(None) };
        let Err(Refused { call: back, over }) = injector.take(node, taken) else { return Ok(None) };
        *call = Some(back);
        match over {
            Some(error) => Err(*error),
            None => Ok(Some(Arc::clone(injector))),
        }
    }

    /// Begins the run: the calls that were sent go to `start`, and those that follow through the injector. Returns whether
    /// any may follow.
    pub(super) fn begin(&self, injector: Arc<dyn Injector>, start: impl FnMut(ToNode)) -> bool {
        let State { is_open, stage } = &mut *self.state.lock();
        if let Stage::Before(kept) = stage {
            kept.drain(..).for_each(start);
        }
        let is_open = *is_open && !seeded!(InputUnawaited);
        if is_open {
            *stage = Stage::On(injector);
        }
        is_open
    }

    /// Runs `run` with this gate, if there is one, which ends with the run.
    pub(super) fn during<T>(
        gate: Option<&Gate>,
        run: impl FnOnce(Option<&Gate>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        /// Ends the gate of a run whose thread panics.
        struct Ends<'a>(&'a Gate);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.end(Error::Cancelled);
            }
        }
        let _ends = gate.map(Ends);
        let outcome = run(gate);
        if let (Some(gate), Err(error)) = (gate, &outcome) {
            gate.end(error.clone());
        }
        outcome
    }

    /// The run has ended, or will not begin: calls that follow give this error, unless they give another one already.
    fn end(&self, error: Error) {
        if !self.is_here() {
            return;
        }
        let over = {
            let state = &mut *self.state.lock();
            if matches!(state.stage, Stage::Over(_)) {
                return;
            }
            std::mem::replace(&mut state.stage, Stage::Over(error))
        };
        match over {
            Stage::On(injector) => injector.end(),
            Stage::Before(kept) => quietly(kept),
            Stage::Over(_) => {}
        }
    }
}
