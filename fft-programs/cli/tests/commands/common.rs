//! Both binaries in a directory of their own, and hand-made arrays. The tests of both packages use it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Once, PoisonError, RwLock};

use snapbox::{IntoData, assert_data_eq};
use tempfile::TempDir;

/// Directory that is removed with the test.
pub(crate) struct Scene(TempDir);

/// Result of a run of the binary; `stdout` and `stderr` are decoded as UTF-8, with replacements.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Name of the binary.
    pub(crate) binary: &'static str,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) raw: Vec<u8>,
}

impl Ran {
    /// Checks that the run was refused with this exit code and this sentence, and printed no other output.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, sentence: impl IntoData) {
        assert_data_eq!(self.refusal(code), sentence);
    }

    /// Returns the sentence of a run that was refused with this exit code.
    #[track_caller]
    pub(crate) fn refusal(&self, code: i32) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        let line = self.stderr.strip_prefix(self.binary).and_then(|rest| rest.strip_prefix(": "));
        line.and_then(|line| line.strip_suffix('\n')).unwrap_or_else(|| panic!("{self:?}"))
    }

    /// Returns its one line of JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        assert_eq!(self.stdout.lines().count(), 1);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns a command for a binary, in this directory.
    pub(crate) fn binary(&self, name: &str) -> Command {
        let mut command = Command::new(path_of(name));
        // A test must not see data that the user has saved on this computer.
        command.current_dir(self.0.path()).env("XDG_DATA_HOME", self.0.path().join("data"));
        command
    }

    /// Returns the binary that has the command of these arguments.
    pub(crate) fn of<A: AsRef<OsStr>>(&self, arguments: &[A]) -> (&'static str, Command) {
        let first = arguments.first().map(|first| first.as_ref().to_string_lossy());
        let name =
            if first.is_some_and(|first| OF_LAB.contains(&&*first)) { "earth-lab" } else { "earth-fft" };
        let mut command = self.binary(name);
        command.args(arguments);
        (name, command)
    }

    /// Runs the binary. Arguments that are names with an extension become paths of this directory.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.of(&self.paths(arguments)), b"")
    }

    /// Runs the binary as [`run`](Self::run) does while no other test runs it. The run is then many times
    /// faster if its threads wait for each other.
    pub(crate) fn run_alone(&self, arguments: &[&str]) -> Ran {
        let _alone = OTHERS.write().unwrap_or_else(PoisonError::into_inner);
        run_now(self.of(&self.paths(arguments)), b"")
    }

    fn paths(&self, arguments: &[&str]) -> Vec<PathBuf> {
        let is_name =
            |argument: &str| Path::new(argument).extension().is_some() && argument.parse::<f64>().is_err();
        let path = |&argument| if is_name(argument) { self.path(argument) } else { PathBuf::from(argument) };
        arguments.iter().map(path).collect()
    }

    /// Runs the binary with unchanged arguments.
    pub(crate) fn run_at(&self, arguments: &[&str]) -> Ran {
        ran(self.of(arguments), b"")
    }

    /// Runs `earth-fft` with unchanged arguments, under a limit of its address space in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_under(&self, limit: Option<u64>, arguments: &[&str]) -> Ran {
        let limit = limit.map_or_else(|| "unlimited".to_owned(), |kib| kib.to_string());
        let script = "ulimit -v \"$1\"; shift; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.current_dir(self.0.path()).env("XDG_DATA_HOME", self.0.path().join("data"));
        command.args(["-c", script]).arg(path_of("earth-fft")).arg(&limit).args(arguments);
        ran(("earth-fft", command), b"")
    }

    /// Runs the binary with unchanged arguments and `input` on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        ran(self.of(arguments), input)
    }
}

/// Commands of `earth-lab`.
const OF_LAB: [&str; 11] = [
    "compare",
    "simulate",
    "profile2d",
    "simulate2d",
    "calibrate",
    "profile",
    "sweep",
    "map",
    "policies",
    "what-if",
    "tune",
];

/// Returns the path of a binary. Cargo provides the paths of the tested package's binaries. Tests of all
/// packages leave the other binary beside it; otherwise it is built.
fn path_of(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    let own = option_env!("CARGO_BIN_EXE_earth-fft").or(option_env!("CARGO_BIN_EXE_earth-lab"));
    let path = Path::new(own.expect("a binary of the package of this test")).with_file_name(name);
    let path = path.with_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        BUILT.call_once(|| {
            let build =
                Command::new(env!("CARGO")).args(["build", "--locked", "--quiet", "--bin", name]).status();
            assert!(build.is_ok_and(|status| status.success()), "{name} is not built");
        });
    }
    path
}

/// Held for reading by the tests that run a binary.
static OTHERS: RwLock<()> = RwLock::new(());

fn ran(command: (&'static str, Command), input: &[u8]) -> Ran {
    let _others = OTHERS.read().unwrap_or_else(PoisonError::into_inner);
    run_now(command, input)
}

fn run_now((binary, mut command): (&'static str, Command), input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that refuses its input does not read on, so the pipe may break.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    Ran {
        binary,
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        raw: output.stdout,
    }
}

/// Sends `signal` as soon as the progress thread of the work to interrupt exists.
#[cfg(target_os = "linux")]
#[track_caller]
pub(crate) fn interrupted(scene: &Scene, line: &str, thread: &str, signal: &str) {
    let (_, mut command) = scene.of(&line.split(' ').collect::<Vec<_>>());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let is_there = || {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let mut names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        names.any(|name| name.trim_end() == thread)
    };
    while !is_there() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without being asked to");
        std::thread::yield_now();
    }
    let kill = format!("kill -s {signal} {pid}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{line}, {signal}");
    assert_eq!(scene.names(), ["x.npy"], "{line}, {signal}");
}

/// Returns a `.npy` file of version 1.0 with a header of 128 bytes (more if the shape is long), made without
/// the code under test.
pub(crate) fn npy(dtype: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    npy_of(dtype, false, shape, body)
}

/// Returns a `.npy` file like [`npy`], in either order of the axes.
pub(crate) fn npy_of(dtype: &str, fortran: bool, shape: &str, body: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let dictionary = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let length = (dictionary.len() + 11).next_multiple_of(64).max(128) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{dictionary:<width$}\n", width = length - 1).as_bytes());
    bytes.extend(body);
    bytes
}

/// Reads the complex numbers of a `.npy` file written as `complex128`, without the code under test.
pub(crate) fn complex128(bytes: &[u8]) -> Vec<(f64, f64)> {
    let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
    assert!(header.starts_with("{'descr': '<c16', 'fortran_order': False, 'shape': ("), "{header}");
    let (words, rest) = bytes[128..].as_chunks::<8>();
    assert!(rest.is_empty());
    words.chunks_exact(2).map(|pair| (f64::from_le_bytes(pair[0]), f64::from_le_bytes(pair[1]))).collect()
}

/// Returns a chunk of a `.png` file: length, name, data, CRC-32 of name and data.
pub(crate) fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name, data].concat();
    let crc = named.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    [&(data.len() as u32).to_be_bytes(), &named[..], &(!crc).to_be_bytes()].concat()
}

/// Returns a `.png` file of one chunk of packed data, made without the code under test. `kind` is the last
/// five bytes of the header.
pub(crate) fn png_of(rows: u32, cols: u32, kind: [u8; 5], packed: &[u8]) -> Vec<u8> {
    let header = [&cols.to_be_bytes()[..], &rows.to_be_bytes(), &kind].concat();
    [b"\x89PNG\r\n\x1a\n", &chunk(*b"IHDR", &header)[..], &chunk(*b"IDAT", packed), &chunk(*b"IEND", &[])]
        .concat()
}

/// Returns less than 64 KiB in the zlib format, not compressed.
pub(crate) fn stored(data: &[u8]) -> Vec<u8> {
    let length = data.len() as u16;
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    let head = [&[0x78, 0x01, 1], &length.to_le_bytes()[..], &(!length).to_le_bytes()].concat();
    [&head[..], data, &(high << 16 | low).to_be_bytes()].concat()
}

/// Returns a gray picture of 8 bits.
pub(crate) fn grey(rows: usize, cols: usize, shade: impl Fn(usize, usize) -> u8) -> Vec<u8> {
    let line = |row| std::iter::once(0).chain((0..cols).map(|col| shade(row, col)).collect::<Vec<_>>());
    let lines: Vec<u8> = (0..rows).flat_map(line).collect();
    png_of(rows as u32, cols as u32, [8, 0, 0, 0, 0], &stored(&lines))
}

/// Returns the shades of a gray picture of 8 bits, by the decoder alone.
pub(crate) fn shades(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.output_color_type(), (png::ColorType::Grayscale, png::BitDepth::Eight));
    let mut shades = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut shades).unwrap();
    shades
}
