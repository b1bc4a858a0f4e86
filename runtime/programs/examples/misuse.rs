//! A wrong operation, and the error of the run: `cargo run -p earth-programs --example misuse -- dual`.
//! Compiled with `panic = "abort"`, no code unwinds, so the process prints the same sentence and aborts.

use earth::{Config, Eu, Machine, Reply, threaded};

/// Continues without the value that it needs.
struct Hasty {
    out: Reply<u64>,
}

#[threaded]
impl Hasty {
    /// Puts the value to the fiber that waits for it. Without a value it signals that fiber anyway, which is
    /// the mistake.
    fn hurry(value: Option<u64>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        match value {
            Some(value) => eu.put(eu.reply(Self::start().x), value),
            None => eu.sync(Self::start()),
        }
        Hasty { out }
    }

    #[slot]
    fn start(self, x: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, x);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = std::env::args().nth(1).map_or(Ok(Config::Spn), |config| config.parse())?;
    match Machine::threads(1).config(config).run(|out| Hasty::call(None, out)) {
        Ok(run) => Err(format!("the run gave {}", run.value).into()),
        Err(error) => {
            println!("{error}");
            Ok(())
        }
    }
}
