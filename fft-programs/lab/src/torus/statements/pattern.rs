//! Statements on the partners of phases: counted over all phases, without a run. The loads of links are those
//! of one simulated phase.

use earth::simulated::Torus;
use earth_report::statements::Judged;

use crate::torus::cases::LARGEST;
use crate::torus::phases::{hops, phases};
use crate::torus::results::Results;

/// Counts the phases with four partners that satisfy `holds`, and all phases with four partners.
fn of_full_phases(sides: &[usize], holds: impl Fn(&[usize]) -> bool) -> [usize; 2] {
    let full: Vec<_> = phases(sides).into_iter().filter(|phase| phase.len() == 4).collect();
    [full.iter().filter(|phase| holds(phase)).count(), full.len()]
}

/// Returns the cycles that each link of a node carries in a phase, up and down along each dimension.
fn carried(phase: &[usize], sides: &[usize], results: &Results) -> Vec<u64> {
    let mut network = results.profile.network.clone();
    network.torus.sides = sides.to_vec();
    let torus = Torus::symmetric(&network, results.profile.clock_mhz, sides.iter().product());
    let mut torus = torus.unwrap_or_else(|why| unreachable!("the laboratory's own torus: {why}"));
    // Two packets: packets alternate between both ways round if they are equally long.
    let bytes = 2 * network.torus.payload();
    for &partner in phase {
        torus.send(0, 0, partner, bytes, 0);
    }
    while torus.step(&mut Vec::new()) {}
    torus.carried(0).to_vec()
}

pub(super) fn links(results: &Results, judged: &mut Judged) {
    for (name, sides) in [("8 x 8", &[8, 8][..]), ("64 x 32 x 32", &LARGEST)] {
        // Up and down are equal because each partner occurs with its opposite; all nodes are equal as well.
        let [good, all] = of_full_phases(sides, |phase| {
            let hops = hops(phase, sides);
            hops.iter().zip(sides).all(|(hops, side)| hops == side)
        });
        judged
            .clause("links of one dimension")
            .check(good == all, format!("{name}: {good} of {all} phases load each dimension by its side"));
        let phase = phases(sides).into_iter().find(|phase| phase.len() == 4).unwrap_or_default();
        let carried = carried(&phase, sides, results);
        let [least, most] =
            [carried.iter().min(), carried.iter().max()].map(|load| load.copied().unwrap_or(0));
        let ratio = most as f64 / least as f64;
        judged.clause(format!("all links on {name}")).check(
            least == most,
            format!("as simulated, a link carries up to {ratio:.2} times the load of another"),
        );
    }
}

pub(super) fn byte_hops(_: &Results, judged: &mut Judged) {
    for (name, sides) in [("8 x 8", &[8, 8][..]), ("64 x 32 x 32", &LARGEST)] {
        let sum: usize = sides.iter().sum();
        let [good, all] = of_full_phases(sides, |phase| hops(phase, sides).iter().sum::<usize>() == sum);
        judged.check(good == all, format!("{name}: {good} of {all} phases go {sum} hops"));
    }
}

pub(super) fn partners(_: &Results, judged: &mut Judged) {
    for (name, sides) in [("8 x 8", &[8, 8][..]), ("64 x 32 x 32", &LARGEST)] {
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
                "{name}: {} of {} phases have fewer, {halves} of them of zeros and halves, {quarters} of quarters",
                fewer.len(),
                all.len()
            ),
        );
    }
}
