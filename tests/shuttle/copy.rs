//! Copies a source with changes.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::changed::{Change, changed};

/// Copies the files below `source` to the build script's folder `src`, with these changes. If a change cannot
/// be made, the build fails.
pub(crate) fn copy(source: &str, changes: &[Change]) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("a build script has a folder"));
    println!("cargo::rerun-if-changed={source}");
    let mut files = Vec::new();
    read_all(Path::new(source), Path::new(""), &mut files).expect("the source is in its place");
    for Change { file, .. } in changes {
        if !files.iter().any(|(path, _)| path == file) {
            println!("cargo::error={source} has no file {file}, but there is a change for it");
        }
    }
    // Files of an earlier build, which the source may have no more.
    if out.join("src").exists() {
        fs::remove_dir_all(out.join("src")).expect("the copy of an earlier build can be removed");
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
