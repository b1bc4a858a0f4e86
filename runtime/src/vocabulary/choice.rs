//! The choice of the next fiber and of the next token of a node.

use super::layout::Layout;
use super::policy::TokenOrder;

/// A fiber or function that waits for its turn on a node, as a [`FiberPolicy`] sees it.
#[derive(Clone, Copy, Debug)]
pub struct WaitingWork {
    pub(crate) layout: Option<&'static Layout>,
    pub(crate) fiber: &'static str,
    /// The frame and the slot or spawned fiber, unless it is a function that starts.
    pub(crate) enabled: Option<(u64, u32)>,
    pub(crate) index: u32,
    pub(crate) passed_over: u64,
}

impl WaitingWork {
    /// Whether a function starts: it was invoked, and has no frame yet. Otherwise this is an enabled fiber.
    pub fn is_start(&self) -> bool {
        self.enabled.is_none()
    }

    /// Returns the name of the function's type with its modules: `std::any::type_name`.
    pub fn function(&self) -> &'static str {
        self.layout.map_or("?", |layout| (layout.name)())
    }

    /// Returns the name of the function without its modules, as [records](crate::records) have it. Cost: an
    /// allocation.
    pub fn short_function(&self) -> String {
        self.layout.map_or_else(|| "?".to_owned(), Layout::name)
    }

    /// Returns the name of the fiber. The first fiber of a function has its own name, mostly `start`.
    pub fn fiber(&self) -> &'static str {
        self.fiber
    }

    /// Returns a number that identifies the frame of an enabled fiber on its node.
    pub fn frame(&self) -> Option<u64> {
        self.enabled.map(|(frame, _)| frame)
    }

    /// Returns the index with which a fiber was spawned, else 0.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Returns how many others the policy has taken since this one came to its list.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }
}

/// Selects the enabled fiber or invoked function that runs next on a node, in SPN and DUAL.
///
/// Each node has an object of its own. [`Policies::fibers`](crate::policy::Policies::fibers) gives a machine
/// the factory.
///
/// # Cost
///
/// With such a policy a node leaves a function after each fiber, lists what waits, and calls the policy. A
/// choice takes time in proportion to the number of entries that wait.
///
/// # Bounds
///
/// After [`Policy::in_a_row`](crate::Policy::in_a_row) choices of other entries the machine takes the oldest
/// entry, without a question. So the bounds of [`Policy`](crate::Policy) hold for every policy. Of several
/// waiting rounds of one slot the machine always takes the oldest, because values arrive in order.
///
/// # Errors of the run
///
/// A number of no entry ends the run with [`Error::Policy`](crate::Error::Policy). So does a panic.
pub trait FiberPolicy: Send {
    /// Returns the index of the entry that is next. `waiting` has at least two entries, oldest first.
    fn next(&mut self, waiting: &[WaitingWork]) -> usize;
}

impl<P: FiberPolicy + ?Sized> FiberPolicy for Box<P> {
    fn next(&mut self, waiting: &[WaitingWork]) -> usize {
        (**self).next(waiting)
    }
}

/// The tokens of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnTokens {
    /// Tokens that the node keeps to itself: the newest ones.
    pub kept: usize,
    /// Tokens that it shares with idle nodes: the oldest ones, at most
    /// [`MOST_SHARED`](crate::policy::MOST_SHARED). An idle node may be taking some of them.
    pub shared: usize,
}

/// Selects which of its own tokens a node starts next, and how far a DUAL node is fed ahead.
///
/// Each node has an object of its own. [`Policies::tokens`](crate::policy::Policies::tokens) gives a machine
/// the factory. The built-in policies are [`TokenOrder`]s.
///
/// # Bounds
///
/// A node on which tokens wait starts one after at most
/// [`Policy::token_every`](crate::Policy::token_every) fibers, whatever the policy says. The policy selects
/// only which one. As with the built-in orders, the other tokens have no bound.
///
/// # Errors of the run
///
/// A panic ends the run with [`Error::Policy`](crate::Error::Policy).
pub trait TokenPolicy: Send {
    /// Returns the end at which the next token is taken: the newest of the kept tokens, or the oldest of all
    /// tokens. If there is none, the machine takes another token of the node.
    ///
    /// A simulated machine also asks this when it only checks whether a token can start. So the answer must
    /// not change the policy.
    fn next(&self, own: OwnTokens) -> TokenOrder;

    /// Notes that a token of this end was taken. The default ignores it.
    fn took(&mut self, end: TokenOrder) {
        let _ = end;
    }

    /// Returns whether a DUAL node of a simulated machine gets a token ahead of time, while `waiting` fibers
    /// and functions wait for its execution unit, at least 1. `feed` is
    /// [`Policy::feed`](crate::Policy::feed); by default fewer than this wait.
    ///
    /// If neither waits, the node gets a token without a question.
    fn feeds(&self, waiting: usize, feed: usize) -> bool {
        waiting < feed
    }
}

impl TokenPolicy for TokenOrder {
    fn next(&self, _own: OwnTokens) -> TokenOrder {
        *self
    }
}

impl<P: TokenPolicy + ?Sized> TokenPolicy for Box<P> {
    fn next(&self, own: OwnTokens) -> TokenOrder {
        (**self).next(own)
    }

    fn took(&mut self, end: TokenOrder) {
        (**self).took(end);
    }

    fn feeds(&self, waiting: usize, feed: usize) -> bool {
        (**self).feeds(waiting, feed)
    }
}
