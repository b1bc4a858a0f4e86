//! The choice of the row kernel: the project's own, rustfft, or a library with FFTW's interface.
//!
//! A [`Kernel`] is a name, plain data that is compared, written and read. Its library is loaded only by a
//! plan or by [`load`](Kernel::load). A library is loaded once and stays until the process ends. The
//! project's own kernel and rustfft need no library.
//!
//! *Trust.* A library's code runs when it is loaded. A program loads a file that it names itself
//! ([`Kernel::File`]), and FFTW, FFTW 2 or MKL where [`Library::fftw`], [`Library::fftw2`] and
//! [`Library::mkl`] find them. A path that serde reads from data (wisdom, speed functions) becomes a
//! [`Kernel::Recorded`], which is never loaded.

mod options;
mod own;
mod shared;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use earth_codelets::Isa;
pub use earth_codelets::IsaError;
use earth_fftw::{Effort, Library, LibraryError, LibraryWhole, WholeProblem};
use earth_kernels::{
    ColumnKernel, Direction, Real, RealKernel, RowKernel, RowShape, RowShapeError, TransposingKernel,
};
use earth_serial::Kernels;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use options::RowOptions;
pub use own::own_rows;
use own::rustfft;
use shared::{KERNELS, Role, Wanted};

/// Row kernel to plan with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Kernel {
    /// The project's own kernel where it is faster, and rustfft elsewhere: [`own_rows`].
    #[default]
    Earth,
    /// rustfft, a part of this program.
    RustFft,
    /// An installed FFTW 3.
    Fftw,
    /// An installed FFTW 2: complex points in double precision.
    Fftw2,
    /// An installed MKL of Intel.
    Mkl,
    /// The library in a file: FFTW, FFTW 2, MKL or another library with FFTW's interface.
    File(PathBuf),
    /// A library whose path was read from data. It is compared and written, and never loaded: see
    /// [`Kernel::confirmed_by`].
    Recorded(PathBuf),
}

/// Name that is no kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no kernel {0:?}: use earth, rustfft, fftw, fftw2, mkl, or the path of a library, which has a / in it"
)]
pub struct KernelNameError(pub String);

/// Why a kernel has no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KernelError {
    /// The shape of the rows is invalid.
    #[error(transparent)]
    Shape(RowShapeError),
    /// The library cannot be used, or has no plan.
    #[error(transparent)]
    Library(LibraryError),
    /// The path of a library is in a data file, and the program does not name it.
    #[error(
        "the library '{}' is named by a data file alone, and is loaded only if it is named as the kernel, too", .0.display()
    )]
    Unconfirmed(PathBuf),
    /// Only libraries transform whole matrices on threads of their own.
    #[error("{0} has no transform on threads of its own")]
    NoWhole(&'static str),
}

impl From<LibraryError> for KernelError {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::Shape(error) => Self::Shape(error),
            error => Self::Library(error),
        }
    }
}

impl Kernel {
    /// Returns whether the kernel is a part of this program. Its plans are then for any number of rows at any
    /// distance.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Earth | Self::RustFft)
    }

    /// Returns the kernel. A [recorded](Self::Recorded) path becomes a [`File`](Self::File) if `named` is the
    /// same file.
    #[must_use]
    pub fn confirmed_by(&self, named: Option<&Self>) -> Self {
        match (self, named) {
            (Self::Recorded(path), Some(Self::File(file))) if path == file => Self::File(file.clone()),
            _ => self.clone(),
        }
    }

    /// Loads the library, if the kernel is a library.
    ///
    /// # Errors
    ///
    /// [`KernelError::Library`] if the library is missing or cannot be used, [`KernelError::Unconfirmed`] if
    /// its path was read from data.
    pub fn load(&self) -> Result<Option<Library>, KernelError> {
        Ok(match self {
            Self::Earth | Self::RustFft => None,
            Self::Fftw => Some(Library::fftw()?),
            Self::Fftw2 => Some(Library::fftw2()?),
            Self::Mkl => Some(Library::mkl()?),
            Self::File(path) => Some(Library::open(path)?),
            Self::Recorded(path) => return Err(KernelError::Unconfirmed(path.clone())),
        })
    }

    /// Plans rows, for calls of `shape.rows` rows with the leading dimension `shape.distance`. Calls of other
    /// rows of the same length are correct, but may be slower. Any number of threads may use the plan.
    ///
    /// See [`Library::plan_rows`] for the cost of planning. Kernels of this program ignore the effort, the
    /// number and the distance.
    ///
    /// # Errors
    ///
    /// [`KernelError::Shape`], or [`KernelError::Library`] if the library cannot be used, lacks this
    /// precision, or has no plan.
    pub fn plan<T: Real>(
        &self,
        shape: RowShape,
        effort: Effort,
    ) -> Result<Arc<dyn RowKernel<T>>, KernelError> {
        shape.span().map_err(KernelError::Shape)?;
        Ok(match (self, self.load()?) {
            (_, Some(library)) => Arc::new(library.plan_rows(shape, effort)?),
            (Self::Earth, None) => own_rows(shape.len),
            (_, None) => Arc::new(rustfft(shape.len)),
        })
    }

    /// Plans a whole transform on the library's own threads, for comparisons.
    ///
    /// # Errors
    ///
    /// [`KernelError::NoWhole`], or [`KernelError::Library`] under the conditions of [`Library::plan_whole`].
    pub fn plan_whole<T: Real>(&self, problem: WholeProblem) -> Result<LibraryWhole<T>, KernelError> {
        let name = if *self == Self::Earth { "earth" } else { "rustfft" };
        let library = self.load()?.ok_or(KernelError::NoWhole(name))?;
        Ok(library.plan_whole(problem)?)
    }
}

/// Returns the name of the vector instructions that the project's own kernel uses: those that the environment
/// variable `EARTH_ISA` names, or the widest ones of this computer.
pub fn own_simd() -> &'static str {
    Isa::best().name()
}

/// Checks the environment variable `EARTH_ISA`.
///
/// # Errors
///
/// It names no instruction set of this computer.
pub fn check_simd() -> Result<(), IsaError> {
    Isa::chosen().map(drop)
}

/// Kernels for the row options of a plan. Plans share the kernel of a length.
pub struct Planned<'a>(pub(crate) &'a RowOptions);

impl Planned<'_> {
    /// Returns the kernel that another plan uses or used last, or the new one that `make` returns.
    fn shared<K: ?Sized + Send + Sync + 'static, E>(
        &self,
        role: Role,
        len: usize,
        make: impl FnOnce() -> Result<Arc<K>, E>,
    ) -> Result<Arc<K>, E> {
        let RowOptions { kernel, effort, .. } = self.0;
        KERNELS.of(Wanted { role, kernel: kernel.clone(), effort: *effort, len }, make)
    }

    /// Returns a kernel as `shared` does, prepared for the plan's direction. `None` if `make` returns none,
    /// or if another kernel than the project's own is requested.
    fn own<K: ?Sized + Send + Sync + 'static>(
        &self,
        role: Role,
        len: usize,
        make: impl FnOnce() -> Option<Arc<K>>,
        prepare: impl FnOnce(&K, Direction),
    ) -> Option<Arc<K>> {
        if self.0.kernel != Kernel::Earth {
            return None;
        }
        let kernel = self.shared(role, len, || make().ok_or(())).ok()?;
        prepare(&kernel, self.0.direction);
        Some(kernel)
    }
}

impl<T: Real> Kernels<T> for Planned<'_> {
    type Error = KernelError;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, KernelError> {
        let RowOptions { kernel, effort, direction, .. } = self.0;
        let rows: Arc<dyn RowKernel<T>> =
            self.shared(Role::Rows, len, || kernel.plan(RowShape::contiguous(len, 1), *effort))?;
        rows.prepare(*direction);
        Ok(rows)
    }

    fn nested(&self, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
        let make = || earth_codelets::split_rows(Isa::best(), len);
        self.own(Role::NestedRows, len, make, RowKernel::prepare)
    }

    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        let make = || earth_codelets::columns(Isa::best(), len);
        self.own(Role::Columns, len, make, ColumnKernel::prepare)
    }

    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        self.shared(Role::Real, len, || earth_codelets::real(Isa::best(), len).ok_or(())).ok()
    }

    fn turned(&self, len: usize, rows: usize) -> Option<Arc<dyn TransposingKernel<T>>> {
        let make = || earth_codelets::turned(Isa::best(), len, rows);
        self.own(Role::Turned(rows), len, make, TransposingKernel::prepare)
    }
}

/// Writes the name that is parsed: `earth`, `rustfft`, `fftw`, `fftw2`, `mkl` or the path.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Earth => f.pad("earth"),
            Self::RustFft => f.pad("rustfft"),
            Self::Fftw => f.pad("fftw"),
            Self::Fftw2 => f.pad("fftw2"),
            Self::Mkl => f.pad("mkl"),
            Self::File(path) | Self::Recorded(path) => path.display().fmt(f),
        }
    }
}

impl FromStr for Kernel {
    type Err = KernelNameError;

    fn from_str(name: &str) -> Result<Self, KernelNameError> {
        match name {
            "earth" => Ok(Self::Earth),
            "rustfft" => Ok(Self::RustFft),
            "fftw" => Ok(Self::Fftw),
            "fftw2" => Ok(Self::Fftw2),
            "mkl" => Ok(Self::Mkl),
            // A name without a folder would be searched for by the loader in its own folders.
            path if path.contains(std::path::is_separator) => Ok(Self::File(path.into())),
            _ => Err(KernelNameError(name.to_owned())),
        }
    }
}

impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a name; a path is [recorded](Kernel::Recorded).
impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)?.parse().map_err(D::Error::custom)? {
            Self::File(path) => Self::Recorded(path),
            kernel => kernel,
        })
    }
}

#[cfg(test)]
mod tests {
    use earth_fftw::Arrays;
    use earth_kernels::Direction;

    use super::*;

    /// Compares rows by the kernel with rustfft, in calls of the planned shape and of another one.
    fn transforms<T: Real>(kernel: &Kernel) {
        let shape = RowShape { len: 30, rows: 2, distance: 32 };
        let points = |n: usize| (0..n).map(|j| num_complex::Complex::new(T::of(j as f64), T::one()));
        let input: Vec<_> = points(62).collect();
        let expected = {
            let (rustfft, mut rows) = (rustfft::<T>(30), input.clone());
            rows.chunks_mut(32).for_each(|row| rustfft.forward(&mut row[..30], &mut rustfft.scratch()));
            rows.iter().map(|x| num_complex::Complex::new(x.re.widen(), x.im.widen())).collect::<Vec<_>>()
        };
        let planned = kernel.plan::<T>(shape, Effort::Estimate).unwrap();
        let mut scratch = planned.scratch();
        for rows in 1..=2 {
            let (mut found, end) = (input.clone(), (rows - 1) * 32 + 30);
            planned.transform_spaced(Direction::Forward, &mut found[..end], 32, &mut scratch);
            let error = earth_kernels::relative_error(&found[..end], &expected[..end]);
            assert!(error <= earth_kernels::bound::<T>(30), "{kernel}, {}, {rows} rows: {error}", T::NAME);
            assert_eq!(found[end..], input[end..]);
        }
    }

    #[test]
    fn kernels_plan_padded_rows() {
        for kernel in [Kernel::Earth, Kernel::RustFft, Kernel::File(standin_fftw::path())] {
            transforms::<f32>(&kernel);
            transforms::<f64>(&kernel);
        }
    }

    #[test]
    fn rows_that_cannot_be_are_the_same_error_everywhere() {
        for kernel in [Kernel::Earth, Kernel::RustFft, Kernel::File(standin_fftw::path())] {
            for (len, rows, distance) in [(0, 1, 0), (4, 0, 4), (4, 2, 3), (4, 9, usize::MAX)] {
                let shape = RowShape { len, rows, distance };
                let refused = kernel.plan::<f64>(shape, Effort::Estimate).map(|_| ());
                assert_eq!(refused, Err(KernelError::Shape(shape.span().unwrap_err())), "{kernel}");
            }
        }
    }

    #[test]
    fn a_library_that_is_not_there_is_an_error_when_it_is_needed() {
        let kernel: Kernel = "/nowhere/libfftw3.so".parse().unwrap();
        let error = kernel.plan::<f32>(RowShape::contiguous(8, 1), Effort::Estimate).unwrap_err();
        assert!(matches!(error, KernelError::Library(LibraryError::Load { .. })), "{error}");
        assert!(error.to_string().starts_with("cannot load /nowhere/libfftw3.so: "), "{error}");
    }

    /// Checks that a path in data is never loaded, unless the program names the same file.
    #[test]
    fn a_library_that_data_name_is_not_loaded() {
        let standin = Kernel::File(standin_fftw::path());
        let read: Kernel = serde_json::from_value(serde_json::to_value(&standin).unwrap()).unwrap();
        assert_eq!(read, Kernel::Recorded(standin_fftw::path()));
        assert_eq!(read.to_string(), standin.to_string());
        let refused = read.load().unwrap_err();
        assert_eq!(refused, KernelError::Unconfirmed(standin_fftw::path()));
        let shape = RowShape::contiguous(8, 1);
        assert_eq!(read.plan::<f64>(shape, Effort::Estimate).map(drop), Err(refused));
        for other in
            [None, Some(&Kernel::Fftw), Some(&Kernel::File("/other/libfftw3.so".into())), Some(&read)]
        {
            assert_eq!(read.confirmed_by(other), read);
        }
        assert_eq!(read.confirmed_by(Some(&standin)), standin);
        assert_eq!(Kernel::Earth.confirmed_by(Some(&standin)), Kernel::Earth);
    }

    #[test]
    fn libraries_have_threads_of_their_own_and_own_kernels_do_not() {
        let problem = WholeProblem { threads: 2, ..WholeProblem::new(&[2, 2]) };
        let plan = |kernel: Kernel| kernel.plan_whole::<f64>(problem);
        for kernel in [Kernel::Earth, Kernel::RustFft] {
            let refused = plan(kernel.clone()).unwrap_err();
            assert_eq!(refused.to_string(), format!("{kernel} has no transform on threads of its own"));
        }
        // A plan is for arrays with the allocator's alignment, so the matrix comes from the allocator.
        let mut matrix: Vec<_> = [4.0, 3.0, 2.0, 1.0].map(num_complex::Complex::from).into();
        plan(Kernel::File(standin_fftw::path())).unwrap().transform(Arrays::InPlace(&mut matrix), 1).unwrap();
        let expected = [10.0, 2.0, 4.0, 0.0].map(num_complex::Complex::from);
        assert!(earth_kernels::relative_error(&matrix, &expected) < 1e-15, "{matrix:?}");
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let file = Kernel::File("/opt/fftw/lib/libfftw3.so.3".into());
        for kernel in [Kernel::Earth, Kernel::RustFft, Kernel::Fftw, Kernel::Fftw2, Kernel::Mkl, file] {
            assert_eq!(kernel.to_string().parse(), Ok(kernel.clone()));
            let written = serde_json::to_value(&kernel).unwrap();
            assert_eq!(written, kernel.to_string());
            let read: Kernel = serde_json::from_value(written).unwrap();
            assert_eq!(read.confirmed_by(Some(&kernel)), kernel);
        }
        assert_eq!(Kernel::default(), Kernel::Earth);
        for name in ["", "FFTW", "libfftw3.so.3"] {
            let error = name.parse::<Kernel>().unwrap_err();
            let expected = format!(
                "there is no kernel {name:?}: use earth, rustfft, fftw, fftw2, mkl, or the path of a library, which has a / in it"
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}
