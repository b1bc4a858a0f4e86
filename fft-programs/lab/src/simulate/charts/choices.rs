//! Experiments on choices that the paper leaves open: the order of fibers, the number of roots requested at a
//! time, whether messages interrupt fibers, and the bytes of a point.

use earth::simulated::Profile;
use earth::{Config, Policy};

use super::experiments::{N, both_works, changes, named};
use super::figures::COMPARED_N;
use crate::simulate::chart::{CONFIGS, Dot, Panel};
use crate::simulate::measured::Point;
use crate::simulate::program::{ByNumber, Program};
use crate::simulate::setups::Setups;

/// Programs of the comparison of orders: the receiver with all roots at once, and with few.
const ORDERED: [Program; 5] =
    [Program::Tree, Program::Shared, Program::TreeBy(8), Program::SharedBy(8), Program::Sender(16)];

/// Programs of the comparison of point sizes.
const SIZED: [Program; 3] = [Program::Tree, Program::Shared, Program::Sender(16)];

/// Numbers of nodes above one.
const SEVERAL: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// Makes a panel for each program, with a line for each order of fibers.
pub(super) fn order(setups: &mut Setups) -> Vec<Panel> {
    let given = setups.given().clone();
    let same = setups.with(given.name.clone(), given.clone());
    let orders = Policy::NAMED.map(|(name, fibers)| {
        let policy = Policy { fibers, ..given.policy };
        (name, setups.with(format!("{}, {name}", given.name), Profile { policy, ..given.clone() }))
    });
    let panel = |program: Program| {
        Panel::new(program.to_string(), &CONFIGS, &orders, |&setup, config| {
            SEVERAL.map(|p| {
                let point = Point { setup, ..Point::at(program, config, COMPARED_N, p) };
                Dot::over(p as f64, point, Point { setup: same, config: Config::Spn, ..point })
            })
        })
    };
    ORDERED.map(panel).into()
}

/// Numbers of nodes of the experiment with few roots.
const WINDOWED: [usize; 2] = [16, 64];

/// Compares both variants of the receiver with few roots to the same with all roots.
pub(super) fn window(setups: &mut Setups) -> Vec<Panel> {
    let works = both_works(setups.given()).map(|(title, profile)| {
        let name = format!("{} cycles a flop", profile.work.flop);
        (title, setups.with(name, profile))
    });
    let variants: [(_, (_, ByNumber)); 2] = [
        (Program::Tree, (Program::Tree, Program::TreeBy)),
        (Program::Shared, (Program::Shared, Program::SharedBy)),
    ];
    let panel = |(title, setup, p): (&str, usize, usize)| {
        Panel::new(format!("{title}, P = {p}"), &CONFIGS, &variants, |&(all, by), config| {
            let base = Point { setup, ..Point::at(all, config, N, p) };
            let dot = move |roots| Dot::over(roots as f64, Point { program: by(roots), ..base }, base);
            (0..(N / p).ilog2()).map(move |log| dot(1 << log))
        })
    };
    let all = works.iter().flat_map(|(title, setup)| WINDOWED.map(|p| (title.as_str(), *setup, p)));
    all.map(panel).collect()
}

/// Time that a message waits before the watchdog interrupts a fiber, in cycles.
const PATIENCE: [f64; 6] = [50.0, 200.0, 800.0, 3200.0, 12_800.0, 51_200.0];

/// Cost of an interrupt without the message, in cycles: an estimate, slightly above the start of a fiber.
const INTERRUPT: u64 = 30;

/// Compares all programs in SPN with a watchdog to the same without.
pub(super) fn watchdog(setups: &mut Setups) -> Vec<Panel> {
    changes(setups, &[Config::Spn], "watchdog after", &PATIENCE, |profile, patience| {
        let mut watched = profile.clone();
        (watched.spn.watchdog, watched.spn.interrupt) = (Some(patience as u64), INTERRUPT);
        watched
    })
}

/// Compares programs with points of 8 bytes to the same with points of 16.
pub(super) fn point_size(setups: &mut Setups) -> Vec<Panel> {
    let given = setups.given().clone();
    let slow =
        Profile::named("seed140-fixed-net").map(|slow| Profile { network: slow.network, ..given.clone() });
    let slow_name = format!("{}, network of 50 MHz", given.name);
    let machines = [
        ("The profile's network", given.name.clone(), Some(given)),
        ("The network of 50 MHz", slow_name, slow),
    ];
    let panel = |(title, name, profile): (&str, String, Option<Profile>)| {
        let setup = setups.with(name, profile?);
        Some(Panel::new(title, &CONFIGS, &named(&SIZED), |&program, config| {
            SEVERAL.map(|p| {
                let base = Point { setup, ..Point::at(program, config, N, p) };
                Dot::over(p as f64, Point { single: true, ..base }, base)
            })
        }))
    };
    machines.into_iter().filter_map(panel).collect()
}
