//! The binary `earth-fft-mpi` as jobs of one to three ranks.
//!
//! * [`scene`]: a directory for files, and the launcher.
//! * [`array`]: `.npy` files that the tests write and read by themselves.
//! * [`spectra`]: transforms, compared with a plan of one thread, and between numbers of ranks.
//! * [`bench`]: comparisons with FFTW-MPI and heFFTe.
//! * [`overlap`]: comparisons of transforms that overlap their exchange.
//! * [`refusals`]: failures of all ranks or of one. None leaves a file, and each prints one sentence.
//!
//! *Launcher.* The variable `MPIRUN` has its command and options. Default: `mpirun`, with the options that
//! more ranks than cores need. It belongs to the MPI that the binary was built with. Without a launcher
//! a message says that the tests did not run.

#![forbid(unsafe_code)]

mod array;
mod bench;
mod overlap;
mod refusals;
mod scene;
mod spectra;
