//! Experiments on the PFFT paper that a noisy computer with few cores does not allow, in virtual time and
//! without noise.
//!
//! The paper (Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6, 2018) publishes only the averages and
//! the peaks of its speed functions. We therefore generate random functions with these averages and peaks
//! ([`variations`]), and compute the results of the paper's methods with them:
//!
//! 1. [`dealing`]: only the partition of rows, over thousands of seeds. It computes the speed-up of the best
//!    shares over equal shares, by the width of the variations, by the part that all rows of a length have in
//!    common, and by the number of known points of the functions.
//! 2. [`machine`]: the paper's 36 cores as a simulated machine. This project's programs transform squares
//!    without data on it; each group's rows cost what its function says. The result is a
//!    [`Study`](crate::pfft::study::Study) like a measured one, and the same
//!    [rules](crate::pfft::study::statements) judge it.
//! 3. [`blocks`]: the paper's transpose, access by access, on the [caches](cache) of its processor, with
//!    blocks of several sizes.
//!
//! [`assumed`] has the figures that the paper does not publish. Verdicts are taken again with each of them
//! halved and doubled. All results are conditional on the assumed functions. They are bitwise equal in every
//! run. [`report`] has all results as rows and JSON, [`document`] fills the page, and [`figures`] draws the
//! plots.

mod assumed;
mod blocks;
mod cache;
mod dealing;
mod document;
mod figures;
mod machine;
mod report;
mod variations;

pub use report::{Extent, Report};
