//! The receiver-initiated FFT, by a tree of asks and by shared ones, on every machine.

mod counts;
mod everywhere;
mod laws;
