//! Output of a command: files, and text or JSON on standard output.

use std::io;
use std::path::Path;

use earth_console::Failure;
use earth_console::folder::{create, write, write_all, write_page};
use earth_console::io::atomic_output::Output;
use earth_console::output::{print, print_json};
use earth_console::stop::Stop;
use earth_report::document::Document;
use serde::Serialize;

/// Files that a command writes in addition to standard output.
pub(super) struct Files<'a> {
    /// Folder for all files, and the name of its page.
    folder: Option<(&'a Path, &'static str)>,
    /// Markdown page, with its plots in a folder beside it.
    page: Option<&'a Path>,
    stop: &'a Stop,
}

impl<'a> Files<'a> {
    /// Creates the folder, and checks before any work that the pages can be written.
    pub(super) fn open(
        folder: Option<&'a Path>,
        name: &'static str,
        page: Option<&'a Path>,
        stop: &'a Stop,
    ) -> Result<Self, Failure> {
        if let Some(folder) = folder {
            create(folder)?;
            drop(Output::open(&folder.join(name).with_extension("html"), &stop.unfinished)?);
        }
        if let Some(page) = page {
            drop(Output::open(page, &stop.unfinished)?);
        }
        Ok(Self { folder: folder.map(|folder| (folder, name)), page, stop })
    }

    /// Writes the document to the files, as Markdown too if there are CSV tables. Prints the document, or its
    /// answer as JSON.
    pub(super) fn write(
        &self,
        document: &Document,
        tables: io::Result<Vec<(String, Vec<u8>)>>,
        answer: Option<&impl Serialize>,
    ) -> Result<(), Failure> {
        if let Some((folder, name)) = self.folder {
            let (page, tables) = (folder.join(name), tables.map_err(Failure::Stdout)?);
            write_all(document.plots(), folder, self.stop)?;
            if !tables.is_empty() {
                write(&page.with_extension("md"), document.markdown("").as_bytes(), self.stop)?;
            }
            write_all(tables, folder, self.stop)?;
            write(&page.with_extension("html"), document.page().as_bytes(), self.stop)?;
        }
        if let Some(page) = self.page {
            write_page(document, page, self.stop)?;
        }
        answer.map_or_else(|| print(document), print_json)
    }
}

/// Prints an answer as JSON or as text.
pub(super) fn print_answer(
    json: bool,
    answer: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if json { print_json(answer) } else { print(text()) }
}
