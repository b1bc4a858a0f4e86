//! Files and pipes: how a signal comes in and how a spectrum goes out.
//!
//! A format follows from a name's extension. A name without one (`-`, a pipe, `/dev/stdin`) is looked into
//! when it is read: six bytes tell a `.npy` file and a `.png` file, and all else is text; when it is written
//! it gets the format that was read. Any other extension is refused before a file is touched.

pub mod aside;
pub mod csv;
mod fill;
pub mod npy;
pub mod png;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::signal::Signal;

/// How numbers are laid out in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A `NumPy` array: binary, always a whole spectrum, of one to three dimensions.
    Npy,
    /// Comma-separated text, of a line.
    Csv,
    /// A picture, of a matrix.
    Png,
}

/// An extension that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' ends in none of .npy, .csv and .png, the formats that can be read and written", path.display())]
pub struct UnknownFormat {
    /// The name as given.
    pub path: PathBuf,
}

impl Format {
    /// The format that a name tells, if it has an extension.
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

    /// The format that the first six bytes of a file (or all, if it has fewer) tell.
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

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is missing, a directory, or not allowed to be read.
    #[error("cannot open {name}: {source}")]
    Open {
        /// The input's name.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It is not what its format or content says, is of another kind than is needed, or is too large.
    #[error("cannot read {name}: {source}")]
    Content {
        /// The input's name.
        name: String,
        /// The error of the format, one sentence about "the file".
        source: Box<dyn Error + Send + Sync>,
    },
}

/// An input that has been opened and not yet read.
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

    /// Reads it to the end, a table by `options`; also tells which format it had.
    ///
    /// Memory stays proportional to what the input really holds, whatever it claims.
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
