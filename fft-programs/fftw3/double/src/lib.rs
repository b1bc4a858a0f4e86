//! `libearth_fftw3.so`: FFTW 3's interface in C and Fortran, in double precision.

earth_fftw3_interface::export!(f64, "fftw_", "dfftw_");
