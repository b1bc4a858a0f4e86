//! Checks that the tests of several programs share: cases on every machine, random schedules, comparison with
//! the definition, verification without a second transform, and counters.

use std::fmt::Debug;

use earth::{Config, Counters, Machine};
use earth_fft::Precision;
use earth_kernels::{Direction, bound, dft, inverse_dft, relative_error, verify};
use earth_rustfft::RustFft;
use earth_tests::{BOTH, is_long, machines, noise};
use num_complex::Complex;

/// Smallest number of cases that is divided among the machines.
const MANY: usize = 12;

/// Checks the cases on every machine of `nodes` nodes. If there are [`MANY`] cases or more, each machine
/// checks every third one, and each case is checked with SPN and DUAL, with handles and with bytes.
/// `EARTH_LONG` in the environment makes each machine check all of them.
pub(crate) fn everywhere<C>(
    nodes: usize,
    seeds: &[u64],
    cases: &[C],
    check: impl Fn(&C, &mut Machine, &str),
) {
    let parts = if cases.len() < MANY || is_long() { 1 } else { 3 };
    let kinds = 2 + seeds.len();
    for (number, mut named) in machines(nodes, seeds).into_iter().enumerate() {
        // Each configuration starts with another kind of machine.
        let first = number + number / kinds;
        for case in cases.iter().skip(first % parts).step_by(parts) {
            check(case, &mut named.machine, &named.name);
        }
    }
}

/// Returns two steppers for each seed, of 2 to 8 nodes with tiny queues, and their names. They park no value,
/// so a single value that comes early to a full inlet would be an error.
pub(crate) fn schedules(seeds: u64) -> impl Iterator<Item = (Machine, String)> {
    (0..seeds).flat_map(|seed| {
        [Config::Spn, Config::Dual].map(|config| {
            let nodes = 2 + seed as usize % 7;
            let machine = Machine::stepper(seed).nodes(nodes).config(config).through_bytes(seed % 2 == 0);
            let machine = machine.parking_limit(0).queue_capacity(1 << (seed % 3));
            (machine, format!("seed {seed}, {nodes} nodes, {config}"))
        })
    })
}

/// Transforms noise of `points` points in both directions and in each of `ways`, and compares with the
/// definition.
pub(crate) fn against_the_definition<T: Precision, W: Copy + Debug>(
    points: usize,
    ways: &[W],
    mut transform: impl FnMut(Vec<Complex<T>>, Direction, W) -> Vec<Complex<T>>,
) {
    let signal = noise::<T>(points, 2);
    for (direction, expected) in BOTH.into_iter().zip([dft(&signal), inverse_dft(&signal)]) {
        for &way in ways {
            let error = relative_error(&transform(signal.clone(), direction, way), &expected);
            assert!(error <= bound::<T>(points), "{points} points, {way:?}, {direction:?}: {error}");
        }
    }
}

/// Verifies the transforms of noise of `points` points in both directions.
pub(crate) fn holds(
    points: usize,
    what: &str,
    mut transform: impl FnMut(Vec<Complex<f64>>, Direction) -> Vec<Complex<f64>>,
) {
    let signal = noise::<f64>(points, 3);
    for direction in BOTH {
        let found = transform(signal.clone(), direction);
        let verified = verify(&[points], &signal, &found, direction, 4, RustFft::new);
        assert!(verified.holds(), "{points} points, {what}, {direction:?}: {verified:?}");
    }
}

/// Fibers, invokes, signals, block moves, bytes moved, events sent, frames.
pub(crate) type Counts = [u64; 7];

/// Returns the counters of a run. Checks that the program made no token, parked no value, deferred no read,
/// and ended all its frames.
#[track_caller]
pub(crate) fn counts(counters: &Counters) -> Counts {
    let Counters { fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames, .. } = *counters;
    let none = counters.tokens + counters.tokens_stolen + counters.parked + counters.deferred_reads;
    assert_eq!((none, counters.frames_ended), (0, frames));
    [fibers, invokes, signals, block_moves, bytes_moved, events_sent, frames]
}
