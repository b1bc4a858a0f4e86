//! Costs of lines with the kernels of this program.
//!
//! A *sample* is a number of lines of one length, transformed in place again and again. With few lines the
//! data stay in an inner cache; with many lines they exceed the caches of a core.
//!
//! * Few lines show the cost of computation. Least squares over the prime factors of their lengths gives the
//!   costs; the remaining error becomes a curve over the length.
//! * Many lines show which part of memory's time is not hidden: the part for which the model is closest to
//!   the samples.

use std::collections::BTreeMap;
use std::sync::Arc;

use earth_codelets::Isa;
use earth_fft::Precision;
use earth_fft::advisor::{Curve, KernelRates, Lines, Pattern, Predicted, Rates};
use earth_fft::kernel::own_rows;
use earth_kernels::{ColumnKernel, Direction, MatrixMut, RowKernel, TransposingKernel};
use earth_report::numbers::mean;
use earth_rustfft::RustFft;
use num_complex::Complex;

use super::{CalibrationEffort, fit, time};

/// Lengths with prime factors up to 13. The first lengths are multiples of all vector lengths, the next ones
/// of half of a vector, and the last ones of no vector.
const SMOOTH: [usize; 70] = [
    64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 524_288, 1_048_576,
    384, 768, 1536, 3072, 6144, 12288, 49152, 196_608, 320, 640, 1280, 5120, 20480, 448, 896, 3584, 14336,
    576, 1152, 4608, 2000, 10_000, 100_000, 600, 1000, 2520, 9072, 300, 500, 540, 700, 1500, 2500, 4500,
    12_500, 315, 525, 729, 875, 1225, 2187, 3125, 6561, 15_625, 16_807, 59_049, 405, 704, 832, 11_264,
    13_312, 1100, 1300, 2197, 1375,
];

/// Lengths of columns, and of rows that become columns.
const COLUMNS: [usize; 40] = [
    4, 5, 7, 8, 9, 12, 16, 20, 25, 27, 32, 48, 64, 81, 100, 125, 128, 180, 243, 256, 343, 512, 625, 768,
    1000, 1024, 1225, 1536, 2048, 2187, 3000, 3584, 4096, 6561, 8192, 16384, 11, 13, 352, 416,
];

/// Lengths made of rustfft's butterflies.
const RUSTFFT_LENGTHS: [usize; 56] = [
    2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 19, 20, 24, 27, 32, 36, 44, 52, 60, 64, 88, 100, 110, 121, 130, 169,
    176, 200, 210, 225, 243, 286, 352, 361, 500, 512, 572, 1000, 1001, 1024, 1210, 1408, 2197, 2310, 4096,
    5632, 6600, 10_000, 11_011, 16384, 22_000, 65536, 100_100, 262_144, 390_625,
];

/// Lengths with a prime factor over 31, which need a chirp (Bluestein).
const CHIRPS: [usize; 30] = [
    37, 41, 74, 97, 101, 148, 202, 251, 509, 514, 771, 1018, 1021, 1153, 2042, 2053, 2062, 4099, 6007, 8191,
    8212, 12_289, 16_381, 18_448, 20_014, 32_771, 40_961, 65_537, 100_003, 262_139,
];

/// Lengths of the samples with many lines.
const MANY: [usize; 3] = [256, 1000, 2048];

/// Name of rustfft's kernel.
const RUSTFFT: &str = "rustfft";

/// Bytes of the samples with many lines: in the last-level cache, and in memory.
const LARGE: [usize; 2] = [8 << 20, 64 << 20];

/// Bytes of the samples with few lines.
const FEW: usize = 16 << 10;

/// Bytes of adjacent columns that are transformed together.
const COLUMNS_BYTES: usize = 256;

/// Trials of the part that is not hidden, and their spacing.
const TRIALS: u32 = 26;
const STEP: f64 = 0.05;

/// Kernel under measurement.
enum Of<T: Precision> {
    Rows(Arc<dyn RowKernel<T>>),
    Columns(Arc<dyn ColumnKernel<T>>),
    Turned(Arc<dyn TransposingKernel<T>>),
}

/// Number of lines of one length, and their total time in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Sample {
    len: usize,
    lines: usize,
    time: f64,
    /// Time that the model predicts for memory alone, in nanoseconds.
    memory: f64,
}

impl<T: Precision> Of<T> {
    fn name(&self) -> &'static str {
        match self {
            Self::Rows(rows) => rows.name(),
            Self::Columns(columns) => columns.name(),
            Self::Turned(turned) => turned.name(),
        }
    }

    fn kind(&self) -> (Lines, Pattern) {
        match self {
            Self::Rows(_) => (Lines::Rows, Pattern::Stream),
            Self::Columns(_) => (Lines::Columns, Pattern::Columns),
            Self::Turned(_) => (Lines::Turned, Pattern::Columns),
        }
    }

    /// Measures the nanoseconds of `lines` lines.
    fn time(&self, len: usize, lines: usize, care: CalibrationEffort) -> f64 {
        let zero = Complex::new(T::zero(), T::zero());
        let mut data = vec![zero; len * lines];
        let forward = Direction::Forward;
        let timed = |call: &mut dyn FnMut()| time::of_work(care, call);
        match self {
            Self::Rows(rows) => {
                let mut scratch = rows.scratch();
                let together = if rows.wants_many() { (FEW / size_of_val(&data[..len])).max(1) } else { 1 };
                timed(&mut || {
                    for rows_of in data.chunks_mut(len * together) {
                        rows.forward(rows_of, &mut scratch);
                    }
                })
            }
            Self::Columns(columns) => {
                let mut scratch = vec![zero; columns.scratch_len()];
                timed(&mut || {
                    let matrix = MatrixMut::Spaced { points: &mut data, distance: lines };
                    columns.transform(forward, None, matrix, lines, &mut scratch);
                })
            }
            Self::Turned(turned) => {
                let mut scratch = vec![zero; turned.scratch_len()];
                let mut result = data.clone();
                let from: Vec<_> = data.chunks(len).collect();
                let mut to: Vec<_> = result.chunks_mut(lines).collect();
                timed(&mut || turned.transform(forward, T::one(), 0, &from, &mut to, &mut scratch))
            }
        }
    }

    fn sample(&self, len: usize, lines: usize, rates: &Rates, care: CalibrationEffort) -> Sample {
        let bytes = len * lines * size_of::<Complex<T>>();
        let (kind, pattern) = self.kind();
        let footprint = if kind == Lines::Turned { 2 * bytes } else { bytes };
        let bandwidth = rates.bandwidth(pattern, 1, footprint as f64).unwrap_or(f64::INFINITY);
        Sample { len, lines, time: self.time(len, lines, care), memory: 2.0 * bytes as f64 / bandwidth }
    }
}

/// Adds the rates of all kernels of a precision.
pub(super) fn measure<T: Precision>(rates: &mut Rates, care: CalibrationEffort) {
    let (isa, point) = (Isa::best(), size_of::<Complex<T>>());
    let own = |len: usize, _: usize| Some(Of::Rows(own_rows::<T>(len))).filter(|of| of.name() != RUSTFFT);
    let rustfft = |len: usize, _: usize| Some(Of::<T>::Rows(Arc::new(RustFft::new(len))));
    let columns = |len: usize, _: usize| earth_codelets::columns(isa, len).map(Of::<T>::Columns);
    let turned = |len: usize, lines: usize| earth_codelets::turned(isa, len, lines).map(Of::<T>::Turned);
    let few = |len: usize| (FEW / (len * point)).max(1);
    let beside = |_: usize| COLUMNS_BYTES / point;
    // Vectors of 64 bytes hold the real or imaginary parts of 128 bytes of points. A row fills all its
    // vectors, all its half vectors, or only some.
    let full =
        |len: &usize| [128, 64].into_iter().map(|bytes| bytes / point).find(|n| len.is_multiple_of(*n));
    for (multiple, many) in
        [(Some(128 / point), MANY), (Some(64 / point), [500, 700, 1500]), (None, [405, 875, 2187])]
    {
        let lengths: Vec<_> = SMOOTH.into_iter().filter(|len| full(len) == multiple).collect();
        let lengths = Lengths { few: &lengths, many: &many, multiple: multiple.unwrap_or(1), chirp: false };
        family(rates, lengths, own, few, care);
    }
    let of = |few, many| Lengths { few, many, multiple: 1, chirp: false };
    family(rates, of(&RUSTFFT_LENGTHS, &[100, 121, 500]), rustfft, few, care);
    family(rates, Lengths { chirp: true, ..of(&CHIRPS, &[1021, 2042]) }, rustfft, few, care);
    for (name, many) in [("chirp", &[2053, 8191]), ("rader", &[1153, 12_289]), ("composite", &[2062, 8212])] {
        let named = |len, lines| own(len, lines).filter(|of| of.name() == name);
        family(rates, Lengths { chirp: true, ..of(&CHIRPS, many) }, named, few, care);
    }
    family(rates, of(&COLUMNS, &MANY), columns, beside, care);
    family(rates, of(&COLUMNS, &MANY), turned, beside, care);
}

/// Returns whether any kernel was measured with lines of this length.
pub(super) fn is_measured(len: usize) -> bool {
    [&SMOOTH[..], &COLUMNS, &RUSTFFT_LENGTHS, &CHIRPS].iter().any(|lengths| lengths.contains(&len))
}

/// Lengths measured of a kernel, with few lines and with many.
#[derive(Clone, Copy, Debug)]
struct Lengths<'a> {
    few: &'a [usize],
    many: &'a [usize],
    multiple: usize,
    chirp: bool,
}

/// Adds the rates of a kernel, if the kernel exists.
fn family<T: Precision>(
    rates: &mut Rates,
    lengths: Lengths<'_>,
    of: impl Fn(usize, usize) -> Option<Of<T>>,
    beside: impl Fn(usize) -> usize,
    care: CalibrationEffort,
) {
    let point = size_of::<Complex<T>>();
    let Some((kernel, kind)) =
        lengths.few.iter().find_map(|&len| of(len, 1)).map(|of| (of.name(), of.kind().0))
    else {
        return;
    };
    let samples = |lines: &mut dyn Iterator<Item = (usize, usize)>| -> Vec<Sample> {
        let fits = lines.filter(|(len, lines)| len * lines * point <= care.bytes);
        let planned = fits.filter_map(|(len, lines)| Some((len, lines, of(len, lines)?)));
        let named = planned.filter(|(_, _, of)| of.name() == kernel);
        named.map(|(len, lines, of)| of.sample(len, lines, rates, care)).collect()
    };
    let few = samples(&mut lengths.few.iter().map(|&len| (len, beside(len))));
    let many = lengths.many.iter().flat_map(|&len| LARGE.map(|bytes| (len, bytes / (len * point))));
    let many = samples(&mut many.map(|(len, lines)| (len, lines.next_multiple_of(beside(len).min(32)))));
    let Lengths { multiple, chirp, .. } = lengths;
    let like = KernelRates {
        kernel: kernel.to_owned(),
        lines: kind,
        point,
        multiple,
        chirp,
        overlap: 0.0,
        line: 0.0,
        length: Curve::default(),
        factors: BTreeMap::new(),
    };
    rates.kernels.extend(fitted(&like, &few, &many));
}

/// Returns the rates for which the model is closest to the samples.
fn fitted(like: &KernelRates, few: &[Sample], many: &[Sample]) -> Option<KernelRates> {
    let far = |rates: &KernelRates| -> f64 {
        let predicted = |sample: &Sample| {
            let compute = rates.line(sample.len) * sample.lines as f64;
            Predicted::new(compute, sample.memory, rates.overlap, 0.0, String::new()).time
        };
        many.iter().map(|sample| (predicted(sample) / sample.time).ln().powi(2)).sum()
    };
    let trials = (0..TRIALS).map(|trial| f64::from(trial) * STEP);
    let trials = trials.map(|overlap| of_few(KernelRates { overlap, ..like.clone() }, few));
    trials.min_by(|a, b| far(a).total_cmp(&far(b))).filter(|_| !few.is_empty())
}

/// Returns the rates with the costs that follow from few lines.
fn of_few(mut rates: KernelRates, few: &[Sample]) -> KernelRates {
    // Computation time does not include the part of memory time that is not hidden.
    let compute = |sample: &Sample| {
        let hidden = rates.overlap * sample.memory;
        (sample.time - hidden).max(sample.time / 2.0) / sample.lines as f64
    };
    let times: Vec<_> = few.iter().map(|sample| (sample.len, compute(sample))).collect();
    let features = |len| {
        let of = KernelRates::features(len, rates.chirp).into_iter().map(|(_, times)| times);
        [1.0].into_iter().chain(of).collect::<Vec<_>>()
    };
    let rows: Vec<_> = times.iter().map(|&(len, time)| (features(len), time)).collect();
    let costs = fit::costs(&rows);
    let names = KernelRates::features(2, rates.chirp).into_iter().map(|(name, _)| name.to_owned());
    rates.line = costs.first().copied().unwrap_or(0.0);
    rates.factors = names.zip(costs.into_iter().skip(1)).filter(|(_, cost)| *cost > 0.0).collect();
    // Remaining factors, by octaves of the length.
    let mut octaves = BTreeMap::<i32, Vec<[f64; 2]>>::new();
    for (len, time) in times {
        let [size, left] = [(len as f64).ln(), (time / rates.line(len)).ln()];
        octaves.entry((len as f64).log2().round() as i32).or_default().push([size, left]);
    }
    let left =
        octaves.values().map(|octave| [0, 1].map(|part| mean(octave.iter().map(|pair| pair[part])).exp()));
    rates.length = Curve::new(left.collect());
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fitting times that known rates predict yields these rates.
    #[test]
    fn rates_are_found_from_times_that_they_made() {
        let factors = [("2", 0.5), ("3", 1.0), ("5", 2.0)].map(|(prime, cost)| (prime.to_owned(), cost));
        let like = KernelRates {
            kernel: "made up".to_owned(),
            lines: Lines::Rows,
            point: 16,
            multiple: 1,
            chirp: false,
            overlap: 0.4,
            line: 20.0,
            length: Curve::new(vec![[1.0, 1.0]]),
            factors: BTreeMap::from(factors),
        };
        let sample = |len: usize, lines: usize, nanoseconds: f64| {
            let memory = nanoseconds * (len * lines) as f64;
            let compute = like.line(len) * lines as f64;
            let time = Predicted::new(compute, memory, like.overlap, 0.0, String::new()).time;
            Sample { len, lines, time, memory }
        };
        let few: Vec<_> = [4, 6, 8, 10, 12, 15, 20, 27, 64, 81, 125, 128, 150, 256, 500, 1024, 1000, 2048]
            .map(|len| sample(len, 2, 0.2))
            .to_vec();
        let many = [sample(256, 1000, 2.0), sample(1000, 1000, 20.0)];
        let unknown = KernelRates {
            overlap: 0.0,
            line: 0.0,
            factors: BTreeMap::new(),
            length: Curve::default(),
            ..like.clone()
        };
        let found = fitted(&unknown, &few, &many).unwrap();
        assert!((found.overlap - like.overlap).abs() < STEP / 2.0, "{found:?}");
        for len in [4, 60, 300, 4096] {
            let [found, expected] = [&found, &like].map(|rates| rates.line(len));
            assert!((found / expected - 1.0).abs() < 0.02, "{len}: {found}, not {expected}");
        }
        assert!(fitted(&unknown, &[], &many).is_none());
    }
}
