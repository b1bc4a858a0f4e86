//! The simulated machine compared with a second simulation. The second one simulates the phases of the
//! receiver- and the sender-initiated FFT in SPN, and shares no code with the machine. It has an event list,
//! costs, links and counts of waiting items, but no values, slots, frames or protocol. Both use the same
//! figures of a profile, and their times must agree within 5%. A second torus is compared with the machine's
//! torus.

mod nodes;
mod receiver;
mod sender;
mod torus;

use std::num::NonZeroUsize;

use earth::Machine;
use earth::simulated::Profile;
use earth_fft::{Plan, Planner, Problem};
use earth_papers::Sender;
use earth_tests::noise;

use nodes::Costs;

/// Largest relative difference of both times.
const MARGIN: f64 = 0.05;

/// Returns the profile of the EARTH paper's figures, with floating-point operations of `flop` cycles.
fn profile(flop: f64) -> Profile {
    let mut profile = Profile::named("seed140-scaled-net").expect("a built-in profile");
    profile.work.flop = flop;
    profile
}

/// Returns the cycles of the simulated machine from the distribution of all points to the computation of the
/// last one.
fn cycles(profile: &Profile, planner: &Planner, points: usize, nodes: usize) -> f64 {
    let plan: Plan<f64> =
        planner.clone().nodes(NonZeroUsize::new(nodes)).plan(&Problem::complex(&[points])).unwrap();
    let mut machine = Machine::simulated(profile).nodes(nodes).policy(profile.policy);
    let phases = plan.run_on(&mut machine, noise(points, 1)).unwrap().phases;
    (phases.local() + phases.multithreaded()).as_secs_f64() * 1e6 * profile.clock_mhz
}

/// Numbers of points and nodes: few points per node and many.
const SIZES: [(usize, usize); 6] =
    [(1 << 10, 1), (1 << 12, 2), (1 << 11, 8), (1 << 12, 16), (1 << 10, 64), (1 << 12, 64)];

#[track_caller]
fn agree(what: &str, machine: f64, second: f64) {
    let ratio = second / machine;
    println!("{what}: {machine:.0} and {second:.0} cycles, {ratio:.4}");
    assert!((ratio - 1.0).abs() <= MARGIN, "{what}: {machine:.0} and {second:.0} cycles, {ratio:.4}");
}

#[test]
fn the_receiver_takes_as_long() {
    for (flop, sizes) in [(54.7, &SIZES[..]), (5.5, &SIZES[..3])] {
        let profile = profile(flop);
        let costs = Costs::of(&profile);
        for &(points, nodes) in sizes {
            for (algorithm, shared) in [("receiver", false), ("receiver-shared", true)] {
                let machine = cycles(&profile, &earth_papers::planner().algorithm(algorithm), points, nodes);
                let second = receiver::cycles(&costs, points, nodes, shared);
                agree(
                    &format!("{algorithm:?}, {points} on {nodes}, {flop} cycles a flop"),
                    machine,
                    second as f64,
                );
            }
        }
    }
}

#[test]
fn the_sender_takes_as_long() {
    for flop in [54.7, 5.5] {
        let profile = profile(flop);
        let costs = Costs::of(&profile);
        for (points, nodes) in SIZES {
            for block in [4, 16, 64].map(|block: usize| block.min(points / nodes)) {
                let planner = earth_papers::planner().with(Sender::new().block(NonZeroUsize::new(block)));
                let machine = cycles(&profile, &planner, points, nodes);
                let second = sender::cycles(&costs, points, block, nodes);
                agree(
                    &format!("sender, {points} by {block} on {nodes}, {flop} cycles a flop"),
                    machine,
                    second as f64,
                );
            }
        }
    }
}
