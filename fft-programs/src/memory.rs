//! The memory that there is, which is asked before any is taken, and its pages.

pub use earth_memory::in_large_pages;

use crate::planner::PlanError;

/// The bytes that can be had without swapping: of the computer, and of the control group that the process is
/// in. Where the system does not tell, as many as there can be.
pub fn available() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else { return u64::MAX };
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(group)
}

/// Whether so many bytes can be had.
///
/// # Errors
///
/// [`PlanError::TooLittleMemory`].
pub fn is_there(needed: u64) -> Result<(), PlanError> {
    let available = available();
    if needed > available { Err(PlanError::TooLittleMemory { needed, available }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_some_memory_and_it_ends() {
        assert_eq!(is_there(1 << 20), Ok(()));
        let refused = is_there(u64::MAX);
        assert!(matches!(refused, Err(PlanError::TooLittleMemory { needed: u64::MAX, .. })), "{refused:?}");
    }
}
