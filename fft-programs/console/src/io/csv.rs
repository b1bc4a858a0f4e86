//! Signals and spectra as comma-separated text. [`read`](read()) describes reading.
//!
//! Every written number is the shortest text that reads back as the same value (of the spectrum's own
//! precision), in the order of the header:
//!
//! * A spectrum has `frequency,re,im,amplitude`. The amplitude is |X\[k\]|, not normalized, like the
//!   transform itself.
//! * A signal, the result of an inverse transform, has `index,re,im`, or `time,re,im` in seconds if the rate
//!   is known.
//!
//! Frequencies are in cycles a sample, or in hertz if the rate is known. A whole spectrum is in FFT order
//! with the upper half negative, as in `numpy.fft.fftfreq`: for even N, row N/2 is -1/2. Half a spectrum is
//! rows 0 to N/2, as in `numpy.fft.rfftfreq`: the last is +1/2.

pub(crate) mod cell;
pub(crate) mod error;
pub(crate) mod notation;
pub(crate) mod options;
pub(crate) mod rows;
pub(crate) mod samples;
pub(crate) mod table;
pub(crate) mod text;

use std::io::{self, Write};

use earth_fft::{Precision, magnitude};
use num_complex::Complex;

pub use self::cell::{Decimal, MISSING};
pub(crate) use self::error::CsvError;
pub use self::rows::Separator;
pub use self::samples::Missing;
pub use self::table::{Column, Options, read};

fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Kind of rows in a written file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// Bins of a spectrum.
    Spectrum {
        /// Whether only rows 0 to N/2 are written.
        half: bool,
    },
    /// Samples of a signal.
    Signal,
}

/// Writes `values` with a header. `rate` is in samples a second.
///
/// The sink need not be buffered, and is flushed.
pub fn write<T: Precision, W: Write>(
    sink: W,
    values: impl ExactSizeIterator<Item = Complex<T>>,
    rows: Rows,
    rate: Option<f64>,
) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(sink);
    let count = values.len();
    match rows {
        Rows::Spectrum { half } => {
            writer.write_record(["frequency", "re", "im", "amplitude"]).map_err(io_error)?;
            let shown = if half { count / 2 + 1 } else { count };
            for (bin, value) in values.enumerate().take(shown) {
                let frequency = frequency(bin, count, half) * rate.unwrap_or(1.0);
                writer.serialize((frequency, value.re, value.im, magnitude(value))).map_err(io_error)?;
            }
        }
        Rows::Signal => {
            writer
                .write_record([if rate.is_some() { "time" } else { "index" }, "re", "im"])
                .map_err(io_error)?;
            for (index, value) in values.enumerate() {
                match rate {
                    Some(rate) => writer.serialize((index as f64 / rate, value.re, value.im)),
                    None => writer.serialize((index, value.re, value.im)),
                }
                .map_err(io_error)?;
            }
        }
    }
    writer.flush()
}

/// Returns the frequency of a bin in cycles a sample.
fn frequency(bin: usize, count: usize, half: bool) -> f64 {
    let negative = !half && bin >= count.div_ceil(2);
    let signed = if negative { -((count - bin) as f64) } else { bin as f64 };
    signed / count as f64
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
