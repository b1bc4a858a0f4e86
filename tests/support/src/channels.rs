//! A link between ranks that are threads of one process: queues under locks, each with room for `room`
//! messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use earth::ranks::{Link, Lost};

/// Messages on their way from one rank to another.
#[derive(Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
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

impl Link for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.queues.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Vec<u8>> {
        // If the receiver is gone, its messages would never be taken out.
        let is_gone = locked(&self.queues[self.rank][to], |back| back.closed);
        locked(&self.queues[to][self.rank], |queue| {
            if is_gone {
                return Ok(());
            }
            if queue.messages.len() >= self.room {
                return Err(message);
            }
            queue.messages.push_back(message);
            Ok(())
        })
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost> {
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
                return message.map(|message| Some((from, message))).ok_or_else(lost);
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
