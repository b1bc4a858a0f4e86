//! FFTW-MPI, loaded at run time: the peer of this project's distributed transforms. The build does not need
//! it.
//!
//! 1. [`FftwMpi::open`] loads `libfftw3_mpi` by the system's loader. It refuses a library that is linked to
//!    another MPI library than this process (see [`MpiLibrary`]).
//! 2. [`FftwMpi::plan`] plans a transform of complex points of double precision in place. All ranks of the
//!    job make this call.
//! 3. [`Planned::execute`] transforms the points of [`Planned::points`]. All ranks make this call.
//!
//! *Trust.* Loading a library runs its code, and its functions are trusted to match their names. The library
//! stays loaded until the process ends.
//!
//! *Threads.* FFTW's planner is not thread-safe, and MPI was initialized for calls of one thread. The types
//! of this crate are therefore neither `Send` nor `Sync`.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use earth_mpi_library::{LibraryError, MpiLibrary};
use mpi::ffi::MPI_Comm;
use mpi::traits::AsRaw as _;
use num_complex::Complex;

/// Planning effort of FFTW: `FFTW_ESTIMATE`, `FFTW_MEASURE`, `FFTW_PATIENT` or `FFTW_EXHAUSTIVE`.
pub use earth_mpi_library::Effort;

/// Names of the library, the first one that the system's loader finds.
const NAMES: [&str; 2] = ["libfftw3_mpi.so.3", "libfftw3_mpi.so"];

/// Flags of plans in transposed order: of a series, and of more dimensions.
const SCRAMBLED: c_uint = 1 << 28;
const TRANSPOSED: c_uint = 1 << 30;

/// Why FFTW-MPI cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FftwMpiError {
    /// The library cannot be used in this process.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A number of points that the interface does not take.
    #[error("a length of {0} is past what FFTW-MPI takes")]
    TooLarge(usize),
    /// The library makes no plan.
    #[error("libfftw3_mpi makes no plan for {0:?}")]
    NoPlan(Vec<usize>),
    /// Too little memory for the points.
    #[error("no memory for {0} points of FFTW-MPI")]
    NoMemory(usize),
}

/// Functions of the library that a plan needs.
#[derive(Clone, Copy)]
struct Functions {
    local_size_1d: unsafe extern "C" fn(
        isize,
        MPI_Comm,
        c_int,
        c_uint,
        *mut isize,
        *mut isize,
        *mut isize,
        *mut isize,
    ) -> isize,
    local_size_many: unsafe extern "C" fn(
        c_int,
        *const isize,
        isize,
        isize,
        isize,
        MPI_Comm,
        *mut isize,
        *mut isize,
        *mut isize,
        *mut isize,
    ) -> isize,
    plan: unsafe extern "C" fn(
        c_int,
        *const isize,
        *mut Complex<f64>,
        *mut Complex<f64>,
        MPI_Comm,
        c_int,
        c_uint,
    ) -> *mut c_void,
    execute: unsafe extern "C" fn(*mut c_void),
    destroy: unsafe extern "C" fn(*mut c_void),
    alloc: unsafe extern "C" fn(usize) -> *mut Complex<f64>,
    free: unsafe extern "C" fn(*mut c_void),
}

/// The loaded library, in a process that has joined its job.
pub struct FftwMpi {
    functions: Functions,
    library: MpiLibrary,
}

impl FftwMpi {
    /// Loads the library, in a process that has joined its job.
    ///
    /// # Errors
    ///
    /// [`FftwMpiError`] if there is no such library, or one for another MPI.
    pub fn open() -> Result<Self, FftwMpiError> {
        let library = MpiLibrary::open("libfftw3_mpi", &NAMES)?;
        // SAFETY: the types match the declarations in `fftw3-mpi.h` and `fftw3.h`.
        let (init, functions) = unsafe {
            let init: unsafe extern "C" fn() = library.function("fftw_mpi_init")?;
            let functions = Functions {
                local_size_1d: library.function("fftw_mpi_local_size_1d")?,
                local_size_many: library.function("fftw_mpi_local_size_many_transposed")?,
                plan: library.function("fftw_mpi_plan_dft")?,
                execute: library.function("fftw_execute")?,
                destroy: library.function("fftw_destroy_plan")?,
                alloc: library.function("fftw_alloc_complex")?,
                free: library.function("fftw_free")?,
            };
            (init, functions)
        };
        // SAFETY: MPI is initialized.
        unsafe { init() };
        Ok(Self { functions, library })
    }

    /// Plans a forward transform in place, with the spectrum in natural or in transposed order. The points of
    /// the plan are unspecified afterwards. All ranks make this call.
    ///
    /// # Errors
    ///
    /// [`FftwMpiError`]. An error on one rank only is lack of memory.
    pub fn plan(
        &self,
        lengths: &[usize],
        transposed: bool,
        effort: Effort,
    ) -> Result<Planned<'_>, FftwMpiError> {
        let long = |&length: &usize| isize::try_from(length).map_err(|_| FftwMpiError::TooLarge(length));
        let n = lengths.iter().map(long).collect::<Result<Vec<_>, _>>()?;
        let (rank, comm) = (n.len() as c_int, self.library.world().as_raw());
        let mut flags = match effort {
            Effort::Estimate => 1 << 6,
            Effort::Measure => 0,
            Effort::Patient => 1 << 5,
            Effort::Exhaustive => 1 << 3,
        };
        if transposed {
            flags |= if n.len() == 1 { SCRAMBLED } else { TRANSPOSED };
        }
        let mut at = [0; 4];
        let [l0, s0, l1, s1] = at.each_mut().map(std::ptr::from_mut);
        // SAFETY: `rank` is the number of lengths, the communicator is of the same MPI library, and the
        // four results have memory.
        let total = unsafe {
            match n[..] {
                [n] => (self.functions.local_size_1d)(n, comm, -1, flags, l0, s0, l1, s1),
                _ => (self.functions.local_size_many)(rank, n.as_ptr(), 1, 0, 0, comm, l0, s0, l1, s1),
            }
        };
        let total = usize::try_from(total).map_err(|_| FftwMpiError::NoPlan(lengths.to_vec()))?.max(1);
        // SAFETY: the function allocates memory for this number of points.
        let points = NonNull::new(unsafe { (self.functions.alloc)(total) });
        let points = points.ok_or(FftwMpiError::NoMemory(total))?;
        // SAFETY: the memory has room for `total` points, and zero bytes are points.
        unsafe { points.write_bytes(0, total) };
        let memory = Points { functions: self.functions, points, total };
        let begin = Instant::now();
        // SAFETY: `rank` is the number of lengths, and the memory has the points that the library
        // requested.
        let plan = unsafe {
            (self.functions.plan)(rank, n.as_ptr(), points.as_ptr(), points.as_ptr(), comm, -1, flags)
        };
        let plan = NonNull::new(plan).ok_or_else(|| FftwMpiError::NoPlan(lengths.to_vec()))?;
        let [rows, spectrum_rows] = [at[0], at[2]].map(|rows| rows as usize);
        Ok(Planned { plan, memory, planning: begin.elapsed(), rows, spectrum_rows, library: self })
    }
}

/// Planned transform of this rank's points.
pub struct Planned<'a> {
    plan: NonNull<c_void>,
    memory: Points,
    planning: Duration,
    rows: usize,
    spectrum_rows: usize,
    library: &'a FftwMpi,
}

/// Points in memory of the library.
struct Points {
    functions: Functions,
    points: NonNull<Complex<f64>>,
    total: usize,
}

impl Drop for Points {
    fn drop(&mut self) {
        // SAFETY: the library allocated the memory, and it is freed once.
        unsafe { (self.functions.free)(self.points.as_ptr().cast()) };
    }
}

impl Planned<'_> {
    /// Returns the points of this rank: its rows of the input, then its part of the spectrum. There may be
    /// more memory behind them.
    pub fn points(&mut self) -> &mut [Complex<f64>] {
        // SAFETY: the memory has `total` points, which were initialized, and is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.memory.points.as_ptr(), self.memory.total) }
    }

    /// Returns the number of rows of this rank's input, or of points of a series.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of rows along the second dimension that this rank has of a spectrum in transposed
    /// order. For a series, this is its number of points of the spectrum.
    pub fn spectrum_rows(&self) -> usize {
        self.spectrum_rows
    }

    /// Returns the time that planning took.
    pub fn planning(&self) -> Duration {
        self.planning
    }

    /// Transforms the points. All ranks make this call.
    pub fn execute(&mut self) {
        // SAFETY: the plan is of this memory, which is borrowed mutably.
        unsafe { (self.library.functions.execute)(self.plan.as_ptr()) };
    }
}

impl Drop for Planned<'_> {
    fn drop(&mut self) {
        // SAFETY: the library made the plan, and it is destroyed once.
        unsafe { (self.library.functions.destroy)(self.plan.as_ptr()) };
    }
}
