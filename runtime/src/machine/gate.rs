//! The way from outside into one run: calls of functions before it begins and while it is on.

use std::sync::Arc;

use earth_signal::Process;

use super::panics::quietly;
use crate::node::function::Event;
use crate::primitive::Mutex;
use crate::vocabulary::error::Error;
use crate::vocabulary::shared::SharedValues;

/// The way into one run.
pub(super) struct Gate {
    /// The process that opened the run.
    process: Process,
    state: Mutex<State>,
    pub(super) nodes: usize,
    /// The values that the run begins with, if calls for other nodes than node 0 go through bytes.
    pub(super) through_bytes: Option<SharedValues>,
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

impl Gate {
    /// The gate of a run on this many nodes.
    pub(super) fn new(nodes: usize, through_bytes: Option<SharedValues>) -> Self {
        let state = State { is_open: true, stage: Stage::Before(Vec::new()) };
        Gate { process: Process::current(), state: Mutex::new(state), nodes, through_bytes }
    }

    /// Whether this process opened the run. Any thread of its parent may have held the lock as it was forked.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_current()
    }

    /// Offers the call, and gives the injector that has no room for it.
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

    /// No call follows: the run may come to its end.
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
