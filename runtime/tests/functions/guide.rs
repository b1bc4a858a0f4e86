//! Checks of the guide. Every chapter is listed, its programs compile and run, and its links lead to existing
//! files. The index lists every error. The page of promises lists every operation, and shows the programs of
//! the tests. The words of other libraries lead to items.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use snapbox::{Assert, Data};

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
    let is_page = |name: &String| Path::new(name).extension().is_some_and(|of| of == "md");
    let pages = files.filter_map(|name| name.into_string().ok()).filter(is_page);
    for file in pages.filter(|name| name != "SUMMARY.md") {
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
    let files = [
        "eu/compute",
        "eu",
        "eu/isolated",
        "eu/operations",
        "eu/own",
        "eu/polling",
        "eu/starts",
        "eu/timers",
        "watched",
    ];
    let text =
        files.map(|file| read(&format!("src/node/{file}.rs"))).concat() + &read("src/patterns/when.rs");
    let names = text.split("    pub fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
    let names: Vec<_> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(headings.contains(&format!("`eu.{name}(")), "no promise for `{name}`");
    }
}

/// Returns the lines of `text` between the comments of mdBook that begin and end `anchor`.
fn anchored<'a>(text: &'a str, anchor: &str) -> &'a str {
    let begun = text.split_once(&format!("// ANCHOR: {anchor}\n")).map(|(_, rest)| rest);
    let ended = begun.and_then(|rest| rest.split_once(&format!("// ANCHOR_END: {anchor}\n")));
    ended.unwrap_or_else(|| panic!("no test has the program `{anchor}`")).0
}

/// The files of the programs on the page of promises.
const LITMUS: [&str; 4] = ["litmus.rs", "litmus_runs.rs", "polling.rs", "timers.rs"];

/// Above each program a comment, `<!-- program litmus.rs:sync -->`, names the file and the anchor of its
/// test. The test is the source. With `SNAPSHOTS=overwrite` in the environment, this test writes changed
/// programs into the page.
#[test]
fn the_page_of_promises_shows_the_programs_of_the_tests() {
    let tests = LITMUS.map(|file| (file, read(&format!("tests/operations/{file}"))));
    let page = read("../docs/guide/src/semantics.md");
    let (mut expected, mut shown, mut lines) = (String::new(), BTreeSet::new(), page.lines());
    while let Some(line) = lines.next() {
        expected.extend([line, "\n"]);
        let named = line.strip_prefix("<!-- program ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some((file, anchor)) = named.and_then(|named| named.split_once(':')) else { continue };
        let (_, text) = tests.iter().find(|(name, _)| *name == file).expect(file);
        assert_eq!(lines.next(), Some("```rs"), "the line below `{line}`");
        assert!(lines.any(|line| line == "```"), "the program below `{line}` has no end");
        expected.extend(["```rs\n", anchored(text, anchor), "```\n"]);
        assert!(shown.insert((file, anchor)), "`{line}` is there twice");
    }
    assert_eq!(page.matches("```").count(), 2 * shown.len(), "each block of the page has its comment");
    let anchors = tests.iter().flat_map(|(file, text)| {
        text.lines().filter_map(|line| Some((*file, line.strip_prefix("// ANCHOR: ")?)))
    });
    assert_eq!(anchors.collect::<BTreeSet<_>>(), shown, "the programs of the tests, and of the page");
    for (file, text) in &tests[..2] {
        let named = |(_, anchor): &&(&str, &str)| !text.contains(&format!("#[test]\nfn {anchor}()"));
        assert_eq!(shown.iter().filter(|(of, _)| of == file).find(named), None, "has no test of its name");
    }
    let page = Data::read_from(&guide().join("semantics.md"), None).raw();
    Assert::new().action_env("SNAPSHOTS").eq(expected, page);
}

/// Returns the words of `#[doc(alias = "word")]` in the sources of `earth`.
///
/// # Panics
///
/// If `rustdoc` ignores an alias: one of an item outside the public modules, whose `pub use` must have it.
fn aliases(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            aliases(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let is_public = path.ends_with("machine/input.rs") || path.ends_with("machine/running.rs");
        let lines: Vec<_> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let word = line.trim_start().strip_prefix("#[doc(alias = \"");
            let Some(word) = word.and_then(|rest| rest.strip_suffix("\")]")) else { continue };
            let item = lines[at..].iter().find(|line| !line.starts_with("#[")).unwrap_or(line);
            let counts = is_public || line.starts_with(' ') || item.starts_with("pub use ");
            assert!(counts, "{}: the alias `{word}` belongs above a `pub use`", path.display());
            found.insert(word.to_owned());
        }
    }
}

#[test]
fn words_of_other_libraries_lead_to_items() {
    let mut found = BTreeSet::new();
    aliases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/src"), &mut found);
    let page = read("../docs/guide/src/coming-from.md");
    let (_, words) = page.split_once("\n## Words\n").expect("the list of words");
    let rows = words.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | "));
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() >= 15, "{rows:?}");
    for (words, answer) in rows {
        assert!(answer.len() > 2, "`{words} has no answer");
        for word in words.split('`').step_by(2).filter(|word| !word.is_empty()) {
            assert!(found.contains(word), "a search finds no item for `{word}`");
        }
    }
}
