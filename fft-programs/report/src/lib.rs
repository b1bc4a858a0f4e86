//! How results are told: as text, as a page, as Markdown, in plots, and in verdicts on statements of papers.
//!
//! * [`document`]: tables, facts and plots, which become text, a page or Markdown.
//! * [`figure`]: plots, drawn as SVG.
//! * [`spread`]: the least, the quartiles, the median and the greatest of repeated measurements.
//! * [`statements`]: how what papers say is judged.
//! * [`facts`]: what computer this is. [`numbers`]: numbers for people.
//!
//! Nothing here runs a program or opens a file.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the head of a module tells what it is made of")]

pub mod document;
pub mod facts;
pub mod figure;
pub mod numbers;
pub mod spread;
pub mod statements;
