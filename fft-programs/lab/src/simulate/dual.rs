//! DUAL's second processor: how fast it is, what handing over to it costs, and at which cost of work it pays.

use earth::Config;
use earth::simulated::Profile;

use super::chart::{Chart, Lines, Measure};
use super::experiments::{N, P, PROGRAMS, TUNED_FLOP, both_works, factors, times, with_flop};
use super::figures::NODES;
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use super::subject::Subject;

/// The chart of an experiment; nothing for what is none of these.
pub(super) fn chart(subject: Subject, setups: &mut Setups) -> Option<Chart> {
    Some(match subject {
        Subject::SuSpeed => su_speed(setups),
        Subject::HandOver => hand_over(setups),
        Subject::Crossover => crossover(setups),
        _ => return None,
    })
}

/// The profile with synchronization units of so many times the speed.
fn with_su_speed(profile: &Profile, speed: f64) -> Profile {
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

/// The speeds of synchronization units that are tried, each with its places at both costs of work.
pub(super) fn su_speeds(setups: &mut Setups) -> Vec<(f64, [usize; 2])> {
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

fn su_speed(setups: &mut Setups) -> Chart {
    let variants = su_speeds(setups);
    let panel = |(title, work): (String, usize)| {
        let mut lines = Lines::default();
        for (colour, (name, program)) in PROGRAMS.into_iter().enumerate() {
            let points = variants.iter().map(|&(speed, places)| {
                let point = Point { setup: places[work], ..Point::at(program, Config::Dual, N, P) };
                (speed, point, Some(Point { config: Config::Spn, ..point }))
            });
            lines.add(name, colour, points);
        }
        lines.into_panel(title)
    };
    let panels = [
        ("Work as the profile has it".to_owned(), 0),
        (format!("Tuned work, {TUNED_FLOP} cycles a flop"), 1),
    ];
    Chart {
        name: "su-speed",
        title: "The speed of DUAL's synchronization units".to_owned(),
        caption: "All costs of the synchronization units of DUAL divided by 1/2 to 4. The total time of DUAL over that of SPN at equal \
                  nodes, N = 2^12 on 16 nodes: below 1 DUAL is faster, with twice the processors."
            .to_owned(),
        x: "speed of the SU, times",
        measure: Measure::Ratio,
        panels: panels.map(panel).into(),
    }
}

/// The programs whose hand-over is made free.
pub(super) const HANDED_OVER: [Program; 3] = [Program::Sender(16), Program::Tree, Program::Shared];

/// The profile with a hand-over from execution to synchronization units that costs nothing.
pub(super) fn without_hand_over(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.dual.issue = 0;
    profile.dual.issue_frame = 0;
    profile
}

/// The places of a profile at both costs of work, each as it is and with a free hand-over.
pub(super) fn hand_overs(setups: &mut Setups) -> [(String, [usize; 2]); 2] {
    let given = setups.given().clone();
    both_works(&given).map(|(title, profile)| {
        let flop = profile.work.flop;
        let free = without_hand_over(&profile);
        let usual = setups.with(format!("{flop} cycles a flop"), profile);
        (title, [usual, setups.with(format!("hand-over free, {flop} cycles a flop"), free)])
    })
}

fn hand_over(setups: &mut Setups) -> Chart {
    let panels = hand_overs(setups).into_iter().flat_map(|(title, setups)| {
        let costs = ["hand-over as the profile has it", "hand-over free"];
        costs.into_iter().zip(setups).map(move |(cost, setup)| {
            let mut lines = Lines::default();
            for (colour, program) in HANDED_OVER.into_iter().enumerate() {
                let points = NODES.into_iter().map(|p| {
                    let point = Point { setup, ..Point::at(program, Config::Dual, N, p) };
                    (p as f64, point, Some(Point { config: Config::Spn, ..point }))
                });
                lines.add(program.to_string(), colour, points);
            }
            lines.into_panel(format!("{title}, {cost}"))
        })
    });
    let panels = panels.collect();
    Chart {
        name: "hand-over",
        title: "What DUAL's hand-over costs: DUAL over SPN, N = 2^12, over P".to_owned(),
        caption: "The total time of DUAL over that of SPN at equal nodes: below 1 DUAL is faster, with twice the processors. What \
                  an execution unit pays to hand an operation over to its synchronization unit is as in the profile, or nothing; \
                  what that unit then needs is the same."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Ratio,
        panels,
    }
}

/// Cycles of a floating-point operation that the crossover is looked for at.
const FLOPS: [f64; 8] = [0.5, 1.0, 2.0, 5.5, 13.7, 27.4, 54.7, 109.4];

fn crossover(setups: &mut Setups) -> Chart {
    let variants: Vec<_> = FLOPS
        .map(|flop| {
            let profile = with_flop(setups.given(), flop);
            (flop, setups.with(format!("{flop} cycles a flop"), profile))
        })
        .into();
    let panel = |(title, spn_nodes): (&str, usize)| {
        let mut lines = Lines::default();
        for (colour, (name, program)) in PROGRAMS.into_iter().enumerate() {
            let points = variants.iter().map(|&(flop, setup)| {
                let point = Point { setup, ..Point::at(program, Config::Dual, N, P) };
                (flop, point, Some(Point { config: Config::Spn, p: spn_nodes, ..point }))
            });
            lines.add(name, colour, points);
        }
        lines.into_panel(title)
    };
    Chart {
        name: "crossover",
        title: "Where SPN and DUAL cross".to_owned(),
        caption: "The total time of DUAL over that of SPN, over the cost of work: below 1 DUAL is faster. At equal nodes DUAL has \
                  twice the processors; at equal processors SPN has twice the nodes. N = 2^12, DUAL on 16 nodes."
            .to_owned(),
        x: "cycles a flop",
        measure: Measure::Ratio,
        panels: [("At equal nodes, 16:16", P), ("At equal processors, 16:32", 2 * P)].map(panel).into(),
    }
}
