//! The sets of vector instructions, and the one place where code that is compiled for one of them is entered.
//!
//! A [`Piece`] is a loop of a kernel, generic over the vector. [`Isa::entry`] gives it out as a function that is
//! compiled for a set of instructions; everything in it is in line, so that the compiler may use these instructions
//! in all of it. A plan holds such functions, so the choice is made once, when the plan is made.

use earth_kernels::Real;

use crate::vector::{Array, Vector};
#[cfg(target_arch = "x86_64")]
use crate::vector::{F32x8, F32x16, F64x4, F64x8};

/// A set of vector instructions that this machine has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Isa(Set);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2's vectors with the 32 registers of AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512Vl,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Isa {
    /// All that this machine has, the widest first; the last one is everywhere.
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

    /// The widest that this machine has.
    pub fn best() -> Self {
        Self::all()[0]
    }

    /// This one and those of narrower vectors that have `mul_add`, too, the widest first.
    pub(crate) fn narrower(self) -> Vec<Self> {
        let all = Self::all();
        let from = all.iter().position(|isa| *isa == self).expect("a set that this machine has");
        let but_portable = if self.0 == Set::Portable { all.len() } else { all.len() - 1 };
        all[from..but_portable].to_vec()
    }

    /// Those of [`narrower`](Self::narrower) that rows take. In single precision the widest vectors of AVX-512 lose to half of
    /// them with the same registers: across sixteen lanes there is a butterfly of 16, which does not fit into registers, and a
    /// level more to transpose. Rows of 64 to 16,384 points went at 1.0 to 2.8 times the rate by half of them (measured where an
    /// instruction on 512 bits takes as long as two on 256).
    pub(crate) fn for_rows<T: Lane>(self) -> Vec<Self> {
        let mut all = self.narrower();
        if size_of::<T>() == 4 && all.get(1).is_some_and(|isa| isa.name() == "avx512vl") {
            all.remove(0);
        }
        all
    }

    /// The name in messages and tables.
    pub fn name(self) -> &'static str {
        &self.kernel()["earth-".len()..]
    }

    /// The name of a kernel of these instructions.
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

    /// The lanes of its vectors.
    pub(crate) fn lanes<T: Lane>(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => T::Avx512::LANES,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl | Set::Avx2 => T::Avx2::LANES,
            Set::Portable => T::Portable::LANES,
        }
    }

    /// The point of each lane ([`Vector::order`]).
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

    /// A piece, compiled for these instructions.
    pub(crate) fn entry<P: Piece>(self) -> Entry<P::Job> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => Entry(in_avx512::<P>),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vl => Entry(in_avx512vl::<P>),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => Entry(in_avx2::<P>),
            Set::Portable => Entry(anywhere::<P>),
        }
    }
}

/// A precision, and its vectors in each set of instructions.
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

/// A loop of a kernel.
pub(crate) trait Piece {
    /// The precision.
    type Real: Lane;
    /// All that the loop has to know.
    type Job;

    /// Runs the loop. It has to be in line, and so has all that computes with vectors in it.
    ///
    /// # Safety
    ///
    /// The machine has the instructions of `V`, and the job is one that the piece says is valid.
    unsafe fn run<V: Vector<Real = Self::Real>>(job: &Self::Job);
}

/// A piece, compiled for a set of instructions that this machine has.
pub(crate) struct Entry<J>(unsafe fn(&J));

impl<J> Entry<J> {
    /// Runs the piece.
    ///
    /// # Safety
    ///
    /// The job is one that the piece says is valid.
    pub(crate) unsafe fn run(&self, job: &J) {
        // SAFETY: the caller's for the job; that the machine has the instructions was found out before there was an
        // `Isa` to make this of.
        unsafe { (self.0)(job) }
    }
}

/// # Safety
///
/// That of [`Piece::run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn in_avx512<P: Piece>(job: &P::Job) {
    // SAFETY: the caller's.
    unsafe { P::run::<<P::Real as Lane>::Avx512>(job) }
}

/// # Safety
///
/// That of [`Piece::run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
unsafe fn in_avx512vl<P: Piece>(job: &P::Job) {
    // SAFETY: the caller's.
    unsafe { P::run::<<P::Real as Lane>::Avx2>(job) }
}

/// # Safety
///
/// That of [`Piece::run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn in_avx2<P: Piece>(job: &P::Job) {
    // SAFETY: the caller's.
    unsafe { P::run::<<P::Real as Lane>::Avx2>(job) }
}

/// # Safety
///
/// That of [`Piece::run`].
unsafe fn anywhere<P: Piece>(job: &P::Job) {
    // SAFETY: the caller's.
    unsafe { P::run::<<P::Real as Lane>::Portable>(job) }
}
