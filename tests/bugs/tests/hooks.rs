//! The errors of the build script if the list of bugs does not agree with the hooks in the runtime's source.
#![forbid(unsafe_code)]

#[path = "../hooks.rs"]
mod hooks;

/// Returns the faults of a list, for a source of two files.
fn faults(listed: &[&str], one: &str, other: &str) -> Vec<String> {
    let files = [("one.rs", one), ("other.rs", other)];
    hooks::faults(listed, &files.map(|(path, text)| (path.to_owned(), text.to_owned())))
}

#[test]
fn one_hook_a_bug_is_right_wherever_it_stands() {
    let one = "if seeded!(Lost) && !seeded!(Late) {\n    // as seeded!(Other) would\n}";
    assert_eq!(
        faults(&["Late", "Lost", "Twice"], one, "let n = if seeded!(Twice) { 2 } else { 1 };"),
        [""; 0]
    );
}

#[test]
fn a_bug_without_a_hook_is_reported() {
    let told = faults(&["Late", "Lost"], "seeded!(Late)", "// seeded!(Lost)");
    let [told] = &told[..] else { panic!("{told:?}") };
    assert!(told.starts_with("the bug Lost of tests/bugs/src/seeds.rs has no hook: "), "{told}");
}

#[test]
fn an_unlisted_hook_is_reported() {
    let told = faults(&["Late"], "seeded!(Late)", "!seeded!(Lost)");
    assert_eq!(told, ["the hook `seeded!(Lost)` in other.rs is not in tests/bugs/src/seeds.rs"]);
}

#[test]
fn a_duplicate_name_is_reported() {
    let told = faults(&["Late", "Lost", "Late"], "seeded!(Late)", "seeded!(Lost) || seeded!(Lost)");
    let expected = [
        "the bug Lost has more than one hook: in other.rs and other.rs",
        "the bug Late is listed twice in tests/bugs/src/seeds.rs",
    ];
    assert_eq!(told, expected);
}
