//! A stand-in for FFTW in tests: the part of its interface that the row kernels use, as a shared library that
//! cargo builds, so that loading and calling are tested where neither FFTW nor MKL is.
//!
//! Its transforms are the definition summed term by term: slow, and independent of every kernel of the
//! project. It has both precisions and threads in one file, and two of MKL's own functions; [`copy_without`] makes
//! copies that lack some of it. It is stricter than the real thing, and counts what a caller does ([`Counts`]):
//!
//! * its planner notices when two threads are in it at the same time;
//! * planning without `FFTW_ESTIMATE` overwrites all of the arrays;
//! * executing on arrays of another alignment than planned for, in place or not where the plan is otherwise, or in
//!   the other precision, leaves nothing but NaN, and is counted (callers of MKL, who limit its threads, may do the
//!   first);
//! * a transform from one array to another overwrites the first one unless `FFTW_PRESERVE_INPUT` forbids it;
//! * what has a side of [`UNPLANNABLE`] points, and several rows out of place, get no plan.
//!
//! Its wisdom begins with the number of the plans that it searched for, and names all that it knows, a plan a line.
//!
//! It does not use more than one thread, whatever it is told.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

mod interface;
mod plan;

/// A length that gets no plan.
pub const UNPLANNABLE: usize = 4099;

/// The limit of planning that there is before any is set, and the one that `FFTW_NO_TIMELIMIT` becomes.
pub const NO_LIMIT: i64 = -1000;

/// What callers of one copy of the library did so far, as `standin_counts` tells it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Plans that were made.
    pub plans: u64,
    /// Plans without `FFTW_ESTIMATE` that were not known from before, or learnt.
    pub searches: u64,
    /// Plans that were destroyed.
    pub destroyed: u64,
    /// Entries into the planner while another thread was in it.
    pub collisions: u64,
    /// Executions of plans of one row.
    pub single_rows: u64,
    /// Executions of plans of several rows.
    pub many_rows: u64,
    /// Executions of plans of a matrix, of a cube, or of real numbers.
    pub wholes: u64,
    /// Executions by threads that allowed MKL one thread.
    pub limited: u64,
    /// Executions that a plan is not for, and threads that were asked for before they were there.
    pub misuses: u64,
    /// The threads that the next plan is for.
    pub threads: i32,
    /// The threads that the last plan of such a transform was for.
    pub whole_threads: i32,
    /// The milliseconds that the next plan may take, negative for any.
    pub limit: i64,
    /// The milliseconds that the last plan of such a transform might take.
    pub whole_limit: i64,
}

impl Counts {
    pub(crate) const NONE: Self = Self {
        plans: 0,
        searches: 0,
        destroyed: 0,
        collisions: 0,
        single_rows: 0,
        many_rows: 0,
        wholes: 0,
        limited: 0,
        misuses: 0,
        threads: 1,
        whole_threads: 0,
        limit: NO_LIMIT,
        whole_limit: NO_LIMIT,
    };
}

/// The name under which [`Counts`] are told: `extern "C" fn(*mut Counts)`.
pub const COUNTS: &str = "standin_counts";

/// The names of the interface in both precisions, and MKL's.
pub fn symbols() -> impl Iterator<Item = String> {
    let names = [
        "plan_many_dft",
        "execute_dft",
        "plan_many_dft_r2c",
        "execute_dft_r2c",
        "destroy_plan",
        "export_wisdom",
        "import_wisdom_from_string",
        "alignment_of",
        "version",
        "init_threads",
        "plan_with_nthreads",
        "set_timelimit",
    ];
    let both = ["fftw_", "fftwf_"].into_iter();
    let mkl = ["MKL_Get_Version_String", "MKL_Set_Num_Threads_Local"].map(str::to_owned);
    both.flat_map(move |prefix| names.map(|name| format!("{prefix}{name}"))).chain(mkl)
}

/// Where cargo put the shared library: among the dependencies of the test that is running.
///
/// # Panics
///
/// If it is not there.
pub fn path() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let name = format!("{}standin_fftw{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    // Tests are among the dependencies, programs above them, examples beside.
    let folders =
        test.ancestors().skip(1).take(2).flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
    let found = folders.map(|folder| folder.join(&name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("cargo built no {name} for {}", test.display()))
}

/// Writes a copy of the shared library to `to`, in which the symbols that are `unwanted` have other names. It is
/// a library of its own: with its own planner and its own counts.
///
/// The names are changed in the file, whose tables still lead to them: a search finds a name that is not the one
/// it looked for. That works for ELF files, which all systems but macOS and Windows have.
///
/// # Panics
///
/// If an unwanted name is not there in the first place.
pub fn copy_without(to: &Path, unwanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let mut bytes = fs::read(path())?;
    let mut left: Vec<_> = symbols().filter(|name| unwanted(name)).collect();
    let unwanted = left.clone();
    for text in bytes.split_mut(|&byte| byte == 0) {
        if let Some(name) = unwanted.iter().find(|name| name.as_bytes() == text) {
            left.retain(|other| other != name);
            text[0] = b'#';
        }
    }
    assert!(left.is_empty(), "the stand-in has no {}", left.join(", "));
    fs::write(to, bytes)
}
