//! Checks of the guide. Every chapter is listed, its programs compile and run, and its links lead to existing
//! files. The index lists every error, and the page of promises every operation.

use std::path::{Path, PathBuf};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src")
}

/// Returns the targets of the links of a page that lead to files.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|link| !link.contains("://"))
}

#[test]
fn every_chapter_is_listed_compiled_and_links_to_what_is_there() {
    let summary = read("../docs/guide/src/SUMMARY.md");
    let listed: Vec<_> = links(&summary).collect();
    let compiled = read("src/lib.rs");
    let files = std::fs::read_dir(guide()).expect("the guide").map(|file| file.expect("a file").file_name());
    let mut chapters = 0;
    for file in files.filter_map(|name| name.into_string().ok()).filter(|name| name != "SUMMARY.md") {
        chapters += 1;
        assert!(listed.contains(&file.as_str()), "{file} is not in SUMMARY.md");
        let page = read(&format!("../docs/guide/src/{file}"));
        let has_program = page.contains("```rust\n");
        assert_eq!(
            compiled.contains(&format!("\"{file}\"")),
            has_program,
            "{file} and the doc tests of `earth`"
        );
        for link in links(&page) {
            let path = link.split('#').next().unwrap_or(link);
            assert!(guide().join(path).exists(), "{file} points to {path}, which is not there");
        }
    }
    assert_eq!(listed.len(), chapters, "SUMMARY.md lists {listed:?}");
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of an `enum`'s variants in the text of its file, as `rustfmt` formats it.
fn variants(file: &str, name: &str) -> Vec<String> {
    let (_, body) = file.split_once(&format!("pub enum {name} {{\n")).expect("the enum");
    let (body, _) = body.split_once("\n}\n").expect("its end");
    let declared = body.lines().filter_map(|line| line.strip_prefix("    "));
    let declared = declared.filter(|line| line.starts_with(char::is_uppercase));
    declared
        .map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(line).to_owned())
        .collect()
}

#[test]
fn the_index_has_each_error_once_with_its_cause_and_remedy() {
    let mut errors = variants(&read("src/vocabulary/error.rs"), "Error");
    assert!(errors.len() > 20, "{errors:?}");
    let page = read("../docs/guide/src/errors.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<_> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_end_matches(" |").split(" | ").collect();
            assert_eq!(cells.len(), 3, "{row}");
            assert!(cells.iter().all(|cell| cell.len() > 2), "{row}");
            cells[0].trim_end_matches('`').to_owned()
        })
        .collect();
    errors.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, errors);
}

#[test]
fn each_operation_of_a_fiber_has_its_promise() {
    let page = read("../docs/guide/src/semantics.md");
    let headings: String = page.lines().filter(|line| line.starts_with("## ")).collect();
    let files = ["eu/compute", "eu", "eu/operations", "eu/own", "eu/polling", "eu/starts", "watched"];
    let text: String = files.map(|file| read(&format!("src/node/{file}.rs"))).concat();
    let names = text.split("    pub fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
    let names: Vec<_> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(headings.contains(&format!("`eu.{name}(")), "no promise for `{name}`");
    }
}
