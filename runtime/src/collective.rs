//! Collective operations, written with the public operations of fibers: functions started on every node,
//! broadcast, reduction, barrier, all to all, and values that are kept on each node.
//!
//! A *member* is one of several instances of a function. A member takes the same arguments as a main
//! function: any arguments, and last the [`Reply`](crate::Reply) for its result ([`Member`]). So a member can
//! be tested by running it as a main function. Members are distributed round-robin over the nodes of a
//! [`Group`], and counted from 0.
//!
//! | to do | call | messages | depth |
//! |---|---|---|---|
//! | start members, collect their results | [`everywhere`](everywhere()) | 2 M | 2 |
//! | a value for all | [`broadcast`](broadcast()) | P - 1 | log2 P |
//! | start members, combine their results | [`reduce`](reduce()) | 2 (M - 1) | 2 log2 M |
//! | wait for all, repeatedly | invoke [`Barrier`] | 2 M a round | 2 |
//! | every member sends to every member | [`all_to_all`](all_to_all()) | M (M - 1) a round | 1 |
//! | a value on each node, for requests | [`keep`] | 2 M, then 2 a request | 2 |
//!
//! M members, P nodes. The message counts hold for members on different nodes; between frames of one node the
//! same events stay on the node.
//!
//! These functions neither wait nor hold a lock, and the units do not treat them specially. Each is a
//! function or two in the style of any program, and its misuse is detected like any program's.

/// Collects the values of an iterator, one for each member.
///
/// # Panics
///
/// If the iterator promises more values than 32 bits count, or more than memory has room for.
fn gathered<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let values = values.into_iter();
    let (least, _) = values.size_hint();
    assert!(u32::try_from(least).is_ok(), "there may be at most 2^32 - 1 members, but {least} were given");
    let mut all = Vec::new();
    all.try_reserve(least)
        .unwrap_or_else(|why| panic!("no memory for the arguments of {least} members: {why}"));
    all.extend(values);
    all
}

mod all_to_all;
mod barrier;
mod broadcast;
mod everywhere;
mod group;
mod local;
mod reduce;

pub use all_to_all::{ExchangeInlets, Peers, all_to_all};
pub use barrier::{Seat, Seats};
pub use broadcast::broadcast;
pub use everywhere::everywhere;
pub use group::{Given, Group, Member, MemberArgs, Output};
pub use local::{Kept, keep};
pub use reduce::{Combine, Concat, Max, Min, Sum, reduce};

// Words for searches, as in `lib.rs`.
#[doc(alias = "wait")]
pub use barrier::Barrier;
