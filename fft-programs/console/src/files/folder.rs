//! Folders with the files of a report.

use std::fs;
use std::path::Path;

use earth_report::document::Document;

use crate::failure::Failure;
use crate::io::atomic_output::{Output, WriteError};
use crate::stop::Stop;

/// Creates a folder unless it exists.
pub fn create(folder: &Path) -> Result<(), Failure> {
    let failed = |source| WriteError { name: format!("'{}'", folder.display()), source };
    Ok(fs::create_dir_all(folder).map_err(failed)?)
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, content: &[u8], stop: &Stop) -> Result<(), Failure> {
    Ok(Output::open(path, &stop.unfinished)?.commit(|sink| sink.write_all(content))?)
}

/// Writes files by name and content.
pub fn write_all<N: AsRef<Path>>(
    files: impl IntoIterator<Item = (N, Vec<u8>)>,
    folder: &Path,
    stop: &Stop,
) -> Result<(), Failure> {
    files.into_iter().try_for_each(|(name, content)| write(&folder.join(name), &content, stop))
}

/// Writes the Markdown to `path`, and the plots to the folder of the same name without extension.
pub fn write_page(document: &Document, path: &Path, stop: &Stop) -> Result<(), Failure> {
    let folder = path.with_extension("");
    create(&folder)?;
    write_all(document.plots(), &folder, stop)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    write(path, document.markdown(&format!("{name}/")).as_bytes(), stop)
}
