//! SPN, DUAL and a peer side by side, timed in turn in one run:
//! `cargo bench -p earth-benches --bench ratios`.
//!
//! Each row shows the peer's time, earth's time in both configurations, the ratios of earth to the peer
//! (least / median / largest of the pairs), and the target ratio. Rows that miss the target stay in the
//! table.

use std::time::Duration;

use earth::{Config, Machine};
use earth_benches::paired::{PAIRS, Spread, Timed, interleaved, ratios, timed};
use earth_benches::traced::Shape;
use earth_benches::wavefront::Successors;
use earth_benches::{chain, fib, outstanding, pool, round_trip, wavefront};

/// Prints one row; times are divided by `units`.
fn row(name: &str, want: &str, units: f64, mut things: [Timed<'_>; 3]) {
    let [peer, spn, dual] = {
        let times = interleaved(&mut things);
        [times[0].clone(), times[1].clone(), times[2].clone()]
    };
    let per_unit = |times: &[f64]| Spread::of(times.iter().map(|time| time / units).collect()).median;
    println!(
        "{name:<34} {:>10.1} {:>10.1} {:>10.1}   {:<22.2} {:<22.2} {want}",
        per_unit(&peer),
        per_unit(&spn),
        per_unit(&dual),
        ratios(&spn, &peer),
        ratios(&dual, &peer),
    );
}

fn main() {
    // `cargo test --benches` passes this argument. Building the benchmark is then enough.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    if let Some(who) = std::env::args().skip_while(|argument| argument != OUTSTANDING).nth(1) {
        println!("{}", outstanding_bytes(&who));
        return;
    }
    println!(
        "median ns a unit; ratios to the peer: least / median / largest of {PAIRS} pairs timed in turn\n"
    );
    println!(
        "{:<34} {:>10} {:>10} {:>10}   {:<22} {:<22} reach",
        "measure", "peer", "SPN", "DUAL", "SPN : peer", "DUAL : peer"
    );
    let machine = |nodes: usize, config| Machine::threads(nodes).config(config);

    for (nodes, n, want) in [(1, 27, "1.5, then 1.0"), (2, 27, "1.2, then 0.8")] {
        let (rayon, mut spn, mut dual) =
            (pool(nodes), machine(nodes, Config::Spn), machine(nodes, Config::Dual));
        row(
            &format!("fib({n}), a join, {nodes} node(s)"),
            want,
            fib::joins(n) as f64,
            [
                Box::new(|| timed(|| fib::on_rayon(&rayon, n))),
                Box::new(|| timed(|| fib::on_earth(&mut spn, n))),
                Box::new(|| timed(|| fib::on_earth(&mut dual, n))),
            ],
        );
    }

    let links = 1_000_000;
    let (rayon, mut spn, mut dual) = (pool(1), machine(1, Config::Spn), machine(1, Config::Dual));
    row(
        "chain of 10^6 fibers, a fiber",
        "0.25",
        links as f64,
        [
            Box::new(|| timed(|| chain::on_rayon(&rayon, links))),
            Box::new(|| timed(|| chain::on_earth(&mut spn, links))),
            Box::new(|| timed(|| chain::on_earth(&mut dual, links))),
        ],
    );

    let rounds = 100_000;
    let (mut spn, mut dual) = (machine(2, Config::Spn), machine(2, Config::Dual));
    row(
        "signal there and back, 2 nodes",
        "1.0",
        rounds as f64,
        [
            Box::new(|| round_trip::on_rtrb(rounds)),
            Box::new(|| timed(|| round_trip::on_earth(&mut spn, rounds))),
            Box::new(|| timed(|| round_trip::on_earth(&mut dual, rounds))),
        ],
    );

    wavefront_rows(machine(2, Config::Spn), machine(2, Config::Dual));

    traced_rows();

    println!("\nresident bytes an outstanding token (10^6 of them, a process each)");
    let peer = in_a_process_of_its_own("rayon");
    for who in ["SPN", "DUAL"] {
        let bytes = in_a_process_of_its_own(who);
        println!(
            "  {who:<5} {bytes:6.1}   rayon scope.spawn {peer:6.1}   ratio {:.2}   reach 1.2",
            bytes / peer
        );
    }
}

const OUTSTANDING: &str = "--outstanding";

/// Returns the memory of an outstanding token, in bytes, for one engine.
fn outstanding_bytes(who: &str) -> f64 {
    let count = 1_000_000;
    match who {
        "SPN" => outstanding::on_earth(&mut Machine::threads(1), count),
        "DUAL" => outstanding::on_earth(&mut Machine::threads(1).config(Config::Dual), count),
        _ => outstanding::on_rayon(&pool(1), count),
    }
}

fn in_a_process_of_its_own(who: &str) -> f64 {
    let program = std::env::current_exe().expect("a running program has a path");
    let child = std::process::Command::new(program).args([OUTSTANDING, who]).output();
    let printed = String::from_utf8(child.expect("this program can be started again").stdout);
    printed.ok().and_then(|bytes| bytes.trim().parse().ok()).expect("it says how many bytes")
}

/// Measures the cost of a trace if a fiber takes 100 ns.
fn traced_rows() {
    println!(
        "\ntraced and recorded against neither, fibers of 100 ns, 1 node       ns a fiber, without and with"
    );
    for config in [Config::Spn, Config::Dual] {
        for shape in [Shape::Chain(500_000), Shape::Fib(25)] {
            let machine = || Machine::threads(1).config(config);
            let (mut plain, mut tracing, mut recording) =
                (machine(), machine().trace(true), machine().record(true));
            let rounds = shape.rounds(&mut plain, Duration::from_nanos(100));
            let times = interleaved(&mut [
                Box::new(|| shape.run(&mut plain, rounds)),
                Box::new(|| shape.run(&mut tracing, rounds)),
                Box::new(|| shape.run(&mut recording, rounds)),
            ]);
            let a_fiber = |times: &[f64]| Spread::of(times.to_vec()).median / shape.fibers() as f64;
            for (watched, what, reach) in [(1, "traced", "reach 1.2"), (2, "recorded", "reach 1.15")] {
                println!(
                    "  {:<46} {:>7.1} {:>7.1}          ratio {:<22.3} {}",
                    format!("{shape:?}, {config:?}, {what}"),
                    a_fiber(&times[0]),
                    a_fiber(&times[watched]),
                    ratios(&times[watched], &times[0]),
                    if config == Config::Spn || watched == 2 { reach } else { "" }
                );
            }
        }
    }
}

/// Measures two efficiencies. The first is half the time of all tiles in one loop, divided by the time taken.
/// The second is the time of two independent loops on the two cores at once, divided by the time taken.
fn wavefront_rows(mut spn: Machine, mut dual: Machine) {
    let side = 1000;
    let per_tile = wavefront::calibrate(Duration::from_nanos(100));
    let rayon = pool(2);
    let mut things: [Timed<'_>; 6] = [
        Box::new(|| wavefront::sequential(side, per_tile)),
        Box::new(|| wavefront::halves(side, per_tile)),
        Box::new(|| wavefront::on_rayon(&rayon, side, per_tile, Successors::Spawned)),
        Box::new(|| wavefront::on_rayon(&rayon, side, per_tile, Successors::Direct)),
        Box::new(|| wavefront::on_earth(&mut spn, side, per_tile)),
        Box::new(|| wavefront::on_earth(&mut dual, side, per_tile)),
    ];
    let times = interleaved(&mut things);
    println!(
        "\nwavefront {side} x {side}, tiles of {:.0} ns{:16}efficiency on 2 cores     of two free loops   ",
        Spread::of(times[0].clone()).median / 1e6,
        ""
    );
    let names = [
        "two loops, no dependences",
        "rayon, both spawned",
        "rayon, direct successor",
        "SPN, 2 nodes",
        "DUAL, 2 nodes",
    ];
    for (name, taken) in names.iter().zip(&times[1..]) {
        let efficiency =
            Spread::of(times[0].iter().zip(taken).map(|(alone, taken)| alone / 2.0 / taken).collect());
        let reach = if name.starts_with("SPN") { "reach 0.93" } else { "" };
        println!("  {name:<46} {efficiency:<25.3} {:<25.3} {reach}", ratios(&times[1], taken));
    }
}
