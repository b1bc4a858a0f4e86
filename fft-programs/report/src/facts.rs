//! Facts of this computer that a run depends on: for `info`, and for reports of measurements.

use std::borrow::Cow;

use earth_fft::computer;
pub use earth_fft::computer::usable_cores;
use serde::{Deserialize, Serialize};
use sysinfo::System;

/// Facts of a computer. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Version of this program.
    pub version: Cow<'static, str>,
    /// Instruction set, for example `x86_64`.
    pub architecture: Cow<'static, str>,
    /// Name that the processor reports.
    pub processor: Option<String>,
    /// Operating system and its version.
    pub system: Option<String>,
    /// Total memory, used or not, in bytes.
    pub memory: Option<u64>,
    /// Number of cores that this process may use: by its affinity mask, and by the CPU quota of its control
    /// group.
    pub usable_cores: usize,
    /// Vector instruction sets of the processor, limited to sets that a kernel could use.
    pub simd: Vec<Cow<'static, str>>,
    /// Row kernel that is always available.
    pub row_kernel: Cow<'static, str>,
    /// Vector instructions of that row kernel.
    pub row_kernel_simd: Cow<'static, str>,
}

impl Facts {
    /// Finds the facts of this computer.
    pub fn found() -> Self {
        let system = System::new().ok().map(|mut system| {
            system.refresh_memory();
            system
        });
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            architecture: std::env::consts::ARCH.into(),
            processor: computer::processor(),
            system: computer::system(),
            memory: system.as_ref().map(System::total_memory).filter(|&bytes| bytes > 0),
            usable_cores: usable_cores(),
            simd: simd().into_iter().map(Cow::Borrowed).collect(),
            row_kernel: "earth".into(),
            row_kernel_simd: earth_fft::kernel::own_simd().into(),
        }
    }

    /// Returns name and value of each fact, for people.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let unknown = || "unknown".to_owned();
        let simd = if self.simd.is_empty() { "none known".to_owned() } else { self.simd.join(" ") };
        let memory =
            self.memory.map_or_else(unknown, |bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
        vec![
            ("version", self.version.to_string()),
            ("architecture", self.architecture.to_string()),
            ("processor", self.processor.clone().unwrap_or_else(unknown)),
            ("system", self.system.clone().unwrap_or_else(unknown)),
            ("memory", memory),
            ("usable cores", format!("{} (affinity mask and CPU quota)", self.usable_cores)),
            ("vector instructions", simd),
            ("row kernel", format!("{} ({})", self.row_kernel, self.row_kernel_simd)),
        ]
    }
}

#[cfg(target_arch = "x86_64")]
fn simd() -> Vec<&'static str> {
    let sets = [
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("avx", is_x86_feature_detected!("avx")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    sets.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn simd() -> Vec<&'static str> {
    if std::arch::is_aarch64_feature_detected!("neon") { vec!["neon"] } else { Vec::new() }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn simd() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_has_cores_and_every_fact_has_a_name() {
        let facts = Facts::found();
        assert!(facts.usable_cores >= 1);
        let named = facts.named();
        let as_json = serde_json::to_value(&facts).unwrap();
        // The kernel and its instructions are one fact for people.
        assert_eq!(named.len() + 1, as_json.as_object().unwrap().len());
        assert!(named.iter().all(|(_, value)| !value.is_empty()), "{named:?}");
    }
}
