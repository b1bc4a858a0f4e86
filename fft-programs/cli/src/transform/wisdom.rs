//! `--wisdom FILE`: results of measurements, read before planning and written afterwards.
//!
//! The file is opened for writing before any measurement, so that an unwritable file is reported early. It
//! appears whole or not at all, and is written only if there are new results. Processes that write one file
//! take turns. Each merges the file's current content, so that no plan is lost.

use std::path::{Path, PathBuf};

use earth_console::Failure;
use earth_console::io::atomic_output::Output;
use earth_console::stop::Stop;
use earth_fft::Wisdom;

use crate::args::Transform;
use crate::failure::CliError;

/// Wisdom, its file, and the previous content.
pub(super) struct WisdomFile {
    path: PathBuf,
    pub(super) wisdom: Wisdom,
    before: String,
    output: Option<Output>,
}

impl WisdomFile {
    /// Reads the file of `--wisdom`, if the option is given. Opens it for writing if there may be new
    /// results.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or written, or that is not a wisdom of this computer.
    pub(super) fn open(args: &Transform, stop: &Stop) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.wisdom else { return Ok(None) };
        if path == Path::new("-") {
            return Err(CliError::WisdomOnStdout.into());
        }
        let wisdom = read(path)?;
        let before = wisdom.to_string();
        let named = &args.profiles;
        for file in named {
            wisdom.name_speeds(file);
        }
        let may_find = args.measures() || !named.is_empty();
        let output = may_find.then(|| Output::open(path, &stop.unfinished)).transpose()?;
        Ok(Some(Self { path: path.clone(), wisdom, before, output }))
    }

    /// Writes the file, if there are new results.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or has other content by now.
    pub(super) fn save(self) -> Result<(), Failure> {
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
    CliError::read("use the wisdom", path, Some(Wisdom::new()), str::parse)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;
    use earth_fft::{Effort, Planner, Problem};

    use super::*;
    use crate::args::{Cli, Command};

    /// Two commands read one file, then both measure, then both write.
    #[test]
    fn commands_that_measure_at_the_same_time_lose_no_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom.json");
        let open = || {
            let words =
                ["earth-fft", "transform", "in.csv", "-o", "out.csv", "--effort", "measure", "--wisdom"];
            let words = words.into_iter().map(std::ffi::OsStr::new).chain([path.as_os_str()]);
            let Command::Transform(args) = Cli::parse_from(words).command else { unreachable!("transform") };
            WisdomFile::open(&args, &Stop::default()).unwrap().unwrap()
        };
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
