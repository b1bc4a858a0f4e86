//! The facts of this computer, for which measurements made here hold.

use std::fs;
use std::path::Path;

use earth_partition::Computer;
use sysinfo::{CpuRefreshKind, System};

/// The facts of this computer.
pub fn here() -> Computer {
    Computer {
        architecture: std::env::consts::ARCH.to_owned(),
        processor: processor(),
        cores: System::physical_core_count().ok(),
        usable_cores: usable_cores(),
        caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        family: std::env::consts::OS.to_owned(),
        system: system(),
    }
}

/// The name that the processor gives itself.
pub fn processor() -> Option<String> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    let brand = system.cpus().first()?.brand().trim().to_owned();
    (!brand.is_empty()).then_some(brand)
}

/// The operating system, with its version.
pub fn system() -> Option<String> {
    System::kernel_long_version().ok()
}

/// Logical cores that this process may use, 1 if nobody knows.
pub fn usable_cores() -> usize {
    earth::Machine::usable_cores()
}

/// The caches that a directory of Linux describes, lowest level first; none where there is no such directory.
fn caches(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut caches: Vec<String> = entries
        .filter_map(|entry| {
            let read = |name: &str| Some(fs::read_to_string(entry.path().join(name)).ok()?.trim().to_owned());
            Some(format!("L{} {} {}", read("level")?, read("type")?.to_lowercase(), read("size")?))
        })
        .collect();
    caches.sort();
    caches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_computer_is_like_itself() {
        let found = here();
        assert!(found.usable_cores >= 1 && !found.architecture.is_empty());
        assert_eq!(found.check(&here()), Ok(()));
    }

    #[test]
    fn caches_are_read_lowest_level_first() {
        let directory = tempfile::tempdir().unwrap();
        let describe = |index: &str, facts: &[(&str, &str)]| {
            let path = directory.path().join(index);
            fs::create_dir(&path).unwrap();
            for (name, value) in facts {
                fs::write(path.join(name), format!("{value}\n")).unwrap();
            }
        };
        // In no order, however a file system lists its entries.
        describe("index1", &[("level", "2"), ("type", "Unified"), ("size", "512K")]);
        describe("index2", &[("level", "1"), ("type", "Data"), ("size", "32K")]);
        describe("index0", &[("level", "3"), ("type", "Unified"), ("size", "8M")]);
        describe("index3", &[("level", "4")]);
        fs::write(directory.path().join("uevent"), "").unwrap();
        assert_eq!(caches(directory.path()), ["L1 data 32K", "L2 unified 512K", "L3 unified 8M"]);
        assert_eq!(caches(&directory.path().join("missing")), [""; 0]);
    }
}
