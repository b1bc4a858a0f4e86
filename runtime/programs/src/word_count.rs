//! Word count: how often each word of a text occurs.
//!
//! `cargo run --release -p earth-programs -- word_count [bytes] [chunk] [nodes] [spn|dual]`
//!
//! 1. The source cuts the text into chunks that end between two words. It stays on its node, and so does the
//!    text: a chunk is a part of a [`Block`] of borrowed memory, and no byte is copied within a process.
//! 2. A farm has a copy of the counting stage on each node. A copy counts the words of all chunks that it
//!    gets in one map. It has one result, its map, when the text has ended.
//! 3. The sink adds the maps.
//!
//! So two maps are merged on two nodes, however long the text is. The order of the chunks does not matter:
//! the farm is unordered.

use std::cell::RefCell;
use std::collections::HashMap;

use earth::patterns::{Flow, Sink, Stage, Streams, Upstream, items_here};
use earth::{Block, Wire, Work, lend};

use crate::program::{Instance, Program, ProgramError, Size};

/// How often each word occurs.
type Counts = HashMap<Vec<u8>, u64>;

/// Counts the words of `text`, which white space separates.
fn count(text: &[u8], counts: &mut Counts) {
    for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        match counts.get_mut(word) {
            Some(count) => *count += 1,
            None => _ = counts.insert(word.to_vec(), 1),
        }
    }
}

/// A text in chunks.
struct Chunks {
    rest: Option<Block<u8>>,
    /// Number of bytes after which a chunk ends at the next white space.
    size: usize,
}

impl Iterator for Chunks {
    type Item = Block<u8>;
    fn next(&mut self) -> Option<Block<u8>> {
        let rest = self.rest.take()?;
        let after = rest.as_slice().and_then(|text| text.get(self.size..)).unwrap_or_default();
        let Some(more) = after.iter().position(u8::is_ascii_whitespace) else { return Some(rest) };
        let (chunk, rest) = rest.split_rows(self.size + more);
        self.rest = Some(rest);
        Some(chunk)
    }
}

/// Counts the words of chunks.
#[derive(Clone, Default, Wire)]
struct Counting {
    counts: Counts,
}

impl Stage<Block<u8>> for Counting {
    type Out = Counts;
    fn work(&mut self, chunk: Block<u8>, _: &mut Vec<Counts>) {
        count(chunk.as_slice().unwrap_or_default(), &mut self.counts);
    }
    fn cost(&self, chunk: &Block<u8>) -> Work {
        Work::Cycles(10 * chunk.len() as u64)
    }
    fn end(&mut self, out: &mut Vec<Counts>) {
        out.push(std::mem::take(&mut self.counts));
    }
}

/// Adds counts.
#[derive(Wire)]
struct Merging {
    counts: Counts,
}

impl Sink<Counts> for Merging {
    type Output = Counts;
    fn take(&mut self, mut counts: Counts) {
        if self.counts.len() < counts.len() {
            std::mem::swap(&mut self.counts, &mut counts);
        }
        for (word, count) in counts {
            *self.counts.entry(word).or_default() += count;
        }
    }
    fn finish(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

/// Number of different words of a generated text.
const WORDS: u64 = 20_000;

/// Returns about `bytes` bytes of text, generated from a seed. Word number n occurs about n times less often
/// than word number 1, as in texts of a language (Zipf's law).
fn text(bytes: usize, seed: u64) -> Vec<u8> {
    const SYLLABLES: [&str; 16] =
        ["ba", "co", "di", "e", "fun", "gra", "hi", "ko", "lem", "no", "pri", "qua", "ru", "sta", "ti", "wo"];
    let words: Vec<_> = (1..=WORDS)
        .map(|number| {
            let digits = std::iter::successors(Some(number), |left| Some(left / 16).filter(|left| *left > 0));
            digits.map(|digit| SYLLABLES[digit as usize % 16]).collect::<String>()
        })
        .collect();
    let mut text = Vec::with_capacity(bytes + 32);
    let mut state = seed;
    while text.len() < bytes {
        // A step of splitmix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = mixed ^ mixed >> 31;
        let uniform = mixed as f64 / 2f64.powi(64);
        let word = (WORDS as f64).powf(uniform) as usize - 1;
        text.extend_from_slice(words[word.min(words.len() - 1)].as_bytes());
        text.push(if mixed.is_multiple_of(12) { b'\n' } else { b' ' });
    }
    text
}

/// Counts the words of a text in chunks, with a copy of the counting stage on each node.
pub struct WordCount;

impl Program for WordCount {
    fn name(&self) -> &'static str {
        "word_count"
    }

    fn title(&self) -> &'static str {
        "word count"
    }

    fn sizes(&self) -> &'static [Size] {
        const {
            &[
                Size::new("bytes", 4_000_000, 3_000).within(0, 1 << 40),
                Size::new("chunk", 1 << 14, 300).within(1, 1 << 40),
            ]
        }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let (bytes, size) = (sizes[0] as usize, sizes[1] as usize);
        let read = text(bytes, 1);
        let lent = RefCell::new(read.clone());
        Ok(Instance::new(
            move || {
                let mut counts = Counts::new();
                count(&read, &mut counts);
                counts
            },
            move |machine| {
                let (text, nodes) = (&mut *lent.borrow_mut(), machine.node_count());
                let length = text.len();
                let run = lend(text, length, 1, |block| {
                    let chunks = items_here(Chunks { rest: Some(block), size });
                    let counts = chunks.farm_unordered(nodes, Counting::default());
                    let (sum, flow) = (Merging { counts: Counts::new() }, Flow { batch: 1, window: 4 });
                    machine.run(|out| Streams::call(counts, sum, flow, out))
                });
                run.map_err(|error| ProgramError::Other(error.into()))?.map_err(ProgramError::from)
            },
            |counts| format!("{} words, {} different ones", counts.values().sum::<u64>(), counts.len()),
        ))
    }
}
