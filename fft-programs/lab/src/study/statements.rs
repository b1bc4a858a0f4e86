//! The statements of the paper as rows: what it says, by what rule it is judged, what was found here, and why.
//!
//! What the paper says is told in our words, its figures are its own. It had 36 cores and N = 128 to 64000: what
//! it says of that machine alone "cannot be told here" rather than fails. Statements that the paper's own
//! arithmetic contradicts are [errata](super::errata), which are counted apart.

mod methods;
mod profiles;

use super::findings::Study;
use crate::statements::{self, Row, Statement};

/// All statements, judged on what there is.
pub(crate) fn judged(study: &Study) -> Vec<Row> {
    statements::judged(&STATEMENTS, study)
}

const STATEMENTS: [Statement<Study>; 32] = [
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
        rule: "MKL's average speed is the higher one, beyond the null band; by a factor within 1.25 of 1.89; FFTW is faster, beyond it, at some sizes, fewer than half",
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
        rule: "with each kernel, some point differs by more than 5% between groups, and their intervals do not meet, at more than half of all N",
        judge: methods::functions_differ,
    },
    Statement {
        says: "the best distribution need not be balanced, as (11648, 13056) for N = 24704",
        section: Some("II-C"),
        rule: "at some N unequal shares are clearly faster than equal ones, and at more N so than clearly slower",
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
        rule: "of the exact one, and of the one as published where it is run: the mean of the ratios is above 1; it is within a factor of 1.25 of 2; the greatest of 9.4",
        judge: methods::pad_over_fftw,
    },
    Statement {
        says: "PFFT-FPM-PAD is on average 1.4 times as fast as MKL, at most 5.9 times",
        section: Some("IV-B"),
        rule: "of the exact one, and of the one as published where it is run: the mean of the ratios is above 1; it is within a factor of 1.25 of 1.4; the greatest of 5.9",
        judge: methods::pad_over_mkl,
    },
    Statement {
        says: "for N up to 10000 the speed-ups over MKL are not significant",
        section: Some("IV-D"),
        rule: "the mean of the ratios is between 0.9 and 1.1, of PFFT-FPM and of PFFT-FPM-PAD; outside of that it counts beyond the null band",
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
        rule: "with each kernel the mean width is greater along the lengths; and PFFT-FPM-PAD is clearly faster than PFFT-FPM at more N than clearly slower",
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
        says: "load imbalancing pays: rows dealt by speed functions are transformed faster than equal shares",
        section: Some("II-C"),
        rule: "with each kernel PFFT-FPM is clearly faster than PFFT-LB at some N, and at more N than clearly slower",
        judge: methods::fpm_over_lb,
    },
    Statement {
        says: "padding pays beyond dealing: PFFT-FPM-PAD is faster than PFFT-FPM",
        section: Some("IV-D"),
        rule: "with each kernel it is clearly faster at some N, and at more N than clearly slower",
        judge: methods::pad_over_fpm,
    },
    Statement {
        says: "partial speed functions, around the equal shares, give a better distribution than these",
        section: Some("IV"),
        rule: "as row 21: the functions here are partial ones",
        judge: methods::fpm_over_lb,
    },
    Statement {
        says: "FFTW-2.1.5 is faster than FFTW-3 at 529 of 1000 sizes, and than MKL at 162",
        section: Some("I"),
        rule: "FFTW-2.1.5 is run, too",
        judge: profiles::fftw_2,
    },
    Statement {
        says: "FFTW-3 is faster than MKL at 135 of 1000 sizes with PFFT-FPM, at 81 with PFFT-FPM-PAD",
        section: Some("IV-D"),
        rule: "on 36 cores the shares of the sizes are within a factor of 1.25 of that",
        judge: methods::fftw_wins,
    },
    Statement {
        says: "FFTW-2.1.5 is faster than MKL with PFFT-FPM-PAD at 91 sizes",
        section: Some("IV-C"),
        rule: "FFTW-2.1.5 is run, too",
        judge: profiles::fftw_2,
    },
    Statement {
        says: "in the middle band, 10000 to 33000, PFFT-FPM is 2.7 times as fast as FFTW on average, 6.8 times at most; 1.4 and 2 times as MKL",
        section: Some("IV-D"),
        rule: "the means and the greatest of the ratios are within a factor of 1.25 of that",
        judge: methods::middle_fpm,
    },
    Statement {
        says: "there PFFT-FPM-PAD virtually removes the variations of MKL",
        section: Some("IV-D"),
        rule: "in that band the mean width of its variations is below 10%",
        judge: methods::removed,
    },
    Statement {
        says: "with PFFT-FPM-PAD FFTW-3 is on average 1.2 times as fast as FFTW-2.1.5, MKL 1.7 times",
        section: Some("IV-C"),
        rule: "FFTW-2.1.5 is run, too",
        judge: profiles::fftw_2,
    },
    Statement {
        says: "FFTW-2.1.5 is faster than FFTW-3 below N = 15000",
        section: Some("IV-C"),
        rule: "FFTW-2.1.5 is run, too",
        judge: profiles::fftw_2,
    },
    Statement {
        says: "blocks of 64 are optimal for the transpose",
        section: Some("D"),
        rule: "transposes by blocks of other sizes are run, too",
        judge: methods::transpose_block,
    },
    Statement {
        says: "times are normally distributed, by a chi-squared test",
        section: Some("IV, B"),
        rule: "at most a twentieth of the means that the test can be made of are rejected at 5%",
        judge: methods::normal,
    },
];

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
