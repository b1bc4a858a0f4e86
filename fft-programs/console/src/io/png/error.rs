//! Why a `.png` file cannot be read.

use std::io;

use super::{ALWAYS, PIXELS_A_BYTE};

/// Why a `.png` file cannot be read; each is one sentence about "the file".
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// Nothing at all.
    #[error("the file is empty")]
    EmptyFile,
    /// The file does not start with [`SIGNATURE`](super::SIGNATURE).
    #[error("it is not a .png file: the first eight bytes are not the signature of one")]
    NotPng,
    /// The file ends before the picture does.
    #[error("the file is cut short: it ends after {found} bytes, before the picture does")]
    Truncated { found: usize },
    /// More pixels than deflate could have packed into the file.
    #[error("its header claims {rows} x {cols} pixels, more than {bytes} bytes can hold")]
    Claim { rows: u32, cols: u32, bytes: usize },
    /// Pixels that could be there and that no picture of this file size has.
    #[error(
        "its {bytes} bytes unfold to {rows} x {cols} pixels; more than {ALWAYS} need a byte for every {PIXELS_A_BYTE}"
    )]
    Bomb { rows: u32, cols: u32, bytes: usize },
    /// Something that is no picture, or a checksum that is not its data's.
    #[error("the picture is damaged ({reason})")]
    Damaged { reason: String },
    /// No memory for the pixels that are really there.
    #[error("there is not enough memory for its {rows} x {cols} pixels")]
    Memory { rows: u32, cols: u32 },
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}
