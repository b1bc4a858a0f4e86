//! The resident memory of this process in bytes, as Linux reports it; 0 on other systems.
//!
//! It includes the allocator's overhead and the touched spare room of queues. Memory that was freed and is
//! used again does not increase it, so each measurement belongs in a separate process.

/// Returns the present resident memory, in bytes.
pub fn resident() -> usize {
    of_status("VmRSS:")
}

/// Returns the peak resident memory, in bytes.
pub fn peak() -> usize {
    of_status("VmHWM:")
}

fn of_status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kibibytes.unwrap_or(0) * 1024
}
