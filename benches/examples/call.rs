//! temporary
use earth_fft::{Complex, Kernel, Planner, Problem};
use earth_kernels::{Direction, RowKernel as _};
use rustfft::FftPlanner;
use std::hint::black_box;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[2].parse().unwrap();
    let count: usize = args[3].parse().unwrap();
    let mut points = vec![Complex::new(0.0f64, 0.0); n];
    let planner =
        Planner::new().kernel(if args[1].starts_with("own") { Kernel::Earth } else { Kernel::RustFft });
    let start;
    match args[1].trim_start_matches("own-") {
        "rustfft" => {
            let fft = FftPlanner::new().plan_fft_forward(n);
            let mut scratch = vec![Complex::new(0.0, 0.0); fft.get_inplace_scratch_len()];
            start = std::time::Instant::now();
            for _ in 0..count {
                fft.process_with_scratch(black_box(&mut points), black_box(&mut scratch));
            }
        }
        "rows" => {
            let fft = Kernel::default()
                .plan::<f64>(earth_kernels::RowShape::contiguous(n, 1), earth_fft::Effort::Estimate)
                .unwrap();
            let mut scratch = fft.scratch();
            start = std::time::Instant::now();
            for _ in 0..count {
                fft.transform(Direction::Forward, black_box(&mut points), black_box(&mut scratch));
            }
        }
        "plan" => {
            let plan = planner.plan::<f64>(&Problem::complex(&[n])).unwrap();
            start = std::time::Instant::now();
            for _ in 0..count {
                plan.process(black_box(&mut points)).unwrap();
            }
        }
        "scratch" => {
            let plan = planner.plan::<f64>(&Problem::complex(&[n])).unwrap();
            let mut scratch = vec![Complex::new(0.0, 0.0); plan.scratch_len()];
            start = std::time::Instant::now();
            for _ in 0..count {
                plan.process_with_scratch(black_box(&mut points), black_box(&mut scratch)).unwrap();
            }
        }
        "real" => {
            let plan = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n])).unwrap();
            let numbers = vec![0.0; n];
            start = std::time::Instant::now();
            for _ in 0..count {
                plan.process(black_box(&numbers), black_box(&mut points)).unwrap();
            }
        }
        "back" => {
            let plan = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[n])).unwrap();
            let mut numbers = vec![0.0; n];
            start = std::time::Instant::now();
            for _ in 0..count {
                plan.process(black_box(&mut points), black_box(&mut numbers)).unwrap();
            }
        }
        other => panic!("{other}"),
    }
    let t = start.elapsed().as_nanos() as f64 / count as f64;
    println!("{} {n} {t:.1} ns", args[1]);
}
