//! The guide: every chapter is listed, has its programs compiled and run, and points to files that are there.

use std::path::{Path, PathBuf};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/src")
}

/// The targets of the links of a page that lead to files.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|link| !link.contains("://"))
}

#[test]
fn every_chapter_is_listed_compiled_and_links_to_what_is_there() {
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let summary = read(&guide().join("SUMMARY.md"));
    let listed: Vec<_> = links(&summary).collect();
    let compiled = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    let files = std::fs::read_dir(guide()).expect("the guide").map(|file| file.expect("a file").file_name());
    let mut chapters = 0;
    for file in files.filter_map(|name| name.into_string().ok()).filter(|name| name != "SUMMARY.md") {
        chapters += 1;
        assert!(listed.contains(&file.as_str()), "{file} is not in SUMMARY.md");
        let page = read(&guide().join(&file));
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
