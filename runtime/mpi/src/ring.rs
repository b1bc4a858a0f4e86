//! The receives of batches: a ring of posted receives. The oldest is tested.
//!
//! All ranks send their batches with one tag, so a batch matches the oldest posted receive. A look for a
//! batch is therefore one test. (A probe and a receive would cost two calls and, measured, 0.45 us more.) A
//! receive is posted again when its batch has been read. A rank that does not poll posts none, and the
//! credits of the senders end. So its memory does not grow.

use std::os::raw::c_int;

use crate::raw::{Communicator, Failure, Memory, Transfer};
use crate::stream::BATCH;

/// Number of posted receives.
const RECEIVES: usize = 32;

/// The posted receives, oldest first.
pub(crate) struct Ring {
    receives: Vec<Option<Transfer>>,
    front: usize,
    tag: c_int,
}

/// A batch that has arrived.
pub(crate) struct Batch {
    pub(crate) from: usize,
    pub(crate) bytes: Vec<u8>,
    /// Number of bytes of the batch, and the position of its next entry.
    pub(crate) length: usize,
    pub(crate) at: usize,
}

impl Ring {
    pub(crate) fn new(comm: &Communicator, tag: c_int) -> Result<Self, Failure> {
        let receives =
            (0..RECEIVES).map(|_| comm.receive(None, tag, Memory::Bytes(vec![0; BATCH])).map(Some));
        Ok(Ring { receives: receives.collect::<Result<_, _>>()?, front: 0, tag })
    }

    /// Returns the next batch. Its place in the ring is empty until [`post`](Self::post).
    pub(crate) fn take(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(oldest) = &mut self.receives[self.front] else { return Ok(None) };
        let Some(received) = oldest.test()? else { return Ok(None) };
        let oldest = self.receives[self.front].take();
        let Some(Memory::Bytes(bytes)) = oldest.map(Transfer::into_memory) else {
            unreachable!("batches are received in bytes")
        };
        Ok(Some(Batch { from: received.from, bytes, length: received.length, at: 0 }))
    }

    /// Posts the receive of the batch that was taken last, which has been read, again.
    pub(crate) fn post(&mut self, comm: &Communicator, batch: Batch) -> Result<(), Failure> {
        self.receives[self.front] = Some(comm.receive(None, self.tag, Memory::Bytes(batch.bytes))?);
        self.front = (self.front + 1) % RECEIVES;
        Ok(())
    }
}
