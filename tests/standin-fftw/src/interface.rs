//! The functions under their C names, once per precision.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::plan::{FORWARD, Pass, Plan, Real, RealRows, alignment_of};
use crate::real::OfReal;
use crate::{Counts, UNPLANNABLE};

const UNALIGNED: c_uint = 1 << 1;
pub(crate) const PRESERVE_INPUT: c_uint = 1 << 4;
const ESTIMATE: c_uint = 1 << 6;

static STATE: Mutex<State> =
    Mutex::new(State { threads_initialized: false, counts: Counts::NONE, known: BTreeSet::new() });

/// Held by the thread that is in the planner.
static PLANNING: Mutex<()> = Mutex::new(());

pub(crate) struct State {
    pub(crate) threads_initialized: bool,
    pub(crate) counts: Counts,
    /// Plans that were made without `ESTIMATE` or imported, each with whether it is in single precision.
    known: BTreeSet<(bool, String)>,
}

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` in the planner, slowly enough that concurrent calls overlap.
pub(crate) fn in_planner<R>(work: impl FnOnce(&mut State) -> R) -> R {
    let alone = PLANNING.try_lock();
    if alone.is_err() {
        state().counts.collisions += 1;
    }
    (0..5).for_each(|_| thread::yield_now());
    work(&mut state())
}

thread_local! {
    /// Number of threads that the calling thread allows MKL; 0 if it was not set.
    static ALLOWED: Cell<c_int> = const { Cell::new(0) };
}

/// Returns the passes over all dimensions but the last, for one to three dimensions. Rows are `distance`
/// apart and have `width` points.
pub(crate) fn across(lengths: &[usize], width: usize, distance: usize) -> Vec<Pass> {
    let pass = |len, stride, again, apart| Pass { count: width, len, stride, distance: 1, again, apart };
    match *lengths {
        [_] => Vec::new(),
        [rows, _] => vec![pass(rows, distance, 1, 0)],
        [planes, rows, _] => {
            let plane = rows * distance;
            vec![pass(rows, distance, planes, plane), pass(planes, plane, rows, distance)]
        }
        _ => unreachable!("a rank that was looked at"),
    }
}

/// Makes a plan of these passes. Returns a null pointer if it refuses them.
///
/// # Safety
///
/// The arrays meet the conditions of [`Plan::execute`].
pub(crate) unsafe fn plan<R: Real>(
    real: Option<RealRows>,
    passes: Vec<Pass>,
    [input, output]: [*mut c_void; 2],
    sign: c_int,
    flags: c_uint,
) -> *mut c_void {
    let mut sides = passes.iter().map(|pass| pass.len).chain(real.map(|rows| rows.len));
    let unplannable = sides.any(|side| side == UNPLANNABLE || side == 0);
    let in_place = input == output;
    if sign.abs() != 1 || unplannable {
        return std::ptr::null_mut();
    }
    in_planner(|state| {
        if flags & ESTIMATE == 0
            && state.known.insert((R::SINGLE, format!("{real:?} {passes:?} {sign} {in_place}")))
        {
            state.counts.searches += 1;
        }
        let alignment = (flags & UNALIGNED == 0).then(|| alignment_of(input));
        let keeps_input = in_place || flags & PRESERVE_INPUT != 0;
        let plan = Plan { single: R::SINGLE, in_place, keeps_input, real, passes, sign, alignment };
        if flags & ESTIMATE == 0 {
            // SAFETY: as the caller promised.
            unsafe {
                plan.spoil_input::<R>(input.cast());
                plan.spoil::<R>(output.cast());
            }
        }
        let counts = &mut state.counts;
        counts.plans += 1;
        if plan.is_whole() {
            (counts.whole_threads, counts.whole_limit) = (counts.threads, counts.limit);
        }
        // Row kernels plan rows for one thread. Plans of separate rows are tested without this count.
        let is_of_rows = matches!(plan.passes[..], [Pass { count: 2.., .. }]) && plan.real.is_none();
        counts.misuses += u64::from(is_of_rows && counts.threads != 1);
        Box::into_raw(Box::new(plan)).cast()
    })
}

/// # Safety
///
/// `plan` was returned by [`plan`], and the arrays are suitable for it. `of_real` is the direction of a
/// transform of real numbers.
unsafe fn execute<R: Real>(
    plan: *const c_void,
    of_real: Option<c_int>,
    input: *mut c_void,
    output: *mut c_void,
) {
    // SAFETY: as the caller promised.
    let plan = unsafe { &*plan.cast::<Plan>() };
    let called_as_mkl = ALLOWED.get() == 1;
    let is_aligned = |array| plan.alignment.is_none_or(|alignment| alignment == alignment_of(array));
    let fits = (input == output) == plan.in_place
        && plan.single == R::SINGLE
        && plan.real.map(|_| plan.sign) == of_real
        && (called_as_mkl || (is_aligned(input) && is_aligned(output)));
    if fits {
        // SAFETY: as the caller promised.
        unsafe { plan.transform::<R>(input.cast(), output.cast()) };
    } else {
        // SAFETY: as the caller promised.
        unsafe { plan.spoil::<R>(output.cast()) };
    }
    let counts = &mut state().counts;
    counts.misuses += u64::from(!fits);
    counts.limited += u64::from(called_as_mkl);
    let counted = match plan.passes[..] {
        _ if plan.is_whole() => &mut counts.wholes,
        [Pass { count: 1, .. }] => &mut counts.single_rows,
        _ => &mut counts.many_rows,
    };
    *counted += 1;
}

/// Destroys a plan. The loader finds this function by its name, as functions of FFTW find each other.
///
/// # Safety
///
/// `plan` was returned by a planner of this file, and is destroyed once.
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) unsafe extern "C" fn standin_destroy(plan: *mut c_void) {
    in_planner(|state| {
        state.counts.destroyed += 1;
        // SAFETY: a plan was made by a box, as the caller promised.
        drop(unsafe { Box::from_raw(plan.cast::<Plan>()) });
    });
}

/// Writes the counts so far.
///
/// # Safety
///
/// `counts` points to [`Counts`] that may be overwritten.
#[unsafe(no_mangle)]
unsafe extern "C" fn standin_counts(counts: *mut Counts) {
    // SAFETY: as the caller promised.
    unsafe { *counts = state().counts };
}

/// # Safety
///
/// `text` has room for `len` characters.
#[unsafe(no_mangle)]
unsafe extern "C" fn MKL_Get_Version_String(text: *mut c_char, len: c_int) {
    let version = b"stand-in for MKL   ";
    let len = version.len().min(len as usize);
    // SAFETY: as the caller promised.
    unsafe { text.copy_from_nonoverlapping(version.as_ptr().cast(), len) };
}

#[unsafe(no_mangle)]
extern "C" fn MKL_Set_Num_Threads_Local(threads: c_int) -> c_int {
    ALLOWED.replace(threads)
}

/// Returns the lengths of `rank` dimensions.
///
/// # Safety
///
/// `n` points to `rank` numbers.
pub(crate) unsafe fn lengths(n: *const c_int, rank: c_int) -> Vec<usize> {
    // SAFETY: as the caller promised.
    (0..rank as usize).map(|axis| unsafe { *n.add(axis) } as usize).collect()
}

macro_rules! interface {
    ($module:ident, $real:ty, $prefix:literal) => {
        mod $module {
            use super::*;

            #[unsafe(export_name = concat!($prefix, "version"))]
            static VERSION: [u8; 36] = *b"stand-in for FFTW by the definition\0";

            #[unsafe(export_name = concat!($prefix, "plan_many_dft"))]
            unsafe extern "C" fn plan_many_dft(
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
            ) -> *mut c_void {
                if istride != ostride || idist != odist || !(1..=3).contains(&rank) {
                    return std::ptr::null_mut();
                }
                // SAFETY: `n` points to `rank` lengths, by FFTW's interface.
                let lengths = unsafe { lengths(n, rank) };
                let [count, stride, distance] = [howmany, istride, idist].map(|x| x as usize);
                if let [len] = lengths[..] {
                    let pass = Pass { count, len, stride, distance, again: 1, apart: 0 };
                    // SAFETY: FFTW's interface demands suitable arrays of the caller.
                    return unsafe { plan::<$real>(None, vec![pass], [input, output], sign, flags) };
                }
                // SAFETY: as above.
                let distances = unsafe { [*inembed.add(lengths.len() - 1), *onembed.add(lengths.len() - 1)] };
                let ([within, other], cols) = (distances.map(|x| x as usize), lengths[lengths.len() - 1]);
                if within != other || within < cols || (howmany, istride) != (1, 1) {
                    return std::ptr::null_mut();
                }
                let count = lengths[..lengths.len() - 1].iter().product();
                let along = Pass { count, len: cols, stride: 1, distance: within, again: 1, apart: 0 };
                let passes = [vec![along], across(&lengths, cols, within)].concat();
                // SAFETY: FFTW's interface demands suitable arrays of the caller.
                unsafe { plan::<$real>(None, passes, [input, output], sign, flags) }
            }

            #[unsafe(export_name = concat!($prefix, "plan_many_dft_r2c"))]
            unsafe extern "C" fn plan_many_dft_r2c(
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
            ) -> *mut c_void {
                let order = OfReal {
                    shape: (rank, n, howmany),
                    strides: [istride, ostride],
                    within: [inembed, onembed],
                    between: [idist, odist],
                    arrays: [input, output],
                    flags,
                };
                // SAFETY: FFTW's interface demands suitable arrays of the caller.
                unsafe { order.plan::<$real>(FORWARD) }
            }

            #[unsafe(export_name = concat!($prefix, "plan_many_dft_c2r"))]
            unsafe extern "C" fn plan_many_dft_c2r(
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
            ) -> *mut c_void {
                let order = OfReal {
                    shape: (rank, n, howmany),
                    strides: [istride, ostride],
                    within: [onembed, inembed],
                    between: [odist, idist],
                    arrays: [input, output],
                    flags,
                };
                // SAFETY: FFTW's interface demands suitable arrays of the caller.
                unsafe { order.plan::<$real>(-FORWARD) }
            }

            #[unsafe(export_name = concat!($prefix, "execute_dft"))]
            unsafe extern "C" fn execute_dft(plan: *const c_void, input: *mut c_void, output: *mut c_void) {
                // SAFETY: FFTW's interface demands a valid plan and suitable arrays of the caller.
                unsafe { execute::<$real>(plan, None, input, output) };
            }

            #[unsafe(export_name = concat!($prefix, "execute_dft_r2c"))]
            unsafe extern "C" fn execute_dft_r2c(
                plan: *const c_void,
                input: *mut c_void,
                output: *mut c_void,
            ) {
                // SAFETY: FFTW's interface demands a valid plan and suitable arrays of the caller.
                unsafe { execute::<$real>(plan, Some(FORWARD), input, output) };
            }

            #[unsafe(export_name = concat!($prefix, "execute_dft_c2r"))]
            unsafe extern "C" fn execute_dft_c2r(
                plan: *const c_void,
                input: *mut c_void,
                output: *mut c_void,
            ) {
                // SAFETY: FFTW's interface demands a valid plan and suitable arrays of the caller.
                unsafe { execute::<$real>(plan, Some(-FORWARD), input, output) };
            }

            #[unsafe(export_name = concat!($prefix, "destroy_plan"))]
            unsafe extern "C" fn destroy_plan(plan: *mut c_void) {
                // SAFETY: FFTW's interface demands that a plan is destroyed once.
                unsafe { standin_destroy(plan) };
            }

            #[unsafe(export_name = concat!($prefix, "export_wisdom"))]
            unsafe extern "C" fn export_wisdom(
                write: unsafe extern "C" fn(c_char, *mut c_void),
                data: *mut c_void,
            ) {
                let text = in_planner(|state| {
                    let known = state.known.iter().filter(|(single, _)| *single == <$real>::SINGLE);
                    let known: String = known.map(|(_, plan)| format!("{plan}\n")).collect();
                    format!("{} searches\n{known}", state.counts.searches)
                });
                // SAFETY: FFTW's interface demands that the function accepts this `data`.
                text.bytes().for_each(|byte| unsafe { write(byte.cast_signed(), data) });
            }

            #[unsafe(export_name = concat!($prefix, "import_wisdom_from_string"))]
            unsafe extern "C" fn import_wisdom_from_string(text: *const c_char) -> c_int {
                // SAFETY: FFTW's interface demands a C string.
                let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
                let Some((first, known)) = text.split_once('\n') else { return 0 };
                if !first.ends_with(" searches") {
                    return 0;
                }
                let known = known.lines().map(|plan| (<$real>::SINGLE, plan.to_owned()));
                in_planner(|state| state.known.extend(known));
                1
            }

            #[unsafe(export_name = concat!($prefix, "alignment_of"))]
            extern "C" fn alignment(array: *mut c_void) -> c_int {
                alignment_of(array)
            }

            #[unsafe(export_name = concat!($prefix, "init_threads"))]
            extern "C" fn init_threads() -> c_int {
                state().threads_initialized = true;
                1
            }

            #[unsafe(export_name = concat!($prefix, "set_timelimit"))]
            extern "C" fn set_timelimit(seconds: f64) {
                in_planner(|state| state.counts.limit = (1e3 * seconds) as i64);
            }

            #[unsafe(export_name = concat!($prefix, "plan_with_nthreads"))]
            extern "C" fn plan_with_nthreads(threads: c_int) {
                in_planner(|state| {
                    state.counts.misuses += u64::from(!state.threads_initialized);
                    state.counts.threads = threads;
                });
            }
        }
    };
}

interface!(double, f64, "fftw_");
interface!(single, f32, "fftwf_");
