//! The copy that the build scripts make of a file, and the faults that they report.
#![forbid(unsafe_code)]

#[path = "../changed.rs"]
mod changed;

use changed::{Change, changed};

const CHANGES: &[Change] = &[
    Change { file: "a.rs", from: "MANY: u32 = 100;", to: "MANY: u32 = 1;" },
    Change { file: "lib.rs", from: "mod primitive;\n", to: "" },
];

#[test]
fn a_text_is_changed_in_its_file_and_unit_tests_are_left_out() {
    let text = "const MANY: u32 = 100;\n\n#[cfg(test)]\nmod tests {\n    use std::thread;\n}\n";
    assert_eq!(changed("a.rs", text, CHANGES), ("const MANY: u32 = 1;\n\n".to_owned(), vec![]));
    assert_eq!(changed("b.rs", text, CHANGES), ("const MANY: u32 = 100;\n\n".to_owned(), vec![]));
}

#[test]
fn the_root_has_no_inner_attributes() {
    let text = "//! The crate.\n#![forbid(unsafe_code)]\n\nmod a;\nmod primitive;\n";
    assert_eq!(changed("lib.rs", text, CHANGES), ("\nmod a;\n".to_owned(), vec![]));
}

#[test]
fn a_text_that_does_not_occur_once_is_reported() {
    for (text, found) in
        [("const MANY: u32 = 90;\n", 0), ("const MANY: u32 = 100;\nconst TOO_MANY: u32 = 100;\n", 2)]
    {
        let (_, faults) = changed("a.rs", text, CHANGES);
        let told = format!("a.rs has this text {found} times instead of once: MANY: u32 = 100;");
        assert_eq!(faults, [told]);
    }
}

#[test]
fn the_system_has_a_name() {
    let names = |line: &str| changed("b.rs", line, &[]).1.len();
    let theirs = [
        "use std::thread;",
        "use std::sync::{Arc, Mutex};",
        "    waiting: std::sync::mpsc::Receiver<()>,",
        "static COUNT: std::sync::atomic::AtomicUsize =",
        "use parking_lot::Mutex;",
        "use std::hint::{black_box, spin_loop};",
    ];
    assert_eq!(theirs.map(names), [1; 6]);
    let ours = [
        "use crate::primitive::thread;",
        "use std::sync::{Arc, PoisonError};",
        "use std::hint::black_box;",
        "/// As [`std::thread::available_parallelism`] says.",
    ];
    assert_eq!(ours.map(names), [0; 4]);
    assert_eq!(changed("primitive.rs", "pub(crate) use std::thread;", &[]).1, [""; 0]);
}
