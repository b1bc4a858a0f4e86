//! Conversion of an array's bytes to real or complex samples: one loop, and a table of element types.
//!
//! Bytes come in chunks of 48 KiB (a multiple of every element size). Each element is turned to
//! little-endian, and a function of the element type converts it to a number. Integers become doubles.
//! Integers that no double represents exactly are counted, because a user of 64-bit counters would not notice
//! otherwise. Half precision becomes single, exactly.

use std::io::Read;

use earth_memory::{try_grow, try_room};
use num_complex::Complex;
use py_literal::Value;

use super::error::NpyError;
use crate::io::fill::fill;
use crate::signal::{Note, Samples, Values};

const CHUNK: usize = 48 * 1024;

/// Element type: the kind of number, its size in bytes, and the byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) struct Dtype {
    kind: Kind,
    big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int(u64),
    Uint(u64),
    F16,
    F32,
    F64,
    C64,
    C128,
}

impl Dtype {
    /// Returns the type that a header's `descr` names, as `numpy.dtype` reads it on 64-bit Linux.
    ///
    /// The type is a name like `float64`, or a code like `f8` or `d` after an optional order mark. Without
    /// a mark, and after `=` and `|`, bytes have this computer's order.
    pub(in crate::io) fn of(descr: &Value) -> Result<Self, NpyError> {
        let Value::String(text) = descr else {
            return Err(NpyError::Structured);
        };
        let dtype = || text.chars().take(20).flat_map(char::escape_debug).collect();
        let native = cfg!(target_endian = "big");
        // Names have no mark.
        let (big_endian, code, name) = match text.split_at_checked(1) {
            Some(("<", code)) => (false, code, ""),
            Some((">", code)) => (true, code, ""),
            Some(("=" | "|", code)) => (native, code, ""),
            _ => (native, &**text, &**text),
        };
        let kind = match (code, name) {
            ("b1" | "?", _) | (_, "bool" | "bool_") => Kind::Bool,
            ("i1" | "b", _) | (_, "byte" | "int8") => Kind::Int(1),
            ("i2" | "h", _) | (_, "short" | "int16") => Kind::Int(2),
            ("i4" | "i", _) | (_, "intc" | "int32") => Kind::Int(4),
            ("i8" | "l" | "q" | "p" | "n", _)
            | (_, "int" | "int_" | "long" | "longlong" | "intp" | "int64") => Kind::Int(8),
            ("u1" | "B", _) | (_, "ubyte" | "uint8") => Kind::Uint(1),
            ("u2" | "H", _) | (_, "ushort" | "uint16") => Kind::Uint(2),
            ("u4" | "I", _) | (_, "uintc" | "uint32") => Kind::Uint(4),
            ("u8" | "L" | "Q" | "P" | "N", _) | (_, "uint" | "ulong" | "ulonglong" | "uintp" | "uint64") => {
                Kind::Uint(8)
            }
            ("f2" | "e", _) | (_, "half" | "float16") => Kind::F16,
            ("f4" | "f", _) | (_, "single" | "float32") => Kind::F32,
            ("f8" | "d", _) | (_, "double" | "float" | "float64") => Kind::F64,
            ("c8" | "F", _) | (_, "csingle" | "complex64") => Kind::C64,
            ("c16" | "D", _) | (_, "cdouble" | "complex" | "complex128") => Kind::C128,
            ("f10" | "f12" | "f16" | "g", _) | (_, "longdouble" | "float128") => {
                return Err(NpyError::LongDouble { dtype: dtype(), shorter: "float64" });
            }
            ("c20" | "c24" | "c32" | "G", _) | (_, "clongdouble" | "complex256") => {
                return Err(NpyError::LongDouble { dtype: dtype(), shorter: "complex128" });
            }
            _ => return Err(NpyError::Dtype(dtype())),
        };
        Ok(Self { kind, big_endian })
    }

    /// Returns the bytes of an element.
    pub(in crate::io) fn bytes(self) -> u64 {
        match self.kind {
            Kind::Bool => 1,
            Kind::Int(bytes) | Kind::Uint(bytes) => bytes,
            Kind::F16 => 2,
            Kind::F32 => 4,
            Kind::F64 | Kind::C64 => 8,
            Kind::C128 => 16,
        }
    }

    /// Whether elements become numbers of single precision.
    pub(in crate::io) fn is_single(self) -> bool {
        matches!(self.kind, Kind::F16 | Kind::F32 | Kind::C64)
    }
}

/// Reads `samples` elements that follow `before` bytes of header.
///
/// `trusted` states that the source is known to be long enough, so that all memory is allocated at once.
pub(in crate::io) fn decode<R: Read>(
    source: &mut R,
    dtype: Dtype,
    samples: usize,
    before: u64,
    trusted: bool,
) -> Result<(Samples, Option<Note>), NpyError> {
    let body = Body { source, samples, before, trusted, big_endian: dtype.big_endian };
    let mut rounded = 0;
    let samples = match dtype.kind {
        Kind::Bool => doubles(body.elements(|[byte]: [u8; 1]| f64::from(u8::from(byte != 0)))),
        Kind::Int(1) => doubles(body.elements(|word| f64::from(i8::from_le_bytes(word)))),
        Kind::Int(2) => doubles(body.elements(|word| f64::from(i16::from_le_bytes(word)))),
        Kind::Int(4) => doubles(body.elements(|word| f64::from(i32::from_le_bytes(word)))),
        Kind::Int(_) => {
            doubles(body.elements(|word| nearest(i128::from(i64::from_le_bytes(word)), &mut rounded)))
        }
        Kind::Uint(1) => doubles(body.elements(|word| f64::from(u8::from_le_bytes(word)))),
        Kind::Uint(2) => doubles(body.elements(|word| f64::from(u16::from_le_bytes(word)))),
        Kind::Uint(4) => doubles(body.elements(|word| f64::from(u32::from_le_bytes(word)))),
        Kind::Uint(_) => {
            doubles(body.elements(|word| nearest(i128::from(u64::from_le_bytes(word)), &mut rounded)))
        }
        Kind::F16 => body
            .elements(|word| single(u16::from_le_bytes(word)))
            .map(|numbers| Samples::F32(Values::Real(numbers))),
        Kind::F32 => body.elements(f32::from_le_bytes).map(|numbers| Samples::F32(Values::Real(numbers))),
        Kind::F64 => doubles(body.elements(f64::from_le_bytes)),
        Kind::C64 => body.pairs(f32::from_le_bytes).map(|points| Samples::F32(Values::Complex(points))),
        Kind::C128 => body.pairs(f64::from_le_bytes).map(|points| Samples::F64(Values::Complex(points))),
    }?;
    Ok((samples, (rounded > 0).then_some(Note::Rounded { count: rounded })))
}

fn doubles(numbers: Result<Vec<f64>, NpyError>) -> Result<Samples, NpyError> {
    numbers.map(|numbers| Samples::F64(Values::Real(numbers)))
}

/// Returns the double nearest to `value`, and counts it if it differs.
fn nearest(value: i128, rounded: &mut usize) -> f64 {
    let double = value as f64;
    *rounded += usize::from(double as i128 != value);
    double
}

/// Converts half precision to single: a sign, five bits of exponent, ten of fraction.
fn single(half: u16) -> f32 {
    let bits = u32::from(half & 0x7fff) << 13;
    let size = if bits < 0x0f80_0000 {
        // The exponent bias of single precision is larger by 112.
        f32::from_bits(bits) * f32::from_bits((127 + 112) << 23)
    } else {
        f32::from_bits(bits | 0x7f80_0000)
    };
    if half >> 15 == 1 { -size } else { size }
}

struct Body<'a, R> {
    source: &'a mut R,
    samples: usize,
    before: u64,
    trusted: bool,
    big_endian: bool,
}

impl<R: Read> Body<'_, R> {
    /// Reads complex numbers of two words of `WIDTH` bytes each, real part first whatever the byte order.
    fn pairs<T, const WIDTH: usize>(
        self,
        word: impl Fn([u8; WIDTH]) -> T,
    ) -> Result<Vec<Complex<T>>, NpyError> {
        self.words::<_, WIDTH>(2, |words| Complex::new(word(words[0]), word(words[1])))
    }

    /// Reads samples of one word of `WIDTH` bytes each.
    fn elements<T, const WIDTH: usize>(
        self,
        mut element: impl FnMut([u8; WIDTH]) -> T,
    ) -> Result<Vec<T>, NpyError> {
        self.words::<_, WIDTH>(1, |words| element(words[0]))
    }

    /// Reads the samples that `sample` makes of the little-endian words of every element, `words` of them at
    /// a time.
    fn words<T, const WIDTH: usize>(
        self,
        words: usize,
        mut sample: impl FnMut(&[[u8; WIDTH]]) -> T,
    ) -> Result<Vec<T>, NpyError> {
        let no_memory = |_| NpyError::Memory(self.samples);
        let first = if self.trusted { self.samples } else { 0 };
        let mut samples = try_room(first, "samples").map_err(no_memory)?;
        let element = words * WIDTH;
        let mut bytes = vec![0; CHUNK];
        let mut left = self.samples;
        while left > 0 {
            let count = left.min(CHUNK / element);
            let chunk = &mut bytes[..count * element];
            let found = fill(self.source, chunk)?;
            if found < chunk.len() {
                let done = (self.samples - left) as u64 * element as u64 + found as u64;
                let needed = self.before + self.samples as u64 * element as u64;
                return Err(NpyError::Truncated { needed, found: self.before + done });
            }
            let (chunk, _) = chunk.as_chunks_mut::<WIDTH>();
            if self.big_endian {
                for word in chunk.iter_mut() {
                    word.reverse();
                }
            }
            try_grow(&mut samples, count, "samples").map_err(no_memory)?;
            samples.extend(chunk.chunks_exact(words).map(&mut sample));
            left -= count;
        }
        Ok(samples)
    }
}
