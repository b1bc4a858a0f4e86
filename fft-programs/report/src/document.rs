//! Documents: plain data that becomes text for the terminal, a page of HTML, or Markdown.
//!
//! 1. [`part`] says what a document is: headings, words, tables, figures and statements, in order; [`table`] is a table;
//! 2. [`page`] makes one of a page in Markdown and the [`Content`] of the names in it;
//! 3. [`text`], [`html`] and [`markdown`] write it down, each in its own way, and [`csv`] the rows of tables that
//!    other programs read.

mod cells;
pub mod csv;
mod html;
mod markdown;
mod page;
mod part;
mod table;
mod text;

pub use cells::cells;
pub use page::Content;
pub use part::Document;
pub use part::{Medium, Part};
pub use table::Table;
