//! `--isa`: an instruction set that no contestant exceeds.
//!
//! Two libraries read a variable when they are loaded. So the program starts itself again with both
//! variables:
//!
//! | variable | limits |
//! |---|---|
//! | `EARTH_ISA` | this project's kernels |
//! | `MKL_ENABLE_INSTRUCTIONS` | MKL, to SSE4.2 at least |
//!
//! FFTW has no variable, and chooses among the instructions of its build while it plans. A version of FFTW
//! names them, so a build with wider instructions [takes no part](Instructions::exceeded_by).

use std::env;
use std::process::Command;

use clap::ValueEnum;
use earth_console::Failure;

/// Instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Instructions {
    /// AVX-512
    Avx512,
    /// AVX2 with FMA
    Avx2,
    /// No vector instructions; SSE4.2 for MKL
    Portable,
}

impl Instructions {
    /// Returns the variables that limit this project and MKL.
    fn variables(self) -> [(&'static str, &'static str); 2] {
        let (own, mkl) = match self {
            Self::Avx512 => ("avx512", "AVX512"),
            Self::Avx2 => ("avx2", "AVX2"),
            Self::Portable => ("portable", "SSE4_2"),
        };
        [("EARTH_ISA", own), ("MKL_ENABLE_INSTRUCTIONS", mkl)]
    }

    /// Returns at once if the variables are set. Otherwise starts this program again with them. The new
    /// process takes the place of this one.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub(crate) fn limit(self) -> Result<(), Failure> {
        let variables = self.variables();
        if variables.iter().all(|(name, value)| env::var_os(name).is_some_and(|given| given == *value)) {
            return Ok(());
        }
        let program = env::current_exe().map_err(Failure::work)?;
        let mut again = Command::new(program);
        again.args(env::args_os().skip(1)).envs(variables);
        replace(again).map_err(Failure::work)
    }

    /// Returns the instructions of a library that exceed this set, by the library's version, such as
    /// `fftw-3.3.10-sse2-avx2`.
    pub(crate) fn exceeded_by(self, version: &str) -> Option<&str> {
        let exceeds = |word: &&str| match self {
            Self::Avx512 => false,
            Self::Avx2 => word.starts_with("avx512"),
            Self::Portable => ["sse", "avx", "neon"].iter().any(|set| word.starts_with(set)),
        };
        version.split('-').filter(|_| version.starts_with("fftw")).find(exceeds)
    }
}

#[cfg(unix)]
fn replace(mut program: Command) -> std::io::Result<()> {
    use std::os::unix::process::CommandExt;

    Err(program.exec())
}

#[cfg(not(unix))]
fn replace(mut program: Command) -> std::io::Result<()> {
    std::process::exit(program.status()?.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_of_fftw_names_its_instructions() {
        let wide = "fftw-3.3.10-sse2-avx-avx2-avx2_128-avx512";
        let exceeds = |set: Instructions, version| set.exceeded_by(version);
        assert_eq!(exceeds(Instructions::Avx512, wide), None);
        assert_eq!(exceeds(Instructions::Avx2, wide), Some("avx512"));
        assert_eq!(exceeds(Instructions::Avx2, "fftw-3.3.10-sse2-avx-avx2-avx2_128"), None);
        assert_eq!(exceeds(Instructions::Portable, "fftw-3.3.10-sse2"), Some("sse2"));
        assert_eq!(exceeds(Instructions::Portable, "fftw-3.3.10"), None);
        let mkl = "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915";
        assert_eq!(exceeds(Instructions::Portable, mkl), None);
    }
}
