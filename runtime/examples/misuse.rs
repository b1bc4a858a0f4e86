//! An operation that cannot be right, and what the run says of it: `cargo run -p earth --example misuse -- dual`. Compiled
//! with `panic = "abort"` nothing unwinds, so the process prints the same sentence and aborts.

use earth::{Config, Machine, Reply, Then, threaded_old};

threaded_old! {
    /// Takes a value from an inlet to which none has come.
    fn Hasty(out: Reply<u64>)
    inlets { x: u64 }
    slots  { came: 1 => add }
    fiber start(this, eu) {
        let x = eu.take(Self::x);
        eu.put(this.out, x);
        Then::Wait
    }
    fiber add(_this, _eu) { Then::End }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = if std::env::args().nth(1).as_deref() == Some("dual") { Config::Dual } else { Config::Spn };
    match Machine::threads(1).config(config).run_old::<Hasty>(()) {
        Ok(run) => Err(format!("the run gave {}", run.value).into()),
        Err(error) => {
            println!("{error}");
            Ok(())
        }
    }
}
