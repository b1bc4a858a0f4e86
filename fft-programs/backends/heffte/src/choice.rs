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
    /// Order of a rank's points of the spectrum.
    pub order: OutputOrder,
}

/// Order of a rank's points of the spectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputOrder {
    /// Row-major order of the array's dimensions.
    RowMajor,
    /// The second dimension is the slowest, then the first one follows. FFTW-MPI has this transposed order.
    Exchanged,
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

impl OutputOrder {
    /// Returns heFFTe's axes of an array with this number of dimensions, the fastest axis first.
    pub(crate) fn axes(self, dimensions: usize) -> [c_int; 3] {
        match (self, dimensions) {
            (Self::RowMajor, _) => [0, 1, 2],
            (Self::Exchanged, 2) => [1, 0, 2],
            (Self::Exchanged, _) => [0, 2, 1],
        }
    }
}

impl Choice {
    /// Returns all sound choices with these orders.
    pub(crate) fn all(orders: &[OutputOrder]) -> impl Iterator<Item = Self> {
        let exchanges = [Exchange::AllToAll, Exchange::Pipelined, Exchange::Messages];
        let with_order = orders.iter().flat_map(move |&order| exchanges.map(|exchange| (order, exchange)));
        let all = with_order.flat_map(|(order, exchange)| {
            let shapes = [(true, true), (true, false), (false, true), (false, false)];
            shapes.map(|(contiguous, pencils)| Self { contiguous, exchange, pencils, order })
        });
        all.filter(|choice| choice.is_sound())
    }

    /// Whether heFFTe stays inside of the boxes.
    ///
    /// heFFTe 2.4.1 writes past a box of another order than row-major if it transforms several of its axes at
    /// once. It transforms several axes at once only where points are strided.
    pub(crate) fn is_sound(self) -> bool {
        self.contiguous || self.order == OutputOrder::RowMajor
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

    /// Returns the choice that the C interface has filled in, with a spectrum in row-major order.
    pub(crate) fn of(raw: Raw) -> Self {
        let exchange = match raw.algorithm {
            1 => Exchange::Pipelined,
            2 => Exchange::Messages,
            _ => Exchange::AllToAll,
        };
        let [contiguous, pencils] = [raw.use_reorder, raw.use_pencils].map(|is_set| is_set != 0);
        Self { contiguous, exchange, pencils, order: OutputOrder::RowMajor }
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
        write!(f, "{rows}, {exchange}, {shape}")?;
        if self.order == OutputOrder::Exchanged { f.write_str(", exchanged") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twelve_choices_differ_and_pass_through_the_interface() {
        let all: Vec<_> = Choice::all(&[OutputOrder::RowMajor]).collect();
        assert_eq!(all.len(), 12);
        for (at, &choice) in all.iter().enumerate() {
            assert!(!all[..at].contains(&choice), "{choice} twice");
            assert_eq!(Choice::of(choice.raw()), choice);
        }
        let first = Raw { use_reorder: 1, algorithm: 0, use_pencils: 1, use_gpu_aware: 0 };
        assert_eq!((all[0].raw(), all[0].to_string()), (first, "contiguous, alltoallv, pencils".to_owned()));
    }

    #[test]
    fn the_exchanged_order_has_contiguous_choices_and_its_own_axes() {
        let all: Vec<_> = Choice::all(&[OutputOrder::RowMajor, OutputOrder::Exchanged]).collect();
        assert_eq!(all.len(), 18);
        assert_eq!(all[17].to_string(), "contiguous, p2p, slabs, exchanged");
        // heFFTe's axis 0 is the last dimension of the array.
        assert_eq!(OutputOrder::RowMajor.axes(3), [0, 1, 2]);
        assert_eq!([2, 3].map(|dimensions| OutputOrder::Exchanged.axes(dimensions)), [[1, 0, 2], [0, 2, 1]]);
    }
}
