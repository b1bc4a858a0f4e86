//! Copies the runtime's source to where this package is built, and plants the bugs in the copy.

use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/seeds.rs"]
#[allow(dead_code, unreachable_pub, reason = "what the library and the tests use of the list")]
mod seeds;

use seeds::{BUGS, Patch};

fn main() {
    let runtime = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../../runtime");
    let out = PathBuf::from(variable("OUT_DIR")).join("runtime");
    println!("cargo::rerun-if-changed=src/seeds.rs");
    for part in ["src", "profiles"] {
        println!("cargo::rerun-if-changed={}", runtime.join(part).display());
        // What was renamed since leaves nothing behind.
        let _ = fs::remove_dir_all(out.join(part));
        copy(&runtime.join(part), &out.join(part));
    }
    let all = || BUGS.iter().map(|bug| (bug.name, &bug.patch));
    for (name, patch) in all() {
        let text = read(&runtime.join("src").join(patch.file));
        assert!(
            text.matches(patch.original).count() == 1,
            "the bug {name} is planted where runtime/src/{} has a text exactly once, but it is there {} times; \
             write down in tests/bugs/src/seeds.rs what stands there now:\n{}",
            patch.file,
            text.matches(patch.original).count(),
            patch.original,
        );
    }
    let mut files: Vec<_> = all().map(|(_, patch)| patch.file).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let here: Vec<_> = all().filter(|(_, patch)| patch.file == file).collect();
        let planted = plant(&read(&runtime.join("src").join(file)), &here);
        write(&out.join("src").join(file), without_tests(&planted));
    }
    include_root(&out.join("src"));
}

/// Makes the root of the copy one that can be included.
fn include_root(source: &Path) {
    // A file that is included begins with an item.
    let inner = |line: &&str| line.starts_with("//!") || line.starts_with("#![");
    let root = read(&source.join("lib.rs"));
    let items: Vec<_> = root.lines().filter(|line| !inner(line)).collect();
    write(&source.join("lib.rs"), &items.join("\n"));
}

/// `text` with the patches in it, each where its original stands.
fn plant(text: &str, patches: &[(&str, &Patch)]) -> String {
    let mut places: Vec<_> =
        patches.iter().map(|&(name, patch)| (text.find(patch.original).unwrap_or(0), name, patch)).collect();
    places.sort_unstable_by_key(|&(at, ..)| at);
    let (mut planted, mut from) = (String::new(), 0);
    for (at, name, patch) in places {
        assert!(from <= at, "the bug {name} is planted in a text that another bug changes as well");
        planted.push_str(&text[from..at]);
        let switch = format!("crate::switch::is_on(crate::seeds::Bug::{name})");
        planted.push_str(&patch.planted.replace("BUG", &switch));
        from = at + patch.original.len();
    }
    planted.push_str(&text[from..]);
    planted
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())).flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            write(&to, without_tests(&read(&from)));
        }
    }
}

/// The text of a file up to its unit tests, which run where it stands.
fn without_tests(text: &str) -> &str {
    let (here, elsewhere) = ("\n#[cfg(test)]\nmod tests {", "\n#[cfg(test)]\n#[path = ");
    text.split_once(here).or_else(|| text.split_once(elsewhere)).map_or(text, |(code, _)| code)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}
