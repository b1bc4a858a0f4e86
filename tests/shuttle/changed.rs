//! A file of the source and its copy.

/// A text that stands once in a file of the source, and what stands there in the copy.
pub(crate) struct Change {
    pub(crate) file: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// The copy of a file, without its unit tests, and what is wrong: a sentence each.
pub(crate) fn changed(file: &str, text: &str, changes: &[Change]) -> (String, Vec<String>) {
    // Unit tests come last in a file.
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
        // An included file has no attributes and documentation of its own.
        copy = copy
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
            .collect();
    }
    for Change { from, to, .. } in changes.iter().filter(|change| change.file == file) {
        match copy.matches(from).count() {
            1 => copy = copy.replace(from, to),
            found => faults
                .push(format!("{file} has this text {found} times, and it is to be changed once: {from}")),
        }
    }
    (copy, faults)
}

/// Whether a line of code names what Shuttle has in its own way.
fn names_primitive(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let names = |names: &[&str]| names.iter().any(|name| code.contains(name));
    let of_sync = ["Mutex", "Condvar", "mpsc", "atomic", "Barrier", "RwLock", "OnceLock", "LazyLock"];
    names(&["std::thread", "parking_lot"])
        || names(&["std::hint"]) && names(&["spin_loop"])
        || names(&["std::sync"]) && names(&of_sync)
}
