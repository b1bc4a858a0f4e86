//! From inlets to the fiber that their slot enabled.
//!
//! What [`#[threaded]`](macro@crate::threaded) writes takes the values of a fiber's inlets before the fiber runs (rule 2 of
//! ARCHITECTURE.md). In SPN they lie in the frame's inlets; in DUAL they were handed over with the fiber, in
//! the order of their inlets.

use super::execution_unit::{Current, ExecutionUnit, Route};
use crate::error::Error;
use crate::vocabulary::address::FrameRef;
use crate::vocabulary::layout::name_of;
use crate::vocabulary::name::{Inlet, InletArray};
use crate::vocabulary::value::Carried;
use crate::vocabulary::wire::Wire;

impl ExecutionUnit {
    /// Takes the value that arrived at an inlet of this frame. The common case is in line with its types known.
    #[inline(always)]
    pub(super) fn take<T: Wire>(&mut self, inlet: Inlet<T>) -> T {
        let number = self.inlet_number(inlet.ordinal, inlet.index);
        let Current { own, tag, .. } = self.current;
        let plain = match &mut self.route {
            Route::Merged(su) | Route::Traced(su) | Route::Charged(su) => {
                su.frames.take_plain(own, number, tag)
            }
            Route::Separate(_) => None,
        };
        plain.unwrap_or_else(|| self.take_value(number))
    }

    /// Takes a value on any route: [`take`](Self::take) out of line.
    #[inline(never)]
    fn take_value<T: Wire>(&mut self, number: u32) -> T {
        let Current { own, tag, .. } = self.current;
        let (Route::Merged(su) | Route::Traced(su) | Route::Charged(su)) = &mut self.route else {
            return self.take_delivered(number).unwrap_or_else(|| self.nothing_delivered(number));
        };
        let Some(value) = su.frames.take(own, number, tag) else { self.nothing_delivered(number) };
        let outcome = su.let_in(FrameRef { node: self.node, id: own }, number);
        self.check(outcome);
        value
    }

    fn take_delivered<T: Wire>(&mut self, number: u32) -> Option<T> {
        let at = match self.delivered.front() {
            Some((inlet, _)) if *inlet == number => Ok(0),
            _ => self.delivered.binary_search_by_key(&number, |(inlet, _)| *inlet),
        };
        match at {
            Ok(0) => self.delivered.pop_front().and_then(|(_, mut value)| value.take(T::KIND)),
            // Left in place, and empty, so that the order stays: a fiber with many values
            // takes them in any order.
            Ok(at) => self.delivered.get_mut(at).and_then(|(_, value)| value.take(T::KIND)),
            Err(_) => None,
        }
    }

    #[cold]
    fn nothing_delivered(&self, number: u32) -> ! {
        let extents = self.own_sizes().map(|sizes| &sizes.inlets[..]);
        let inlet = name_of(self.current.layout.inlets, extents, number);
        self.fail(Error::NotDelivered { at: self.fiber_name(), inlet })
    }

    /// Takes the values of an array of inlets, first to last.
    pub(super) fn take_all<T: Wire>(&mut self, inlets: InletArray<T>) -> Vec<T> {
        (0..self.inlet_extent(inlets.ordinal).len as usize).map(|index| self.take(inlets.at(index))).collect()
    }
}
