//! How many names the root of the crate has: what every program needs stands there, the rest in modules. The names are
//! read from the text of `lib.rs`, so that one which is added is seen.

/// The most names that the root may have beside its modules. To add one beyond, put it, or others, into a module.
const MOST: usize = 49;

/// The public modules of the root.
const MODULES: [&str; 8] =
    ["collective", "input", "patterns", "place", "ranks", "records", "running", "simulated"];

const ROOT: &str = include_str!("../../src/lib.rs");

/// The names of the public items that stand at the outermost level of `text`, modules included, without those that
/// documentation hides and those of a `cfg`.
///
/// # Panics
///
/// If one is exported in a form whose names are not in the text, or is no `use` and no module.
fn names(text: &str) -> Vec<&str> {
    let code: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut names = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let Some(item) = line.strip_prefix("pub ") else { continue };
        let above = at.checked_sub(1).map_or("", |above| code[above]);
        if above == "#[doc(hidden)]" || above.starts_with("#[cfg(") {
            continue;
        }
        if let Some(module) = item.strip_prefix("mod ") {
            names.push(module.trim_end_matches([';', '{', ' ']));
            continue;
        }
        assert!(item.starts_with("use "), "`{line}` is no `pub use` and no `pub mod`");
        let rest = &text[text.find(line).expect("a line of the text")..];
        let (export, _) = rest.split_once(';').expect("an end of `pub use`");
        assert!(!export.contains('*'), "`{export}` hides how many names it exports");
        let list = export.split_once('{').map_or(export, |(_, list)| list.trim_end_matches('}'));
        assert!(!list.contains('{'), "`{export}` has a list in a list");
        let paths = list.split(',').map(str::trim).filter(|path| !path.is_empty());
        names.extend(paths.map(|path| path.rsplit([':', ' ']).next().unwrap_or(path)));
    }
    names
}

#[test]
fn the_root_stays_small() {
    let (modules, names): (Vec<_>, Vec<_>) = names(ROOT).into_iter().partition(|name| MODULES.contains(name));
    assert_eq!(modules.len(), MODULES.len(), "of the modules {MODULES:?} these are public: {modules:?}");
    assert!(names.len() <= MOST, "{} names in the root of `earth`: {}", names.len(), names.join(" "));
}

#[test]
fn every_form_of_export_is_counted() {
    let text = "//! pub use no::Such;\n\
                pub mod first;\n\
                mod private;\n\
                pub(crate) use private::Within;\n\
                pub use one::Second;\n\
                pub use two::{\n    Third, self::deep::Fourth,\n    Other as Fifth,\n};\n\
                #[doc(hidden)]\n\
                pub use three::Hidden;\n\
                #[cfg(seeded)]\n\
                pub use four::{Bug, Seed};\n\
                pub use five::sixth;\n";
    assert_eq!(names(text), ["first", "Second", "Third", "Fourth", "Fifth", "sixth"]);
}
