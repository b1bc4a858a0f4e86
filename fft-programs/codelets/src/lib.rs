//! Row and column kernels of the project's own: mixed radices in the lanes of vector instructions.
mod butterfly;
mod cross;
mod isa;
mod lanes;
mod radices;
mod rows;
mod stage;
mod vector;
mod within;

pub use isa::Isa;
pub use rows::rows;
