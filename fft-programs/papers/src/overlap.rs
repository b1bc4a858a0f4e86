//! The transform of three dimensions that overlaps its exchange with its work, and whose parameters are
//! tuned.
//!
//! Source: Song, Hollingsworth, "Designing and Auto-Tuning Parallel 3-D FFT for Computation-Communication
//! Overlap", `PPoPP` 2014. An array of Nx x Ny x Nz points on p ranks, each with a part of x at first and a
//! part of y in the end.
//!
//! 1. *`FFTz`.* Each rank transforms its rows along z.
//! 2. *Transpose.* It moves its points to rows along y, in the order z x y, or x z y where Nx = Ny.
//! 3. It divides z into k = ceil(Nz / T) tiles. In turn i of k + W turns it
//!    * transforms tile i along y and packs it, part by part (`FFTy`, Pack),
//!    * waits for tile i - W,
//!    * begins the exchange of tile i,
//!    * unpacks tile i - W and transforms it along x, part by part (Unpack, `FFTx`).
//!
//! While a rank works on a tile, up to W other tiles are exchanged. A network that makes progress only when a
//! processor attends to it needs polls during the work: F of them in each of the four phases of a tile.
//!
//! * [`Parameters`]: T, W, the sizes of parts, and the numbers of polls.
//! * [`Variant`]: the paper's program NEW, NEW-0 without overlap, TH after Hoefler, TH-0, and one that is
//!   ordered by arrivals alone.
//! * [`Rounds`]: all blocks of a tile at once, or in rounds.
//! * [`program`]: the threaded functions, and their counts.
//! * [`layout`], [`schedule`], [`tile_work`]: the places of points, the order of steps, and the order of work
//!   on a tile. A program without the runtime may use them, too.
//!
//! ```
//! use earth::Machine;
//! use earth_fft::kernel::RowOptions;
//! use earth_fft::{Complex, Direction, Problem};
//! use earth_papers::overlap::{OverlapPlan, OverlapSettings};
//!
//! let problem = Problem::complex(&[4, 4, 8]);
//! let options = RowOptions::from(Direction::Forward);
//! let plan = OverlapPlan::<f64>::new(&problem, 2, &OverlapSettings::default(), Some(&options))?;
//! let mut points = vec![Complex::from(1.0); plan.local_len(0) + plan.local_len(1)];
//! let run = plan.process_slab(&mut Machine::threads(2), &mut points)?;
//! assert_eq!((points[0], run.value.len()), (Complex::from(128.0), 2));
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! # Where this departs from the paper
//!
//! * Points are transposed into a second array. The paper transposes in place, so that it can use the order
//!   x z y only where Nx = Ny.
//! * A poll ends a fiber, and the tile goes on with the next one. In between the node takes up messages. One
//!   poll serves all tiles, where `MPI_Test` serves one.
//! * Blocks are moved into the program's own memory as they arrive, and unpacked from there.
//!
//! *Cost.* Each point is written to a second array, to a block, and from a block to the first array; two of
//! these three copies change the order of the points. Memory: the second array, and blocks of W + 1 tiles
//! that are sent and that arrive.
//!
//! *When it loses.* A network that moves data by itself needs no polls, and shared memory leaves little to
//! overlap: the processor itself copies. Small tiles cost messages, and large ones leave little to overlap.
//! The distributed plans of `earth-fft` make one copy less.

mod exchange;
pub mod layout;
mod parameters;
mod plan;
pub mod program;
mod rank;
mod rank_plan;
pub mod schedule;
mod solver;
pub mod tile_work;

pub use layout::Layout;
pub use parameters::{Infeasible, NAMES, Parameters, Polls, Size};
pub use plan::{OverlapPlan, OverlapSettings};
pub use program::Times;
pub use rank_plan::{OverlapCall, OverlapRanks, Rounds};
pub use schedule::Variant;
pub use solver::Overlap3d;
