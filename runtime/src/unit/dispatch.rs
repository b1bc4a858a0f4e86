//! From a call or an enabled fiber to the user's code and back, with the function's type known.

use std::cell::Cell as Flag;
use std::sync::Arc;

use earth_memory::{Held, KindOf};

use super::eu::{Current, Enabled, Eu, EuFrame, Own, Route};
use super::event::Event;
use super::function::{Call, Function, Start, Threaded, function, kind};
use super::su::Outcome;
use crate::error::Error;
use crate::frame::{BETWEEN, Ready};
use crate::vocabulary::layout::{Layout, Sizes};
use crate::vocabulary::name::Then;

/// Starts `F`: its first fiber, with the state on the stack.
pub(super) fn start<F: Threaded>(eu: &mut Eu, call: Option<&mut Call>) {
    let taken = match call {
        Some(call) => call.take(kind::<F>()),
        None => eu.take_newest(kind::<F>()),
    };
    let Some(Start(args)) = taken else { unreachable!("a call of F holds the arguments of F") };
    eu.counters.fibers += 1;
    eu.current = Current {
        layout: F::LAYOUT,
        own: eu.spare,
        made: false,
        addressed: Flag::new(false),
        enabled: Enabled::FIRST,
    };
    let mut state = F::enter(args);
    if F::LAYOUT.sized {
        let mut sizes = Sizes::of(F::LAYOUT);
        state.size(&mut sizes);
        let outcome = eu.make_sized_frame(sizes);
        eu.check(outcome);
    }
    let then = (F::FIBERS[0])(&mut state, eu, 0);
    let outcome = eu.end_first::<F>(state, then);
    eu.check(outcome);
}

/// Runs an enabled fiber of a frame of `F`.
pub(super) fn resume<F: Threaded>(eu: &mut Eu, mut held: Held) {
    let Some(state) = held.get_mut::<F>() else { unreachable!("a frame of F holds a state of F") };
    eu.counters.fibers += 1;
    eu.current.layout = F::LAYOUT;
    let Enabled { fiber, index, .. } = eu.current.enabled;
    let then = (F::FIBERS[fiber as usize])(state, eu, index as usize);
    let outcome = eu.end_fiber(held, then);
    eu.check(outcome);
}

impl Eu {
    /// Runs an enabled fiber. Its values, if they were handed over, have been [delivered](Eu::deliver).
    #[inline(always)]
    pub(crate) fn run(&mut self, ready: &Ready) {
        let Ready { frame, generation, fiber, index, tag, values, .. } = *ready;
        let place = &mut self.frames[frame as usize];
        let (Some(function), true) = (place.function, place.generation == generation) else {
            self.ended_while_enabled(ready);
        };
        let Some(state) = place.state.take() else { unreachable!("fibers of one frame run one at a time") };
        self.current.own = Own { frame, generation };
        self.current.made = true;
        self.current.enabled = Enabled { fiber, index, tag, untaken: values };
        (function.hooks().resume)(self, state);
    }

    /// Runs the next enabled fiber of this node, if there is one (SPN). Whether there was.
    #[inline(always)]
    pub(crate) fn run_next(&mut self) -> bool {
        let Route::Merged(su) = &mut self.route else { return false };
        let Some(ready) = su.ready.pop() else { return false };
        su.share_tokens(0);
        self.run(&ready);
        true
    }

    /// Starts a function.
    #[inline(always)]
    pub(crate) fn start(&mut self, call: &mut Call) {
        let Some(function) = call.kind() else { unreachable!("a call names its function") };
        (function.hooks().start)(self, Some(call));
    }

    /// Starts the function that was invoked here first, or else that of the newest token (SPN). Whether there was one.
    #[inline(always)]
    pub(crate) fn start_next(&mut self) -> bool {
        let Route::Merged(su) = &mut self.route else { return false };
        if let Some(mut call) = su.invoked.pop_front() {
            su.share_tokens(0);
            self.start(&mut call);
            return true;
        }
        if su.is_spilled() {
            return false;
        }
        let Some(function) = su.tokens.newest().and_then(|call| call.kind()) else { return false };
        su.share_tokens(1);
        (function.hooks().start)(self, None);
        true
    }

    #[inline(always)]
    fn take_newest<F: Threaded>(&mut self, kind: &'static KindOf<Start<F>, Function>) -> Option<Start<F>> {
        let Route::Merged(su) = &mut self.route else { return None };
        let start = su.tokens.newest()?.take(kind);
        su.tokens.forget_newest();
        start
    }

    /// Keeps a value for the fiber that will be run next.
    pub(crate) fn deliver(&mut self, inlet: u32, value: crate::vocabulary::value::Value) {
        self.delivered.push_back((inlet, value));
    }

    /// Orders what was delivered for [`run`](Eu::run): each inlet once, so the inlets' order is theirs.
    pub(crate) fn sort_delivered(&mut self) {
        self.delivered.make_contiguous().sort_unstable_by_key(|(inlet, _)| *inlet);
    }

    /// Makes the frame of the fiber that runs, under the number reserved for it.
    #[inline(always)]
    pub(super) fn make_frame(&mut self, layout: &'static Layout) {
        let Own { frame, generation } = self.current.own;
        self.current.made = true;
        self.reserve_next();
        match &mut self.route {
            Route::Merged(su) => su.open(frame, generation, layout, None),
            Route::Separate(to_su) => to_su.send(Event::Open { frame, generation, layout, sizes: None }),
        }
    }

    /// The same for a frame whose sizes are its own.
    fn make_sized_frame(&mut self, sizes: Sizes) -> Outcome {
        let Current { own: Own { frame, generation }, layout, .. } = self.current;
        if sizes.totals().is_none() {
            let what = "a count or a number of slots, inlets or cells that does not fit 32 bits".to_owned();
            return Err(Box::new(Error::NoSuchPlace { at: self.fiber_name(), what }));
        }
        self.current.made = true;
        self.reserve_next();
        let sizes = Arc::new(sizes);
        self.frames[frame as usize].sizes = Some(Arc::clone(&sizes));
        match &mut self.route {
            Route::Merged(su) => su.open(frame, generation, layout, Some(sizes)),
            Route::Separate(to_su) => {
                to_su.send(Event::Open { frame, generation, layout, sizes: Some(sizes) })
            }
        }
        Ok(())
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
    fn new_number(&mut self) -> Own {
        self.frames.push(EuFrame::default());
        let frame = u32::try_from(self.frames.len() - 1).expect("the number of a frame has 32 bits");
        Own { frame, generation: 0 }
    }

    #[inline(always)]
    fn end_first<F: Threaded>(&mut self, state: F, then: Then) -> Outcome {
        match then {
            Then::End if !self.current.made && !self.current.addressed.get() => Ok(()),
            Then::End => {
                if !self.current.made {
                    self.make_frame(F::LAYOUT);
                }
                drop(state);
                self.frames[self.current.own.frame as usize].function = Some(function::<F>());
                self.end_frame()
            }
            Then::Wait => {
                if !self.current.made {
                    self.make_frame(F::LAYOUT);
                }
                let held = self.pool.hold(state);
                let frame = &mut self.frames[self.current.own.frame as usize];
                frame.function = Some(function::<F>());
                frame.state = Some(held);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn end_fiber(&mut self, held: Held, then: Then) -> Outcome {
        if self.current.enabled.untaken != 0 {
            return Err(Box::new(Error::NotTaken {
                at: self.fiber_name(),
                count: self.current.enabled.untaken,
            }));
        }
        // Emptied places of values that were taken out of order.
        self.delivered.clear();
        match then {
            Then::Wait => {
                self.frames[self.current.own.frame as usize].state = Some(held);
                Ok(())
            }
            Then::End => {
                self.pool.release(held);
                self.end_frame()
            }
        }
    }

    /// Ends the frame of the fiber that runs. Its number is free for the next generation.
    #[inline(always)]
    fn end_frame(&mut self) -> Outcome {
        self.counters.frames_ended += 1;
        let number = self.current.own.frame;
        let frame = &mut self.frames[number as usize];
        if frame.sizes.is_some() {
            frame.sizes = None;
        }
        frame.generation += 1;
        // A number whose generations are used up is retired.
        if frame.generation != BETWEEN {
            self.free.push(Own { frame: number, generation: frame.generation });
        }
        match &mut self.route {
            Route::Merged(su) => su.close(number),
            Route::Separate(to_su) => {
                to_su.send(Event::Close { frame: number });
                Ok(())
            }
        }
    }

    #[cold]
    fn ended_while_enabled(&self, ready: &Ready) -> ! {
        let place = &self.frames[ready.frame as usize];
        // The number may serve another function by now.
        let ended =
            place.function.filter(|_| place.generation == ready.generation + 1 && place.state.is_none());
        let function =
            ended.map_or_else(|| "a function".to_owned(), |function| function.hooks().layout.name());
        let why = "while one of its fibers was enabled";
        self.fail(Error::EndedTooEarly { function, node: self.node as usize, why })
    }
}
