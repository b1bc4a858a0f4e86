//! From a call or an enabled fiber to the user's code and back, with the function's type known.

use super::balance::Token;
use super::ending::Start;
use super::eu::Eu;
use super::execution_unit::{ExecutionUnit, NOT_ADDRESSED};
use super::function::{Call, ErasedCall, Framed, Threaded};
use super::run_queue::Runnable;
use super::signature::Who;
use super::su::{Outcome, Su};
use crate::node::frame::{Described, Enabler, Ready};
use crate::vocabulary::error::{EntryName, Error, FiberName};
use crate::vocabulary::layout::{Layout, Sizes, name_of};
use crate::vocabulary::name::Then;

/// Runs fibers of `F`: the one that `by` enables in the frame that the unit has entered, or the first one of the call that
/// it has on top; then those that are next on the node, as long as they are of `F` too. Between two of them nothing is
/// looked up that is known of `F`.
pub(super) fn fibers<F: Threaded>(eu: &mut ExecutionUnit, by: Enabler, index: u32) {
    eu.current.frame = F::FRAME;
    let alone = eu.nodes.get() == 1;
    let turns = eu.turns;
    let mut left = turns;
    let mut next = if by == Enabler::START {
        let Some(call) = eu.su.tokens.take_top::<F>() else {
            unreachable!("a call of F holds the arguments of F")
        };
        Next::Start(call)
    } else {
        Next::Fiber(by, index)
    };
    loop {
        match next {
            Next::Start(Call(args)) => {
                eu.current.by = Enabler::START;
                eu.current.own.set(NOT_ADDRESSED);
                eu.su.frames.memory.leave();
                let begun = F::begin(args, Eu::of(eu));
                let outcome = eu.end_first::<F>(begun);
                eu.check(outcome);
            }
            Next::Fiber(by, index) => {
                eu.current.by = by;
                let index = index as usize;
                let (by, index) = if F::LAYOUT.slot_arrays { eu.declared(by, index) } else { (by, index) };
                if F::resume(Eu::of(eu), by.0, index) == Then::End {
                    let outcome = eu.end_frame(F::LAYOUT);
                    eu.check(outcome);
                }
            }
        }
        let following = if left == 0 { None } else { eu.next_of::<F>(alone) };
        let Some(following) = following else { break };
        next = following;
        left -= u32::from(!seeded!(BurstUncounted));
    }
    eu.turns = left;
    eu.counters.fibers += u64::from(turns - left) + 1;
}

/// What runs next of a function.
enum Next<F: Threaded> {
    /// Its first fiber, with these arguments.
    Start(Call<F>),
    /// A fiber of the frame that the unit has entered: by what enabled it, and its index.
    Fiber(Enabler, u32),
}

impl ExecutionUnit {
    /// Whether anything arrived, or is kept to be sent (SPN). A node that is alone hears nothing.
    #[inline(always)]
    pub(crate) fn hears_something(&mut self) -> bool {
        if self.nodes.get() == 1 {
            return false;
        }
        !self.su.inbox.is_empty() || self.su.is_spilled()
    }

    /// What is next on the node (SPN), if this unit still has its turn and it is a fiber of `F`.
    #[inline(always)]
    fn next_of<F: Threaded>(&mut self, alone: bool) -> Option<Next<F>> {
        if self.verdict.is_over() || !alone && self.hears_something() {
            return None;
        }
        let next = if let Some(ready) = self.su.run_queue.newest() {
            if !self.su.frames.memory.enter_of(ready.id.bits(), F::FRAME) {
                return None;
            }
            self.su.run_queue.pop_newest();
            if !alone {
                self.su.share_tokens(0);
            }
            if !seeded!(OwnOfBefore) {
                self.current.own.set(ready.id.bits());
            }
            Next::Fiber(ready.by, ready.index)
        } else {
            if !self.su.run_queue.is_empty() {
                return None;
            }
            let call = self.su.tokens.take_newest::<F>()?;
            if !alone {
                self.su.share_tokens(0);
            }
            self.token_started = true;
            Next::Start(call)
        };
        Some(next)
    }

    /// What enables a fiber of the frame that the unit has entered, as it is declared, and the fiber's index.
    pub(super) fn declared(&self, by: Enabler, index: usize) -> (Enabler, usize) {
        let declared = by.slot().and_then(|slot| self.su.frames.memory.declared(slot));
        declared.map_or((by, index), |(slot, index)| {
            (Enabler(slot as u32), if seeded!(FirstElement) { 0 } else { index })
        })
    }

    /// Runs an enabled fiber. Its values, if they were handed over, have been [delivered](Self::deliver).
    #[inline(always)]
    pub(crate) fn run<const TRACED: bool>(&mut self, ready: &Ready) {
        let Some(function) = self.su.frames.memory.enter(ready.id.bits()) else {
            self.ended_while_enabled(ready);
        };
        if TRACED {
            let (by, index) = self.declared(ready.by, ready.index as usize);
            let fiber = by.fiber(function.layout());
            self.recorder.expect_enabled(ready, fiber, index as u32);
            self.publish(function.layout(), fiber);
        }
        self.current.own.set(ready.id.bits());
        (function.fibers)(self, ready.by, ready.index);
        if TRACED {
            self.publish_rest();
        }
    }

    /// Runs the fiber or starts the function that is next on this node, if there is one (SPN). Returns whether there
    /// was. Here and below, `TRACED` says at compile time whether the machine may trace.
    #[inline(always)]
    pub(crate) fn run_next<const TRACED: bool>(&mut self) -> bool {
        let Some(ready) = self.su.run_queue.pop_newest() else {
            return !self.su.run_queue.is_empty() && self.run_other::<TRACED>();
        };
        self.su.share_tokens(0);
        self.run::<TRACED>(&ready);
        true
    }

    /// Runs or starts what is next when that is not the newest fiber.
    #[inline(never)]
    fn run_other<const TRACED: bool>(&mut self) -> bool {
        let Some(next) = self.su.run_queue.pop() else { return false };
        self.su.share_tokens(0);
        self.run_or_start::<TRACED>(next);
        true
    }

    /// Runs a fiber that is enabled, or starts a function that was invoked.
    #[inline(always)]
    pub(crate) fn run_or_start<const TRACED: bool>(&mut self, next: Runnable) {
        match next {
            Runnable::Fiber(ready) => self.run::<TRACED>(&ready),
            Runnable::Function(call) => {
                self.recorder.expect_started(Who::NOBODY);
                self.start::<TRACED>(call);
            }
        }
    }

    /// Starts a function.
    pub(crate) fn start<const TRACED: bool>(&mut self, call: ErasedCall) {
        let Some(function) = call.kind() else { unreachable!("a call names its function") };
        self.su.put_on_top(call);
        if TRACED {
            self.publish(function.hooks().layout, 0);
        }
        (function.hooks().fibers)(self, Enabler::START, 0);
        if TRACED {
            self.publish_rest();
        }
    }

    /// Starts the function of the newest token (SPN). Returns whether there was one.
    #[inline(always)]
    pub(crate) fn start_newest<const TRACED: bool>(&mut self) -> bool {
        let Some(function) = self.su.tokens.next_function() else { return false };
        self.su.share_tokens(usize::from(!seeded!(GivenAway)));
        if TRACED {
            let maker = self.su.tokens.newest_maker();
            self.recorder.expect_started(maker);
            self.publish(function.hooks().layout, 0);
        }
        (function.hooks().fibers)(self, Enabler::START, 0);
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
        let Some(Token { call, .. }) = token(&mut self.su) else { return false };
        self.su.share_tokens(0);
        self.recorder.expect_started(Who::NOBODY);
        self.start::<TRACED>(call);
        true
    }

    /// Makes the frame of a first fiber.
    #[inline(never)]
    pub(super) fn make_frame(&mut self) {
        let layout = self.current.layout();
        let numbers = if layout.is_sized() { &self.numbers[..] } else { &[] };
        if let Some(costs) = &self.costs
            && self.su.owns(self.node)
        {
            self.su.now += costs.frame + costs.slots(Sizes::new(layout, numbers));
        }
        self.su.open_own(self.current.frame, numbers);
    }

    /// Keeps the sizes of the function whose first fiber is going to run.
    #[inline(always)]
    pub(super) fn size<const N: usize>(&mut self, numbers: [usize; N]) {
        self.numbers.clear();
        self.numbers.extend(numbers.map(|number| number as u32));
        // So few numbers, all so small, have no sum of more than 32 bits.
        if numbers.iter().fold(0, |all, number| all | number) >> 24 != 0 || N > 64 {
            self.check_sizes(&numbers);
        }
        if self.costs.as_ref().is_some_and(|costs| costs.has_frames()) {
            self.make_frame();
        }
    }

    #[cold]
    #[inline(never)]
    fn check_sizes(&self, numbers: &[usize]) {
        let each = numbers.iter().all(|&number| u32::try_from(number).is_ok());
        if !each || !self.own_sizes().fit() {
            let what = "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned();
            self.fail(Error::NoSuchEntry { at: self.fiber_name(), what });
        }
    }

    /// Refuses to let a frame wait if the count of one of its slots was worked out to be 0.
    #[inline(always)]
    fn check_counts(&self) -> Outcome {
        if self.numbers.contains(&0) { self.check_each_count() } else { Ok(()) }
    }

    #[inline(never)]
    fn check_each_count(&self) -> Outcome {
        let Some((slot, extent)) = self.own_sizes().never_enabled() else { return Ok(()) };
        let FiberName { function, node, .. } = self.fiber_name();
        let fiber = self.current.layout().fibers.get(slot.hooks().fiber as usize).copied().unwrap_or("?");
        let name = name_of(&[slot], [extent], extent.first);
        let slot = EntryName { what: "slot", name, function, node };
        Err(Box::new(Error::NeverEnabled { slot, fiber: fiber.to_owned() }))
    }

    /// Makes the frame of a first fiber that has come to its end, unless it is made.
    #[inline(always)]
    fn make_at_end<F: Threaded>(&mut self) {
        if self.is_made() {
            return;
        }
        if self.su.is_at_hand(self.node) && !F::LAYOUT.has_extra() {
            let id = self.su.frames.make_plain(F::FRAME);
            if F::LAYOUT.is_sized() {
                self.su.frames.begin_rounds(id, Sizes::new(F::LAYOUT, &self.numbers));
            }
        } else {
            self.make_frame();
        }
    }

    #[inline(always)]
    fn end_first<F: Threaded>(&mut self, begun: Start<F>) -> Outcome {
        match begun {
            Start::End
                if !self.is_made() && (self.current.own.get() == NOT_ADDRESSED || seeded!(UnmadeFrame)) =>
            {
                Ok(())
            }
            Start::End => {
                self.make_at_end::<F>();
                self.end_frame(F::LAYOUT)
            }
            Start::Wait(state) => {
                if F::LAYOUT.is_sized() {
                    self.check_counts()?;
                }
                self.make_at_end::<F>();
                self.su.frames.memory.keep(F::FRAME, state);
                Ok(())
            }
        }
    }

    /// Ends the frame of the fiber that runs. Its number is free for the next generation.
    #[inline(always)]
    fn end_frame(&mut self, layout: &Layout) -> Outcome {
        if seeded!(FrameNeverFreed) { Ok(()) } else { self.su.end_own(layout) }
    }

    #[cold]
    fn ended_while_enabled(&self, ready: &Ready) -> ! {
        let function = self.su.frames.names(ready.id).function();
        let why = "while one of its fibers was enabled";
        self.fail(Error::EndedTooEarly { function, node: self.node as usize, why })
    }
}
