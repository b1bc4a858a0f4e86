//! From C and Fortran: programs for FFTW, without a change.
//!
//! `fft-programs/fftw3` builds `libearth_fftw3.so` and `libearth_fftw3f.so`, which have FFTW 3's interface in
//! double and in single precision. A program uses them in one of three ways:
//!
//! | program | command |
//! |---|---|
//! | compiled for FFTW | `LD_PRELOAD="libearth_fftw3.so libearth_fftw3f.so" program` |
//! | compiled now, with `fftw3.h` or `earth_fftw3.h` | `cc program.c -learth_fftw3 -lm` |
//! | Fortran, with `fftw3.f` or `fftw3.f03` | `gfortran program.f90 -learth_fftw3` |
//!
//! # What a program gains
//!
//! *Threads.* `fftw_plan_with_nthreads(2)` makes plans that two nodes of the runtime share. Without the
//! call a plan uses the calling thread alone, as FFTW's do. Several threads may execute one plan.
//!
//! *Effort.* `FFTW_ESTIMATE` decides by rules, in microseconds. `FFTW_MEASURE` runs some candidates, and
//! `FFTW_PATIENT` and `FFTW_EXHAUSTIVE` run more. Rules are often right, so `FFTW_ESTIMATE` loses less here
//! than with FFTW. With a time limit below two milliseconds, rules decide.
//!
//! *Wisdom.* Measured plans are exported and imported by FFTW's functions. The text is of this library: it
//! refuses texts of FFTW, and of other computers. `FFTW_WISDOM_ONLY` returns a plan only for a problem that
//! was planned with as much effort.
//!
//! # Where a call copies
//!
//! A plan calls the kernels where the arrays are if the strides are positive, at most three axes are
//! transformed, and an array in place keeps its layout. Otherwise parts of the arrays are copied to memory of
//! the call. These cases copy:
//!
//! | case | remedy |
//! |---|---|
//! | real and imaginary parts in two arrays | complex points |
//! | more than three transformed axes | none |
//! | real-to-real transforms | none |
//! | `FFTW_PRESERVE_INPUT` of complex-to-real transforms | `FFTW_DESTROY_INPUT` |
//! | results in place in another order | an output of its own |
//! | arrays that overlap, or are not aligned to a number | aligned arrays that do not overlap |
//!
//! # Fortran
//!
//! The legacy functions are there: `dfftw_plan_dft_2d_` and the others, and `sfftw_` in single precision.
//! Their dimensions are in Fortran's order. The interface of Fortran 2003 calls the functions of C.
//!
//! # Errors
//!
//! A planning function returns NULL for a bad length, rank, sign or kind, for outputs that overlap, and for
//! arrays beyond the address space. A call cannot report an error in C. If memory is short in a call, the
//! process ends with a sentence on standard error.
