//! Ready-made program shapes, usable without writing fibers. A type that implements a trait of this module
//! defines the computation. The pattern is a threaded function: a machine runs it, a fiber starts it by
//! `eu.token` or `eu.invoke`, and other patterns contain it.
//!
//! | to do | call | messages at most | depth |
//! |---|---|---|---|
//! | two functions at once, both results | [`Join`] | 4 | 2 |
//! | a value from all indices of a range | [`MapReduce`] | 2 a stolen token | log2 of the pieces |
//! | the prefixes of the values of a range | [`Scan`] | 4 a stolen piece | 4 |
//! | a sorted list | [`Sort`] | 2 a stolen token | 4 |
//! | an operation on all rows of a block | [`ParallelFor`] | 2 a stolen token | log2 of the pieces |
//! | a value from blocks, each mapped on its node | [`MapPlaced`] | 2 a block on another node | 2 |
//! | a value from all nodes of a tree of unknown size | [`Search`] | 2 a stolen token | depth of the tree |
//! | work that creates more work, by priority | [`BestFirst`] | 2 a stolen job | depth of the search |
//! | rounds over parts of a line or grid that need their neighbors' borders | [`Neighbours`] | 1 a border and round, 4 a part | rounds |
//! | items through stages, in order, bounded in flight | [`Stream`](Streams) | 2 a batch and link to another node | stages |
//! | a stage by several nodes at the same time | [`farm`](Upstream::farm) | 4 a batch | 2 more |
//! | tasks that need each other's values | [`RunGraph`] | 2 a stolen task | longest path |
//! | a token that needs values of cells | [`Eu::token_when`](crate::Eu::token_when) | 2 a value, 2 a stolen token | 2 more |
//!
//! Only messages between nodes are counted; between frames of one node the same events stay on the node. A
//! token that no idle node steals runs on the node that made it, and sends no message.
//!
//! A token carries values. A type that is [`Wire`](crate::Wire) also runs on machines whose nodes are
//! processes; within a process, a token may carry a closure as [`Shared`](crate::Shared).
//!
//! The patterns use only the operations of a fiber, as [`collective`](crate::collective) does.

mod best_first;
mod dag;
mod join;
mod neighbours;
mod parallel_for;
mod placed;
mod range;
mod scan;
mod scratch;
mod sort;
mod stream;
mod tree;
mod when;
mod zipped_rows;

pub use best_first::{BestFirst, Job};
pub use dag::{Outcome, RunGraph, Task};
pub use join::Join;
pub use neighbours::{Halos, Neighbours, Patch, Side};
pub use parallel_for::Rows;
pub use placed::{MapPlaced, MapsBlock};
pub use range::{Done, Grain, Maps};
pub use sort::{Ascending, Order};
pub use stream::{
    Farm, Items, ItemsHere, Sink, Stage, Stays, Through, ThroughAll, Upstream, items, items_here,
};
pub use tree::{Search, Tree, TreeOf};
pub use when::{Ask, Awaited, Source, ask};
pub use zipped_rows::WithRows;

// Words for searches, as in `lib.rs`.
#[doc(alias = "subflow")]
pub use dag::DynamicTask;
#[doc(alias = "Taskflow")]
pub use dag::Graph;
#[doc(alias = "par_iter_mut")]
#[doc(alias = "par_chunks_mut")]
#[doc(alias = "for_each")]
pub use parallel_for::ParallelFor;
#[doc(alias = "par_iter")]
#[doc(alias = "into_par_iter")]
#[doc(alias = "reduce")]
#[doc(alias = "fold")]
pub use range::MapReduce;
#[doc(alias = "prefix_sum")]
pub use scan::Scan;
#[doc(alias = "map_init")]
pub use scratch::Scratch;
#[doc(alias = "par_sort")]
#[doc(alias = "par_sort_by")]
pub use sort::Sort;
#[doc(alias = "semaphore")]
#[doc(alias = "backpressure")]
pub use stream::Flow;
#[doc(alias = "pipeline")]
#[doc(alias = "channel")]
#[doc(alias = "mpsc")]
pub use stream::Streams;
