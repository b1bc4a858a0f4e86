//! Helpers that the tests of several crates share: signals, machines of every kind, bitwise comparison, and a
//! function that cancels a run in the middle.
#![forbid(unsafe_code)]

mod matrix_model;
mod noise;
mod programs;
mod receiver_model;
mod sender_model;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Eu, Machine, NodeId, Policy, threaded};
use earth_fft::kernel::own_rows;
use earth_kernels::{Direction, Real, RowKernel};
use num_complex::Complex;

pub use matrix_model::matrix_model;
pub use noise::noise;
pub use programs::{Ran, by_stages, grouped, in_passes, matrix, on, receiver, receiver_by, row, sender};
pub use receiver_model::receiver_model;
pub use sender_model::sender_model;

/// Both directions of a transform.
pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Returns the bits of the values.
pub fn bits<T: Real>(values: &[Complex<T>]) -> Vec<[u64; 2]> {
    values.iter().map(|z| [z.re.widen().to_bits(), z.im.widen().to_bits()]).collect()
}

/// The kind of time that a machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The host's time.
    Real,
    /// Virtual time, computed from the costs of a profile.
    Virtual,
    /// No time: every operation takes zero.
    None,
}

impl Clock {
    /// Whether the parts of a program may have taken these times.
    pub fn allows(self, parts: &[Duration]) -> bool {
        match self {
            Clock::Real => parts.iter().all(|part| !part.is_zero()),
            // Only the work of kernels has a cost.
            Clock::Virtual => parts.iter().any(|part| !part.is_zero()),
            Clock::None => parts.iter().all(Duration::is_zero),
        }
    }
}

/// A machine and its name in messages.
pub struct Named {
    /// Its name.
    pub name: String,
    /// The kind of its time.
    pub clock: Clock,
    /// The machine.
    pub machine: Machine,
}

/// Returns every kind of machine with `nodes` nodes: real cores, the simulated machine, and the stepper under
/// each of `seeds`. Each kind comes in SPN and DUAL, and with handles and with bytes between nodes.
pub fn machines(nodes: usize, seeds: &[u64]) -> Vec<Named> {
    let mut all = Vec::new();
    for config in [Config::Spn, Config::Dual] {
        for bytes in [false, true] {
            let mut add = |kind: String, clock, machine: Machine| {
                let machine = machine.config(config).through_bytes(bytes);
                let way = if bytes { "bytes" } else { "handles" };
                all.push(Named { name: format!("{nodes} nodes, {kind}, {config}, {way}"), clock, machine });
            };
            add("threads".to_owned(), Clock::Real, Machine::threads(nodes).policy(patience(nodes)));
            let simulated = Machine::simulated(&manna50()).nodes(nodes);
            add("simulated".to_owned(), Clock::Virtual, simulated);
            for &seed in seeds {
                add(format!("stepper {seed}"), Clock::None, Machine::stepper(seed).nodes(nodes));
            }
        }
    }
    all
}

/// Returns the policy of the threads of `nodes` nodes. Tests run at the same time. Idle threads that wait
/// long before they sleep keep the cores from the busy threads of other tests. So only two nodes wait as long
/// as by default.
fn patience(nodes: usize) -> Policy {
    if nodes == 2 { Policy::default() } else { Policy { spin: 50, ..Policy::default() } }
}

/// Returns the profile of EARTH on MANNA.
///
/// # Panics
///
/// Never: the profile is built in.
pub fn manna50() -> Profile {
    Profile::named("manna50").expect("a built-in profile")
}

/// Whether the environment variable `EARTH_LONG` asks for all cases.
pub fn is_long() -> bool {
    std::env::var_os("EARTH_LONG").is_some()
}

/// Returns the powers of two from 1 to `most`.
pub fn powers(most: usize) -> impl Iterator<Item = usize> + Clone {
    (0..usize::BITS).map(|bits| 1 << bits).take_while(move |&power| power <= most)
}

/// The default kernel of the programs, called for one row at a time, as their threads call it. On some
/// processors rustfft may transform several rows at once in pairs, and pairs may round differently.
#[derive(Debug)]
pub struct RowByRow<T: Real>(Arc<dyn RowKernel<T>>);

impl<T: Real> RowByRow<T> {
    /// Creates the kernel for rows of `n` points.
    pub fn new(n: usize) -> Self {
        Self(own_rows(n))
    }
}

impl<T: Real> RowKernel<T> for RowByRow<T> {
    fn name(&self) -> &'static str {
        "row by row"
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn scratch_len(&self) -> usize {
        self.0.scratch_len()
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        for row in rows.chunks_mut(self.len()) {
            self.0.transform(direction, row, scratch);
        }
    }
}

/// The token that [`Cancel`] cancels. Only one test of a process uses it.
static TOKEN: Mutex<Option<CancelToken>> = Mutex::new(None);

/// Creates the token that [`Cancel`] cancels from now on.
pub fn token_to_cancel() -> CancelToken {
    let token = CancelToken::new();
    *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
    token
}

/// Hops from node to node and then cancels the run.
pub struct Cancel;

#[threaded]
impl Cancel {
    /// Cancels the run after `hops` hops.
    pub fn start(hops: u64, eu: &mut Eu<Self>) {
        if hops == 0 {
            if let Some(token) = &*TOKEN.lock().unwrap_or_else(PoisonError::into_inner) {
                token.cancel();
            }
        } else {
            let next = NodeId::new((eu.node().index() + 1) % eu.nodes());
            eu.invoke(next, Cancel::call(hops - 1));
        }
    }
}

/// Programs of the README, which are doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
