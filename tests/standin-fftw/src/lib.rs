//! A stand-in for FFTW in tests: the part of its interface that the row kernels use, as a shared library that
//! cargo builds. With it, loading and calling are tested where neither FFTW nor MKL is installed.
//!
//! Its transforms sum the definition term by term: slow, and independent of every kernel of the project. One
//! file has both precisions, threads and two of MKL's own functions. [`copy_without`] makes copies in which
//! some functions are missing. The stand-in is stricter than the real library, and counts what a caller does
//! ([`Counts`]):
//!
//! * Its planner notices when two threads are in it at the same time.
//! * Planning without `FFTW_ESTIMATE` overwrites the arrays completely.
//! * An execution fills the output with NaN and is counted as a misuse if the arrays have another alignment
//!   than planned, if it is in place but the plan is not or the reverse, or if it is in the other precision.
//!   Callers that limit the threads of MKL may use another alignment.
//! * A transform out of place overwrites its input unless `FFTW_PRESERVE_INPUT` forbids it. Spectra of
//!   several dimensions that become real numbers get no plan with this flag.
//! * A length of [`UNPLANNABLE`] points, and several rows out of place, get no plan.
//!
//! Its wisdom begins with the number of plans that it searched for. Then it lists all known plans, one per
//! line.
//!
//! It never uses more than one thread, whatever the caller sets.
//!
//! The file also has the interface of FFTW 2 in double precision, and [`copy_fftw2`] makes a library with
//! this interface alone. An execution of rows in place fills the memory that it works in with NaN. Plans
//! without `FFTW_THREADSAFE`, and threads that were not initialized, are misuses.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

mod fftw2;
mod interface;
mod plan;
mod real;

/// Length that gets no plan.
pub const UNPLANNABLE: usize = 4099;

/// Initial time limit of planning, which `FFTW_NO_TIMELIMIT` also sets.
pub const NO_LIMIT: i64 = -1000;

/// Actions so far of the callers of one copy of the library, as `standin_counts` returns them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Plans that were made.
    pub plans: u64,
    /// Plans without `FFTW_ESTIMATE` that were neither made before nor imported.
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
    /// Executions that do not fit their plan, plans of several rows for more than one thread, and thread
    /// settings before the initialization of threads.
    pub misuses: u64,
    /// Number of threads of the next plan.
    pub threads: i32,
    /// Number of threads of the last plan that [`wholes`](Self::wholes) counts when executed.
    pub whole_threads: i32,
    /// Time limit of the next plan, in milliseconds; negative for no limit.
    pub limit: i64,
    /// Time limit of the last plan that [`wholes`](Self::wholes) counts when executed, in milliseconds.
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

/// Name of the function that returns the [`Counts`]: `extern "C" fn(*mut Counts)`.
pub const COUNTS: &str = "standin_counts";

/// Returns the names of the interface in both precisions, and MKL's.
pub fn symbols() -> impl Iterator<Item = String> {
    let names = [
        "plan_many_dft",
        "execute_dft",
        "plan_many_dft_r2c",
        "execute_dft_r2c",
        "plan_many_dft_c2r",
        "execute_dft_c2r",
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

/// Names of FFTW 2's interface. FFTW 3 has the last one, too.
const FFTW2: [&str; 9] = [
    "fftw_create_plan",
    "fftw",
    "fftwnd_create_plan",
    "fftwnd",
    "fftwnd_destroy_plan",
    "fftw_sizeof_fftw_real",
    "fftw_threads_init",
    "fftwnd_threads",
    "fftw_destroy_plan",
];

/// Returns the path of the shared library. Cargo puts it among the dependencies of the running test.
///
/// # Panics
///
/// If the library does not exist.
pub fn path() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let name = format!("{}standin_fftw{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    // Tests are among the dependencies; programs are in the folder above, and examples in a folder beside.
    let folders =
        test.ancestors().skip(1).take(2).flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
    let found = folders.map(|folder| folder.join(&name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("cargo built no {name} for {}", test.display()))
}

/// Writes a copy of the shared library to `to`, in which the `unwanted` symbols have other names. FFTW 2's
/// symbols have other names, too. The copy is a library of its own, with its own planner and counts.
///
/// # Panics
///
/// If the library does not have an unwanted name.
pub fn copy_without(to: &Path, unwanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let of_fftw2 = FFTW2[..FFTW2.len() - 1].iter().map(|&name| name.to_owned());
    copy_hiding(to, symbols().filter(|name| unwanted(name)).chain(of_fftw2).collect())
}

/// Writes a copy of the shared library to `to` that has FFTW 2's interface only, without the `unwanted`
/// symbols. It has no version.
///
/// # Panics
///
/// If the library does not have an unwanted name.
pub fn copy_fftw2(to: &Path, unwanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let of_others = symbols().filter(|name| !FFTW2.contains(&&**name));
    copy_hiding(
        to,
        of_others.chain(FFTW2.map(str::to_owned).into_iter().filter(|name| unwanted(name))).collect(),
    )
}

/// Writes a copy of the shared library to `to`, in which the symbols in `left` have other names.
///
/// The function changes the names in the file. The symbol tables still lead to them, and a search for the old
/// name then finds a different one. This works for ELF files, which all systems except macOS and Windows use.
fn copy_hiding(to: &Path, mut left: Vec<String>) -> io::Result<()> {
    let mut bytes = fs::read(path())?;
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
