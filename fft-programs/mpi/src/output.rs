//! Output: one `.npy` file that all ranks write, each its own part. It appears whole or not at all.
//!
//! Steps:
//!
//! 1. Before any work is done, rank 0 creates a temporary file in the directory of the output, and writes the
//!    header. The other ranks open this file.
//! 2. Each rank writes its part at its positions, and forces it to the disk.
//! 3. Rank 0 renames the file, after all ranks have written.
//!
//! A failure of any rank before the last step removes the temporary file, and an older output is unchanged.
//!
//! *Cost.* One buffer of a piece. Each point is copied once.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use earth_console::Failure;
use earth_console::io::atomic_output::{Output, WriteError};
use earth_console::io::npy;
use earth_fft::{Complex, Precision};
use earth_memory::try_filled;

use crate::input::PIECE;
use crate::place::{Place, points};
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;

/// Open output of all ranks. Without [`commit`](Self::commit) no file is left behind.
pub(crate) struct SharedOutput {
    name: String,
    file: File,
    /// Number of bytes before the first point.
    first: u64,
    /// The output as a whole, on rank 0.
    whole: Option<Output>,
}

impl SharedOutput {
    /// Opens the output on all ranks, for an array of points of these lengths.
    ///
    /// # Errors
    ///
    /// The output cannot be written, or a rank does not see the temporary file.
    pub(crate) fn open<T: Precision>(ranks: &Ranks, path: &Path, lengths: &[usize]) -> Result<Self, Refused> {
        let name = format!("'{}'", path.display());
        let mut header = Vec::new();
        let written = npy::write_header::<T, _>(&mut header, lengths);
        ranks.agree(written.map_err(|source| WriteError { name: name.clone(), source }.into()))?;
        let first = header.len() as u64;
        let created = ranks.is_first().then(|| create(ranks, path, &name, &header)).transpose();
        let (whole, temporary) = ranks.agree(created)?.unzip();
        let temporary = temporary.map(PathBuf::into_os_string).unwrap_or_default();
        let temporary = ranks.of_first(temporary.as_bytes().to_vec());
        let temporary = PathBuf::from(OsString::from_vec(temporary));
        let file = OpenOptions::new().write(true).open(&temporary);
        let unseen = |source| Refusal::OutputUnseen { path: temporary, source }.into();
        let file = ranks.agree(file.map_err(unseen))?;
        Ok(Self { name, file, first, whole })
    }

    /// Writes a rank's points at their place, and forces them to the disk.
    ///
    /// # Errors
    ///
    /// The system cannot write the file, or has too little memory for a piece.
    pub(crate) fn write<T: Precision>(&self, place: &Place, memory: &[Complex<T>]) -> Result<(), Failure> {
        let failed = |source| WriteError { name: self.name.clone(), source };
        let mut buffer = Vec::new();
        let width = size_of::<Complex<T>>();
        for piece in place.pieces(PIECE) {
            let (count, length) = (points(&piece), piece[2].len());
            if buffer.len() < count {
                buffer = try_filled(Complex::from(T::of(0.0)), count, "a piece of the file")?;
            }
            for [from, to] in place.lines(&piece) {
                buffer[to..to + length].copy_from_slice(&memory[from..from + length]);
            }
            let mut bytes: &[u8] = bytemuck::cast_slice(&buffer[..count]);
            for run in place.runs(&piece) {
                let (run_bytes, later) = bytes.split_at(run.len() * width);
                let at = self.first + (run.start * width) as u64;
                self.file.write_all_at(run_bytes, at).map_err(failed)?;
                bytes = later;
            }
        }
        Ok(self.file.sync_all().map_err(failed)?)
    }

    /// Gives the file its final name. All ranks have written their parts before.
    ///
    /// # Errors
    ///
    /// The system cannot rename the file.
    pub(crate) fn commit(self, ranks: &Ranks) -> Result<(), Refused> {
        let committed = self.whole.map_or(Ok(()), |whole| whole.commit(|_| Ok(())));
        ranks.agree(committed.map_err(Failure::from))
    }
}

/// Creates the temporary file with its header. Also returns its absolute path.
fn create(ranks: &Ranks, path: &Path, name: &str, header: &[u8]) -> Result<(Output, PathBuf), Failure> {
    let output = Output::open(path, &ranks.stop().unfinished)?;
    let Some((file, temporary)) = output.temporary() else {
        return Err(Refusal::OutputInPlace(path.to_owned()).into());
    };
    let prepared = file.write_all_at(header, 0).and_then(|()| temporary.canonicalize());
    let temporary = prepared.map_err(|source| WriteError { name: name.to_owned(), source })?;
    Ok((output, temporary))
}
