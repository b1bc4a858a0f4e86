//! What the synchronization unit of a DUAL node tells the execution unit: what to run, and whether tokens may be started.

use earth_memory::frames::Handed;
use earth_signal::{Message, Receives};

use super::Pair;
use super::execution::Executing;
use crate::node::frame::Ready;
use crate::node::function::{ErasedCall, Function, Token};
use crate::vocabulary::address::FrameId;
use crate::vocabulary::value::Value;

impl Receives for Executing {
    type Outcome = ();
}

/// The values of a round, at most `N` words of them.
pub(in crate::node) type Values<const N: usize> = Handed<Function, N>;

/// A fiber that may run and takes no values, or those that were [handed over](Delivered) before it.
pub(super) struct Enabled {
    pub(super) ready: Ready,
    pub(super) again: bool,
}

impl Message<Executing> for Enabled {
    #[inline]
    fn arrive(self, at: &mut Executing) {
        at.given = at.given.wrapping_add(1);
        at.enable(self.ready, self.again);
    }
}

/// A fiber that may run, which a slot without inlets enables.
pub(super) struct Signalled {
    pub(super) id: FrameId,
    /// The number of the slot, and what a trace knows the signal by.
    pub(super) slot: Pair,
}

impl Message<Executing> for Signalled {
    #[inline]
    fn arrive(self, at: &mut Executing) {
        at.given = at.given.wrapping_add(1);
        at.eu.su.run_queue.push(Ready::enabled(self.id, self.slot.first(), self.slot.second()));
    }
}

/// A fiber that may run, which the slot of these values enables.
pub(super) struct EnabledWith<const N: usize> {
    pub(super) id: FrameId,
    /// What a trace knows the signal by, as a word: what is copied as one is written as one.
    pub(super) link: u64,
    pub(super) values: Values<N>,
}

impl<const N: usize> Message<Executing> for EnabledWith<N> {
    #[inline]
    fn arrive(self, at: &mut Executing) {
        at.given = at.given.wrapping_add(1);
        at.enable_with(self.id, self.link as u32, self.values);
    }
}

/// A value for the fiber that follows, and the inlet it came to.
pub(super) struct Delivered {
    pub(super) inlet: u32,
    pub(super) value: Value,
}

impl Message<Executing> for Delivered {
    fn arrive(self, at: &mut Executing) {
        at.handed.keep(self.inlet, self.value);
    }
}

/// A function to start.
pub(super) struct Started(pub(super) ErasedCall);

impl Message<Executing> for Started {
    fn arrive(self, at: &mut Executing) {
        at.given = at.given.wrapping_add(1);
        at.eu.su.run_queue.push_function(self.0);
    }
}

/// A token that came from another node.
pub(super) struct Kept(pub(super) Token);

impl Message<Executing> for Kept {
    fn arrive(self, at: &mut Executing) {
        at.given = at.given.wrapping_add(1);
        at.eu.su.tokens.push(self.0);
    }
}

/// Whether something waits for room on its way to another node, so that no token is started.
pub(super) struct Barred(pub(super) bool);

impl Message<Executing> for Barred {
    fn arrive(self, at: &mut Executing) {
        at.eu.su.bar_tokens_of(self.0);
    }
}
