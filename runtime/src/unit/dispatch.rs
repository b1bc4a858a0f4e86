//! From a call or an enabled fiber to the user's code and back, with the function's type known.

use std::cell::Cell as Flag;
use std::sync::Arc;

use earth_memory::Held;

use super::balance::Token;
use super::ending::{Frame, Start};
use super::eu::Eu;
use super::event::Event;
use super::execution_unit::{Current, EuFrame, ExecutionUnit, Route};
use super::function::{Call, ErasedCall, Threaded, function, kind};
use super::run_queue::Runnable;
use super::signature::Who;
use super::su::{Outcome, Su};
use crate::error::{EntryName, Error, FiberName};
use crate::frame::{BETWEEN, Ready, Tag};
use crate::vocabulary::address::FrameId;
use crate::vocabulary::layout::{Layout, Sizes, name_of};
use crate::vocabulary::name::Then;

/// Starts `F`, whose call the unit has on top, by running its first fiber with the state on the stack.
pub(super) fn start<F: Threaded>(eu: &mut ExecutionUnit) {
    let call = match &mut eu.route {
        Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.tokens.top(),
        Route::Separate(to_su) => &mut to_su.incoming,
    };
    let Some(Call(args)) = call.take(kind::<F>()) else {
        unreachable!("a call of F holds the arguments of F")
    };
    if let Route::Merged(su) | Route::Traced(su) | Route::Charged(su) = &mut eu.route {
        su.tokens.forget_newest();
    }
    eu.counters.fibers += 1;
    eu.current = Current {
        layout: F::LAYOUT,
        own: eu.spare,
        made: false,
        addressed: Flag::new(false),
        tag: Tag::NONE,
        fiber: 0,
    };
    let begun = F::begin(args, Eu::of(eu));
    let outcome = eu.end_first::<F>(begun);
    eu.check(outcome);
}

/// Runs an enabled fiber of a frame of `F`.
pub(super) fn resume<F: Threaded>(eu: &mut ExecutionUnit, held: Held, fiber: u32, index: u32) {
    let Some(held) = held.downcast::<F>() else { unreachable!("a frame of F holds a state of F") };
    eu.counters.fibers += 1;
    eu.current.layout = F::LAYOUT;
    let mut frame = Frame { held: Some(held) };
    let then = F::resume(&mut frame, Eu::of(eu), fiber, index as usize);
    let outcome = eu.end_fiber(frame, then);
    eu.check(outcome);
}

impl ExecutionUnit {
    /// Takes one more step, if the run is on and this unit still has its turn.
    #[inline(always)]
    pub(crate) fn take_turn(&mut self) -> bool {
        if self.turns == 0 || self.verdict.is_over() {
            return false;
        }
        self.turns -= 1;
        true
    }

    /// Whether anything arrived, or is kept to be sent (SPN). A node that is alone hears nothing.
    #[inline(always)]
    pub(crate) fn hears_something(&mut self) -> bool {
        if self.nodes.get() == 1 {
            return false;
        }
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => {
                !su.inbox.is_empty() || su.is_spilled()
            }
            Route::Separate(_) => false,
        }
    }

    /// Runs an enabled fiber. Its values, if they were handed over, have been [delivered](Self::deliver).
    #[inline(always)]
    pub(crate) fn run<const TRACED: bool>(&mut self, ready: &Ready) {
        let Ready { own, fiber, index, tag, .. } = *ready;
        let frame = &mut self.frames[own.number() as usize];
        let (Some(function), true) = (frame.function, frame.generation == own.generation()) else {
            self.ended_while_enabled(ready);
        };
        let Some(state) = frame.state.take() else { unreachable!("fibers of one frame run one at a time") };
        self.current.own = own;
        self.current.tag = tag;
        self.current.fiber = fiber;
        self.current.made = true;
        if TRACED {
            self.publish(function, fiber);
        }
        (function.hooks().resume)(self, state, fiber, index);
        if TRACED {
            self.publish_rest();
        }
    }

    /// Runs the fiber or starts the function that is next on this node, if there is one (SPN). Returns whether there
    /// was. Here and below, `TRACED` says at compile time whether the machine may trace.
    #[inline(always)]
    pub(crate) fn run_next<const TRACED: bool>(&mut self) -> bool {
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return false;
        };
        let Some(ready) = su.run_queue.pop_newest() else {
            return !su.run_queue.is_empty() && self.run_other::<TRACED>();
        };
        su.share_tokens(0);
        if TRACED {
            self.recorder.expect_enabled(ready.index);
        }
        self.run::<TRACED>(&ready);
        true
    }

    /// Runs or starts what is next when that is not the newest fiber.
    #[inline(never)]
    fn run_other<const TRACED: bool>(&mut self) -> bool {
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return false;
        };
        let Some(next) = su.run_queue.pop() else { return false };
        su.share_tokens(0);
        self.run_or_start::<TRACED>(next);
        true
    }

    /// Runs a fiber that is enabled, or starts a function that was invoked.
    #[inline(always)]
    pub(crate) fn run_or_start<const TRACED: bool>(&mut self, next: Runnable) {
        match next {
            Runnable::Fiber(ready) => {
                self.recorder.expect_enabled(ready.index);
                self.run::<TRACED>(&ready);
            }
            Runnable::Function(call) => {
                self.recorder.expect_started(Who::NOBODY);
                self.start::<TRACED>(call);
            }
        }
    }

    /// Starts a function.
    pub(crate) fn start<const TRACED: bool>(&mut self, call: ErasedCall) {
        let Some(function) = call.kind() else { unreachable!("a call names its function") };
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.put_on_top(call),
            Route::Separate(to_su) => to_su.incoming = call,
        }
        if TRACED {
            self.publish(function, 0);
        }
        (function.hooks().start)(self);
        if TRACED {
            self.publish_rest();
        }
    }

    /// Starts the function of the newest token (SPN). Returns whether there was one.
    #[inline(always)]
    pub(crate) fn start_newest<const TRACED: bool>(&mut self) -> bool {
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return false;
        };
        let Some(function) = su.tokens.next_function() else { return false };
        su.share_tokens(usize::from(!seeded!(GivenAway)));
        if TRACED {
            let maker = su.tokens.newest_maker();
            self.recorder.expect_started(maker);
            self.publish(function, 0);
        }
        (function.hooks().start)(self);
        if TRACED {
            self.publish_rest();
        }
        true
    }

    /// Starts the function of a token that is not the newest of this node: its oldest, if that is the order, or one at
    /// its shared end or on another node (SPN). Returns whether there was one.
    #[inline(never)]
    pub(crate) fn start_other<const TRACED: bool>(&mut self) -> bool {
        self.start_token::<TRACED>(|su| su.own_token().or_else(|| su.shared_token()))
    }

    /// Starts the function of a token of this node whose turn has come (SPN). Returns whether there was one.
    #[inline(never)]
    pub(crate) fn start_due<const TRACED: bool>(&mut self) -> bool {
        self.start_token::<TRACED>(Su::due_token)
    }

    fn start_token<const TRACED: bool>(&mut self, token: impl FnOnce(&mut Su) -> Option<Token>) -> bool {
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return false;
        };
        let Some(Token { call, .. }) = token(su) else { return false };
        su.share_tokens(0);
        self.recorder.expect_started(Who::NOBODY);
        self.start::<TRACED>(call);
        true
    }

    /// Keeps a value for the fiber that will be run next.
    pub(crate) fn deliver(&mut self, inlet: u32, value: crate::vocabulary::value::Value) {
        self.delivered.push_back((inlet, value));
    }

    /// Orders what was delivered for [`run`](Self::run): each inlet once, so the inlets' order is theirs.
    pub(crate) fn sort_delivered(&mut self) {
        if !seeded!(UnsortedValues) {
            self.delivered.make_contiguous().sort_unstable_by_key(|(inlet, _)| *inlet);
        }
    }

    /// Makes the frame of the fiber that runs, under the number reserved for it.
    #[inline(always)]
    pub(super) fn make_frame(&mut self, layout: &'static Layout) {
        let own = self.current.own;
        let (frame, generation) = (own.number(), own.generation());
        self.current.made = true;
        self.reserve_next();
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) => su.open(frame, generation, layout, None),
            Route::Charged(_) => self.open_charged(frame, generation, layout, None),
            Route::Separate(to_su) => to_su.send(Event::Open { frame, generation, layout, sizes: None }),
        }
    }

    /// Makes the frame of the first fiber, which runs, with these sizes.
    pub(super) fn open_sized(&mut self, sizes: Sizes) {
        let outcome = self.make_sized_frame(sizes);
        self.check(outcome);
    }

    /// Makes the frame of the fiber that runs, when its sizes are its own.
    fn make_sized_frame(&mut self, mut sizes: Sizes) -> Outcome {
        let Current { own, layout, .. } = self.current;
        let (frame, generation) = (own.number(), own.generation());
        if sizes.totals().is_none() {
            let what = "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned();
            return Err(Box::new(Error::NoSuchEntry { at: self.fiber_name(), what }));
        }
        self.current.made = true;
        self.reserve_next();
        sizes.generation = generation;
        let sizes = Arc::new(sizes);
        self.frames[frame as usize].sizes = Some(Arc::clone(&sizes));
        match &mut self.route {
            Route::Merged(su) | Route::Traced(su) => su.open(frame, generation, layout, Some(sizes)),
            Route::Charged(_) => self.open_charged(frame, generation, layout, Some(sizes)),
            Route::Separate(to_su) => {
                to_su.send(Event::Open { frame, generation, layout, sizes: Some(sizes) });
            }
        }
        Ok(())
    }

    /// Refuses to let a frame wait if the count of one of its slots was worked out to be 0.
    fn check_counts(&self) -> Outcome {
        let (layout, Some(sizes)) = (self.current.layout, self.own_sizes()) else { return Ok(()) };
        let Some(ordinal) = sizes.never_enabled(layout) else { return Ok(()) };
        let FiberName { function, node, .. } = self.fiber_name();
        let name = name_of(layout.slots, Some(&sizes.slots), sizes.slots[ordinal].first);
        let fiber = layout.fibers.get(layout.slots[ordinal].fiber as usize).copied().unwrap_or("?");
        let slot = EntryName { what: "slot", name, function, node };
        Err(Box::new(Error::NeverEnabled { slot, fiber: fiber.to_owned() }))
    }

    /// Charges for a frame, then opens it.
    #[cold]
    fn open_charged(
        &mut self,
        frame: u32,
        generation: u32,
        layout: &'static Layout,
        sizes: Option<Arc<Sizes>>,
    ) {
        self.charge_at(self.node, |costs| costs.frame + costs.slots(layout, sizes.as_deref()));
        if let Route::Charged(su) = &mut self.route {
            su.open(frame, generation, layout, sizes);
        }
    }

    /// Reserves a frame for the next function to start.
    #[inline(always)]
    fn reserve_next(&mut self) {
        self.spare = match self.free.pop() {
            Some(frame) => frame,
            None => self.new_number(),
        };
    }

    #[cold]
    fn new_number(&mut self) -> FrameId {
        self.frames.push(EuFrame::default());
        let frame = u32::try_from(self.frames.len() - 1).expect("the number of a frame has 32 bits");
        FrameId::new(frame, 0)
    }

    #[inline(always)]
    fn end_first<F: Threaded>(&mut self, begun: Start<F>) -> Outcome {
        match begun {
            Start::End if !self.current.made && (!self.current.addressed.get() || seeded!(UnmadeFrame)) => {
                Ok(())
            }
            Start::End => {
                if !self.current.made {
                    self.make_frame(F::LAYOUT);
                }
                self.frames[self.current.own.number() as usize].function = Some(function::<F>());
                self.end_frame(F::LAYOUT)
            }
            Start::Wait(state) => {
                if F::LAYOUT.sized {
                    self.check_counts()?;
                }
                if !self.current.made {
                    self.make_frame(F::LAYOUT);
                }
                let held = self.pool.hold(state);
                let frame = &mut self.frames[self.current.own.number() as usize];
                frame.function = Some(function::<F>());
                frame.keep(held.erase());
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn end_fiber<F: Threaded>(&mut self, frame: Frame<F>, then: Then) -> Outcome {
        match (then, frame.held) {
            (Then::Wait, Some(held)) => {
                self.frames[self.current.own.number() as usize].keep(held.erase());
                Ok(())
            }
            (Then::Wait, None) => unreachable!("a fiber that takes its state ends its frame"),
            (Then::End, held) => {
                if let Some(held) = held {
                    self.pool.release(held);
                }
                self.end_frame(F::LAYOUT)
            }
        }
    }

    /// Ends the frame of the fiber that runs. Its number is free for the next generation.
    #[inline(always)]
    fn end_frame(&mut self, layout: &Layout) -> Outcome {
        let number = self.current.own.number();
        let frame = &mut self.frames[number as usize];
        if layout.sized {
            frame.sizes = None;
        }
        frame.generation += u32::from(!seeded!(SameGeneration));
        // A number whose generations are used up is retired.
        if frame.generation != BETWEEN {
            self.free.push(FrameId::new(number, frame.generation));
        }
        match &mut self.route {
            _ if seeded!(FrameNeverFreed) => Ok(()),
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => su.close(number),
            Route::Separate(to_su) => {
                to_su.send(Event::Close { frame: number });
                Ok(())
            }
        }
    }

    #[cold]
    fn ended_while_enabled(&self, ready: &Ready) -> ! {
        let frame = &self.frames[ready.own.number() as usize];
        // The number may serve another function by now.
        let ended = frame
            .function
            .filter(|_| frame.generation == ready.own.generation() + 1 && frame.state.is_none());
        let function =
            ended.map_or_else(|| "a function".to_owned(), |function| function.hooks().layout.name());
        let why = "while one of its fibers was enabled";
        self.fail(Error::EndedTooEarly { function, node: self.node as usize, why })
    }
}
