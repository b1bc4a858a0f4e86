//! The link between the ranks of an MPI job.
//!
//! 1. A message becomes entries of the batch for its receiver ([`leaving`](crate::leaving)). A flush sends
//!    the batches.
//! 2. A poll reads the next entry of the last batch, or takes the next batch out of the [ring](crate::ring).
//! 3. A piece that follows an entry by itself is received into memory of the machine's pool. The message, and
//!    all later messages of its sender, wait until the piece has arrived.
//! 4. At the end each rank sends all others the last entry of its stream, and receives until it has theirs.
//!
//! *Order.* MPI keeps the order of messages with one tag between two ranks. Batches have one tag and pieces
//! another, and pieces are received in the order of their entries. So messages arrive in the order in which
//! they were sent.
//!
//! *Cost.* A test a poll, a send and a receive for each batch: many small messages share one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use earth::ranks::{Arrival, Landed, Link, Lost, Message, Pool};
use earth_signal::Flag;

use crate::leaving::{BATCHES, Leaving, PIECES, Shared};
use crate::raw::{Communicator, Failure, Memory, PATIENCE, Transfer};
use crate::ring::{Batch, Ring};
use crate::stream::{self, Entry};

/// Smallest size, in bytes, of a block that travels by itself.
const BULK_FROM: usize = 8 * 1024;

/// Number of looks of a waiting rank before it sleeps between them, and its longest sleep.
const YIELDS: u32 = 100;
const LONGEST_SLEEP: Duration = Duration::from_micros(500);

/// Rung from another thread to end a wait.
struct Bell(Flag);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.raise();
    }
}

/// A message of which parts are missing, or that waits behind such a message of the same sender.
#[derive(Default)]
struct Coming {
    head: Vec<u8>,
    /// The pieces that are being received: the blocks in order, then the head if it comes by itself.
    pieces: VecDeque<Transfer>,
    /// The pieces that have arrived.
    arrived: Vec<Landed>,
    /// Whether the last piece is the head.
    whole: bool,
}

/// Another rank.
#[derive(Default)]
struct Peer {
    leaving: Leaving,
    /// Incomplete messages, oldest first.
    coming: VecDeque<Coming>,
    /// Blocks of the message whose head has not been read yet.
    blocks: VecDeque<Transfer>,
    has_ended: bool,
    /// The reason why it is lost: it sent bytes that are no batch, a call failed, or it was silent.
    lost: Option<String>,
}

/// The link of this rank.
pub(crate) struct MpiLink {
    // The fields are dropped in this order: transfers before the communicator.
    peers: Vec<Peer>,
    ring: Ring,
    batch: Option<Batch>,
    shared: Shared,
    bell: Arc<Bell>,
    /// Number of incomplete messages.
    incomplete: usize,
    /// Whether a batch is open or a transfer under way.
    moving: bool,
    /// A rank that was lost inside a fiber. The next poll reports it.
    failed: Option<Lost>,
    /// The outcome of the end.
    closed: Option<Result<(), String>>,
    cores: Option<usize>,
}

impl MpiLink {
    /// Makes the link of a rank that has `cores` cores for itself.
    pub(crate) fn new(comm: Communicator, cores: Option<usize>) -> Result<Self, Failure> {
        let ring = Ring::new(&comm, BATCHES)?;
        let peers = (0..comm.ranks).map(|_| Peer::default()).collect();
        let bell = Arc::new(Bell(Flag::new()));
        let shared = Shared::new(comm);
        Ok(MpiLink {
            peers,
            ring,
            batch: None,
            shared,
            bell,
            incomplete: 0,
            moving: false,
            failed: None,
            closed: None,
            cores,
        })
    }

    /// Marks a rank as lost, and ends the transfers with it.
    fn give_up(&mut self, rank: usize, why: String) -> Lost {
        let peer = &mut self.peers[rank];
        peer.lost = Some(why.clone());
        peer.leaving.clear();
        self.incomplete -= peer.coming.len();
        peer.coming.clear();
        peer.blocks.clear();
        Lost { rank, why }
    }

    /// Reads the next message of the batches that have arrived. Returns its sender.
    fn next(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        loop {
            if self.batch.is_none() {
                self.batch = self.ring.take().map_err(|failure| self.give_up_any(failure))?;
            }
            let Some(batch) = &mut self.batch else { return Ok(None) };
            let from = batch.from;
            if batch.at == batch.length || self.peers[from].lost.is_some() {
                let read = self.batch.take();
                let posted = read.map_or(Ok(()), |batch| self.ring.post(&self.shared.comm, batch));
                posted.map_err(|failure| self.give_up(from, failure.to_string()))?;
                continue;
            }
            let entry = stream::read(&batch.bytes[batch.at..batch.length]);
            let (entry, size) = match entry {
                Ok(entry) => entry,
                Err(malformed) => return Err(self.give_up(from, malformed.to_string())),
            };
            batch.at += size;
            let peer = &mut self.peers[from];
            let receive = |length: usize| {
                let memory = pool.take(length).map_err(|error| error.to_string())?;
                let comm = &self.shared.comm;
                comm.receive(Some(from), PIECES, Memory::Landed(memory))
                    .map_err(|failure| failure.to_string())
            };
            match entry {
                Entry::Head(head) if peer.blocks.is_empty() && peer.coming.is_empty() => {
                    arrival.head.extend_from_slice(head);
                    return Ok(Some(from));
                }
                Entry::Head(head) => {
                    let pieces = std::mem::take(&mut peer.blocks);
                    peer.coming.push_back(Coming { head: head.to_vec(), pieces, ..Coming::default() });
                    self.incomplete += 1;
                }
                Entry::Whole(length) => {
                    let mut pieces = std::mem::take(&mut peer.blocks);
                    match receive(length) {
                        Ok(head) => pieces.push_back(head),
                        Err(why) => return Err(self.give_up(from, why)),
                    }
                    peer.coming.push_back(Coming { pieces, whole: true, ..Coming::default() });
                    self.incomplete += 1;
                }
                Entry::Blocks(lengths) => {
                    let received = lengths.iter().try_for_each(|length| {
                        peer.blocks.push_back(receive(length)?);
                        Ok(())
                    });
                    if let Err(why) = received {
                        return Err(self.give_up(from, why));
                    }
                }
                Entry::End => peer.has_ended = true,
            }
        }
    }

    /// Returns the sender of a message whose pieces have arrived.
    fn completed(&mut self, arrival: &mut Arrival) -> Result<Option<usize>, Lost> {
        for from in 0..self.peers.len() {
            let Some(oldest) = self.peers[from].coming.front_mut() else { continue };
            match oldest.is_complete() {
                Ok(false) => {}
                Ok(true) => {
                    let message = self.peers[from].coming.pop_front().unwrap_or_default();
                    self.incomplete -= 1;
                    message.store(arrival);
                    return Ok(Some(from));
                }
                Err(why) => return Err(self.give_up(from, why)),
            }
        }
        Ok(None)
    }

    /// Loses a rank after a failure that concerns none in particular.
    fn give_up_any(&mut self, failure: Failure) -> Lost {
        let own = self.shared.comm.rank;
        let rank = (0..self.peers.len()).find(|&rank| rank != own && self.peers[rank].lost.is_none());
        self.give_up(rank.unwrap_or(own), failure.to_string())
    }

    /// Sends all open batches. Returns whether all transfers have ended.
    fn send_all(&mut self) -> bool {
        let mut all = true;
        for (to, peer) in self.peers.iter_mut().enumerate().filter(|(_, peer)| !peer.leaving.is_empty()) {
            let sent = peer.leaving.close(to, &mut self.shared);
            let sent = sent.and_then(|()| peer.leaving.reap(Some(&mut self.shared)));
            // A later poll or send reports a broken connection.
            if sent.is_err() {
                peer.leaving.clear();
            }
            all &= peer.leaving.is_empty();
        }
        self.moving = !all;
        all
    }
}

impl Coming {
    /// Whether all pieces have arrived, each with the announced length.
    fn is_complete(&mut self) -> Result<bool, String> {
        while let Some(first) = self.pieces.front_mut() {
            let Some(received) = first.test().map_err(|failure| failure.to_string())? else {
                return Ok(false);
            };
            let Some(Memory::Landed(piece)) = self.pieces.pop_front().map(Transfer::into_memory) else {
                unreachable!("pieces are received in memory of the pool")
            };
            if received.length != piece.len() {
                return Err(format!("it announced {} bytes and sent {}", piece.len(), received.length));
            }
            self.arrived.push(piece);
        }
        Ok(true)
    }

    fn store(mut self, arrival: &mut Arrival) {
        let head = if self.whole { self.arrived.pop() } else { None };
        match head {
            Some(mut head) => arrival.head.extend_from_slice(head.bytes_mut().unwrap_or_default()),
            None => arrival.head = self.head,
        }
        arrival.bulk = self.arrived;
    }
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.shared.comm.rank
    }

    fn ranks(&self) -> usize {
        self.shared.comm.ranks
    }

    fn is_thread_bound(&self) -> bool {
        true
    }

    fn bulk_from(&self) -> usize {
        BULK_FROM
    }

    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        let peer = &mut self.peers[to];
        if peer.lost.is_some() {
            return true;
        }
        match peer.leaving.has_room() {
            Ok(true) => {}
            Ok(false) => return false,
            Err(_) => peer.leaving.clear(),
        }
        self.moving = true;
        if peer.leaving.put(to, message, &mut self.shared).is_err() {
            peer.leaving.clear();
        }
        true
    }

    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        if let Some(lost) = self.failed.take() {
            return Err(lost);
        }
        if self.incomplete > 0
            && let Some(from) = self.completed(arrival)?
        {
            return Ok(Some(from));
        }
        self.next(arrival, pool)
    }

    fn flush(&mut self) -> bool {
        !self.moving || self.send_all()
    }

    /// The transfers to and from the rank may never end, so they stay. The end of the job drops them.
    fn lose(&mut self, lost: Lost) {
        self.peers[lost.rank].lost = Some(lost.why);
    }

    /// MPI reports no lost rank. The launcher ends all processes.
    fn reports_losses(&self) -> bool {
        false
    }

    fn cores(&self) -> Option<usize> {
        self.cores
    }

    fn attend(&mut self) {
        // One call of MPI makes progress on all transfers.
        if self.moving {
            self.send_all();
        }
        let mut coming = self.peers.iter_mut().enumerate();
        let oldest = coming.find_map(|(from, peer)| Some((from, peer.coming.front_mut()?)));
        if let Some((from, oldest)) = oldest
            && let Err(why) = oldest.is_complete()
        {
            self.failed = Some(self.give_up(from, why));
        }
    }

    fn wait(&mut self, most: Duration) {
        let begun = Instant::now();
        for looks in 0.. {
            if self.bell.0.is_raised() {
                // A ring after this one is about something that the caller looks at after its wait.
                self.bell.0.clear();
                return;
            }
            if self.incomplete > 0 {
                return;
            }
            if self.batch.is_none() {
                match self.ring.take() {
                    Ok(batch) => self.batch = batch,
                    // The next poll reports it.
                    Err(_) => return,
                }
            }
            if self.batch.is_some() || self.moving && self.send_all() || begun.elapsed() >= most {
                return;
            }
            if looks < YIELDS {
                thread::yield_now();
            } else {
                thread::sleep(Duration::from_micros(u64::from(looks / 4)).min(LONGEST_SLEEP));
            }
        }
    }

    fn waker(&self) -> Option<Waker> {
        Some(Waker::from(Arc::clone(&self.bell)))
    }

    fn close(&mut self, limit: Duration) -> Result<(), String> {
        if self.closed.is_none() {
            self.closed = Some(self.leave(limit));
        }
        self.closed.clone().unwrap_or(Ok(()))
    }
}

impl MpiLink {
    /// Fails if a rank is lost.
    fn check_all_are_there(&self) -> Result<(), String> {
        let lost =
            |(rank, peer): (usize, &Peer)| Some(format!("rank {rank} is lost: {}", peer.lost.as_ref()?));
        self.peers.iter().enumerate().find_map(lost).map_or(Ok(()), Err)
    }

    /// Exchanges the last entries with all ranks. A job that has lost a rank cannot end in order: the last
    /// call of MPI waits for all.
    fn leave(&mut self, limit: Duration) -> Result<(), String> {
        let (begun, own) = (Instant::now(), self.shared.comm.rank);
        self.check_all_are_there()?;
        for (to, peer) in self.peers.iter_mut().enumerate().filter(|(to, _)| *to != own) {
            peer.leaving.put_end(to, &mut self.shared).map_err(|failure| failure.to_string())?;
        }
        self.moving = true;
        let pool = Pool::new();
        loop {
            let sent = self.flush();
            // A machine that has left needs no message that still arrives.
            let heard = self.poll(&mut Arrival::default(), &pool);
            self.check_all_are_there()?;
            let missing = |(rank, peer): (usize, &Peer)| (rank != own && !peer.has_ended).then_some(rank);
            let missing: Vec<_> = self.peers.iter().enumerate().filter_map(missing).collect();
            if sent && missing.is_empty() && self.incomplete == 0 {
                return Ok(());
            }
            if begun.elapsed() > limit.max(PATIENCE) {
                return Err(format!("ranks {missing:?} have not left the job after {:?}", begun.elapsed()));
            }
            if !matches!(heard, Ok(Some(_))) {
                thread::yield_now();
            }
        }
    }
}

impl Drop for MpiLink {
    /// All ranks leave together. A rank that has waited too long for the others ends the job: the end of the
    /// library would wait for them without limit.
    fn drop(&mut self) {
        // In another thread no call of MPI is allowed.
        if self.shared.comm.is_here()
            && let Err(why) = self.close(PATIENCE)
        {
            eprintln!("earth-mpi: rank {} ends the job: {why}", self.shared.comm.rank);
            self.shared.comm.abort();
        }
    }
}
