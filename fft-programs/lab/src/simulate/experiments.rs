//! Experiments that the paper does not have: its programs at other costs.
//!
//! Each experiment changes one thing of the profile that was asked for and leaves the rest. All but that of free asks are of
//! N = 2^12; on 16 nodes, where they are not over nodes: 256 points a node. Those of DUAL's second processor are [`dual`](super::dual)'s,
//! those of choices that are ours, and not the machine's, [`choices`](super::choices)'.

use earth::simulated::{NetworkKind, Operations, Profile};

use super::chart::{CONFIGS, Chart, Lines, Measure, Panel};
use super::figures::{COMPARED_N, NODES};
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use super::subject::Subject;

/// The paper's cost of a floating-point operation, in cycles: 547 for the ten of a butterfly.
pub const PAPER_FLOP: f64 = 54.7;

/// The cost of a floating-point operation of tuned code: 55 cycles a butterfly.
pub const TUNED_FLOP: f64 = 5.5;

pub(super) const N: usize = 1 << 12;
pub(super) const P: usize = 16;

/// The programs of most experiments: a sender with one thread a node, which has nothing to do while it waits, one with 16,
/// and both receivers.
pub(super) const PROGRAMS: [(&str, Program); 4] = [
    ("sender, 1 thread a node", Program::Sender(N / P)),
    ("sender, 16 threads a node", Program::Sender(16)),
    ("receiver, tree", Program::Tree),
    ("receiver, shared", Program::Shared),
];

/// The chart of an experiment; nothing for what is none.
pub(super) fn chart(subject: Subject, setups: &mut Setups) -> Option<Chart> {
    Some(match subject {
        Subject::Latency => latency(setups),
        Subject::Tokens => tokens(setups),
        Subject::FreeAsks => free_asks(setups),
        Subject::Work => work(setups),
        Subject::Profiles => profiles(setups),
        _ => return None,
    })
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

/// Times of all programs over a factor, each relative to that at factor 1, at two costs of work.
fn over_factors(
    setups: &mut Setups,
    what: &str,
    factors: &[f64],
    change: impl Fn(&Profile, f64) -> Profile,
) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (title, profile) in both_works(setups.given()) {
        let flop = profile.work.flop;
        let same = setups.with(format!("{flop} cycles a flop"), profile.clone());
        let variants: Vec<_> = factors
            .iter()
            .map(|&factor| {
                let name = format!("{what} x {factor}, {flop} cycles a flop");
                (factor, setups.with(name, change(&profile, factor)))
            })
            .collect();
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, (name, program)) in PROGRAMS.into_iter().enumerate() {
                let base = Point { setup: same, ..Point::at(program, config, N, P) };
                let points =
                    variants.iter().map(|&(factor, setup)| (factor, Point { setup, ..base }, Some(base)));
                lines.add(name, colour, points);
            }
        }
        panels.push(lines.into_panel(title));
    }
    panels
}

pub(super) fn factors(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|log| f64::from(log).exp2()).collect()
}

/// The factors on the latency.
pub(super) fn latencies() -> Vec<f64> {
    factors(-2, 4)
}

/// The profile at so many times the latency.
pub(super) fn with_latency(profile: &Profile, factor: f64) -> Profile {
    let mut profile = profile.clone();
    profile.network.interface *= factor;
    profile.network.hop *= factor;
    profile
}

fn latency(setups: &mut Setups) -> Chart {
    let panels = over_factors(setups, "latency", &latencies(), with_latency);
    Chart {
        name: "latency",
        title: "Network latency: what multithreading hides".to_owned(),
        caption: "The time that a message takes to enter, cross and leave the network, times 1/4 to 16; links stay as fast. The \
                  total time over that at factor 1, N = 2^12 on 16 nodes. A line that stays at 1 hides the latency; where each \
                  node has a single thread there is nothing to hide it behind. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "latency, times",
        measure: Measure::Ratio,
        panels,
    }
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

/// The place of the profile with asks that cost nothing.
pub(super) fn asks_free(setups: &mut Setups) -> usize {
    let profile = with_asks(setups.given(), 0.0);
    setups.with("asks free", profile)
}

fn free_asks(setups: &mut Setups) -> Chart {
    let kinds = [("Asks as the profile has them", 0), ("Asks that cost nothing", asks_free(setups))];
    let kinds = kinds.map(|(title, setup)| (title.to_owned(), setup));
    Chart {
        name: "free-asks",
        title: "Asks that cost nothing: speed-up, N = 2^14, over P".to_owned(),
        caption: "The absolute speed-up against the row kernel on one node, with all costs of an ask as they are, and without \
                  them: starting a function, its frame, and the messages of words for the question and the answer. What is left \
                  to the receiver is its butterflies and the beginning of its fibers. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Speedup,
        panels: speedups(COMPARED_N, &kinds),
    }
}

fn tokens(setups: &mut Setups) -> Chart {
    let panels = over_factors(setups, "ask", &factors(-2, 2), with_asks);
    Chart {
        name: "tokens",
        title: "The cost of a token".to_owned(),
        caption: "What the paper calls a token is an ask to the node that owns the point: starting a function, its frame, and the \
                  messages of words for the question and the answer. All these costs times 1/4 to 4; the total time over that at \
                  factor 1, N = 2^12 on 16 nodes. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "cost of an ask, times",
        measure: Measure::Ratio,
        panels,
    }
}

/// Speed-ups of the compared programs for `n` points over nodes, a panel a setup.
fn speedups(n: usize, kinds: &[(String, usize)]) -> Vec<Panel> {
    let programs = [Program::Sender(16), Program::Tree, Program::Shared];
    let panel = |(title, setup): &(String, usize)| {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, program) in programs.into_iter().enumerate() {
                let points = NODES.into_iter().map(|p| {
                    let point = Point { setup: *setup, ..Point::at(program, config, n, p) };
                    (p as f64, point, Some(point.base()))
                });
                lines.add(program.to_string(), colour, points);
            }
        }
        lines.into_panel(title)
    };
    kinds.iter().map(panel).collect()
}

fn work(setups: &mut Setups) -> Chart {
    let kinds: Vec<_> = [("The paper's", PAPER_FLOP), ("Tuned code's", TUNED_FLOP)]
        .map(|(whose, flop)| {
            let profile = with_flop(setups.given(), flop);
            (
                format!("{whose} work: {flop} cycles a flop"),
                setups.with(format!("{flop} cycles a flop"), profile),
            )
        })
        .into();
    Chart {
        name: "work",
        title: "The cost of work: speed-up, N = 2^12, over P".to_owned(),
        caption: "The absolute speed-up against the row kernel on one node, which gets cheaper by the same factor. 54.7 cycles a \
                  flop, 547 a butterfly, is what the paper's 10 ms and 70% imply; 5.5 is tuned code. Solid lines are SPN, dashed \
                  ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Speedup,
        panels: speedups(N, &kinds),
    }
}

fn profiles(setups: &mut Setups) -> Chart {
    let programs = [Program::Sender(16), Program::Tree, Program::Shared];
    let Profile { work, policy, .. } = setups.given().clone();
    let panels = Profile::names()
        .filter_map(|name| {
            let profile = Profile { work: work.clone(), policy, ..Profile::named(name)? };
            // Those of the MANNA, the other one is of another paper.
            if profile.network.kind == NetworkKind::Torus {
                return None;
            }
            let setup = setups.with(name, profile);
            let mut lines = Lines::default();
            for config in CONFIGS {
                for (colour, program) in programs.into_iter().enumerate() {
                    let points = NODES
                        .into_iter()
                        .map(|p| (p as f64, Point { setup, ..Point::at(program, config, N, p) }, None));
                    lines.add(program.to_string(), colour, points);
                }
            }
            Some(lines.into_panel(name))
        })
        .collect();
    Chart {
        name: "profiles",
        title: "The three machines: total time, N = 2^12, over P".to_owned(),
        caption: "The paper says 140 MHz and the MANNA runs at 50 MHz; whether the network was sped up with the processors it does \
                  not say. All three have the same work. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Total,
        panels,
    }
}
