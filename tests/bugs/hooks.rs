//! Compares the hooks in a source with the list of bugs: each bug has one hook, and each hook one bug.

use std::collections::HashMap;

/// Returns the faults in the list of names, and in the hooks of files, which are given as paths and texts.
/// Each fault is one sentence.
pub(crate) fn faults(listed: &[&str], files: &[(String, String)]) -> Vec<String> {
    let mut hooked: HashMap<&str, Vec<&str>> = HashMap::new();
    for (path, text) in files {
        for name in text.lines().flat_map(hooks) {
            hooked.entry(name).or_default().push(path);
        }
    }
    let mut faults = Vec::new();
    for (at, name) in listed.iter().enumerate() {
        if listed[..at].contains(name) {
            faults.push(format!("the bug {name} is listed twice in tests/bugs/src/seeds.rs"));
            continue;
        }
        match hooked.remove(name).unwrap_or_default()[..] {
            [] => faults.push(format!(
                "the bug {name} of tests/bugs/src/seeds.rs has no hook: \
                 write `seeded!({name})` in runtime/src or runtime/memory/src where it goes wrong, or take it off the list"
            )),
            [_] => {}
            ref places => {
                faults.push(format!("the bug {name} has more than one hook: in {}", places.join(" and ")));
            }
        }
    }
    let mut unlisted: Vec<_> = hooked.into_iter().collect();
    unlisted.sort_unstable();
    faults.extend(unlisted.into_iter().map(|(name, places)| {
        format!("the hook `seeded!({name})` in {} is not in tests/bugs/src/seeds.rs", places.join(" and "))
    }));
    faults
}

/// Returns the names of the hooks in a line of code.
fn hooks(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("seeded!(").skip(1).filter_map(|rest| rest.split(')').next()).map(str::trim)
}
