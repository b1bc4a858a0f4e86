//! Checks the accuracy of planned series relative to rustfft, against a transform in twice the precision.
//! `EARTH_LONG=1` in the environment adds 2^20 points.

use earth_fft::{Complex, Precision, Problem};
use earth_kernels::{RowKernel, relative_error};
use earth_rustfft::RustFft;

use super::exact::exact;
use super::oracle::noise;

fn is_as_exact_as_rustfft<T: Precision>(radix: usize, levels: u32) {
    let n = radix.pow(levels);
    let signal = noise::<T>(n);
    let wide: Vec<_> = signal.iter().map(|z| Complex::new(z.re.widen(), z.im.widen())).collect();
    let expected = exact(&wide, radix);
    let plan = earth_papers::planner().plan::<T>(&Problem::complex(&[n])).unwrap();
    let (mut own, mut other) = (signal.clone(), signal);
    plan.process(&mut own).unwrap();
    let rustfft = RustFft::new(n);
    rustfft.forward(&mut other, &mut rustfft.scratch());
    let [own, other] = [own, other].map(|spectrum| relative_error(&spectrum, &expected));
    println!("{n} points in {}: {own:.3e}, rustfft {other:.3e}", T::NAME);
    assert!(own > 0.0 && own <= 1.2 * other, "{n} points in {}: {own} against {other}", T::NAME);
}

#[test]
fn series_are_as_exact_as_by_rustfft() {
    let long = std::env::var_os("EARTH_LONG").map(|_| (2, 20));
    for (radix, levels) in [(2, 10), (2, 16), (3, 10)].into_iter().chain(long) {
        is_as_exact_as_rustfft::<f64>(radix, levels);
        is_as_exact_as_rustfft::<f32>(radix, levels);
    }
}
