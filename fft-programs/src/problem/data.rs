//! The arrays of a run: blocks with an input, or phantoms.

use bytemuck::Pod;
use bytemuck::allocation::try_cast_vec;
use earth::{Block, Element, ShapeError};
use earth_kernels::Real;
use earth_memory::{NoMemory, try_collected};
use num_complex::Complex;

use super::elements::Elements;
use crate::plan::TransformError;

/// Input of a run, without gaps.
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

/// Complex points, and the real numbers of a problem that has them in a separate array.
pub(crate) type Arrays<T> = (Block<Complex<T>>, Option<Block<T>>);

impl Elements {
    /// Returns the arrays of a run, with `[rows, columns]` of points and of real numbers: the input, or a
    /// phantom, and room for the output. Without `numbers`, the real numbers are stored as the parts of the
    /// points.
    ///
    /// # Errors
    ///
    /// An input with another number of elements, sides that no block has, or too little memory.
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

/// Returns the input of a run as a block of these rows and columns, or a phantom without an input.
fn block<E: Element>([rows, cols]: [usize; 2], input: Option<Vec<E>>) -> Result<Block<E>, ShapeError> {
    match input {
        Some(input) => Block::from_vec(rows, cols, input),
        None => Block::phantom(rows, cols),
    }
}

/// Returns the array of the output: zeros, or a phantom if the input is a phantom.
fn beside<E: Element>(
    input: &Block<impl Element>,
    [rows, cols]: [usize; 2],
) -> Result<Block<E>, TransformError> {
    let phantom = Block::phantom(rows, cols)?;
    Ok(if input.is_phantom() { phantom } else { Block::try_zeroed(rows, cols, "the output")? })
}

/// Reinterprets the elements of a vector. Copies them if the vector's capacity is no whole number of new
/// elements.
fn cast<A: Pod, B: Pod>(elements: Vec<A>) -> Result<Vec<B>, NoMemory> {
    try_cast_vec(elements).or_else(|(_, elements)| {
        let cast: &[B] = bytemuck::cast_slice(&elements);
        try_collected(cast.iter().copied(), "a copy of the points")
    })
}

/// Reinterprets rows of interleaved real and imaginary parts as points. Copies them only if the vector's
/// capacity is odd.
fn as_points<T: Real>(parts: Block<T>) -> Result<Block<Complex<T>>, TransformError> {
    let sides = [parts.rows(), parts.cols() / 2];
    Ok(block(sides, (!parts.is_phantom()).then(|| cast(parts.into_vec())).transpose()?)?)
}

/// Reinterprets rows of points as their interleaved real and imaginary parts.
pub(crate) fn as_numbers<T: Real>(points: Block<Complex<T>>) -> Result<Block<T>, TransformError> {
    let sides = [points.rows(), points.cols().saturating_mul(2)];
    Ok(block(sides, (!points.is_phantom()).then(|| cast(points.into_vec())).transpose()?)?)
}
