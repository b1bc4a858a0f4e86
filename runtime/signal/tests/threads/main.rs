//! The protocols on real threads. All their interleavings are tried by the models of `earth-model`.

mod coordination;
mod queues;
