//! Input of a run from outside: threads of the process start functions during the run, and get answers.
//!
//! A run ends when no node has anything left to run. A program that serves requests or follows a sensor is
//! idle at times, but must not end then. [`Machine::open`](crate::Machine::open) begins such a run in a thread
//! of its own and returns its [`Input`]. The run continues as long as the `Input` exists; idle workers sleep.
//! [`Input::close`] lets the run end and returns a handle that waits for the end.
//!
//! ```
//! use earth::{Eu, Machine, NodeId, Reply, threaded};
//!
//! /// Answers a request.
//! struct Doubles;
//!
//! #[threaded]
//! impl Doubles {
//!     fn start(request: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
//!         eu.put(out, 2 * request);
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
//! for request in 0..10 {
//!     let answer = input.ask(NodeId::new(1), |reply| Doubles::call(request, reply))?;
//!     assert_eq!(answer.wait()?, 2 * request);
//! }
//! let (machine, run) = input.close().wait();
//! run?;
//! # drop(machine);
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! Threads share an `Input` by reference or in an [`Arc`]. A run has one `Input`, and `close` consumes it. So
//! no thread can wait for the end of a run that its own handle keeps open.
//! [`Machine::run`](crate::Machine::run) has no input and waits only for the run.
//!
//! *Answers.* [`ask`](Input::ask) sends a call with a [`Reply`] that leads out of the run, and returns the
//! [`Answer`]: a future of any executor, or a value to wait for. Any fiber on any node or rank may put a
//! value to the reply, once.
//!
//! *Full queues.* A sender waits while its node's queue is full. The forms with `try_` do not wait, and the
//! forms with `_timeout` wait for a limited time. Both return a call that found no room, in [`TryError`].
//!
//! *Tokens.* [`token`](Input::token) and [`ask_token`](Input::ask_token) name no node. The nodes of this
//! process take turns, and an idle node may take the token from its first node.
//!
//! [`Machine::invoke`](crate::Machine::invoke) names functions that the next run starts with its main
//! function, on every kind of machine. On a machine of [ranks](crate::ranks) each process has its own input,
//! [`Machine::open_serving`](crate::Machine::open_serving), and the run waits for all of them. A
//! [simulated](crate::Machine::simulated) machine returns an error for a run with input, because other
//! threads do not share its virtual time.
//!
//! *Memory.* Before the run begins, calls are kept in an unbounded list. During the run a call takes a cell
//! of a queue of [`queue_capacity`](crate::Machine::queue_capacity) cells, and its sender waits while the
//! queue is full. For each fiber that it runs, a node takes a batch of events out of its queue
//! ([`Policy::batch`](crate::Policy::batch)). The calls then wait with the node's other functions. So senders
//! that stay faster than the program fill its memory, just as fast nodes do. To bound the memory, the sender
//! waits for answers, as in the example above.

mod answer;
mod calls;
mod opening;
mod refused;
mod try_error;

#[doc(alias = "oneshot")]
#[doc(alias = "promise")]
pub use answer::Answer;
pub(super) use opening::FirstCalls;
pub use refused::Unsent;
#[doc(alias = "TrySendError")]
#[doc(alias = "SendTimeoutError")]
pub use try_error::TryError;

use std::sync::Arc;
use std::time::Duration;

use super::gate::{InputGate, Patience};
use super::running::Running;
use crate::node::function::{Call, Threaded};
use crate::vocabulary::address::{NodeId, Reply};
use crate::vocabulary::error::Error;
use crate::vocabulary::wire::Wire;
use calls::{Goal, check, send};
use refused::patience;

/// Input of a run that [`Machine::open`](crate::Machine::open) began. Any thread can use it to start functions in the run. The run
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
    /// the run ends with an error first. With [`Machine::through_bytes`](crate::Machine::through_bytes) the
    /// call is encoded as bytes, unless it is for node 0.
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
    #[doc(alias = "send")]
    pub fn invoke<F: Threaded>(&self, node: NodeId, call: Call<F>) -> Result<(), Error> {
        waits(send(&self.door.0, Goal::Node(node), call, Patience::Forever))
    }

    /// Starts a function as [`invoke`](Input::invoke) does, but does not wait.
    ///
    /// ```
    /// # use earth::{Eu, Machine, NodeId, Reply, threaded};
    /// use earth::input::TryError;
    /// # struct Serves;
    /// # #[threaded]
    /// # impl Serves {
    /// #     fn start(out: Reply<()>, eu: &mut Eu<Self>) {
    /// #         eu.put(out, ());
    /// #     }
    /// # }
    /// # struct Notes;
    /// # #[threaded]
    /// # impl Notes {
    /// #     fn start(_reading: u64) {}
    /// # }
    ///
    /// let input = Machine::threads(1).open(Serves::call);
    /// let mut late = Vec::new();
    /// for reading in 0..1000 {
    ///     match input.try_invoke(NodeId::new(0), Notes::call(reading)) {
    ///         Ok(()) => {}
    ///         Err(TryError::Full(call)) => late.push(call), // kept for later
    ///         Err(TryError::Error(error)) => return Err(error),
    ///     }
    /// }
    /// for call in late {
    ///     input.invoke(NodeId::new(0), call)?;
    /// }
    /// let (machine, run) = input.close().wait();
    /// assert_eq!(run?.counters.fibers, 1 + 1000);
    /// # drop(machine);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the call if the node's queue is full, or the errors of `invoke`.
    #[doc(alias = "try_send")]
    pub fn try_invoke<F: Threaded>(&self, node: NodeId, call: Call<F>) -> Result<(), TryError<Call<F>>> {
        send(&self.door.0, Goal::Node(node), call, Patience::None)
    }

    /// Starts a function as [`invoke`](Input::invoke) does, and waits for room at most the time `most`.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the call if the queue stayed full, or the errors of `invoke`.
    #[doc(alias = "send_timeout")]
    pub fn invoke_timeout<F: Threaded>(
        &self,
        node: NodeId,
        call: Call<F>,
        most: Duration,
    ) -> Result<(), TryError<Call<F>>> {
        send(&self.door.0, Goal::Node(node), call, patience(most))
    }

    /// Starts a function on one of the nodes of this process, which take turns. An idle node may take it from
    /// there, as any [token](crate::Eu::token). Waits while the queues of all these nodes are full.
    ///
    /// # Errors
    ///
    /// The errors of [`invoke`](Input::invoke).
    #[doc(alias = "spawn")]
    pub fn token<F: Threaded>(&self, call: Call<F>) -> Result<(), Error> {
        waits(send(&self.door.0, Goal::Any, call, Patience::Forever))
    }

    /// Starts a function as [`token`](Input::token) does, but does not wait.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the call if all queues are full, or the errors of [`invoke`](Input::invoke).
    pub fn try_token<F: Threaded>(&self, call: Call<F>) -> Result<(), TryError<Call<F>>> {
        send(&self.door.0, Goal::Any, call, Patience::None)
    }

    /// Starts a function as [`token`](Input::token) does, and waits for room at most the time `most`.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the call if all queues stayed full, or the errors of [`invoke`](Input::invoke).
    pub fn token_timeout<F: Threaded>(&self, call: Call<F>, most: Duration) -> Result<(), TryError<Call<F>>> {
        send(&self.door.0, Goal::Any, call, patience(most))
    }

    /// Sends a request to a node, and returns its [`Answer`]. `make` receives the reply, and returns a call
    /// that puts the answer there. Waits while the node's queue is full.
    ///
    /// ```
    /// # use earth::{Eu, Machine, NodeId, Reply, threaded};
    /// # struct Serves;
    /// # #[threaded]
    /// # impl Serves {
    /// #     fn start(out: Reply<()>, eu: &mut Eu<Self>) {
    /// #         eu.put(out, ());
    /// #     }
    /// # }
    /// /// The length of a text.
    /// struct Measures;
    ///
    /// #[threaded]
    /// impl Measures {
    ///     fn start(text: String, out: Reply<usize>, eu: &mut Eu<Self>) {
    ///         eu.put(out, text.len());
    ///     }
    /// }
    ///
    /// let input = Machine::threads(2).open(Serves::call);
    /// let answers = ["to", "be", "or"].map(|word| {
    ///     input.ask(NodeId::new(1), |reply| Measures::call(word.to_owned(), reply))
    /// });
    /// for answer in answers {
    ///     assert_eq!(answer?.wait()?, 2);
    /// }
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`invoke`](Input::invoke). Later errors are the answer's.
    ///
    /// *Cost.* About as much as a message to another core and one back. The answer's place is used again, so
    /// no request allocates in the steady state.
    #[doc(alias = "oneshot")]
    #[doc(alias = "call")]
    #[doc(alias = "request")]
    pub fn ask<F: Threaded, T: Wire>(
        &self,
        node: NodeId,
        make: impl FnOnce(Reply<T>) -> Call<F>,
    ) -> Result<Answer<T>, Error> {
        waits(self.request(Goal::Node(node), make, Patience::Forever))
    }

    /// Sends a request as [`ask`](Input::ask) does, but does not wait for room.
    ///
    /// ```
    /// # use earth::{Eu, Machine, NodeId, Reply, threaded};
    /// use earth::input::TryError;
    /// # struct Serves;
    /// # #[threaded]
    /// # impl Serves {
    /// #     fn start(out: Reply<()>, eu: &mut Eu<Self>) {
    /// #         eu.put(out, ());
    /// #     }
    /// # }
    /// # struct Doubles;
    /// # #[threaded]
    /// # impl Doubles {
    /// #     fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
    /// #         eu.put(out, 2 * number);
    /// #     }
    /// # }
    ///
    /// let input = Machine::threads(1).open(Serves::call);
    /// let answer = match input.try_ask(NodeId::new(0), |reply| Doubles::call(21, reply)) {
    ///     Ok(answer) => answer,
    ///     Err(TryError::Full(request)) => request.send()?, // waits
    ///     Err(TryError::Error(error)) => return Err(error),
    /// };
    /// assert_eq!(answer.wait()?, 42);
    /// # Ok::<(), earth::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the request if the node's queue is full, or the errors of `ask`.
    pub fn try_ask<F: Threaded, T: Wire>(
        &self,
        node: NodeId,
        make: impl FnOnce(Reply<T>) -> Call<F>,
    ) -> Result<Answer<T>, TryError<Unsent<F, T>>> {
        self.request(Goal::Node(node), make, Patience::None)
    }

    /// Sends a request as [`ask`](Input::ask) does, and waits for room at most the time `most`. The wait for
    /// the answer has its own limit, [`Answer::wait_for`].
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the request if the queue stayed full, or the errors of `ask`.
    pub fn ask_timeout<F: Threaded, T: Wire>(
        &self,
        node: NodeId,
        make: impl FnOnce(Reply<T>) -> Call<F>,
        most: Duration,
    ) -> Result<Answer<T>, TryError<Unsent<F, T>>> {
        self.request(Goal::Node(node), make, patience(most))
    }

    /// Sends a request as [`ask`](Input::ask) does, to the node that takes it first: the call is a
    /// [token](Input::token).
    ///
    /// # Errors
    ///
    /// The errors of `ask`.
    pub fn ask_token<F: Threaded, T: Wire>(
        &self,
        make: impl FnOnce(Reply<T>) -> Call<F>,
    ) -> Result<Answer<T>, Error> {
        waits(self.request(Goal::Any, make, Patience::Forever))
    }

    /// Sends a request as [`ask_token`](Input::ask_token) does, but does not wait for room.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the request if all queues are full, or the errors of `ask`.
    pub fn try_ask_token<F: Threaded, T: Wire>(
        &self,
        make: impl FnOnce(Reply<T>) -> Call<F>,
    ) -> Result<Answer<T>, TryError<Unsent<F, T>>> {
        self.request(Goal::Any, make, Patience::None)
    }

    fn request<F: Threaded, T: Wire>(
        &self,
        goal: Goal,
        make: impl FnOnce(Reply<T>) -> Call<F>,
        patience: Patience,
    ) -> Result<Answer<T>, TryError<Unsent<F, T>>> {
        let gate = &self.door.0;
        check(gate, goal).map_err(TryError::Error)?;
        let node = match goal {
            Goal::Node(node) => node.0,
            Goal::Any => 0,
        };
        let home = gate.home.unwrap_or(node);
        let (answer, reply) = Answer::new(&gate.answers, gate.process(), home, gate.reads_bytes);
        let call = make(reply);
        match send(gate, goal, call, patience) {
            Ok(()) => Ok(answer),
            Err(TryError::Full(call)) => {
                Err(TryError::Full(Unsent { goal, gate: Arc::clone(gate), parts: Some((call, answer)) }))
            }
            Err(TryError::Error(error)) => {
                answer.withdraw();
                Err(TryError::Error(error))
            }
        }
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

/// Returns the outcome of a sender that waits for room.
fn waits<T, C>(sent: Result<T, TryError<C>>) -> Result<T, Error> {
    sent.map_err(|error| match error {
        TryError::Error(error) => error,
        TryError::Full(_) => unreachable!("the sender waits for room"),
    })
}
