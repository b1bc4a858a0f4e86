//! The protocols on real threads. The models of `earth-model` explore all their interleavings.

mod coordination;
mod queues;
