//! Files and pipes: input of signals and output of spectra.
//!
//! The extension of a name selects the format, and any other extension is refused before a file is touched.
//! For a name without one (`-`, a pipe, `/dev/stdin`) the content decides when it is read: the first six
//! bytes identify a `.npy` and a `.png` file, and all else is text. Such an output gets the format of the
//! input.

pub mod atomic_output;
pub mod csv;
mod fill;
pub mod npy;
pub mod png;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::signal::Signal;

/// Format of numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `NumPy` array of one to three dimensions: binary, always a whole spectrum.
    Npy,
    /// Comma-separated text of a series.
    Csv,
    /// Picture of a matrix.
    Png,
}

/// Extension that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' ends in none of .npy, .csv and .png, the formats that can be read and written", path.display())]
pub struct UnknownFormat {
    /// Path as given.
    pub path: PathBuf,
}

impl Format {
    /// Returns the format of a name's extension, if it has one.
    ///
    /// # Errors
    ///
    /// An extension other than `npy`, `csv` and `png` (in any case).
    pub fn of(path: &Path) -> Result<Option<Self>, UnknownFormat> {
        let Some(extension) = path.extension() else {
            return Ok(None);
        };
        match extension.to_ascii_lowercase().to_str() {
            Some("npy") => Ok(Some(Self::Npy)),
            Some("csv") => Ok(Some(Self::Csv)),
            Some("png") => Ok(Some(Self::Png)),
            _ => Err(UnknownFormat { path: path.to_owned() }),
        }
    }

    /// Returns the format that the first six bytes of a file indicate (or all, if it has fewer).
    fn of_content(head: &[u8]) -> Self {
        if head == npy::MAGIC {
            Self::Npy
        } else if head == &png::SIGNATURE[..6] {
            Self::Png
        } else {
            Self::Csv
        }
    }
}

/// Reason why an input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input is missing, a directory, or not readable.
    #[error("cannot open {name}: {source}")]
    Open {
        /// Name of the input.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The content does not match its format, is of a wrong kind, or is too large.
    #[error("cannot read {name}: {source}")]
    Content {
        /// Name of the input.
        name: String,
        /// Error of the format, one sentence about "the file".
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Open input that has not been read yet.
pub struct Input {
    name: String,
    format: Option<Format>,
    size: Option<u64>,
    source: Box<dyn Read>,
}

impl Input {
    /// Opens `path`, or standard input if it is `-`.
    ///
    /// # Errors
    ///
    /// [`ReadError::Open`] if there is no such file, it is a directory, or it may not be read.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, ReadError> {
        if path == Path::new("-") {
            let source = Box::new(io::stdin().lock());
            return Ok(Self { name: "standard input".to_owned(), format, size: None, source });
        }
        let name = format!("'{}'", path.display());
        let opened = File::open(path).and_then(|file| {
            let about = file.metadata()?;
            if about.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok((file, about)) }
        });
        match opened {
            Ok((file, about)) => {
                let size = about.is_file().then_some(about.len());
                Ok(Self { name, format, size, source: Box::new(file) })
            }
            Err(source) => Err(ReadError::Open { name, source }),
        }
    }

    /// Reads the input to its end, a table by `options`. Also returns its format.
    ///
    /// Memory stays proportional to the real size of the input, whatever its header claims.
    pub fn read(self, options: &csv::Options) -> Result<(Signal, Format), ReadError> {
        let name = self.name.clone();
        self.read_content(options).map_err(|source| ReadError::Content { name, source })
    }

    fn read_content(self, options: &csv::Options) -> Result<(Signal, Format), Box<dyn Error + Send + Sync>> {
        let Self { format, size, mut source, .. } = self;
        let mut head = [0; 6];
        let (format, source): (Format, Box<dyn Read>) = if let Some(format) = format {
            (format, source)
        } else {
            let found = fill::fill(&mut source, &mut head).map_err(csv::CsvError::from)?;
            let format = Format::of_content(&head[..found]);
            (format, Box::new(Cursor::new(head).take(found as u64).chain(source)))
        };
        let signal = match format {
            Format::Npy => npy::read(BufReader::new(source), size)?,
            Format::Csv => csv::read(source, options)?,
            Format::Png => png::read(source)?,
        };
        Ok((signal, format))
    }
}
