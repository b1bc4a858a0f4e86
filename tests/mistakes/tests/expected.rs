//! The compiler says of each program in `src/bin` what the program's comments expect, where they expect it, and no more.
//!
//! ```text
//! //~ ERROR 6:1 a union does not say ...    an error or a warning: line and column of its place, and its sentence
//! //~ NOTE derive it for ...                a note or a help of one of them
//! ```
//!
//! Errors and warnings must be these and no others, where one that is repeated word for word counts once, as Cargo shows
//! it once; of notes and helps there may be more. All programs are checked by one run of Cargo.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What the compiler said of a program, in the form of the comments.
#[derive(Default)]
struct Said {
    /// Errors and warnings.
    main: Vec<String>,
    /// Notes and helps.
    more: Vec<String>,
    /// All of it as people see it.
    seen: HashSet<String>,
}

impl Said {
    /// Adds a message that is new. One without a place sums up others.
    fn hear(&mut self, message: &Value) {
        if !self.seen.insert(message["rendered"].to_string()) {
            return;
        }
        let said = |message: &Value, place: &str| {
            let level = message["level"].as_str().unwrap_or_default().to_uppercase();
            format!("{level} {place}{}", message["message"].as_str().unwrap_or_default())
        };
        let spans = message["spans"].as_array().into_iter().flatten();
        if let Some(span) = spans.into_iter().find(|span| span["is_primary"] == true) {
            let place = format!("{}:{} ", span["line_start"], span["column_start"]);
            self.main.push(said(message, &place));
            self.more
                .extend(message["children"].as_array().into_iter().flatten().map(|child| said(child, "")));
        }
    }
}

/// What the compiler says, by program.
fn said() -> HashMap<String, Said> {
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
        // Where macros and their like have been built. Cargo does not hold it while it runs tests.
        .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/..")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let mut programs = HashMap::<_, Said>::new();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if line["reason"] == "compiler-message" && line["target"]["kind"][0] == "bin" {
            let name = line["target"]["name"].as_str().unwrap_or_default().to_owned();
            programs.entry(name).or_default().hear(&line["message"]);
        }
    }
    assert!(!programs.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    programs
}

/// How what was said differs from what a program's text expects.
fn differences(text: &str, said: &mut Said) -> Vec<String> {
    let expected = text.lines().filter_map(|line| line.trim_start().strip_prefix("//~ "));
    let (more, main): (Vec<_>, Vec<_>) =
        expected.partition(|line| line.starts_with("NOTE ") || line.starts_with("HELP "));
    let mut differences = Vec::new();
    for line in main {
        match said.main.iter().position(|one| one == line) {
            Some(at) => drop(said.main.swap_remove(at)),
            None => differences.push(format!("not said: {line}")),
        }
    }
    differences.extend(said.main.iter().map(|line| format!("said:     {line}")));
    let missing = more.into_iter().filter(|line| !said.more.iter().any(|one| one == line));
    differences.extend(missing.map(|line| format!("not said: {line}")));
    differences
}

#[test]
fn each_mistake_is_told_in_the_sentence_and_at_the_place_that_it_expects() {
    let mut said = said();
    let mut wrong = Vec::new();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    for file in fs::read_dir(programs).expect("there are programs") {
        let path = file.expect("it is there").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("it is text");
        assert!(text.contains("//~ ERROR ") || text.contains("//~ WARNING "), "{name} expects nothing");
        let mut said = said.remove(&*name).unwrap_or_default();
        wrong.extend(differences(&text, &mut said).iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
