//! What tests across crates share: signals, machines of every kind, results compared to the bit, and somebody
//! who ends a run in its middle.
#![forbid(unsafe_code)]

mod matrix_model;
mod noise;
mod programs;
mod receiver_model;
mod sender_model;
mod sockets;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Eu, Machine, NodeId, threaded};
use earth_fft::kernel::own_rows;
use earth_kernels::{Direction, Real, RowKernel};
use num_complex::Complex;

pub use matrix_model::matrix_model;
pub use noise::noise;
pub use programs::{Ran, by_stages, grouped, in_passes, matrix, on, receiver, receiver_by, row, sender};
pub use receiver_model::receiver_model;
pub use sender_model::sender_model;
pub use sockets::Sockets;

/// Both directions of a transform.
pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// The values to the bit.
pub fn bits<T: Real>(values: &[Complex<T>]) -> Vec<[u64; 2]> {
    values.iter().map(|z| [z.re.widen().to_bits(), z.im.widen().to_bits()]).collect()
}

/// The kind of time that a machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The host's time.
    Real,
    /// The virtual time that the costs of a profile come to.
    Virtual,
    /// Nothing takes any time.
    None,
}

impl Clock {
    /// Whether the parts of a program may have taken these times.
    pub fn allows(self, parts: &[Duration]) -> bool {
        match self {
            Clock::Real => parts.iter().all(|part| !part.is_zero()),
            // Only the work of kernels costs anything.
            Clock::Virtual => parts.iter().any(|part| !part.is_zero()),
            Clock::None => parts.iter().all(Duration::is_zero),
        }
    }
}

/// A machine and what to call it in a message.
pub struct Named {
    /// Its name.
    pub name: String,
    /// The kind of its time.
    pub clock: Clock,
    /// The machine.
    pub machine: Machine,
}

/// Every kind of machine of `nodes` nodes: real cores, the simulated machine, and the stepper under each of
/// `seeds`, SPN and DUAL, handles and bytes between nodes.
pub fn machines(nodes: usize, seeds: &[u64]) -> Vec<Named> {
    let mut all = Vec::new();
    for config in [Config::Spn, Config::Dual] {
        for bytes in [false, true] {
            let mut add = |kind: String, clock, machine: Machine| {
                let machine = machine.config(config).through_bytes(bytes);
                let way = if bytes { "bytes" } else { "handles" };
                all.push(Named { name: format!("{nodes} nodes, {kind}, {config}, {way}"), clock, machine });
            };
            add("threads".to_owned(), Clock::Real, Machine::threads(nodes));
            let simulated = Machine::simulated(&manna50()).nodes(nodes);
            add("simulated".to_owned(), Clock::Virtual, simulated);
            for &seed in seeds {
                add(format!("stepper {seed}"), Clock::None, Machine::stepper(seed).nodes(nodes));
            }
        }
    }
    all
}

/// The profile of EARTH on MANNA.
///
/// # Panics
///
/// Never: it is built in.
pub fn manna50() -> Profile {
    Profile::named("manna50").expect("a built-in profile")
}

/// Whether all cases are asked for, by `EARTH_LONG` in the environment.
pub fn is_long() -> bool {
    std::env::var_os("EARTH_LONG").is_some()
}

/// The powers of two from 1 to `most`.
pub fn powers(most: usize) -> impl Iterator<Item = usize> + Clone {
    (0..usize::BITS).map(|bits| 1 << bits).take_while(move |&power| power <= most)
}

/// The kernel of programs that are not told one, one row a call, as their threads call it: rustfft, where it is that,
/// may take many rows at once in pairs on some processors, which need not round alike.
#[derive(Debug)]
pub struct RowByRow<T: Real>(Arc<dyn RowKernel<T>>);

impl<T: Real> RowByRow<T> {
    /// Rows of `n` points.
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

/// The token that [`Cancel`] cancels, for the one test of a process that uses it.
static TOKEN: Mutex<Option<CancelToken>> = Mutex::new(None);

/// A token that [`Cancel`] cancels from now on.
pub fn token_to_cancel() -> CancelToken {
    let token = CancelToken::new();
    *TOKEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
    token
}

/// Hops from node to node for a while and then cancels the run.
pub struct Cancel;

#[threaded]
impl Cancel {
    /// Cancels the run after so many hops.
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
