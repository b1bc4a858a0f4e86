//! Pictures: `.png` in, as a matrix of brightness, and out, as shades of grey ([`write`](write())).
//!
//! *What a pixel becomes.* One real double: 0 for black, 1 for white, the stored number over the largest that
//! its depth can store in between (so 8 bits give k/255). Colours become their luminance with the weights of
//! Rec. 709, 0.2126 red + 0.7152 green + 0.0722 blue, taken of the stored numbers: no gamma is undone,
//! neither here nor for grey, because a spectrum of what is seen is what people mean, and because what is
//! read and written again is then the same picture to the last bit. The sum is made of integers and rounded
//! once, so a grey pixel among colours is exactly the grey pixel of a grey picture. Opacity is left out, as
//! if every pixel were opaque: only its owner knows what would shine through. Colours and opacity that were
//! there are reported in a [`Note`].
//!
//! *What is taken*: grey, palettes and colours, with or without opacity, of every depth (1 to 16 bits),
//! interlaced or not. Of an animation the picture is taken that shows where nothing moves, and a note says
//! so. Texts, times, colour profiles and the like are skipped, bytes after the end as well.
//!
//! *What is refused, and when.* A compressed file may claim anything, so memory is asked for in steps. The
//! file itself is held (k bytes). Its header must not claim more than k bytes can hold: deflate never packs
//! more than 1032 bytes in one. And a picture of more than [`ALWAYS`] pixels (a page of text in black and
//! white may have half of them, and hardly any bytes) must have a byte for every [`PIXELS_A_BYTE`] of them,
//! which every photograph has and a bomb has not. Then the pixels are unpacked (up to 8 bytes each), then
//! they become samples (8 bytes each). So a file of k bytes costs at most 16 bytes for each of max(`ALWAYS`,
//! 64 k) pixels. Checksums are verified, and the end must be there.

mod error;
pub(crate) mod shades;

use std::io::{self, Cursor, Read};

use ::png::{BitDepth, DecodeOptions, Decoder, DecodingError, Limits, Reader, Transformations};
use earth_memory::{try_filled, try_room};

use self::error::PngError;
pub use self::shades::{Lost, Shades, write};
use super::fill::fill;
use crate::signal::{Note, Samples, Signal, Values};

/// The eight bytes that every `.png` file starts with.
pub const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// So many pixels are taken from a file of any size that can hold them.
pub const ALWAYS: u64 = 1 << 26;

/// Beyond [`ALWAYS`], a file has at most so many pixels a byte.
pub const PIXELS_A_BYTE: u64 = 64;

/// The most bytes that deflate makes of one: 258 of two bits.
const UNPACKED_A_BYTE: u64 = 1032;

/// The memory that the decoder may have beside the file's size and a row of pixels.
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
    // A row has been checked to be no more than the file can hold, at 8 bytes a pixel when it is expanded.
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

/// Whether a file of so many bytes may have so many pixels.
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

/// The samples of pixels of one to four channels (grey, with opacity, three colours, with opacity) of 8 or 16
/// bits, and what was lost; nothing if there is no memory.
fn brightness<R: io::BufRead + io::Seek>(reader: &Reader<R>, pixels: &[u8]) -> Option<(Vec<f64>, Vec<Note>)> {
    let (kind, depth) = reader.output_color_type();
    let channels = kind.samples();
    let (width, white) = if depth == BitDepth::Sixteen { (2, 65_535) } else { (1, 255) };
    let mut samples = try_room(pixels.len() / (channels * width), "samples").ok()?;
    let (mut coloured, mut transparent) = (false, 0);
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
        coloured |= red != green || green != blue;
        transparent += usize::from(channels % 2 == 0 && channel(channels - 1) < white);
        let luminance = f64::from(2126 * red + 7152 * green + 722 * blue) / f64::from(10_000 * white);
        samples.push(luminance);
    }
    let mut notes = Vec::new();
    if coloured {
        notes.push(Note::Colours);
    }
    if transparent > 0 {
        notes.push(Note::Transparent { count: transparent });
    }
    Some((samples, notes))
}

/// The decoder's error as one of ours.
fn explain(error: DecodingError, found: usize) -> PngError {
    match error {
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            PngError::Truncated { found }
        }
        DecodingError::IoError(error) => PngError::Io(error),
        error => PngError::Damaged { reason: plain(&error.to_string()) },
    }
}

/// A text of the decoder's without full stops and with the names of chunks as people write them.
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
