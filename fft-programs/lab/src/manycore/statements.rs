//! The paper's statements, judged.
//!
//! Figures of the paper are met if ours are [about](crate::statements::ABOUT) them; "much" is twice, "close" is about equal.
//! Causes are held against the run that removes them. All margins are those of the other papers, fixed before. Where one of our
//! [estimates](super::chip::ESTIMATES), halved or doubled, turns a check, the check is not told.

mod errors;
mod rates;
mod stages;

use super::chip::{Change, ESTIMATES};
use super::results::Results;
use crate::numbers::extent;
use crate::statements::{Judged, Row, Statement, judged, said};

/// The cores up to which the paper finds its model close, and from which there are many.
const SOME: usize = 16;
const MANY: usize = 64;

/// All statements.
pub(crate) fn statements(results: &Results) -> Vec<Row> {
    judged(&STATEMENTS, results)
}

const STATEMENTS: [Statement<Results>; 15] = [
    said(
        "The model's error is 16% on average on up to 16 cores",
        "5.2",
        "the mean of the error without its sign, PAR-R2 and PAR-R4, all N: at most about 16%",
        errors::error_of_some,
    ),
    said(
        "It is 29% on 64 cores",
        "5.2",
        "the same mean there: at most about 29%, and more than on up to 16",
        errors::error_of_many,
    ),
    said(
        "On up to 16 cores stages are predicted 1% to 29% too long",
        "5.2",
        "each stage of Figures 6 and 7: too long, and by about 29% at most",
        errors::too_long,
    ),
    said(
        "On 64 cores they are predicted 5% to 31% too short, as heavy traffic is modelled too simply",
        "5.2",
        "stages of Figures 6 and 7: all are too short; those that are, by about 31% at most; if any are, \
         banks without queues remove it",
        errors::too_short,
    ),
    said(
        "On many cores the first stages take much longer, as elements compete for few factors",
        "5.2",
        "PAR-R2, 2^10 points, 64 cores: stages 1 to 3 take twice the mean of those after 6; on 1 core they \
         do not; and factors near remove it",
        stages::first_stages,
    ),
    said(
        "PAR-R2LM mends stages 1 to 6",
        "5.2",
        "2^10 points, 64 cores: each of them considerably shorter, the others flat",
        stages::near_factors,
    ),
    said(
        "Even so memory takes 300% to 500% more than floating-point operations",
        "5.2",
        "PAR-R2LM, 2^10 points, each number of cores: the elements' cycles for loads and stores over those \
         for floating-point operations, less one: about 3 to 5, \
         whether waiting for results counts as theirs or not, which the paper does not say; if that \
         decides, it cannot be told",
        stages::memory,
    ),
    said(
        "On 64 cores the rate grows with N, on few it is flat",
        "5.2",
        "PAR-R2: on 64 each doubling gains; on 1 and on 4 the extremes are flat",
        rates::rates,
    ),
    said(
        "The model is close to the simulation for three N on up to 32 cores",
        "5.2",
        "2^10, 2^13 and 2^16 points, PAR-R2: about equal on each number of cores to 32, and the worst error \
         is on 64",
        errors::close,
    ),
    said("PAR-R4 is twice as fast as PAR-R2", "5.2", "all N, all cores: about twice", rates::radix_4),
    said(
        "Radix 8 would gain up to 140% over radix 2",
        "5.2",
        "the most over all N and cores, by the model and as simulated: about 2.4 times",
        rates::radix_8,
    ),
    said(
        "C64+ gains nothing significant",
        "5.2",
        "2^10 and 2^16 points, each number of cores, model over model, simulation over simulation, and, as \
         Figure 14 has it, the model of C64+ over the simulated C64: less than considerable",
        rates::more_elements,
    ),
    said(
        "At 2^10 points C64+ is slower on more than 16 cores, as banks and barriers have longer queues",
        "5.2",
        "its rate on 32 and on 64 cores is less than on 16, by the model and as simulated",
        rates::loses,
    ),
    said(
        "2^c butterflies from a multiple of 2^c on take one piece of the points, or two that are equally long",
        "3.1",
        "exactly, all c, all stages, up to 2^10 points, for all multiples that there are",
        stages::pieces,
    ),
    said(
        "The model finds the best number of elements",
        "7",
        "2^5 to 2^10 points, PAR-R2, PAR-R2LM, and PAR-R2 on C64+: where fewer than 64 cores are the \
         fastest, else nothing is asked; the number that the model calls fastest is as fast as that, but \
         for what is flat",
        rates::best,
    ),
];

pub(super) fn signed(share: f64) -> String {
    format!("{:+.0}%", 100.0 * share)
}

fn from_to(values: impl IntoIterator<Item = f64>, shown: fn(f64) -> String) -> String {
    let [least, most] = extent(values).map(shown);
    format!("{least} to {most}")
}

/// What was judged, unless one of our estimates turns the check of a value: then nothing. `of` says what the value is of.
fn unless_turned(
    mut judged: Judged,
    of: &str,
    value: impl Fn(Change) -> f64,
    met: impl Fn(f64) -> bool,
    shown: fn(f64) -> String,
) -> Judged {
    let as_it_is = met(value(|_| {}));
    let others = ESTIMATES.map(|(name, change)| (name, value(change)));
    let turning = others.iter().filter(|(_, value)| met(*value) != as_it_is);
    let turning: Vec<_> = turning.map(|(name, value)| format!("{name} gives {}", shown(*value))).collect();
    if !turning.is_empty() {
        return Judged::untold(format!(
            "it depends on what is not published: {of} it is {}, but {}",
            shown(value(|_| {})),
            turning.join(", ")
        ));
    }
    let range = from_to(others.map(|(_, value)| value), shown);
    judged.because(format!("our estimates, halved and doubled, give {range} {of}"));
    judged
}
