//! Reports of results: as text, as a page, as Markdown, in plots, and in verdicts on statements of papers.
//!
//! * [`document`]: tables, facts and plots, which become text, a page or Markdown.
//! * [`figure`]: plots, drawn as SVG.
//! * [`spread`]: the least, the quartiles, the median and the greatest of repeated measurements.
//! * [`statements`]: verdicts on statements of papers.
//! * [`facts`]: facts of this computer. [`numbers`]: numbers for people.
//!
//! This crate runs no program and opens no file.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a module tells what it is made of")]

pub mod document;
pub mod facts;
pub mod figure;
pub mod numbers;
pub mod spread;
pub mod statements;
