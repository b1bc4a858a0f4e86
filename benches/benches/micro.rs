//! The workloads of `earth-benches` under criterion, which prints the distribution of their times:
//! `cargo bench -p earth-benches --bench micro`.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use earth::{Config, Machine};
use earth_benches::{chain, fib, pool, round_trip, simulated};

const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

fn fibs(c: &mut Criterion) {
    let n = 20;
    let mut group = c.benchmark_group("fib(20)");
    group.throughput(Throughput::Elements(fib::joins(n)));
    for nodes in [1, 2] {
        let rayon = pool(nodes);
        group.bench_function(BenchmarkId::new("rayon", nodes), |b| b.iter(|| fib::on_rayon(&rayon, n)));
        for config in CONFIGS {
            let mut machine = Machine::threads(nodes).config(config);
            group.bench_function(BenchmarkId::new(config.to_string(), nodes), |b| {
                b.iter(|| fib::on_earth(&mut machine, n));
            });
        }
    }
}

fn chains(c: &mut Criterion) {
    let links = 10_000;
    let mut group = c.benchmark_group("chain of 10^4 fibers");
    group.throughput(Throughput::Elements(links));
    let rayon = pool(1);
    group.bench_function("rayon", |b| b.iter(|| chain::on_rayon(&rayon, links)));
    for config in CONFIGS {
        let mut machine = Machine::threads(1).config(config);
        group.bench_function(config.to_string(), |b| b.iter(|| chain::on_earth(&mut machine, links)));
    }
}

fn round_trips(c: &mut Criterion) {
    let rounds = 1_000;
    let mut group = c.benchmark_group("signal there and back");
    group.throughput(Throughput::Elements(rounds));
    group.bench_function("rtrb", |b| {
        b.iter_custom(|times| (0..times).map(|_| round_trip::on_rtrb(rounds)).sum());
    });
    for config in CONFIGS {
        let mut machine = Machine::threads(2).config(config);
        group.bench_function(config.to_string(), |b| b.iter(|| round_trip::on_earth(&mut machine, rounds)));
    }
}

/// Measures the host's time per simulated fiber.
fn simulation(c: &mut Criterion) {
    let mut group = c.benchmark_group("a fiber of 64 simulated nodes");
    let each = |total: Duration, fibers: u64, times: u64| total.mul_f64(times as f64 / fibers as f64);
    for config in CONFIGS {
        let mut machine = simulated::machine(config);
        group.bench_function(BenchmarkId::new("fib(20)", config), |b| {
            b.iter_custom(|times| {
                let (fibers, took) = simulated::fibs(&mut machine, 20);
                each(took, fibers, times)
            });
        });
        for alive in [1 << 14, 1 << 20] {
            group.bench_function(BenchmarkId::new(format!("{alive} under way"), config), |b| {
                b.iter_custom(|times| {
                    let (fibers, took) = simulated::crowd(&mut machine, alive);
                    each(took, fibers, times)
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = fibs, chains, round_trips, simulation
}
criterion_main!(benches);
