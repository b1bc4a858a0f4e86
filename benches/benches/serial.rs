//! Transforms in the caller's thread: `cargo bench -p earth-benches --bench serial`.
//!
//! * *Calls.* The time of a call of `earth-serial`, and of a call of an `earth-fft` plan, which finds its own
//!   scratch, compared with rustfft. All three use rustfft's kernel. The data are zeros, which take the same
//!   time as other data.
//! * *Real.* Real transforms by the project's own kernels, compared with complex ones of equal length, both
//!   out of place.
//! * *Plans.* The plan of a new planner compared with its transform: powers of two, other products of small
//!   primes, and primes.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use earth_codelets::Isa;
use earth_fft::{Kernel, Planner, Problem};
use earth_kernels::{ColumnKernel, Direction, Real, RealKernel, RowKernel};
use earth_rustfft::RustFft;
use earth_serial::{ComplexPlan, Kernels, RealPlan, Shape};
use num_complex::Complex;
use rustfft::FftPlanner;

/// Rows by rustfft.
struct Peer;

impl<T: Real> Kernels<T> for Peer {
    type Error = Infallible;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, Infallible> {
        Ok(Arc::new(RustFft::new(len)))
    }
}

/// The project's own kernels, with the widest instructions.
struct Own;

impl<T: Real> Kernels<T> for Own {
    type Error = &'static str;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, Self::Error> {
        earth_codelets::rows(Isa::best(), len).ok_or("a length with a prime factor over 13")
    }

    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        earth_codelets::columns(Isa::best(), len)
    }

    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        earth_codelets::real(Isa::best(), len)
    }
}

fn zeros(n: usize) -> Vec<Complex<f64>> {
    vec![Complex::new(0.0, 0.0); n]
}

fn calls(c: &mut Criterion) {
    let mut group = c.benchmark_group("a call");
    for n in [8, 16, 32, 64, 128, 256, 512, 1024] {
        let mut points = zeros(n);
        let fft = FftPlanner::new().plan_fft_forward(n);
        let mut scratch = zeros(fft.get_inplace_scratch_len());
        group.bench_function(BenchmarkId::new("rustfft", n), |b| {
            b.iter(|| fft.process_with_scratch(&mut points, &mut scratch));
        });
        let shape = Shape::new(&[n]);
        let plan = ComplexPlan::new(&shape, &shape.contiguous(), &shape.contiguous(), &Peer).expect("a plan");
        let mut scratch = zeros(plan.scratch_len());
        group.bench_function(BenchmarkId::new("earth-serial", n), |b| {
            b.iter(|| plan.process(Direction::Forward, 1.0, &mut points, &mut scratch));
        });
        let planner = Planner::new().kernel(Kernel::RustFft);
        let plan = planner.plan::<f64>(&Problem::complex(&[n])).expect("a plan");
        group.bench_function(BenchmarkId::new("earth-fft", n), |b| b.iter(|| plan.process(&mut points)));
        let real = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n])).expect("a plan");
        let numbers = vec![0.0; n];
        group.bench_function(BenchmarkId::new("earth-fft, real numbers", n), |b| {
            b.iter(|| real.process(&numbers, &mut points));
        });
    }
}

fn real(c: &mut Criterion) {
    let mut group = c.benchmark_group("real and complex");
    let square = |n: usize| vec![n, n];
    let shapes = (6..=18).step_by(2).map(|log| vec![1 << log]).chain([256, 1024].map(square));
    for lengths in shapes {
        let shape = Shape::new(&lengths);
        let (like, half) = (shape.contiguous(), shape.spectrum());
        let total = lengths.iter().product::<usize>();
        group.throughput(Throughput::Elements(total as u64));
        let complex = ComplexPlan::new(&shape, &like, &like, &Own).expect("a plan");
        let forward = RealPlan::new(Direction::Forward, &shape, &like, &half, &Own).expect("a plan");
        let inverse = RealPlan::new(Direction::Inverse, &shape, &half, &like, &Own).expect("a plan");
        let (points, mut numbers) = (zeros(total), vec![0.0; total]);
        let (mut to, mut spectrum) = (zeros(total), zeros(half.distance));
        let needed = [complex.scratch_len(), forward.scratch_len(), inverse.scratch_len()];
        let mut scratch = zeros(needed.into_iter().max().unwrap_or(0));
        let id = |what| BenchmarkId::new(what, &shape);
        group.bench_function(id("complex"), |b| {
            b.iter(|| complex.process_into(Direction::Forward, 1.0, &points, &mut to, &mut scratch));
        });
        group.bench_function(id("real forward"), |b| {
            b.iter(|| forward.forward(1.0, &numbers, &mut spectrum, &mut scratch));
        });
        group.bench_function(id("real inverse"), |b| {
            b.iter(|| inverse.inverse(1.0, &mut spectrum, &mut numbers, &mut scratch));
        });
    }
}

fn plans(c: &mut Criterion) {
    fn of<T: earth_fft::Precision>(c: &mut Criterion) {
        let mut group = c.benchmark_group(format!("a plan of {}", T::NAME));
        for n in [1 << 10, 1 << 13, 1 << 16, 10_000, 19_683, 11_264, 10_007, 65_537] {
            let problem = Problem::complex(&[n]);
            let plan = || Planner::new().nodes(NonZeroUsize::MIN).plan::<T>(&problem).unwrap();
            group.bench_function(BenchmarkId::new("plan", n), |b| b.iter(plan));
            let (plan, mut points) = (plan(), vec![Complex::new(T::zero(), T::zero()); n]);
            group.bench_function(BenchmarkId::new("transform", n), |b| {
                b.iter(|| plan.process(&mut points).unwrap());
            });
        }
    }
    of::<f32>(c);
    of::<f64>(c);
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    targets = calls, real, plans
}
criterion_main!(benches);
