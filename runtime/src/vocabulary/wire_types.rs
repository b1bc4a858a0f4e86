//! Addresses, blocks and complex numbers as bytes. Addresses made of other addresses derive `Wire` at their
//! declaration.

use std::borrow::Borrow;

use earth_memory::{Block, Bulk, Element, Published};
use num_complex::Complex;

use super::address::{EntryRef, FrameId, FrameRef};
use super::wire::{Packer, Undecodable, Unpacker, Wire};

impl<T: Wire> Wire for Complex<T> {
    fn pack(self, out: &mut Packer) {
        self.re.pack(out);
        self.im.pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Ok(Complex::new(T::unpack(input)?, T::unpack(input)?))
    }
}

impl Wire for FrameRef {
    fn pack(self, out: &mut Packer) {
        let generation = if seeded!(GenerationNotPacked) { 1 } else { self.id.generation() };
        (self.node, self.id.number(), generation).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (node, frame, generation) = Wire::unpack(input)?;
        Ok(FrameRef { node, id: FrameId::new(frame, generation).ok_or(Undecodable)? })
    }
}

impl Wire for EntryRef {
    fn pack(self, out: &mut Packer) {
        out.address(self.frame());
        (self.frame(), self.number()).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (frame, number) = <(FrameRef, u32)>::unpack(input)?;
        if frame.node >= input.nodes() {
            return Err(Undecodable);
        }
        Ok(EntryRef::new(frame, number))
    }
}

/// The sorts of packed blocks. The numbers of rows and columns follow.
const ROWS: u8 = 0;
const PHANTOM: u8 = 1;
/// The rows travel beside the message. The number of the block there follows.
const BESIDE: u8 = 2;

/// Packs a block: its sort, the numbers of rows and columns, then the rows in order, unless it is a phantom
/// or its rows travel beside the message.
fn pack_block<T: Element, H: Borrow<Block<T>> + Send + 'static>(handle: H, out: &mut Packer) {
    let block: &Block<T> = handle.borrow();
    let sort = match block.is_phantom() {
        true => PHANTOM,
        false if out.takes_beside(block.bytes()) => BESIDE,
        false => ROWS,
    };
    (sort, block.rows(), block.cols()).pack(out);
    match sort {
        PHANTOM => out.absent(block.bytes()),
        BESIDE => out.put_beside(Bulk::new(handle)),
        _ => {
            out.reserve(block.bytes());
            for row in block.iter_rows() {
                let row = if seeded!(RowsNotPacked) { block.row(0) } else { row };
                out.bytes(bytemuck::cast_slice(row));
            }
        }
    }
}

impl<T: Element> Wire for Block<T> {
    fn pack(self, out: &mut Packer) {
        pack_block::<T, _>(self, out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (sort, rows, columns) = <(u8, usize, usize)>::unpack(input)?;
        match sort {
            ROWS => {}
            PHANTOM => return Block::phantom(rows, columns).map_err(|_| Undecodable),
            BESIDE => {
                let number = usize::unpack(input)?;
                return input.landed(number, rows, columns);
            }
            _ => return Err(Undecodable),
        }
        let count = rows.checked_mul(columns).ok_or(Undecodable)?;
        let bytes = input.bytes(count.checked_mul(size_of::<T>()).ok_or(Undecodable)?)?;
        let mut elements = bytemuck::allocation::zeroed_vec(count);
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
        pack_block::<T, _>(self, out);
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
    use super::super::address::{SlotRef, SlotRefs};
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
        assert_eq!(through(Complex::new(1.0f32, -0.0)), Complex::new(1.0, -0.0));
        let frame = FrameRef { node: 1, id: FrameId::new(2, 3).expect("3 is odd") };
        let slots = SlotRefs { first: SlotRef { to: EntryRef::new(frame, 4) }, len: 5 };
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
    fn a_false_length_is_refused_before_any_allocation() {
        let mut block = Packer::default();
        (false, u64::MAX / 2, 3u64).pack(&mut block);
        assert!(Block::<f64>::unpack(&mut Unpacker::new(&block.into_bytes())).is_err());
    }
}
