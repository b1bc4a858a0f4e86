//! Draws the timeline of the README's program on four nodes of a simulated machine, whose runs are always the
//! same:
//!
//! ```sh
//! cargo run -p earth-trace --example timeline -- docs/timeline.svg
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use earth::simulated::Profile;
use earth::{Eu, Machine, Reply, Start, threaded};
use earth_trace::Trace;

/// The frame's state.
struct Fib {
    out: Reply<u64>,
}

#[threaded]
impl Fib {
    /// The n-th Fibonacci number, with two tokens a call.
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Fib { out })
    }

    /// This fiber has two inlets, so its slot counts two signals.
    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: timeline FILE.svg")?;
    let profile = Profile::named("manna50").ok_or("no profile is called manna50")?;
    let run = Machine::simulated(&profile).nodes(4).trace(true).run(|out| Fib::call(9, out))?;
    let trace = Trace::of(&run.records.ok_or("the run left no records")?);
    println!("fib(9) = {}: {}", run.value, trace.critical_path());
    let mut file = BufWriter::new(File::create(path)?);
    trace.write_svg(&mut file)?;
    Ok(file.flush()?)
}
