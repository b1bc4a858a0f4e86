//! A link between ranks that are threads of one process: queues under locks, each with room for `room`
//! messages. Blocks travel beside their messages if `room` is even, so that both forms are tested.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use earth::ranks::{Arrival, Link, Lost, Message, Pool};

/// Messages on their way from one rank to another.
#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// Whether the sender is gone, and whether the receiver has noticed it.
    closed: bool,
    told: bool,
}

/// Queues of one receiving rank, by sending rank.
type Queues = Arc<Vec<Vec<Mutex<Queue>>>>;

/// One rank's end. When it is dropped, the other ranks lose this rank.
pub struct Channels {
    rank: usize,
    room: usize,
    queues: Queues,
    /// Rank whose messages are checked first.
    first: usize,
}

/// Creates the ends of `ranks` ranks. Each queue from one rank to another has room for `room` messages.
pub fn channels(ranks: usize, room: usize) -> Vec<Channels> {
    let to_one = || (0..ranks).map(|_| Mutex::default()).collect();
    let queues: Queues = Arc::new((0..ranks).map(|_| to_one()).collect());
    (0..ranks).map(|rank| Channels { rank, room, queues: Arc::clone(&queues), first: 0 }).collect()
}

fn locked<T>(queue: &Mutex<Queue>, act: impl FnOnce(&mut Queue) -> T) -> T {
    act(&mut queue.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Channels {
    /// Sends bytes to a rank, if there is room.
    pub fn send_bytes(&mut self, to: usize, head: Vec<u8>) -> bool {
        self.send(to, &mut Message { head, bulk: Vec::new() })
    }

    /// Returns the bytes of the next message that has arrived, with its sender.
    pub fn poll_bytes(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost> {
        let mut arrival = Arrival::default();
        Ok(self.poll(&mut arrival, &Pool::new())?.map(|from| (from, arrival.head)))
    }
}

impl Link for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.queues.len()
    }

    fn bulk_from(&self) -> usize {
        if self.room.is_multiple_of(2) { 1 } else { usize::MAX }
    }

    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        // If the receiver is gone, its messages would never be taken out.
        let is_gone = locked(&self.queues[self.rank][to], |back| back.closed);
        locked(&self.queues[to][self.rank], |queue| {
            let is_taken = is_gone || queue.messages.len() < self.room;
            if is_taken && !is_gone {
                queue.messages.push_back(std::mem::take(message));
            }
            is_taken
        })
    }

    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost> {
        let ranks = self.ranks();
        for step in 0..ranks {
            let from = (self.first + step) % ranks;
            let next = locked(&self.queues[self.rank][from], |queue| match queue.messages.pop_front() {
                None if queue.closed && !std::mem::replace(&mut queue.told, true) => Some(None),
                message => message.map(Some),
            });
            if let Some(message) = next {
                self.first = from + 1;
                let lost = || Lost { rank: from, why: "its end was dropped".to_owned() };
                let message = message.ok_or_else(lost)?;
                arrival.head = message.head;
                arrival.bulk.extend(message.bulk.into_iter().map(|block| {
                    let mut landed = pool.take(block.bytes()).expect("there is memory");
                    block.gather(landed.bytes_mut().expect("it is no block yet"));
                    landed
                }));
                return Ok(Some(from));
            }
        }
        Ok(None)
    }
}

impl Drop for Channels {
    fn drop(&mut self) {
        for to in 0..self.ranks() {
            locked(&self.queues[to][self.rank], |queue| queue.closed = true);
        }
    }
}
