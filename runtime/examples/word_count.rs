//! Word count: how often each word of a text occurs.
//!
//! ```text
//! cargo run --release -p earth --example programs -- word_count 200000000 2 spn    # bytes, nodes, spn or dual
//! cargo run --release -p earth --example programs -- word_count book.txt 2         # the words of a file
//! ```
//!
//! 1. The source cuts the text into chunks that end between two words. It stays on its node, and so does the
//!    text: a chunk is a part of a [`Block`] of borrowed memory, and no byte is copied within a process.
//! 2. A farm has a copy of the counting stage on each node. A copy counts the words of all chunks that it
//!    gets in one map. It has one result, its map, when the text has ended.
//! 3. The sink adds the maps.
//!
//! So two maps are merged on two nodes, however long the text is. The order of the chunks does not matter:
//! the farm is unordered.

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use earth::patterns::{Flow, Sink, Stage, Streams, Upstream, items_here};
use earth::{Block, Config, Machine, Wire, Work, lend};

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
pub(crate) fn text(bytes: usize, seed: u64) -> Vec<u8> {
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
        text.push(if mixed % 12 == 0 { b'\n' } else { b' ' });
    }
    text
}

/// Counts the words of `text` in chunks of about `chunk` bytes, with a copy of the counting stage on each
/// node, and checks the counts.
pub(crate) fn demonstrate(
    text: &mut [u8],
    chunk: usize,
    machine: &mut Machine,
) -> Result<[Duration; 2], Box<dyn Error>> {
    let nodes = machine.node_count();
    let bytes = text.len();
    let run = lend(text, bytes, 1, |block| {
        let chunks = items_here(Chunks { rest: Some(block), size: chunk });
        let counts = chunks.farm_unordered(nodes, Counting::default());
        let (sum, flow) = (Merging { counts: Counts::new() }, Flow { batch: 1, window: 4 });
        machine.run(|out| Streams::call(counts, sum, flow, out))
    })??;
    let began = Instant::now();
    let mut expected = Counts::new();
    count(text, &mut expected);
    let plain = began.elapsed();
    if run.value != expected {
        return Err("the counts are wrong".into());
    }
    eprintln!(
        "{} words, {} different ones, on {nodes} nodes: {:.1} ms",
        expected.values().sum::<u64>(),
        expected.len(),
        run.elapsed.as_secs_f64() * 1e3,
    );
    Ok([plain, run.elapsed])
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = args.collect();
    let source = args.first().map_or("10000000", String::as_str);
    let mut text = source.parse().map_or_else(|_| std::fs::read(source), |bytes| Ok(text(bytes, 1)))?;
    let nodes = args.get(1).map_or(Ok(2), |arg| arg.parse())?;
    let config = args.get(2).map_or(Ok(Config::Spn), |arg| arg.parse())?;
    let [plain, run] = demonstrate(&mut text, 1 << 17, &mut Machine::threads(nodes).config(config))?;
    eprintln!("{:.2} of the time of one thread", run.as_secs_f64() / plain.as_secs_f64());
    Ok(())
}
