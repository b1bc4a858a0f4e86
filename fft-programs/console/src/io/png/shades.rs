//! Matrix as a picture in 256 shades of gray.
//!
//! *A spectrum* is drawn as `log(1 + |X|)`, because its lines differ by powers of ten. 0 is black, the
//! largest is white, and shades are proportional in between. Zero frequency is in the center (row `rows/2`,
//! column `cols/2`, as in `numpy.fft.fftshift`). So low frequencies are around it, and a line is opposite its
//! mirror image.
//!
//! *A signal*, the result of an inverse transform, is drawn by its real parts: 0 and less is black, 1 and
//! more is white, as pictures are read. So a picture that was transformed and back is unchanged. [`Lost`]
//! counts the samples that the picture does not show.
//!
//! *Values that are not finite.* The largest is taken of the finite values. An infinite value is drawn white
//! (in a signal: white or black by its sign), and a NaN black.
//!
//! Equal values give equal bytes. Errors of the sink, such as a closed pipe, pass unchanged through the
//! encoder.

use std::fmt;
use std::io::{self, Write};

use ::png::{BitDepth, ColorType, Encoder};
use earth_fft::{Precision, magnitude};
use earth_memory::try_filled;
use num_complex::Complex;

/// Half a shade: values that differ by less are drawn in the same shade.
const HALF_A_SHADE: f64 = 0.5 / 255.0;

/// Kind of values that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shades {
    /// Bins of a spectrum.
    Spectrum,
    /// Samples of a signal.
    Signal,
}

/// Numbers of samples of a signal that its picture does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Number of all samples.
    of: usize,
    /// Number of imaginary parts of more than half a shade.
    imaginary: usize,
    /// Number of real parts outside of 0 to 1 by more than half a shade.
    clipped: usize,
}

impl Lost {
    /// Counts them in one pass over a signal. A NaN counts as lost.
    pub fn of<T: Precision>(values: impl ExactSizeIterator<Item = Complex<T>>) -> Self {
        let seen = -HALF_A_SHADE..=1.0 + HALF_A_SHADE;
        let mut lost = Self { of: values.len(), ..Self::default() };
        for value in values {
            lost.imaginary += usize::from(value.im.widen().abs() > HALF_A_SHADE || value.im.widen().is_nan());
            lost.clipped += usize::from(!seen.contains(&value.re.widen()));
        }
        lost
    }

    /// Whether the picture shows all samples.
    pub fn is_nothing(&self) -> bool {
        self.imaginary == 0 && self.clipped == 0
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, imaginary, clipped } = self;
        match (imaginary, clipped) {
            (_, 0) => write!(f, "{imaginary} of {of} samples have an imaginary part")?,
            (0, _) => write!(f, "{clipped} of {of} samples are outside of 0 to 1")?,
            _ => write!(
                f,
                "{clipped} of {of} samples are outside of 0 to 1 and {imaginary} have an imaginary part"
            )?,
        }
        f.write_str(", which a .png does not show; a .npy keeps them")
    }
}

/// Writes a picture of `sides` (rows, columns) whose pixel at a row and a column shows `value(row, column)`.
///
/// The sink need not be buffered; it is not flushed.
///
/// # Errors
///
/// The sink's errors, and sides that are zero or that a `.png` cannot have.
pub fn write<T: Precision, W: Write>(
    sink: W,
    value: impl Fn(usize, usize) -> Complex<T>,
    sides: (usize, usize),
    shades: Shades,
) -> io::Result<()> {
    let mut sink = Sink { to: sink, failed: None };
    let written = encode(&mut sink, value, sides, shades);
    // The encoder wraps an error of its sink.
    written.map_err(|error| sink.failed.unwrap_or(error))
}

/// Sink that keeps its last error.
struct Sink<W> {
    to: W,
    failed: Option<io::Error>,
}

impl<W> Sink<W> {
    fn keep<R>(&mut self, outcome: io::Result<R>) -> io::Result<R> {
        outcome.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.keep(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.keep(flushed)
    }
}

fn encode<T: Precision, W: Write>(
    sink: W,
    value: impl Fn(usize, usize) -> Complex<T>,
    (rows, cols): (usize, usize),
    shades: Shades,
) -> io::Result<()> {
    let (height, width) = (side(rows)?, side(cols)?);
    let sizes = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
    let sizes = sizes.map(|(row, col)| magnitude(value(row, col))).filter(|size| size.is_finite());
    let top = sizes.fold(0.0, f64::max);
    let shade = |value: Complex<T>| {
        let brightness = match shades {
            Shades::Spectrum if top > 0.0 => magnitude(value).ln_1p() / top.ln_1p(),
            Shades::Spectrum => magnitude(value),
            Shades::Signal => value.re.widen(),
        };
        // A NaN becomes 0.
        (brightness * 255.0).round() as u8
    };
    let centre = |at: usize, count: usize| match shades {
        Shades::Spectrum => (at + count.div_ceil(2)) % count,
        Shades::Signal => at,
    };
    let mut encoder = Encoder::new(sink, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    let mut picture = writer.stream_writer().map_err(io::Error::other)?;
    let mut line = try_filled(0, cols, "a row of pixels")
        .map_err(|none| io::Error::new(io::ErrorKind::OutOfMemory, none))?;
    for row in 0..rows {
        for (col, place) in line.iter_mut().enumerate() {
            *place = shade(value(centre(row, rows), centre(col, cols)));
        }
        picture.write_all(&line)?;
    }
    picture.finish().map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

/// Converts a number of rows or columns for the format.
fn side(count: usize) -> io::Result<u32> {
    match i32::try_from(count) {
        Ok(side) if side > 0 => Ok(side.unsigned_abs()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("a .png has from 1 to {} rows and columns, not {count}", i32::MAX),
        )),
    }
}

#[cfg(test)]
#[path = "shades_tests.rs"]
mod tests;
