//! The execution unit of a node: the fiber that runs now, the states of its frames, and what it does for fibers.
//! A fiber holds it as an [`Eu`](crate::node::eu::Eu).
//!
//! Each operation ends at the [synchronization unit](crate::node::su) `su`. In SPN that is the node's, and it applies operations at
//! once. In DUAL it owns no slots, and passes all operations to the unit in the other thread. Only the local case is in line: one
//! comparison of the address's node with this node. Machines that trace or charge for operations have no local case.
//!
//! # Frames are made late
//!
//! A function that ends in its first fiber often needs no frame at all (half the calls of a recursion are
//! leaves). So the first fiber runs with its state on the stack, and gives out addresses of the frame that would be made
//! next. If it gives one out or waits, the frame is made. In SPN that is at the end of the fiber, or before a token leaves or a
//! message is heard meanwhile. In DUAL it is before the next event leaves. The sizes of a function that leaves some open are kept
//! here until then. A machine that charges for frames makes the frame of such a function at the start.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use earth_signal::Activity;

use super::handed_over::HandedOver;
use crate::node::function::{FrameLayout, NO_FRAME};
use crate::node::su::{Outcome, Su};
use crate::node::tokens::Within;
use crate::node::verdict::RunVerdict;
use crate::probe::costs::Costs;
use crate::probe::recorder::EuRecorder;
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::{Error, FiberName};
use crate::vocabulary::layout::Layout;
use crate::vocabulary::origin::{Asker, Origin};

/// The fiber that runs now.
pub(in crate::node) struct Current {
    pub(in crate::node) frame: &'static FrameLayout,
    /// The identity that the fiber has given out: that of its frame if that is made, else of the frame that is made next.
    pub(in crate::node) given: Cell<Option<FrameId>>,
    /// The slot, the spawn or the start that enabled the fiber.
    pub(in crate::node) by: Enabler,
}

impl Current {
    pub(in crate::node) fn layout(&self) -> &'static Layout {
        self.frame.function().layout
    }
}

pub(crate) struct ExecutionUnit {
    pub(in crate::node) node: u32,
    /// Its node, as addresses [have it](EntryRef::on).
    pub(in crate::node) here: u64,
    pub(in crate::node) nodes: NonZero<u32>,
    pub(in crate::node) everywhere: Within,
    pub(in crate::node) current: Current,
    /// The [sizes](crate::vocabulary::layout::Sizes) of the function whose first fiber runs, if it leaves some open.
    pub(in crate::node) numbers: Vec<u32>,
    /// The unit that applies its operations, or passes them on (DUAL).
    pub(crate) su: Su,
    /// The values that were handed over and do not lie in the inlets of their frames (DUAL).
    pub(crate) handed: HandedOver,
    /// How often the other unit gave it a fiber, a function or a token (DUAL).
    pub(crate) given: usize,
    /// How the run ends, or that it is on.
    pub(crate) verdict: Arc<RunVerdict>,
    /// How many more fibers the unit runs, with the one that runs, before its thread looks at anything else: one, but in SPN
    /// while nobody watches.
    pub(crate) turns: u32,
    /// Whether a token was started since that was last set.
    pub(crate) token_started: bool,
    pub(crate) counters: Counters,
    /// The cost of operations, on a machine that charges for them.
    pub(crate) costs: Option<Arc<Costs>>,
    /// When the run began.
    pub(in crate::node) began: Instant,
    /// What is written down of each fiber, on a machine that traces.
    pub(crate) recorder: Option<Box<EuRecorder>>,
    /// Publishes the fiber that runs, on a machine with a stall monitor.
    pub(in crate::node) activity: Option<Box<Activity>>,
}

impl ExecutionUnit {
    pub(crate) fn new(node: u32, nodes: NonZero<u32>, su: Su, verdict: Arc<RunVerdict>) -> Self {
        let current = Current { frame: &NO_FRAME, given: Cell::new(None), by: Enabler::START };
        ExecutionUnit {
            node,
            here: EntryRef::on(node),
            nodes,
            everywhere: Within { first: 0, end: nodes },
            current,
            numbers: Vec::new(),
            su,
            handed: HandedOver::new(),
            given: 0,
            verdict,
            turns: 0,
            token_started: false,
            counters: Counters::default(),
            costs: None,
            began: Instant::now(),
            recorder: None,
            activity: None,
        }
    }

    /// Prepares for a run.
    pub(crate) fn begin(&mut self, began: Instant) {
        (self.began, self.given) = (began, 0);
        self.counters = Counters::default();
        if let Some(recorder) = &mut self.recorder {
            recorder.begin();
        }
    }

    /// Whether the machine has no other node.
    #[inline(always)]
    pub(in crate::node) fn is_alone(&self) -> bool {
        self.nodes.get() == 1
    }

    /// Whether the frame of the fiber that runs has been made.
    #[inline(always)]
    pub(in crate::node) fn is_made(&self) -> bool {
        self.su.frames.memory.entered().is_some()
    }

    /// Whether the fiber that runs has given out an address of its frame, which is not made yet.
    #[inline(always)]
    pub(in crate::node) fn owes_frame(&self) -> bool {
        self.current.given.get().is_some() && !self.is_made()
    }

    /// Makes the frame of a first fiber if the operation that follows may need it: one of this frame, and any that is
    /// passed on, since its arguments may have addresses of it.
    #[inline]
    pub(in crate::node) fn make_before(&mut self, target: Option<FrameRef>) {
        let may_need = |target: FrameRef| target == FrameRef { node: self.node, id: self.own_id() };
        if self.owes_frame() && (self.su.passes_on() || target.is_some_and(may_need)) {
            self.make_frame();
        }
    }

    /// Leaves the fiber: a panic from here to the next fiber is not reported as that of a fiber.
    pub(crate) fn leave_fiber(&mut self) {
        self.current.frame = &NO_FRAME;
        self.current.by = Enabler::START;
        self.su.frames.memory.leave();
    }

    /// The name of the fiber that runs now.
    pub(crate) fn fiber_name(&self) -> FiberName {
        self.origin().name()
    }

    /// The fiber that runs now, as the origin of the operations that it asks for.
    pub(in crate::node) fn origin(&self) -> Origin {
        self.asker().of(self.node)
    }

    /// The fiber that runs now, as the units of this node name it.
    #[inline]
    pub(in crate::node) fn asker(&self) -> Asker {
        let layout = self.current.layout();
        let by = if layout.slot_arrays { self.declared(self.current.by, 0).0 } else { self.current.by };
        Asker { layout, by }
    }

    /// Ends the fiber that runs, and the run, if an operation went wrong.
    #[inline(always)]
    pub(in crate::node) fn check(&self, outcome: Outcome) {
        if let Err(error) = outcome {
            self.fail(*error);
        }
    }

    /// Ends the run with an error, then unwinds with it to the unit that runs fibers, without a panic's message.
    #[cold]
    pub(in crate::node) fn fail(&self, error: Error) -> ! {
        if cfg!(panic = "abort") {
            // Nothing unwinds, so nothing else tells of the error.
            eprintln!("{error}");
        }
        self.verdict.fail(Box::new(error.clone()));
        std::panic::resume_unwind(Box::new(error))
    }
}
