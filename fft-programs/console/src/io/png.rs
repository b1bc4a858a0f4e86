//! Pictures: `.png` is read as a matrix of brightness, and written in shades of gray ([`write`](write())).
//!
//! *Values.* A pixel becomes one real double: 0 for black, 1 for white, and in between the stored number over
//! the largest number of its depth (so 8 bits give k/255). Colors become their luminance with the weights of
//! Rec. 709, 0.2126 red + 0.7152 green + 0.0722 blue, of the stored numbers. Gamma is not undone, neither
//! here nor for gray. A user wants the spectrum of what is visible, and a picture that is read and written
//! again is then bitwise equal. The sum is computed in integers and rounded once, so a gray pixel among
//! colors is exactly the gray pixel of a gray picture. Opacity is ignored, since the program does not know
//! the background. A [`Note`] reports colors and opacity.
//!
//! *Accepted:* gray, palettes and colors, with or without opacity, of every depth (1 to 16 bits), interlaced
//! or not. Of an animation the still picture is read, and a note reports that. Texts, times, color profiles
//! and the like are skipped, and so are bytes after the end.
//!
//! *Refused.* A compressed file may claim any size, so memory is allocated in steps:
//!
//! 1. The file itself is held (k bytes).
//! 2. Its header must not claim more than k bytes can hold: deflate never packs more than 1032 bytes in one.
//! 3. A picture of more than [`ALWAYS`] pixels must have a byte for every [`PIXELS_A_BYTE`] of them. Every
//!    photograph has these bytes, and a decompression bomb does not. (A page of text in black and white may
//!    have half of `ALWAYS`, and hardly any bytes.)
//! 4. The pixels are unpacked (up to 8 bytes each), and become samples (8 bytes each).
//!
//! So a file of k bytes costs at most 16 bytes for each of max(`ALWAYS`, 64 k) pixels. Checksums are
//! verified, and the end must be present.

mod error;
pub(crate) mod shades;

use std::io::{self, Cursor, Read};

use ::png::{BitDepth, DecodeOptions, Decoder, DecodingError, Limits, Reader, Transformations};
use earth_memory::{try_filled, try_room};

use self::error::PngError;
pub use self::shades::{Lost, Shades, write};
use super::fill::fill;
use crate::signal::{Note, Samples, Signal, Values};

/// The eight bytes at the start of every `.png` file.
pub const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// Number of pixels that are accepted from a file of any size that can hold them.
pub const ALWAYS: u64 = 1 << 26;

/// Largest number of pixels a byte beyond [`ALWAYS`].
pub const PIXELS_A_BYTE: u64 = 64;

/// Most bytes that deflate makes of one: 258 of two bits.
const UNPACKED_A_BYTE: u64 = 1032;

/// Memory of the decoder in addition to the file's size and a row of pixels, in bytes.
const SCRATCH: usize = 1 << 16;

/// Reads one picture, to the end of the source. The source need not be buffered.
pub fn read<R: Read>(mut source: R) -> Result<Signal, PngError> {
    let mut bytes = vec![0; SIGNATURE.len()];
    let found = fill(&mut source, &mut bytes)?;
    if found == 0 {
        return Err(PngError::EmptyFile);
    }
    if bytes[..found] != SIGNATURE[..found] {
        return Err(PngError::NotPng);
    }
    if found < bytes.len() {
        return Err(PngError::Truncated { found });
    }
    source.read_to_end(&mut bytes)?;
    decode(&bytes)
}

fn decode(bytes: &[u8]) -> Result<Signal, PngError> {
    let wrong = |error| explain(error, bytes.len());
    let mut options = DecodeOptions::default();
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    options.set_ignore_adler32(false);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_limits(Limits { bytes: bytes.len() + SCRATCH });
    let header = decoder.read_header_info().map_err(wrong)?;
    let (cols, rows) = header.size();
    check(rows, cols, header.bits_per_pixel(), bytes.len())?;
    // The check above limits a row to what the file can hold, at 8 bytes an expanded pixel.
    decoder.set_limits(Limits { bytes: bytes.len() + SCRATCH + 8 * cols as usize });
    let mut reader = decoder.read_info().map_err(wrong)?;

    let no_memory = || PngError::Memory { rows, cols };
    let size = reader.output_buffer_size().ok_or_else(no_memory)?;
    let mut pixels = try_filled(0, size, "pixels").map_err(|_| no_memory())?;
    reader.next_frame(&mut pixels).map_err(wrong)?;
    let (samples, mut notes) = brightness(&reader, &pixels).ok_or_else(no_memory)?;
    if let Some(animation) = reader.info().animation_control() {
        notes.push(Note::Animation { pictures: animation.num_frames as usize });
    }
    reader.finish().map_err(wrong)?;
    let lengths = vec![rows as usize, cols as usize];
    Ok(Signal { samples: Samples::F64(Values::Real(samples)), lengths, notes })
}

/// Checks that a file of `bytes` bytes may have that many pixels.
fn check(rows: u32, cols: u32, bits_a_pixel: usize, bytes: usize) -> Result<(), PngError> {
    let pixels = u128::from(rows) * u128::from(cols);
    let size = bytes as u128;
    if pixels * bits_a_pixel as u128 / 8 > size * u128::from(UNPACKED_A_BYTE) {
        Err(PngError::Claim { rows, cols, bytes })
    } else if pixels > u128::from(ALWAYS).max(size * u128::from(PIXELS_A_BYTE)) {
        Err(PngError::Bomb { rows, cols, bytes })
    } else {
        Ok(())
    }
}

/// Returns the samples of pixels of 8 or 16 bits, and notes of the information lost; `None` without memory.
///
/// A pixel has one to four channels: gray, gray with opacity, three colors, three colors with opacity.
fn brightness<R: io::BufRead + io::Seek>(reader: &Reader<R>, pixels: &[u8]) -> Option<(Vec<f64>, Vec<Note>)> {
    let (kind, depth) = reader.output_color_type();
    let channels = kind.samples();
    let (width, white) = if depth == BitDepth::Sixteen { (2, 65_535) } else { (1, 255) };
    let mut samples = try_room(pixels.len() / (channels * width), "samples").ok()?;
    let (mut colored, mut transparent) = (false, 0);
    for pixel in pixels.chunks_exact(channels * width) {
        let channel = |at: usize| match width {
            1 => u32::from(pixel[at]),
            _ => u32::from(u16::from_be_bytes([pixel[2 * at], pixel[2 * at + 1]])),
        };
        let (red, green, blue) = if channels < 3 {
            (channel(0), channel(0), channel(0))
        } else {
            (channel(0), channel(1), channel(2))
        };
        colored |= red != green || green != blue;
        transparent += usize::from(channels % 2 == 0 && channel(channels - 1) < white);
        let luminance = f64::from(2126 * red + 7152 * green + 722 * blue) / f64::from(10_000 * white);
        samples.push(luminance);
    }
    let mut notes = Vec::new();
    if colored {
        notes.push(Note::Colors);
    }
    if transparent > 0 {
        notes.push(Note::Transparent { count: transparent });
    }
    Some((samples, notes))
}

/// Converts an error of the decoder.
fn explain(error: DecodingError, found: usize) -> PngError {
    match error {
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            PngError::Truncated { found }
        }
        DecodingError::IoError(error) => PngError::Io(error),
        error => PngError::Damaged { reason: plain(&error.to_string()) },
    }
}

/// Removes full stops from a text of the decoder, and shortens the names of chunks.
fn plain(text: &str) -> String {
    const BEFORE: &str = "ChunkType { type: ";
    let text = text.trim_end_matches('.').replace(". ", ": ");
    let Some((start, rest)) = text.split_once(BEFORE) else {
        return text;
    };
    match (rest.split_once(','), rest.split_once('}')) {
        (Some((name, _)), Some((_, end))) => format!("{start}{name}{end}"),
        _ => text,
    }
}

#[cfg(test)]
#[path = "png_tests.rs"]
mod tests;
