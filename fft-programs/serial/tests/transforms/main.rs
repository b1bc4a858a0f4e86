//! Transforms by the caller's thread, by several kernels: complex and real ones of all shapes and layouts against the
//! definition, and what both fulfil.

mod columns;
mod common;
mod complex;
mod properties;
mod real;
mod turned;
