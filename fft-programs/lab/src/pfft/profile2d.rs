//! The report on the study of Khokhriakov, Manumachu and Lastovetsky ([`crate::pfft::study`]).
//!
//! [`report`] is a study with what is made of it, [`document`] says what is read, [`kernels`] what of one kernel, and [`figures`] what is drawn;
//! [`tables`] has all numbers as CSV.

mod document;
mod figures;
mod kernels;
mod report;
mod tables;

pub use report::Report;
