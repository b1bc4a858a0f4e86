//! Report on the study of Khokhriakov, Manumachu and Lastovetsky ([`crate::pfft::study`]).
//!
//! [`report`] is a study with the results derived from it. [`document`] fills the page, [`kernels`] fills the
//! part on one kernel. [`papers`] draws the paper's figures, [`figures`] the others. [`findings`] has the
//! values of the five findings. [`tables`] has all numbers as CSV.

mod document;
mod figures;
mod findings;
mod kernels;
mod papers;
mod report;
mod tables;

pub use report::Report;
