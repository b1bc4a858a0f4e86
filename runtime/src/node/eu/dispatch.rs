//! Dispatch from a call or an enabled fiber to the user's code and back, with the function's type known.

use earth_signal::Look;

use crate::node::eu::Eu;
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::frame::Ready;
use crate::node::function::{Call, ErasedCall, FunctionRef, Runnable, Threaded, Token, kind};
use crate::node::signature::signature;
use crate::node::su::SuResult;
use crate::probe::costs;
use crate::probe::order::Taken;
use crate::probe::recorder::FiberRef;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::error::{EntryName, Error, FiberName};
use crate::vocabulary::layout::{BETWEEN_FIBERS, Sizes};
use crate::vocabulary::name::{Start, Then};

/// Runs fibers of `F`. The first is the fiber that `by` enables in the entered frame, or the first fiber of
/// the call on top of the token stack. The next ones are the fibers that are next on the node, as long as
/// they are of `F` too. Between two of them no property of `F` is looked up.
pub(in crate::node) fn fibers<F: Threaded>(eu: &mut ExecutionUnit, mut by: Enabler, mut index: u32) {
    let counting = Counting { before: eu.turns, eu };
    let eu = &mut *counting.eu;
    eu.current.frame = Call::<F>::FRAME;
    eu.current.by = by;
    let mut resumes = by != Enabler::START;
    'burst: loop {
        if resumes {
            loop {
                if !seeded!(OwnOfBefore) {
                    eu.current.given.set(None);
                }
                let at = index as usize;
                let (slot, at) = if F::LAYOUT.slot_arrays { eu.declared(by, at) } else { (by, at) };
                if F::resume(Eu::of(eu), slot.0, at) == Then::End {
                    let outcome = eu.end_frame::<F>();
                    eu.check(outcome);
                }
                match eu.next_of::<F>() {
                    Next::Fiber(next) => (by, index) = next,
                    Next::Token => break,
                    Next::Other => break 'burst,
                }
                eu.current.by = by;
            }
        }
        eu.current.by = Enabler::START;
        loop {
            let Call(held) = if eu.su.tokens.top().is_of(kind::<F>()) {
                eu.su.tokens.take_top(|call| call.take_known(kind::<F>()))
            } else if let Some(call) = eu.take_same_function::<F>() {
                call
            } else {
                // The next token is for another function. `start_newest` or `start_other` starts it.
                break 'burst;
            };
            eu.current.given.set(None);
            eu.su.frames.memory.leave();
            let begun = F::begin(held, Eu::of(eu));
            let outcome = eu.end_first::<F>(begun);
            eu.check(outcome);
            match eu.next_of::<F>() {
                Next::Fiber(next) => (by, index) = next,
                Next::Token => continue,
                Next::Other => break 'burst,
            }
            eu.current.by = by;
            resumes = true;
            break;
        }
    }
}

/// Adds the fibers that a unit has run to its counter when dropped. If the last one unwinds, it is not
/// counted.
struct Counting<'a> {
    eu: &'a mut ExecutionUnit,
    /// The turns that were left at the start.
    before: u32,
}

impl Drop for Counting<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.eu.counters.fibers += u64::from(self.before - self.eu.turns);
    }
}

/// The next work on a node, for a unit that runs fibers of one function.
enum Next {
    /// A fiber of the function, in the entered frame: its enabler and its index.
    Fiber((Enabler, u32)),
    /// The newest token, which may be for another function.
    Token,
    /// Other work, or none.
    Other,
}

impl ExecutionUnit {
    /// Whether an event arrived or is held back (SPN).
    #[inline(always)]
    pub(crate) fn has_events_or_overflow(&mut self) -> bool {
        !self.su.inbox.is_empty() || self.su.holds_back
    }

    /// Whether an event arrived, for a unit between two fibers of one function.
    #[inline(always)]
    fn has_events(&mut self) -> bool {
        !self.su.inbox.is_empty() && !seeded!(BurstDeaf)
    }

    /// Handles all requests of other threads. Returns whether work other than the waiting fibers and tokens
    /// is next: the end of the run, events that are held back, or events that arrived.
    #[cold]
    #[inline(never)]
    fn attend(&mut self) -> bool {
        self.su.attention.answer();
        if seeded!(AskUnheard) {
            return false;
        }
        if self.verdict.is_over() || self.su.holds_back {
            self.su.attention.ask();
            return true;
        }
        if self.has_events() {
            return true;
        }
        self.su.share_tokens(|queue| usize::from(queue.newest().is_none()));
        false
    }

    /// Counts the turn of a fiber of `F`, and returns the next work on the node (SPN). The unit handles
    /// events of others, and events that the fiber sent, only if it has been
    /// [asked](earth_signal::Attention). While it polls, it also looks for arrived events.
    #[inline(always)]
    fn next_of<F: Threaded>(&mut self) -> Next {
        self.turns -= u32::from(!(seeded!(BurstUncounted) && self.turns > 1));
        if self.turns == 0 {
            return Next::Other;
        }
        match self.su.attention.look() {
            Look::Continue => {}
            Look::Poll if !self.has_events() => {}
            Look::Asked if !self.attend() => {}
            Look::Poll | Look::Asked => return Next::Other,
        }
        let Some(newest) = self.su.run_queue.newest() else {
            if self.su.run_queue.has_others() {
                return self.oldest_of::<F>();
            }
            if self.su.tokens.next().is_none() {
                return Next::Other;
            }
            self.token_started = true;
            return Next::Token;
        };
        let (id, next) = (newest.id, (newest.by(), newest.index()));
        if !self.su.run_queue.newest_is_next() || !self.su.frames.memory.enter_of(id, Call::<F>::FRAME) {
            return Next::Other;
        }
        self.su.run_queue.forget_newest();
        Next::Fiber(next)
    }

    /// Returns the fiber that has waited longest, if it is next and is a fiber of `F`.
    #[inline(never)]
    fn oldest_of<F: Threaded>(&mut self) -> Next {
        let Some(oldest) = self.su.run_queue.oldest() else { return Next::Other };
        let (id, next) = (oldest.id, (oldest.by(), oldest.index()));
        if !self.su.frames.memory.enter_of(id, Call::<F>::FRAME) {
            return Next::Other;
        }
        self.su.run_queue.forget_oldest();
        Next::Fiber(next)
    }

    /// Takes the call on top of the token stack if it is a call of `F` whose kind has another address.
    #[cold]
    fn take_same_function<F: Threaded>(&mut self) -> Option<Call<F>> {
        let call = self.su.tokens.top().take(kind::<F>())?;
        Some(self.su.tokens.take_top(|_| call))
    }

    /// Returns the declared enabler and the index of a fiber of the entered frame.
    #[inline(always)]
    pub(in crate::node) fn declared(&self, by: Enabler, index: usize) -> (Enabler, usize) {
        let declared = by.slot().and_then(|slot| self.su.frames.memory.declared(slot));
        declared.map_or((by, index), |(slot, index)| {
            (Enabler(slot as u32), if seeded!(FirstElement) { 0 } else { index })
        })
    }

    #[inline(always)]
    pub(crate) fn run<const TRACED: bool>(&mut self, ready: &Ready) {
        if TRACED {
            self.turns = 1;
            self.note_fiber(ready);
        }
        if !ready.handed_over().is_empty() {
            self.handed.runs(ready);
        }
        let Some(function) = self.su.frames.memory.enter(ready.id) else {
            return self.ended_while_enabled::<TRACED>(ready);
        };
        if TRACED {
            self.expect_enabled(ready, function.layout);
            if self.su.isolates()
                && let Some(domain) = self.su.domains.of_frame(ready.id)
            {
                self.run_in(domain, Some(ready.id), function, ready.by(), ready.index());
                return self.publish_rest();
            }
        }
        (function.fibers)(self, ready.by(), ready.index());
        if TRACED {
            self.publish_rest();
        }
    }

    /// Runs the fiber or starts the function that is next on this node. Returns whether there was one. Here
    /// and below, `TRACED` states at compile time whether the machine may trace.
    #[inline(always)]
    pub(crate) fn run_next<const TRACED: bool>(&mut self) -> bool {
        let Some(ready) = self.su.run_queue.pop_newest() else {
            return !self.su.run_queue.is_empty() && self.run_other::<TRACED>();
        };
        self.su.share_tokens(|_| 0);
        self.run::<TRACED>(&ready);
        true
    }

    /// Runs or starts the next entry of the run queue, which is not the newest fiber.
    #[inline(never)]
    fn run_other<const TRACED: bool>(&mut self) -> bool {
        let Some(next) = self.su.next_work() else { return false };
        self.su.share_tokens(|_| 0);
        self.run_or_start::<TRACED>(next);
        true
    }

    #[inline(always)]
    pub(crate) fn run_or_start<const TRACED: bool>(&mut self, next: Runnable) {
        match next {
            Runnable::Fiber(ready) => self.run::<TRACED>(&ready),
            Runnable::Function(call) => {
                if TRACED {
                    self.su.note_order(Taken::Function);
                }
                self.start::<TRACED>(call);
            }
        }
    }

    pub(crate) fn start<const TRACED: bool>(&mut self, call: ErasedCall) {
        let Some(function) = call.kind() else { unreachable!("a call names its function") };
        self.su.tokens.put_on_top(call);
        self.start_top::<TRACED>(function, FiberRef::NONE);
    }

    /// Starts `function` with the call on top of the token stack, which is a call of it.
    #[inline(always)]
    fn start_top<const TRACED: bool>(&mut self, function: FunctionRef, starter: FiberRef) {
        if TRACED {
            self.turns = 1;
            self.expect_started(starter, function.hooks().layout);
        }
        let turns = self.turns;
        (function.hooks().fibers)(self, Enabler::START, 0);
        if self.turns == turns {
            unreachable!("a call of a function holds its arguments");
        }
        if TRACED {
            self.publish_rest();
        }
    }

    /// Starts the function of the newest token (SPN). Returns whether there was one.
    #[inline(always)]
    pub(crate) fn start_newest<const TRACED: bool>(&mut self) -> bool {
        let Some(function) = self.su.tokens.next().and_then(|call| call.kind()) else { return false };
        self.su.share_tokens(|_| usize::from(!seeded!(GivenAway)));
        let maker = if TRACED { self.newest_maker() } else { FiberRef::NONE };
        self.start_top::<TRACED>(function, maker);
        true
    }

    /// Takes the maker of the newest token, which starts next. Notes the token, on a machine that records the
    /// order.
    fn newest_maker(&mut self) -> FiberRef {
        let maker = self.su.tokens.newest_maker();
        if self.su.order.is_some() {
            let name = if maker == FiberRef::NONE { signature(self.su.tokens.top()) } else { maker };
            self.su.note_order(Taken::Token { node: name.node(), number: name.number() });
        }
        maker
    }

    /// Notes a fiber that runs next, on a machine that records the order.
    #[inline(always)]
    fn note_fiber(&mut self, ready: &Ready) {
        if let Some(order) = &mut self.su.order {
            let Enabler(by) = ready.by();
            order.add_fiber(ready.id.number(), by, ready.index());
        }
    }

    /// Starts the function of another token than the newest of this node (SPN): its oldest, if the policy
    /// says so, or one at its shared end or on another node. Returns whether there was one.
    #[inline(never)]
    pub(crate) fn start_other<const TRACED: bool>(&mut self) -> Result<bool, Box<Error>> {
        let token = self.su.any_token()?;
        Ok(self.start_token::<TRACED>(token))
    }

    /// Starts the function of the next token that this node keeps or shares (DUAL). Returns whether there was
    /// one.
    #[inline(never)]
    pub(crate) fn start_kept<const TRACED: bool>(&mut self) -> bool {
        let token = self.su.kept_token();
        self.start_token::<TRACED>(token)
    }

    /// Starts the function of a token of this node whose turn has come (SPN). Returns whether there was one.
    #[inline(never)]
    pub(crate) fn start_due<const TRACED: bool>(&mut self) -> bool {
        let token = self.su.due_token();
        self.start_token::<TRACED>(token)
    }

    fn start_token<const TRACED: bool>(&mut self, token: Option<Token>) -> bool {
        let Some(Token { call, .. }) = token else { return false };
        if TRACED {
            self.su.note_token(&call, |node, number| Taken::Token { node, number });
        }
        self.su.share_tokens(|_| 0);
        self.start::<TRACED>(call);
        true
    }

    /// Makes the frame of a first fiber.
    #[inline(never)]
    pub(in crate::node) fn make_frame(&mut self) {
        let layout = self.current.layout();
        let numbers = if layout.is_sized() { &self.numbers[..] } else { &[] };
        if let Some(costs) = &self.costs
            && self.su.owns(self.node)
        {
            let slots = costs.slots(Sizes::new(layout, numbers));
            self.su.now = costs::after(self.su.now, costs.frame.saturating_add(slots));
        }
        self.su.open_own(self.current.frame, numbers);
    }

    /// Stores the sizes of the function whose first fiber runs next.
    #[inline(always)]
    pub(in crate::node) fn size<const N: usize>(&mut self, numbers: [usize; N]) {
        match self.numbers.as_mut_array() {
            Some(kept) => *kept = numbers.map(|number| number as u32),
            None => self.resize_numbers(&numbers),
        }
        // At most 64 numbers, each below 2^24, have a sum below 2^32.
        if numbers.iter().fold(0, |all, number| all | number) >> 24 != 0 || N > 64 {
            self.check_sizes(&numbers);
        }
        if self.costs.as_ref().is_some_and(|costs| costs.has_frames()) {
            self.make_frame();
        }
    }

    /// Stores sizes whose number differs from the number of the sizes stored before.
    #[cold]
    #[inline(never)]
    fn resize_numbers(&mut self, numbers: &[usize]) {
        self.numbers.clear();
        self.numbers.extend(numbers.iter().map(|&number| number as u32));
    }

    #[cold]
    #[inline(never)]
    fn check_sizes(&self, numbers: &[usize]) {
        let each = numbers.iter().all(|&number| u32::try_from(number).is_ok());
        if !each || !self.own_sizes().fit() {
            let what = "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned();
            self.fail(Error::NoSuchEntry { at: self.fiber_name(), what, place: None });
        }
    }

    /// Refuses to let a frame wait if the computed count of one of its slots is 0.
    #[inline(always)]
    fn check_counts<F: Threaded>(&self) -> SuResult {
        if self.first_sizes::<F>().numbers().contains(&0) { self.check_each_count() } else { Ok(()) }
    }

    #[inline(never)]
    fn check_each_count(&self) -> SuResult {
        let sizes = self.own_sizes();
        let Some((slot, extent)) = sizes.never_enabled() else { return Ok(()) };
        let FiberName { function, node, .. } = self.fiber_name();
        let fiber = self.current.layout().fibers.get(slot.fiber as usize).copied().unwrap_or("?");
        let name = sizes.slot_name(extent.first);
        let slot = EntryName { what: "slot".into(), name, function, node };
        Err(Box::new(Error::NeverEnabled { slot, fiber: fiber.to_owned() }))
    }

    #[inline(always)]
    fn end_first<F: Threaded>(&mut self, begun: Start<F>) -> SuResult {
        match begun {
            Start::End => {
                let given = self.current.given.get().is_some();
                // The frame of a function without sizes is made only when an address of it has been given
                // out.
                let made = (given || F::LAYOUT.is_sized()) && self.is_made();
                if !made {
                    if !given || seeded!(UnmadeFrame) {
                        return Ok(());
                    }
                    self.make_frame();
                }
                self.end_frame::<F>()
            }
            Start::Wait(state) => {
                if F::LAYOUT.is_sized() {
                    self.check_counts::<F>()?;
                }
                if !self.is_made() {
                    if F::LAYOUT.cells.is_empty() && self.su.makes_plain() {
                        self.make_with::<F>(state);
                        return Ok(());
                    }
                    if F::LAYOUT.cells.is_empty() && !F::LAYOUT.is_sized() && self.su.keeps_tokens() {
                        let id = self.su.frames.make_with(Call::<F>::FRAME, state);
                        self.su.pass_opened(id, Call::<F>::FRAME);
                        return Ok(());
                    }
                    self.make_frame();
                }
                self.su.frames.memory.keep(Call::<F>::FRAME, state);
                Ok(())
            }
        }
    }

    /// Makes the frame of a first fiber of `F`, which has no cells, with its state. The frame is not charged
    /// for.
    #[inline(always)]
    fn make_with<F: Threaded>(&mut self, state: F) {
        let (frames, numbers) = (&mut self.su.frames, &self.numbers[..F::LAYOUT.numbers()]);
        if F::LAYOUT.has_extra() {
            frames.make_sized(Call::<F>::FRAME, state, numbers);
        } else {
            let id = frames.make_with(Call::<F>::FRAME, state);
            if F::LAYOUT.is_sized() {
                frames.begin_rounds(id, Sizes::new(F::LAYOUT, numbers));
            }
        }
    }

    /// Ends the frame of the running fiber, of `F`. The frame's number is then free for the next generation.
    #[inline(always)]
    fn end_frame<F: Threaded>(&mut self) -> SuResult {
        if seeded!(FrameNeverFreed) { Ok(()) } else { self.su.end_own::<F>() }
    }

    /// Ends the run, because the frame of an enabled fiber has ended. A fiber that a timer enabled, or whose
    /// frame was discarded, is dropped instead.
    #[cold]
    fn ended_while_enabled<const TRACED: bool>(&mut self, ready: &Ready) {
        if ready.is_timed() {
            if TRACED {
                self.expect_enabled(ready, &BETWEEN_FIBERS);
                self.publish_rest();
            }
            return;
        }
        if self.drop_fiber(ready) {
            return;
        }
        let function = self.su.frames.names(ready.id).function();
        let why = "while one of its fibers was enabled";
        self.fail_run(Error::EndedTooEarly { function, node: self.node as usize, why: why.into() })
    }
}
