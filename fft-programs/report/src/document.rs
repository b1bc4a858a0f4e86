//! Documents: plain data that becomes text for the terminal, a page of HTML, or Markdown.
//!
//! 1. [`part`] defines documents: headings, paragraphs, tables, figures and statements, in order. [`table`]
//!    defines tables.
//! 2. [`page`] makes a document of a page in Markdown and the [`Content`] of the names in it. [`paper`] is
//!    the form of all pages on papers.
//! 3. [`text`], [`html`] and [`markdown`] write it in their formats. [`csv`] writes the rows of tables for
//!    other programs.

mod cells;
pub mod csv;
mod html;
mod markdown;
mod page;
mod paper;
mod part;
mod table;
mod text;

pub use cells::cells;
pub use page::Content;
pub use paper::Paper;
pub use part::Document;
pub use part::{Medium, Part};
pub use table::Table;
