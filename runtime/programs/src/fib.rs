//! Fibonacci numbers by two tokens a call.
//!
//! `cargo run --release -p earth-programs -- fib 30 2 dual`

use earth::{Eu, Reply, Start, threaded};

use crate::program::{Instance, Program, ProgramError, Size};

/// A call that waits for two others.
pub struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    /// Computes the n-th Fibonacci number, two tokens a call.
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

/// Computes the number by recursive calls.
fn recursive(n: u64) -> u64 {
    if n < 2 { n } else { recursive(n - 1) + recursive(n - 2) }
}

/// Computes the n-th Fibonacci number.
pub struct Fibonacci;

impl Program for Fibonacci {
    fn name(&self) -> &'static str {
        "fib"
    }

    fn title(&self) -> &'static str {
        "Fibonacci numbers"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("n", 22, 11).within(0, 60)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let n = sizes[0];
        Ok(Instance::new(
            || recursive(std::hint::black_box(n)),
            move |machine| machine.run(|out| Fib::call(n, out)),
            move |value| format!("fib({n}) = {value}"),
        ))
    }
}
