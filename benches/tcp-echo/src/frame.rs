//! The bytes of requests and answers.
//!
//! | frame | bytes |
//! |---|---|
//! | request | the payload's length (4 bytes), the payload |
//! | answer | the payload's length plus 8 (4 bytes), the payload's checksum (8 bytes), the payload |
//!
//! All numbers are little-endian. A payload has 1 to [`MOST_PAYLOAD`] bytes.

use std::fmt;

/// The most bytes of a payload.
pub const MOST_PAYLOAD: usize = 4096;

/// Bytes of a frame's length.
const LENGTH: usize = 4;

/// Bytes of a checksum.
const CHECKSUM: usize = 8;

/// The most bytes of a request.
pub const MOST_REQUEST: usize = LENGTH + MOST_PAYLOAD;

/// The most bytes of an answer.
pub const MOST_ANSWER: usize = LENGTH + CHECKSUM + MOST_PAYLOAD;

/// Returns the checksum of a payload: FNV-1a, 64 bits.
pub fn checksum(payload: &[u8]) -> u64 {
    let mix = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    payload.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Appends the request with this payload to `out`.
pub fn request(payload: &[u8], out: &mut Vec<u8>) {
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
}

/// Returns the answer to a payload without its checksum, which [`seal`] computes later.
pub fn unsealed(payload: &[u8]) -> Vec<u8> {
    let mut answer = Vec::with_capacity(answer_length(payload));
    answer.extend(((CHECKSUM + payload.len()) as u32).to_le_bytes());
    answer.extend([0; CHECKSUM]);
    answer.extend(payload);
    answer
}

/// Returns the bytes of the answer to a payload.
pub fn answer_length(payload: &[u8]) -> usize {
    LENGTH + CHECKSUM + payload.len()
}

/// Computes the checksum of an answer that [`unsealed`] made.
pub fn seal(answer: &mut [u8]) {
    let (head, payload) = answer.split_at_mut(LENGTH + CHECKSUM);
    head[LENGTH..].copy_from_slice(&checksum(payload).to_le_bytes());
}

/// Whether this is the content of the right answer to a payload: its checksum and its bytes.
pub fn is_answer_to(payload: &[u8], content: &[u8]) -> bool {
    content
        .split_at_checked(CHECKSUM)
        .is_some_and(|(sum, echoed)| echoed == payload && sum == checksum(payload).to_le_bytes())
}

/// The error for a frame whose length is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadLength(pub usize);

impl fmt::Display for BadLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a frame has an invalid length of {} bytes", self.0)
    }
}

impl std::error::Error for BadLength {}

/// Received bytes, which are split into frames.
#[derive(Debug)]
pub struct Incoming {
    bytes: Vec<u8>,
    /// Where the next frame begins.
    begin: usize,
    least: usize,
    most: usize,
}

impl Incoming {
    /// Returns no bytes, for requests.
    pub fn of_requests() -> Self {
        Incoming { bytes: Vec::new(), begin: 0, least: 1, most: MOST_PAYLOAD }
    }

    /// Returns no bytes, for answers.
    pub fn of_answers() -> Self {
        Incoming { least: CHECKSUM + 1, most: CHECKSUM + MOST_PAYLOAD, ..Self::of_requests() }
    }

    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.begin));
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns where the content of the next frame ends, or `None` if the frame is incomplete.
    ///
    /// # Errors
    ///
    /// If the frame's length is not allowed. The bytes after it have no meaning.
    fn end(&self) -> Result<Option<usize>, BadLength> {
        let rest = &self.bytes[self.begin..];
        let Some(&length) = rest.first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_le_bytes(length) as usize;
        if length < self.least || length > self.most {
            return Err(BadLength(length));
        }
        Ok((rest.len() >= LENGTH + length).then_some(self.begin + LENGTH + length))
    }

    /// Whether the next frame is complete.
    ///
    /// # Errors
    ///
    /// If the frame's length is not allowed.
    pub fn is_complete(&self) -> Result<bool, BadLength> {
        Ok(self.end()?.is_some())
    }

    /// Takes the next frame, if it is complete. Returns its content: all but its length.
    ///
    /// # Errors
    ///
    /// If the frame's length is not allowed.
    pub fn take(&mut self) -> Result<Option<&[u8]>, BadLength> {
        let Some(end) = self.end()? else { return Ok(None) };
        let begin = std::mem::replace(&mut self.begin, end);
        Ok(Some(&self.bytes[begin + LENGTH..end]))
    }

    /// Whether all received bytes were taken.
    pub fn is_empty(&self) -> bool {
        self.begin == self.bytes.len()
    }
}
