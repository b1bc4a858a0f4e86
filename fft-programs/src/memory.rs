//! Checks for available memory before it is taken, and its pages.

mod cgroup;
mod tables;

use std::path::Path;

use earth::Machine;
pub use earth_memory::in_large_pages;
use earth_memory::{Limits, NoMemory, SPARE, check_available, heap_of_thread, share_one_heap};

use crate::planner::PlanError;
#[cfg(test)]
pub(crate) use tables::looked_for;
pub(crate) use tables::{LARGE, fits};

/// Address space of the stack of a thread, in bytes. Little of it is ever resident.
const STACK: u64 = Machine::USUAL_STACK as u64;

/// Bytes that a program takes before it reads its input.
const START: u64 = 4 << 20;

/// Returns the number of bytes that are available without swapping, as the least of:
///
/// * the available memory of the computer (`MemAvailable`);
/// * the memory that the control groups leave, versions 1 and 2. For the process's group and each group above
///   it this is the limit minus the use. Reclaimable page cache (`inactive_file`) does not count as use;
/// * the memory that the limits of the process leave, on its address space (`ulimit -v`) and its data
///   (`ulimit -d`), minus a MiB for small allocations.
///
/// A source that the system lacks is left out.
pub fn available() -> u64 {
    let computer = sysinfo::System::new().map_or(u64::MAX, |mut system| {
        system.refresh_memory();
        system.available_memory()
    });
    let [space, data] = left_by_limits();
    computer.min(cgroup::available(Path::new("/"))).min(space).min(data)
}

/// Returns the bytes that the limits of the process leave of its address space and its data, minus a MiB for
/// small allocations.
fn left_by_limits() -> [u64; 2] {
    let Limits { address_space_left, data_left, .. } = Limits::of_process();
    [address_space_left, data_left].map(|left| left.map_or(u64::MAX, |left| left.saturating_sub(SPARE)))
}

/// Prepares a process for a limit of its address space, if it has one: later threads share one heap, and some
/// bytes are available at the start. A `main` calls it in its first lines.
///
/// # Errors
///
/// [`NoMemory`] if there is too little memory even to report a lack of memory later.
pub fn begin() -> Result<(), NoMemory> {
    if left_by_limits() != [u64::MAX; 2] {
        share_one_heap();
    }
    check_available(START, "the program itself")
}

/// Checks that `needed` bytes are available.
///
/// # Errors
///
/// [`PlanError::TooLittleMemory`], or [`PlanError::NoMemory`] if the system refuses them for another reason.
pub fn is_there(needed: u64) -> Result<(), PlanError> {
    is_there_with_threads(needed, 0)
}

/// Checks that `needed` bytes are available after `threads` threads have started, which also take address
/// space.
///
/// # Errors
///
/// The errors of [`is_there`].
pub fn is_there_with_threads(needed: u64, threads: usize) -> Result<(), PlanError> {
    let available = available();
    if needed > available {
        return Err(PlanError::TooLittleMemory { needed, available });
    }
    // The C library reserves the first heap twice while it aligns it.
    let heaps = if threads == 0 { 0 } else { (threads as u64 + 1).saturating_mul(heap_of_thread()) };
    let space = heaps.saturating_add((threads as u64).saturating_mul(STACK));
    let (needed, [available, _]) = (needed.saturating_add(space), left_by_limits());
    if needed > available {
        return Err(PlanError::TooLittleMemory { needed, available });
    }
    Ok(check_available(needed - space, "the transform")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_some_memory_and_it_ends() {
        assert_eq!(is_there(1 << 20), Ok(()));
        let refused = is_there(u64::MAX);
        assert!(matches!(refused, Err(PlanError::TooLittleMemory { needed: u64::MAX, .. })), "{refused:?}");
        // More than any address space.
        let refused = is_there(1 << 60);
        assert!(refused.is_err(), "{refused:?}");
    }
}
