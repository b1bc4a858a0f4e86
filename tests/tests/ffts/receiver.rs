//! The receiver-initiated FFT, by a tree of requests and by shared requests, on every machine.

mod counts;
mod everywhere;
mod laws;
