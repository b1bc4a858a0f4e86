//! `--wisdom FILE`: results of measurements, read before planning and written afterwards.
//!
//! The file is opened for writing before any measurement, so that an unwritable file is reported early. It
//! appears whole or not at all, and is written only if there are new results. Processes that write one file
//! take turns. Each merges the file's current content, so that no plan is lost.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use earth_fft::Wisdom;

use super::text::read_text;
use crate::Failure;
use crate::io::atomic_output::Output;
use crate::stop::Stop;

/// Wisdom would go to standard output, where the summary goes.
#[derive(Debug, thiserror::Error)]
#[error("wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'")]
struct OnStdout;

/// Wisdom, its file, and the previous content.
pub struct WisdomFile {
    path: PathBuf,
    wisdom: Wisdom,
    before: String,
    output: Option<Output>,
}

impl WisdomFile {
    /// Reads a file, and adds the names of `speeds` to its wisdom. Opens it for writing if there may be new
    /// results: if the command measures, or if there are names.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or written, or that is not a wisdom of this computer.
    pub fn open(path: &Path, speeds: &[PathBuf], measures: bool, stop: &Stop) -> Result<Self, Failure> {
        let wisdom = read(path)?;
        let before = wisdom.to_string();
        for file in speeds {
            wisdom.name_speeds(file);
        }
        let may_find = measures || !speeds.is_empty();
        let output = may_find.then(|| Output::open(path, &stop.unfinished)).transpose()?;
        Ok(Self { path: path.to_owned(), wisdom, before, output })
    }

    /// Returns the wisdom.
    pub fn wisdom(&self) -> &Wisdom {
        &self.wisdom
    }

    /// Writes the file, if there are new results.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or has other content by now.
    pub fn save(self) -> Result<(), Failure> {
        let Some(output) = self.output.filter(|_| self.wisdom.to_string() != self.before) else {
            return Ok(());
        };
        let _turn = output.turn()?;
        self.wisdom.merge(&read(&self.path)?);
        let text = self.wisdom.to_string();
        Ok(output.commit(|sink| sink.write_all(text.as_bytes()))?)
    }
}

/// Reads the wisdom in a file, or an empty one if there is no file.
fn read(path: &Path) -> Result<Wisdom, Failure> {
    read_wisdom(path, Wisdom::new(), str::parse)
}

/// Reads the wisdom of any library in a file by `parse`. Returns `empty` if there is no file.
///
/// # Errors
///
/// Standard output instead of a file, and a file that cannot be read or parsed.
pub fn read_wisdom<V, E: Display>(
    path: &Path,
    empty: V,
    parse: impl FnOnce(&str) -> Result<V, E>,
) -> Result<V, Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage(OnStdout));
    }
    read_text("use the wisdom", path, Some(empty), parse)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use earth_fft::{Effort, Planner, Problem};

    use super::*;

    /// Two commands read one file, then both measure, then both write.
    #[test]
    fn commands_that_measure_at_the_same_time_lose_no_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom.json");
        let open = || WisdomFile::open(&path, &[], true, &Stop::default()).unwrap();
        let measure = |file: &WisdomFile, n: usize| {
            let planner = Planner::new().effort(Effort::Measure).wisdom(file.wisdom.clone());
            planner.time_limit(std::time::Duration::ZERO).plan::<f64>(&Problem::complex(&[n])).unwrap();
        };
        for lengths in [[6, 10], [15, 21]] {
            let files = [open(), open()];
            files.iter().zip(lengths).for_each(|(file, n)| measure(file, n));
            for file in files {
                file.save().unwrap();
            }
        }
        assert_eq!(read(&path).unwrap().len(), 4);
        // Locks and temporary files are gone.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
