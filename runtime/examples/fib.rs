//! Fibonacci numbers by two tokens a call.
//!
//! `cargo run --release -p earth --example programs -- fib 30 2 dual`

use std::time::{Duration, Instant};

use earth::{Config, Eu, Machine, Reply, Start, threaded};

pub(crate) struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    /// Computes the n-th Fibonacci number, two tokens a call.
    pub(crate) fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
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

/// Runs the program with its command-line arguments.
pub(crate) fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let n = args.next().map_or(Ok(25), |n| n.parse())?;
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse())?;
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    let mut machine = Machine::threads(nodes).config(config);
    (0..3).try_for_each(|_| demonstrate(n, &mut machine).map(drop))
}

/// Computes the number by recursive calls.
fn recursive(n: u64) -> u64 {
    if n < 2 { n } else { recursive(n - 1) + recursive(n - 2) }
}

/// Computes the n-th Fibonacci number and checks it against plain calls. Returns the times of the calls and
/// of the run.
pub(crate) fn demonstrate(
    n: u64,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let run = machine.run(|out| Fib::call(n, out))?;
    let began = Instant::now();
    let expected = recursive(std::hint::black_box(n));
    let plain = began.elapsed();
    assert_eq!(run.value, expected);
    eprintln!(
        "fib({n}) = {expected} on {} nodes: {:.1} ms, {} fibers, {} stolen, {:.1} ns a join",
        machine.node_count(),
        run.elapsed.as_secs_f64() * 1e3,
        run.counters.fibers,
        run.counters.tokens_stolen,
        run.elapsed.as_secs_f64() * 1e9 / run.counters.frames_ended as f64,
    );
    Ok([plain, run.elapsed])
}
