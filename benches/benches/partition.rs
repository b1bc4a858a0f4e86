//! Time to distribute rows over groups: `cargo bench -p earth-benches --bench partition`.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use earth_papers::partition::{TimeFunction, hpopta, popta};

const STEP: usize = 64;

/// Returns a function of 1,000 points that rises and falls. The same group always gets the same function.
fn function(group: usize) -> TimeFunction {
    // Knuth's multiplicative hash, which looks random enough.
    let noise = |units: usize| ((group * 1_000 + units) * 2_654_435_761 % 1_024) as f64 / 1_024.0;
    let points = (1..=1_000).map(|units| (units * STEP, units as f64 * (1.0 + noise(units))));
    TimeFunction::new(points).expect("times are above 0")
}

fn partitions(c: &mut Criterion) {
    let functions: Vec<_> = (0..64).map(function).collect();
    let rows = 1_000 * STEP;
    let mut group = c.benchmark_group(format!("{rows} rows, 1,000 points a group"));
    for groups in [4, 16, 64] {
        let functions = &functions[..groups];
        let id = |method| BenchmarkId::new(method, groups);
        group.bench_function(id("POPTA"), |b| {
            b.iter(|| popta(functions, rows, STEP).map(|found| found.seconds()));
        });
        group.bench_function(id("HPOPTA"), |b| {
            b.iter(|| hpopta(functions, rows, STEP).map(|found| found.seconds()));
        });
    }
    group.finish();
    // Half of all rows that 64 functions cover, and a remainder: sets of 32,000 totals.
    let rows = 32_000 * STEP + 17;
    let mut group = c.benchmark_group(format!("{rows} rows, 64 groups of 1,000 points"));
    group
        .bench_function("HPOPTA", |b| b.iter(|| hpopta(&functions, rows, STEP).map(|found| found.seconds())));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(11)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = partitions
}
criterion_main!(benches);
