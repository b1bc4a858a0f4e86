//! The messages from this rank to one other rank.
//!
//! Entries of messages are appended to an open batch. The batch is sent when the link is flushed or the next
//! entry finds no room. A block is sent by itself from where it is stored, unless there are gaps between its
//! rows: then they are gathered in memory of a pool.
//!
//! *Credit.* MPI itself has no flow control for small messages: it would store them at the receiver without
//! bound. So each [`MATCHED`]th batch is sent by `MPI_Issend`, which completes only when the receiver has a
//! receive posted for it. At most [`OPEN`] transfers to a rank are under way, so at most
//! `OPEN + MATCHED` batches wait there for a receive.

use std::collections::VecDeque;
use std::os::raw::c_int;

use earth::ranks::{Bulk, Message, Pool};

use crate::raw::{Communicator, Failure, Memory, Transfer};
use crate::stream::{self, BATCH, SMALL};

/// Tags of batches, and of blocks and messages that are sent by themselves.
pub(crate) const BATCHES: c_int = 1;
pub(crate) const PIECES: c_int = 2;

/// Every batch of this number completes only when it is received.
const MATCHED: u32 = 16;

/// Most transfers to a rank that are under way.
const OPEN: usize = 64;

/// Most free buffers that are kept.
const SPARE: usize = 64;

/// The transfers to one rank.
#[derive(Default)]
pub(crate) struct Leaving {
    /// The batch that takes entries.
    open: Vec<u8>,
    under_way: VecDeque<Transfer>,
    batches: u32,
}

/// Data that all transfers of a rank share: the communicator and free memory.
pub(crate) struct Shared {
    pub(crate) comm: Communicator,
    spare: Vec<Vec<u8>>,
    gathered: Pool,
}

impl Shared {
    pub(crate) fn new(comm: Communicator) -> Self {
        Shared { comm, spare: Vec::new(), gathered: Pool::new() }
    }
}

impl Leaving {
    /// Whether there is room for a message.
    pub(crate) fn has_room(&mut self) -> Result<bool, Failure> {
        if self.under_way.len() >= OPEN {
            self.reap(None)?;
        }
        Ok(self.under_way.len() < OPEN)
    }

    /// Takes a message for rank `to`.
    pub(crate) fn put(
        &mut self,
        to: usize,
        message: &mut Message,
        shared: &mut Shared,
    ) -> Result<(), Failure> {
        if !message.bulk.is_empty() {
            let lengths: Vec<_> = message.bulk.iter().map(Bulk::bytes).collect();
            let mut outcome = Ok(());
            stream::each_entry_of_blocks(&lengths, |size, append| {
                outcome = std::mem::replace(&mut outcome, Ok(()))
                    .and_then(|()| self.entry(to, size, shared, |batch| append(batch)));
            });
            outcome?;
        }
        let whole = (message.head.len() > SMALL).then(|| std::mem::take(&mut message.head));
        match &whole {
            Some(head) => {
                self.entry(to, stream::entry(8), shared, |batch| stream::put_whole(batch, head.len()))?
            }
            None => {
                let size = stream::entry(message.head.len());
                self.entry(to, size, shared, |batch| stream::put_head(batch, &message.head))?;
            }
        }
        if message.bulk.is_empty() && whole.is_none() {
            return Ok(());
        }
        // The receiver reads the entries first, and then receives the pieces.
        self.close(to, shared)?;
        for block in message.bulk.drain(..) {
            let memory = gathered(block, &shared.gathered);
            self.under_way.push_back(shared.comm.send(to, PIECES, memory, false)?);
        }
        if let Some(head) = whole {
            self.under_way.push_back(shared.comm.send(to, PIECES, Memory::Bytes(head), false)?);
        }
        Ok(())
    }

    /// Appends the last entry of the stream.
    pub(crate) fn put_end(&mut self, to: usize, shared: &mut Shared) -> Result<(), Failure> {
        self.entry(to, stream::entry(0), shared, stream::put_end)
    }

    /// Appends an entry of `size` bytes to the open batch, or else to the next one.
    fn entry(
        &mut self,
        to: usize,
        size: usize,
        shared: &mut Shared,
        append: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Failure> {
        if self.open.len() + size > BATCH {
            self.close(to, shared)?;
        }
        if self.open.capacity() == 0 {
            self.open = shared.spare.pop().unwrap_or_else(|| Vec::with_capacity(BATCH));
        }
        append(&mut self.open);
        Ok(())
    }

    /// Sends the open batch.
    pub(crate) fn close(&mut self, to: usize, shared: &mut Shared) -> Result<(), Failure> {
        if self.open.is_empty() {
            return Ok(());
        }
        let bytes = Memory::Bytes(std::mem::take(&mut self.open));
        self.batches = self.batches.wrapping_add(1);
        let matched = self.batches.is_multiple_of(MATCHED);
        self.under_way.push_back(shared.comm.send(to, BATCHES, bytes, matched)?);
        self.reap(Some(shared))
    }

    /// Forgets the transfers that have ended, oldest first, and keeps their buffers.
    pub(crate) fn reap(&mut self, mut shared: Option<&mut Shared>) -> Result<(), Failure> {
        while let Some(oldest) = self.under_way.front_mut() {
            if oldest.test()?.is_none() {
                break;
            }
            let memory = self.under_way.pop_front().map(Transfer::into_memory);
            if let (Some(Memory::Bytes(mut bytes)), Some(shared)) = (memory, &mut shared)
                && bytes.capacity() == BATCH
                && shared.spare.len() < SPARE
            {
                bytes.clear();
                shared.spare.push(bytes);
            }
        }
        Ok(())
    }

    /// Whether no batch is open and no transfer under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.under_way.is_empty()
    }

    /// Drops all transfers to a rank that is lost.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.under_way.clear();
    }
}

/// Returns the rows of a block without gaps between them. Rows with gaps are copied, into memory of `pool`.
fn gathered(block: Bulk, pool: &Pool) -> Memory {
    if block.contiguous().is_some() {
        return Memory::Bulk(block);
    }
    let mut landed = pool.take(block.bytes()).unwrap_or_else(|error| error.unwind());
    block.gather(landed.bytes_mut().unwrap_or_else(|| unreachable!("it is no block yet")));
    Memory::Landed(landed)
}
