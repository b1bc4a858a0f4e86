//! Errors of reading `.png` files.

use std::io;

use super::{ALWAYS, PIXELS_A_BYTE};

/// Reason why a `.png` file cannot be read, as one sentence about "the file".
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The file has no bytes.
    #[error("the file is empty")]
    EmptyFile,
    /// The file does not start with [`SIGNATURE`](super::SIGNATURE).
    #[error("it is not a .png file: the first eight bytes are not the signature of one")]
    NotPng,
    /// The file ends before the picture does.
    #[error("the file is cut short: it ends after {found} bytes, before the picture does")]
    Truncated { found: usize },
    /// The header claims more pixels than deflate could have packed into the file.
    #[error("its header claims {rows} x {cols} pixels, more than {bytes} bytes can hold")]
    Claim { rows: u32, cols: u32, bytes: usize },
    /// The format allows that many pixels, but no picture of this file size has them.
    #[error(
        "its {bytes} bytes unfold to {rows} x {cols} pixels; more than {ALWAYS} pixels need a byte for every {PIXELS_A_BYTE}"
    )]
    Bomb { rows: u32, cols: u32, bytes: usize },
    /// The data are not a picture, or a checksum does not match.
    #[error("the picture is damaged ({reason})")]
    Damaged { reason: String },
    /// There is no memory for the pixels in the file.
    #[error("there is not enough memory for its {rows} x {cols} pixels")]
    Memory { rows: u32, cols: u32 },
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}
