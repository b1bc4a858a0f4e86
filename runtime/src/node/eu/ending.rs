//! The ways in which fibers end: the types that they may return, and the fate of their frame ([`Start`],
//! [`Then`]).
//!
//! A first fiber has no state yet and returns the state of a frame that waits. A later fiber that borrows the
//! state keeps the frame, or decides by [`Then`]; a fiber that takes the state ends the frame. Each may
//! return a `Result` instead; an error ends the run.

use std::fmt::Display;

use crate::node::eu::Eu;
use crate::node::function::Threaded;
use crate::vocabulary::error::Error;
use crate::vocabulary::name::{Start, Then};

/// A type that a first fiber of `F` may return.
#[diagnostic::on_unimplemented(
    message = "the first fiber of `{F}` cannot return `{Self}`",
    label = "not a way to end a first fiber",
    note = "it returns `Self` (the state of a frame that waits), `Start<Self>` (it waits or ends), `()` (it ends), \
            or a `Result` of one of these"
)]
#[doc(hidden)]
pub trait Begins<F> {
    fn start(self, eu: &mut Eu<F>) -> Start<F>;
}

impl<F: Threaded> Begins<F> for F {
    #[inline(always)]
    fn start(self, _: &mut Eu<F>) -> Start<F> {
        Start::Wait(self)
    }
}

impl<F: Threaded> Begins<F> for Start<F> {
    #[inline(always)]
    fn start(self, _: &mut Eu<F>) -> Start<F> {
        self
    }
}

impl<F: Threaded> Begins<F> for () {
    #[inline(always)]
    fn start(self, _: &mut Eu<F>) -> Start<F> {
        Start::End
    }
}

impl<F: Threaded, B: Begins<F>, E: Display> Begins<F> for Result<B, E> {
    #[inline(always)]
    fn start(self, eu: &mut Eu<F>) -> Start<F> {
        match self {
            Ok(begun) => begun.start(eu),
            Err(why) => failed(eu, &why),
        }
    }
}

/// A type that a fiber that borrows its state may return.
#[diagnostic::on_unimplemented(
    message = "a fiber of `&mut self` cannot return `{Self}`",
    label = "not a way to end a fiber",
    note = "it returns `()` (its frame stays), `Then` (the frame stays or ends), or a `Result` of one of these; \
            a fiber of `self` ends its frame"
)]
#[doc(hidden)]
pub trait Ends {
    fn then<F>(self, eu: &mut Eu<F>) -> Then;
}

impl Ends for Then {
    #[inline(always)]
    fn then<F>(self, _: &mut Eu<F>) -> Then {
        self
    }
}

impl Ends for () {
    #[inline(always)]
    fn then<F>(self, _: &mut Eu<F>) -> Then {
        Then::Wait
    }
}

impl<T: Ends, E: Display> Ends for Result<T, E> {
    #[inline(always)]
    fn then<F>(self, eu: &mut Eu<F>) -> Then {
        match self {
            Ok(ended) => ended.then(eu),
            Err(why) => failed(eu, &why),
        }
    }
}

/// A type that a fiber that takes its state may return.
#[diagnostic::on_unimplemented(
    message = "a fiber of `self` cannot return `{Self}`",
    label = "a fiber of `self` ends its frame",
    note = "it returns `()` or a `Result<(), _>`; a fiber that may wait takes `&mut self` and returns `Then`"
)]
#[doc(hidden)]
pub trait EndsFrame {
    fn then<F>(self, eu: &mut Eu<F>) -> Then;
}

impl EndsFrame for () {
    #[inline(always)]
    fn then<F>(self, _: &mut Eu<F>) -> Then {
        Then::End
    }
}

impl<E: Display> EndsFrame for Result<(), E> {
    #[inline(always)]
    fn then<F>(self, eu: &mut Eu<F>) -> Then {
        match self {
            Ok(()) => Then::End,
            Err(why) => failed(eu, &why),
        }
    }
}

#[cold]
fn failed<F>(eu: &Eu<F>, why: &impl Display) -> ! {
    eu.unit.fail(Error::Failed { at: eu.unit.fiber_name(), why: why.to_string() })
}
