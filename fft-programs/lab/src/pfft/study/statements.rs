//! Statements of the paper as rows: claim, rule of judgement, finding here, and explanation.
//!
//! The claims are in our words, their figures are the paper's. The paper had 36 cores and N = 128 to 64000. A
//! statement about that machine alone gets the verdict "cannot be told here" instead of "does not hold".
//! Statements that the paper's own arithmetic contradicts are [errata](super::errata), which are counted
//! separately.

mod methods;
mod profiles;

use earth_report::statements::{Statements, judges};

use super::findings::Study;

pub(crate) const STATEMENTS: Statements<Study> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        profiles::drastic,
        profiles::fftw_share,
        profiles::mkl_share,
        profiles::mkl_varies_more,
        profiles::mkl_faster,
        methods::best_groups,
        methods::functions_differ,
        methods::unequal_shares,
        methods::fpm_over_fftw,
        methods::fpm_over_mkl,
        methods::pad_over_fftw,
        methods::pad_over_mkl,
        methods::small_n,
        methods::middle_n,
        methods::large_n,
        methods::along_lengths,
        methods::same_peak,
        methods::mkl_over_fftw,
        methods::efforts,
        methods::fpm_over_lb,
        methods::pad_over_fpm,
        methods::fftw_wins,
        methods::middle_fpm,
        methods::removed,
        methods::normal,
    ],
};

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
