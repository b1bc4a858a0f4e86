//! The execution unit as a fiber holds it.
//!
//! An [`Eu<F>`] is the [execution unit](crate::node::eu::execution_unit) itself under another type, so that a fiber of `F` is
//! given names of its own function's frame alone ([`own`]). A reference to the one is a reference to the
//! other: the compiler is told so by `bytemuck`, which checks that the type adds nothing. As an [`Eu`] for no function
//! in particular it goes to code that is no fiber.

mod addressing;
pub(crate) mod compute;
mod delivery;
pub(crate) mod dispatch;
pub(crate) mod ending;
pub(crate) mod execution_unit;
mod handed_over;
mod operations;
mod own;
mod polling;
mod starts;

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::TransparentWrapper;

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::Threaded;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::place::Any;

/// The execution unit of the node that a fiber of `F` runs on: everything the fiber can ask for.
///
/// No operation waits. An operation that cannot be right (a stale address, a signal too many, an inlet that
/// holds nothing) ends the run with a typed [`Error`](crate::Error), and the fiber by unwinding with that error. A
/// fiber that catches it does not save the run.
///
/// Code that is no fiber takes a `&mut Eu`: all of it but the names of a function's own frame. If it is also given
/// addresses that are made in the same call, `greet(eu, eu.reply(Self::add().left))`, it takes a
/// `&mut Eu<impl Sized>`, since a unit is not borrowed twice to make it one of another type.
#[derive(TransparentWrapper)]
#[transparent(ExecutionUnit)]
#[repr(transparent)]
pub struct Eu<F = Any> {
    pub(crate) unit: ExecutionUnit,
    of: PhantomData<fn() -> F>,
}

impl<F: Threaded> Deref for Eu<F> {
    type Target = Eu;

    #[inline(always)]
    fn deref(&self) -> &Eu {
        Eu::wrap_ref(&self.unit)
    }
}

impl<F: Threaded> DerefMut for Eu<F> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Eu {
        Eu::wrap_mut(&mut self.unit)
    }
}

impl<F> Eu<F> {
    /// The unit, for a fiber of `F`.
    #[inline(always)]
    pub(in crate::node) fn of(unit: &mut ExecutionUnit) -> &mut Self {
        Self::wrap_mut(unit)
    }

    /// The node this fiber runs on.
    #[doc(alias = "NODE_ID")]
    #[inline(always)]
    pub fn node(&self) -> NodeId {
        NodeId(self.unit.node)
    }

    /// How many nodes the machine has.
    #[doc(alias = "NUM_NODES")]
    #[inline(always)]
    pub fn nodes(&self) -> usize {
        self.unit.nodes.get() as usize
    }
}

impl<F> std::fmt::Debug for Eu<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.unit.fiber_name();
        f.debug_struct("Eu").field("node", &self.unit.node).field("at", &at).finish_non_exhaustive()
    }
}
