//! Library with FFTW's interface: one file for both precisions, or one file for each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fmt};

use earth_kernels::{Real, RowShape};
use earth_signal::ProcessLock;

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::loaded::fftw2;
use crate::loaded::file::{LoadedFile, renamed};
use crate::loaded::interface::{Interface, Maker};
use crate::loaded::precision::Precision;
use crate::loaded::search::Search;
use crate::problem::WholeProblem;
use crate::rows::LibraryRows;
use crate::whole::LibraryWhole;
use crate::wisdom;

/// Loaded library with at least one precision. Clones share it.
#[derive(Clone)]
pub struct Library {
    double: Half,
    single: Half,
}

/// Functions of a precision, or the reason why they cannot be used.
type Half = Result<Arc<Interface>, LibraryError>;

/// Description of a library, for tables and reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// Name: `fftw`, `fftw2` or `mkl`.
    pub name: &'static str,
    /// Version as reported by the library, if it reports one.
    pub version: Option<String>,
    /// Files of the precisions, double before single.
    pub precisions: Vec<PrecisionFile>,
}

/// File of one precision of a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrecisionFile {
    /// Precision: `f64` or `f32`.
    pub precision: &'static str,
    /// Path of the file.
    pub path: PathBuf,
    /// Whether the library has threads for whole transforms. The error is the reason why not.
    pub threads: Result<(), String>,
}

/// Key of a library: how the caller requested it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wanted {
    Fftw,
    Fftw2,
    Mkl,
    File(PathBuf),
}

/// Libraries that are open. A library that failed to open is tried again at the next request.
static OPEN: ProcessLock<BTreeMap<Wanted, Library>> = ProcessLock::new(BTreeMap::new());

impl Library {
    /// Opens FFTW, found by the loader, in `$CONDA_PREFIX` or `$VIRTUAL_ENV`, or in the folders of
    /// installers.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`].
    pub fn fftw() -> Result<Self, LibraryError> {
        Self::wanted(Wanted::Fftw)
    }

    /// Opens FFTW 2, found as [`fftw`](Self::fftw) is. It transforms complex points in double precision, by
    /// [`Effort::Estimate`] or [`Effort::Measure`], and tells no wisdom.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`].
    pub fn fftw2() -> Result<Self, LibraryError> {
        Self::wanted(Wanted::Fftw2)
    }

    /// Opens MKL: `libmkl_rt`, found by the loader, in `$MKLROOT`, `$CONDA_PREFIX` or `$VIRTUAL_ENV`, or in
    /// the folders of installers.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`].
    pub fn mkl() -> Result<Self, LibraryError> {
        Self::wanted(Wanted::Mkl)
    }

    /// Opens the library in a file. Its code runs as soon as it is loaded (see the crate's documentation).
    ///
    /// If the file has one precision only, as FFTW's own files do, the other precision is loaded from the
    /// file with the corresponding name in the same folder.
    ///
    /// # Errors
    ///
    /// * [`LibraryError::Load`] if the file does not exist or is not a library.
    /// * [`LibraryError::MissingSymbol`] if it does not have the interface.
    /// * [`LibraryError::Incomplete`] if parts of MKL are missing.
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        Self::wanted(Wanted::File(path.to_owned()))
    }

    fn wanted(wanted: Wanted) -> Result<Self, LibraryError> {
        // In a child that was forked while another thread opened a library, the list is unavailable.
        let mut open = OPEN.lock();
        if let Some(library) = open.as_ref().and_then(|open| open.get(&wanted)) {
            return Ok(library.clone());
        }
        let search = |maker| Search::new(maker, |name| env::var_os(name)).first(Self::load);
        let library = match &wanted {
            Wanted::Fftw => search(Maker::Fftw)?,
            Wanted::Fftw2 => search(Maker::Fftw2)?,
            Wanted::Mkl => search(Maker::Mkl)?,
            Wanted::File(path) => Self::load(path)?,
        };
        if let Some(open) = &mut open {
            open.insert(wanted, library.clone());
        }
        Ok(library)
    }

    fn load(path: &Path) -> Result<Self, LibraryError> {
        let file = LoadedFile::open(path)?;
        let has = |precision: Precision| file.address(&plan_many(precision)).is_some();
        let (double, single) = match (has(Precision::Double), has(Precision::Single)) {
            (true, true) => {
                let file = file.located_by(&plan_many(Precision::Double));
                (half(&file, Precision::Double), half(&file, Precision::Single))
            }
            (true, false) => with_beside(file, Precision::Double, Precision::Single),
            (false, true) => {
                let (single, double) = with_beside(file, Precision::Single, Precision::Double);
                (double, single)
            }
            (false, false) if file.address(fftw2::CREATE).is_some() => {
                let file = file.located_by(fftw2::CREATE);
                (Interface::of_fftw2(&file).map(Arc::new), Err(LibraryError::NotByFftw2))
            }
            (false, false) => {
                let (path, symbol) = (file.path().to_owned(), plan_many(Precision::Double));
                return Err(LibraryError::MissingSymbol { path, symbol });
            }
        };
        match (double, single) {
            (Err(error), Err(_)) => Err(error),
            (double, single) => Ok(Self { double, single }),
        }
    }

    /// Plans rows of `shape.len` points for calls of `shape.rows` rows, `shape.distance` points apart (FFTW's
    /// `idist`).
    ///
    /// Calls with another number or distance are also correct and run row by row.
    ///
    /// *Cost.* Planning takes memory for the points of a call, and time by `effort`. Other threads that make
    /// or drop a plan wait meanwhile.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Shape`], [`LibraryError::NoPrecision`], [`LibraryError::TooLarge`],
    /// [`LibraryError::NoMemory`], [`LibraryError::NoPlan`].
    pub fn plan_rows<T: Real>(
        &self,
        shape: RowShape,
        effort: Effort,
    ) -> Result<LibraryRows<T>, LibraryError> {
        LibraryRows::plan(self.interface::<T>()?, shape, effort)
    }

    /// Plans a whole transform in one to three dimensions, on threads that the library starts during the
    /// transform.
    ///
    /// *Cost.* Planning takes memory for the points of the arrays, and time by effort and limit. Other
    /// threads that make or drop a plan wait meanwhile.
    ///
    /// # Errors
    ///
    /// * [`LibraryError::EmptyTransform`].
    /// * [`LibraryError::NoThreads`] if `threads` is above 1.
    /// * [`LibraryError::MissingSymbol`] if the library does not transform real numbers, or not back to them.
    /// * [`LibraryError::NotByFftw2`] if FFTW 2 is not used for the problem.
    /// * All errors of [`plan_rows`](Self::plan_rows).
    pub fn plan_whole<T: Real>(&self, problem: WholeProblem) -> Result<LibraryWhole<T>, LibraryError> {
        LibraryWhole::plan(self.interface::<T>()?, problem)
    }

    /// Exports the planner's results for this precision as text in the library's format, for
    /// [`learn`](Self::learn) in another process. Returns `None` if the library exports none.
    pub fn wisdom<T: Real>(&self) -> Option<String> {
        wisdom::export(&*self.interface::<T>().ok()?)
    }

    /// Imports the planner's results of another process, so that the planner does not repeat the search.
    /// Returns whether the library accepted the text; FFTW refuses results of another version.
    pub fn learn<T: Real>(&self, wisdom: &str) -> bool {
        self.interface::<T>().is_ok_and(|interface| wisdom::import(&interface, wisdom))
    }

    /// Drops the planner's results for this precision. Otherwise a later plan by a lower effort may use the
    /// results of a higher one. Returns whether the library has a function for this.
    pub fn forget<T: Real>(&self) -> bool {
        self.interface::<T>().is_ok_and(|interface| wisdom::forget(&interface))
    }

    /// Returns the name for tables and messages: `mkl`, `fftw2`, or `fftw` for FFTW 3 and all other
    /// libraries with its interface.
    pub fn name(&self) -> &'static str {
        self.halves().next().map_or("none", |half| half.maker.name())
    }

    /// Returns the library's name, version and files.
    pub fn describe(&self) -> Described {
        let precisions = self.halves().map(|half| PrecisionFile {
            precision: half.precision.name(),
            path: half.path.clone(),
            threads: half.plan_with_threads.as_ref().map(|_| ()).map_err(Clone::clone),
        });
        let version = self.halves().find_map(|half| half.version.clone());
        Described { name: self.name(), version, precisions: precisions.collect() }
    }

    /// Returns the available precisions, double before single.
    fn halves(&self) -> impl Iterator<Item = &Arc<Interface>> {
        [&self.double, &self.single].into_iter().flatten()
    }

    fn interface<T: Real>(&self) -> Result<Arc<Interface>, LibraryError> {
        let half = match T::choose::<Precision>() {
            Precision::Double => &self.double,
            Precision::Single => &self.single,
        };
        half.clone().map_err(|because| LibraryError::NoPrecision {
            precision: T::NAME,
            path: self.halves().next().map(|half| half.path.clone()).unwrap_or_default(),
            because: Box::new(because),
        })
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(&self.describe()).finish()
    }
}

/// Returns the name of the function that every usable file must have for a precision.
fn plan_many(precision: Precision) -> String {
    format!("{}plan_many_dft", precision.prefix())
}

fn half(file: &LoadedFile, precision: Precision) -> Half {
    Interface::of(file, precision).map(Arc::new)
}

/// Loads the precision in `file`, and the other precision from the corresponding file in the same folder.
fn with_beside(file: LoadedFile, here: Precision, beside: Precision) -> (Half, Half) {
    let file = file.located_by(&plan_many(here));
    let missing = || LibraryError::MissingSymbol { path: file.path().to_owned(), symbol: plan_many(beside) };
    let other = renamed(file.path(), here.stem(), beside.stem()).ok_or_else(missing);
    let other = other.and_then(|path| LoadedFile::open(&path)).and_then(|file| half(&file, beside));
    (half(&file, here), other)
}
