//! Isolated calls: the operations that make them, and fibers that run in a
//! [domain](crate::node::domain).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use earth_memory::{Kind, NoMemory};

use crate::node::domain::{Domain, DomainNote, Mark, Opening};
use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::{GateOf, Ready};
use crate::node::function::{Call, ErasedCall, Function, Threaded, Token, kind};
use crate::node::isolated_call::isolate;
use crate::node::su::SuResult;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::address::{FrameId, NodeId, Reply};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::Error;
use crate::vocabulary::isolated::IsolatedError;
use crate::vocabulary::layout::BETWEEN_FIBERS;
use crate::vocabulary::unwinding::{drop_ignoring_panics, error_of};
use crate::vocabulary::wire::Wire;

impl<F> Eu<F> {
    /// Starts a function on a named node, as [`invoke`](Self::invoke) does, and *isolates* the call: its
    /// failure is its answer, and the run goes on.
    ///
    /// `call` makes the call. It gets the reply that takes the call's value. The answer comes to `out`
    /// once, after the call and everything that it started has ended, on every node:
    ///
    /// * the value, if the reply got one and no fiber failed;
    /// * [`Failed`](IsolatedError::Failed), if one of these fibers panicked, returned an error or misused an
    ///   operation;
    /// * [`NoAnswer`](IsolatedError::NoAnswer), if no fiber failed and the reply got no value.
    ///
    /// After the first failure the runtime drops all frames of the call, with their states, values and cells.
    /// It also drops all tokens and functions of the call that still wait. Fibers of it that run on other
    /// nodes end first. Values and signals that are sent to a dropped frame are dropped. All this is over
    /// when the answer comes, so blocks of [lent](crate::lend) memory are back. (In DUAL a value under way
    /// between the two units of a node may be dropped a little later.)
    ///
    /// Calls may be nested. The failure of an inner call is an answer to the outer one. The failure of an
    /// outer call drops the inner calls.
    ///
    /// # What is not isolated
    ///
    /// * Effects that have left the call stay: values put to other frames, cells written there, functions of
    ///   the program's own threads.
    /// * A frame outside that waits for another value of the call, or reads a cell of it, gets none after a
    ///   failure. Give the call no address that must be answered, besides its reply.
    /// * The run ends with an error that is no fiber's own: memory that runs out, a lost rank, cancellation,
    ///   bytes that cannot be read, and a panic in code of the program that a synchronization unit runs
    ///   (a `Clone` for a reader of a cell, an `unpack`).
    /// * A call that waits for ever has no answer. When the run ends, it is [stuck](crate::Error::Stuck).
    /// * A program without unwinding (`panic = "abort"`) ends at the first panic.
    ///
    /// # Cost
    ///
    /// For each function that the call starts: an allocation, and a message if another node starts it. For
    /// each event to another node: an allocation and a message. A failure takes two messages to each node.
    /// While frames of a call live on a node, that node runs its fibers one by one, as if it were traced.
    ///
    /// # Errors of the run
    ///
    /// [`NoSuchNode`](crate::Error::NoSuchNode) if the node does not exist, and the errors of
    /// [`put`](Self::put) for the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use earth::isolated::IsolatedError;
    /// use earth::{Error, Eu, Machine, Reply, threaded};
    ///
    /// struct Inverse;
    ///
    /// #[threaded]
    /// impl Inverse {
    ///     fn start(of: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         assert_ne!(of, 0, "0 has no inverse");
    ///         eu.put(out, 840 / of);
    ///     }
    /// }
    ///
    /// /// The inverses of two numbers.
    /// struct Both {
    ///     out: Reply<(u64, String)>,
    /// }
    ///
    /// #[threaded]
    /// impl Both {
    ///     fn start(out: Reply<(u64, String)>, eu: &mut Eu<Self>) -> Self {
    ///         eu.isolated(eu.node(), |reply| Inverse::call(7, reply), eu.reply(Self::tell().good));
    ///         eu.isolated_token(|reply| Inverse::call(0, reply), eu.reply(Self::tell().bad));
    ///         Both { out }
    ///     }
    ///
    ///     #[slot]
    ///     fn tell(
    ///         self,
    ///         good: Result<u64, IsolatedError>,
    ///         bad: Result<u64, IsolatedError>,
    ///         eu: &mut Eu<Self>,
    ///     ) {
    ///         let Err(IsolatedError::Failed(error)) = bad else { return };
    ///         let Error::Panicked { at, message } = *error else { return };
    ///         assert!(at.function.ends_with("Inverse") && message.contains("0 has no inverse"));
    ///         eu.put(self.out, (good.unwrap_or(0), at.fiber));
    ///     }
    /// }
    ///
    /// let mut machine = Machine::threads(2);
    /// assert_eq!(machine.run(Both::call)?.value, (120, "start".to_owned()));
    /// # Ok::<(), earth::Error>(())
    /// ```
    #[doc(alias = "catch_unwind")]
    #[doc(alias = "JoinError")]
    #[doc(alias = "supervisor")]
    pub fn isolated<G: Threaded, T: Wire>(
        &mut self,
        node: NodeId,
        call: impl FnOnce(Reply<T>) -> Call<G>,
        out: Reply<Result<T, IsolatedError>>,
    ) {
        self.unit.check_node(node);
        let (domain, Call(held)) = self.unit.open(call, out);
        self.unit.count_invoke::<G>(&held);
        let mark = Mark { domain, from: self.unit.node };
        let call = isolate(ErasedCall::new(Call::<G>(held), kind::<G>()), mark);
        self.unit.send_invoke(node, call);
    }

    /// Starts a function on this node or an idle one, as [`token`](Self::token) does, and isolates the call
    /// as [`isolated`](Self::isolated) does.
    pub fn isolated_token<G: Threaded, T: Wire>(
        &mut self,
        call: impl FnOnce(Reply<T>) -> Call<G>,
        out: Reply<Result<T, IsolatedError>>,
    ) {
        let (domain, Call(held)) = self.unit.open(call, out);
        self.unit.count_token::<G>(&held);
        let mark = Mark { domain, from: self.unit.node };
        let call = isolate(ErasedCall::new(Call::<G>(held), kind::<G>()), mark);
        self.unit.send_token(Token { call, within: self.unit.everywhere });
    }
}

impl ExecutionUnit {
    /// Opens the gate of a new domain, and makes the call.
    fn open<G: Threaded, T: Wire>(
        &mut self,
        call: impl FnOnce(Reply<T>) -> Call<G>,
        out: Reply<Result<T, IsolatedError>>,
    ) -> (Domain, Call<G>) {
        let domain = self.su.domains.next(self.node);
        // The program's code runs first: it may panic.
        let call = call(Reply::new(domain.entry()));
        // The answer may be for the frame of this fiber.
        self.make_before(Some(out.to.frame()));
        let (outer, out, origin, hooks) = (self.su.domain, out.to, self.origin(), GateOf::<T>::HOOKS);
        let opened = self.su.say(DomainNote::Open(Box::new(Opening { domain, outer, out, origin, hooks })));
        self.check(opened);
        (domain, call)
    }

    /// Marks a call that the running fiber makes, if the fiber is of a domain.
    #[inline(always)]
    pub(super) fn marked_call(&mut self, call: ErasedCall) -> ErasedCall {
        match self.su.domain {
            Some(domain) => self.mark_call(call, domain),
            None => call,
        }
    }

    #[cold]
    fn mark_call(&mut self, call: ErasedCall, domain: Domain) -> ErasedCall {
        // The frame is made before anything leaves for the other unit.
        self.make_before(None);
        let made = self.su.say(DomainNote::Made(domain));
        self.check(made);
        isolate(call, Mark { domain, from: self.node })
    }

    /// Marks the newest token, if the running fiber is of a domain.
    pub(super) fn mark_newest(&mut self) {
        if let Some(domain) = self.su.domain {
            let call = std::mem::take(self.su.tokens.top());
            *self.su.tokens.top() = self.mark_call(call, domain);
        }
    }

    /// Starts a function of a domain with the call on top of the token stack, or drops the call if the domain
    /// has failed.
    pub(in crate::node) fn start_in(
        &mut self,
        Mark { domain, from }: Mark,
        function: &'static Kind<Function>,
        by: Enabler,
        index: u32,
    ) {
        let turns = self.turns;
        if from != self.node {
            self.note(DomainNote::Started(Mark { domain, from }));
        }
        if self.su.domains.is_dead(domain) {
            let call = self.su.tokens.take_top(std::mem::take);
            drop_ignoring_panics(call);
            self.leave_unrun();
            self.note(DomainNote::Done(domain));
        } else {
            if let Some(recorder) = &mut self.recorder {
                recorder.expect_layout(function.hooks().layout);
            }
            self.run_in(domain, None, function.hooks(), by, index);
        }
        // While frames of domains live here, the unit takes its next steps by the watched code.
        self.turns = if self.su.isolates() { 0 } else { turns - 1 };
    }

    /// Runs a fiber of a domain: of the entered frame `id`, or the first fiber of the call on top of the
    /// token stack.
    pub(super) fn run_in(
        &mut self,
        domain: Domain,
        id: Option<FrameId>,
        function: &'static Function,
        by: Enabler,
        index: u32,
    ) {
        let entered = self.su.act_for(Some(domain));
        self.check_note(entered);
        self.turns = 1;
        let unwound = catch_unwind(AssertUnwindSafe(|| (function.fibers)(self, by, index))).err();
        self.turns = 0;
        let misuse = self.su.domains.take_misuse();
        if let Some(payload) = unwound {
            if self.verdict.is_over() || payload.is::<NoMemory>() {
                resume_unwind(payload);
            }
            self.failed_in(domain, id, misuse, payload);
        } else if let Some(error) = misuse {
            // The fiber caught the unwinding.
            self.failed_in(domain, id, Some(error), Box::new(()));
        } else {
            self.returned_in(domain, id);
        }
        let left = self.su.act_for(None);
        self.check_note(left);
    }

    /// Registers the frame of a first fiber that waits, or notes the end of a frame.
    fn returned_in(&mut self, domain: Domain, id: Option<FrameId>) {
        match id {
            None => match self.su.frames.memory.entered() {
                Some(id) => self.su.register(id, domain),
                None => self.note(DomainNote::Done(domain)),
            },
            Some(id) if self.su.frames.memory.live_function(id).is_none() => {
                self.su.unregister(id, domain);
                self.note(DomainNote::Done(domain));
            }
            Some(_) => {}
        }
    }

    /// Ends all frames of a domain, because a fiber has failed.
    #[cold]
    fn failed_in(
        &mut self,
        domain: Domain,
        id: Option<FrameId>,
        misuse: Option<Box<Error>>,
        payload: Box<dyn Any + Send>,
    ) {
        // A first fiber may have given out the identity that its frame would have. No other frame may get it.
        let also = if id.is_none() {
            if self.owes_frame() && !seeded!(IdentityReused) {
                self.make_frame();
            }
            self.su.frames.memory.entered()
        } else {
            None
        };
        let explained = error_of(payload, self.fiber_name());
        let error = misuse.unwrap_or_else(|| Box::new(explained));
        self.handed.drop_running();
        self.leave_fiber();
        self.su.domains.running = None;
        let killed = self.su.kill(domain, also, u64::from(id.is_none()), Some(error));
        self.check_note(killed);
    }

    /// Drops an enabled fiber whose frame was discarded. Returns whether it was.
    #[cold]
    pub(super) fn drop_fiber(&mut self, ready: &Ready) -> bool {
        if !self.su.frames.was_discarded(ready.id) {
            return false;
        }
        self.handed.drop_running();
        self.leave_unrun();
        self.turns -= 1;
        true
    }

    /// Records that no fiber runs in this turn.
    fn leave_unrun(&mut self) {
        self.leave_fiber();
        if let Some(recorder) = &mut self.recorder {
            recorder.expect_started(&BETWEEN_FIBERS, FiberRef::NONE);
        }
    }

    fn note(&mut self, note: DomainNote) {
        let outcome = self.su.say(note);
        self.check_note(outcome);
    }

    /// Ends the run if a message about a domain failed: the answer of a call had no frame to go to.
    fn check_note(&self, outcome: SuResult) {
        if let Err(error) = outcome {
            self.fail_run(*error);
        }
    }

    /// Ends the fiber that has polled, if its domain has failed meanwhile.
    pub(super) fn unwind_if_dead(&self) {
        if cfg!(panic = "unwind")
            && let Some(domain) = self.su.domains.running
            && self.su.domains.is_dead(domain)
        {
            resume_unwind(Box::new(Error::Cancelled));
        }
    }

    /// Ends the run if a node does not exist.
    pub(super) fn check_node(&self, node: NodeId) {
        if node.0 >= self.nodes.get() {
            let nodes = self.nodes.get() as usize;
            self.fail(Error::NoSuchNode { at: self.fiber_name(), node: node.index(), nodes });
        }
    }
}
