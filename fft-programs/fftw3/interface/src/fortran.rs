//! The legacy Fortran functions: all arguments are pointers, and dimensions are in the order of Fortran, the
//! innermost first. As in FFTW, the guru functions keep the order of their dimensions.
//!
//! # Safety
//!
//! Each function relies on the [promises of C](crate) for its arguments. Pointers to single values are not
//! null.
#![expect(missing_docs, reason = "each function has the name of the function of FFTW that it is")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the module's documentation has the promises of all functions"
)]
#![expect(clippy::too_many_arguments, reason = "FFTW's functions have these arguments")]

use std::ffi::{c_char, c_double, c_int, c_uint, c_void};
use std::ptr::null;

use earth_fft::Complex;

use crate::api::{self, Plan};
use crate::arguments::{Iodim, values};
use crate::settings::Interface;

/// A function that takes each character of a wisdom.
pub type FortranWriteChar = Option<unsafe extern "C" fn(c: *const c_char, data: *mut c_void)>;

/// A function that stores the next character of a wisdom, or a negative number at its end.
pub type FortranReadChar = Option<unsafe extern "C" fn(c: *mut c_int, data: *mut c_void)>;

/// Returns values in reverse order. Empty for a bad rank and for null.
unsafe fn reversed(rank: c_int, from: *const c_int) -> Vec<c_int> {
    // SAFETY: promise 3.
    let mut all = unsafe { values(rank, from) }.unwrap_or_default();
    all.reverse();
    all
}

/// Returns a pointer to values, or null if there are none.
fn pointer<V>(values: &[V]) -> *const V {
    if values.is_empty() { null() } else { values.as_ptr() }
}

/// Returns the flags of a planning function.
unsafe fn bits(flags: *const c_int) -> c_uint {
    // SAFETY: the pointer leads to a value.
    unsafe { *flags }.cast_unsigned()
}

/// Returns the dimensions of the guru functions. Empty for a bad rank and for null.
unsafe fn dims(rank: c_int, [n, is, os]: [*const c_int; 3]) -> Vec<Iodim> {
    // SAFETY: promise 3.
    let [n, is, os] = [n, is, os].map(|from| unsafe { values(rank, from) }.unwrap_or_default());
    n.iter().zip(&is).zip(&os).map(|((&n, &is), &os)| Iodim { n, is, os }).collect()
}

/// The callback of C that calls one of Fortran.
struct Callback<F> {
    call: F,
    data: *mut c_void,
}

unsafe extern "C" fn write_char(c: c_char, data: *mut c_void) {
    // SAFETY: `export_wisdom` passes its callback.
    unsafe {
        let callback = &*data.cast::<Callback<FortranWriteChar>>();
        if let Some(call) = callback.call {
            call(&raw const c, callback.data);
        }
    }
}

unsafe extern "C" fn read_char(data: *mut c_void) -> c_int {
    let mut c = -1;
    // SAFETY: `import_wisdom` passes its callback.
    unsafe {
        let callback = &*data.cast::<Callback<FortranReadChar>>();
        if let Some(call) = callback.call {
            call(&raw mut c, callback.data);
        }
    }
    c
}

pub unsafe fn export_wisdom<T: Interface>(call: FortranWriteChar, data: *mut c_void) {
    let mut callback = Callback { call, data };
    // SAFETY: promise 4, and the callback lives until the call returns.
    unsafe { api::export_wisdom::<T>(Some(write_char), (&raw mut callback).cast()) };
}

pub unsafe fn import_wisdom<T: Interface>(is_success: *mut c_int, call: FortranReadChar, data: *mut c_void) {
    let mut callback = Callback { call, data };
    // SAFETY: promise 4, and the callback lives until the call returns.
    unsafe { *is_success = api::import_wisdom::<T>(Some(read_char), (&raw mut callback).cast()) };
}

pub unsafe fn plan_dft_1d<T: Interface>(
    p: *mut Plan<T>,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_1d(*n, input, output, *sign, bits(flags));
    }
}

pub unsafe fn plan_dft_r2c_1d<T: Interface>(
    p: *mut Plan<T>,
    n: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_r2c_1d(*n, input, output, bits(flags));
    }
}

pub unsafe fn plan_dft_c2r_1d<T: Interface>(
    p: *mut Plan<T>,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_c2r_1d(*n, input, output, bits(flags));
    }
}

pub unsafe fn plan_r2r_1d<T: Interface>(
    p: *mut Plan<T>,
    n: *const c_int,
    input: *mut T,
    output: *mut T,
    kind: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_r2r_1d(*n, input, output, *kind, bits(flags));
    }
}

pub unsafe fn plan_dft_2d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_2d(*ny, *nx, input, output, *sign, bits(flags));
    }
}

pub unsafe fn plan_dft_r2c_2d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_r2c_2d(*ny, *nx, input, output, bits(flags));
    }
}

pub unsafe fn plan_dft_c2r_2d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_c2r_2d(*ny, *nx, input, output, bits(flags));
    }
}

pub unsafe fn plan_r2r_2d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    input: *mut T,
    output: *mut T,
    kindx: *const c_int,
    kindy: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_r2r_2d(*ny, *nx, input, output, *kindy, *kindx, bits(flags));
    }
}

pub unsafe fn plan_dft_3d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    nz: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_3d(*nz, *ny, *nx, input, output, *sign, bits(flags));
    }
}

pub unsafe fn plan_dft_r2c_3d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    nz: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_r2c_3d(*nz, *ny, *nx, input, output, bits(flags));
    }
}

pub unsafe fn plan_dft_c2r_3d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    nz: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_dft_c2r_3d(*nz, *ny, *nx, input, output, bits(flags));
    }
}

pub unsafe fn plan_r2r_3d<T: Interface>(
    p: *mut Plan<T>,
    nx: *const c_int,
    ny: *const c_int,
    nz: *const c_int,
    input: *mut T,
    output: *mut T,
    kindx: *const c_int,
    kindy: *const c_int,
    kindz: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        *p = api::plan_r2r_3d(*nz, *ny, *nx, input, output, *kindz, *kindy, *kindx, bits(flags));
    }
}

pub unsafe fn plan_dft<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let n = reversed(*rank, n);
        *p = api::plan_dft(*rank, pointer(&n), input, output, *sign, bits(flags));
    }
}

pub unsafe fn plan_dft_r2c<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let n = reversed(*rank, n);
        *p = api::plan_dft_r2c(*rank, pointer(&n), input, output, bits(flags));
    }
}

pub unsafe fn plan_dft_c2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let n = reversed(*rank, n);
        *p = api::plan_dft_c2r(*rank, pointer(&n), input, output, bits(flags));
    }
}

pub unsafe fn plan_r2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    input: *mut T,
    output: *mut T,
    kind: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (n, kind) = (reversed(*rank, n), reversed(*rank, kind));
        *p = api::plan_r2r(*rank, pointer(&n), input, output, pointer(&kind), bits(flags));
    }
}

pub unsafe fn plan_many_dft<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    howmany: *const c_int,
    input: *mut Complex<T>,
    inembed: *const c_int,
    istride: *const c_int,
    idist: *const c_int,
    output: *mut Complex<T>,
    onembed: *const c_int,
    ostride: *const c_int,
    odist: *const c_int,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let [n, inembed, onembed] = [n, inembed, onembed].map(|lengths| reversed(*rank, lengths));
        *p = api::plan_many_dft(
            *rank,
            pointer(&n),
            *howmany,
            input,
            pointer(&inembed),
            *istride,
            *idist,
            output,
            pointer(&onembed),
            *ostride,
            *odist,
            *sign,
            bits(flags),
        );
    }
}

pub unsafe fn plan_many_dft_r2c<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    howmany: *const c_int,
    input: *mut T,
    inembed: *const c_int,
    istride: *const c_int,
    idist: *const c_int,
    output: *mut Complex<T>,
    onembed: *const c_int,
    ostride: *const c_int,
    odist: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let [n, inembed, onembed] = [n, inembed, onembed].map(|lengths| reversed(*rank, lengths));
        *p = api::plan_many_dft_r2c(
            *rank,
            pointer(&n),
            *howmany,
            input,
            pointer(&inembed),
            *istride,
            *idist,
            output,
            pointer(&onembed),
            *ostride,
            *odist,
            bits(flags),
        );
    }
}

pub unsafe fn plan_many_dft_c2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    howmany: *const c_int,
    input: *mut Complex<T>,
    inembed: *const c_int,
    istride: *const c_int,
    idist: *const c_int,
    output: *mut T,
    onembed: *const c_int,
    ostride: *const c_int,
    odist: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let [n, inembed, onembed] = [n, inembed, onembed].map(|lengths| reversed(*rank, lengths));
        *p = api::plan_many_dft_c2r(
            *rank,
            pointer(&n),
            *howmany,
            input,
            pointer(&inembed),
            *istride,
            *idist,
            output,
            pointer(&onembed),
            *ostride,
            *odist,
            bits(flags),
        );
    }
}

pub unsafe fn plan_many_r2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    howmany: *const c_int,
    input: *mut T,
    inembed: *const c_int,
    istride: *const c_int,
    idist: *const c_int,
    output: *mut T,
    onembed: *const c_int,
    ostride: *const c_int,
    odist: *const c_int,
    kind: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let [n, inembed, onembed] = [n, inembed, onembed].map(|lengths| reversed(*rank, lengths));
        let kind = reversed(*rank, kind);
        *p = api::plan_many_r2r(
            *rank,
            pointer(&n),
            *howmany,
            input,
            pointer(&inembed),
            *istride,
            *idist,
            output,
            pointer(&onembed),
            *ostride,
            *odist,
            pointer(&kind),
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_dft<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_dft(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            input,
            output,
            *sign,
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_dft_r2c<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_dft_r2c(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            input,
            output,
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_dft_c2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_dft_c2r(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            input,
            output,
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_r2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    input: *mut T,
    output: *mut T,
    kind: *const c_int,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        let kind = reversed(*rank, kind);
        *p = api::plan_guru_r2r(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            input,
            output,
            pointer(&kind),
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_split_dft<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    ri: *mut T,
    ii: *mut T,
    ro: *mut T,
    io: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_split_dft(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            ri,
            ii,
            ro,
            io,
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_split_dft_r2c<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    input: *mut T,
    ro: *mut T,
    io: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_split_dft_r2c(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            input,
            ro,
            io,
            bits(flags),
        );
    }
}

pub unsafe fn plan_guru_split_dft_c2r<T: Interface>(
    p: *mut Plan<T>,
    rank: *const c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
    howmany_rank: *const c_int,
    h_n: *const c_int,
    h_is: *const c_int,
    h_os: *const c_int,
    ri: *mut T,
    ii: *mut T,
    output: *mut T,
    flags: *const c_int,
) {
    // SAFETY: the promises of C.
    unsafe {
        let (dims, repeated) = (dims(*rank, [n, is, os]), dims(*howmany_rank, [h_n, h_is, h_os]));
        *p = api::plan_guru_split_dft_c2r(
            *rank,
            pointer(&dims),
            *howmany_rank,
            pointer(&repeated),
            ri,
            ii,
            output,
            bits(flags),
        );
    }
}

pub unsafe fn execute<T: Interface>(p: *const Plan<T>) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute(*p);
    }
}

pub unsafe fn destroy_plan<T: Interface>(p: *const Plan<T>) {
    // SAFETY: the promises of C.
    unsafe {
        api::destroy_plan(*p);
    }
}

pub unsafe fn execute_dft<T: Interface>(p: *const Plan<T>, input: *mut Complex<T>, output: *mut Complex<T>) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_dft(*p, input, output);
    }
}

pub unsafe fn execute_dft_r2c<T: Interface>(p: *const Plan<T>, input: *mut T, output: *mut Complex<T>) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_dft_r2c(*p, input, output);
    }
}

pub unsafe fn execute_dft_c2r<T: Interface>(p: *const Plan<T>, input: *mut Complex<T>, output: *mut T) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_dft_c2r(*p, input, output);
    }
}

pub unsafe fn execute_r2r<T: Interface>(p: *const Plan<T>, input: *mut T, output: *mut T) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_r2r(*p, input, output);
    }
}

pub unsafe fn execute_split_dft<T: Interface>(
    p: *const Plan<T>,
    ri: *mut T,
    ii: *mut T,
    ro: *mut T,
    io: *mut T,
) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_split_dft(*p, ri, ii, ro, io);
    }
}

pub unsafe fn execute_split_dft_r2c<T: Interface>(p: *const Plan<T>, input: *mut T, ro: *mut T, io: *mut T) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_split_dft_r2c(*p, input, ro, io);
    }
}

pub unsafe fn execute_split_dft_c2r<T: Interface>(p: *const Plan<T>, ri: *mut T, ii: *mut T, output: *mut T) {
    // SAFETY: the promises of C.
    unsafe {
        api::execute_split_dft_c2r(*p, ri, ii, output);
    }
}

pub unsafe fn print_plan<T: Interface>(p: *const Plan<T>) {
    // SAFETY: the promises of C.
    unsafe {
        api::print_plan(*p);
    }
}

pub unsafe fn cleanup<T: Interface>() {
    // SAFETY: the promises of C.
    unsafe {
        api::forget_wisdom::<T>();
    }
}

pub unsafe fn forget_wisdom<T: Interface>() {
    // SAFETY: the promises of C.
    unsafe {
        api::forget_wisdom::<T>();
    }
}

pub unsafe fn cleanup_threads<T: Interface>() {
    // SAFETY: the promises of C.
    unsafe {
        api::cleanup_threads::<T>();
    }
}

pub unsafe fn import_system_wisdom<T: Interface>(okay: *mut c_int) {
    // SAFETY: the promises of C.
    unsafe {
        *okay = api::import_system_wisdom::<T>();
    }
}

pub unsafe fn init_threads<T: Interface>(okay: *mut c_int) {
    // SAFETY: the promises of C.
    unsafe {
        *okay = api::init_threads::<T>();
    }
}

pub unsafe fn planner_nthreads<T: Interface>(nthreads: *mut c_int) {
    // SAFETY: the promises of C.
    unsafe {
        *nthreads = api::planner_nthreads::<T>();
    }
}

pub unsafe fn plan_with_nthreads<T: Interface>(nthreads: *const c_int) {
    // SAFETY: the promises of C.
    unsafe {
        api::plan_with_nthreads::<T>(*nthreads);
    }
}

pub unsafe fn set_timelimit<T: Interface>(t: *const c_double) {
    // SAFETY: the promises of C.
    unsafe {
        api::set_timelimit::<T>(*t);
    }
}

pub unsafe fn flops<T: Interface>(
    p: *const Plan<T>,
    add: *mut c_double,
    mul: *mut c_double,
    fma: *mut c_double,
) {
    // SAFETY: the promises of C.
    unsafe {
        api::flops(*p, add, mul, fma);
    }
}

pub unsafe fn estimate_cost<T: Interface>(cost: *mut c_double, p: *const Plan<T>) {
    // SAFETY: the promises of C.
    unsafe {
        *cost = api::estimate_cost(*p);
    }
}

pub unsafe fn cost<T: Interface>(cost: *mut c_double, p: *const Plan<T>) {
    // SAFETY: the promises of C.
    unsafe {
        *cost = api::estimate_cost(*p);
    }
}
