//! FFTW's functions, generic in the precision. [`export!`](crate::export) gives them their names in C.
//!
//! # Safety
//!
//! Each function relies on the [promises of C](crate) for its arguments.
#![expect(missing_docs, reason = "each function has the name of the function of FFTW that it is")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the module's documentation has the promises of all functions"
)]
#![expect(clippy::too_many_arguments, reason = "FFTW's functions have these arguments")]

mod process;

use std::ffi::{c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use earth_axes::RealAxis;
use earth_fft::Complex;

use crate::arguments::{
    Axes, Dimension, Embedding, direction, guru, half, many, padded, same, transform, values,
};
use crate::memory::Pointers;
use crate::planned::{Kind, Planned};
use crate::settings::{Flags, Interface};

pub use process::*;

/// `fftw_plan`.
pub type Plan<T> = *mut Planned<T>;

/// Returns a plan of C. A panic of the planner becomes null, too.
fn handle<T: Interface>(plan: impl FnOnce() -> Option<Planned<T>>) -> Plan<T> {
    let planned = catch_unwind(AssertUnwindSafe(plan)).ok().flatten();
    planned.map_or(null_mut(), |planned| Box::into_raw(Box::new(planned)))
}

/// Returns the plan behind a handle.
unsafe fn plan_of<'a, T: Interface>(plan: Plan<T>) -> Option<&'a Planned<T>> {
    // SAFETY: promise 1.
    unsafe { plan.as_ref() }
}

fn complex<T: Interface>(
    axes: Option<Axes>,
    sign: c_int,
    [input, output]: [*mut Complex<T>; 2],
    flags: c_uint,
) -> Plan<T> {
    let arrays = [Pointers::points(input), Pointers::points(output)];
    handle(|| Planned::axes(Kind::Complex(direction(sign)?), axes?, arrays, Flags(flags)))
}

fn forward<T: Interface>(
    axes: Option<Axes>,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [Pointers::numbers(input), Pointers::points(output)];
    handle(|| Planned::axes(Kind::Forward, axes?, arrays, Flags(flags)))
}

fn inverse<T: Interface>(
    axes: Option<Axes>,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [Pointers::points(input), Pointers::numbers(output)];
    handle(|| Planned::axes(Kind::Inverse, axes?, arrays, Flags(flags)))
}

fn real<T: Interface>(
    axes: Option<Axes>,
    kinds: Option<Vec<c_int>>,
    [input, output]: [*mut T; 2],
    flags: c_uint,
) -> Plan<T> {
    let arrays = [Pointers::numbers(input), Pointers::numbers(output)];
    handle(|| {
        let [transformed, repeated] = axes?;
        let each = transformed.into_iter().zip(kinds?);
        let axis = |(axis, kind)| Some(RealAxis { axis, transform: transform(kind)? });
        Planned::real(&each.map(axis).collect::<Option<Vec<_>>>()?, &repeated, arrays, Flags(flags))
    })
}

/// Returns the axes of contiguous arrays of points.
unsafe fn basic(rank: c_int, n: *const c_int) -> Option<Axes> {
    // SAFETY: promise 3.
    unsafe { many(rank, n, 1, [Embedding::contiguous(); 2], [same, same]) }
}

/// Returns the usual lengths of the last dimensions of real numbers and of points.
fn lasts<T>(numbers: *mut T, points: *mut Complex<T>) -> [fn(isize) -> isize; 2] {
    [if numbers == points.cast() { padded } else { same }, half]
}

/// Returns the axes of contiguous real numbers and points.
unsafe fn basic_real<T>(
    rank: c_int,
    n: *const c_int,
    numbers: *mut T,
    points: *mut Complex<T>,
) -> Option<Axes> {
    // SAFETY: promise 3.
    unsafe { many(rank, n, 1, [Embedding::contiguous(); 2], lasts(numbers, points)) }
}

/// Returns axes with inputs and outputs exchanged.
fn exchanged(axes: Option<Axes>) -> Option<Axes> {
    Some(axes?.map(|axes| {
        axes.into_iter().map(|axis| earth_axes::Axis::new(axis.length, axis.output, axis.input)).collect()
    }))
}

pub unsafe fn execute<T: Interface>(p: Plan<T>) {
    // SAFETY: promises 1 and 2.
    unsafe {
        if let Some(plan) = plan_of(p) {
            plan.execute(plan.arrays());
        }
    }
}

pub unsafe fn destroy_plan<T: Interface>(p: Plan<T>) {
    if !p.is_null() {
        // SAFETY: promise 1: the pointer came from `handle`, and is not used again.
        drop(unsafe { Box::from_raw(p) });
    }
}

pub unsafe fn plan_dft_1d<T: Interface>(
    n: c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft(1, [n].as_ptr(), input, output, sign, flags) }
}

pub unsafe fn plan_dft_r2c_1d<T: Interface>(
    n: c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_r2c(1, [n].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_dft_c2r_1d<T: Interface>(
    n: c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_c2r(1, [n].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_r2r_1d<T: Interface>(
    n: c_int,
    input: *mut T,
    output: *mut T,
    kind: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_r2r(1, [n].as_ptr(), input, output, [kind].as_ptr(), flags) }
}

pub unsafe fn plan_dft_2d<T: Interface>(
    n0: c_int,
    n1: c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft(2, [n0, n1].as_ptr(), input, output, sign, flags) }
}

pub unsafe fn plan_dft_r2c_2d<T: Interface>(
    n0: c_int,
    n1: c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_r2c(2, [n0, n1].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_dft_c2r_2d<T: Interface>(
    n0: c_int,
    n1: c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_c2r(2, [n0, n1].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_r2r_2d<T: Interface>(
    n0: c_int,
    n1: c_int,
    input: *mut T,
    output: *mut T,
    kind0: c_int,
    kind1: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_r2r(2, [n0, n1].as_ptr(), input, output, [kind0, kind1].as_ptr(), flags) }
}

pub unsafe fn plan_dft_3d<T: Interface>(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft(3, [n0, n1, n2].as_ptr(), input, output, sign, flags) }
}

pub unsafe fn plan_dft_r2c_3d<T: Interface>(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_r2c(3, [n0, n1, n2].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_dft_c2r_3d<T: Interface>(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_dft_c2r(3, [n0, n1, n2].as_ptr(), input, output, flags) }
}

pub unsafe fn plan_r2r_3d<T: Interface>(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    input: *mut T,
    output: *mut T,
    kind0: c_int,
    kind1: c_int,
    kind2: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 2.
    unsafe { plan_r2r(3, [n0, n1, n2].as_ptr(), input, output, [kind0, kind1, kind2].as_ptr(), flags) }
}

pub unsafe fn plan_dft<T: Interface>(
    rank: c_int,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    complex(unsafe { basic(rank, n) }, sign, [input, output], flags)
}

pub unsafe fn plan_dft_r2c<T: Interface>(
    rank: c_int,
    n: *const c_int,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    forward(unsafe { basic_real(rank, n, input, output) }, input, output, flags)
}

pub unsafe fn plan_dft_c2r<T: Interface>(
    rank: c_int,
    n: *const c_int,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    inverse(exchanged(unsafe { basic_real(rank, n, output, input) }), input, output, flags)
}

pub unsafe fn plan_r2r<T: Interface>(
    rank: c_int,
    n: *const c_int,
    input: *mut T,
    output: *mut T,
    kind: *const c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    unsafe { real(basic(rank, n), values(rank, kind), [input, output], flags) }
}

pub unsafe fn plan_many_dft<T: Interface>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut Complex<T>,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut Complex<T>,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [
        Embedding { embed: inembed, stride: istride, distance: idist },
        Embedding { embed: onembed, stride: ostride, distance: odist },
    ];
    // SAFETY: promise 3.
    let axes = unsafe { many(rank, n, howmany, arrays, [same, same]) };
    complex(axes, sign, [input, output], flags)
}

pub unsafe fn plan_many_dft_r2c<T: Interface>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut T,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut Complex<T>,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [
        Embedding { embed: inembed, stride: istride, distance: idist },
        Embedding { embed: onembed, stride: ostride, distance: odist },
    ];
    // SAFETY: promise 3.
    let axes = unsafe { many(rank, n, howmany, arrays, lasts(input, output)) };
    forward(axes, input, output, flags)
}

pub unsafe fn plan_many_dft_c2r<T: Interface>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut Complex<T>,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut T,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [
        Embedding { embed: inembed, stride: istride, distance: idist },
        Embedding { embed: onembed, stride: ostride, distance: odist },
    ];
    let [numbers, points] = lasts(output, input);
    // SAFETY: promise 3.
    let axes = unsafe { many(rank, n, howmany, arrays, [points, numbers]) };
    inverse(axes, input, output, flags)
}

pub unsafe fn plan_many_r2r<T: Interface>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    input: *mut T,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    output: *mut T,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    kind: *const c_int,
    flags: c_uint,
) -> Plan<T> {
    let arrays = [
        Embedding { embed: inembed, stride: istride, distance: idist },
        Embedding { embed: onembed, stride: ostride, distance: odist },
    ];
    // SAFETY: promise 3.
    let (axes, kinds) = unsafe { (many(rank, n, howmany, arrays, [same, same]), values(rank, kind)) };
    real(axes, kinds, [input, output], flags)
}

pub unsafe fn plan_guru_dft<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    input: *mut Complex<T>,
    output: *mut Complex<T>,
    sign: c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    complex(axes, sign, [input, output], flags)
}

pub unsafe fn plan_guru_dft_r2c<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    input: *mut T,
    output: *mut Complex<T>,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    forward(axes, input, output, flags)
}

pub unsafe fn plan_guru_dft_c2r<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    input: *mut Complex<T>,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    inverse(axes, input, output, flags)
}

pub unsafe fn plan_guru_r2r<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    input: *mut T,
    output: *mut T,
    kind: *const c_int,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let (axes, kinds) = unsafe { (guru(rank, dims, howmany_rank, howmany_dims), values(rank, kind)) };
    real(axes, kinds, [input, output], flags)
}

pub unsafe fn plan_guru_split_dft<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    ri: *mut T,
    ii: *mut T,
    ro: *mut T,
    io: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    let arrays = [Pointers::split(ri, ii), Pointers::split(ro, io)];
    handle(|| Planned::axes(Kind::Complex(direction(-1)?), axes?, arrays, Flags(flags)))
}

pub unsafe fn plan_guru_split_dft_r2c<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    input: *mut T,
    ro: *mut T,
    io: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    let arrays = [Pointers::numbers(input), Pointers::split(ro, io)];
    handle(|| Planned::axes(Kind::Forward, axes?, arrays, Flags(flags)))
}

pub unsafe fn plan_guru_split_dft_c2r<T: Interface, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    ri: *mut T,
    ii: *mut T,
    output: *mut T,
    flags: c_uint,
) -> Plan<T> {
    // SAFETY: promise 3.
    let axes = unsafe { guru(rank, dims, howmany_rank, howmany_dims) };
    let arrays = [Pointers::split(ri, ii), Pointers::numbers(output)];
    handle(|| Planned::axes(Kind::Inverse, axes?, arrays, Flags(flags)))
}

/// Transforms other arrays than a plan was made for.
unsafe fn execute_on<T: Interface>(p: Plan<T>, arrays: [Pointers<T>; 2]) {
    // SAFETY: promises 1 and 2.
    unsafe {
        if let Some(plan) = plan_of(p) {
            plan.execute(plan.like(arrays));
        }
    }
}

pub unsafe fn execute_dft<T: Interface>(p: Plan<T>, input: *mut Complex<T>, output: *mut Complex<T>) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::points(input), Pointers::points(output)]) }
}

pub unsafe fn execute_dft_r2c<T: Interface>(p: Plan<T>, input: *mut T, output: *mut Complex<T>) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::numbers(input), Pointers::points(output)]) }
}

pub unsafe fn execute_dft_c2r<T: Interface>(p: Plan<T>, input: *mut Complex<T>, output: *mut T) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::points(input), Pointers::numbers(output)]) }
}

pub unsafe fn execute_r2r<T: Interface>(p: Plan<T>, input: *mut T, output: *mut T) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::numbers(input), Pointers::numbers(output)]) }
}

pub unsafe fn execute_split_dft<T: Interface>(p: Plan<T>, ri: *mut T, ii: *mut T, ro: *mut T, io: *mut T) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::split(ri, ii), Pointers::split(ro, io)]) }
}

pub unsafe fn execute_split_dft_r2c<T: Interface>(p: Plan<T>, input: *mut T, ro: *mut T, io: *mut T) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::numbers(input), Pointers::split(ro, io)]) }
}

pub unsafe fn execute_split_dft_c2r<T: Interface>(p: Plan<T>, ri: *mut T, ii: *mut T, output: *mut T) {
    // SAFETY: promises 1 and 2.
    unsafe { execute_on(p, [Pointers::split(ri, ii), Pointers::numbers(output)]) }
}
