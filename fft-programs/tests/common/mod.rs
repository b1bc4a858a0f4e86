//! The binary in a directory of its own, and arrays made by hand.

#![allow(dead_code, reason = "every test file uses another part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A directory that goes away with the test.
pub(crate) struct Scene(TempDir);

/// How a run of the binary ended; `stdout` and `stderr` as far as they are UTF-8.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) raw: Vec<u8>,
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

    /// The binary, in this directory.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_earth-fft"));
        command.current_dir(self.0.path());
        command
    }

    /// Runs it with arguments in which names with an extension become paths of this directory.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let is_name =
            |argument: &str| Path::new(argument).extension().is_some() && argument.parse::<f64>().is_err();
        let arguments: Vec<_> = arguments
            .iter()
            .map(|&argument| if is_name(argument) { self.path(argument) } else { PathBuf::from(argument) })
            .collect();
        ran(self.command().args(arguments), b"")
    }

    /// Runs it with the arguments as they are.
    pub(crate) fn run_at(&self, arguments: &[&str]) -> Ran {
        ran(self.command().args(arguments), b"")
    }

    /// The same with standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        ran(self.command().args(arguments), input)
    }
}

fn ran(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that refuses does not read on, so the pipe may break.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        raw: output.stdout,
    }
}

/// A `.npy` file of version 1.0 with a header of 128 bytes (more if the shape is long), made without the code
/// under test.
pub(crate) fn npy(dtype: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (dictionary.len() + 11).next_multiple_of(64).max(128) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{dictionary:<width$}\n", width = length - 1).as_bytes());
    bytes.extend(body);
    bytes
}

/// The complex numbers of a `.npy` file that was written as `complex128`, read without the code under test.
pub(crate) fn complex128(bytes: &[u8]) -> Vec<(f64, f64)> {
    let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
    assert!(header.starts_with("{'descr': '<c16', 'fortran_order': False, 'shape': ("), "{header}");
    let (words, rest) = bytes[128..].as_chunks::<8>();
    assert!(rest.is_empty());
    words.chunks_exact(2).map(|pair| (f64::from_le_bytes(pair[0]), f64::from_le_bytes(pair[1]))).collect()
}
