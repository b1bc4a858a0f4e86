//! The execution unit of a node: the running fiber, the states of its frames, and the operations of fibers. A
//! fiber holds it as an [`Eu`](crate::node::eu::Eu).
//!
//! Each operation ends at a [synchronization unit](crate::node::su), the field `su`. In SPN that is the
//! node's own unit, which applies operations at once. In DUAL it owns no slots, and passes all operations to
//! the unit in the other thread. Only the local case is in line: one comparison of the address's node with
//! this node. Machines that trace or charge for operations have no local case.
//!
//! # Frames are made late
//!
//! A function that ends in its first fiber often needs no frame at all: half the calls of a recursion are
//! leaves. So the first fiber runs with its state on the stack, and gives out addresses of the frame that
//! would be made next. The frame is made only if the fiber gives out an address or waits:
//!
//! * in SPN at the end of the fiber, or earlier, before a token leaves or an event is applied;
//! * in DUAL before the next event leaves;
//! * on a machine that charges for frames, at the start if the function leaves sizes open.
//!
//! Until then the sizes that a function leaves open are stored here.

pub(super) mod handed_over;

use std::cell::Cell;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use earth_signal::Activity;

use handed_over::HandedOver;

use crate::node::function::{FunctionLayout, NO_FRAME};
use crate::node::su::{Su, SuResult};
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

/// The running fiber.
pub(in crate::node) struct Current {
    pub(in crate::node) frame: &'static FunctionLayout,
    /// The frame identity that the fiber has given out: of its frame if that is made, else of the frame that
    /// is made next.
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
    /// Its node, in the form in which addresses [contain it](EntryRef::on).
    pub(in crate::node) here: u64,
    pub(in crate::node) nodes: NonZero<u32>,
    pub(in crate::node) everywhere: Within,
    pub(in crate::node) current: Current,
    /// The [sizes](crate::vocabulary::layout::Sizes) of the function whose first fiber runs, if the function
    /// leaves some open.
    pub(in crate::node) numbers: Vec<u32>,
    /// The unit that applies its operations, or passes them on (DUAL).
    pub(crate) su: Su,
    /// The values that were handed over and are not in the inlets of their frames (DUAL).
    pub(crate) handed: HandedOver,
    /// How often the synchronization unit gave it a fiber, a function or a token (DUAL).
    pub(crate) given: usize,
    /// The end of the run, shared by all units.
    pub(crate) verdict: Arc<RunVerdict>,
    /// How many more fibers, including the running one, the unit runs before its thread does other work. It
    /// is more than one only on an untraced machine.
    pub(crate) turns: u32,
    /// Whether a token was started since the flag was cleared.
    pub(crate) token_started: bool,
    pub(crate) counters: Counters,
    /// The costs of operations, on a machine that charges for them.
    pub(crate) costs: Option<Arc<Costs>>,
    pub(in crate::node) began: Instant,
    /// The recorder of fibers, on a machine that traces.
    pub(crate) recorder: Option<Box<EuRecorder>>,
    /// The published activity, on a machine with a stall monitor.
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

    /// Whether the running fiber's frame has been made.
    #[inline(always)]
    pub(in crate::node) fn is_made(&self) -> bool {
        self.su.frames.memory.entered().is_some()
    }

    /// Returns the identity of the frame of the last fiber, if that fiber has given it out.
    pub(crate) fn frame_given(&self) -> Option<FrameId> {
        self.current.given.get()
    }

    /// Whether the running fiber has given out an address of its frame, which is not made yet.
    #[inline(always)]
    pub(in crate::node) fn owes_frame(&self) -> bool {
        self.current.given.get().is_some() && !self.is_made()
    }

    /// Makes the frame of a first fiber if the next operation may need it. An operation on this frame needs
    /// it, and so does any operation that is passed on, since its arguments may contain addresses of the
    /// frame.
    #[inline]
    pub(in crate::node) fn make_before(&mut self, target: Option<FrameRef>) {
        let may_need = |target: FrameRef| target == FrameRef { node: self.node, id: self.own_id() };
        if self.owes_frame() && (self.su.passes_on() || target.is_some_and(may_need)) {
            self.make_frame();
        }
    }

    /// Leaves the fiber: a panic from here to the next fiber is not attributed to a fiber.
    pub(crate) fn leave_fiber(&mut self) {
        self.current.frame = &NO_FRAME;
        self.current.by = Enabler::START;
        self.su.frames.memory.leave();
    }

    pub(crate) fn fiber_name(&self) -> FiberName {
        self.origin().name()
    }

    /// Returns the running fiber as the origin of its operations.
    pub(in crate::node) fn origin(&self) -> Origin {
        self.asker().of(self.node)
    }

    /// Returns the running fiber as the units of this node name it.
    #[inline]
    pub(in crate::node) fn asker(&self) -> Asker {
        let layout = self.current.layout();
        let by = if layout.slot_arrays { self.declared(self.current.by, 0).0 } else { self.current.by };
        Asker { layout, by }
    }

    /// Ends the running fiber and the run if an operation failed.
    #[inline(always)]
    pub(in crate::node) fn check(&self, outcome: SuResult) {
        if let Err(error) = outcome {
            self.fail(*error);
        }
    }

    /// Ends the running fiber with an error, and the run unless the fiber is of a domain.
    #[cold]
    pub(in crate::node) fn fail(&self, error: Error) -> ! {
        if self.su.domain.is_some() && cfg!(panic = "unwind") {
            self.su.domains.note_misuse(error.clone());
            std::panic::resume_unwind(Box::new(error))
        }
        self.fail_run(error)
    }

    /// Ends the run with an error. Then unwinds with it to the unit that runs fibers, without printing a
    /// panic message.
    #[cold]
    pub(in crate::node) fn fail_run(&self, error: Error) -> ! {
        if cfg!(panic = "abort") {
            // Without unwinding, this print is the only report of the error.
            eprintln!("{error}");
        }
        self.verdict.fail(Box::new(error.clone()));
        std::panic::resume_unwind(Box::new(error))
    }
}
