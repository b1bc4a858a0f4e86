//! Classic dataflow programs on earth, one a file. Each file has its threaded functions, a plain version of
//! the same computation, and its place in the list [`PROGRAMS`].
//!
//! Read [`fib`] first: a threaded function with two fibers. The tables, the tests and the laboratory run the
//! programs of the list by their names. A crate outside adds its own by the trait [`Program`].
//!
//! ```
//! use earth::Machine;
//! use earth_programs::named;
//!
//! let queens = named("queens").expect("it is in the list");
//! let run = queens.at(&[8])?.run(&mut Machine::stepper(1).nodes(4))?;
//! assert_eq!(run.value, "92 ways for 8 queens");
//! # Ok::<(), earth_programs::ProgramError>(())
//! ```
//!
//! The binary `programs` runs them from the command line:
//!
//! ```text
//! cargo run --release -p earth-programs                      # the table, on 2 nodes
//! cargo run --release -p earth-programs -- list              # names and sizes
//! cargo run --release -p earth-programs -- queens 12 2 dual  # one program: its sizes, nodes, spn or dual
//! cargo run --release -p earth-programs -- explore fib 4     # all schedules of a program at its sizes
//! ```

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a file links to the functions in it")]

mod program;

pub mod bfs;
pub mod chains;
pub mod cholesky;
pub mod conjugate_gradients;
pub mod costs;
pub mod echo;
pub mod explored;
pub mod fib;
pub mod istructure;
pub mod lu;
pub mod matmul;
pub mod mergesort;
pub mod operations;
pub mod paraffins;
pub mod pipeline;
pub mod queens;
pub mod ring;
pub mod samplesort;
pub mod smith_waterman;
pub mod soak;
pub mod stencil;
pub mod tree_search;
pub mod wavefront;
pub mod word_count;
pub mod work;

pub use program::{Instance, Machines, Program, ProgramError, Size};

/// All programs, in the order of the table.
pub const PROGRAMS: &[&dyn Program] = &[
    &fib::Fibonacci,
    &queens::PlaceQueens,
    &tree_search::TreeSearch,
    &mergesort::MergeSort,
    &samplesort::SampleSort,
    &smith_waterman::SmithWaterman,
    &wavefront::Wavefront,
    &matmul::MatrixProduct,
    &lu::Lu,
    &cholesky::CholeskyByTokens,
    &cholesky::CholeskyByGraph,
    &stencil::Jacobi,
    &conjugate_gradients::ConjugateGradients,
    &pipeline::Pipeline,
    &chains::ExchangingChains,
    &word_count::WordCount,
    &bfs::BreadthFirst,
    &istructure::IStructure,
    &paraffins::Paraffins,
    &ring::PassBall,
    &echo::Echo,
];

/// Returns the program of this name.
pub fn named(name: &str) -> Option<&'static dyn Program> {
    PROGRAMS.iter().copied().find(|program| program.name() == name)
}
