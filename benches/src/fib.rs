//! Recursive Fibonacci numbers: the cost of a call and its join.
//!
//! Earth makes two tokens and a continuation per call, without a cut-off. Every call travels as a token, and
//! every join is a counted slot of a heap frame. Rayon uses `join`, whose calls stay on the stack. Both do
//! `fib(n + 1) - 1` joins.

use earth::{Call, Eu, Machine, Reply, Start, Threaded, threaded};
use rayon::ThreadPool;

/// A call that waits for two others.
pub struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    /// Computes the n-th Fibonacci number, with two tokens per call.
    pub fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Fib { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

/// A call of `fib` whose fiber has an array of two inlets instead of two named inlets. The compiler knows
/// their number, so the frame stores them like named inlets, and they arrive as an array.
pub struct Listed {
    out: Reply<u64>,
}

#[threaded]
impl Listed {
    /// Computes the n-th Fibonacci number, with two tokens per call.
    pub fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        let parts = eu.replies(Self::add().parts);
        eu.token(Listed::call(n - 1, parts.at(0)));
        eu.token(Listed::call(n - 2, parts.at(1)));
        Start::Wait(Listed { out })
    }

    #[slot]
    fn add(self, #[inlets] parts: [u64; 2], eu: &mut Eu<Self>) {
        eu.put(self.out, parts.iter().sum());
    }
}

/// Computes the `n`-th Fibonacci number by a loop.
pub fn expected(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// Returns the number of joins.
pub fn joins(n: u64) -> u64 {
    expected(n + 1) - 1
}

/// Runs `fib` on earth, with two named inlets.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_earth(machine: &mut Machine, n: u64) {
    checked(machine, n, Fib::call);
}

/// Runs `fib` on earth, with an array of two inlets.
///
/// # Panics
///
/// If the result is wrong.
pub fn listed(machine: &mut Machine, n: u64) {
    checked(machine, n, Listed::call);
}

fn checked<F: Threaded>(machine: &mut Machine, n: u64, call: fn(u64, Reply<u64>) -> Call<F>) {
    let run = machine.run(|out| call(n, out)).expect("fib runs");
    assert_eq!(run.value, expected(n));
    assert_eq!(run.counters.tokens, 2 * joins(n));
}

/// Runs `fib` on rayon.
///
/// # Panics
///
/// If the result is wrong.
pub fn on_rayon(pool: &ThreadPool, n: u64) {
    assert_eq!(pool.install(|| join(n)), expected(n));
}

fn join(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (left, right) = rayon::join(|| join(n - 1), || join(n - 2));
    left + right
}
