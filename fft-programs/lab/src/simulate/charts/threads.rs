//! Threads of a node: how many of the sender's overlap best, and the receiver's asks as threads that idle
//! nodes take.

use earth::Config;
use earth::simulated::Profile;

use super::experiments::{N, P, both_works, with_latency};
use crate::simulate::chart::{CONFIGS, Dot, Panel, power, upper};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;
use crate::simulate::setups::Setups;

/// Numbers of threads a node. The sender's number of threads is a power of two, so there is no 3.
pub(in crate::simulate) const THREADS: [usize; 4] = [1, 2, 4, 8];

/// Factors on the latency of the network.
const LATENCIES: [f64; 4] = [1.0, 16.0, 64.0, 256.0];

/// Numbers of points of the receiver by tokens.
pub(in crate::simulate) const STOLEN_N: [usize; 3] = [1 << 10, 1 << 11, 1 << 12];

/// Numbers of nodes of the receiver by tokens.
pub(in crate::simulate) const STOLEN_P: [usize; 4] = [2, 4, 8, 16];

/// Returns the sender with `threads` threads on each of the nodes.
pub(in crate::simulate) fn with_threads(threads: usize) -> Program {
    Program::Sender(N / (P * threads))
}

/// Adds the profile with each latency at both costs of work. Returns the title of each cost of work with its
/// latencies and their setups.
fn latencies(setups: &mut Setups) -> [(String, Vec<(f64, usize)>); 2] {
    let given = setups.given().clone();
    both_works(&given).map(|(title, profile): (String, Profile)| {
        let flop = profile.work.flop;
        let at = |factor| {
            let name = format!("latency x {factor}, {flop} cycles a flop");
            (factor, setups.with(name, with_latency(&profile, factor)))
        };
        (title, LATENCIES.map(at).into())
    })
}

/// Compares the sender with several threads a node to the same with one.
pub(super) fn threads(setups: &mut Setups) -> Vec<Panel> {
    let panel = |(title, latencies): &(String, Vec<(f64, usize)>), config: Config| {
        let named: Vec<_> =
            latencies.iter().map(|&(factor, setup)| (format!("latency x {factor}"), setup)).collect();
        let title = format!("{}, {}", upper(config), title.to_lowercase());
        Panel::new(title, &[config], &named, |&setup, config| {
            let at = |threads| Point { setup, ..Point::at(with_threads(threads), config, N, P) };
            THREADS.map(|threads| Dot::over(threads as f64, at(threads), at(1)))
        })
    };
    latencies(setups).iter().flat_map(|work| CONFIGS.map(|config| panel(work, config))).collect()
}

/// Compares the receiver by tokens to the tree of addressed asks.
pub(super) fn stolen(_: &mut Setups) -> Vec<Panel> {
    let sizes = STOLEN_N.map(|n| (format!("N = {}", power(n)), n));
    let panel = Panel::new("Asks as tokens", &CONFIGS, &sizes, |&n, config| {
        STOLEN_P.map(|p| {
            let at = |program| Point::at(program, config, n, p);
            Dot::over(p as f64, at(Program::Tokens), at(Program::Tree))
        })
    });
    vec![panel]
}
