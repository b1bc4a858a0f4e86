//! Experiments beyond the paper: its programs at other costs.
//!
//! Each experiment changes one cost of the given profile. All experiments except `free-requests` have N =
//! 2^12. They are on 16 nodes, 256 points per node, unless they vary the nodes. [`dual`](super::dual) has the
//! experiments on the second processor of DUAL, [`choices`](super::choices) the experiments on our own
//! choices.

use earth::Config;
use earth::simulated::{NetworkKind, Operations, Profile};

use super::figures::{COMPARED_N, NODES};
use crate::simulate::chart::{CONFIGS, Dot, Panel};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;
use crate::simulate::setups::Setups;

/// Cost of a floating-point operation in the paper, in cycles: 547 for the ten of a butterfly.
pub const PAPER_FLOP: f64 = 54.7;

/// Cost of a floating-point operation of tuned code, in cycles: 55 per butterfly.
pub const TUNED_FLOP: f64 = 5.5;

pub(in crate::simulate) const N: usize = 1 << 12;
pub(in crate::simulate) const P: usize = 16;

/// Programs of most experiments: a sender with one thread per node, which is idle while it waits; a sender
/// with 16 threads per node; and both receivers.
pub(super) const PROGRAMS: [(&str, Program); 4] = [
    ("sender, 1 thread a node", Program::Sender(N / P)),
    ("sender, 16 threads a node", Program::Sender(16)),
    ("receiver, tree", Program::Tree),
    ("receiver, shared", Program::Shared),
];

/// Programs whose speed-ups are compared.
const COMPARED: [Program; 3] = [Program::Sender(16), Program::Tree, Program::Shared];

/// Pairs programs with their names, as choices of a panel.
pub(super) fn named(programs: &[Program]) -> Vec<(Program, Program)> {
    programs.iter().map(|&program| (program, program)).collect()
}

/// Returns the profile with another cost of work, without its costs of kernels.
pub fn with_flop(profile: &Profile, cycles: f64) -> Profile {
    let mut profile = profile.clone();
    profile.work.flop = cycles;
    profile.work.kernels.clear();
    profile
}

/// Multiplies a cost by `factor`, rounded to a whole cycle.
fn times(cost: &mut u64, factor: f64) {
    *cost = (*cost as f64 * factor).round() as u64;
}

/// Returns the profile with both sets of costs changed.
fn changed(profile: &Profile, change: impl Fn(&mut Operations)) -> Profile {
    let mut profile = profile.clone();
    change(&mut profile.spn);
    change(&mut profile.dual);
    profile
}

/// Returns the profile unchanged, and with the work of tuned code, each with a title.
pub(super) fn both_works(profile: &Profile) -> [(String, Profile); 2] {
    [
        ("Work as the profile has it".to_owned(), profile.clone()),
        (format!("Tuned work, {TUNED_FLOP} cycles a flop"), with_flop(profile, TUNED_FLOP)),
    ]
}

/// Compares all programs with a changed profile to the same programs with the unchanged one, at two costs of
/// work.
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

/// Returns the factors on the latency.
pub(in crate::simulate) fn latencies() -> Vec<f64> {
    factors(-2, 4)
}

/// Returns the profile with `factor` times the latency.
pub(in crate::simulate) fn with_latency(profile: &Profile, factor: f64) -> Profile {
    let mut profile = profile.clone();
    profile.network.interface *= factor;
    profile.network.hop *= factor;
    profile
}

/// Returns the profile with all costs of SPN's operations times `factor`.
pub(in crate::simulate) fn with_spn_costs(profile: &Profile, factor: f64) -> Profile {
    let mut profile = profile.clone();
    let Operations {
        dispatch,
        poll,
        issue,
        issue_frame,
        init,
        sync,
        word,
        block,
        spawn,
        frame,
        token,
        token_take,
        send_word,
        send_block,
        receive_word,
        receive_block,
        ..
    } = &mut profile.spn;
    for cost in [dispatch, poll, issue, issue_frame, init, sync, word, block, spawn, frame, token, token_take]
    {
        times(cost, factor);
    }
    for cost in [send_word, send_block, receive_word, receive_block] {
        times(cost, factor);
    }
    profile
}

/// Returns the profile in which processors switch to a fiber in no time.
pub(in crate::simulate) fn with_free_switches(profile: &Profile) -> Profile {
    changed(profile, |operations| (operations.dispatch, operations.poll) = (0, 0))
}

/// Returns the profile in which messages to other nodes are free, on nodes and in the network.
pub(in crate::simulate) fn with_free_messages(profile: &Profile) -> Profile {
    let mut free = changed(profile, |operations| {
        let Operations { send_word, send_block, receive_word, receive_block, .. } = operations;
        for cost in [send_word, send_block, receive_word, receive_block] {
            *cost = 0;
        }
    });
    let network = &mut free.network;
    (network.interface, network.hop, network.byte) = (0.0, 0.0, 0.0);
    free
}

/// Returns the profile with all costs of an ask times `factor`.
fn with_asks(profile: &Profile, factor: f64) -> Profile {
    changed(profile, |operations| {
        let Operations { spawn, frame, token, token_take, word, send_word, receive_word, .. } = operations;
        for cost in [spawn, frame, token, token_take, word, send_word, receive_word] {
            times(cost, factor);
        }
    })
}

/// Varies the latency of the network.
pub(super) fn latency(setups: &mut Setups) -> Vec<Panel> {
    changes(setups, &CONFIGS, "latency x", &latencies(), with_latency)
}

/// Varies the cost of an ask.
pub(super) fn tokens(setups: &mut Setups) -> Vec<Panel> {
    changes(setups, &CONFIGS, "ask x", &factors(-2, 2), with_asks)
}

/// Plots speed-ups with asks at the profile's cost, and with free asks.
pub(super) fn free_asks(setups: &mut Setups) -> Vec<Panel> {
    let kinds = [("Asks as the profile has them", 0), ("Asks that cost nothing", asks_free(setups))];
    kinds.map(|(title, setup)| speedups(COMPARED_N, title, setup)).into()
}

/// Adds the profile with free asks, and returns its setup.
pub(in crate::simulate) fn asks_free(setups: &mut Setups) -> usize {
    let profile = with_asks(setups.given(), 0.0);
    setups.with("asks free", profile)
}

/// Plots speed-ups of the compared programs for `n` points over nodes.
fn speedups(n: usize, title: impl Into<String>, setup: usize) -> Panel {
    Panel::new(title, &CONFIGS, &named(&COMPARED), |&program, config| {
        NODES.map(|p| {
            let point = Point { setup, ..Point::at(program, config, n, p) };
            Dot::over(p as f64, point, point.base())
        })
    })
}

/// Plots speed-ups at the paper's cost of work, and at the cost of tuned code.
pub(super) fn work(setups: &mut Setups) -> Vec<Panel> {
    let panel = |(whose, flop): (&str, f64)| {
        let profile = with_flop(setups.given(), flop);
        let setup = setups.with(format!("{flop} cycles a flop"), profile);
        speedups(N, format!("{whose} work: {flop} cycles a flop"), setup)
    };
    [("The paper's", PAPER_FLOP), ("Tuned code's", TUNED_FLOP)].map(panel).into()
}

/// Plots the built-in profiles of the MANNA. The other built-in profile belongs to another paper.
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
