//! For each file in `src/bin/*/`, the compiler reports the errors and warnings that the comments of the file
//! expect, and no others.
//!
//! ```text
//! //~ ERROR 6:1 a union does not say ...    an error or a warning: line and column of its place, and its text
//! //~ NOTE derive it for ...                a note or a help text that belongs to one of them
//! ```
//!
//! Identical errors count once. A file may have more notes and help texts than it expects.
//!
//! A folder of `src/bin` is one program, and its files are modules of it. The compiler stops after the stage
//! that has errors, so all mistakes of a folder belong to the same stage. One run of Cargo checks all
//! folders.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Compiler messages for one file, in the form of the comments.
#[derive(Default)]
struct Messages {
    /// Errors and warnings.
    main: Vec<String>,
    /// Notes and help texts.
    more: Vec<String>,
    /// Complete texts as the compiler renders them.
    rendered: HashSet<String>,
}

impl Messages {
    /// Adds a message unless it was already added. `module` is the path of the file's items in messages.
    fn add(&mut self, message: &Value, place: &str, module: &str) {
        if !self.rendered.insert(message["rendered"].to_string()) {
            return;
        }
        let line = |message: &Value, place: &str| {
            let level = message["level"].as_str().unwrap_or_default().to_uppercase();
            let text = message["message"].as_str().unwrap_or_default();
            // The path would be absent if the file were a separate program.
            let text = text.replace(&format!("{module}::_::"), "").replace(&format!("{module}::"), "");
            format!("{level} {place}{text}")
        };
        self.main.push(line(message, place));
        self.more.extend(message["children"].as_array().into_iter().flatten().map(|child| line(child, "")));
    }

    /// Returns the differences between the messages and the expectations in the text of a file.
    fn differences(mut self, text: &str) -> Vec<String> {
        let expected = text.lines().filter_map(|line| line.trim_start().strip_prefix("//~ "));
        let (more, main): (Vec<_>, Vec<_>) =
            expected.partition(|line| line.starts_with("NOTE ") || line.starts_with("HELP "));
        let mut differences = Vec::new();
        for line in main {
            match self.main.iter().position(|one| one == line) {
                Some(at) => drop(self.main.swap_remove(at)),
                None => differences.push(format!("missing:    {line}")),
            }
        }
        differences.extend(self.main.iter().map(|line| format!("unexpected: {line}")));
        let missing = more.into_iter().filter(|line| !self.more.iter().any(|one| one == line));
        differences.extend(missing.map(|line| format!("missing:    {line}")));
        differences
    }
}

/// Returns the messages of the compiler by file. Paths are relative to the folder of this package.
fn messages() -> HashMap<PathBuf, Messages> {
    let output = Command::new(env!("CARGO"))
        .args([
            "check",
            "--locked",
            "--bins",
            "--features",
            "mistakes",
            "--keep-going",
            "--message-format",
            "json",
        ])
        // This folder contains the built dependencies. Cargo does not lock it while it runs tests.
        .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/..")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let mut files = HashMap::<_, Messages>::new();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if line["reason"] != "compiler-message" || line["target"]["kind"][0] != "bin" {
            continue;
        }
        let message = &line["message"];
        let spans = message["spans"].as_array().into_iter().flatten();
        // A message without a place is a summary.
        let Some(span) = spans.into_iter().find(|span| span["is_primary"] == true) else { continue };
        // Paths are relative to the root of the workspace.
        let path: PathBuf =
            Path::new(span["file_name"].as_str().unwrap_or_default()).iter().skip(2).collect();
        let module = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let place = format!("{}:{} ", span["line_start"], span["column_start"]);
        files.entry(path).or_default().add(message, &place, &module);
    }
    assert!(!files.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    files
}

/// Returns the paths in a folder of this package.
fn entries(folder: PathBuf) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder)).expect("it is a folder");
    entries.map(move |entry| folder.join(entry.expect("it is readable").file_name()))
}

#[test]
fn each_mistake_has_the_sentence_and_the_place_that_its_file_expects() {
    let mut messages = messages();
    let mut wrong = Vec::new();
    for path in entries("src/bin".into()).flat_map(entries) {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).expect("it is text");
        let mistake = text.contains("//~ ERROR ") || text.contains("//~ WARNING ");
        assert_ne!(mistake, path.ends_with("main.rs"), "{} expects nothing, or is a root", path.display());
        let differences = messages.remove(&path).unwrap_or_default().differences(&text);
        wrong.extend(differences.iter().map(|difference| format!("{}: {difference}", path.display())));
    }
    wrong.extend(messages.keys().map(|path| format!("messages on {}", path.display())));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
