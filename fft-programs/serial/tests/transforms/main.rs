//! Transforms on the caller's thread, by several kernels: complex and real transforms of all shapes and
//! layouts compared with the definition, and their common properties.

mod columns;
mod common;
mod complex;
mod properties;
mod real;
mod turned;
