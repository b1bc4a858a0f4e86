//! The execution unit of a node: the fiber that runs now, the states of its frames, and the way that operations take.
//! A fiber holds it as an [`Eu`](super::eu::Eu).
//!
//! Each operation goes one of two routes: in SPN it is applied to the node's synchronization unit at
//! once, with its types known; in DUAL it becomes an event in a queue. The route is a branch that
//! always goes the same way.
//!
//! # Frames are made late
//!
//! A function that ends in its first fiber often needs no frame at all (half the calls of a recursion are
//! leaves). So the first fiber runs on a *reserved* frame number with its state on the stack. If it gives out
//! an address or waits, the frame is made: at the end of the fiber
//! in SPN, since nothing can come before; before the next event leaves in DUAL. Functions whose sizes depend
//! on their arguments make their frame at the start.

use std::cell::Cell as Flag;
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use earth_memory::{Held, HoldPool};

use super::event::Event;
use super::function::FunctionRef;
use super::meter::Costs;
use super::recorder::EuRecorder;
use super::su::{Outcome, Su};
use super::to_su::ToSu;
use super::verdict::RunVerdict;
use crate::counters::Counters;
use crate::error::{Error, FiberName};
use crate::frame::Tag;
use crate::vocabulary::address::{FrameId, FrameRef};
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;

/// The fiber that runs now.
pub(super) struct Current {
    pub(super) layout: &'static Layout,
    /// The frame of the fiber, or the number and generation reserved for it.
    pub(super) own: FrameId,
    /// Whether the frame has been made.
    pub(super) made: bool,
    /// Whether the first fiber gave out an address, so that the frame must be made.
    pub(super) addressed: Flag<bool>,
    /// The number of the fiber, and the tag of what enabled it.
    pub(super) fiber: u32,
    pub(super) tag: Tag,
}

/// The part of a frame that the execution unit keeps: the function's state.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct EuFrame {
    pub(super) generation: u32,
    pub(super) function: Option<FunctionRef>,
    pub(super) state: Option<Held>,
    pub(super) sizes: Option<Arc<Sizes>>,
}

impl EuFrame {
    /// Keeps the state of a frame whose fiber ends. There is none now: it was taken for the fiber.
    #[inline(always)]
    pub(super) fn keep(&mut self, state: Held) {
        let none = self.state.replace(state);
        debug_assert!(none.is_none(), "fibers of one frame run one at a time");
        std::mem::forget(none);
    }
}

/// The way that operations take to the synchronization unit.
pub(crate) enum Route {
    /// SPN: applied in line.
    Merged(Su),
    /// SPN on a machine that traces: applied out of line and noted. The code in line stays that of the common
    /// case on other machines.
    Traced(Su),
    /// SPN on a machine that charges for operations, which may trace: applied out of line after its cost, and
    /// noted.
    Charged(Su),
    /// DUAL: sent to the other thread.
    Separate(ToSu),
}

/// The execution unit of a node.
pub(crate) struct ExecutionUnit {
    pub(super) node: u32,
    pub(super) nodes: NonZero<u32>,
    pub(super) current: Current,
    pub(super) frames: Vec<EuFrame>,
    pub(super) free: Vec<FrameId>,
    /// The frame reserved for the next function to start.
    pub(super) spare: FrameId,
    pub(super) pool: HoldPool,
    pub(crate) route: Route,
    /// The values of the fiber that runs now, by inlet (DUAL).
    pub(super) delivered: VecDeque<(u32, Value)>,
    /// How the run ends, or that it is on.
    pub(crate) verdict: Arc<RunVerdict>,
    /// How many more steps the unit takes before its thread looks at other units (SPN).
    pub(crate) turns: u32,
    pub(crate) counters: Counters,
    /// What operations cost, on a machine that charges for them.
    pub(crate) costs: Option<Arc<Costs>>,
    /// When the run began.
    pub(super) began: Instant,
    /// What is written down of each fiber, on a machine that traces.
    pub(crate) recorder: EuRecorder,
}

/// The layout that stands for the code between fibers.
pub(super) static BETWEEN_FIBERS: Layout =
    Layout::new(|| "the synchronization unit", &[], &[], &[], &["between fibers"], false);

impl ExecutionUnit {
    pub(crate) fn new(node: u32, nodes: NonZero<u32>, route: Route, verdict: Arc<RunVerdict>) -> Self {
        let current = Current {
            layout: &BETWEEN_FIBERS,
            own: FrameId::new(0, 0),
            made: false,
            addressed: Flag::new(false),
            fiber: 0,
            tag: Tag::NONE,
        };
        ExecutionUnit {
            node,
            nodes,
            current,
            frames: vec![EuFrame::default()],
            free: Vec::new(),
            spare: FrameId::new(0, 0),
            pool: HoldPool::new(),
            route,
            delivered: VecDeque::new(),
            verdict,
            turns: 0,
            counters: Counters::default(),
            costs: None,
            began: Instant::now(),
            recorder: EuRecorder::off(),
        }
    }

    /// Prepares for a run.
    pub(crate) fn begin(&mut self, began: Instant) {
        self.began = began;
        self.counters = Counters::default();
        if let Route::Separate(to_su) = &mut self.route {
            to_su.sent = 0;
        }
        self.recorder.begin();
    }

    /// Sends an event to the synchronization unit in the other thread; the frame that its addresses
    /// may name is made before.
    pub(super) fn send(&mut self, event: Event) {
        if self.current.addressed.get() && !self.current.made {
            self.make_early();
        }
        let event = self.signed(event);
        if let Route::Separate(to_su) = &mut self.route {
            to_su.send(event);
        }
    }

    /// A fiber that signals its own frame before the frame is made needs it now.
    #[inline(always)]
    pub(super) fn make_if_own(&mut self, frame: FrameRef) {
        if !self.current.made && frame.id == self.current.own && frame.node == self.node {
            self.make_early();
        }
    }

    #[cold]
    fn make_early(&mut self) {
        self.make_frame(self.current.layout);
    }

    /// Leaves the fiber: a panic from here to the next fiber is not reported as that of a fiber.
    pub(super) fn leave_fiber(&mut self) {
        self.current.layout = &BETWEEN_FIBERS;
        self.current.fiber = 0;
    }

    /// The name of the fiber that runs now.
    pub(crate) fn fiber_name(&self) -> FiberName {
        self.origin().name()
    }

    /// The fiber that runs now, as the origin of the operations that it asks for.
    pub(super) fn origin(&self) -> Origin {
        let Current { layout, fiber, .. } = self.current;
        Origin { layout, fiber, node: self.node }
    }

    /// Ends the fiber that runs, and the run, if an operation went wrong.
    #[inline(always)]
    pub(super) fn check(&self, outcome: Outcome) {
        if let Err(error) = outcome {
            self.fail(*error);
        }
    }

    /// Ends the run with an error, then unwinds with it to the unit that runs fibers, without a panic's message.
    #[cold]
    pub(super) fn fail(&self, error: Error) -> ! {
        if cfg!(panic = "abort") {
            // Nothing unwinds, so nothing else tells of the error.
            eprintln!("{error}");
        }
        self.verdict.fail(Box::new(error.clone()));
        std::panic::resume_unwind(Box::new(error))
    }
}
