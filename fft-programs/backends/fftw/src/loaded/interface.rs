//! Functions of one precision in a file.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

use crate::error::LibraryError;
use crate::loaded::fftw2::{self, Fftw2};
use crate::loaded::file::{LoadedFile, renamed};
use crate::loaded::precision::Precision;
use crate::lock::planner;

/// `FFTW_FORWARD`; the inverse direction is its negative.
pub(crate) const FORWARD: c_int = -1;

pub(crate) type PlanMany = unsafe extern "C" fn(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut c_void,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut c_void,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    sign: c_int,
    flags: c_uint,
) -> *mut c_void;
/// Has no sign: real numbers are transformed forward, and spectra of real numbers back.
pub(crate) type PlanManyReal = unsafe extern "C" fn(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut c_void,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut c_void,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    flags: c_uint,
) -> *mut c_void;
pub(crate) type Execute = unsafe extern "C" fn(plan: *mut c_void, input: *mut c_void, output: *mut c_void);
type DestroyPlan = unsafe extern "C" fn(plan: *mut c_void);
type AlignmentOf = unsafe extern "C" fn(array: *mut c_void) -> c_int;
type InitThreads = unsafe extern "C" fn() -> c_int;
type PlanWithThreads = unsafe extern "C" fn(threads: c_int);
/// A negative limit is no limit.
type SetLimit = unsafe extern "C" fn(seconds: f64);
/// Passes the wisdom to a function, one character at a time.
pub(crate) type ExportWisdom =
    unsafe extern "C" fn(write: unsafe extern "C" fn(c_char, *mut c_void), data: *mut c_void);
/// Returns a nonzero value if the library accepted the text.
pub(crate) type ImportWisdom = unsafe extern "C" fn(text: *const c_char) -> c_int;
type ForgetWisdom = unsafe extern "C" fn();
type MklVersion = unsafe extern "C" fn(text: *mut c_char, len: c_int);
/// Returns the previous number of threads.
type MklThreads = unsafe extern "C" fn(threads: c_int) -> c_int;

/// Maker of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Maker {
    /// FFTW 3, or another maker of a library with its interface.
    Fftw,
    /// FFTW 2.
    Fftw2,
    /// Intel.
    Mkl,
}

impl Maker {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fftw => "fftw",
            Self::Fftw2 => "fftw2",
            Self::Mkl => "mkl",
        }
    }
}

/// Planner of complex points.
pub(crate) enum PlanComplex {
    Fftw3(PlanMany),
    Fftw2(Fftw2),
}

/// Functions of one precision. Each has the type that FFTW's header declares.
pub(crate) struct Interface {
    pub(crate) path: PathBuf,
    pub(crate) maker: Maker,
    pub(crate) precision: Precision,
    pub(crate) version: Option<String>,
    pub(crate) plan_complex: PlanComplex,
    pub(crate) execute: Execute,
    /// Functions that plan and execute transforms of real numbers.
    pub(crate) real: Result<(PlanManyReal, Execute), LibraryError>,
    /// Functions that plan and execute transforms of spectra to real numbers.
    pub(crate) to_real: Result<(PlanManyReal, Execute), LibraryError>,
    pub(crate) destroy_plan: DestroyPlan,
    alignment_of: Option<AlignmentOf>,
    /// Sets the number of threads of future plans. The error is the reason why the library has no threads.
    pub(crate) plan_with_threads: Result<PlanWithThreads, String>,
    /// Sets the time limit of future planning, in seconds.
    pub(crate) set_limit: Option<SetLimit>,
    /// Functions that export and import the planner's results.
    pub(crate) wisdom: Option<(ExportWisdom, ImportWisdom)>,
    /// Drops the planner's results.
    pub(crate) forget_wisdom: Option<ForgetWisdom>,
    mkl_threads: Option<MklThreads>,
}

impl Interface {
    /// Finds the functions of one precision in a file, with threads from this file or from a related file in
    /// the same folder.
    pub(crate) fn of(file: &LoadedFile, precision: Precision) -> Result<Self, LibraryError> {
        let name = |function: &str| format!("{}{function}", precision.prefix());
        let missing =
            |symbol: &str| LibraryError::MissingSymbol { path: file.path().to_owned(), symbol: name(symbol) };
        let maker = if file.address("MKL_Get_Version_String").is_some() { Maker::Mkl } else { Maker::Fftw };
        if maker == Maker::Mkl {
            whole_mkl(file.path())?;
        }
        // SAFETY: the types match FFTW's header and MKL's header.
        unsafe {
            let find = |symbol| (name(symbol), missing(symbol));
            let (plan_many, no_plan_many) = find("plan_many_dft");
            let (execute, no_execute) = find("execute_dft");
            let of_real = |plan_many, execute| {
                let ((plan_many, no_plan_many), (execute, no_execute)) = (find(plan_many), find(execute));
                let plan_many = file.function(&plan_many).ok_or(no_plan_many)?;
                Ok((plan_many, file.function(&execute).ok_or(no_execute)?))
            };
            let (destroy_plan, no_destroy_plan) = find("destroy_plan");
            Ok(Self {
                path: file.path().to_owned(),
                maker,
                precision,
                version: version(file, maker, &name("version")),
                plan_complex: PlanComplex::Fftw3(file.function(&plan_many).ok_or(no_plan_many)?),
                execute: file.function(&execute).ok_or(no_execute)?,
                real: of_real("plan_many_dft_r2c", "execute_dft_r2c"),
                to_real: of_real("plan_many_dft_c2r", "execute_dft_c2r"),
                destroy_plan: file.function(&destroy_plan).ok_or(no_destroy_plan)?,
                alignment_of: file.function(&name("alignment_of")),
                plan_with_threads: threads(file, precision),
                set_limit: file.function(&name("set_timelimit")),
                wisdom: file
                    .function(&name("export_wisdom"))
                    .zip(file.function(&name("import_wisdom_from_string"))),
                forget_wisdom: file.function(&name("forget_wisdom")),
                mkl_threads: file.function("MKL_Set_Num_Threads_Local"),
            })
        }
    }

    /// Finds the functions of FFTW 2 in a file.
    pub(crate) fn of_fftw2(file: &LoadedFile) -> Result<Self, LibraryError> {
        let (functions, threads) = Fftw2::of(file)?;
        Ok(Self {
            path: file.path().to_owned(),
            maker: Maker::Fftw2,
            precision: Precision::Double,
            version: fftw2::version(file),
            plan_complex: PlanComplex::Fftw2(functions),
            execute: fftw2::execute,
            real: Err(LibraryError::NotByFftw2),
            to_real: Err(LibraryError::NotByFftw2),
            destroy_plan: fftw2::destroy,
            alignment_of: None,
            plan_with_threads: threads.map(|()| fftw2::plan_with_threads as PlanWithThreads),
            set_limit: None,
            wisdom: None,
            forget_wisdom: None,
            mkl_threads: None,
        })
    }

    /// Returns whether a plan that was made on memory with alignment `planned` may be executed on `array`.
    pub(crate) fn is_aligned(&self, array: *const c_void, planned: c_int) -> bool {
        self.maker != Maker::Fftw || self.alignment(array) == planned
    }

    /// Returns the alignment of an array in the interface's terms. A plan is valid for arrays of one
    /// alignment.
    pub(crate) fn alignment(&self, array: *const c_void) -> c_int {
        match self.alignment_of {
            // SAFETY: the function only reads the address.
            Some(alignment_of) => unsafe { alignment_of(array.cast_mut()) },
            // FFTW before 3.3.4 does not export this function. This is the value that it would return.
            None => c_int::from((array.addr() % 16) as u8),
        }
    }

    /// Runs `work` while MKL uses the calling thread alone.
    pub(crate) fn alone<R>(&self, work: impl FnOnce() -> R) -> R {
        let Some(set) = self.mkl_threads else { return work() };
        // SAFETY: the function sets a number of the calling thread, and 1 is a valid number of threads.
        let before = unsafe { set(1) };
        let done = work();
        // SAFETY: as above; `before` was returned by the function.
        unsafe { set(before) };
        done
    }
}

/// Checks that the rest of MKL exists. MKL's first call loads it and ends the process if it is missing.
fn whole_mkl(path: &Path) -> Result<(), LibraryError> {
    let is_dispatcher =
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"libmkl_rt."));
    let part = "libmkl_core";
    let is_core = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"libmkl_core.");
    let mut beside = path.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten();
    if !is_dispatcher || beside.any(|entry| is_core(&entry.file_name())) {
        return Ok(());
    }
    Err(LibraryError::Incomplete { path: path.to_owned(), part })
}

/// Returns the version as reported by the library.
fn version(file: &LoadedFile, maker: Maker, symbol: &str) -> Option<String> {
    if maker == Maker::Mkl {
        const LEN: u8 = u8::MAX;
        let mut text = [0; LEN as usize + 1];
        // SAFETY: the type matches MKL's header. The text has at least `LEN` bytes, and its last byte stays
        // 0.
        unsafe {
            let version = file.function::<MklVersion>("MKL_Get_Version_String")?;
            version(text.as_mut_ptr().cast(), c_int::from(LEN));
        }
        return CStr::from_bytes_until_nul(&text).ok().map(|text| text.to_string_lossy().trim().to_owned());
    }
    let text = file.address(symbol)?.cast::<c_char>().cast_const();
    // SAFETY: FFTW's header declares an array of characters, a constant string.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Initializes threads, in the library itself or in the threads library in the same folder. FFTW requires
/// this before any other call.
fn threads(file: &LoadedFile, precision: Precision) -> Result<PlanWithThreads, String> {
    let initialize = format!("{}init_threads", precision.prefix());
    if file.address(&initialize).is_some() {
        return initialized(file, precision);
    }
    let mut looked = Vec::new();
    for suffix in ["_threads", "_omp"] {
        let stem = precision.stem();
        let Some(path) = renamed(file.path(), stem, &format!("{stem}{suffix}")) else { continue };
        match path.exists().then(|| LoadedFile::open(&path)) {
            Some(Ok(file)) => return initialized(&file, precision),
            Some(Err(error)) => looked.push(error.to_string()),
            None => looked.push(format!("there is no {}", path.display())),
        }
    }
    let beside = if looked.is_empty() { String::new() } else { format!(", and {}", looked.join(", and ")) };
    Err(format!("it has no {initialize}{beside}"))
}

fn initialized(file: &LoadedFile, precision: Precision) -> Result<PlanWithThreads, String> {
    let name = |function| format!("{}{function}", precision.prefix());
    let missing = |symbol: &str| format!("{} has no {symbol}", file.path().display());
    let (initialize, set) = (name("init_threads"), name("plan_with_nthreads"));
    // SAFETY: the types match FFTW's header.
    let (initialize, set) = unsafe {
        let set = file.function(&set).ok_or_else(|| missing(&set))?;
        (file.function::<InitThreads>(&initialize).ok_or_else(|| missing(&initialize))?, set)
    };
    let turn = planner();
    let _turn = turn.ok_or_else(|| "another thread was planning when this process was forked".to_owned())?;
    // SAFETY: the function has no parameters, and the lock excludes concurrent planning.
    if unsafe { initialize() } == 0 {
        return Err(format!("{} could not start them", file.path().display()));
    }
    Ok(set)
}
