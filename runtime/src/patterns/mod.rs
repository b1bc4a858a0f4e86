//! Ready-made shapes of programs, for whoever does not want to write fibers: what is computed is a type with a trait of
//! this module, and the pattern is a threaded function that a machine runs, a fiber starts by `eu.token` or `eu.invoke`,
//! and other patterns contain.
//!
//! | to do | call | messages at most | depth |
//! |---|---|---|---|
//! | two functions at once, both results | [`Join`] | 4 | 2 |
//! | a value made of all indices of a range | [`MapReduce`] | 2 a token that is stolen | log2 of the pieces |
//! | something to all rows of a block | [`ParallelFor`] | 2 a token that is stolen | log2 of the pieces |
//! | a value made of blocks, each where it lies | [`MapPlaced`] | 2 a block on another node | 2 |
//! | a value made of all nodes of a tree nobody knows the size of | [`Search`] | 2 a token that is stolen | that of the tree |
//! | work that makes more work, the most urgent first | [`BestFirst`] | 2 a job that is stolen | that of the search |
//! | rounds over parts of a line or grid that need their neighbours' borders | [`Neighbours`] | 1 a border and round, 4 a part | rounds |
//! | items through stages, in order, bounded in flight | [`Stream`](Streams) | 2 a batch and link to another node | stages |
//! | tasks that need each other's values | [`RunGraph`] | 2 a task | longest path |
//!
//! Messages are those between nodes; between frames of one node the same events stay there. A token that no idle node
//! takes is run where it was made, and sends none.
//!
//! What travels with a token is a value: a type that is [`Wire`](crate::Wire), and runs on machines whose nodes are
//! processes as well; or, within a process, a closure as [`Shared`](crate::Shared).
//!
//! All is written with the operations of a fiber alone, as [`collective`](crate::collective) is.

mod best_first;
mod dag;
mod join;
mod neighbours;
mod parallel_for;
mod placed;
mod range;
mod stream;
mod tree;

pub use best_first::{BestFirst, Job};
pub use dag::{Graph, RunGraph, Task};
pub use join::Join;
pub use neighbours::{Halos, Neighbours, Patch, Side};
pub use parallel_for::{ParallelFor, Rows};
pub use placed::{MapPlaced, MapsBlock};
pub use range::{Done, Grain, MapReduce, Maps};
pub use stream::{Flow, Items, Sink, Stage, Streams, Through, ThroughAll, Upstream, items};
pub use tree::{Search, Tree, TreeOf};
