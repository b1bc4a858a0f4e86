//! The paper of Khokhriakov, Manumachu and Lastovetsky on FFTs of matrices by groups of threads.
//!
//! * [`measure`]: measures the speed of groups of threads at row FFTs, until the mean is reliable, into a
//!   file.
//! * [`study`]: measures the paper's methods over N; [`profile2d`] is the report on them.
//! * [`simulate2d`]: the paper's computer and speed functions, in virtual time.

pub mod measure;
pub mod profile2d;
pub mod simulate2d;
pub mod study;
