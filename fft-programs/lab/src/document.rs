//! Documents: plain data that becomes text for the terminal, a page of HTML, or Markdown.
//!
//! 1. [`part`] says what a document is: headings, words, tables, figures and statements, in order; [`table`] is a table;
//! 2. [`text`], [`html`] and [`markdown`] write it down, each in its own way, and [`csv`] the rows of tables that
//!    other programs read.

pub(crate) mod csv;
mod html;
mod markdown;
mod part;
mod table;
mod text;

pub use part::Document;
pub(crate) use part::{Medium, Part};
pub use table::Table;
