//! The kind of a problem as a type, so that a plan for points cannot be made of a problem of real numbers.

use std::fmt::Debug;
use std::hash::Hash;

use earth::{Block, Element};
use earth_kernels::Real;
use num_complex::Complex;

use super::data::{Data, as_numbers};
use super::elements::Elements;
use crate::dataflow::Done;

/// Element types of a [`Problem`](crate::Problem)'s input and output. There are three kinds.
pub trait Kind: Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// Element of the input in the precision `T`: a complex point or a real number.
    type Input<T: Real>: Element;
    /// Element of the output.
    type Output<T: Real>: Element;
}

/// Complex points into complex points, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToComplex {}

/// Real numbers into the first half of their spectrum: `n/2 + 1` points of a last dimension of `n` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealToComplex {}

/// The first half of a spectrum into its real numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToReal {}

impl Kind for ComplexToComplex {
    type Input<T: Real> = Complex<T>;
    type Output<T: Real> = Complex<T>;
}

impl Kind for RealToComplex {
    type Input<T: Real> = T;
    type Output<T: Real> = Complex<T>;
}

impl Kind for ComplexToReal {
    type Input<T: Real> = Complex<T>;
    type Output<T: Real> = T;
}

/// Kind of a problem as a value, with its arrays. Only this crate defines kinds.
pub trait Sealed {
    /// The kind as a value.
    const ELEMENTS: Elements;

    /// Returns the input of a run.
    fn data<T: Real>(input: Vec<Self::Input<T>>) -> Data<T>
    where
        Self: Kind;

    /// Returns the output of a run.
    fn output<T: Real>(done: Done<T>) -> Block<Self::Output<T>>
    where
        Self: Kind;
}

impl Sealed for ComplexToComplex {
    const ELEMENTS: Elements = Elements::ComplexToComplex;

    fn data<T: Real>(input: Vec<Complex<T>>) -> Data<T> {
        Data::Points(input)
    }

    fn output<T: Real>(done: Done<T>) -> Block<Complex<T>> {
        done.spectrum
    }
}

impl Sealed for RealToComplex {
    const ELEMENTS: Elements = Elements::RealToComplex;

    fn data<T: Real>(input: Vec<T>) -> Data<T> {
        Data::Numbers(input)
    }

    fn output<T: Real>(done: Done<T>) -> Block<Complex<T>> {
        done.spectrum
    }
}

impl Sealed for ComplexToReal {
    const ELEMENTS: Elements = Elements::ComplexToReal;

    fn data<T: Real>(input: Vec<Complex<T>>) -> Data<T> {
        Data::Points(input)
    }

    fn output<T: Real>(done: Done<T>) -> Block<T> {
        // The numbers fit in the memory of the points: each point has room for two.
        done.numbers.unwrap_or_else(|| as_numbers(done.spectrum).unwrap_or_else(|error| panic!("{error}")))
    }
}
