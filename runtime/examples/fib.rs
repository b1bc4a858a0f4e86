//! Fibonacci numbers by two tokens a call: `cargo run --release -p earth --example fib -- 30 2 dual`.

use earth::{Config, Machine, Reply, Then, threaded};

threaded! {
    /// The n-th Fibonacci number, two tokens a call.
    fn Fib(n: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { done: 2 => add }
    fiber start(this, eu) {
        if this.n < 2 { eu.put(this.out, this.n); return Then::End; }
        eu.token::<Fib>((this.n - 1, eu.reply_to(Self::left, Self::done)));
        eu.token::<Fib>((this.n - 2, eu.reply_to(Self::right, Self::done)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let n = args.next().map_or(Ok(25), |n| n.parse())?;
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse())?;
    let config = if args.next().as_deref() == Some("dual") { Config::Dual } else { Config::Spn };
    let mut machine = Machine::threads(nodes).config(config);
    for _ in 0..3 {
        let run = machine.run::<Fib>(n)?;
        let joins = run.counters.frames_ended as f64;
        println!(
            "fib({n}) = {} on {nodes} nodes, {config}: {:.1} ms, {} fibers, {} stolen, {:.1} ns a join",
            run.value,
            run.elapsed.as_secs_f64() * 1e3,
            run.counters.fibers,
            run.counters.tokens_stolen,
            run.elapsed.as_secs_f64() * 1e9 / joins,
        );
    }
    Ok(())
}
