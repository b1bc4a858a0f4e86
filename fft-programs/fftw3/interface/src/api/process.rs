//! FFTW's functions of the process: wisdom, threads, time limit, texts, costs and memory.

use std::ffi::{CStr, OsStr, c_char, c_double, c_int, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use earth_fft::Complex;

use super::{Plan, plan_of};
use crate::memory::{alignment_of as alignment, allocate, allocate_elements, string};
use crate::planned::Planned;
use crate::settings::Interface;

pub unsafe fn forget_wisdom<T: Interface>() {
    T::settings().lock().forget();
}

pub unsafe fn set_timelimit<T: Interface>(t: c_double) {
    T::settings().lock().set_time_limit(t);
}

pub unsafe fn plan_with_nthreads<T: Interface>(nthreads: c_int) {
    T::settings().lock().set_nodes(nthreads);
}

pub unsafe fn planner_nthreads<T: Interface>() -> c_int {
    c_int::try_from(T::settings().lock().nodes()).unwrap_or(c_int::MAX)
}

pub unsafe fn init_threads<T: Interface>() -> c_int {
    1
}

pub unsafe fn cleanup_threads<T: Interface>() {
    let mut settings = T::settings().lock();
    settings.forget();
    settings.set_nodes(1);
}

/// A loop over the jobs of a call, which [`threads_set_callback`] takes.
pub type ParallelLoop = Option<
    unsafe extern "C" fn(
        work: Option<unsafe extern "C" fn(*mut c_char) -> *mut c_void>,
        jobs: *mut c_char,
        size: usize,
        count: c_int,
        data: *mut c_void,
    ),
>;

pub unsafe fn threads_set_callback<T: Interface>(_parallel_loop: ParallelLoop, _data: *mut c_void) {}

pub unsafe fn make_planner_thread_safe<T: Interface>() {}

/// A function that takes each character of a wisdom.
pub type WriteChar = Option<unsafe extern "C" fn(c: c_char, data: *mut c_void)>;

/// A function that returns the next character of a wisdom, or a negative number at its end.
pub type ReadChar = Option<unsafe extern "C" fn(data: *mut c_void) -> c_int>;

pub unsafe fn export_wisdom<T: Interface>(write_char: WriteChar, data: *mut c_void) {
    let Some(write) = write_char else { return };
    let text = T::settings().lock().text::<T>();
    // SAFETY: promise 4.
    text.bytes().for_each(|byte| unsafe { write(byte.cast_signed(), data) });
}

pub unsafe fn export_wisdom_to_string<T: Interface>() -> *mut c_char {
    string(&T::settings().lock().text::<T>())
}

pub unsafe fn export_wisdom_to_file<T: Interface>(output_file: *mut libc::FILE) {
    let text = T::settings().lock().text::<T>();
    // SAFETY: promise 4.
    unsafe { write(output_file, &text) };
}

pub unsafe fn export_wisdom_to_filename<T: Interface>(filename: *const c_char) -> c_int {
    // SAFETY: promise 4.
    let Some(path) = (unsafe { path(filename) }) else { return 0 };
    c_int::from(fs::write(path, T::settings().lock().text::<T>()).is_ok())
}

pub unsafe fn import_wisdom<T: Interface>(read_char: ReadChar, data: *mut c_void) -> c_int {
    let Some(read) = read_char else { return 0 };
    // SAFETY: promise 4.
    learn::<T>(std::iter::from_fn(|| u8::try_from(unsafe { read(data) }).ok()).collect())
}

pub unsafe fn import_wisdom_from_string<T: Interface>(input_string: *const c_char) -> c_int {
    if input_string.is_null() {
        return 0;
    }
    // SAFETY: promise 4.
    learn::<T>(unsafe { CStr::from_ptr(input_string) }.to_bytes().to_vec())
}

pub unsafe fn import_wisdom_from_file<T: Interface>(input_file: *mut libc::FILE) -> c_int {
    if input_file.is_null() {
        return 0;
    }
    // SAFETY: the file is open, as the caller of C promises.
    learn::<T>(std::iter::from_fn(|| u8::try_from(unsafe { libc::fgetc(input_file) }).ok()).collect())
}

pub unsafe fn import_wisdom_from_filename<T: Interface>(filename: *const c_char) -> c_int {
    // SAFETY: promise 4.
    let Some(path) = (unsafe { path(filename) }) else { return 0 };
    fs::read(path).map_or(0, learn::<T>)
}

pub unsafe fn import_system_wisdom<T: Interface>() -> c_int {
    // SAFETY: the text ends with a zero.
    unsafe { import_wisdom_from_filename::<T>(c"/etc/earth-fft/wisdom".as_ptr()) }
}

fn learn<T: Interface>(text: Vec<u8>) -> c_int {
    let text = String::from_utf8(text);
    c_int::from(text.is_ok_and(|text| T::settings().lock().learn::<T>(&text)))
}

unsafe fn path<'a>(name: *const c_char) -> Option<&'a OsStr> {
    // SAFETY: promise 4.
    (!name.is_null()).then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()))
}

/// Writes a text to a file of C, unless the file is null.
unsafe fn write(file: *mut libc::FILE, text: &str) {
    if !file.is_null() {
        // SAFETY: the file is open, as the caller of C promises.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), file) };
    }
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

pub unsafe fn fprint_plan<T: Interface>(p: Plan<T>, output_file: *mut libc::FILE) {
    // SAFETY: promises 1 and 4.
    unsafe { write(output_file, &text(p)) };
}

pub unsafe fn print_plan<T: Interface>(p: Plan<T>) {
    // SAFETY: promise 1. C's library opened its standard output.
    unsafe { write(stdout, &text(p)) };
}

pub unsafe fn sprint_plan<T: Interface>(p: Plan<T>) -> *mut c_char {
    // SAFETY: promise 1.
    string(&unsafe { text(p) })
}

unsafe fn text<T: Interface>(p: Plan<T>) -> String {
    // SAFETY: promise 1.
    unsafe { plan_of(p) }.map_or_else(String::new, ToString::to_string)
}

pub unsafe fn flops<T: Interface>(p: Plan<T>, add: *mut c_double, mul: *mut c_double, fmas: *mut c_double) {
    // SAFETY: promise 1, and the results are null or writable.
    unsafe {
        let operations = plan_of(p).map_or(0.0, Planned::operations);
        for (result, value) in [(add, operations), (mul, 0.0), (fmas, 0.0)] {
            if !result.is_null() {
                result.write(value);
            }
        }
    }
}

pub unsafe fn estimate_cost<T: Interface>(p: Plan<T>) -> c_double {
    // SAFETY: promise 1.
    unsafe { plan_of(p) }.map_or(0.0, Planned::operations)
}

pub unsafe fn malloc<T: Interface>(n: usize) -> *mut c_void {
    allocate(n)
}

pub unsafe fn alloc_real<T: Interface>(n: usize) -> *mut T {
    allocate_elements(n)
}

pub unsafe fn alloc_complex<T: Interface>(n: usize) -> *mut Complex<T> {
    allocate_elements(n)
}

pub unsafe fn free<T: Interface>(p: *mut c_void) {
    // SAFETY: the memory was allocated by these functions, as the caller of C promises.
    unsafe { crate::memory::free(p) };
}

pub unsafe fn alignment_of<T: Interface>(p: *mut T) -> c_int {
    alignment(p)
}
