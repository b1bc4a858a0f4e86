//! Output that appears whole or not at all.
//!
//! Steps:
//!
//! 1. Before any work is done, opening the output creates a temporary file with a random name in the
//!    directory of the final name. So a directory that is missing, full or not writable is found out early.
//! 2. Everything is written to the temporary file.
//! 3. The data are forced to the disk.
//! 4. The file is renamed over the final name, which is atomic for every reader.
//!
//! If a step fails, the temporary file is removed, and an older file of the final name is unchanged.
//!
//! Standard output (`-`) and existing files that are not regular (a pipe, a terminal, `/dev/null`) are
//! written in place, because replacing them would be wrong. A symbolic link is kept, and its target is
//! replaced. A replaced file keeps its permissions, but neither its owner nor its hard links. A file without
//! write permission is refused, though renaming would get around that.
//!
//! *Turns.* Several processes may add to one file: each reads it again, merges, and replaces it. One process
//! at a time does so, with the directory locked ([`Output::turn`]). A lock of the file itself would go with
//! the old file when it is replaced. File systems without locks leave a window between reading and replacing.
//!
//! **Interruption.** Ctrl-C is handled on another thread, which ends the process, so that no destructor of
//! the writing thread runs. Only temporary files can be left over; [`Unfinished`] holds their names behind a
//! lock. The writing thread creates and renames the file under that lock. The handler takes the lock, removes
//! the file and *keeps the lock until the process has ended*. There are two races:
//!
//! * Creation against Ctrl-C: either the handler finds the recorded name and removes the file, or the
//!   creation waits for the lock forever and never happens.
//! * Renaming against Ctrl-C: either the rename came first, and the output is whole under its final name, or
//!   it never happens.
//!
//! Forcing to the disk is slow and happens outside of the lock, so an interruption never waits for it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// Reason why an output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {name}: {source}")]
pub struct WriteError {
    /// Name of the output.
    pub name: String,
    /// Error of the operating system.
    pub source: io::Error,
}

/// Names of the files that an interruption must remove. The writing thread and the handler of Ctrl-C share
/// them.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<Mutex<Vec<PathBuf>>>);

/// Proof that no unfinished file is left, and that none can be created or finished while it exists.
#[must_use = "hold this until the process has ended"]
#[derive(Debug)]
pub struct Cleared<'a>(#[expect(dead_code, reason = "held for its lock")] MutexGuard<'a, Vec<PathBuf>>);

impl Unfinished {
    /// Removes the file that is being written, if there is one, and blocks other outputs.
    pub fn sweep(&self) -> Cleared<'_> {
        let mut names = self.lock();
        for path in names.drain(..) {
            // The file may be gone already, and the process is ending.
            let _ = fs::remove_file(path);
        }
        Cleared(names)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        // The value is valid after every statement under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Turn of a process to read and replace a file; it ends on drop.
#[must_use = "the turn ends when this is dropped"]
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "held for its lock")] Option<File>);

/// Longest wait of a process for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Open output. Dropping it without [`commit`](Output::commit) leaves no file behind.
#[derive(Debug)]
pub struct Output {
    name: String,
    sink: Sink,
    unfinished: Unfinished,
}

#[derive(Debug)]
enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    InPlace(BufWriter<File>),
    Temporary { file: BufWriter<NamedTempFile>, target: PathBuf },
}

impl Output {
    /// Opens the output `path`, or standard output if it is `-`. Opening a pipe waits for a reader.
    ///
    /// # Errors
    ///
    /// The directory is missing or not writable, `path` is a directory, or `path` is a file that is not
    /// writable.
    pub fn open(path: &Path, unfinished: &Unfinished) -> Result<Self, WriteError> {
        let (name, sink) = if path == Path::new("-") {
            ("standard output".to_owned(), Ok(Sink::Stdout(BufWriter::new(io::stdout().lock()))))
        } else {
            (format!("'{}'", path.display()), Sink::open(path, unfinished))
        };
        match sink {
            Ok(sink) => Ok(Self { name, sink, unfinished: unfinished.clone() }),
            Err(source) => Err(WriteError { name, source }),
        }
    }

    /// Returns the temporary file and its path. Other processes may open it, and write their parts of the
    /// content at positions of it before [`commit`](Self::commit). `None` if the output is written in place.
    pub fn temporary(&self) -> Option<(&File, &Path)> {
        match &self.sink {
            Sink::Temporary { file, .. } => Some((file.get_ref().as_file(), file.get_ref().path())),
            Sink::Stdout(_) | Sink::InPlace(_) => None,
        }
    }

    /// Waits until no other process has a turn to read and replace a file of the same directory. Outputs that
    /// are written in place have no turns.
    ///
    /// # Errors
    ///
    /// Another process has had its turn for more than 10 seconds, or the directory cannot be opened.
    pub fn turn(&self) -> Result<Turn, WriteError> {
        let turn = match &self.sink {
            Sink::Temporary { target, .. } => lock(directory(target)),
            Sink::Stdout(_) | Sink::InPlace(_) => Ok(Turn(None)),
        };
        turn.map_err(|source| WriteError { name: self.name.clone(), source })
    }

    /// Lets `content` write everything, then renames the file to its final name.
    ///
    /// # Errors
    ///
    /// The error of `content`, or a failure to flush or rename. The file of the final name is then unchanged.
    pub fn commit(self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
        let Self { name, sink, unfinished } = self;
        sink.commit(content, &unfinished).map_err(|source| WriteError { name, source })
    }
}

impl Sink {
    fn open(path: &Path, unfinished: &Unfinished) -> io::Result<Self> {
        let (target, permissions) = match fs::metadata(path) {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if about.is_file() => {
                OpenOptions::new().write(true).open(path)?;
                (path.canonicalize()?, Some(about.permissions()))
            }
            Ok(_) => return Ok(Self::InPlace(BufWriter::new(OpenOptions::new().write(true).open(path)?))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (follow(path)?, None),
            Err(error) => return Err(error),
        };
        let directory = directory(&target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".earth-fft-");
        #[cfg(unix)]
        builder.permissions(new_file_permissions());
        let mut held = unfinished.lock();
        let file = builder.tempfile_in(directory).map_err(|error| explain(&error))?;
        held.push(file.path().to_owned());
        drop(held);
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self::Temporary { file: BufWriter::new(file), target })
    }

    fn commit(
        self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        unfinished: &Unfinished,
    ) -> io::Result<()> {
        match self {
            Self::Stdout(mut sink) => content(&mut sink).and_then(|()| sink.flush()),
            Self::InPlace(mut sink) => content(&mut sink).and_then(|()| sink.flush()),
            Self::Temporary { mut file, target } => {
                content(&mut file)?;
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                let mut held = unfinished.lock();
                let path = file.path().to_owned();
                file.persist(&target)?;
                held.retain(|name| *name != path);
                drop(held);
                Ok(())
            }
        }
    }
}

/// Returns the directory of a file.
fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Locks a directory.
fn lock(directory: &Path) -> io::Result<Turn> {
    let file = File::open(directory)?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Turn(Some(file))),
            Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "another process has had its directory locked for 10 seconds",
                ));
            }
            // The file system has no locks.
            Err(TryLockError::Error(_)) => return Ok(Turn(None)),
        }
    }
}

/// Returns the permissions of a new file; its creation removes the bits of the process's mask.
#[cfg(unix)]
fn new_file_permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o666)
}

/// Explains why no file can be created, in terms of the directory rather than the random name.
fn explain(error: &io::Error) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::NotFound => io::Error::new(kind, "there is no such directory"),
        io::ErrorKind::PermissionDenied => io::Error::new(kind, "no file may be made in its directory"),
        _ => kind.into(),
    }
}

/// Returns the final target of a dangling chain of symbolic links. It follows at most 40 links, as Linux
/// does.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

#[cfg(test)]
#[path = "atomic_output_tests.rs"]
mod tests;
