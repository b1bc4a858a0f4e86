#![allow(missing_docs)]
use earth::{Config, Machine};
use earth_benches::{fib, simulated};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let config = if a[2] == "dual" { Config::Dual } else { Config::Spn };
    let n: u64 = a[3].parse().unwrap();
    let runs: u32 = a.get(4).map_or(1, |s| s.parse().unwrap());
    match a[1].as_str() {
        "crowd" => {
            let mut m = simulated::machine(config);
            for _ in 0..runs {
                let (f, t) = simulated::crowd(&mut m, n);
                println!("{f} fibers {t:?} {:.1} ns", t.as_secs_f64() * 1e9 / f as f64);
            }
        }
        "sfib" => {
            let mut m = simulated::machine(config);
            for _ in 0..runs {
                let (f, t) = simulated::fibs(&mut m, n);
                println!("{f} fibers {t:?} {:.1} ns", t.as_secs_f64() * 1e9 / f as f64);
            }
        }
        "fib1" | "fib2" => {
            let nodes = if a[1] == "fib1" { 1 } else { 2 };
            let mut m = Machine::threads(nodes).config(config);
            for _ in 0..runs {
                let t = std::time::Instant::now();
                fib::on_earth(&mut m, n);
                let t = t.elapsed();
                println!("{} joins {t:?} {:.2} ns", fib::joins(n), t.as_secs_f64() * 1e9 / fib::joins(n) as f64);
            }
        }
        _ => panic!(),
    }
}
