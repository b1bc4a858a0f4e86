//! What the paper does not show: the same programs at other costs.
//!
//! Each experiment changes one thing of the profile that was asked for, by factors, and leaves the rest.
//! All are of N = 2^12; on 16 nodes, where they are not over nodes: 256 points a node.

use earth::Config;
use earth::simulated::{Operations, Profile};

use super::chart::{CONFIGS, Chart, Lines, Measure, Panel};
use super::figures::NODES;
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use super::subject::Subject;

/// The paper's cost of a floating-point operation, in cycles: 547 for the ten of a butterfly.
pub const PAPER_FLOP: f64 = 54.7;

/// The cost of a floating-point operation of tuned code: 55 cycles a butterfly.
pub const TUNED_FLOP: f64 = 5.5;

const N: usize = 1 << 12;
const P: usize = 16;

/// What is run in most: a sender with one thread a node, which has nothing to do while it waits, one with 16,
/// and both receivers.
const PROGRAMS: [(&str, Program); 4] = [
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
        Subject::SuSpeed => su_speed(setups),
        Subject::Crossover => crossover(setups),
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
fn times(cost: &mut u64, factor: f64) {
    *cost = (*cost as f64 * factor).round() as u64;
}

/// The profile with both sets of costs changed.
fn changed(profile: &Profile, change: impl Fn(&mut Operations)) -> Profile {
    let mut profile = profile.clone();
    change(&mut profile.spn);
    change(&mut profile.dual);
    profile
}

/// Times of all programs over a factor, each relative to that at factor 1, at two costs of work.
fn over_factors(
    setups: &mut Setups,
    what: &str,
    factors: &[f64],
    change: impl Fn(&Profile, f64) -> Profile,
) -> Vec<Panel> {
    let kinds = [
        ("Work as the profile has it".to_owned(), setups.given().clone()),
        (format!("Tuned work, {TUNED_FLOP} cycles a flop"), with_flop(setups.given(), TUNED_FLOP)),
    ];
    let mut panels = Vec::new();
    for (title, profile) in kinds {
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
                let base = Point { program, config, n: N, p: P, setup: same };
                let points =
                    variants.iter().map(|&(factor, setup)| (factor, Point { setup, ..base }, Some(base)));
                lines.add(name, colour, points);
            }
        }
        panels.push(lines.into_panel(title));
    }
    panels
}

fn factors(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|log| f64::from(log).exp2()).collect()
}

fn latency(setups: &mut Setups) -> Chart {
    let panels = over_factors(setups, "latency", &factors(-2, 4), |profile, factor| {
        let mut profile = profile.clone();
        profile.network.interface *= factor;
        profile.network.hop *= factor;
        profile
    });
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

fn tokens(setups: &mut Setups) -> Chart {
    let panels = over_factors(setups, "ask", &factors(-2, 2), |profile, factor| {
        changed(profile, |operations| {
            let Operations { spawn, frame, token, token_take, word, send_word, receive_word, .. } =
                operations;
            for cost in [spawn, frame, token, token_take, word, send_word, receive_word] {
                times(cost, factor);
            }
        })
    });
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

fn su_speed(setups: &mut Setups) -> Chart {
    let variants: Vec<_> = factors(-1, 2)
        .into_iter()
        .map(|speed| {
            let mut profile = setups.given().clone();
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
            (speed, setups.with(format!("SU speed x {speed}"), profile))
        })
        .collect();
    let panel = |(title, flop): (String, Option<f64>), setups: &mut Setups| {
        let mut lines = Lines::default();
        for (colour, (name, program)) in PROGRAMS.into_iter().enumerate() {
            let points: Vec<_> = variants
                .iter()
                .map(|&(speed, setup)| {
                    let setup = flop.map_or(setup, |flop| {
                        let profile = with_flop(&setups.at(setup).profile, flop);
                        setups.with(format!("SU speed x {speed}, {flop} cycles a flop"), profile)
                    });
                    let point = Point { program, config: Config::Dual, n: N, p: P, setup };
                    (speed, point, Some(Point { config: Config::Spn, ..point }))
                })
                .collect();
            lines.add(name, colour, points);
        }
        lines.into_panel(title)
    };
    let panels = [
        ("Work as the profile has it".to_owned(), None),
        (format!("Tuned work, {TUNED_FLOP} cycles a flop"), Some(TUNED_FLOP)),
    ];
    Chart {
        name: "su-speed",
        title: "The speed of DUAL's synchronization units".to_owned(),
        caption: "All costs of the synchronization units of DUAL divided by 1/2 to 4. The total time of DUAL over that of SPN at equal \
                  nodes, N = 2^12 on 16 nodes: below 1 DUAL is faster, with twice the processors."
            .to_owned(),
        x: "speed of the SU, times",
        measure: Measure::Ratio,
        panels: panels.map(|kind| panel(kind, setups)).into(),
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
                let point = Point { program, config: Config::Dual, n: N, p: P, setup };
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

/// Speed-ups of the compared programs over nodes, a panel a setup.
fn speedups(kinds: &[(String, usize)]) -> Vec<Panel> {
    let programs = [Program::Sender(16), Program::Tree, Program::Shared];
    let panel = |(title, setup): &(String, usize)| {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, program) in programs.into_iter().enumerate() {
                let points = NODES.into_iter().map(|p| {
                    let point = Point { program, config, n: N, p, setup: *setup };
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
        panels: speedups(&kinds),
    }
}

fn profiles(setups: &mut Setups) -> Chart {
    let programs = [Program::Sender(16), Program::Tree, Program::Shared];
    let work = setups.given().work.clone();
    let panels = Profile::names()
        .filter_map(|name| {
            let profile = Profile { work: work.clone(), ..Profile::named(name)? };
            let setup = setups.with(name, profile);
            let mut lines = Lines::default();
            for config in CONFIGS {
                for (colour, program) in programs.into_iter().enumerate() {
                    let points = NODES
                        .into_iter()
                        .map(|p| (p as f64, Point { program, config, n: N, p, setup }, None));
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
