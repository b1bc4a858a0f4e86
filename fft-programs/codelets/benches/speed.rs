//! Speed of rows on one thread, compared with rustfft and with libraries with FFTW's interface.
//!
//! ```text
//! cargo bench -p earth-codelets --bench speed -- \
//!     [--into] [--single] [--rows 8] [--isa avx2] [LIBRARY ...] LENGTH ...
//! ```
//!
//! For each length, all kernels are timed in rotation. The program prints the median, minimum and maximum
//! rate in `5 n log2 n` operations per nanosecond. It also prints the ratio of the medians to the best
//! library, or to rustfft.
//!
//! * Rows are in double precision; `--single` selects single precision.
//! * Rows are transformed in place; `--into` transforms them out of place.
//! * A call transforms one row; `--rows` sets the number of rows, without libraries only.
//! * A library is a path with a `/` in it, to `libfftw3` or `libmkl_rt`. FFTW plans with `FFTW_MEASURE`.

use std::ffi::{c_double, c_int, c_uint, c_void};
use std::hint::black_box;
use std::time::Instant;

use earth_codelets::{Isa, rows};
use earth_kernels::{Direction, Real, RowKernel};
use earth_rustfft::RustFft;
use libloading::Library;
use num_complex::Complex;

const ROUNDS: usize = 15;
/// Minimum time of a sample, in seconds.
const SAMPLE: f64 = 4e-4;

type Points<T> = [Complex<T>];
type Run<'a, T> = Box<dyn FnMut(&mut Points<T>, &mut Points<T>) + 'a>;
type PlanDft = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void, c_int, c_uint) -> *mut c_void;
type Execute = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void);

/// Memory that begins with a page of 4,096 bytes.
struct Memory<T>(Vec<Complex<T>>, usize);

impl<T: Real> Memory<T> {
    fn new(n: usize) -> Self {
        let size = size_of::<Complex<T>>();
        let points = vec![Complex::new(T::zero(), T::zero()); n + 4096 / size];
        let past = points.as_ptr().addr() % 4096;
        Self(points, (4096 - past) % 4096 / size)
    }

    fn points(&mut self, n: usize) -> &mut Points<T> {
        &mut self.0[self.1..][..n]
    }
}

fn by_kernel<'a, T: Real>(
    kernel: &'a dyn RowKernel<T>,
    scratch: &'a mut Points<T>,
    into: bool,
) -> Run<'a, T> {
    Box::new(move |from, to| {
        if into {
            kernel.transform_into(Direction::Forward, from, to, scratch);
        } else {
            kernel.transform(Direction::Forward, from, scratch);
        }
    })
}

/// Plans by a library for the given memory.
fn by_library<'a, T: Real>(
    library: &'a Library,
    from: &mut Points<T>,
    to: &mut Points<T>,
    into: bool,
) -> Run<'a, T> {
    let n = c_int::try_from(from.len()).expect("a short row");
    let name = |function: &str| {
        let prefix = if size_of::<T>() == 4 { "fftwf" } else { "fftw" };
        format!("{prefix}_{function}")
    };
    // SAFETY: these are functions of FFTW's interface, with the types of its header. The arrays have the
    // planned length, and every execution gets the same arrays.
    unsafe {
        let plan: libloading::Symbol<'a, PlanDft> =
            library.get(name("plan_dft_1d").as_bytes()).expect("plan_dft_1d");
        let execute: libloading::Symbol<'a, Execute> =
            library.get(name("execute_dft").as_bytes()).expect("execute_dft");
        if let Ok(limit) = library.get::<unsafe extern "C" fn(c_double)>(name("set_timelimit").as_bytes()) {
            limit(3.0);
        }
        if let Ok(threads) = library.get::<unsafe extern "C" fn(c_int)>(b"MKL_Set_Num_Threads") {
            threads(1);
        }
        let (x, y) = (from.as_mut_ptr().cast(), to.as_mut_ptr().cast());
        let plan = plan(n, x, if into { y } else { x }, -1, 0);
        assert!(!plan.is_null(), "a plan");
        Box::new(move |from, to| {
            let x = from.as_mut_ptr().cast();
            execute(plan, x, if into { to.as_mut_ptr().cast() } else { x });
        })
    }
}

fn main() {
    let (mut libraries, mut lengths, mut isa) = (Vec::new(), Vec::new(), Isa::best());
    let (mut count, mut into, mut single) = (1, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo adds this argument.
            "--bench" => {}
            "--into" => into = true,
            "--single" => single = true,
            "--isa" => {
                let name = arguments.next().unwrap_or_default();
                isa =
                    *Isa::all().iter().find(|isa| isa.name() == name).expect("instructions of this machine");
            }
            "--rows" => count = arguments.next().and_then(|n| n.parse().ok()).expect("a number of rows"),
            path if path.contains('/') => {
                // SAFETY: runs the library's code, which the caller named.
                libraries.push(unsafe { Library::new(path) }.expect("a library"));
            }
            length => lengths.push(length.parse::<usize>().expect("a length")),
        }
    }
    if single {
        compare::<f32>(isa, &libraries, &lengths, count, into);
    } else {
        compare::<f64>(isa, &libraries, &lengths, count, into);
    }
}

/// Prints a line for each length.
fn compare<T: Real>(isa: Isa, libraries: &[Library], lengths: &[usize], count: usize, into: bool) {
    println!("{:>8} {:>9} {:>24} {:>24}  libraries", "n", "of best", isa.name(), "rustfft");
    let mut ratios = Vec::new();
    for &n in lengths {
        let (mut from, mut to) = (Memory::<T>::new(count * n), Memory::new(count * n));
        let (from, to) = (from.points(count * n), to.points(count * n));
        let (own, other) = (rows::<T>(isa, n), RustFft::<T>::new(n));
        let Some(own) = own else { continue };
        let (mut scratch, mut other_scratch) = (own.scratch(), other.scratch());
        let mut runs =
            vec![by_kernel(&*own, &mut scratch, into), by_kernel(&other, &mut other_scratch, into)];
        runs.extend(libraries.iter().map(|library| by_library(library, from, to, into)));
        let operations = 5.0 * (count * n) as f64 * (n as f64).log2();
        let mut rates = vec![Vec::new(); runs.len()];
        for round in 0..=ROUNDS {
            for (run, rates) in runs.iter_mut().zip(&mut rates) {
                from.fill(Complex::new(T::of(1e-3), T::of(-1e-3)));
                run(from, to);
                let times = (SAMPLE * 4e10 / operations).ceil() as usize;
                let begun = Instant::now();
                for _ in 0..times {
                    run(black_box(&mut *from), black_box(&mut *to));
                }
                if round > 0 {
                    rates.push(operations * times as f64 / begun.elapsed().as_secs_f64() / 1e9);
                }
            }
        }
        let medians: Vec<f64> = rates
            .iter_mut()
            .map(|rates| {
                rates.sort_by(f64::total_cmp);
                rates[rates.len() / 2]
            })
            .collect();
        let others = if libraries.is_empty() { &medians[1..] } else { &medians[2..] };
        let best = others.iter().copied().fold(f64::NAN, f64::max);
        let texts: Vec<_> = rates
            .iter()
            .zip(&medians)
            .map(|(rates, median)| {
                format!("{median:6.1} ({:5.1} ..{:5.1})", rates[0], rates[rates.len() - 1])
            })
            .collect();
        println!(
            "{n:>8} {:>9.2} {:>24} {:>24}  {}",
            medians[0] / best,
            texts[0],
            texts[1],
            texts[2..].join("  ")
        );
        ratios.push(medians[0] / best);
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("geometric mean of the ratios: {mean:.3}");
}
