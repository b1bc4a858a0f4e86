//! FFTW 2 in the form of FFTW 3's interface.
//!
//! A plan of FFTW 3 includes the number of its transforms, their distance and the number of threads. FFTW 2
//! takes these numbers at each execution, so a [`Plan`] holds them. Other differences:
//!
//! * Planning needs no arrays, and a plan is for arrays at any address.
//! * A plan of rows in place takes memory for one row as its output, and works in it.
//! * Positions in an array are `int`, so an array has at most `i32::MAX` points.
//! * FFTW 2 ends the process if it gets no memory.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::error::LibraryError;
use crate::loaded::file::{LoadedFile, renamed};
use crate::lock::planner;

type Create = unsafe extern "C" fn(n: c_int, sign: c_int, flags: c_int) -> *mut c_void;
type CreateWhole =
    unsafe extern "C" fn(rank: c_int, n: *const c_int, sign: c_int, flags: c_int) -> *mut c_void;
type Execute = unsafe extern "C" fn(
    plan: *mut c_void,
    howmany: c_int,
    input: *mut c_void,
    istride: c_int,
    idist: c_int,
    output: *mut c_void,
    ostride: c_int,
    odist: c_int,
);
type ExecuteOnThreads = unsafe extern "C" fn(
    threads: c_int,
    plan: *mut c_void,
    howmany: c_int,
    input: *mut c_void,
    istride: c_int,
    idist: c_int,
    output: *mut c_void,
    ostride: c_int,
    odist: c_int,
);
type Destroy = unsafe extern "C" fn(plan: *mut c_void);
/// Returns 0 if the threads were initialized.
type InitThreads = unsafe extern "C" fn() -> c_int;
/// Returns the size of a real number, in bytes.
type SizeOfReal = unsafe extern "C" fn() -> usize;

const MEASURE: c_int = 1;
const IN_PLACE: c_int = 1 << 3;
/// The planner searches once for equal plans in a process.
const USE_WISDOM: c_int = 1 << 4;
/// Several threads may execute one plan at the same time.
const THREADSAFE: c_int = 1 << 7;

/// Name of the function that distinguishes FFTW 2 from other libraries.
pub(crate) const CREATE: &str = "fftw_create_plan";

/// Functions of FFTW 2 in double precision. Each has the type that its header declares.
#[derive(Clone, Copy)]
pub(crate) struct Fftw2 {
    create: Create,
    execute: Execute,
    destroy: Destroy,
    create_whole: CreateWhole,
    execute_whole: Execute,
    destroy_whole: Destroy,
    on_threads: Option<ExecuteOnThreads>,
}

/// Transform to plan.
pub(crate) struct Order<'a> {
    /// Lengths of one to three dimensions.
    pub(crate) lengths: &'a [c_int],
    /// Number of rows in place and their distance, in points. `None` is one whole transform without gaps.
    pub(crate) rows: Option<[c_int; 2]>,
    pub(crate) sign: c_int,
    pub(crate) in_place: bool,
    /// Whether the planner measures. It makes no other effort.
    pub(crate) measures: bool,
    pub(crate) threads: c_int,
}

/// Plan of FFTW 2, and the numbers for its execution.
struct Plan {
    functions: Fftw2,
    made: *mut c_void,
    rows: Option<[c_int; 2]>,
    /// Function that executes a whole transform on several threads, and their number.
    on_threads: Option<(ExecuteOnThreads, c_int)>,
}

impl Fftw2 {
    /// Finds the functions in a file, with threads from this file or from the related file in the same
    /// folder. The error beside the functions is the reason why the library has no threads.
    pub(crate) fn of(file: &LoadedFile) -> Result<(Self, Result<(), String>), LibraryError> {
        let path = || file.path().to_owned();
        let missing = |name: &str| LibraryError::MissingSymbol { path: path(), symbol: name.to_owned() };
        let size = "fftw_sizeof_fftw_real";
        // SAFETY: the type matches FFTW 2's header, and the function has no parameters.
        let size = unsafe { file.function::<SizeOfReal>(size).ok_or_else(|| missing(size))?() };
        if size != size_of::<f64>() {
            let because = Box::new(LibraryError::NotByFftw2);
            return Err(LibraryError::NoPrecision { precision: "f64", path: path(), because });
        }
        let threads = on_threads(file);
        // SAFETY: the types match FFTW 2's header.
        let functions = unsafe {
            let execute = |name| file.function::<Execute>(name).ok_or_else(|| missing(name));
            let destroy = |name| file.function::<Destroy>(name).ok_or_else(|| missing(name));
            let create = "fftwnd_create_plan";
            Self {
                create: file.function(CREATE).ok_or_else(|| missing(CREATE))?,
                execute: execute("fftw")?,
                destroy: destroy("fftw_destroy_plan")?,
                create_whole: file.function(create).ok_or_else(|| missing(create))?,
                execute_whole: execute("fftwnd")?,
                destroy_whole: destroy("fftwnd_destroy_plan")?,
                on_threads: threads.as_ref().ok().copied(),
            }
        };
        Ok((functions, threads.map(|_| ())))
    }

    /// Makes a plan for [`execute`] and [`destroy`]. Returns a null pointer if FFTW 2 makes none.
    ///
    /// # Safety
    ///
    /// * The planner's lock is held.
    /// * The lengths are positive. There is one if the order is for rows, else one to three.
    pub(crate) unsafe fn plan(&self, order: &Order<'_>) -> *mut c_void {
        let Order { lengths, rows, sign, in_place, measures, threads } = *order;
        let chosen = [(measures, MEASURE), (in_place, IN_PLACE)];
        let chosen = chosen.into_iter().filter(|(is_chosen, _)| *is_chosen);
        let flags = chosen.fold(USE_WISDOM | THREADSAFE, |flags, (_, flag)| flags | flag);
        let rank = c_int::from(lengths.len() as u8);
        // SAFETY: the lock is held and the lengths are positive, as the caller promised. The rank is the
        // number of lengths.
        let made = unsafe {
            match rows {
                Some(_) => (self.create)(lengths[0], sign, flags),
                None => (self.create_whole)(rank, lengths.as_ptr(), sign, flags),
            }
        };
        if made.is_null() {
            return made;
        }
        let on_threads = self.on_threads.filter(|_| threads > 1).map(|function| (function, threads));
        Box::into_raw(Box::new(Plan { functions: *self, made, rows, on_threads })).cast()
    }
}

/// Transforms `input` into `output`. A whole transform in place ignores `output`.
///
/// # Safety
///
/// * `plan` was returned by [`Fftw2::plan`] and is not destroyed.
/// * `input` has all points of the rows or of the whole transform.
/// * `output` has the points of the whole transform, or is separate memory for the points of one row.
/// * No other thread uses the points of the output or writes the points of the input.
pub(crate) unsafe extern "C" fn execute(plan: *mut c_void, input: *mut c_void, output: *mut c_void) {
    // SAFETY: the plan was made by a box and is alive, as the caller promised.
    let Plan { functions, made, rows, on_threads } = unsafe { &*plan.cast::<Plan>() };
    // SAFETY: the arrays have the points of the plan, as the caller promised. The plan is thread-safe.
    unsafe {
        match (rows, on_threads) {
            (Some([howmany, distance]), _) => {
                (functions.execute)(*made, *howmany, input, 1, *distance, output, 1, 0);
            }
            (None, None) => (functions.execute_whole)(*made, 1, input, 1, 0, output, 1, 0),
            (None, Some((execute, threads))) => execute(*threads, *made, 1, input, 1, 0, output, 1, 0),
        }
    }
}

/// Destroys a plan.
///
/// # Safety
///
/// `plan` was returned by [`Fftw2::plan`], and no other code uses it. The planner's lock is held.
pub(crate) unsafe extern "C" fn destroy(plan: *mut c_void) {
    // SAFETY: the plan was made by a box and is destroyed once, as the caller promised.
    let Plan { functions, made, rows, .. } = *unsafe { Box::from_raw(plan.cast::<Plan>()) };
    let destroy = if rows.is_some() { functions.destroy } else { functions.destroy_whole };
    // SAFETY: FFTW 2 made the plan, and the lock is held.
    unsafe { destroy(made) };
}

/// Takes the number of threads of future plans, as FFTW 3 does. FFTW 2 needs it at execution only.
pub(crate) unsafe extern "C" fn plan_with_threads(_: c_int) {}

/// Returns the version as reported by the library, without the version of its source file.
pub(crate) fn version(file: &LoadedFile) -> Option<String> {
    let text = file.address("fftw_version")?.cast::<*const c_char>();
    // SAFETY: FFTW 2's header declares a pointer to a constant string, which the loader initialized.
    let text = unsafe { CStr::from_ptr(*text) }.to_string_lossy().into_owned();
    text.split(" (").next().map(str::to_owned)
}

/// Initializes threads, in the library itself or in the threads library in the same folder.
fn on_threads(file: &LoadedFile) -> Result<ExecuteOnThreads, String> {
    let initialize = "fftw_threads_init";
    if file.address(initialize).is_some() {
        return initialized(file, initialize);
    }
    let none = format!("it has no {initialize}");
    let path = renamed(file.path(), "fftw", "fftw_threads").ok_or_else(|| none.clone())?;
    if !path.exists() {
        return Err(format!("{none}, and there is no {}", path.display()));
    }
    // The threads library calls functions of the library, but does not name it as its dependency.
    file.share_symbols();
    let threads = LoadedFile::open(&path).map_err(|error| error.to_string())?;
    initialized(&threads, initialize)
}

fn initialized(file: &LoadedFile, initialize: &str) -> Result<ExecuteOnThreads, String> {
    let missing = |symbol: &str| format!("{} has no {symbol}", file.path().display());
    let execute = "fftwnd_threads";
    // SAFETY: the types match FFTW 2's header.
    let (initialize, execute) = unsafe {
        let initialize = file.function::<InitThreads>(initialize).ok_or_else(|| missing(initialize))?;
        (initialize, file.function(execute).ok_or_else(|| missing(execute))?)
    };
    let turn = planner();
    let _turn = turn.ok_or_else(|| "another thread was planning when this process was forked".to_owned())?;
    // SAFETY: the function has no parameters, and the lock excludes concurrent planning.
    if unsafe { initialize() } != 0 {
        return Err(format!("{} could not start them", file.path().display()));
    }
    Ok(execute)
}
