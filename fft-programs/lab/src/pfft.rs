//! The paper of Khokhriakov, Manumachu and Lastovetsky on FFTs of matrices by groups of threads.
//!
//! * [`measure`]: how fast groups of threads are at row FFTs, measured until the mean is reliable, in a file.
//! * [`study`]: the methods of the paper, measured over N; [`profile2d`] is the report on them.
//! * [`simulate2d`]: the computer and the speed functions of the paper, in virtual time.

pub mod measure;
pub mod profile2d;
pub mod simulate2d;
pub mod study;
