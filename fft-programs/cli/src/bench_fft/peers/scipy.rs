//! `SciPy` as a contestant: a process of Python, controlled through pipes.
//!
//! It transforms or filters what it receives, so that the result is checked against the definition like
//! everyone's. It then transforms noise of its own, in its own memory, as often as requested. It measures the
//! seconds by its own clock around the calls. So a transform takes the time that a Python program sees,
//! without the pipes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use earth_fft::Precision;
use earth_fftw::Arrays;

use super::points::Points;

/// Program for Python.
const PROGRAM: &str = include_str!("scipy.py");

/// Name of the interpreter.
const PYTHON: &str = "python3";

/// `SciPy` cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot ask SciPy by {PYTHON}: {0}")]
pub(crate) struct ScipyError(String);

impl From<std::io::Error> for ScipyError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Returns the versions of `SciPy`, `NumPy` and Python.
///
/// # Errors
///
/// [`ScipyError`] if there is no Python, or no `SciPy` for it.
pub(super) fn version() -> Result<String, ScipyError> {
    let program = "import scipy, numpy, platform; print(f'{scipy.__version__}, NumPy {numpy.__version__}, Python {platform.python_version()}')";
    let output = Command::new(PYTHON).args(["-c", program]).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let plan_text = String::from_utf8_lossy(&output.stderr);
    Err(ScipyError(plan_text.lines().last().unwrap_or("it failed without a message").to_owned()))
}

/// Process of Python, until it is dropped.
pub(super) struct Scipy {
    process: Child,
    /// Bytes of the input and of the output.
    bytes: [usize; 2],
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Scipy {
    /// Starts a process for the transforms of `points` by `threads` threads.
    pub(super) fn begin<T: Precision>(points: &Points<T>, threads: usize) -> Result<Self, ScipyError> {
        let mut process = Command::new(PYTHON)
            .args(["-c", PROGRAM])
            .args(points.described())
            .arg(threads.to_string())
            .args(points.described_numbers().map(|number| number.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let Some(pipes) = process.stdin.take().zip(process.stdout.take()) else {
            return Err(ScipyError("it has no pipes".to_owned()));
        };
        let pipes = Mutex::new((pipes.0, BufReader::new(pipes.1)));
        Ok(Self { process, bytes: points.bytes_of_rows(), pipes })
    }

    /// Transforms once.
    pub(super) fn transform<T: Precision>(&self, arrays: Arrays<'_, T>) -> Result<(), ScipyError> {
        let [given, made] = self.bytes;
        let (input, output): (Vec<u8>, &mut [u8]) = match arrays {
            Arrays::InPlace(points) => replaced(points),
            Arrays::RealInPlace(numbers) | Arrays::SpectrumInPlace(numbers) => replaced(numbers),
            Arrays::OutOfPlace(input, output) => (cast_slice(input).to_vec(), cast_slice_mut(output)),
            Arrays::RealOutOfPlace(input, output) => (cast_slice(input).to_vec(), cast_slice_mut(output)),
            Arrays::SpectrumOutOfPlace(input, output) => (cast_slice(input).to_vec(), cast_slice_mut(output)),
        };
        let (questions, answers) = &mut *self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        questions.write_all(b"transform\n")?;
        questions.write_all(&input[..given])?;
        questions.flush()?;
        Ok(answers.read_exact(&mut output[..made])?)
    }

    /// Returns the seconds of `times` transforms.
    pub(super) fn seconds(&self, times: usize) -> Result<f64, ScipyError> {
        let (questions, answers) = &mut *self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(questions, "time {times}")?;
        questions.flush()?;
        let mut answer = String::new();
        answers.read_line(&mut answer)?;
        answer.trim().parse().map_err(|_| ScipyError("it ended".to_owned()))
    }
}

/// Returns a copy of the bytes of an array, and these bytes as the output.
fn replaced<E: Pod>(array: &mut [E]) -> (Vec<u8>, &mut [u8]) {
    let bytes = cast_slice_mut(array);
    (bytes.to_vec(), bytes)
}

impl Drop for Scipy {
    fn drop(&mut self) {
        // The process may have ended, and a failure has no effect.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
