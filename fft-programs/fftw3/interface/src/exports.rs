//! The symbols of a precision. One table has the functions of C, another the functions of Fortran.

/// Exports FFTW's functions of a precision. A crate calls it once, with the prefixes of C and of Fortran.
#[macro_export]
macro_rules! export {
    ($real:ty, $c:literal, $fortran:literal) => {
        use std::ffi::{c_char, c_double, c_int, c_uint, c_void};

        use $crate::api::{self, ParallelLoop, ReadChar, WriteChar};
        use $crate::fortran::{self, FortranReadChar, FortranWriteChar};
        use $crate::types::{FILE, Iodim as D32, Iodim64 as D64};

        type R = $real;
        type C = $crate::types::Complex<R>;
        type P = api::Plan<R>;

        $crate::export_c! { $c;
            execute(p: P) = execute;
            destroy_plan(p: P) = destroy_plan;
            plan_dft_1d(n: c_int, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_dft_1d;
            plan_dft_r2c_1d(n: c_int, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_dft_r2c_1d;
            plan_dft_c2r_1d(n: c_int, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_dft_c2r_1d;
            plan_r2r_1d(n: c_int, input: *mut R, output: *mut R, kind: c_int, flags: c_uint) -> P = plan_r2r_1d;
            plan_dft_2d(n0: c_int, n1: c_int, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_dft_2d;
            plan_dft_r2c_2d(n0: c_int, n1: c_int, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_dft_r2c_2d;
            plan_dft_c2r_2d(n0: c_int, n1: c_int, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_dft_c2r_2d;
            plan_r2r_2d(n0: c_int, n1: c_int, input: *mut R, output: *mut R, kind0: c_int, kind1: c_int, flags: c_uint) -> P = plan_r2r_2d;
            plan_dft_3d(n0: c_int, n1: c_int, n2: c_int, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_dft_3d;
            plan_dft_r2c_3d(n0: c_int, n1: c_int, n2: c_int, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_dft_r2c_3d;
            plan_dft_c2r_3d(n0: c_int, n1: c_int, n2: c_int, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_dft_c2r_3d;
            plan_r2r_3d(n0: c_int, n1: c_int, n2: c_int, input: *mut R, output: *mut R, kind0: c_int, kind1: c_int, kind2: c_int, flags: c_uint) -> P = plan_r2r_3d;
            plan_dft(rank: c_int, n: *const c_int, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_dft;
            plan_dft_r2c(rank: c_int, n: *const c_int, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_dft_r2c;
            plan_dft_c2r(rank: c_int, n: *const c_int, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_dft_c2r;
            plan_r2r(rank: c_int, n: *const c_int, input: *mut R, output: *mut R, kind: *const c_int, flags: c_uint) -> P = plan_r2r;
            plan_many_dft(rank: c_int, n: *const c_int, howmany: c_int, input: *mut C, inembed: *const c_int, istride: c_int, idist: c_int, output: *mut C, onembed: *const c_int, ostride: c_int, odist: c_int, sign: c_int, flags: c_uint) -> P = plan_many_dft;
            plan_many_dft_r2c(rank: c_int, n: *const c_int, howmany: c_int, input: *mut R, inembed: *const c_int, istride: c_int, idist: c_int, output: *mut C, onembed: *const c_int, ostride: c_int, odist: c_int, flags: c_uint) -> P = plan_many_dft_r2c;
            plan_many_dft_c2r(rank: c_int, n: *const c_int, howmany: c_int, input: *mut C, inembed: *const c_int, istride: c_int, idist: c_int, output: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int, flags: c_uint) -> P = plan_many_dft_c2r;
            plan_many_r2r(rank: c_int, n: *const c_int, howmany: c_int, input: *mut R, inembed: *const c_int, istride: c_int, idist: c_int, output: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int, kind: *const c_int, flags: c_uint) -> P = plan_many_r2r;
            plan_guru_dft(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_guru_dft by D32;
            plan_guru_dft_r2c(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_guru_dft_r2c by D32;
            plan_guru_dft_c2r(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_guru_dft_c2r by D32;
            plan_guru_r2r(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, input: *mut R, output: *mut R, kind: *const c_int, flags: c_uint) -> P = plan_guru_r2r by D32;
            plan_guru_split_dft(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R, flags: c_uint) -> P = plan_guru_split_dft by D32;
            plan_guru_split_dft_r2c(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, input: *mut R, ro: *mut R, io: *mut R, flags: c_uint) -> P = plan_guru_split_dft_r2c by D32;
            plan_guru_split_dft_c2r(rank: c_int, dims: *const D32, howmany_rank: c_int, howmany_dims: *const D32, ri: *mut R, ii: *mut R, output: *mut R, flags: c_uint) -> P = plan_guru_split_dft_c2r by D32;
            plan_guru64_dft(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, input: *mut C, output: *mut C, sign: c_int, flags: c_uint) -> P = plan_guru_dft by D64;
            plan_guru64_dft_r2c(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, input: *mut R, output: *mut C, flags: c_uint) -> P = plan_guru_dft_r2c by D64;
            plan_guru64_dft_c2r(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, input: *mut C, output: *mut R, flags: c_uint) -> P = plan_guru_dft_c2r by D64;
            plan_guru64_r2r(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, input: *mut R, output: *mut R, kind: *const c_int, flags: c_uint) -> P = plan_guru_r2r by D64;
            plan_guru64_split_dft(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R, flags: c_uint) -> P = plan_guru_split_dft by D64;
            plan_guru64_split_dft_r2c(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, input: *mut R, ro: *mut R, io: *mut R, flags: c_uint) -> P = plan_guru_split_dft_r2c by D64;
            plan_guru64_split_dft_c2r(rank: c_int, dims: *const D64, howmany_rank: c_int, howmany_dims: *const D64, ri: *mut R, ii: *mut R, output: *mut R, flags: c_uint) -> P = plan_guru_split_dft_c2r by D64;
            execute_dft(p: P, input: *mut C, output: *mut C) = execute_dft;
            execute_dft_r2c(p: P, input: *mut R, output: *mut C) = execute_dft_r2c;
            execute_dft_c2r(p: P, input: *mut C, output: *mut R) = execute_dft_c2r;
            execute_r2r(p: P, input: *mut R, output: *mut R) = execute_r2r;
            execute_split_dft(p: P, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R) = execute_split_dft;
            execute_split_dft_r2c(p: P, input: *mut R, ro: *mut R, io: *mut R) = execute_split_dft_r2c;
            execute_split_dft_c2r(p: P, ri: *mut R, ii: *mut R, output: *mut R) = execute_split_dft_c2r;
            forget_wisdom() = forget_wisdom;
            cleanup() = forget_wisdom;
            set_timelimit(t: c_double) = set_timelimit;
            plan_with_nthreads(nthreads: c_int) = plan_with_nthreads;
            planner_nthreads() -> c_int = planner_nthreads;
            init_threads() -> c_int = init_threads;
            cleanup_threads() = cleanup_threads;
            threads_set_callback(parallel_loop: ParallelLoop, data: *mut c_void) = threads_set_callback;
            make_planner_thread_safe() = make_planner_thread_safe;
            export_wisdom(write_char: WriteChar, data: *mut c_void) = export_wisdom;
            export_wisdom_to_string() -> *mut c_char = export_wisdom_to_string;
            export_wisdom_to_file(output_file: *mut FILE) = export_wisdom_to_file;
            export_wisdom_to_filename(filename: *const c_char) -> c_int = export_wisdom_to_filename;
            import_wisdom(read_char: ReadChar, data: *mut c_void) -> c_int = import_wisdom;
            import_wisdom_from_string(input_string: *const c_char) -> c_int = import_wisdom_from_string;
            import_wisdom_from_file(input_file: *mut FILE) -> c_int = import_wisdom_from_file;
            import_wisdom_from_filename(filename: *const c_char) -> c_int = import_wisdom_from_filename;
            import_system_wisdom() -> c_int = import_system_wisdom;
            fprint_plan(p: P, output_file: *mut FILE) = fprint_plan;
            print_plan(p: P) = print_plan;
            sprint_plan(p: P) -> *mut c_char = sprint_plan;
            flops(p: P, add: *mut c_double, mul: *mut c_double, fmas: *mut c_double) = flops;
            estimate_cost(p: P) -> c_double = estimate_cost;
            cost(p: P) -> c_double = estimate_cost;
            malloc(n: usize) -> *mut c_void = malloc;
            alloc_real(n: usize) -> *mut R = alloc_real;
            alloc_complex(n: usize) -> *mut C = alloc_complex;
            free(p: *mut c_void) = free;
            alignment_of(p: *mut R) -> c_int = alignment_of;
        }

        $crate::export_fortran! { $fortran;
            plan_dft_1d(p: *mut P, n: *const c_int, input: *mut C, output: *mut C, sign: *const c_int, flags: *const c_int);
            plan_dft_r2c_1d(p: *mut P, n: *const c_int, input: *mut R, output: *mut C, flags: *const c_int);
            plan_dft_c2r_1d(p: *mut P, n: *const c_int, input: *mut C, output: *mut R, flags: *const c_int);
            plan_r2r_1d(p: *mut P, n: *const c_int, input: *mut R, output: *mut R, kind: *const c_int, flags: *const c_int);
            plan_dft_2d(p: *mut P, nx: *const c_int, ny: *const c_int, input: *mut C, output: *mut C, sign: *const c_int, flags: *const c_int);
            plan_dft_r2c_2d(p: *mut P, nx: *const c_int, ny: *const c_int, input: *mut R, output: *mut C, flags: *const c_int);
            plan_dft_c2r_2d(p: *mut P, nx: *const c_int, ny: *const c_int, input: *mut C, output: *mut R, flags: *const c_int);
            plan_r2r_2d(p: *mut P, nx: *const c_int, ny: *const c_int, input: *mut R, output: *mut R, kindx: *const c_int, kindy: *const c_int, flags: *const c_int);
            plan_dft_3d(p: *mut P, nx: *const c_int, ny: *const c_int, nz: *const c_int, input: *mut C, output: *mut C, sign: *const c_int, flags: *const c_int);
            plan_dft_r2c_3d(p: *mut P, nx: *const c_int, ny: *const c_int, nz: *const c_int, input: *mut R, output: *mut C, flags: *const c_int);
            plan_dft_c2r_3d(p: *mut P, nx: *const c_int, ny: *const c_int, nz: *const c_int, input: *mut C, output: *mut R, flags: *const c_int);
            plan_r2r_3d(p: *mut P, nx: *const c_int, ny: *const c_int, nz: *const c_int, input: *mut R, output: *mut R, kindx: *const c_int, kindy: *const c_int, kindz: *const c_int, flags: *const c_int);
            plan_dft(p: *mut P, rank: *const c_int, n: *const c_int, input: *mut C, output: *mut C, sign: *const c_int, flags: *const c_int);
            plan_dft_r2c(p: *mut P, rank: *const c_int, n: *const c_int, input: *mut R, output: *mut C, flags: *const c_int);
            plan_dft_c2r(p: *mut P, rank: *const c_int, n: *const c_int, input: *mut C, output: *mut R, flags: *const c_int);
            plan_r2r(p: *mut P, rank: *const c_int, n: *const c_int, input: *mut R, output: *mut R, kind: *const c_int, flags: *const c_int);
            plan_many_dft(p: *mut P, rank: *const c_int, n: *const c_int, howmany: *const c_int, input: *mut C, inembed: *const c_int, istride: *const c_int, idist: *const c_int, output: *mut C, onembed: *const c_int, ostride: *const c_int, odist: *const c_int, sign: *const c_int, flags: *const c_int);
            plan_many_dft_r2c(p: *mut P, rank: *const c_int, n: *const c_int, howmany: *const c_int, input: *mut R, inembed: *const c_int, istride: *const c_int, idist: *const c_int, output: *mut C, onembed: *const c_int, ostride: *const c_int, odist: *const c_int, flags: *const c_int);
            plan_many_dft_c2r(p: *mut P, rank: *const c_int, n: *const c_int, howmany: *const c_int, input: *mut C, inembed: *const c_int, istride: *const c_int, idist: *const c_int, output: *mut R, onembed: *const c_int, ostride: *const c_int, odist: *const c_int, flags: *const c_int);
            plan_many_r2r(p: *mut P, rank: *const c_int, n: *const c_int, howmany: *const c_int, input: *mut R, inembed: *const c_int, istride: *const c_int, idist: *const c_int, output: *mut R, onembed: *const c_int, ostride: *const c_int, odist: *const c_int, kind: *const c_int, flags: *const c_int);
            plan_guru_dft(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, input: *mut C, output: *mut C, sign: *const c_int, flags: *const c_int);
            plan_guru_dft_r2c(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, input: *mut R, output: *mut C, flags: *const c_int);
            plan_guru_dft_c2r(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, input: *mut C, output: *mut R, flags: *const c_int);
            plan_guru_r2r(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, input: *mut R, output: *mut R, kind: *const c_int, flags: *const c_int);
            plan_guru_split_dft(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R, flags: *const c_int);
            plan_guru_split_dft_r2c(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, input: *mut R, ro: *mut R, io: *mut R, flags: *const c_int);
            plan_guru_split_dft_c2r(p: *mut P, rank: *const c_int, n: *const c_int, is: *const c_int, os: *const c_int, howmany_rank: *const c_int, h_n: *const c_int, h_is: *const c_int, h_os: *const c_int, ri: *mut R, ii: *mut R, output: *mut R, flags: *const c_int);
            execute(p: *const P);
            destroy_plan(p: *const P);
            execute_dft(p: *const P, input: *mut C, output: *mut C);
            execute_dft_r2c(p: *const P, input: *mut R, output: *mut C);
            execute_dft_c2r(p: *const P, input: *mut C, output: *mut R);
            execute_r2r(p: *const P, input: *mut R, output: *mut R);
            execute_split_dft(p: *const P, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R);
            execute_split_dft_r2c(p: *const P, input: *mut R, ro: *mut R, io: *mut R);
            execute_split_dft_c2r(p: *const P, ri: *mut R, ii: *mut R, output: *mut R);
            print_plan(p: *const P);
            cleanup();
            forget_wisdom();
            cleanup_threads();
            import_system_wisdom(okay: *mut c_int);
            init_threads(okay: *mut c_int);
            planner_nthreads(nthreads: *mut c_int);
            plan_with_nthreads(nthreads: *const c_int);
            set_timelimit(t: *const c_double);
            flops(p: *const P, add: *mut c_double, mul: *mut c_double, fma: *mut c_double);
            estimate_cost(cost: *mut c_double, p: *const P);
            cost(cost: *mut c_double, p: *const P);
            export_wisdom(write_char: FortranWriteChar, data: *mut c_void);
            import_wisdom(is_success: *mut c_int, read_char: FortranReadChar, data: *mut c_void);
        }

        $crate::export_text!(VERSION, concat!($c, "version"), concat!("fftw-3.3.10-earth-fft-", env!("CARGO_PKG_VERSION")));
        $crate::export_text!(CC, concat!($c, "cc"), "rustc");
        $crate::export_text!(CODELET_OPTIM, concat!($c, "codelet_optim"), "");
    };
}

/// Exports functions of [`api`](crate::api).
#[doc(hidden)]
#[macro_export]
macro_rules! export_c {
    ($prefix:literal; $($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $generic:ident $(by $dimension:ty)?;)*) => {$(
        #[unsafe(export_name = concat!($prefix, stringify!($name)))]
        unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: the promises of C.
            unsafe { api::$generic::<R $(, $dimension)?>($($argument),*) }
        }
    )*};
}

/// Exports functions of [`fortran`](crate::fortran).
#[doc(hidden)]
#[macro_export]
macro_rules! export_fortran {
    ($prefix:literal; $($name:ident($($argument:ident: $type:ty),*);)*) => {
        $crate::export_fortran_names! { fortran_names, $prefix, "_"; $($name($($argument: $type),*);)* }
        // Old compilers add a second underscore to names with an underscore.
        $crate::export_fortran_names! { old_fortran_names, $prefix, "__"; $($name($($argument: $type),*);)* }
    };
}

/// Exports functions of [`fortran`](crate::fortran) with one ending of their names.
#[doc(hidden)]
#[macro_export]
macro_rules! export_fortran_names {
    ($module:ident, $prefix:literal, $ending:literal; $($name:ident($($argument:ident: $type:ty),*);)*) => {
        mod $module {
            use super::*;
            $(
                #[unsafe(export_name = concat!($prefix, stringify!($name), $ending))]
                unsafe extern "C" fn $name($($argument: $type),*) {
                    // SAFETY: the promises of C.
                    unsafe { fortran::$name::<R>($($argument),*) }
                }
            )*
        }
    };
}

/// Exports a text that ends with a zero.
#[doc(hidden)]
#[macro_export]
macro_rules! export_text {
    ($name:ident, $symbol:expr, $text:expr) => {
        #[unsafe(export_name = $symbol)]
        static $name: [u8; concat!($text, "\0").len()] = $crate::types::bytes(concat!($text, "\0"));
    };
}
