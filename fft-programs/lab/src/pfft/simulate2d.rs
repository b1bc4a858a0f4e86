//! What a noisy computer with few cores cannot tell of the PFFT paper, in virtual time and without noise.
//!
//! The paper (Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6, 2018) publishes of its speed functions the averages
//! and the peaks, and no more. So functions are made up that have these ([`variations`]), and what the paper's methods come
//! to with them is computed:
//!
//! 1. [`dealing`]: the partition of rows alone, over thousands of seeds: how many times as fast as equal shares the best
//!    shares are, by the width of the variations and by what they have in common; and by how many points of the functions
//!    are known.
//! 2. [`machine`]: the paper's 36 cores as a simulated machine, on which squares without data are transformed by the programs
//!    of this project, each group's rows at the price of its function. What comes out is a [`Study`](crate::pfft::study::Study)
//!    like one that was measured, and is judged by the same [rules](crate::pfft::study::statements).
//! 3. [`blocks`]: the paper's transpose, access by access, on the [caches](cache) of its processor, with blocks of several
//!    sizes.
//!
//! All of this is conditional: it says what would follow if the functions were such. The same numbers come out in every
//! run, to the bit. [`report`] is all of it, as rows and JSON, [`document`] what is read, and [`figures`] what is drawn.

mod blocks;
mod cache;
mod dealing;
mod document;
mod figures;
mod machine;
mod report;
mod variations;

pub use report::{Extent, Report};
