//! Division of arrays into parts that are copied to contiguous memory.

use earth_memory::try_filled;
use num_traits::Zero;

use crate::axis::{Axis, Places};
use crate::copies::{Source, Target, copy};
use crate::error::AxesError;

/// Most elements of a part, unless a single transform has more.
pub const PART: usize = 1 << 15;

/// Parts of one size: their places, and the axes of one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Positions of the first part in the input and in the output, from the origins.
    pub(crate) starts: [isize; 2],
    /// Axes along which the parts repeat.
    pub(crate) looped: Vec<Axis>,
    /// From the input to packed memory.
    pub(crate) gather: Vec<Axis>,
    /// From packed memory to the output.
    pub(crate) scatter: Vec<Axis>,
    /// Number of transforms in a part.
    pub(crate) count: usize,
    /// Elements of a part in packed memory: input and output.
    pub(crate) lens: [usize; 2],
    /// Whether the elements of a part are in the output as in packed memory.
    pub(crate) is_straight: bool,
}

/// Divides arrays into parts. `lasts` has the lengths of the last transformed axis in the input and in the
/// output. With `whole`, there is a single part.
pub(crate) fn parts(repeated: &[Axis], transformed: &[Axis], lasts: [usize; 2], whole: bool) -> Vec<Part> {
    let before = transformed.split_last().map_or(1, |(_, before)| length_of(before));
    let mut size = before.saturating_mul(lasts[0].max(lasts[1])).max(1);
    let mut inside = repeated.len();
    while inside > 0 && (whole || size.saturating_mul(repeated[inside - 1].length) <= PART) {
        inside -= 1;
        size = size.saturating_mul(repeated[inside].length);
    }
    let (outer, inner) = repeated.split_at(inside);
    let part = |starts, looped: &[Axis], inner: &[Axis]| Part::new(starts, looped, inner, transformed, lasts);
    let chunk = PART / size;
    match outer.split_last() {
        Some((axis, outer)) if chunk > 1 => {
            let with = |length| [&[Axis { length, ..*axis }], inner].concat();
            let (chunks, rest, step) = (axis.length / chunk, axis.length % chunk, chunk.cast_signed());
            let looped = Axis::new(chunks, axis.input * step, axis.output * step);
            let mut parts = vec![part([0; 2], &[outer, &[looped]].concat(), &with(chunk))];
            if rest > 0 {
                let starts = looped.strides().map(|stride| stride * chunks.cast_signed());
                parts.push(part(starts, outer, &with(rest)));
            }
            parts
        }
        _ => vec![part([0; 2], outer, inner)],
    }
}

fn length_of(axes: &[Axis]) -> usize {
    axes.iter().fold(1, |product: usize, axis| product.saturating_mul(axis.length))
}

impl Part {
    fn new(
        starts: [isize; 2],
        looped: &[Axis],
        inner: &[Axis],
        transformed: &[Axis],
        lasts: [usize; 2],
    ) -> Self {
        let axes = [inner, transformed].concat();
        // Returns the lengths in an array, the strides of packed memory, and its number of elements.
        let packed = |array: usize| {
            let mut lengths: Vec<_> = axes.iter().map(|axis| axis.length).collect();
            if let (Some(last), false) = (lengths.last_mut(), transformed.is_empty()) {
                *last = lasts[array];
            }
            let mut strides = vec![1_isize; lengths.len()];
            let mut len = 1_usize;
            for (stride, length) in strides.iter_mut().zip(&lengths).rev() {
                *stride = len.cast_signed();
                len = len.saturating_mul(*length);
            }
            (lengths, strides, len)
        };
        let [(input_lengths, input_strides, input_len), (output_lengths, output_strides, output_len)] =
            [packed(0), packed(1)];
        let of = |lengths: &[usize], axis: &dyn Fn(usize, usize) -> Axis| {
            lengths.iter().enumerate().map(|(at, length)| axis(at, *length)).collect::<Vec<_>>()
        };
        let gather = of(&input_lengths, &|at, length| Axis::new(length, axes[at].input, input_strides[at]));
        let scatter =
            of(&output_lengths, &|at, length| Axis::new(length, output_strides[at], axes[at].output));
        let is_straight = scatter.iter().all(|axis| axis.length == 1 || axis.input == axis.output);
        let (looped, count, lens) = (looped.to_vec(), length_of(inner), [input_len, output_len]);
        Self { starts, looped, gather, scatter, count, lens, is_straight }
    }
}

impl Part {
    /// Yields the positions of each part in the input and in the output, whose origins are given.
    pub(crate) fn places(&self, origins: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        let starts = [0, 1].map(|array| origins[array].wrapping_add_signed(self.starts[array]));
        Places::new(&self.looped)
            .map(move |place| [0, 1].map(|array| starts[array].wrapping_add_signed(place[array])))
    }

    /// Copies a part of the input to packed memory.
    pub(crate) fn gather<V: Copy>(&self, input: &(impl Source<V> + ?Sized), at: usize, packed: &mut [V]) {
        copy(&self.gather, input, at, packed, 0);
    }

    /// Copies packed memory to a part of the output.
    pub(crate) fn scatter<V: Copy>(&self, packed: &[V], output: &mut (impl Target<V> + ?Sized), at: usize) {
        copy(&self.scatter, packed, 0, output, at);
    }
}

/// Transforms parts in one buffer, from an input to an output. `work` is called with a part's own value.
///
/// # Errors
///
/// Too little memory for the buffer, and the errors of `work`.
pub(crate) fn in_one_buffer<V: Zero + Copy, E>(
    parts: &[(Part, E)],
    input: &(impl Source<V> + ?Sized),
    output: &mut (impl Target<V> + ?Sized),
    origins: [usize; 2],
    mut work: impl FnMut(&E, &mut [V]) -> Result<(), AxesError>,
) -> Result<(), AxesError> {
    let mut buffer = Vec::new();
    for (part, own) in parts {
        for [from, to] in part.places(origins) {
            if let Some(straight) = output.slice(to, part.lens[1]).filter(|_| part.is_straight) {
                part.gather(input, from, straight);
                work(own, straight)?;
                continue;
            }
            let packed = room(&mut buffer, part.lens[0])?;
            part.gather(input, from, packed);
            work(own, packed)?;
            part.scatter(packed, output, to);
        }
    }
    Ok(())
}

/// Transforms parts in one buffer, from one layout of an array to another.
///
/// # Errors
///
/// Too little memory for the buffer, and the errors of `work`.
pub(crate) fn in_place<V: Zero + Copy, E>(
    parts: &[(Part, E)],
    array: &mut [V],
    origins: [usize; 2],
    mut work: impl FnMut(&E, &mut [V]) -> Result<(), AxesError>,
) -> Result<(), AxesError> {
    let mut buffer = Vec::new();
    for (part, own) in parts {
        for [from, to] in part.places(origins) {
            let packed = room(&mut buffer, part.lens[0])?;
            part.gather(array, from, packed);
            work(own, packed)?;
            part.scatter(packed, array, to);
        }
    }
    Ok(())
}

/// Transforms parts from one buffer to another, from an input to an output.
///
/// # Errors
///
/// Too little memory for the buffers, and the errors of `work`.
pub(crate) fn in_two_buffers<I: Zero + Copy, O: Zero + Copy, E>(
    parts: &[(Part, E)],
    input: &(impl Source<I> + ?Sized),
    output: &mut (impl Target<O> + ?Sized),
    origins: [usize; 2],
    mut work: impl FnMut(&E, &mut [I], &mut [O]) -> Result<(), AxesError>,
) -> Result<(), AxesError> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (part, own) in parts {
        for [from, to] in part.places(origins) {
            let packed = room(&mut inputs, part.lens[0])?;
            part.gather(input, from, packed);
            if let Some(straight) = output.slice(to, part.lens[1]).filter(|_| part.is_straight) {
                work(own, packed, straight)?;
                continue;
            }
            let transformed = room(&mut outputs, part.lens[1])?;
            work(own, packed, transformed)?;
            part.scatter(transformed, output, to);
        }
    }
    Ok(())
}

/// Functions that make an array an input and an output.
pub(crate) type Views<V, I, O> = (fn(&[V]) -> &[I], fn(&mut [V]) -> &mut [O]);

/// Transforms parts of an array from one buffer to another. `views` make the array an input and an output,
/// from the elements after `skipped` on.
///
/// # Errors
///
/// Too little memory for the buffers, and the errors of `work`.
pub(crate) fn in_place_by_two_buffers<V, I: Zero + Copy, O: Zero + Copy, E>(
    parts: &[(Part, E)],
    array: &mut [V],
    origins: [usize; 2],
    skipped: [usize; 2],
    views: Views<V, I, O>,
    mut work: impl FnMut(&E, &mut [I], &mut [O]) -> Result<(), AxesError>,
) -> Result<(), AxesError> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (part, own) in parts {
        for [from, to] in part.places(origins) {
            let packed = room(&mut inputs, part.lens[0])?;
            part.gather(views.0(&array[skipped[0]..]), from, packed);
            let transformed = room(&mut outputs, part.lens[1])?;
            work(own, packed, transformed)?;
            part.scatter(transformed, views.1(&mut array[skipped[1]..]), to);
        }
    }
    Ok(())
}

/// Returns `len` elements of a buffer, which grows if it is too short.
fn room<V: Zero + Copy>(buffer: &mut Vec<V>, len: usize) -> Result<&mut [V], AxesError> {
    if buffer.len() < len {
        *buffer = try_filled(V::zero(), len, "copies")?;
    }
    Ok(&mut buffer[..len])
}
