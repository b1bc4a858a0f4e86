//! Files of lines that a command appends to, and reads again when it continues.
//!
//! One call writes a line. If the process dies during the call, the file ends in a line without its end. The
//! next command removes that line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Opens a file for reading and writing, or creates it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Returns the whole lines of a file that was just opened. Removes a last line without its end. Later writes
/// append to the file.
pub(crate) fn whole_lines(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        bytes.truncate(whole);
    }
    file.seek(SeekFrom::Start(whole as u64))?;
    Ok(bytes)
}
