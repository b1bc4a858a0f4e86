//! Gate of one run: calls from threads outside, before and during the run.

use std::sync::Arc;
use std::time::Instant;

use earth_signal::Process;

use super::panics::drop_ignoring_panics;
use crate::node::function::Event;
use crate::primitive::Mutex;
use crate::vocabulary::answers::{AnswerDesk, AnswerPlaces};
use crate::vocabulary::error::Error;

/// Entry for calls from threads outside a run.
pub(super) struct InputGate {
    /// Process that opened the run.
    process: Process,
    state: Mutex<State>,
    pub(super) nodes: usize,
    /// Node of this process on a machine of ranks.
    pub(super) home: Option<u32>,
    /// Whether answers may arrive as bytes.
    pub(super) reads_bytes: bool,
    /// Places for the answers to requests of this gate.
    pub(super) answers: Arc<AnswerPlaces>,
}

/// Call, and the number of the node that it is for.
pub(super) type ToNode = (u32, Event);

struct State {
    is_open: bool,
    /// Number of calls that the run has accepted.
    sent: u64,
    /// Node that gets the next token.
    turn: u32,
    stage: Stage,
}

/// Stage of the run.
enum Stage {
    /// The run has not begun. These calls were sent.
    Before(Vec<ToNode>),
    On(Arc<dyn Injector>),
    /// The run has ended with this error, or never began.
    Over(Error),
}

/// Entry for calls into a run in progress. All methods except [`wait`](Injector::wait) are called under the
/// gate's lock, and never after the run.
pub(super) trait Injector: Send + Sync {
    /// Accepts a call for a node of the machine, unless the queue is full or the run is over.
    fn take(&self, node: u32, call: Event) -> Result<(), Refused>;

    /// Waits until there may be room or the run may be over, at most until `deadline`, unless `ready` returns
    /// true. Calls `ready` at least once. Room made after that call always ends the wait.
    fn wait(&self, deadline: Option<Instant>, ready: &mut dyn FnMut() -> bool);

    /// Announces that no further call follows the `sent` calls that were accepted.
    fn close(&self, sent: u64);

    /// Announces that the run has ended with an error.
    fn end(&self);
}

/// Refused call. The queue was full, or the run has ended with the error `over`.
pub(super) struct Refused {
    pub(super) call: Event,
    pub(super) over: Option<Box<Error>>,
}

/// How long the sender of a call waits while the queue is full.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    None,
    Until(Instant),
    Forever,
}

/// Outcome of an offer that was not accepted.
enum Offered {
    /// The queue is full. The sender may wait for room.
    Full(Event, Arc<dyn Injector>),
    Over(Event, Box<Error>),
}

impl InputGate {
    /// Makes the gate of a run on `nodes` nodes. On a machine of ranks `home` is the node of this process.
    /// Answers may arrive as bytes if `reads_bytes` is true.
    pub(super) fn new(nodes: usize, home: Option<u32>, reads_bytes: bool) -> Self {
        let state = State { is_open: true, sent: 0, turn: 0, stage: Stage::Before(Vec::new()) };
        let answers = Arc::new(AnswerPlaces::new());
        InputGate { process: Process::current(), state: Mutex::new(state), nodes, home, reads_bytes, answers }
    }

    /// Returns whether this process opened the run. In a child, a thread of the parent may have held the lock
    /// during the fork.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Returns the process that opened the run.
    pub(super) fn process(&self) -> Process {
        self.process
    }

    /// Returns the places of the answers, as the nodes of the run see them.
    pub(super) fn desk(&self) -> AnswerDesk {
        AnswerDesk { places: Arc::clone(&self.answers), home: self.home }
    }

    /// Sends a call to a node, and waits for room as long as `patience` says. The gate chooses the node of a
    /// token: the next node in turn whose queue has room.
    pub(super) fn send(&self, node: u32, call: Event, patience: Patience) -> Result<(), Refused> {
        let mut refused = match self.offer(node, call) {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        loop {
            let (call, injector) = match refused {
                Offered::Full(call, injector) => (call, injector),
                Offered::Over(call, error) => return Err(Refused { call, over: Some(error) }),
            };
            let deadline = match patience {
                Patience::Forever => None,
                Patience::Until(deadline) if Instant::now() < deadline => Some(deadline),
                Patience::Until(_) | Patience::None => return Err(Refused { call, over: None }),
            };
            let (mut left, mut again) = (Some(call), None);
            injector.wait(deadline, &mut || {
                let Some(call) = left.take() else { return true };
                match self.offer(node, call) {
                    Err(Offered::Full(call, _)) => {
                        left = Some(call);
                        false
                    }
                    other => {
                        again = Some(other);
                        true
                    }
                }
            });
            refused = match (again, left) {
                (Some(Ok(())), _) => return Ok(()),
                (Some(Err(refused)), _) => refused,
                (None, Some(call)) => Offered::Full(call, injector),
                (None, None) => unreachable!("the call was offered, and an outcome kept"),
            };
        }
    }

    /// Offers the call to the run once.
    fn offer(&self, node: u32, call: Event) -> Result<(), Offered> {
        let State { is_open, sent, turn, stage } = &mut *self.state.lock();
        // A token may go to any node of this process.
        let is_token = matches!(call, Event::Token { .. });
        let mut next_turn = || {
            let node = *turn;
            *turn = if node as usize + 1 < self.nodes { node + 1 } else { 0 };
            self.home.unwrap_or(node)
        };
        let node = match call {
            Event::Token { .. } => next_turn(),
            _ => node,
        };
        let injector = match stage {
            Stage::Over(error) => return Err(Offered::Over(call, Box::new(error.clone()))),
            _ if !*is_open => return Err(Offered::Over(call, Box::new(Error::Unanswered))),
            Stage::Before(kept) => {
                kept.push((node, of_node(call, node)));
                return Ok(());
            }
            Stage::On(injector) => injector,
        };
        let mut taken = injector.take(node, of_node(call, node));
        for _ in 1..self.nodes {
            match taken {
                Err(Refused { call, over: None }) if is_token => {
                    let node = next_turn();
                    taken = injector.take(node, of_node(call, node));
                }
                _ => break,
            }
        }
        match taken {
            Ok(()) => {
                *sent += 1;
                Ok(())
            }
            Err(Refused { call, over: Some(error) }) => Err(Offered::Over(call, error)),
            Err(Refused { call, over: None }) => Err(Offered::Full(call, Arc::clone(injector))),
        }
    }

    /// Announces that no further call follows, so the run may end.
    pub(super) fn close(&self) {
        if !self.is_here() {
            return;
        }
        let State { is_open, sent, stage, .. } = &mut *self.state.lock();
        *is_open = false;
        if let Stage::On(injector) = stage
            && !seeded!(InputNeverCloses)
        {
            injector.close(*sent);
        }
    }

    /// Begins the run: passes the earlier calls to `start`, and sends later calls through the injector.
    /// Returns whether further calls may follow.
    pub(super) fn begin(&self, injector: Arc<dyn Injector>, start: impl FnMut(ToNode)) -> bool {
        let State { is_open, stage, .. } = &mut *self.state.lock();
        if let Stage::Before(kept) = stage {
            kept.drain(..).for_each(start);
        }
        let is_open = *is_open && !seeded!(InputUnawaited);
        if is_open {
            *stage = Stage::On(injector);
        }
        is_open
    }

    /// Runs `run` with this gate, if there is one, and ends the gate with the run.
    pub(super) fn during<T>(
        gate: Option<&InputGate>,
        run: impl FnOnce(Option<&InputGate>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        /// Ends the gate of a run whose thread panics.
        struct Ends<'a>(&'a InputGate);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.end(&Error::Cancelled);
            }
        }
        let _ends = gate.map(Ends);
        let outcome = run(gate);
        if let Some(gate) = gate {
            gate.end(outcome.as_ref().err().unwrap_or(&Error::Unanswered));
        }
        outcome
    }

    /// Ends the gate: later calls return `error`, unless the gate has already ended with another error. So do
    /// all requests that have no answer.
    fn end(&self, error: &Error) {
        if !self.is_here() {
            return;
        }
        let over = {
            let state = &mut *self.state.lock();
            if matches!(state.stage, Stage::Over(_)) {
                return;
            }
            std::mem::replace(&mut state.stage, Stage::Over(error.clone()))
        };
        match over {
            Stage::On(injector) => injector.end(),
            Stage::Before(kept) => drop_ignoring_panics(kept),
            Stage::Over(_) => {}
        }
        self.answers.give_all(|| Err(Box::new(error.clone())));
    }
}

/// Returns the call with the number of the node that it goes to.
fn of_node(call: Event, node: u32) -> Event {
    match call {
        Event::Token { token, .. } => Event::Token { node, token },
        call => call,
    }
}
