//! Row kernels and whole transforms of a library: of the stand-in, and of FFTW and MKL where they are
//! installed.
//!
//! Every test makes its own copy of the stand-in, which is a library with its own counts. Copies that lack
//! functions are made for ELF only.
#![cfg(all(unix, not(target_vendor = "apple")))]

mod fftw2;
mod refused;
mod rows;
mod threads;
mod whole;

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};

use earth_fftw::{Effort, Library, LibraryError};
use earth_kernels::{Direction, Real, RowShape, bound, relative_error};
use num_complex::Complex;
use standin_fftw::{COUNTS, Counts, copy_without};
use tempfile::TempDir;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Library under test.
struct Subject {
    name: &'static str,
    library: Library,
}

/// Returns the stand-in, as FFTW and as MKL, and the real libraries.
fn subjects(standin: &Standin) -> Vec<Subject> {
    let mut subjects = vec![
        Subject { name: "stand-in for FFTW", library: standin.library() },
        Subject { name: "stand-in for MKL", library: Library::open(&standin_fftw::path()).unwrap() },
    ];
    for (name, library) in [("FFTW", Library::fftw()), ("MKL", Library::mkl())] {
        match library.and_then(has_both_precisions) {
            Ok(library) => {
                println!("with {name}: {:?}", library.describe());
                subjects.push(Subject { name, library });
            }
            Err(error) => println!("without {name}, because {error}"),
        }
    }
    subjects
}

/// Returns the library if it has both precisions. If only some of its packages are installed, it has one.
fn has_both_precisions(library: Library) -> Result<Library, LibraryError> {
    let shape = RowShape::contiguous(2, 1);
    library.plan_rows::<f32>(shape, Effort::Estimate)?;
    library.plan_rows::<f64>(shape, Effort::Estimate)?;
    Ok(library)
}

/// Copy of the stand-in, deleted on drop.
struct Standin {
    _folder: TempDir,
    path: PathBuf,
}

impl Standin {
    /// Copies all functions except MKL's.
    fn new() -> Self {
        Self::without(|name| name.starts_with("MKL"))
    }

    fn without(unwanted: impl Fn(&str) -> bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libfftw3.so.3");
        copy_without(&path, unwanted).unwrap();
        Self { _folder: folder, path }
    }

    fn library(&self) -> Library {
        Library::open(&self.path).unwrap()
    }

    fn counts(&self) -> Counts {
        counts(&self.path)
    }
}

/// Returns the counts of the stand-in with this path, which is loaded.
fn counts(path: &Path) -> Counts {
    // SAFETY: the stand-in's function has this type and fills the memory.
    unsafe {
        let library = libloading::Library::new(path).unwrap();
        let tell = library.get::<unsafe extern "C" fn(*mut c_void)>(COUNTS).unwrap();
        let mut counts = std::mem::MaybeUninit::<Counts>::uninit();
        tell(counts.as_mut_ptr().cast());
        counts.assume_init()
    }
}

/// Sets the number of MKL threads that this thread allows, and returns the previous number.
fn allow(path: &Path, threads: c_int) -> c_int {
    // SAFETY: the stand-in's function has this type.
    unsafe {
        let library = libloading::Library::new(path).unwrap();
        let set = library.get::<unsafe extern "C" fn(c_int) -> c_int>("MKL_Set_Num_Threads_Local").unwrap();
        set(threads)
    }
}

/// Returns `n` points of noise in -1..1, determined by the seed.
fn noise<T: Real>(n: usize, seed: u64) -> Vec<Complex<T>> {
    let mut state = seed;
    let mut part = || {
        // The constants of Knuth's MMIX generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

/// Computes the definition in one direction, unscaled.
fn defined<T: Real>(input: &[Complex<T>], direction: Direction) -> Vec<Complex<f64>> {
    match direction {
        Direction::Forward => earth_kernels::dft(input),
        Direction::Inverse => {
            earth_kernels::inverse_dft(input).into_iter().map(|x| x * input.len() as f64).collect()
        }
    }
}

#[track_caller]
fn close<T: Real>(found: &[Complex<T>], expected: &[Complex<f64>], what: impl Fn() -> String) {
    let error = relative_error(found, expected);
    assert!(error <= bound::<T>(expected.len()), "{}, {}: an error of {error}", what(), T::NAME);
}
