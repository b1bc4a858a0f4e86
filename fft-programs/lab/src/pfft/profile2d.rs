//! Report on the study of Khokhriakov, Manumachu and Lastovetsky ([`crate::pfft::study`]).
//!
//! [`report`] is a study with the results derived from it. [`document`] fills the page, [`kernels`] fills the
//! part on one kernel, and [`figures`] draws the plots. [`tables`] has all numbers as CSV.

mod document;
mod figures;
mod kernels;
mod report;
mod tables;

pub use report::Report;
