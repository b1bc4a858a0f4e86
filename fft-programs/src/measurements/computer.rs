//! The facts of a computer that measurements depend on.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, System};

/// Facts that decide how fast programs are on a computer. The field names are the names in files. An unknown
/// fact is `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Computer {
    /// Instruction set, for example `x86_64`.
    pub architecture: String,
    /// Name of the processor by its own identification.
    pub processor: Option<String>,
    /// Number of physical cores, with the cores that this process may not use.
    pub cores: Option<usize>,
    /// Number of logical cores that this process may use, by its affinity mask and the CPU quota of its
    /// control group.
    pub usable_cores: usize,
    /// Caches of the first core, for example `L2 unified 512K`. Known on Linux.
    pub caches: Vec<String>,
    /// Family of the operating system, for example `linux`.
    pub family: String,
    /// Operating system, with its version.
    pub system: Option<String>,
}

/// Difference between two computers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was measured on another computer: {fact} was {there} there and is {here} here")]
pub struct OtherComputer {
    /// The fact that differs.
    pub fact: &'static str,
    /// The value on the computer of the measurements.
    pub there: String,
    /// The value on this computer.
    pub here: String,
}

impl Computer {
    /// Checks that measurements on this computer hold on another computer. A different version of the
    /// operating system is accepted, and so is a fact that is unknown on either computer.
    ///
    /// # Errors
    ///
    /// The first fact that differs.
    pub fn check(&self, here: &Self) -> Result<(), OtherComputer> {
        let known = |text: &Option<String>| text.clone().unwrap_or_default();
        let number = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
        let facts = |computer: &Self| {
            [
                ("the architecture", computer.architecture.clone()),
                ("the processor", known(&computer.processor)),
                ("the number of cores", number(computer.cores)),
                ("the number of usable cores", computer.usable_cores.to_string()),
                ("the set of caches", computer.caches.join(", ")),
                ("the operating system", computer.family.clone()),
            ]
        };
        let differs = |(there, here): &((&str, String), (&str, String))| {
            there.1 != here.1 && !there.1.is_empty() && !here.1.is_empty()
        };
        match facts(self).into_iter().zip(facts(here)).find(differs) {
            Some(((fact, there), (_, here))) => Err(OtherComputer { fact, there, here }),
            None => Ok(()),
        }
    }
}

/// Returns the facts of this computer.
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

/// Returns the name of the processor by its own identification.
pub fn processor() -> Option<String> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    let brand = system.cpus().first()?.brand().trim().to_owned();
    (!brand.is_empty()).then_some(brand)
}

/// Returns the operating system, with its version.
pub fn system() -> Option<String> {
    System::kernel_long_version().ok()
}

/// Returns the number of logical cores that this process may use, or 1 if it is unknown.
pub fn usable_cores() -> usize {
    earth::Machine::usable_cores()
}

/// Returns the caches that a directory of Linux describes, the lowest level first. Empty without such a
/// directory.
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
        // File systems list entries in any order.
        describe("index1", &[("level", "2"), ("type", "Unified"), ("size", "512K")]);
        describe("index2", &[("level", "1"), ("type", "Data"), ("size", "32K")]);
        describe("index0", &[("level", "3"), ("type", "Unified"), ("size", "8M")]);
        describe("index3", &[("level", "4")]);
        fs::write(directory.path().join("uevent"), "").unwrap();
        assert_eq!(caches(directory.path()), ["L1 data 32K", "L2 unified 512K", "L3 unified 8M"]);
        assert_eq!(caches(&directory.path().join("missing")), [""; 0]);
    }

    #[test]
    fn differences_are_reported() {
        let here = Computer {
            architecture: "x86_64".to_owned(),
            processor: Some("A".to_owned()),
            cores: Some(4),
            usable_cores: 8,
            caches: vec!["L1 data 32K".to_owned(), "L2 unified 1M".to_owned()],
            family: "linux".to_owned(),
            system: Some("Linux 6".to_owned()),
        };
        let fact = |there: Computer| there.check(&here).err().map(|differs| differs.fact);
        assert_eq!(
            fact(Computer { architecture: "aarch64".to_owned(), ..here.clone() }),
            Some("the architecture")
        );
        assert_eq!(fact(Computer { processor: Some("B".to_owned()), ..here.clone() }), Some("the processor"));
        assert_eq!(fact(Computer { cores: Some(2), ..here.clone() }), Some("the number of cores"));
        assert_eq!(fact(Computer { usable_cores: 4, ..here.clone() }), Some("the number of usable cores"));
        let caches = vec!["L1 data 32K".to_owned()];
        assert_eq!(fact(Computer { caches, ..here.clone() }), Some("the set of caches"));
        assert_eq!(
            fact(Computer { family: "macos".to_owned(), ..here.clone() }),
            Some("the operating system")
        );
        assert_eq!(fact(Computer { system: Some("Linux 7".to_owned()), ..here.clone() }), None);
        let unknown =
            Computer { processor: None, cores: None, caches: Vec::new(), system: None, ..here.clone() };
        assert_eq!((fact(unknown.clone()), here.check(&unknown)), (None, Ok(())));
        let differs = Computer { cores: Some(2), ..here.clone() }.check(&here).unwrap_err();
        assert_eq!(
            differs.to_string(),
            "it was measured on another computer: the number of cores was 2 there and is 4 here"
        );
    }
}
