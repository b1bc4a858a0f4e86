//! Functions of this crate in both precisions, compiled here.
//!
//! A generic function is compiled again in every crate that calls it, together with all kernels. The
//! functions of `Both` are not generic, and other crates get the kernels from there. So all kernels are
//! compiled once, with the optimization of this crate.

use std::sync::Arc;

use earth_kernels::{
    Circle, ColumnKernel, MirrorKernel, PerPrecision, Real, RealKernel, RowKernel, TransposingKernel,
};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::counting::operations::Operations;
use crate::counting::peak::{Peak, peak};
use crate::counting::whole::{self, Along};
use crate::isa::{Isa, Lane};
use crate::kinds::matrix::MatrixColumns;
use crate::kinds::mirror::Mirror;
use crate::kinds::real::RealRow;
use crate::kinds::rows::Rows;
use crate::kinds::turned::TransposingRows;
use crate::tables::roots;

/// Function that plans a kernel of a length.
type Plan<K> = fn(Isa, usize) -> Option<Arc<K>>;

/// Function that plans a kernel of a length and a number of rows.
type PlanMatrix<K> = fn(Isa, usize, usize) -> Option<Arc<K>>;

/// Functions of a precision.
pub(crate) struct Compiled<T: Real> {
    pub(crate) rows: Plan<dyn RowKernel<T>>,
    pub(crate) split_rows: Plan<dyn RowKernel<T>>,
    pub(crate) columns: Plan<dyn ColumnKernel<T>>,
    pub(crate) turned: PlanMatrix<dyn TransposingKernel<T>>,
    pub(crate) real: Plan<dyn RealKernel<T>>,
    pub(crate) mirror: Plan<dyn MirrorKernel<T>>,
    pub(crate) arc: fn(Isa, usize, usize) -> Vec<Complex<T>>,
    pub(crate) products: fn(Isa) -> Products<T>,
    pub(crate) peak: fn(Isa, u32) -> Peak,
    pub(crate) operations: fn(Isa, Along, usize, usize) -> Option<Operations>,
}

/// Functions of both precisions.
struct Both;

impl PerPrecision for Both {
    type Of<T: Real> = &'static Compiled<T>;

    // If inlined, it would be compiled in other crates, with all kernels that it names.
    #[inline(never)]
    fn single() -> &'static Compiled<f32> {
        const { &Compiled::ALL }
    }

    #[inline(never)]
    fn double() -> &'static Compiled<f64> {
        const { &Compiled::ALL }
    }
}

impl<T: Lane> Compiled<T> {
    const ALL: Self = Self {
        rows: |isa, len| Some(Arc::new(Rows::plan(isa, len)?)),
        split_rows: |isa, len| Some(Arc::new(Rows::plan_split(isa, len)?)),
        columns: |isa, len| Some(Arc::new(MatrixColumns::plan(isa, len)?)),
        turned: |isa, len, rows| Some(Arc::new(TransposingRows::plan(isa, len, rows)?)),
        real: |isa, len| Some(Arc::new(RealRow::plan(isa, len)?)),
        mirror: |isa, len| Some(Arc::new(Mirror::plan(isa, len)?)),
        arc: roots::arc,
        products: Products::new,
        peak: peak::<T>,
        operations: whole::of::<T>,
    };
}

/// Returns the functions of the precision `T`.
pub(crate) fn compiled<T: Real>() -> &'static Compiled<T> {
    T::choose::<Both>()
}

/// Returns all roots of unity of order `n`.
pub(crate) fn circle<T: Real>(isa: Isa, n: usize) -> Circle<T> {
    Circle::new(n, |n, count| (compiled::<T>().arc)(isa, n, count))
}
