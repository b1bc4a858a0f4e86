//! Polling: a long fiber lets its node apply messages, shares tokens, and detects the end of the run.

use std::hint::cold_path;

use earth_signal::Look;

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;

impl<F> Eu<F> {
    /// Lets the node serve other nodes, from inside a fiber that runs long.
    ///
    /// It applies up to one [batch](crate::Policy::batch) of arrived messages, so that cells of this node
    /// answer. It gives tokens of this node to idle nodes, and sends messages that waited for room. It starts
    /// no fiber. The parameters and the state of the running fiber stay unchanged: values for its inlets wait
    /// for their next round.
    ///
    /// If a [cancellation](crate::CancelToken) or an error elsewhere has ended the run, the fiber ends here
    /// by unwinding. (In a program without unwinding, `panic = "abort"`, the fiber continues.)
    ///
    /// * *SPN*: the call does all of this. On a machine of ranks, it has the link make progress on messages
    ///   that are under way; they are applied only between fibers.
    /// * *DUAL*: the synchronization unit applies messages by itself if another thread steps it; otherwise
    ///   they wait for the end of the fiber. This call shows that unit the fiber's operations, shares tokens,
    ///   and detects the end of the run.
    /// * *In virtual time* it has no effect: messages arrive when the fiber's time has passed.
    ///
    /// # Cost
    ///
    /// A load and two branches. While messages arrive, the call also looks at their queue. On a machine of
    /// ranks it always calls the link, which takes some hundred nanoseconds.
    ///
    /// # Errors of the run
    ///
    /// The errors of the messages that it applies.
    ///
    /// # Examples
    ///
    /// ```
    /// use earth::{Eu, Machine, Reply, threaded};
    ///
    /// struct Search;
    ///
    /// #[threaded]
    /// impl Search {
    ///     /// The least number whose square ends with these digits.
    ///     fn start(digits: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
    ///         let mut number = 0_u64;
    ///         while number * number % 1_000 != digits {
    ///             number += 1;
    ///             eu.poll();
    ///         }
    ///         eu.put(out, number);
    ///     }
    /// }
    ///
    /// let mut machine = Machine::threads(2);
    /// assert_eq!(machine.run(|out| Search::call(769, out))?.value, 113);
    /// # Ok::<(), earth::Error>(())
    /// ```
    #[doc(alias = "yield_now")]
    #[doc(alias = "yield")]
    #[inline(always)]
    pub fn poll(&mut self) {
        if self.unit.su.attention.look() != Look::Continue || self.unit.su.has_unshown() {
            cold_path();
            self.unit.poll();
        }
    }
}

impl ExecutionUnit {
    #[inline(never)]
    fn poll(&mut self) {
        if !self.su.shares_as_made() {
            // In virtual time the machine applies events and shares tokens itself.
            return;
        }
        self.su.attention.answer();
        if self.verdict.is_over() {
            self.su.attention.ask();
            return self.unwind();
        }
        // A message may be for the frame of a first fiber, and a token may carry its address to another node.
        if self.owes_frame() {
            self.make_frame();
        }
        self.su.transport.attend();
        if self.su.holds_back {
            self.su.flush();
        }
        // The events are of other senders.
        let domain = self.su.domain.take();
        let applied = self.su.apply_events_and_poll(self.su.policy.batch);
        self.su.domain = domain;
        match applied {
            Ok(true) => self.su.transport.notify_room(),
            Ok(false) => {}
            Err(error) => self.fail_run(*error),
        }
        self.su.share_tokens(|_| 0);
        self.su.show();
        if self.has_events_or_overflow() {
            self.su.attention.ask();
        }
        self.unwind_if_dead();
    }

    /// Ends the running fiber, since the run is over.
    fn unwind(&self) {
        if cfg!(panic = "unwind")
            && let Some(error) = self.verdict.error()
        {
            std::panic::resume_unwind(error);
        }
    }
}
