//! An operation that cannot be right, and what the run says of it: `cargo run -p earth --example misuse -- dual`. Compiled
//! with `panic = "abort"` nothing unwinds, so the process prints the same sentence and aborts.

use earth::{Config, Eu, Machine, Reply, threaded};

/// Goes on without the value that it needs.
struct Hasty {
    out: Reply<u64>,
}

#[threaded]
impl Hasty {
    /// Puts the value to the fiber that waits for it, and signals that fiber all the same if there is none.
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
