//! Options of heFFTe's plans.

use std::ffi::c_int;
use std::fmt;

/// How heFFTe transforms and exchanges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Points of a one-dimensional transform are contiguous, since exchanges reorder them. Otherwise, they
    /// have gaps.
    pub contiguous: bool,
    /// Calls of MPI that exchange points.
    pub exchange: Exchange,
    /// Pencils between two exchanges, if the boxes do not decide it. Otherwise, slabs.
    pub pencils: bool,
}

/// Calls of MPI that exchange points. heFFTe's C interface has no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// `MPI_Alltoallv`.
    AllToAll,
    /// Messages between two ranks. Packing, sending and unpacking overlap.
    Pipelined,
    /// Messages between two ranks.
    Messages,
}

/// `heffte_plan_options`, which `heffte_c_defines.h` declares.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Raw {
    use_reorder: c_int,
    algorithm: c_int,
    use_pencils: c_int,
    use_gpu_aware: c_int,
}

impl Choice {
    /// Returns all choices.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let exchanges = [Exchange::AllToAll, Exchange::Pipelined, Exchange::Messages];
        let contiguous = exchanges.into_iter().flat_map(|exchange| [(exchange, true), (exchange, false)]);
        contiguous.flat_map(|(exchange, contiguous)| {
            [true, false].map(|pencils| Self { contiguous, exchange, pencils })
        })
    }

    /// Returns the choice as the C interface has it.
    pub(crate) fn raw(self) -> Raw {
        let algorithm = match self.exchange {
            Exchange::AllToAll => 0,
            Exchange::Pipelined => 1,
            Exchange::Messages => 2,
        };
        let [use_reorder, use_pencils] = [self.contiguous, self.pencils].map(c_int::from);
        Raw { use_reorder, algorithm, use_pencils, use_gpu_aware: 0 }
    }

    /// Returns the choice that the C interface has filled in.
    pub(crate) fn of(raw: Raw) -> Self {
        let exchange = match raw.algorithm {
            1 => Exchange::Pipelined,
            2 => Exchange::Messages,
            _ => Exchange::AllToAll,
        };
        Self { contiguous: raw.use_reorder != 0, exchange, pencils: raw.use_pencils != 0 }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.contiguous { "contiguous" } else { "strided" };
        let exchange = match self.exchange {
            Exchange::AllToAll => "alltoallv",
            Exchange::Pipelined => "p2p_plined",
            Exchange::Messages => "p2p",
        };
        let shape = if self.pencils { "pencils" } else { "slabs" };
        write!(f, "{rows}, {exchange}, {shape}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twelve_choices_differ_and_pass_through_the_interface() {
        let all: Vec<_> = Choice::all().collect();
        assert_eq!(all.len(), 12);
        for (at, &choice) in all.iter().enumerate() {
            assert!(!all[..at].contains(&choice), "{choice} twice");
            assert_eq!(Choice::of(choice.raw()), choice);
        }
        let first = Raw { use_reorder: 1, algorithm: 0, use_pencils: 1, use_gpu_aware: 0 };
        assert_eq!((all[0].raw(), all[0].to_string()), (first, "contiguous, alltoallv, pencils".to_owned()));
    }
}
