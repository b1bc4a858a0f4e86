//! The resident memory of this process in bytes, as Linux tells it; 0 elsewhere.
//!
//! It counts what the allocator adds to a piece of memory and the spare room of queues that was ever touched.
//! Memory that was used before and freed does not show when it is used again, so each measurement belongs in a
//! process of its own.

/// What is resident now.
pub fn resident() -> usize {
    of_status("VmRSS:")
}

/// The most that was resident at any time.
pub fn peak() -> usize {
    of_status("VmHWM:")
}

fn of_status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kibibytes.unwrap_or(0) * 1024
}
