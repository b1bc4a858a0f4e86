//! The interface of FFTW 2 in double precision.

use std::ffi::{c_int, c_void};

use crate::UNPLANNABLE;
use crate::interface::{across, in_planner, standin_destroy, state};
use crate::plan::{Pass, Plan};

const MEASURE: c_int = 1;
const IN_PLACE: c_int = 1 << 3;
const THREADSAFE: c_int = 1 << 7;

/// Makes a plan with these passes, or of rows that an execution describes.
fn plan(lengths: &[usize], passes: Vec<Pass>, sign: c_int, flags: c_int) -> *mut c_void {
    if sign.abs() != 1 || lengths.contains(&0) || lengths.contains(&UNPLANNABLE) {
        return std::ptr::null_mut();
    }
    in_planner(|state| {
        state.counts.plans += 1;
        state.counts.searches += u64::from(flags & MEASURE != 0);
        state.counts.misuses += u64::from(flags & THREADSAFE == 0);
        let in_place = flags & IN_PLACE != 0;
        let plan =
            Plan { single: false, in_place, keeps_input: true, real: None, passes, sign, alignment: None };
        Box::into_raw(Box::new(plan)).cast()
    })
}

#[unsafe(no_mangle)]
extern "C" fn fftw_sizeof_fftw_real() -> usize {
    size_of::<f64>()
}

#[unsafe(no_mangle)]
extern "C" fn fftw_create_plan(n: c_int, sign: c_int, flags: c_int) -> *mut c_void {
    let len = n as usize;
    plan(&[len], vec![Pass { count: 1, len, stride: 1, distance: 0, again: 1, apart: 0 }], sign, flags)
}

/// # Safety
///
/// `n` points to `rank` lengths.
#[unsafe(no_mangle)]
unsafe extern "C" fn fftwnd_create_plan(
    rank: c_int,
    n: *const c_int,
    sign: c_int,
    flags: c_int,
) -> *mut c_void {
    // SAFETY: as the caller promised.
    let lengths = unsafe { std::slice::from_raw_parts(n, rank as usize) };
    let lengths: Vec<_> = lengths.iter().map(|&length| length as usize).collect();
    let [before @ .., len] = &lengths[..] else { return std::ptr::null_mut() };
    let count = before.iter().product();
    let along = Pass { count, len: *len, stride: 1, distance: *len, again: 1, apart: 0 };
    plan(&lengths, [vec![along], across(&lengths, *len, *len)].concat(), sign, flags)
}

/// Transforms rows in place. The output is the memory to work in.
///
/// # Safety
///
/// The plan was made by [`fftw_create_plan`]. The arrays have the points of the rows, and of one row.
#[unsafe(no_mangle)]
unsafe extern "C" fn fftw(
    plan: *const c_void,
    howmany: c_int,
    input: *mut c_void,
    istride: c_int,
    idist: c_int,
    output: *mut c_void,
    _ostride: c_int,
    _odist: c_int,
) {
    // SAFETY: as the caller promised.
    let plan = unsafe { &*plan.cast::<Plan>() };
    let [count, stride, distance] = [howmany, istride, idist].map(|x| x as usize);
    let row = plan.passes[0];
    let passes = vec![Pass { count, stride, distance, ..row }];
    let rows = Plan { passes, real: None, ..*plan };
    let is_misused = !plan.in_place || output.is_null() || output == input;
    // SAFETY: as the caller promised.
    unsafe {
        rows.execute::<f64>(input.cast());
        for at in (0..row.len).filter(|_| !output.is_null()) {
            *output.cast::<[f64; 2]>().add(at) = [f64::NAN; 2];
        }
    }
    let counts = &mut state().counts;
    counts.misuses += u64::from(is_misused);
    *(if count == 1 { &mut counts.single_rows } else { &mut counts.many_rows }) += 1;
}

/// Transforms an array as a whole, by a plan for this number of threads.
///
/// # Safety
///
/// The plan was made by [`fftwnd_create_plan`], and the arrays have its points.
unsafe fn transform(plan: *const c_void, input: *mut c_void, output: *mut c_void, threads: c_int) {
    // SAFETY: as the caller promised.
    let plan = unsafe { &*plan.cast::<Plan>() };
    let array = if plan.in_place { input } else { output };
    // SAFETY: as above.
    unsafe {
        plan.copy::<f64>(input.cast(), array.cast());
        plan.execute::<f64>(array.cast());
    }
    let counts = &mut state().counts;
    counts.wholes += 1;
    counts.whole_threads = threads;
}

/// # Safety
///
/// As for [`transform`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fftwnd(
    plan: *const c_void,
    howmany: c_int,
    input: *mut c_void,
    istride: c_int,
    _idist: c_int,
    output: *mut c_void,
    ostride: c_int,
    _odist: c_int,
) {
    // SAFETY: as the caller promised.
    unsafe { transform(plan, input, output, 1) };
    state().counts.misuses += u64::from([howmany, istride, ostride] != [1; 3]);
}

#[unsafe(no_mangle)]
extern "C" fn fftw_threads_init() -> c_int {
    state().threads_initialized = true;
    0
}

/// # Safety
///
/// As for [`transform`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fftwnd_threads(
    threads: c_int,
    plan: *const c_void,
    howmany: c_int,
    input: *mut c_void,
    istride: c_int,
    _idist: c_int,
    output: *mut c_void,
    ostride: c_int,
    _odist: c_int,
) {
    // SAFETY: as the caller promised.
    unsafe { transform(plan, input, output, threads) };
    let mut state = state();
    let is_misused = !state.threads_initialized || [howmany, istride, ostride] != [1; 3];
    state.counts.misuses += u64::from(is_misused);
}

/// # Safety
///
/// The plan was made by [`fftwnd_create_plan`], and is destroyed once.
#[unsafe(no_mangle)]
unsafe extern "C" fn fftwnd_destroy_plan(plan: *mut c_void) {
    // SAFETY: as the caller promised.
    unsafe { standin_destroy(plan) };
}
