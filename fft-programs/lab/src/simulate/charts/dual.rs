//! Second processor of DUAL: its speed, and the cost of handing over to it. Statements of the paper are
//! judged by these costs. The [map](crate::map) has figures of them.

use earth::simulated::Profile;

use super::experiments::{N, P, TUNED_FLOP, both_works, factors, with_flop};
use crate::parameters::with_su_speed;
use crate::simulate::chart::CONFIGS;
use crate::simulate::measured::Point;
use crate::simulate::program::Program;
use crate::simulate::setups::Setups;

/// Adds the profiles with each tried speed of synchronization units. Returns each speed with its setups at
/// both costs of work.
pub(in crate::simulate) fn su_speeds(setups: &mut Setups) -> Vec<(f64, [usize; 2])> {
    let given = setups.given().clone();
    let at = |speed: f64| {
        let usual = with_su_speed(&given, speed);
        let tuned = with_flop(&usual, TUNED_FLOP);
        let name = format!("SU speed x {speed}");
        let tuned_name = format!("{name}, {TUNED_FLOP} cycles a flop");
        (speed, [setups.with(name, usual), setups.with(tuned_name, tuned)])
    };
    factors(-1, 2).into_iter().map(at).collect()
}

/// Yields the runs of the receiver's variants at each tried speed.
pub(in crate::simulate) fn su_speed_points(
    su_speeds: &[(f64, [usize; 2])],
) -> impl Iterator<Item = Point> + '_ {
    let setups = su_speeds.iter().flat_map(|&(_, setups)| setups);
    setups.flat_map(|setup| {
        [Program::Tree, Program::Shared].into_iter().flat_map(move |program| {
            CONFIGS.map(|config| Point { setup, ..Point::at(program, config, N, P) })
        })
    })
}

/// Programs whose hand-over is made free.
pub(in crate::simulate) const HANDED_OVER: [Program; 3] =
    [Program::Sender(16), Program::Tree, Program::Shared];

/// Returns the profile with a free hand-over from execution to synchronization units.
fn without_hand_over(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.dual.issue = 0;
    profile.dual.issue_frame = 0;
    profile
}

/// Adds the profile at both costs of work, each unchanged and with a free hand-over. Returns the setups.
pub(in crate::simulate) fn hand_overs(setups: &mut Setups) -> [(String, [usize; 2]); 2] {
    let given = setups.given().clone();
    both_works(&given).map(|(title, profile)| {
        let flop = profile.work.flop;
        let free = without_hand_over(&profile);
        let usual = setups.with(format!("{flop} cycles a flop"), profile);
        (title, [usual, setups.with(format!("hand-over free, {flop} cycles a flop"), free)])
    })
}
