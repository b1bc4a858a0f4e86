//! Input of a run from outside: functions that other threads of the process start while the run is on.
//!
//! A run is over when nothing is left to run anywhere. A program that serves requests, or follows a sensor, has
//! nothing to run for a time and is not over: whoever may start a function still holds an [`Input`]. As long as there
//! is one of a run, the run goes on; its workers sleep meanwhile. When the last one is dropped, the run ends as any
//! other does.
//!
//! ```
//! use std::sync::mpsc::{Sender, channel};
//!
//! use earth::{Eu, Machine, NodeId, Reply, Shared, threaded};
//!
//! /// Answers a request.
//! struct Doubles;
//!
//! #[threaded]
//! impl Doubles {
//!     fn start(request: u64, answers: Shared<Sender<u64>>) {
//!         // It fails if nobody waits for the answer any more.
//!         let _ = answers.send(2 * request);
//!     }
//! }
//!
//! /// The main function, which has nothing to do.
//! struct Serves;
//!
//! #[threaded]
//! impl Serves {
//!     fn start(out: Reply<()>, eu: &mut Eu<Self>) {
//!         eu.put(out, ());
//!     }
//! }
//!
//! let mut machine = Machine::threads(2);
//! let input = machine.input();
//! let client = std::thread::spawn(move || {
//!     let (answers, answered) = channel();
//!     let answers = Shared::new(answers);
//!     for request in 0..10 {
//!         input.invoke(NodeId::new(1), Doubles::call(request, answers.clone()))?;
//!         assert_eq!(answered.recv(), Ok(2 * request));
//!     }
//!     Ok::<(), earth::Error>(())
//! });
//! machine.run(Serves::call)?;
//! client.join().expect("it does not panic")?;
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! Every machine has inputs. On a machine of [ranks](crate::ranks) each process has its own, and all ranks wait for
//! all of them. A [simulated](crate::Machine::simulated) machine has no time that other threads share, so it takes
//! what was sent before its run, in that order, and refuses to run while an input is left: a program with input is
//! tested on it by sending everything first.
//!
//! *What bounds memory.* Before the run begins, what is sent is kept in a list of any length. During it, a call takes
//! a place in a queue of so many as [`queue_capacity`](crate::Machine::queue_capacity) says, and its sender waits
//! while that is full. A node takes a batch of events out of its queue for each fiber that it runs
//! ([`Policy::batch`](crate::Policy::batch)), and calls then wait with the node's other functions. So senders that
//! are faster than the program for a long time fill its memory, as nodes do that are faster than others. A program
//! that has to bound this lets the sender wait for answers, as the one above does.

use std::sync::Arc;

use parking_lot::Mutex;

use super::unit_set::{inside_fiber, quietly};
use crate::node::function::{Call, ErasedCall, Threaded, kind};
use crate::vocabulary::address::NodeId;
use crate::vocabulary::error::{Error, FiberName};

/// A handle by which any thread starts functions of a run that [`Machine::input`](crate::Machine::input) was called
/// for. The run does not end before its last handle is dropped, unless by an error.
///
/// Calls of one thread for one node start in the order in which they were made, but for what the machine's
/// [`Policy`](crate::Policy) says of functions that wait.
pub struct Input {
    gate: Arc<Gate>,
}

/// What the handles of one run share.
pub(super) struct Gate {
    state: Mutex<State>,
}

struct State {
    /// How many handles there are.
    handles: usize,
    /// How many nodes the machine has.
    nodes: usize,
    stage: Stage,
}

/// Where the run is.
enum Stage {
    /// It has not begun; this was sent, and to which node.
    Before(Vec<(u32, ErasedCall)>),
    On(Arc<dyn Injector>),
    /// It has ended with this error, or never began.
    Over(Error),
}

/// The way from outside into a run that is on. All but [`wait`](Injector::wait) are called under the lock of the gate,
/// and not after the run.
pub(super) trait Injector: Send + Sync {
    /// Takes a call for a node of the machine, unless there is no room or the run is over.
    fn take(&self, node: u32, call: ErasedCall) -> Result<(), Refused>;

    /// Waits until there may be room or the run may be over, unless `ready` says that it need not. Calls `ready` at
    /// least once, after which no room that is made goes unnoticed.
    fn wait(&self, ready: &mut dyn FnMut() -> bool);

    /// Nothing will be sent any more.
    fn close(&self);

    /// The run has ended with an error.
    fn end(&self);
}

/// A call that was not taken: for lack of room, unless the run has ended with an error.
pub(super) struct Refused {
    pub(super) call: ErasedCall,
    pub(super) over: Option<Box<Error>>,
}

impl Input {
    /// Starts a function on a node. Waits while the queue of that node is full. A call that is taken runs unless the
    /// run ends with an error before.
    ///
    /// # Errors
    ///
    /// * That which ended the run; [`Error::Cancelled`] if the machine was dropped before it ran, or takes part in no
    ///   further run;
    /// * [`Error::NoSuchNode`] if the machine has no such node;
    /// * [`Error::InsideFiber`] in a fiber, which has [`Eu::invoke`](crate::Eu::invoke).
    ///
    /// The call is dropped then.
    pub fn invoke<F: Threaded>(&self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        if inside_fiber() {
            return Err(Error::InsideFiber);
        }
        let mut call = Some(ErasedCall::new(call, kind::<F>()));
        let mut offer = || self.gate.offer(node.index(), &mut call);
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
}

impl Clone for Input {
    fn clone(&self) -> Self {
        self.gate.handle()
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let State { handles, stage, .. } = &mut *self.gate.state.lock();
        *handles -= 1;
        if let (0, Stage::On(injector)) = (*handles, stage)
            && !seeded!(InputNeverCloses)
        {
            injector.close();
        }
    }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl Gate {
    /// The gate of a run that has yet to begin, on a machine of so many nodes.
    fn new(nodes: usize) -> Arc<Self> {
        let state = State { handles: 0, nodes, stage: Stage::Before(Vec::new()) };
        Arc::new(Gate { state: Mutex::new(state) })
    }

    /// One handle more.
    fn handle(self: &Arc<Self>) -> Input {
        self.state.lock().handles += 1;
        Input { gate: Arc::clone(self) }
    }

    /// Takes the call, or gives the injector at which there is no room for it.
    fn offer(&self, node: usize, call: &mut Option<ErasedCall>) -> Result<Option<Arc<dyn Injector>>, Error> {
        let State { nodes, stage, .. } = &mut *self.state.lock();
        if node >= *nodes {
            let at = FiberName {
                function: "an input".to_owned(),
                fiber: "outside of the run".to_owned(),
                node: 0,
            };
            return Err(Error::NoSuchNode { at, node, nodes: *nodes });
        }
        let injector = match stage {
            Stage::Over(error) => return Err(error.clone()),
            Stage::Before(kept) => {
                kept.extend(call.take().map(|call| (node as u32, call)));
                return Ok(None);
            }
            Stage::On(injector) => injector,
        };
        let Some(taken) = call.take() else { return Ok(None) };
        let Err(Refused { call: back, over }) = injector.take(node as u32, taken) else { return Ok(None) };
        *call = Some(back);
        match over {
            Some(error) => Err(*error),
            None => Ok(Some(Arc::clone(injector))),
        }
    }

    /// Begins the run: what was sent goes to `start`, and what is sent from now on through the injector. Returns whether
    /// anything may be sent.
    pub(super) fn begin(&self, injector: Arc<dyn Injector>, start: impl FnMut((u32, ErasedCall))) -> bool {
        let State { handles, stage, .. } = &mut *self.state.lock();
        if let Stage::Before(kept) = stage {
            kept.drain(..).for_each(start);
        }
        let is_open = *handles > 0 && !seeded!(InputUnawaited);
        if is_open {
            *stage = Stage::On(injector);
        }
        is_open
    }

    /// What was sent before a run that nothing can be sent to while it is on.
    pub(super) fn all(&self) -> Result<Vec<(u32, ErasedCall)>, Error> {
        let State { handles, stage, .. } = &mut *self.state.lock();
        match stage {
            Stage::Before(kept) if *handles == 0 => Ok(std::mem::take(kept)),
            _ => Err(Error::CannotBuild(
                "a simulated machine takes input before its run, and an input is left".to_owned(),
            )),
        }
    }

    /// The run has ended, or will not begin: handles that are left give this error, unless they have one already.
    fn end(&self, error: Error) {
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

/// The inputs of a machine's next run.
#[derive(Default)]
pub(super) struct NextInput(Option<Arc<Gate>>);

impl NextInput {
    /// A handle for the next run of a machine of so many nodes.
    pub(super) fn handle(&mut self, nodes: usize) -> Input {
        self.0.get_or_insert_with(|| Gate::new(nodes)).handle()
    }

    /// The machine has another number of nodes.
    pub(super) fn set_nodes(&self, nodes: usize) {
        if let Some(gate) = &self.0 {
            gate.state.lock().nodes = nodes;
        }
    }

    /// Runs `run` with the inputs for it, which end with it.
    pub(super) fn during<T>(
        &mut self,
        run: impl FnOnce(Option<&Gate>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let gate = NextInput(self.0.take());
        let outcome = run(gate.0.as_deref());
        if let (Some(gate), Err(error)) = (&gate.0, &outcome) {
            gate.end(error.clone());
        }
        outcome
    }
}

impl Drop for NextInput {
    /// A run that has ended well has no handles left, and one that did not begin is cancelled.
    fn drop(&mut self) {
        if let Some(gate) = &self.0 {
            gate.end(Error::Cancelled);
        }
    }
}
