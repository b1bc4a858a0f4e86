//! A directory for files, and jobs of the binary in it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_earth-fft-mpi");

/// Seconds after which a job counts as one that would never end.
const PATIENCE: &str = "60";

/// Directory that is removed with the test.
pub(crate) struct Scene {
    files: TempDir,
    /// Directory for the launcher. Two jobs of Open MPI that begin at once may fail in one directory.
    sessions: TempDir,
}

/// Result of a job.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    /// Standard error, with the launcher's lines.
    pub(crate) stderr: String,
}

impl Scene {
    /// Returns a new directory, or `None` if there is no launcher.
    pub(crate) fn new() -> Option<Self> {
        let directory = || tempfile::tempdir().unwrap();
        launcher().is_some().then(|| Self { files: directory(), sessions: directory() })
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Makes a file longer. The added bytes are 0 and take no room.
    pub(crate) fn lengthen(&self, name: &str, length: u64) {
        fs::OpenOptions::new().write(true).open(self.path(name)).unwrap().set_len(length).unwrap();
    }

    /// Returns the names of all files, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.files.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the binary without a launcher, as one rank.
    pub(crate) fn alone(&self, arguments: &str) -> Ran {
        self.ran(&[BINARY], arguments.split_whitespace())
    }

    /// Runs the binary as a job of this number of ranks.
    pub(crate) fn job(&self, ranks: usize, arguments: &str) -> Ran {
        self.job_with(&[], ranks, arguments)
    }

    /// Runs the binary as a job of this number of ranks, with these variables in its environment.
    pub(crate) fn job_with(&self, variables: &[&str], ranks: usize, arguments: &str) -> Ran {
        let ranks = ranks.to_string();
        let mut command = vec!["env"];
        command.extend(variables);
        command.extend(launcher().unwrap().iter().map(String::as_str));
        command.extend(["-n", &ranks, BINARY]);
        self.ran(&command, arguments.split_whitespace())
    }

    /// Runs the binary as a job of two ranks. A shell executes these commands before rank 1 begins.
    pub(crate) fn unequal_job(&self, before: &str, arguments: &str) -> Ran {
        let mut command: Vec<_> = launcher().unwrap().iter().map(String::as_str).collect();
        command.extend(["-n", "1", BINARY]);
        command.extend(arguments.split_whitespace());
        let script = format!("{before}; exec '{BINARY}' {arguments}");
        // A limit of the size of files must not hold for memory that ranks share. Jobs of MPICH as short as
        // these may hang in MPI_Finalize over the TCP of UCX, so UCX takes memory that is no file.
        let mut unshared = vec!["env", "OMPI_MCA_btl=self,tcp", "MPIR_CVAR_NOLOCAL=1", "UCX_TLS=self,sysv"];
        unshared.extend(command);
        unshared.extend([":", "-n", "1", "sh", "-c", &script]);
        self.ran(&unshared, [])
    }

    fn ran<'a>(&self, command: &[&str], arguments: impl IntoIterator<Item = &'a str>) -> Ran {
        let mut run = Command::new("timeout");
        run.arg(PATIENCE).args(command).args(arguments).current_dir(self.files.path());
        run.env("TMPDIR", self.sessions.path());
        let Output { status, stdout, stderr } = run.output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_ne!(status.code(), Some(124), "it did not end: {command:?} {stdout} {stderr}");
        Ran { code: status.code(), stdout, stderr }
    }
}

impl Ran {
    /// Checks that the job succeeded. Returns its standard output.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, &self.own_lines()[..]), (Some(0), &[][..]), "{self:?}");
        self.stdout
    }

    /// Returns the lines of standard error that the binary has printed, without its name.
    pub(crate) fn own_lines(&self) -> Vec<&str> {
        self.stderr.lines().filter_map(|line| line.strip_prefix("earth-fft-mpi: ")).collect()
    }

    /// Checks that the job was refused with this exit code and this sentence alone.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, sentence: &str) {
        assert_eq!(self.own_lines(), [sentence], "{self:?}");
        assert_eq!((self.code, &self.stdout[..]), (Some(code), ""), "{self:?}");
    }
}

/// Returns the command of the launcher. Says so if there is none.
fn launcher() -> Option<&'static [String]> {
    static LAUNCHER: OnceLock<Option<Vec<String>>> = OnceLock::new();
    let find = || {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let given = std::env::var("MPIRUN").ok();
        let name = given.as_deref().map_or_else(|| words("mpirun"), words);
        let version = name.first().and_then(|program| version(OsStr::new(program)));
        let Some(version) = version else {
            eprintln!("######## earth-fft-mpi is NOT TESTED: there is no launcher {name:?}. ########");
            return None;
        };
        let is_open = version.contains("Open MPI") || version.contains("OpenRTE");
        Some(match given {
            Some(_) => name,
            None if is_open => words("mpirun --oversubscribe --bind-to none"),
            None => words("mpirun -bind-to none"),
        })
    };
    LAUNCHER.get_or_init(find).as_deref()
}

fn version(launcher: &OsStr) -> Option<String> {
    let ran = Command::new(Path::new(launcher)).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}
