//! Gate of one run: calls from threads outside, before and during the run.

use std::sync::Arc;

use earth_signal::Process;

use super::panics::drop_ignoring_panics;
use crate::node::function::Event;
use crate::primitive::Mutex;
use crate::vocabulary::error::Error;
use crate::vocabulary::shared::SharedValues;

/// Entry for calls from threads outside a run.
pub(super) struct InputGate {
    /// Process that opened the run.
    process: Process,
    state: Mutex<State>,
    pub(super) nodes: usize,
    /// Values that the run begins with, if calls for nodes other than node 0 are encoded as bytes.
    pub(super) through_bytes: Option<SharedValues>,
}

/// Call, and the number of the node that it is for.
pub(super) type ToNode = (u32, Event);

struct State {
    is_open: bool,
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

    /// Waits until there may be room or the run may be over, unless `ready` returns true. Calls `ready` at
    /// least once. Room made after that call always ends the wait.
    fn wait(&self, ready: &mut dyn FnMut() -> bool);

    /// Announces that no further call follows.
    fn close(&self);

    /// Announces that the run has ended with an error.
    fn end(&self);
}

/// Refused call. The queue was full, or the run has ended with the error `over`.
pub(super) struct Refused {
    pub(super) call: Event,
    pub(super) over: Option<Box<Error>>,
}

impl InputGate {
    /// Makes the gate of a run on `nodes` nodes.
    pub(super) fn new(nodes: usize, through_bytes: Option<SharedValues>) -> Self {
        let state = State { is_open: true, stage: Stage::Before(Vec::new()) };
        InputGate { process: Process::current(), state: Mutex::new(state), nodes, through_bytes }
    }

    /// Returns whether this process opened the run. In a child, a thread of the parent may have held the lock
    /// during the fork.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Offers the call. If the queue is full, returns the injector to wait for, and leaves the call in
    /// `call`.
    pub(super) fn offer(
        &self,
        node: u32,
        call: &mut Option<Event>,
    ) -> Result<Option<Arc<dyn Injector>>, Error> {
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

    /// Announces that no further call follows, so the run may end.
    pub(super) fn close(&self) {
        if !self.is_here() {
            return;
        }
        let State { is_open, stage } = &mut *self.state.lock();
        *is_open = false;
        if let Stage::On(injector) = stage
            && !seeded!(InputNeverCloses)
        {
            injector.close();
        }
    }

    /// Begins the run: passes the earlier calls to `start`, and sends later calls through the injector.
    /// Returns whether further calls may follow.
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

    /// Runs `run` with this gate, if there is one, and ends the gate with the run.
    pub(super) fn during<T>(
        gate: Option<&InputGate>,
        run: impl FnOnce(Option<&InputGate>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        /// Ends the gate of a run whose thread panics.
        struct Ends<'a>(&'a InputGate);
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

    /// Ends the gate: later calls return `error`, unless the gate has already ended with another error.
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
            Stage::Before(kept) => drop_ignoring_panics(kept),
            Stage::Over(_) => {}
        }
    }
}
