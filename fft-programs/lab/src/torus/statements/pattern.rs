//! Statements on the partners of phases: counted over all phases, without a run. One simulated phase
//! gives the loads of links.

use std::sync::LazyLock;

use earth::simulated::Torus;
use earth_report::statements::Judged;

use crate::torus::cases::LARGEST;
use crate::torus::phases::{Phase, hops, phases};
use crate::torus::results::Results;

/// Counts over all phases of a torus.
struct Counts {
    name: &'static str,
    sides: &'static [usize],
    all: usize,
    /// Number of phases with four partners.
    full: usize,
    /// Number of such phases whose hops in each dimension equal its side.
    by_dimension: usize,
    /// Number of such phases whose hops equal the sum of the sides.
    by_sum: usize,
    /// Number of phases with fewer partners, and how many of them have only zeros and halves, or quarters.
    fewer: usize,
    halves: usize,
    quarters: usize,
    /// A phase with four partners.
    example: Phase,
}

/// Counts on the paper's example and on the largest machine. No cost of the machine changes them.
static COUNTS: LazyLock<[Counts; 2]> =
    LazyLock::new(|| [Counts::of("8 x 8", &[8, 8]), Counts::of("64 x 32 x 32", &LARGEST)]);

impl Counts {
    fn of(name: &'static str, sides: &'static [usize]) -> Self {
        let (full, fewer): (Vec<_>, Vec<_>) = phases(sides).into_iter().partition(|phase| phase.len() == 4);
        let all_hops: Vec<_> = full.iter().map(|phase| hops(phase, sides)).collect();
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
        Self {
            name,
            sides,
            all: full.len() + fewer.len(),
            full: full.len(),
            by_dimension: all_hops.iter().filter(|hops| *hops == sides).count(),
            by_sum: all_hops
                .iter()
                .filter(|hops| hops.iter().sum::<usize>() == sides.iter().sum::<usize>())
                .count(),
            fewer: fewer.len(),
            halves: of(|at, side| at.is_multiple_of(side / 2)),
            quarters: of(|at, side| at.abs_diff(side / 2) == side / 4),
            example: full.into_iter().next().unwrap_or_default(),
        }
    }
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
    for Counts { name, sides, full, by_dimension, example, .. } in &*COUNTS {
        // Up and down are equal because each partner occurs with its opposite; all nodes are equal as well.
        judged.clause("links of one dimension").check(
            by_dimension == full,
            format!("{name}: {by_dimension} of {full} phases load each dimension by its side"),
        );
        let carried = carried(example, sides, results);
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
    for Counts { name, sides, full, by_sum, .. } in &*COUNTS {
        let sum: usize = sides.iter().sum();
        judged.check(by_sum == full, format!("{name}: {by_sum} of {full} phases go {sum} hops"));
    }
}

pub(super) fn partners(_: &Results, judged: &mut Judged) {
    for Counts { name, all, fewer, halves, quarters, .. } in &*COUNTS {
        judged.check(
            halves == fewer,
            format!(
                "{name}: {fewer} of {all} phases have fewer, {halves} of them of zeros and halves, {quarters} of \
                 quarters"
            ),
        );
    }
}
