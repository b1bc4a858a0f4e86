//! Scheduling policies, networks and cost models of a program's own.
//!
//! [`Policy`](crate::Policy) selects among the built-in orders, as plain data. A program that needs another
//! one implements a trait of this module, and gives it to a machine by name in [`Policies`]:
//!
//! | trait | it decides | built in |
//! |---|---|---|
//! | [`FiberPolicy`] | which enabled fiber or invoked function of a node is next | [`FiberOrder`](crate::FiberOrder) |
//! | [`TokenPolicy`] | which of its tokens a node starts next | [`TokenOrder`](crate::TokenOrder) |
//! | [`StealPolicy`] | where an idle node looks for a token, and how many it takes | [`StealOrder`](crate::StealOrder) |
//! | [`Placement`] | which thread steps a unit | neighbors share a thread |
//! | [`Network`] | when a message of a simulated machine arrives | [`NetworkKind`](crate::simulated::NetworkKind) |
//! | [`CostModel`] | what operations and work cost on a simulated machine | [`Profile`](crate::simulated::Profile) |
//!
//! The built-in ones implement the same traits. A machine calls them without dispatch, so these traits cost a
//! machine without a policy of its own no time.
//!
//! ```
//! use earth::Machine;
//! use earth::policy::{Policies, Search, StealPolicy};
//!
//! /// Steals from the node before its own, then from random nodes.
//! struct Backward;
//!
//! impl StealPolicy for Backward {
//!     fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
//!         Some(if search.tried() == 0 { search.after(search.nodes() - 1) } else { search.random() })
//!     }
//! }
//!
//! let policies = Policies::new().steal("backward", |_node| Backward);
//! assert_eq!(policies.to_string(), "steal=backward");
//! let machine = Machine::threads(4).policies(policies);
//! ```
//!
//! # Objects
//!
//! A factory makes the object of a node at its first question in a run. Each run has new objects, so equal
//! runs of stepped machines stay equal. An object of one node is never called by two threads at once.
//!
//! # Guarantees
//!
//! No policy breaks a promise of the runtime: every enabled fiber, invoked function, token and event has its
//! turn within a bound, and events from one node to another arrive in their order. Each trait lists the bound
//! under *Bounds*, and the machine enforces it. An answer that cannot be right, such as a node that does not
//! exist, ends the run with [`Error::Policy`](crate::Error::Policy). So does a panic in the code of a policy.
//!
//! # Names
//!
//! A policy has a name. [`Policies`] displays and serializes it. An experiment's file contains the
//! name, and the program that reads the file knows the policy.

pub use crate::machine::policies::Policies;
pub use crate::probe::costs::model::{BlockCost, CostModel};
pub use crate::vocabulary::choice::{FiberPolicy, OwnTokens, TokenPolicy, WaitingWork};
pub use crate::vocabulary::network::{Arrival, Departure, Network};
pub use crate::vocabulary::placement::{Placement, UnitPlace};
pub use crate::vocabulary::steal::{MOST_SHARED, Search, StealPolicy};
