//! Documents: plain data that becomes text for the terminal, a page of HTML, or Markdown.
//!
//! 1. [`part`] says what a document is: headings, words, tables, figures and statements, in order; [`table`] is a table;
//! 2. [`page`] makes one of a page in Markdown and the [`Content`] of the names in it;
//! 3. [`text`], [`html`] and [`markdown`] write it down, each in its own way, and [`csv`] the rows of tables that
//!    other programs read.

pub(crate) mod csv;
mod html;
mod markdown;
mod page;
mod part;
mod table;
mod text;

pub(crate) use page::{Content, cells};
pub use part::Document;
pub(crate) use part::{Medium, Part};
pub use table::Table;
