//! Experiments on choices that the paper leaves open: the order of fibers, the number of roots that are asked for at a time,
//! whether messages interrupt fibers, and the bytes of a point.

use earth::simulated::Profile;
use earth::{Config, Policy};

use super::chart::{CONFIGS, Chart, Lines, Measure};
use super::experiments::{N, P, PROGRAMS, both_works};
use super::figures::COMPARED_N;
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use super::subject::Subject;

/// The chart of an experiment; nothing for what is none of these.
pub(super) fn chart(subject: Subject, setups: &mut Setups) -> Option<Chart> {
    Some(match subject {
        Subject::Order => order(setups),
        Subject::Window => window(setups),
        Subject::Watchdog => watchdog(setups),
        Subject::PointSize => point_size(setups),
        _ => return None,
    })
}

/// The programs that orders are compared on: the receiver with all roots at once, and with few.
const ORDERED: [Program; 5] =
    [Program::Tree, Program::Shared, Program::TreeBy(8), Program::SharedBy(8), Program::Sender(16)];

/// The programs that sizes of points are compared on.
const SIZED: [Program; 3] = [Program::Tree, Program::Shared, Program::Sender(16)];

/// Machines of several nodes.
const SEVERAL: [usize; 6] = [2, 4, 8, 16, 32, 64];

fn order(setups: &mut Setups) -> Chart {
    let given = setups.given().clone();
    let same = setups.with(given.name.clone(), given.clone());
    let orders = Policy::NAMED.map(|(name, fibers)| {
        let policy = Policy { fibers, ..given.policy };
        (name, setups.with(format!("{}, {name}", given.name), Profile { policy, ..given.clone() }))
    });
    let panel = |program: Program| {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, (name, setup)) in orders.into_iter().enumerate() {
                let points = SEVERAL.into_iter().map(|p| {
                    let point = Point { setup, ..Point::at(program, config, COMPARED_N, p) };
                    (p as f64, point, Some(Point { setup: same, config: Config::Spn, ..point }))
                });
                lines.add(name, colour, points);
            }
        }
        lines.into_panel(program.to_string())
    };
    Chart {
        name: "order",
        title: "The order of fibers: time, N = 2^14, over P".to_owned(),
        caption: "What waits on a node in one queue; enabled fibers before invoked functions; the newest fiber first. The total \
                  time over that of SPN in the profile's own order; the receiver with all roots under way at once, and with 8 of a \
                  node at a time. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Ratio,
        panels: ORDERED.map(panel).into(),
    }
}

/// The machines on which fewer roots than all are tried.
const WINDOWED: [usize; 2] = [16, 64];

fn window(setups: &mut Setups) -> Chart {
    let given = setups.given().clone();
    let works = both_works(&given).map(|(title, profile)| {
        let name = format!("{} cycles a flop", profile.work.flop);
        (title, setups.with(name, profile))
    });
    let panel = |(title, setup, p): (String, usize, usize)| {
        let mut lines = Lines::default();
        for config in CONFIGS {
            let some = (0..(N / p).ilog2()).map(|log| 1 << log);
            for (colour, all) in [Program::Tree, Program::Shared].into_iter().enumerate() {
                let base = Point { setup, ..Point::at(all, config, N, p) };
                let points = some.clone().map(|roots| {
                    let program =
                        if all == Program::Tree { Program::TreeBy(roots) } else { Program::SharedBy(roots) };
                    (roots as f64, Point { program, ..base }, Some(base))
                });
                lines.add(all.to_string(), colour, points);
            }
        }
        lines.into_panel(format!("{title}, P = {p}"))
    };
    let panels = works
        .into_iter()
        .flat_map(|(title, setup)| WINDOWED.map(|p| (title.clone(), setup, p)))
        .map(panel)
        .collect();
    Chart {
        name: "window",
        title: "Roots asked for at a time, N = 2^12".to_owned(),
        caption: "How many points of its result a node of the receiver asks for at first; each that is done asks for the next one. \
                  The total time over that with all of them at once, which are N/P. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "roots of a node at a time, W",
        measure: Measure::Ratio,
        panels,
    }
}

/// How long a message waits, in cycles, before the watchdog interrupts a fiber.
const PATIENCE: [u64; 6] = [50, 200, 800, 3200, 12_800, 51_200];

/// The cycles of an interrupt, without the message: an estimate, a little more than the beginning of a fiber.
const INTERRUPT: u64 = 30;

fn watchdog(setups: &mut Setups) -> Chart {
    let given = setups.given().clone();
    let panels = both_works(&given)
        .into_iter()
        .map(|(title, profile)| {
            let flop = profile.work.flop;
            let variants = PATIENCE.map(|patience| {
                let mut watched = profile.clone();
                (watched.spn.watchdog, watched.spn.interrupt) = (Some(patience), INTERRUPT);
                (patience, setups.with(format!("watchdog after {patience}, {flop} cycles a flop"), watched))
            });
            let without = setups.with(format!("{flop} cycles a flop"), profile);
            let mut lines = Lines::default();
            for (colour, (name, program)) in PROGRAMS.into_iter().enumerate() {
                let base = Point { setup: without, ..Point::at(program, Config::Spn, N, P) };
                let point = |(patience, setup)| (patience as f64, Point { setup, ..base }, Some(base));
                lines.add(name, colour, variants.map(point));
            }
            lines.into_panel(title)
        })
        .collect();
    Chart {
        name: "watchdog",
        title: "A polling watchdog in SPN".to_owned(),
        caption: format!(
            "The processor of an SPN node interrupts its fiber for a message that has waited for so long; an interrupt takes \
             {INTERRUPT} cycles and what the message takes. The total time over that without a watchdog, where messages wait for \
             the fiber's end. N = 2^12 on 16 nodes."
        ),
        x: "cycles that a message waits",
        measure: Measure::Ratio,
        panels,
    }
}

fn point_size(setups: &mut Setups) -> Chart {
    let given = setups.given().clone();
    let slow =
        Profile::named("seed140-fixed-net").map(|slow| Profile { network: slow.network, ..given.clone() });
    let machines = [
        Some(("The profile's network", setups.with(given.name.clone(), given.clone()))),
        slow.map(|slow| {
            ("The network of 50 MHz", setups.with(format!("{}, network of 50 MHz", given.name), slow))
        }),
    ];
    let panels = machines.into_iter().flatten().map(|(title, setup)| {
        let mut lines = Lines::default();
        for config in CONFIGS {
            for (colour, program) in SIZED.into_iter().enumerate() {
                let points = SEVERAL.into_iter().map(|p| {
                    let base = Point { setup, ..Point::at(program, config, N, p) };
                    (p as f64, Point { single: true, ..base }, Some(base))
                });
                lines.add(program.to_string(), colour, points);
            }
        }
        lines.into_panel(title)
    });
    let panels = panels.collect();
    Chart {
        name: "point-size",
        title: "Points of 8 bytes, N = 2^12, over P".to_owned(),
        caption: "Points in single precision have 8 bytes, in double precision, which all other figures have, 16. The total time \
                  with 8 over that with 16; what computing them takes is the same. Solid lines are SPN, dashed ones DUAL."
            .to_owned(),
        x: "nodes P",
        measure: Measure::Ratio,
        panels,
    }
}
