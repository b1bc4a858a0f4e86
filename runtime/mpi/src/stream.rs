//! The stream of bytes from one rank to another, cut into batches.
//!
//! A batch is a sequence of *entries*. An entry is a word of four bytes, little-endian, and its content: the
//! length of the content is in the lower 30 bits of the word, the kind in the upper two.
//!
//! | kind | content | meaning |
//! |---|---|---|
//! | `HEAD` | bytes | the bytes of a message, which is complete |
//! | `WHOLE` | a length | the bytes of a message follow by themselves; the message is complete |
//! | `BLOCKS` | lengths | blocks of the next complete message follow by themselves |
//! | `END` | none | the last entry of the stream |
//!
//! Lengths have eight bytes. All pieces that follow by themselves are sent in the order of the entries, so
//! the receiver knows where each piece belongs. An entry never spans two batches.

/// Size of a batch, in bytes.
pub(crate) const BATCH: usize = 16 * 1024;

/// Most bytes of a message that are part of a batch.
pub(crate) const SMALL: usize = 4 * 1024;

/// Longest block or message, in bytes, that is accepted as plausible.
pub(crate) const MOST: u64 = 1 << 40;

/// Size of the word of an entry, in bytes.
const WORD: usize = 4;

/// Most lengths of one entry.
const LENGTHS: usize = 256;

const HEAD: u32 = 0;
const WHOLE: u32 = 1;
const BLOCKS: u32 = 2;
const END: u32 = 3;

/// Number of lower bits of a word, which have the length.
const KIND: u32 = 30;

/// An entry of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry<'a> {
    /// The bytes of a message.
    Head(&'a [u8]),
    /// The number of bytes of a message, which follow by themselves.
    Whole(usize),
    /// The lengths of blocks, which follow by themselves.
    Blocks(Lengths<'a>),
    End,
}

/// Lengths of blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lengths<'a>(&'a [u8]);

/// Bytes that are no batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it sent bytes that are no batch of messages")]
pub(crate) struct Malformed;

/// Appends the bytes of a message.
pub(crate) fn put_head(batch: &mut Vec<u8>, head: &[u8]) {
    put(batch, HEAD, head.len());
    batch.extend_from_slice(head);
}

/// Appends the length of a message whose bytes follow by themselves.
pub(crate) fn put_whole(batch: &mut Vec<u8>, length: usize) {
    put(batch, WHOLE, size_of::<u64>());
    batch.extend_from_slice(&(length as u64).to_le_bytes());
}

/// Appends the lengths of blocks, at most [`LENGTHS`].
fn put_blocks(batch: &mut Vec<u8>, lengths: &[usize]) {
    put(batch, BLOCKS, size_of_val(lengths));
    lengths.iter().for_each(|&length| batch.extend_from_slice(&(length as u64).to_le_bytes()));
}

/// Appends the last entry.
pub(crate) fn put_end(batch: &mut Vec<u8>) {
    put(batch, END, 0);
}

fn put(batch: &mut Vec<u8>, kind: u32, length: usize) {
    batch.extend_from_slice(&(kind << KIND | length as u32).to_le_bytes());
}

/// Returns the size of an entry with `content` bytes of content.
pub(crate) const fn entry(content: usize) -> usize {
    WORD + content
}

/// Calls `append` for the entries of the lengths of blocks, each with its size.
pub(crate) fn each_entry_of_blocks(lengths: &[usize], mut append: impl FnMut(usize, &dyn Fn(&mut Vec<u8>))) {
    for lengths in lengths.chunks(LENGTHS) {
        append(entry(size_of_val(lengths)), &|batch| put_blocks(batch, lengths));
    }
}

/// Reads the entry at the beginning of `bytes`. Returns it and the size of its bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<(Entry<'_>, usize), Malformed> {
    let (word, rest) = bytes.split_first_chunk().ok_or(Malformed)?;
    let word = u32::from_le_bytes(*word);
    let length = (word & ((1 << KIND) - 1)) as usize;
    let content = rest.get(..length).ok_or(Malformed)?;
    let entry = match word >> KIND {
        HEAD => Entry::Head(content),
        WHOLE => {
            let length = u64::from_le_bytes(content.try_into().map_err(|_| Malformed)?);
            Entry::Whole(plausible(length)?)
        }
        BLOCKS if length.is_multiple_of(8) && length <= 8 * LENGTHS => {
            let lengths = Lengths(content);
            lengths.raw().try_for_each(|length| plausible(length).map(drop))?;
            Entry::Blocks(lengths)
        }
        END if length == 0 => Entry::End,
        _ => return Err(Malformed),
    };
    Ok((entry, WORD + length))
}

fn plausible(length: u64) -> Result<usize, Malformed> {
    if length > MOST { Err(Malformed) } else { usize::try_from(length).map_err(|_| Malformed) }
}

impl Lengths<'_> {
    fn raw(&self) -> impl Iterator<Item = u64> {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        self.0.chunks_exact(8).map(number)
    }

    /// Returns the lengths, which are plausible.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.raw().map(|length| length as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// An entry with its content.
    #[derive(Clone, Debug)]
    enum Owned {
        Head(Vec<u8>),
        Whole(usize),
        Blocks(Vec<usize>),
        End,
    }

    fn entries() -> impl Strategy<Value = Vec<Owned>> {
        vec(
            prop_oneof![
                vec(any::<u8>(), 0..300).prop_map(Owned::Head),
                (0..=MOST as usize).prop_map(Owned::Whole),
                vec(0..=MOST as usize, 0..600).prop_map(Owned::Blocks),
                Just(Owned::End),
            ],
            0..20,
        )
    }

    proptest! {
        #[test]
        fn a_stream_is_read_as_it_was_written(entries in entries()) {
            let mut batch = Vec::new();
            for entry in &entries {
                match entry {
                    Owned::Head(bytes) => put_head(&mut batch, bytes),
                    Owned::Whole(length) => put_whole(&mut batch, *length),
                    Owned::Blocks(lengths) => each_entry_of_blocks(lengths, |size, append| {
                        let before = batch.len();
                        append(&mut batch);
                        assert_eq!(batch.len() - before, size);
                    }),
                    Owned::End => put_end(&mut batch),
                }
            }
            let mut rest = &batch[..];
            for expected in entries {
                match expected {
                    Owned::Blocks(lengths) => {
                        let mut back = Vec::new();
                        while back.len() < lengths.len() {
                            let (entry, size) = read(rest).expect("it was written");
                            let Entry::Blocks(part) = entry else { panic!("{entry:?}") };
                            back.extend(part.iter());
                            rest = &rest[size..];
                        }
                        prop_assert_eq!(back, lengths);
                    }
                    expected => {
                        let (entry, size) = read(rest).expect("it was written");
                        match (entry, expected) {
                            (Entry::Head(bytes), Owned::Head(expected)) => prop_assert_eq!(bytes, expected),
                            (Entry::Whole(length), Owned::Whole(expected)) => prop_assert_eq!(length, expected),
                            (Entry::End, Owned::End) => {}
                            (entry, expected) => prop_assert!(false, "{:?} is not {:?}", entry, expected),
                        }
                        rest = &rest[size..];
                    }
                }
            }
            prop_assert!(rest.is_empty());
            // No proper prefix of an entry is an entry.
            if let Ok((_, size)) = read(&batch) {
                for end in 0..size {
                    prop_assert_eq!(read(&batch[..end]), Err(Malformed));
                }
            }
        }
    }

    /// Draws numbers (SplitMix64).
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((mixed ^ mixed >> 31) % bound as u64) as usize
        }

        fn byte(&mut self) -> u8 {
            // Extreme bytes make extreme lengths and kinds.
            [0, 1, 0x7f, 0x80, 0xff, self.below(256) as u8][self.below(6)]
        }

        /// Appends some entries.
        fn batch(&mut self, batch: &mut Vec<u8>) {
            for _ in 0..1 + self.below(6) {
                match self.below(4) {
                    0 => put_head(batch, &(0..self.below(40)).map(|_| self.byte()).collect::<Vec<_>>()),
                    1 => put_whole(batch, self.below(1 << 41)),
                    2 => put_blocks(
                        batch,
                        &(0..self.below(6)).map(|_| self.below(1 << 41)).collect::<Vec<_>>(),
                    ),
                    _ => put_end(batch),
                }
            }
        }

        /// Damages a batch: changes bytes, cuts it, or replaces it.
        fn damage(&mut self, batch: &mut Vec<u8>) {
            match self.below(4) {
                0 => batch.truncate(self.below(batch.len() + 1)),
                1 => batch.iter_mut().for_each(|byte| *byte = self.byte()),
                _ => {
                    for _ in 0..1 + self.below(4) {
                        let at = self.below(batch.len());
                        batch[at] = self.byte();
                    }
                }
            }
        }
    }

    /// Reads damaged batches: 10^4 entries, or the number in `EARTH_LONG`.
    #[test]
    fn damaged_batches_are_refused_or_read_within_their_bounds() {
        let most = std::env::var("EARTH_LONG").ok().and_then(|most| most.parse().ok()).unwrap_or(10_000);
        let (mut draw, mut batch) = (Draw(7), Vec::new());
        let (mut readable, mut refused) = (0, 0);
        while readable + refused < most {
            batch.clear();
            draw.batch(&mut batch);
            draw.damage(&mut batch);
            let mut rest = &batch[..];
            while !rest.is_empty() {
                let Ok((entry, size)) = read(rest) else {
                    refused += 1;
                    break;
                };
                assert!(size >= WORD && size <= rest.len(), "{rest:?}");
                let content = rest[WORD..size].len();
                match entry {
                    Entry::Head(bytes) => assert_eq!(bytes, &rest[WORD..size]),
                    Entry::Whole(length) => assert!(length as u64 <= MOST && content == 8, "{rest:?}"),
                    Entry::Blocks(lengths) => {
                        assert_eq!((lengths.iter().count() * 8, content % 8), (content, 0), "{rest:?}");
                        assert!(content <= 8 * LENGTHS, "{rest:?}");
                        assert!(lengths.iter().all(|length| length as u64 <= MOST), "{rest:?}");
                    }
                    Entry::End => assert_eq!(content, 0),
                }
                readable += 1;
                rest = &rest[size..];
            }
        }
        // Neither is rare.
        assert!(readable.min(refused) > most / 10, "{readable} readable, {refused} refused");
    }

    #[test]
    fn lengths_beyond_any_memory_are_refused() {
        let mut batch = Vec::new();
        put_whole(&mut batch, MOST as usize + 1);
        assert_eq!(read(&batch), Err(Malformed));
        batch.clear();
        put_blocks(&mut batch, &[1, MOST as usize + 1]);
        assert_eq!(read(&batch), Err(Malformed));
    }
}
