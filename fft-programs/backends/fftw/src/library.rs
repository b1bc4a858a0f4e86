//! A library with FFTW's interface: one file for both precisions, or one each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fmt};

use earth_kernels::{Real, RowShape};
use earth_signal::ProcessLock;

use crate::effort::Effort;
use crate::error::LibraryError;
use crate::loaded::file::LoadedFile;
use crate::loaded::interface::{Interface, Maker, renamed};
use crate::loaded::precision::Precision;
use crate::loaded::search::Search;
use crate::problem::WholeProblem;
use crate::rows::LibraryRows;
use crate::whole::LibraryWhole;
use crate::wisdom;

/// A loaded library that has at least one precision; a clone is the same one.
#[derive(Clone)]
pub struct Library {
    double: Half,
    single: Half,
}

/// The functions of a precision, or the reason that there are none.
type Half = Result<Arc<Interface>, LibraryError>;

/// The description of a library, for tables and reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// `fftw` or `mkl`.
    pub name: &'static str,
    /// The version in its own words, if it tells one.
    pub version: Option<String>,
    /// The files of the precisions, double before single.
    pub precisions: Vec<PrecisionFile>,
}

/// A precision of a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrecisionFile {
    /// `f64` or `f32`.
    pub precision: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Whether the library has threads for whole matrices; the error says why not.
    pub threads: Result<(), String>,
}

/// How a library was asked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wanted {
    Fftw,
    Mkl,
    File(PathBuf),
}

/// The libraries that are open. One that could not be opened is tried again.
static OPEN: ProcessLock<BTreeMap<Wanted, Library>> = ProcessLock::new(BTreeMap::new());

impl Library {
    /// FFTW: where the loader finds it, in `$CONDA_PREFIX` or `$VIRTUAL_ENV`, or where installers put it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`].
    pub fn fftw() -> Result<Self, LibraryError> {
        Self::wanted(Wanted::Fftw)
    }

    /// MKL: where the loader finds `libmkl_rt`, in `$MKLROOT`, `$CONDA_PREFIX` or
    /// `$VIRTUAL_ENV`, or where installers put it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`].
    pub fn mkl() -> Result<Self, LibraryError> {
        Self::wanted(Wanted::Mkl)
    }

    /// The library in a file, whose code runs as soon as it is loaded (see the crate's documentation). If it has
    /// one precision only, as FFTW's own have, the other is looked for beside it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Load`] if there is no such file or it is no library, [`LibraryError::MissingSymbol`] if
    /// it has not the interface, [`LibraryError::Incomplete`] for a part of MKL.
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        Self::wanted(Wanted::File(path.to_owned()))
    }

    fn wanted(wanted: Wanted) -> Result<Self, LibraryError> {
        // A child that was forked as another thread opened a library keeps none.
        let mut open = OPEN.lock();
        if let Some(library) = open.as_ref().and_then(|open| open.get(&wanted)) {
            return Ok(library.clone());
        }
        let search = |maker| Search::new(maker, |name| env::var_os(name)).first(Self::load);
        let library = match &wanted {
            Wanted::Fftw => search(Maker::Fftw)?,
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

    /// Plans rows of `shape.len` points for calls of `shape.rows` rows at a distance of `shape.distance` points
    /// (FFTW's `idist`). Calls of another number or distance are right, too, row by row.
    ///
    /// Takes memory for the points of a call while planning, and what `effort` says of time; others who plan or
    /// drop a plan wait.
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

    /// Plans a whole transform of one to three dimensions, by threads of the library's own, which it starts while it
    /// transforms.
    ///
    /// Takes memory for the points of the arrays while planning, and what effort and limit say of time; others who
    /// plan or drop a plan wait.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Nothing`], [`LibraryError::NoThreads`] if `threads` is above 1,
    /// [`LibraryError::MissingSymbol`] if it transforms no real numbers, and all of [`plan_rows`](Self::plan_rows).
    pub fn plan_whole<T: Real>(&self, problem: WholeProblem) -> Result<LibraryWhole<T>, LibraryError> {
        LibraryWhole::plan(self.interface::<T>()?, problem)
    }

    /// What its planner has found for rows of this precision, in its own words, to be [learnt](Self::learn) by another
    /// process; nothing if it tells nothing.
    pub fn wisdom<T: Real>(&self) -> Option<String> {
        wisdom::told(&*self.interface::<T>().ok()?)
    }

    /// Has its planner learn what it found in another process, so that it does not search for that again. Returns
    /// whether it could use that: FFTW refuses what another version of it found.
    pub fn learn<T: Real>(&self, wisdom: &str) -> bool {
        self.interface::<T>().is_ok_and(|interface| wisdom::learnt(&interface, wisdom))
    }

    /// The name for tables and messages: `fftw`, also for others who export its interface, or `mkl`.
    pub fn name(&self) -> &'static str {
        self.halves().next().map_or("none", |half| half.maker.name())
    }

    /// Its name, version and files.
    pub fn describe(&self) -> Described {
        let precisions = self.halves().map(|half| PrecisionFile {
            precision: half.precision.name(),
            path: half.path.clone(),
            threads: half.plan_with_threads.as_ref().map(|_| ()).map_err(Clone::clone),
        });
        let version = self.halves().find_map(|half| half.version.clone());
        Described { name: self.name(), version, precisions: precisions.collect() }
    }

    /// The precisions that it has, double before single.
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

/// The function without which a file has nothing of a precision.
fn plan_many(precision: Precision) -> String {
    format!("{}plan_many_dft", precision.prefix())
}

fn half(file: &LoadedFile, precision: Precision) -> Half {
    Interface::of(file, precision).map(Arc::new)
}

/// The precision that a file has, and the other one from the file beside it.
fn with_beside(file: LoadedFile, here: Precision, beside: Precision) -> (Half, Half) {
    let file = file.located_by(&plan_many(here));
    let missing = || LibraryError::MissingSymbol { path: file.path().to_owned(), symbol: plan_many(beside) };
    let other = renamed(file.path(), here.stem(), beside.stem()).ok_or_else(missing);
    let other = other.and_then(|path| LoadedFile::open(&path)).and_then(|file| half(&file, beside));
    (half(&file, here), other)
}
