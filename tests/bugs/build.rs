//! Checks that the list of bugs agrees with the hooks in the source of the runtime and of its memory.
//! Compiles the library with the switch of `src/switch.rs`.

use std::path::Path;
use std::{fs, io};

mod hooks;

macro_rules! bugs {
    ($($name:ident: $what:literal;)+) => {
        /// The names in the list.
        const LISTED: &[&str] = &[$(stringify!($name)),+];
    };
}

include!("src/seeds.rs");

fn main() {
    // A build script runs in the folder of its package.
    println!("cargo::rustc-cfg=seeded");
    let mut files = Vec::new();
    for source in ["../../runtime/src", "../../runtime/memory/src"] {
        println!("cargo::rerun-if-changed={source}");
        read_all(Path::new(source), &mut files).expect("the source is in its place");
    }
    for fault in hooks::faults(LISTED, &files) {
        println!("cargo::error={fault}");
    }
}

/// Adds the path and text of each file below `folder`.
fn read_all(folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_all(&path, files)?;
        } else {
            files.push((path.display().to_string(), fs::read_to_string(&path)?));
        }
    }
    Ok(())
}
