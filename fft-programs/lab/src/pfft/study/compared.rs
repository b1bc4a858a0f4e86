//! Comparison of kernels by their times at common N.

use earth_report::numbers::gflops;

use super::findings::{Band, KernelFindings};
use super::rows::further::Transposes;
use super::rows::{Method, Methods};
use crate::pfft::measure::{count_clearly, is_clearly_less, null_band};

/// Kernel and method.
pub(super) type Of<'a> = (&'a KernelFindings, Method);

/// Yields the rows of two kernels with equal N in a band.
fn common<'a>(
    one: &'a KernelFindings,
    other: &'a KernelFindings,
    band: &'a Band,
) -> impl Iterator<Item = (&'a Methods, &'a Methods)> {
    let rows = one.rows.iter().filter(|row| band.has(row.n));
    rows.filter_map(|row| Some((row, other.rows.iter().find(|there| there.n == row.n)?)))
}

/// Returns the larger null band of two kernels, which were measured one after the other.
pub(super) fn null_of([one, other]: [&KernelFindings; 2]) -> f64 {
    one.null_band().max(other.null_band())
}

/// Counts the N of a band at which the first of two kernels and methods is clearly faster, clearly slower,
/// and all N.
pub(super) fn clearly_between((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> [usize; 3] {
    let times = |(here, there): (&Methods, &Methods)| Some([here.timed(of)?.time, there.timed(over)?.time]);
    count_clearly(common(one, other, band).filter_map(times), null_of([one, other]))
}

/// Returns the N of a band at which the first of two kernels and methods is clearly faster.
pub(super) fn wins((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> Vec<usize> {
    let null = null_of([one, other]);
    let is_won = |(here, there): (&Methods, &Methods)| {
        let [one, other] = [here.timed(of)?.time, there.timed(over)?.time];
        is_clearly_less(one, other, null).then_some(here.n)
    };
    common(one, other, band).filter_map(is_won).collect()
}

/// Returns the speeds in Gflop/s of two kernels and methods, at each N of a band.
pub(crate) fn speeds((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> Vec<(usize, (f64, f64))> {
    let speed = |row: &Methods, method| Some(gflops(row.n * row.n, row.timed(method)?.time.mean));
    let both = common(one, other, band);
    both.filter_map(|(here, there)| Some((here.n, (speed(here, of)?, speed(there, over)?)))).collect()
}

/// Returns the null band of transposes: ratios of each size of blocks to itself.
pub fn null_of_transposes(all: &[Transposes]) -> f64 {
    null_band(all.iter().flat_map(|of| &of.sides).map(|side| side.time.mean / side.again.mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfft::study::fixtures::{found, methods};

    #[test]
    fn kernels_are_compared_at_common_sizes() {
        let of = |speeds: &[(usize, f64)]| {
            let row = |&(n, speed): &(usize, f64)| methods("fftw", n, [speed; 7]);
            found("fftw", speeds.iter().map(row).collect())
        };
        let one = of(&[(64, 2.0), (128, 1.0), (256, 3.0)]);
        let other = of(&[(64, 1.0), (128, 2.0), (512, 1.0)]);
        let [one, other] = [(&one, Method::Basic), (&other, Method::Basic)];
        assert_eq!(clearly_between(one, other, &Band::all()), [1, 1, 2]);
        assert_eq!(wins(one, other, &Band::all()), [64]);
        assert_eq!(speeds(one, other, &Band::all()).len(), 2);
    }
}
