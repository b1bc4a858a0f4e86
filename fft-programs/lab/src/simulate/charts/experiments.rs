//! Experiments that the paper does not have: its programs at other costs.
//!
//! Each experiment changes one thing of the profile that was asked for and leaves the rest. All experiments but `free-asks` have
//! N = 2^12. They are on 16 nodes, unless they are over nodes: 256 points a node. [`dual`](super::dual) has the experiments on the
//! second processor of DUAL, [`choices`](super::choices) the experiments on our own choices.

use earth::Config;
use earth::simulated::{NetworkKind, Operations, Profile};

use super::figures::{COMPARED_N, NODES};
use crate::simulate::chart::{CONFIGS, Dot, Panel};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;
use crate::simulate::setups::Setups;

/// The paper's cost of a floating-point operation, in cycles: 547 for the ten of a butterfly.
pub const PAPER_FLOP: f64 = 54.7;

/// The cost of a floating-point operation of tuned code: 55 cycles a butterfly.
pub const TUNED_FLOP: f64 = 5.5;

pub(in crate::simulate) const N: usize = 1 << 12;
pub(in crate::simulate) const P: usize = 16;

/// The programs of most experiments: a sender with one thread a node, which has nothing to do while it waits, one with 16,
/// and both receivers.
pub(super) const PROGRAMS: [(&str, Program); 4] = [
    ("sender, 1 thread a node", Program::Sender(N / P)),
    ("sender, 16 threads a node", Program::Sender(16)),
    ("receiver, tree", Program::Tree),
    ("receiver, shared", Program::Shared),
];

/// The programs that speed-ups are compared on.
const COMPARED: [Program; 3] = [Program::Sender(16), Program::Tree, Program::Shared];

/// Programs with their names, as choices of a panel.
pub(super) fn named(programs: &[Program]) -> Vec<(Program, Program)> {
    programs.iter().map(|&program| (program, program)).collect()
}

/// The profile at other costs of work, whatever it says of kernels.
pub fn with_flop(profile: &Profile, cycles: f64) -> Profile {
    let mut profile = profile.clone();
    profile.work.flop = cycles;
    profile.work.kernels.clear();
    profile
}

/// A cost times `factor`, to the next whole cycle.
pub(super) fn times(cost: &mut u64, factor: f64) {
    *cost = (*cost as f64 * factor).round() as u64;
}

/// The profile with both sets of costs changed.
fn changed(profile: &Profile, change: impl Fn(&mut Operations)) -> Profile {
    let mut profile = profile.clone();
    change(&mut profile.spn);
    change(&mut profile.dual);
    profile
}

/// The profile as it is, and with the work of tuned code, each with a title.
pub(super) fn both_works(profile: &Profile) -> [(String, Profile); 2] {
    [
        ("Work as the profile has it".to_owned(), profile.clone()),
        (format!("Tuned work, {TUNED_FLOP} cycles a flop"), with_flop(profile, TUNED_FLOP)),
    ]
}

/// Times of all programs by a change of the profile, each over that without it, at two costs of work.
pub(super) fn changes(
    setups: &mut Setups,
    configs: &[Config],
    what: &str,
    values: &[f64],
    change: impl Fn(&Profile, f64) -> Profile,
) -> Vec<Panel> {
    let works = both_works(setups.given());
    let panel = |(title, profile): (String, Profile)| {
        let flop = profile.work.flop;
        let same = setups.with(format!("{flop} cycles a flop"), profile.clone());
        let of = |&value: &f64| {
            let name = format!("{what} {value}, {flop} cycles a flop");
            (value, setups.with(name, change(&profile, value)))
        };
        let variants: Vec<_> = values.iter().map(of).collect();
        Panel::new(title, configs, &PROGRAMS, |&program, config| {
            let base = Point { setup: same, ..Point::at(program, config, N, P) };
            let dot = move |&(value, setup)| Dot::over(value, Point { setup, ..base }, base);
            variants.iter().map(dot).collect::<Vec<_>>()
        })
    };
    works.map(panel).into()
}

pub(super) fn factors(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|log| f64::from(log).exp2()).collect()
}

/// The factors on the latency.
pub(in crate::simulate) fn latencies() -> Vec<f64> {
    factors(-2, 4)
}

/// The profile at so many times the latency.
pub(in crate::simulate) fn with_latency(profile: &Profile, factor: f64) -> Profile {
    let mut profile = profile.clone();
    profile.network.interface *= factor;
    profile.network.hop *= factor;
    profile
}

/// The profile with all that an ask costs times `factor`.
fn with_asks(profile: &Profile, factor: f64) -> Profile {
    changed(profile, |operations| {
        let Operations { spawn, frame, token, token_take, word, send_word, receive_word, .. } = operations;
        for cost in [spawn, frame, token, token_take, word, send_word, receive_word] {
            times(cost, factor);
        }
    })
}

/// The latency of the network.
pub(super) fn latency(setups: &mut Setups) -> Vec<Panel> {
    changes(setups, &CONFIGS, "latency x", &latencies(), with_latency)
}

/// The cost of an ask.
pub(super) fn tokens(setups: &mut Setups) -> Vec<Panel> {
    changes(setups, &CONFIGS, "ask x", &factors(-2, 2), with_asks)
}

/// Speed-ups with asks as the profile has them, and with free asks.
pub(super) fn free_asks(setups: &mut Setups) -> Vec<Panel> {
    let kinds = [("Asks as the profile has them", 0), ("Asks that cost nothing", asks_free(setups))];
    kinds.map(|(title, setup)| speedups(COMPARED_N, title, setup)).into()
}

/// The place of the profile with asks that cost nothing.
pub(in crate::simulate) fn asks_free(setups: &mut Setups) -> usize {
    let profile = with_asks(setups.given(), 0.0);
    setups.with("asks free", profile)
}

/// Speed-ups of the compared programs for `n` points over nodes.
fn speedups(n: usize, title: impl Into<String>, setup: usize) -> Panel {
    Panel::new(title, &CONFIGS, &named(&COMPARED), |&program, config| {
        NODES.map(|p| {
            let point = Point { setup, ..Point::at(program, config, n, p) };
            Dot::over(p as f64, point, point.base())
        })
    })
}

/// The paper's cost of work, and that of tuned code.
pub(super) fn work(setups: &mut Setups) -> Vec<Panel> {
    let panel = |(whose, flop): (&str, f64)| {
        let profile = with_flop(setups.given(), flop);
        let setup = setups.with(format!("{flop} cycles a flop"), profile);
        speedups(N, format!("{whose} work: {flop} cycles a flop"), setup)
    };
    [("The paper's", PAPER_FLOP), ("Tuned code's", TUNED_FLOP)].map(panel).into()
}

/// The machines of the MANNA; the other built-in one is of another paper.
pub(super) fn profiles(setups: &mut Setups) -> Vec<Panel> {
    let Profile { work, policy, .. } = setups.given().clone();
    let panel = |name: &'static str| {
        let profile = Profile { work: work.clone(), policy, ..Profile::named(name)? };
        if profile.network.kind == NetworkKind::Torus {
            return None;
        }
        let setup = setups.with(name, profile);
        Some(Panel::new(name, &CONFIGS, &named(&COMPARED), |&program, config| {
            NODES.map(|p| Dot::at(p as f64, Point { setup, ..Point::at(program, config, N, p) }))
        }))
    };
    Profile::names().filter_map(panel).collect()
}
