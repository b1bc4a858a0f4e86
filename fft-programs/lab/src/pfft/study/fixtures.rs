//! Invented rows for tests.

use earth_fft::computer::Computer;
use earth_papers::partition::{Grouping, Point};

use super::choice::GroupingSpeed;
use super::findings::{KernelFindings, Study};
use super::rows::{Conditions, GroupingTime, Groupings, Method, Methods, Published, SCHEMA, Sampled, Timed};

pub(super) fn conditions() -> Conditions {
    Conditions {
        schema: SCHEMA,
        computer: Computer {
            architecture: "x86_64".to_owned(),
            processor: Some("Example".to_owned()),
            cores: Some(4),
            usable_cores: 4,
            caches: Vec::new(),
            family: "linux".to_owned(),
            system: None,
        },
        precision: "f64".to_owned(),
        config: "spn".to_owned(),
        cores: 36,
        effort: "estimate".to_owned(),
        planning: false,
        as_published: false,
        repetitions: 30,
        point_seconds: 10.0,
        speed_seconds: 0.5,
        measure_to: 0,
        patient_to: 0,
    }
}

pub(super) fn point(mean: f64) -> Point {
    Point { mean, half_width: mean / 100.0, repetitions: 10, normality: None }
}

/// Returns the time of a matrix at `gflops` Gflop/s.
pub(super) fn seconds(n: usize, gflops: f64) -> f64 {
    let points = (n * n) as f64;
    5.0 * points * points.log2() / gflops / 1e9
}

pub(super) fn groupings(kernel: &str, n: usize, speeds: &[(usize, usize, f64)]) -> Groupings {
    let way = |&(groups, threads, gflops): &(usize, usize, f64)| GroupingTime {
        groups,
        threads,
        time: point(seconds(n, gflops)),
    };
    Groupings {
        kernel: kernel.to_owned(),
        version: None,
        n,
        ways: speeds.iter().map(way).collect(),
        took: 1.0,
    }
}

/// Makes rows of two groups of two. The speeds are in the order of [`Method::EXACT`].
pub(super) fn methods(kernel: &str, n: usize, gflops: [f64; 7]) -> Methods {
    let timed = |(method, gflops): (Method, f64)| Timed {
        method,
        by_library: method == Method::Basic && kernel != "rustfft",
        time: point(seconds(n, gflops)),
        again: point(seconds(n, gflops)),
        rows: vec![n / 2, n - n / 2],
        apart: false,
        through: Vec::new(),
        error: 1e-16,
    };
    Methods {
        kernel: kernel.to_owned(),
        version: None,
        n,
        groups: 2,
        threads: 2,
        methods: Method::EXACT.into_iter().zip(gflops).map(timed).collect(),
        speeds: [n / 4, n / 2, 3 * n / 4].into_iter().map(|rows| sampled(rows, n, [1e9; 2])).collect(),
        notes: Vec::new(),
        took: 1.0,
    }
}

/// Makes points of two groups at these speeds, in flops per second.
pub(super) fn sampled(rows: usize, length: usize, speeds: [f64; 2]) -> Sampled {
    let flops = earth_papers::partition::flops(rows, length);
    let seconds: Vec<_> = speeds.map(|speed| flops / speed).into();
    let half_widths = seconds.iter().map(|seconds| seconds / 100.0).collect();
    let (again, again_half_widths) = (Vec::new(), Vec::new());
    Sampled { pad: "none".to_owned(), rows, length, seconds, half_widths, again, again_half_widths }
}

pub(super) fn found(kernel: &str, rows: Vec<Methods>) -> KernelFindings {
    let grouping = Grouping { groups: 2, threads: 2 };
    let ways = [(1, 4), (2, 2), (4, 1)];
    let preference = |(groups, threads)| GroupingSpeed {
        grouping: Grouping { groups, threads },
        mean_gflops: if groups == 2 { 2.0 } else { 1.0 },
        wins: 0,
    };
    KernelFindings {
        kernel: kernel.to_owned(),
        version: None,
        preferences: ways.map(preference).into(),
        grouping: Some(grouping),
        steps_to: usize::MAX,
        rows,
        efforts: Vec::new(),
        lengths: None,
    }
}

pub(super) fn study(kernels: Vec<KernelFindings>) -> Study {
    let sizes = kernels.first().map(|found| found.rows.iter().map(|row| row.n).collect());
    Study {
        conditions: conditions(),
        sizes: sizes.unwrap_or_default(),
        steps_to: usize::MAX,
        kernels,
        published: Some(Published { n: 48, filled: 64, error: 0.9, bound: 1e-14 }),
        transposes: Vec::new(),
        differs: None,
        left_out: 0,
        took: 4000.0,
    }
}
