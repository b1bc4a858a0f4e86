//! Statements of the paper as rows: claim, rule of judgement, finding here, and explanation.
//!
//! The claims are in our words, their figures are the paper's. The paper had 36 cores and N = 128 to 64000. A
//! statement about that machine alone gets the verdict "cannot be told" instead of "does not hold".
//! Statements that the paper's own arithmetic contradicts are [errata](super::errata), which are counted
//! separately.
//!
//! *Noise.* A statement on a comparison holds if a method is clearly faster at more N than chance explains.
//! The paper's statements are on FFTW, FFTW-2 and MKL; the project's own kernel is shown and does not count.

mod bands;
mod common;
mod fftw2;
mod further;
mod methods;
mod profiles;

use earth_report::statements::{Statements, judges};

use super::findings::Study;
pub(crate) use further::{longest_planning, median_slow_down};

pub(crate) const STATEMENTS: Statements<Study> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        profiles::drastic,
        profiles::fftw_share,
        profiles::mkl_share,
        profiles::fftw2_average,
        profiles::newer_vary_more,
        profiles::mkl_faster,
        profiles::mkl_over_fftw2,
        profiles::peaks,
        methods::best_groups,
        methods::functions_differ,
        methods::unequal_shares,
        methods::fpm_over_fftw,
        methods::fpm_over_mkl,
        methods::pad_over_fftw,
        methods::pad_over_mkl,
        methods::along_lengths,
        methods::same_peak,
        methods::mkl_over_fftw,
        methods::fpm_over_lb,
        methods::pad_over_fpm,
        methods::fftw_wins,
        methods::averages,
        bands::small_n,
        bands::small_drops,
        bands::middle_n,
        bands::middle_fpm,
        bands::good_middle,
        bands::removed,
        bands::large_n,
        bands::mkl_above,
        fftw2::fftw2_wins,
        fftw2::fftw2_over_pad_mkl,
        fftw2::near_the_end,
        fftw2::pad_over_fftw2,
        fftw2::fftw2_below,
        fftw2::fftw2_above,
        fftw2::points,
        further::efforts,
        further::planners_vary,
        further::padded,
        further::block,
        further::normal,
    ],
};

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
