use earth::{Config, Machine};
use earth_benches::{chain, fib, round_trip, wavefront};
use std::time::{Duration, Instant};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let config = if a[2] == "dual" { Config::Dual } else { Config::Spn };
    let nodes: usize = a[3].parse().unwrap();
    let mut m = Machine::threads(nodes).config(config);
    let timed = |w: &mut dyn FnMut()| {
        let s = Instant::now();
        w();
        s.elapsed().as_secs_f64() * 1e9
    };
    let mut t = vec![];
    for i in 0..6 {
        let ns = match a[1].as_str() {
            "fib" => {
                timed(&mut || fib::on_earth(&mut m, if config == Config::Dual { 22 } else { 27 }))
                    / fib::joins(if config == Config::Dual { 22 } else { 27 }) as f64
            }
            "chain" => timed(&mut || chain::on_earth(&mut m, 300_000)) / 300_000.0,
            "trip" => timed(&mut || round_trip::on_earth(&mut m, 50_000)) / 50_000.0,
            _ => {
                let side = 600;
                wavefront::on_earth(&mut m, side, a[4].parse().unwrap()).as_secs_f64() * 1e9
                    / (side * side) as f64
            }
        };
        if i > 0 {
            t.push(ns);
        }
    }
    t.sort_by(f64::total_cmp);
    let _ = Duration::ZERO;
    println!("{:.3}", t[t.len() / 2]);
}
