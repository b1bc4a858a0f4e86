//! Input: an array in a `.npy` file. Each rank reads its own part.
//!
//! Steps: each rank opens the file and reads its header; the ranks compare the headers; each rank reads its
//! part in pieces, and converts the samples of a piece to points.
//!
//! *Cost.* Two buffers of a piece. Each sample is copied twice.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use earth_console::Failure;
use earth_console::io::ReadError;
use earth_console::io::npy::Header;
use earth_console::signal::{Note, Samples, Values};
use earth_fft::{Complex, Precision};
use earth_memory::try_zeroed;

use crate::place::{Place, points};
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;

/// Points of a piece: 4 MiB in double precision.
pub(crate) const PIECE: usize = 1 << 18;

/// Open input.
pub(crate) struct Input {
    path: PathBuf,
    file: File,
    header: Header,
}

/// Remarks on the samples of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Remarks {
    /// Number of integers without an exact double.
    pub(crate) rounded: u64,
    /// Number of samples with a NaN or an infinity.
    pub(crate) non_finite: u64,
}

impl Input {
    /// Opens the file on all ranks, and reads its header.
    ///
    /// # Errors
    ///
    /// On any rank: there is no such file, it is no regular file, it is no array that can be read, its order
    /// is Fortran's, or it differs from the one of rank 0.
    pub(crate) fn open(ranks: &Ranks, path: &Path) -> Result<Self, Refused> {
        let input = ranks.agree(Self::here(path))?;
        let own = format!("{:?}", input.header).into_bytes();
        let same = ranks.of_first(own.clone()) == own;
        ranks.agree(if same { Ok(()) } else { Err(Refusal::OtherInput(path.to_owned()).into()) })?;
        Ok(input)
    }

    fn here(path: &Path) -> Result<Self, Failure> {
        let name = || format!("'{}'", path.display());
        let open = |source| ReadError::Open { name: name(), source };
        let file = File::open(path).map_err(open)?;
        let about = file.metadata().map_err(open)?;
        if about.is_dir() {
            return Err(open(io::ErrorKind::IsADirectory.into()).into());
        }
        if !about.is_file() {
            return Err(Refusal::InputInPlace(path.to_owned()).into());
        }
        let header = Header::read(&mut BufReader::new(&file), Some(about.len()))
            .map_err(|source| ReadError::Content { name: name(), source: source.into() })?;
        if header.is_fortran() {
            return Err(Refusal::Fortran(path.to_owned()).into());
        }
        Ok(Self { path: path.to_owned(), file, header })
    }

    /// Returns the header.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the samples of a place into the points of a rank. Real samples get the imaginary part 0.
    ///
    /// # Errors
    ///
    /// The system cannot read the file, or has too little memory for a piece.
    pub(crate) fn read<T: Sample>(
        &self,
        place: &Place,
        memory: &mut [Complex<T>],
    ) -> Result<Remarks, Failure> {
        let content = |source| ReadError::Content { name: format!("'{}'", self.path.display()), source };
        let width = self.header.sample_bytes();
        let mut remarks = Remarks::default();
        let mut buffer = Vec::new();
        for piece in place.pieces(PIECE) {
            let bytes = points(&piece) * width as usize;
            if buffer.len() < bytes {
                buffer = try_zeroed(bytes, "a piece of the file")?;
            }
            let bytes = &mut buffer[..bytes];
            let mut done = 0;
            for run in place.runs(&piece) {
                let length = run.len() * width as usize;
                let at = self.header.first() + run.start as u64 * width;
                self.file
                    .read_exact_at(&mut bytes[done..done + length], at)
                    .map_err(|error| content(format!("reading failed: {error}").into()))?;
                done += length;
            }
            let (samples, note) = self.header.decode(bytes).map_err(|error| content(error.into()))?;
            if let Some(Note::Rounded { count }) = note {
                remarks.rounded += count as u64;
            }
            remarks.non_finite += samples.non_finite() as u64;
            let values = T::values(samples);
            let length = piece[2].len();
            for [to, from] in place.lines(&piece) {
                let points = &mut memory[to..to + length];
                match &values {
                    Values::Real(numbers) => {
                        let numbers = &numbers[from..from + length];
                        points.iter_mut().zip(numbers).for_each(|(point, &number)| *point = number.into());
                    }
                    Values::Complex(values) => points.copy_from_slice(&values[from..from + length]),
                }
            }
        }
        Ok(remarks)
    }
}

/// Precision of samples.
pub(crate) trait Sample: Precision {
    /// Returns samples of this precision.
    ///
    /// # Panics
    ///
    /// If the samples have another precision.
    fn values(samples: Samples) -> Values<Self>;
}

impl Sample for f32 {
    fn values(samples: Samples) -> Values<Self> {
        match samples {
            Samples::F32(values) => values,
            Samples::F64(_) => unreachable!("the header tells the precision"),
        }
    }
}

impl Sample for f64 {
    fn values(samples: Samples) -> Values<Self> {
        match samples {
            Samples::F64(values) => values,
            Samples::F32(_) => unreachable!("the header tells the precision"),
        }
    }
}
