//! The limits of the process (`ulimit -v`, `-d` and `-u`) and how much of them is in use.

use std::fs;

/// Limits of the process. A limit that is not set or cannot be read is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Limit of the address space, in bytes.
    pub address_space: Option<u64>,
    /// Address space that is still available, in bytes.
    pub address_space_left: Option<u64>,
    /// Memory for data that is still available, in bytes.
    pub data_left: Option<u64>,
    /// Limit of the threads of all processes of the user.
    pub threads: Option<u64>,
}

impl Limits {
    /// Reads the limits of this process. *Cost.* It reads one system file, and a second one if memory is
    /// limited.
    pub fn of_process() -> Self {
        let text = |name| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
        let limits = text("limits");
        let unlimited = Self::of(&limits, "");
        match (unlimited.address_space, unlimited.data_left) {
            (None, None) => unlimited,
            _ => Self::of(&limits, &text("status")),
        }
    }

    /// Returns the limits given by the contents of `/proc/self/limits` and `/proc/self/status`.
    fn of(limits: &str, status: &str) -> Self {
        let number = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            // A limit that is not a number is `unlimited`.
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let taken = |name| number(status, name).unwrap_or(0).saturating_mul(1 << 10);
        let address_space = number(limits, "Max address space");
        Self {
            address_space,
            address_space_left: address_space.map(|limit| limit.saturating_sub(taken("VmSize:"))),
            data_left: number(limits, "Max data size").map(|limit| limit.saturating_sub(taken("VmData:"))),
            threads: number(limits, "Max processes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_what_is_taken_of_them() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max processes             95704                95704                processes \n\
                      Max address space         67108864             unlimited            bytes     \n";
        let status = "Name:\tx\nVmPeak:\t   99999 kB\nVmSize:\t   32768 kB\nVmData:\t    4096 kB\n";
        let expected = Limits {
            address_space: Some(64 << 20),
            address_space_left: Some(32 << 20),
            data_left: None,
            threads: Some(95_704),
        };
        assert_eq!(Limits::of(limits, status), expected);
        let both = limits.replace("unlimited            unlimited", "5242880 unlimited");
        assert_eq!(Limits::of(&both, status).data_left, Some(1 << 20));
        let full = Limits::of(&both, "VmSize:\t 99999999 kB\n");
        assert_eq!([full.address_space_left, full.data_left], [Some(0), Some(5 << 20)]);
        assert_eq!(Limits::of("", ""), Limits::default());
    }
}
