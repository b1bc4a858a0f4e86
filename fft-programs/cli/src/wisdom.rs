//! `--wisdom FILE`: what measuring found, read before a plan is made and written after it was.
//!
//! The file is opened for writing before anything is measured, so that one that cannot be written is known before, and it
//! appears whole or not at all. Nothing is written unless there is something new.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use earth_fft::Wisdom;

use crate::args::Transform;
use crate::failure::Failure;
use crate::io::aside::Output;
use crate::stop::Stop;

/// The file of a wisdom, and what was in it.
pub(super) struct WisdomFile {
    wisdom: Wisdom,
    before: String,
    output: Option<Output>,
}

impl WisdomFile {
    /// Reads the file of `--wisdom`, if there is one, and opens it to be written, if something may be found.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or written, or that is no wisdom of this computer.
    pub(super) fn open(args: &Transform, stop: &Stop) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.wisdom else { return Ok(None) };
        if path == Path::new("-") {
            return Err(Failure::WisdomOnStdout);
        }
        let unusable = |why: String| Failure::Wisdom { name: path.display().to_string(), why };
        let wisdom: Wisdom = match fs::read_to_string(path) {
            Ok(text) => {
                text.parse().map_err(|error: earth_fft::MeasurementsError| unusable(error.to_string()))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Wisdom::new(),
            Err(error) => return Err(unusable(error.to_string())),
        };
        let before = wisdom.to_string();
        let named = &args.profiles;
        for file in named {
            wisdom.name_speeds(file);
        }
        let may_find = args.measures() || !named.is_empty();
        let output = may_find.then(|| Output::open(path, &stop.unfinished)).transpose()?;
        Ok(Some(Self { wisdom, before, output }))
    }

    /// The wisdom, for a planner.
    pub(super) fn wisdom(&self) -> Wisdom {
        self.wisdom.clone()
    }

    /// The files of speed functions that are named in it.
    pub(super) fn speeds(&self) -> Vec<PathBuf> {
        self.wisdom.speeds()
    }

    /// Writes the file, if there is something new.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(super) fn save(self) -> Result<(), Failure> {
        let text = self.wisdom.to_string();
        match self.output.filter(|_| text != self.before) {
            Some(output) => Ok(output.commit(|sink| sink.write_all(text.as_bytes()))?),
            None => Ok(()),
        }
    }
}
