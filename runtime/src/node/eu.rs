//! The execution unit as a fiber holds it.
//!
//! An [`Eu<F>`] is the [execution unit](crate::node::eu::execution_unit) itself under another type. Through
//! it a fiber of `F` can name only parts of its own function's frame ([`own`]). A reference to one type
//! converts to a reference to the other; `bytemuck` checks that `Eu` adds no fields with a size. Code that is
//! not a fiber gets an [`Eu`] for no particular function.

mod addressing;
pub(crate) mod compute;
mod delivery;
pub(crate) mod dispatch;
pub(crate) mod ending;
pub(crate) mod execution_unit;
mod isolated;
mod operations;
mod own;
mod polling;
mod starts;
mod timers;

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::TransparentWrapper;

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::Threaded;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::place::Any;

/// The execution unit of the node that a fiber of `F` runs on. It has all operations of fibers.
///
/// No operation blocks. An invalid operation (a stale address, a signal too many, an empty inlet) ends the
/// run with a typed [`Error`](crate::Error), and unwinds the fiber with that error. A fiber that catches the
/// unwinding does not save the run.
///
/// Code that is not a fiber takes a `&mut Eu`, which has all operations except those on names of a function's
/// own frame. If a call also passes addresses that it makes itself, as in
/// `greet(eu, eu.reply(Self::add().left))`, the function should take a `&mut Eu<impl Sized>`. Otherwise the
/// conversion to `&mut Eu` would borrow the unit twice.
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
    /// Returns the unit under the type for a fiber of `F`.
    #[inline(always)]
    pub(in crate::node) fn of(unit: &mut ExecutionUnit) -> &mut Self {
        Self::wrap_mut(unit)
    }

    /// Returns the node on which this fiber runs.
    #[doc(alias = "NODE_ID")]
    #[inline(always)]
    pub fn node(&self) -> NodeId {
        NodeId(self.unit.node)
    }

    /// Returns the number of nodes of the machine.
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
