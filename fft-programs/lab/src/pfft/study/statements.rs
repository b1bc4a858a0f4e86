//! The statements of the paper as rows: what it says, by what rule it is judged, what was found here, and why.
//!
//! What the paper says is told in our words, its figures are its own. It had 36 cores and N = 128 to 64000: what
//! it says of that machine alone "cannot be told here" rather than fails. Statements that the paper's own
//! arithmetic contradicts are [errata](super::errata), which are counted apart.

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
