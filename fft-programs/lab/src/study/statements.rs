//! The statements of the paper as rows: what it says, by what rule it is judged, what was found here, and why.
//!
//! What the paper says is told in our words, its figures are its own. It had 36 cores and N = 128 to 64000: what
//! it says of that machine alone "cannot be told here" rather than fails. Statements that the paper's own
//! arithmetic contradicts are rows too, with what we do instead.

mod errata;
mod methods;
mod profiles;

use super::findings::Study;
use crate::statements::{self, Row, Statement};

/// All statements, judged on what there is.
pub(crate) fn judged(study: &Study) -> Vec<Row> {
    statements::judged(&STATEMENTS, study)
}

const STATEMENTS: [Statement<Study>; 27] = [
    Statement {
        says: "the libraries' own transforms vary drastically with N: on average they are far below their peaks",
        section: Some("I"),
        rule: "the average of each library's own speed is less than half of its peak",
        judge: profiles::drastic,
    },
    Statement {
        says: "FFTW-3's average speed is 30% of its peak",
        section: Some("I"),
        rule: "within a factor of 1.25 of that",
        judge: profiles::fftw_share,
    },
    Statement {
        says: "MKL's average speed is 24% of its peak",
        section: Some("I"),
        rule: "within a factor of 1.25 of that",
        judge: profiles::mkl_share,
    },
    Statement {
        says: "FFTW-2.1.5's average speed is 40% of its peak, and 38% above FFTW-3's",
        section: Some("I"),
        rule: "FFTW-2.1.5 is run, too",
        judge: profiles::fftw_2,
    },
    Statement {
        says: "newer libraries vary more: MKL's variations are noticeably wider than FFTW-3's",
        section: Some("I"),
        rule: "the mean width of MKL's variations is more than 1.25 times that of FFTW's, and so is the widest",
        judge: profiles::mkl_varies_more,
    },
    Statement {
        says: "MKL is on average 89% faster than FFTW-3, which is faster at 199 of 1000 sizes",
        section: Some("I"),
        rule: "MKL's average speed is the higher one; by a factor within 1.25 of 1.89; FFTW is faster at some sizes, fewer than half",
        judge: profiles::mkl_faster,
    },
    Statement {
        says: "of the ways to make groups of 36 threads, (4, 9) is best with FFTW and (2, 18) with MKL",
        section: Some("III-A"),
        rule: "of at least two ways with more than one group, four groups are best with FFTW, two with MKL",
        judge: methods::best_groups,
    },
    Statement {
        says: "the groups' speed functions are not alike: they differ by more than 5%",
        section: Some("II-C"),
        rule: "with each kernel, some point differs by more than 5% between groups at more than half of all N",
        judge: methods::functions_differ,
    },
    Statement {
        says: "the best distribution need not be balanced, as (11648, 13056) for N = 24704",
        section: Some("II-C"),
        rule: "at some N unequal shares are faster than equal ones, by more than both confidence intervals; and at more N so than slower",
        judge: methods::unequal_shares,
    },
    Statement {
        says: "PFFT-FPM is on average 1.9 times as fast as FFTW, at most 6.8 times",
        section: Some("abstract, E"),
        rule: "the mean of the ratios is above 1; it is within a factor of 1.25 of 1.9; the greatest of 6.8",
        judge: methods::fpm_over_fftw,
    },
    Statement {
        says: "PFFT-FPM is on average 1.3 times as fast as MKL, at most 2 times",
        section: Some("abstract, E"),
        rule: "the mean of the ratios is above 1; it is within a factor of 1.25 of 1.3; the greatest of 2",
        judge: methods::fpm_over_mkl,
    },
    Statement {
        says: "PFFT-FPM-PAD is on average twice as fast as FFTW, at most 9.4 times",
        section: Some("IV-A"),
        rule: "of the exact one: the mean of the ratios is above 1; it is within a factor of 1.25 of 2; the greatest of 9.4",
        judge: methods::pad_over_fftw,
    },
    Statement {
        says: "PFFT-FPM-PAD is on average 1.4 times as fast as MKL, at most 5.9 times",
        section: Some("IV-B"),
        rule: "of the exact one: the mean of the ratios is above 1; it is within a factor of 1.25 of 1.4; the greatest of 5.9",
        judge: methods::pad_over_mkl,
    },
    Statement {
        says: "for N up to 10000 the speed-ups over MKL are not significant",
        section: Some("IV-D"),
        rule: "the mean of the ratios is less than 1.1, of PFFT-FPM and of PFFT-FPM-PAD",
        judge: methods::small_n,
    },
    Statement {
        says: "for N from 10000 to 33000 PFFT-FPM-PAD is 3 times as fast as FFTW on average and 2.7 times as fast as MKL",
        section: Some("IV-D"),
        rule: "the means of the ratios are within a factor of 1.25 of that",
        judge: methods::middle_n,
    },
    Statement {
        says: "for N above 33000 speed-ups are good (6 with FFTW, 2 with MKL) and major variations remain",
        section: Some("IV-A, IV-B"),
        rule: "the greatest ratio of PFFT-FPM-PAD is within a factor of 1.25 of that; its widest variation there is above 100%",
        judge: methods::large_n,
    },
    Statement {
        says: "variations are greater along the length of rows than along their number, so padding does better than dealing alone",
        section: Some("IV-D"),
        rule: "with each kernel the mean width is greater along the lengths; and PFFT-FPM-PAD is faster than PFFT-FPM by both means",
        judge: methods::along_lengths,
    },
    Statement {
        says: "the peak remains unchanged, so average / peak improves as the average does",
        section: Some("IV-D"),
        rule: "the peak of PFFT-FPM-PAD is within 5% of that of the library's own transform",
        judge: methods::same_peak,
    },
    Statement {
        says: "with PFFT-FPM MKL is 54% faster than FFTW on average, with PFFT-FPM-PAD 53%",
        section: Some("IV-D"),
        rule: "the ratios of the average speeds are within a factor of 1.25 of 1.54 and 1.53",
        judge: methods::mkl_over_fftw,
    },
    Statement {
        says: "planners that measure take so long that their plans do not pay",
        section: Some("I, IV"),
        rule: "the study is made with --planning and both efforts",
        judge: methods::efforts,
    },
    Statement {
        says: "PFFT-FPM-PAD computes what PFFT-FPM computes, the transform of the matrix",
        section: Some("II-D"),
        rule: "its result, as published, differs from the transform by rounding at most",
        judge: errata::padding,
    },
    Statement {
        says: "the time of x rows of y points is x y over their speed",
        section: Some("II-D"),
        rule: "at each N, of all longer lengths that were measured, it chooses the same as the time that was measured",
        judge: errata::lost_logarithm,
    },
    Statement {
        says: "means are repeated until they lie in a confidence interval of 95%, by the quantile t(0.95)",
        section: Some("B"),
        rule: "an interval of t(0.95) on each side is one of 95%",
        judge: errata::confidence,
    },
    Statement {
        says: "speed-ups are on average 2 (FFTW) and 1.4 (MKL), from 5065 to 7297 and from 9572 to 11170 MFLOPs",
        section: Some("IV"),
        rule: "the mean of the ratios and the ratio of the means are the same within 5%, here with each method and kernel",
        judge: errata::two_means,
    },
    Statement {
        says: "optimised FFTW-3 is 42% faster than FFTW-2.1.5 on average (7297 and 7033 MFLOPs)",
        section: Some("I, IV-C"),
        rule: "the ratio of the paper's own averages is within 5% of 1.42",
        judge: errata::over_fftw_2,
    },
    Statement {
        says: "the greatest speed-up of PFFT-FPM over MKL is 2 (abstract), or 2.4 (appendix E)",
        section: Some("abstract, E"),
        rule: "the two figures are the same",
        judge: errata::two_maxima,
    },
    Statement {
        says: "each group plans its own rows inside of a parallel section (Algorithms 5 to 7)",
        section: Some("III-A"),
        rule: "the planner may be called by several threads at once; the paper itself says that in FFTW only execution may",
        judge: errata::planning,
    },
];

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
