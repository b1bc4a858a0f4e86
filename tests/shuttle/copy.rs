//! How a source is copied with changes.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A text that stands once in a file of the source, and what stands there in the copy.
pub(crate) struct Change {
    pub(crate) file: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// The copy of a file, without its unit tests, and what is wrong: a sentence each.
pub(crate) fn changed(file: &str, text: &str, changes: &[Change]) -> (String, Vec<String>) {
    // Unit tests come last in a file.
    let mut copy = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(copy.lines()).filter(|_| file != "primitive.rs") {
        if names_primitive(line) {
            faults.push(format!("{file}:{number} names a primitive, which `primitive.rs` alone may do: {line}"));
        }
    }
    if file == "lib.rs" {
        // An included file has no attributes and documentation of its own.
        copy = copy.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#![")).fold(
            String::new(),
            |mut kept, line| {
                kept.push_str(line);
                kept.push('\n');
                kept
            },
        );
    }
    for Change { from, to, .. } in changes.iter().filter(|change| change.file == file) {
        match copy.matches(from).count() {
            1 => copy = copy.replace(from, to),
            found => faults.push(format!("{file} has this text {found} times, and it is to be changed once: {from}")),
        }
    }
    (copy, faults)
}

/// Whether a line of code names what Shuttle has in its own way.
fn names_primitive(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let names = |names: &[&str]| names.iter().any(|name| code.contains(name));
    let of_sync = ["Mutex", "Condvar", "mpsc", "atomic", "Barrier", "RwLock", "OnceLock", "LazyLock"];
    names(&["std::thread", "parking_lot"])
        || names(&["std::hint"]) && names(&["spin_loop"])
        || names(&["std::sync"]) && names(&of_sync)
}

/// Copies the files below `source` to the folder `src` of the build script, with these changes. A build fails if one cannot be
/// made.
pub(crate) fn copy(source: &str, changes: &[Change]) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("a build script has a folder"));
    println!("cargo::rerun-if-changed={source}");
    let mut files = Vec::new();
    read_all(Path::new(source), Path::new(""), &mut files).expect("the source is in its place");
    for Change { file, .. } in changes {
        if !files.iter().any(|(path, _)| path == file) {
            println!("cargo::error={source} has no file {file}, which is to be changed");
        }
    }
    for (file, text) in files.iter().filter(|(file, _)| !file.ends_with("_tests.rs")) {
        let (copy, faults) = changed(file, text, changes);
        for fault in faults {
            println!("cargo::error={source}: {fault}");
        }
        let path = out.join("src").join(file);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(path, copy).expect("the copy can be written");
    }
}

/// Adds the path in the source and the text of each file below `folder`.
fn read_all(source: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(source.join(folder))? {
        let path = folder.join(entry?.file_name());
        if source.join(&path).is_dir() {
            read_all(source, &path, files)?;
        } else {
            files.push((path.display().to_string(), fs::read_to_string(source.join(&path))?));
        }
    }
    Ok(())
}
