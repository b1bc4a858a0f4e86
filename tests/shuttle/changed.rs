//! A file of the source and its copy.

/// A text that occurs once in a file of the source, and its replacement in the copy.
pub(crate) struct Change {
    pub(crate) file: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// Returns the copy of a file without its unit tests, and its faults, one sentence each.
pub(crate) fn changed(file: &str, text: &str, changes: &[Change]) -> (String, Vec<String>) {
    // Unit tests are at the end of a file.
    let mut copy = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(copy.lines()).filter(|_| file != "primitive.rs") {
        if names_primitive(line) {
            faults.push(format!(
                "{file}:{number} names a primitive, which `primitive.rs` alone may do: {line}"
            ));
        }
    }
    if file == "lib.rs" {
        // An included file cannot have inner attributes and documentation.
        copy = copy
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
            .collect();
    }
    for Change { from, to, .. } in changes.iter().filter(|change| change.file == file) {
        match copy.matches(from).count() {
            1 => copy = copy.replace(from, to),
            found => faults.push(format!("{file} has this text {found} times instead of once: {from}")),
        }
    }
    (copy, faults)
}

/// Whether a line of code names an item that Shuttle replaces.
fn names_primitive(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let names = |names: &[&str]| names.iter().any(|name| code.contains(name));
    let of_sync = ["Mutex", "Condvar", "mpsc", "atomic", "Barrier", "RwLock", "OnceLock", "LazyLock"];
    names(&["std::thread", "parking_lot"])
        || names(&["std::hint"]) && names(&["spin_loop"])
        || names(&["std::sync"]) && names(&of_sync)
}
