//! Policies that a program brings along: a name, a factory for the objects, and the calls of an object.
//!
//! A machine gets a policy as a factory. It makes one object for each node and run, at the first question of
//! the run. So an object needs no reset.
//!
//! Code of a policy runs between fibers. A panic there must not look like a panic of a fiber, so each call is
//! guarded: the panic becomes a [`PolicyFault`], which unwinds to the machine. The machine turns the fault
//! into [`Error::Policy`](crate::Error::Policy). An answer that cannot be right ends a run in the same way.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::error::Error;

/// The panic payload for a mistake of a policy.
#[derive(Debug)]
pub(crate) struct PolicyFault {
    pub(crate) policy: String,
    pub(crate) node: usize,
    pub(crate) why: String,
}

impl PolicyFault {
    pub(crate) fn into_error(self) -> Error {
        let PolicyFault { policy, node, why } = self;
        Error::Policy { policy, node, why }
    }
}

/// The name of a policy, and the node that uses it.
#[derive(Clone, Debug)]
pub(crate) struct PolicyUse {
    pub(crate) name: Arc<str>,
    pub(crate) node: usize,
}

impl PolicyUse {
    /// Ends the run because of a wrong answer.
    #[cold]
    pub(crate) fn fault(&self, why: String) -> ! {
        resume_unwind(Box::new(PolicyFault { policy: self.name.to_string(), node: self.node, why }))
    }

    /// Calls code of the policy. A panic there ends the run.
    pub(crate) fn guard<R>(&self, code: impl FnOnce() -> R) -> R {
        self.try_call(code).unwrap_or_else(|fault| resume_unwind(Box::new(fault)))
    }

    /// Calls code of the policy, and returns a panic there as a fault.
    pub(crate) fn try_call<R>(&self, code: impl FnOnce() -> R) -> Result<R, PolicyFault> {
        catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
            let why = format!("panicked: {}", text_of(&*payload));
            // A payload that panics when it is dropped is leaked.
            std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
            PolicyFault { policy: self.name.to_string(), node: self.node, why }
        })
    }
}

/// Returns the text of a panic's payload.
pub(crate) fn text_of(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic payload that is not text".to_owned(),
    }
}

/// A policy by its name and the factory of its objects.
pub(crate) struct Named<P: ?Sized> {
    pub(crate) name: Arc<str>,
    make: Arc<dyn Fn(usize) -> Box<P> + Send + Sync>,
}

impl<P: ?Sized> Named<P> {
    pub(crate) fn new(name: &str, make: impl Fn(usize) -> Box<P> + Send + Sync + 'static) -> Self {
        Named { name: name.into(), make: Arc::new(make) }
    }

    /// Returns the policy as `node` uses it.
    pub(crate) fn on(&self, node: usize) -> Custom<P> {
        self.used(node, node)
    }

    /// Returns the policy as all `nodes` nodes use it together.
    pub(crate) fn on_all(&self, nodes: usize) -> Custom<P> {
        self.used(0, nodes)
    }

    fn used(&self, node: usize, number: usize) -> Custom<P> {
        let user = PolicyUse { name: Arc::clone(&self.name), node };
        Custom { user, number, make: Arc::clone(&self.make), made: None }
    }
}

impl<P: ?Sized> Clone for Named<P> {
    fn clone(&self) -> Self {
        Named { name: Arc::clone(&self.name), make: Arc::clone(&self.make) }
    }
}

impl<P: ?Sized> fmt::Debug for Named<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

/// A policy that one node uses, with its object of the current run.
pub(crate) struct Custom<P: ?Sized> {
    pub(crate) user: PolicyUse,
    /// The number that the factory gets.
    number: usize,
    make: Arc<dyn Fn(usize) -> Box<P> + Send + Sync>,
    made: Option<Box<P>>,
}

impl<P: ?Sized> Custom<P> {
    /// Drops the object of the last run. A panic of its destructor is ignored.
    pub(crate) fn forget(&mut self) {
        let made = self.made.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(made))) {
            std::mem::forget(payload);
        }
    }

    /// Calls the object. The first call of a run makes it.
    pub(crate) fn ask<R>(&mut self, question: impl FnOnce(&mut P) -> R) -> R {
        let Custom { user, number, make, made } = self;
        user.guard(|| question(made.get_or_insert_with(|| make(*number))))
    }

    /// Returns the object, if the run has one.
    pub(crate) fn made(&self) -> Option<&P> {
        self.made.as_deref()
    }
}

impl<P: ?Sized> Drop for Custom<P> {
    fn drop(&mut self) {
        self.forget();
    }
}
