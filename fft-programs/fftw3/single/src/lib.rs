//! `libearth_fftw3f.so`: FFTW 3's interface in C and Fortran, in single precision.

earth_fftw3_interface::export!(f32, "fftwf_", "sfftw_");
