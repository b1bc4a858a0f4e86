//! Statements on the phases of an all-to-all: counted over all phases, without a run.

use earth_report::statements::Judged;

use crate::torus::cases::LARGEST;
use crate::torus::phases::{hops, phases};
use crate::torus::results::Results;

/// Counts the phases with four partners that satisfy `holds`, and all phases with four partners.
fn of_full_phases(sides: &[usize], holds: impl Fn(&[usize]) -> bool) -> [usize; 2] {
    let full: Vec<_> = phases(sides).into_iter().filter(|phase| phase.len() == 4).collect();
    [full.iter().filter(|phase| holds(phase)).count(), full.len()]
}

pub(super) fn links(_: &Results, judged: &mut Judged) {
    for sides in [&[8, 8][..], &LARGEST] {
        // Up and down are equal because each partner occurs with its opposite; all nodes are equal as well.
        let [good, all] = of_full_phases(sides, |phase| {
            let hops = hops(phase, sides);
            hops.iter().zip(sides).all(|(hops, side)| hops == side)
        });
        judged.check(good == all, format!("{sides:?}: {good} of {all} phases, each dimension by its side"));
    }
}

pub(super) fn byte_hops(_: &Results, judged: &mut Judged) {
    for sides in [&[8, 8][..], &LARGEST] {
        let sum: usize = sides.iter().sum();
        let [good, all] = of_full_phases(sides, |phase| hops(phase, sides).iter().sum::<usize>() == sum);
        judged.check(good == all, format!("{sides:?}: {good} of {all} phases go {sum} hops"));
    }
}

pub(super) fn partners(_: &Results, judged: &mut Judged) {
    for sides in [&[8, 8][..], &LARGEST] {
        let all = phases(sides);
        let fewer: Vec<_> = all.iter().filter(|phase| phase.len() < 4).collect();
        let are = |partner: usize, shares: fn(usize, usize) -> bool| {
            let mut left = partner;
            sides.iter().all(|side| {
                let at = left % side;
                left /= side;
                shares(at, *side)
            })
        };
        let of = |shares: fn(usize, usize) -> bool| {
            fewer.iter().filter(|phase| phase.iter().all(|partner| are(*partner, shares))).count()
        };
        let halves = of(|at, side| at.is_multiple_of(side / 2));
        let quarters = of(|at, side| at.abs_diff(side / 2) == side / 4);
        judged.check(
            halves == fewer.len(),
            format!(
                "{sides:?}: {} of {} phases have fewer, {halves} of them of zeros and halves, {quarters} of quarters",
                fewer.len(),
                all.len()
            ),
        );
    }
}
