//! Copies the source of the runtime with the changes of `changes.rs`.

mod changed;
mod changes;
mod copy;

use std::path::Path;
use std::{env, fs};

fn main() {
    for file in ["build.rs", "changed.rs", "changes.rs", "copy.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    copy::copy("../../runtime/src", changes::CHANGES);
    // The source includes them by relative paths.
    let profiles = "../../runtime/profiles";
    println!("cargo::rerun-if-changed={profiles}");
    let copies = Path::new(&env::var_os("OUT_DIR").expect("a build script has a folder")).join("profiles");
    fs::create_dir_all(&copies).expect("the folder can be made");
    for entry in fs::read_dir(profiles).expect("the profiles are in their place") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().expect("a file has a name");
        fs::copy(&path, copies.join(name)).expect("a profile can be copied");
    }
}
