//! Instruction sets, and the only entry into code that is compiled for one of them.
//!
//! A [`Piece`] is a loop of a kernel, generic over the vector. [`Isa::entry`] returns it as a function that
//! is compiled for an instruction set. All code in it is inlined, so that the compiler may use these
//! instructions everywhere. A plan holds such functions, so the choice is made once, when the plan is made.
//!
//! The environment variable `EARTH_ISA` names another set than the widest one. So kernels for other computers
//! can be tested and measured.

use std::ffi::OsStr;
use std::sync::OnceLock;

use earth_kernels::Real;

use crate::vector::{Array, Vector};
#[cfg(target_arch = "x86_64")]
use crate::vector::{F32x8, F32x16, F64x4, F64x8};

/// Vector instruction set of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Isa(Set);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Vectors of AVX2 with the 32 registers of AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512Vl,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

/// Value of the environment variable `EARTH_ISA` that names no instruction set of this machine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the environment variable EARTH_ISA must be {known}, not `{0}`", known = names())]
pub struct IsaError(String);

/// Returns the names of all instruction sets of this machine, for people.
fn names() -> String {
    Isa::all().iter().map(|isa| format!("`{}`", isa.name())).collect::<Vec<_>>().join(" or ")
}

impl Isa {
    /// Returns all instruction sets of this machine, the widest first. The last one exists on every machine.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                all.push(Self(Set::Avx512));
                if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("fma") {
                    all.push(Self(Set::Avx512Vl));
                }
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Self(Set::Avx2));
            }
        }
        all.push(Self(Set::Portable));
        all
    }

    /// Returns the instruction set that `EARTH_ISA` names, or the widest one if the variable is not set. The
    /// variable is read once in a process.
    ///
    /// # Errors
    ///
    /// A name that is no instruction set of this machine.
    pub fn chosen() -> Result<Self, IsaError> {
        static CHOSEN: OnceLock<Result<Isa, IsaError>> = OnceLock::new();
        CHOSEN.get_or_init(|| Self::named(std::env::var_os("EARTH_ISA").as_deref())).clone()
    }

    /// Returns the [chosen](Self::chosen) instruction set. An invalid name counts as none.
    pub fn best() -> Self {
        Self::chosen().unwrap_or_else(|_| Self::all()[0])
    }

    fn named(name: Option<&OsStr>) -> Result<Self, IsaError> {
        let all = Self::all();
        let Some(name) = name else { return Ok(all[0]) };
        let found = all.iter().find(|isa| name == isa.name()).copied();
        found.ok_or_else(|| IsaError(name.to_string_lossy().into_owned()))
    }

    /// Returns this instruction set and the narrower ones that have `mul_add`, the widest first.
    pub(crate) fn narrower(self) -> Vec<Self> {
        let all = Self::all();
        let from = all.iter().position(|isa| *isa == self).expect("a set that this machine has");
        let but_portable = if self.0 == Set::Portable { all.len() } else { all.len() - 1 };
        all[from..but_portable].to_vec()
    }

    /// Returns the sets of [`narrower`](Self::narrower) that rows use.
    ///
    /// In single precision, half vectors of AVX-512 with the same number of registers beat full vectors.
    /// Across sixteen lanes, full vectors need a butterfly of radix 16, which does not fit into registers,
    /// and one more level of the transposition. With half vectors, rows of 64 to 16,384 points ran at 1.0 to
    /// 2.8 times the rate (measured where an instruction on 512 bits takes as long as two on 256 bits).
    pub(crate) fn for_rows<T: Lane>(self) -> Vec<Self> {
        let mut all = self.narrower();
        if size_of::<T>() == 4 && all.get(1).is_some_and(|isa| isa.name() == "avx512vl") {
            all.remove(0);
        }
        all
    }

    /// Returns the name for messages and tables.
    pub fn name(self) -> &'static str {
        &self.kernel()["earth-".len()..]
    }

    /// Returns the name of a kernel with these instructions.
    pub(crate) fn kernel(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "earth-avx512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl => "earth-avx512vl",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "earth-avx2",
            Set::Portable => "earth-portable",
        }
    }

    /// Returns the number of lanes of its vectors.
    pub(crate) fn lanes<T: Lane>(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => T::Avx512::LANES,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl | Set::Avx2 => T::Avx2::LANES,
            Set::Portable => T::Portable::LANES,
        }
    }

    /// Returns the point of each lane ([`Vector::order`]).
    pub(crate) fn order<T: Lane>(self) -> Vec<usize> {
        let order = match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => T::Avx512::order,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl | Set::Avx2 => T::Avx2::order,
            Set::Portable => T::Portable::order,
        };
        (0..self.lanes::<T>()).map(order).collect()
    }

    /// Returns a piece for pairs of both parts of points, compiled for these instructions. It is compiled for
    /// fewer sets than other pieces. In double precision, half vectors of AVX-512 would save no time compared
    /// with AVX2. In single precision, rows do not use full vectors.
    ///
    /// # Panics
    ///
    /// If the set is none of these, as [`for_pairs`](Self::for_pairs) returns them.
    pub(crate) fn entry_of_pairs<P: Piece>(self) -> Entry<P::Job> {
        if const { size_of::<P::Real>() == size_of::<f64>() } {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => return Entry(P::in_avx512),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => return Entry(P::in_avx2),
                _ => {}
            }
        } else {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512Vl => return Entry(P::in_avx512vl),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => return Entry(P::in_avx2),
                _ => {}
            }
        }
        unreachable!("{} has no pairs in {}", self.name(), P::Real::NAME)
    }

    /// Returns the widest set up to this one whose pieces for pairs are compiled, for numbers of this number
    /// of bytes.
    pub(crate) fn for_pairs(self, bytes: usize) -> Option<Self> {
        let is_compiled = |isa: &Self| match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => bytes == size_of::<f64>(),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl => bytes == size_of::<f32>(),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => true,
            Set::Portable => false,
        };
        self.narrower().into_iter().find(is_compiled)
    }

    /// Returns a piece, compiled for these instructions.
    pub(crate) fn entry<P: Piece>(self) -> Entry<P::Job> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => Entry(P::in_avx512),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl => Entry(P::in_avx512vl),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => Entry(P::in_avx2),
            Set::Portable => Entry(P::anywhere),
        }
    }
}

/// Precision, with its vectors in each instruction set.
pub(crate) trait Lane: Real {
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Real = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Real = Self>;
    type Portable: Vector<Real = Self>;
}

impl Lane for f32 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = F32x16;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = F32x8;
    type Portable = Array<Self, 4>;
}

impl Lane for f64 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = F64x8;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = F64x4;
    type Portable = Array<Self, 2>;
}

/// Loop of a kernel.
pub(crate) trait Piece {
    /// Precision.
    type Real: Lane;
    /// Arguments of the loop.
    type Job;

    /// Runs the loop. The implementation and all its vector code have to be inlined.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of `V`, and the job is valid by the documentation of its type.
    unsafe fn run<V: Vector<Real = Self::Real>>(job: &Self::Job);
}

/// Piece, compiled for an instruction set of this machine.
pub(crate) struct Entry<J>(unsafe fn(&J));

impl<J> Entry<J> {
    /// Runs the piece.
    ///
    /// # Safety
    ///
    /// The job is valid by the documentation of its type.
    pub(crate) unsafe fn run(&self, job: &J) {
        // SAFETY: the caller guarantees a valid job. An `Isa` exists only if the machine has its
        // instructions.
        unsafe { (self.0)(job) }
    }
}

/// Piece in each instruction set.
///
/// The compiler assigns methods of an implementation to the module of the type. So pieces are compiled in
/// parallel. As functions of this module, they would be compiled one after another.
trait InEachSet: Piece {
    /// # Safety
    ///
    /// As for [`Piece::run`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn in_avx512(job: &Self::Job);

    /// # Safety
    ///
    /// As for [`Piece::run`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn in_avx512vl(job: &Self::Job);

    /// # Safety
    ///
    /// As for [`Piece::run`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn in_avx2(job: &Self::Job);

    /// # Safety
    ///
    /// As for [`Piece::run`].
    unsafe fn anywhere(job: &Self::Job);
}

impl<P: Piece> InEachSet for P {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn in_avx512(job: &P::Job) {
        // SAFETY: the caller guarantees this.
        unsafe { P::run::<<P::Real as Lane>::Avx512>(job) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
    unsafe fn in_avx512vl(job: &P::Job) {
        // SAFETY: the caller guarantees this.
        unsafe { P::run::<<P::Real as Lane>::Avx2>(job) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn in_avx2(job: &P::Job) {
        // SAFETY: the caller guarantees this.
        unsafe { P::run::<<P::Real as Lane>::Avx2>(job) }
    }

    unsafe fn anywhere(job: &P::Job) {
        // SAFETY: the caller guarantees this.
        unsafe { P::run::<<P::Real as Lane>::Portable>(job) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_a_name() {
        assert_eq!(Isa::named(None), Ok(Isa::all()[0]));
        for isa in Isa::all() {
            assert_eq!(Isa::named(Some(OsStr::new(isa.name()))), Ok(isa));
        }
        for name in ["", "sse9", "AVX2"] {
            let error = Isa::named(Some(OsStr::new(name))).unwrap_err().to_string();
            assert!(error.contains("`portable`") && error.ends_with(&format!("not `{name}`")), "{error}");
        }
    }
}
