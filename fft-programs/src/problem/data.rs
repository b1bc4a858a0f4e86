//! The arrays of a run: blocks made of an input, or phantoms of one.

use bytemuck::Pod;
use bytemuck::allocation::try_cast_vec;
use earth::{Block, Element, ShapeError};
use earth_kernels::Real;
use earth_memory::{NoMemory, try_collected};
use num_complex::Complex;

use super::elements::Elements;
use crate::plan::TransformError;

/// The input of a run, without gaps.
#[derive(Debug)]
pub enum Data<T: Real> {
    /// Complex points.
    Points(Vec<Complex<T>>),
    /// Real numbers.
    Numbers(Vec<T>),
}

impl<T: Real> Data<T> {
    fn into_points(self) -> Vec<Complex<T>> {
        let Self::Points(points) = self else { unreachable!("the problem is of points") };
        points
    }

    fn into_numbers(self) -> Vec<T> {
        let Self::Numbers(numbers) = self else { unreachable!("the problem is of real numbers") };
        numbers
    }
}

/// Complex points, and real numbers if a problem has them in an array of their own.
pub(crate) type Arrays<T> = (Block<Complex<T>>, Option<Block<T>>);

impl Elements {
    /// The arrays of a run, of `[rows, columns]` of points and of real numbers: the input, or a phantom, and room for the
    /// output. Without `numbers` the real numbers are the parts of the points, in the same memory.
    ///
    /// # Errors
    ///
    /// An input of another number of elements, sides that no block has, or memory that is short.
    pub(crate) fn arrays<T: Real>(
        self,
        input: Option<Data<T>>,
        points: [usize; 2],
        numbers: Option<[usize; 2]>,
    ) -> Result<Arrays<T>, TransformError> {
        match self {
            Self::RealToComplex => {
                let input = input.map(Data::into_numbers);
                let Some(numbers) = numbers else {
                    let [rows, cols] = points;
                    return Ok((as_points(block([rows, cols.saturating_mul(2)], input)?)?, None));
                };
                let numbers = block(numbers, input)?;
                Ok((beside(&numbers, points)?, Some(numbers)))
            }
            Self::ComplexToComplex | Self::ComplexToReal => {
                let points = block(points, input.map(Data::into_points))?;
                let numbers = numbers.filter(|_| self == Self::ComplexToReal);
                let numbers = numbers.map(|numbers| beside(&points, numbers)).transpose()?;
                Ok((points, numbers))
            }
        }
    }
}

/// The input of a run as so many rows and columns; without one a phantom.
fn block<E: Element>([rows, cols]: [usize; 2], input: Option<Vec<E>>) -> Result<Block<E>, ShapeError> {
    match input {
        Some(input) => Block::from_vec(rows, cols, input),
        None => Block::phantom(rows, cols),
    }
}

/// What the output of a run needs: zeros, or a phantom if the input is one.
fn beside<E: Element>(
    input: &Block<impl Element>,
    [rows, cols]: [usize; 2],
) -> Result<Block<E>, TransformError> {
    let phantom = Block::phantom(rows, cols)?;
    Ok(if input.is_phantom() { phantom } else { Block::try_zeroed(rows, cols, "the output")? })
}

/// The elements of a vector as others of the same bytes. They are copied if the vector's room is no whole number of those.
fn cast<A: Pod, B: Pod>(elements: Vec<A>) -> Result<Vec<B>, NoMemory> {
    try_cast_vec(elements).or_else(|(_, elements)| {
        let cast: &[B] = bytemuck::cast_slice(&elements);
        try_collected(cast.iter().copied(), "a copy of the points")
    })
}

/// Rows of real and imaginary parts by turns as points, which are not copied unless the vector has room for an odd number
/// of them.
fn as_points<T: Real>(parts: Block<T>) -> Result<Block<Complex<T>>, TransformError> {
    let sides = [parts.rows(), parts.cols() / 2];
    Ok(block(sides, (!parts.is_phantom()).then(|| cast(parts.into_vec())).transpose()?)?)
}

/// Rows of points as their real and imaginary parts by turns.
pub(crate) fn as_numbers<T: Real>(points: Block<Complex<T>>) -> Result<Block<T>, TransformError> {
    let sides = [points.rows(), points.cols().saturating_mul(2)];
    Ok(block(sides, (!points.is_phantom()).then(|| cast(points.into_vec())).transpose()?)?)
}
