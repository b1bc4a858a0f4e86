//! Second processor of DUAL: its speed, the cost of handing over to it, and the least cost of work at which
//! it pays off.

use earth::Config;
use earth::simulated::Profile;

use super::experiments::{N, P, PROGRAMS, TUNED_FLOP, both_works, factors, named, times, with_flop};
use super::figures::NODES;
use crate::simulate::chart::{Dot, Panel};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;
use crate::simulate::setups::Setups;

/// Makes a dot of a DUAL run over the same run of SPN on `spn_nodes` nodes.
fn over_spn(x: f64, point: Point, spn_nodes: usize) -> Dot {
    Dot::over(x, point, Point { config: Config::Spn, p: spn_nodes, ..point })
}

/// Returns the profile with synchronization units `speed` times as fast.
pub(in crate::simulate) fn with_su_speed(profile: &Profile, speed: f64) -> Profile {
    let mut profile = profile.clone();
    let su = &mut profile.dual;
    let all = [
        &mut su.sync,
        &mut su.word,
        &mut su.block,
        &mut su.spawn,
        &mut su.frame,
        &mut su.token,
        &mut su.token_take,
        &mut su.send_word,
        &mut su.send_block,
        &mut su.receive_word,
        &mut su.receive_block,
    ];
    for cost in all {
        times(cost, 1.0 / speed);
    }
    profile
}

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

/// Compares DUAL to SPN at equal nodes, at both costs of work.
pub(super) fn su_speed(setups: &mut Setups) -> Vec<Panel> {
    let variants = su_speeds(setups);
    let panel = |((title, _), work): ((String, Profile), usize)| {
        Panel::new(title, &[Config::Dual], &PROGRAMS, |&program, config| {
            let dot = |&(speed, places): &(f64, [usize; 2])| {
                over_spn(speed, Point { setup: places[work], ..Point::at(program, config, N, P) }, P)
            };
            variants.iter().map(dot).collect::<Vec<_>>()
        })
    };
    both_works(setups.given()).into_iter().zip(0..).map(panel).collect()
}

/// Programs whose hand-over is made free.
pub(in crate::simulate) const HANDED_OVER: [Program; 3] =
    [Program::Sender(16), Program::Tree, Program::Shared];

/// Returns the profile with a free hand-over from execution to synchronization units.
pub(super) fn without_hand_over(profile: &Profile) -> Profile {
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

/// Compares DUAL to SPN at equal nodes, with its hand-over and without.
pub(super) fn hand_over(setups: &mut Setups) -> Vec<Panel> {
    let panel = |(title, setup): (String, usize)| {
        Panel::new(title, &[Config::Dual], &named(&HANDED_OVER), |&program, config| {
            NODES.map(|p| over_spn(p as f64, Point { setup, ..Point::at(program, config, N, p) }, p))
        })
    };
    let all = hand_overs(setups).into_iter().flat_map(|(title, [usual, free])| {
        let costs = [("hand-over as the profile has it", usual), ("hand-over free", free)];
        costs.map(|(cost, setup)| (format!("{title}, {cost}"), setup))
    });
    all.map(panel).collect()
}

/// Costs of a floating-point operation at which the crossover is searched, in cycles.
const FLOPS: [f64; 8] = [0.5, 1.0, 2.0, 5.5, 13.7, 27.4, 54.7, 109.4];

/// Compares DUAL to SPN by the cost of work, at equal nodes and at equal processors.
pub(super) fn crossover(setups: &mut Setups) -> Vec<Panel> {
    let variants = FLOPS.map(|flop| {
        let profile = with_flop(setups.given(), flop);
        (flop, setups.with(format!("{flop} cycles a flop"), profile))
    });
    let panel = |(title, spn_nodes): (&str, usize)| {
        Panel::new(title, &[Config::Dual], &PROGRAMS, |&program, config| {
            let point = |setup| Point { setup, ..Point::at(program, config, N, P) };
            variants.map(|(flop, setup)| over_spn(flop, point(setup), spn_nodes))
        })
    };
    [("At equal nodes, 16:16", P), ("At equal processors, 16:32", 2 * P)].map(panel).into()
}
