//! What many functions do together, written with the operations that everybody has: functions
//! started on every node, a value for all, a value made of all, a barrier, everybody to everybody,
//! and values that live on each node.
//!
//! A *member* is one of several instances of a function. What starts them is the same thing that starts a
//! program: any arguments, and last the [`Reply`](crate::Reply) for what it says ([`Member`]); so a
//! member is tried out by running it as a main function. Members are dealt round the nodes of a
//! [`Group`], and counted from 0.
//!
//! | to do | call | messages | depth |
//! |---|---|---|---|
//! | start members, collect what each says | [`everywhere`](everywhere()) | 2 M | 2 |
//! | a value for all | [`broadcast`](broadcast()) | P - 1 | log2 P |
//! | start members, combine what they say | [`reduce`](reduce()) | 2 (M - 1) | 2 log2 M |
//! | wait for all, again and again | invoke [`Barrier`] | 2 M a round | 2 |
//! | everybody to everybody | [`all_to_all`](all_to_all()) | M (M - 1) a round | 1 |
//! | a value on each node, to be asked for | [`keep`] | 2 M, then 2 a question | 2 |
//!
//! M members, P nodes. Messages are those of members on nodes of their own; between frames of one node
//! the same events stay there.
//!
//! Nothing here waits, holds a lock or is known to the units: each is a function or two in the style of any
//! program, and its misuse is found out as any program's is.

/// The values of an iterator, one for each member.
///
/// # Panics
///
/// If the iterator promises more values than 32 bits count, or more than memory has room for.
fn gathered<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let values = values.into_iter();
    let (least, _) = values.size_hint();
    assert!(u32::try_from(least).is_ok(), "members are counted in 32 bits, and {least} were given");
    let mut all = Vec::new();
    all.try_reserve(least)
        .unwrap_or_else(|why| panic!("no memory for what {least} members are given: {why}"));
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

pub use all_to_all::{Meet, Peers, all_to_all};
pub use barrier::{Barrier, Seat, Seats};
pub use broadcast::broadcast;
pub use everywhere::everywhere;
pub use group::{Given, Group, Member, MemberArgs, Said};
pub use local::{Kept, keep};
pub use reduce::{Combine, Concat, Max, Min, Sum, reduce};
