//! The types that may cross a wire: words, addresses, blocks, and tuples, arrays, options,
//! vectors and boxes of them.

use std::marker::PhantomData;

use earth_memory::{Block, Element, Published};
use num_complex::Complex;

use super::address::{CellRef, CellRefs, FrameId, FrameRef, NodeId, Replies, Reply, SlotRef, SlotRefs};
use super::wire::{Packer, Undecodable, Unpacker, Wire};

macro_rules! words {
    ($($word:ty)+) => {$(
        impl Wire for $word {
            #[inline]
            fn pack(self, out: &mut Packer) {
                out.bytes(&self.to_le_bytes());
            }
            #[inline]
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                Ok(Self::from_le_bytes(input.array()?))
            }
        }
    )+};
}
words! { u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 }

impl Wire for usize {
    fn pack(self, out: &mut Packer) {
        (self as u64).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        usize::try_from(u64::unpack(input)?).map_err(|_| Undecodable)
    }
}

impl Wire for bool {
    fn pack(self, out: &mut Packer) {
        u8::from(self).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        match u8::unpack(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Undecodable),
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))+) => {$(
        #[allow(non_snake_case, unused_variables, reason = "a tuple's parts are named by their types; the unit has none")]
        impl<$($name: Wire),*> Wire for ($($name,)*) {
            fn pack(self, out: &mut Packer) {
                let ($($name,)*) = self;
                $($name.pack(out);)*
            }
            fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
                Ok(($($name::unpack(input)?,)*))
            }
            #[inline(always)]
            fn bulk_bytes(&self) -> u64 {
                let ($($name,)*) = self;
                0 $(+ $name.bulk_bytes())*
            }
        }
    )+};
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn pack(self, out: &mut Packer) {
        for value in self {
            value.pack(out);
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let values = (0..N).map(|_| T::unpack(input)).collect::<Result<Vec<T>, _>>()?;
        values.try_into().map_err(|_| Undecodable)
    }
    #[inline(always)]
    fn bulk_bytes(&self) -> u64 {
        self.iter().map(T::bulk_bytes).sum()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn pack(self, out: &mut Packer) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(if bool::unpack(input)? { Some(T::unpack(input)?) } else { None })
    }
    fn bulk_bytes(&self) -> u64 {
        self.as_ref().map_or(0, T::bulk_bytes)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn pack(self, out: &mut Packer) {
        out.length(self.len());
        for value in self {
            value.pack(out);
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        // Grown as values are read: a length that lies allocates no more than the bytes can fill.
        let length = input.length(0)?;
        let mut values = Vec::new();
        for _ in 0..length {
            if input.left() == 0 && (size_of::<T>() > 0 || length > u32::MAX as usize) {
                return Err(Undecodable);
            }
            values.push(T::unpack(input)?);
        }
        Ok(values)
    }
    fn bulk_bytes(&self) -> u64 {
        self.iter().map(T::bulk_bytes).sum()
    }
}

impl<T: Wire> Wire for Box<T> {
    fn pack(self, out: &mut Packer) {
        (*self).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        T::unpack(input).map(Box::new)
    }
    fn bulk_bytes(&self) -> u64 {
        (**self).bulk_bytes()
    }
}

impl Wire for String {
    fn pack(self, out: &mut Packer) {
        out.length(self.len());
        out.bytes(self.as_bytes());
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let length = input.length(1)?;
        String::from_utf8(input.bytes(length)?.to_vec()).map_err(|_| Undecodable)
    }
}

impl<T: Wire> Wire for Complex<T> {
    fn pack(self, out: &mut Packer) {
        self.re.pack(out);
        self.im.pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(Complex::new(T::unpack(input)?, T::unpack(input)?))
    }
}

impl Wire for NodeId {
    fn pack(self, out: &mut Packer) {
        self.0.pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        u32::unpack(input).map(NodeId)
    }
}

impl Wire for FrameRef {
    fn pack(self, out: &mut Packer) {
        (self.node, self.id.number(), self.id.generation()).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (node, frame, generation) = Wire::unpack(input)?;
        Ok(FrameRef { node, id: FrameId::new(frame, generation) })
    }
}

impl Wire for SlotRef {
    fn pack(self, out: &mut Packer) {
        (self.frame(), self.slot()).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (frame, slot) = Wire::unpack(input)?;
        Ok(SlotRef::new(frame, slot))
    }
}

impl Wire for SlotRefs {
    fn pack(self, out: &mut Packer) {
        (self.first, self.len).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (first, len) = Wire::unpack(input)?;
        Ok(SlotRefs { first, len })
    }
}

impl<T: 'static> Wire for Reply<T> {
    fn pack(self, out: &mut Packer) {
        (self.to, self.inlet).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (to, inlet) = Wire::unpack(input)?;
        Ok(Reply { to, inlet, takes: PhantomData })
    }
}

impl<T: 'static> Wire for Replies<T> {
    fn pack(self, out: &mut Packer) {
        (self.first, self.len, self.slot_step).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (first, len, slot_step) = Wire::unpack(input)?;
        Ok(Replies { first, len, slot_step })
    }
}

impl<T: 'static> Wire for CellRef<T> {
    fn pack(self, out: &mut Packer) {
        (self.frame(), self.cell()).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (frame, cell) = Wire::unpack(input)?;
        Ok(CellRef::new(frame, cell))
    }
}

impl<T: 'static> Wire for CellRefs<T> {
    fn pack(self, out: &mut Packer) {
        (self.first, self.len).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (first, len) = Wire::unpack(input)?;
        Ok(CellRefs { first, len })
    }
}

/// Whether it is a phantom, rows and columns, then the rows one after another, if there are any.
fn pack_block<T: Element>(block: &Block<T>, out: &mut Packer) {
    block.is_phantom().pack(out);
    out.length(block.rows());
    out.length(block.cols());
    if block.is_phantom() {
        out.absent(block.bytes());
    } else {
        block.iter_rows().for_each(|row| out.bytes(bytemuck::cast_slice(row)));
    }
}

impl<T: Element> Wire for Block<T> {
    fn pack(self, out: &mut Packer) {
        pack_block(&self, out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let is_phantom = bool::unpack(input)?;
        let rows = input.length(0)?;
        let columns = input.length(0)?;
        if is_phantom {
            return Block::phantom(rows, columns).map_err(|_| Undecodable);
        }
        let count = rows.checked_mul(columns).ok_or(Undecodable)?;
        let bytes = input.bytes(count.checked_mul(size_of::<T>()).ok_or(Undecodable)?)?;
        let mut elements = vec![T::zeroed(); count];
        bytemuck::cast_slice_mut(&mut elements).copy_from_slice(bytes);
        Block::from_vec(rows, columns, elements).map_err(|_| Undecodable)
    }
    #[inline]
    fn bulk_bytes(&self) -> u64 {
        self.bytes() as u64
    }
}

impl<T: Element> Wire for Published<T> {
    fn pack(self, out: &mut Packer) {
        pack_block(&self, out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Block::unpack(input).map(Block::publish)
    }
    #[inline]
    fn bulk_bytes(&self) -> u64 {
        self.bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through<T: Wire>(value: T) -> T {
        let mut out = Packer::default();
        value.pack(&mut out);
        let bytes = out.into_bytes();
        for cut in 0..bytes.len() {
            assert!(
                T::unpack(&mut Unpacker::new(&bytes[..cut])).is_err(),
                "read from {cut} of {} bytes",
                bytes.len()
            );
        }
        let mut input = Unpacker::new(&bytes);
        let back = T::unpack(&mut input).expect("what was packed can be read");
        assert_eq!(input.left(), 0);
        back
    }

    #[test]
    fn every_value_comes_back_and_no_prefix_of_it_does() {
        assert_eq!(through((1u8, -2i64, 3.5f64, true)), (1, -2, 3.5, true));
        assert_eq!(through([(1u16, 2u32), (3, 4)]), [(1, 2), (3, 4)]);
        assert_eq!(through(vec![Some(1u64), None, Some(3)]), vec![Some(1), None, Some(3)]);
        assert_eq!(through(Box::new(String::from("frame"))), Box::new(String::from("frame")));
        assert_eq!(through(Complex::new(1.0f32, -0.0)), Complex::new(1.0, -0.0));
        let frame = FrameRef { node: 1, id: FrameId::new(2, 3) };
        let slots = SlotRefs { first: SlotRef::new(frame, 4), len: 5 };
        assert_eq!(through(slots), slots);
    }

    #[test]
    fn a_block_comes_back_row_by_row_whatever_its_stride() {
        let (block, _) = Block::from_fn(3, 4, |r, c| (10 * r + c) as u32).split_cols(2);
        let back = through(block);
        assert_eq!((back.rows(), back.cols()), (3, 2));
        assert_eq!([back.row(0), back.row(1), back.row(2)], [[0, 1], [10, 11], [20, 21]]);
    }

    #[test]
    fn a_phantom_comes_back_as_its_shape() {
        let (block, _) = Block::<f64>::phantom(1 << 17, 1 << 17).unwrap().split_cols(1 << 16);
        let back = through(block);
        assert_eq!((back.is_phantom(), back.rows(), back.cols()), (true, 1 << 17, 1 << 16));
        let mut out = Packer::default();
        back.publish().pack(&mut out);
        assert_eq!(out.absent_bytes(), 8 << 33);
        assert_eq!(out.into_bytes().len(), 1 + 2 * size_of::<u64>());
        let mut lie = Packer::default();
        (true, u64::MAX / 2, 3u64).pack(&mut lie);
        assert!(Block::<f64>::unpack(&mut Unpacker::new(&lie.into_bytes())).is_err());
    }

    #[test]
    fn a_length_that_lies_is_refused_before_anything_is_allocated() {
        let lie = u64::MAX.to_le_bytes();
        assert_eq!(Vec::<u64>::unpack(&mut Unpacker::new(&lie)), Err(Undecodable));
        assert_eq!(String::unpack(&mut Unpacker::new(&lie)), Err(Undecodable));
        let mut block = Packer::default();
        (false, u64::MAX / 2, 3u64).pack(&mut block);
        assert!(Block::<f64>::unpack(&mut Unpacker::new(&block.into_bytes())).is_err());
    }
}
