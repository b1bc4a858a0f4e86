//! Limits the number of names in the root of the crate. The root has the names that every program needs;
//! modules have the rest. The names are read from the text of `lib.rs`, so that every new name is noticed.

/// Largest number of names in the root, besides its modules. Put a further name, or others, into a module.
const MOST: usize = 49;

/// Public modules of the root.
const MODULES: [&str; 11] = [
    "collective",
    "explore",
    "input",
    "isolated",
    "patterns",
    "place",
    "policy",
    "ranks",
    "records",
    "running",
    "simulated",
];

const ROOT: &str = include_str!("../../src/lib.rs");

/// Returns the names of the public items at the outermost level of `text`, modules included. Items that
/// documentation hides and items under a `cfg` are left out.
///
/// # Panics
///
/// If the text does not show the names of an export, or if an item is neither a `use` nor a module.
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
