//! Lines of a text in UTF-8 or UTF-16.
//!
//! A byte order mark selects the encoding and is not part of the text. A text without one is taken as UTF-8.
//! Invalid bytes stay as they are: only cells that are used must be valid text. UTF-16 becomes UTF-8, and
//! half of a surrogate pair becomes U+FFFD. A line ends with LF, CR or CRLF, and the three may be mixed. The
//! cost is a buffer of 64 KiB (two for UTF-16) and one line.

use std::io::Read;

use super::error::CsvError;
use crate::io::fill::fill;

/// Bytes per read; even, so that no unit of UTF-16 is split.
const CHUNK: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { big_endian: bool },
}

/// Reader of the lines of a source.
pub(in crate::io) struct Lines<R> {
    source: R,
    encoding: Encoding,
    /// Bytes of the source that were read last.
    bytes: Vec<u8>,
    /// First half of a surrogate pair at the end of `bytes`.
    half: Option<u16>,
    /// Text in UTF-8, consumed up to `taken`.
    text: Vec<u8>,
    taken: usize,
    /// Whether the last line ended with CR, so that a following LF belongs to its end.
    after_cr: bool,
    number: u64,
}

impl<R: Read> Lines<R> {
    /// Creates a reader of the lines of `source`, which need not be buffered.
    pub(in crate::io) fn of(mut source: R) -> Result<Self, CsvError> {
        let mut mark = [0; 3];
        let found = fill(&mut source, &mut mark)?;
        let (encoding, rest) = match &mark[..found] {
            [0xef, 0xbb, 0xbf] => (Encoding::Utf8, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16 { big_endian: false }, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16 { big_endian: true }, 2),
            _ => (Encoding::Utf8, 0),
        };
        let bytes = mark[rest..found].to_vec();
        Ok(Self {
            source,
            encoding,
            bytes,
            half: None,
            text: Vec::new(),
            taken: 0,
            after_cr: false,
            number: 0,
        })
    }

    /// Returns the number of the last line read, from 1; 0 before the first.
    pub(in crate::io) fn number(&self) -> u64 {
        self.number
    }

    /// Appends the next line to `line`, without its end. Returns false if there is none.
    ///
    /// # Errors
    ///
    /// A NUL in the line, half a character of UTF-16 at the end, no memory for the line, or an error of the
    /// source.
    pub(in crate::io) fn append_to(&mut self, line: &mut Vec<u8>) -> Result<bool, CsvError> {
        let begin = line.len();
        loop {
            if self.taken == self.text.len() && !self.refill()? {
                if line.len() == begin {
                    return Ok(false);
                }
                break;
            }
            if std::mem::take(&mut self.after_cr) && self.text[self.taken] == b'\n' {
                self.taken += 1;
                continue;
            }
            let rest = &self.text[self.taken..];
            let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
            let part = &rest[..end.unwrap_or(rest.len())];
            line.try_reserve(part.len()).map_err(|_| CsvError::Memory(self.number + 1))?;
            line.extend_from_slice(part);
            self.taken += part.len();
            if end.is_some() {
                self.after_cr = self.text[self.taken] == b'\r';
                self.taken += 1;
                break;
            }
        }
        self.number += 1;
        if line[begin..].contains(&0) { Err(CsvError::Nul(self.number)) } else { Ok(true) }
    }

    /// Reads more text. Returns false if there is none.
    fn refill(&mut self) -> Result<bool, CsvError> {
        self.taken = 0;
        self.text.clear();
        while self.text.is_empty() {
            let kept = self.bytes.len();
            self.bytes.resize(CHUNK, 0);
            let found = kept + fill(&mut self.source, &mut self.bytes[kept..])?;
            self.bytes.truncate(found);
            if found == 0 && self.half.is_none() {
                return Ok(false);
            }
            match self.encoding {
                Encoding::Utf8 => std::mem::swap(&mut self.text, &mut self.bytes),
                Encoding::Utf16 { big_endian } => self.decode(big_endian)?,
            }
            self.bytes.clear();
        }
        Ok(true)
    }

    /// Decodes all bytes, which are UTF-16.
    fn decode(&mut self, big_endian: bool) -> Result<(), CsvError> {
        let (units, rest) = self.bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(CsvError::HalfUnit);
        }
        let of = if big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
        let mut units: Vec<u16> = self.half.take().into_iter().chain(units.iter().copied().map(of)).collect();
        // Only the last chunk is shorter.
        if self.bytes.len() == CHUNK {
            self.half = units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
        }
        let characters = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.text = characters.collect::<String>().into_bytes();
        Ok(())
    }
}
