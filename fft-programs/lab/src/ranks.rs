//! Ranks that are threads of this process. Queues under locks join them, and blocks travel as bytes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::{mem, thread};

use earth::Machine;
use earth::ranks::{Arrival, Link, Lost, Message, Pool};
use parking_lot::Mutex;

/// Messages that wait for room at most, from one rank to another.
const ROOM: usize = 1 << 10;

/// Messages from one rank to another.
#[derive(Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    /// Whether the sender is gone, and whether the receiver knows it.
    is_closed: bool,
    is_told: bool,
}

/// Calls `of` with the machine of rank 0, while threads run the other ranks. `set` sets the machine of a
/// rank.
pub(crate) fn on_ranks<T>(
    ranks: usize,
    set: impl Fn(Machine) -> Machine + Sync,
    of: impl FnOnce(Machine) -> T,
) -> T {
    let mut ends = in_process(ranks);
    let own = ends.next().unwrap_or_else(|| unreachable!("there is a rank"));
    thread::scope(|scope| {
        for end in ends {
            let set = &set;
            scope.spawn(move || {
                let mut machine = set(Machine::ranks(end));
                while let Ok(Some(_)) = machine.serve() {}
            });
        }
        of(set(Machine::ranks(own)))
    })
}

/// End of a rank.
struct InProcess {
    rank: usize,
    /// Queues by receiver and by sender.
    queues: Arc<Vec<Vec<Mutex<Queue>>>>,
}

/// Creates the ends of some ranks.
fn in_process(ranks: usize) -> impl Iterator<Item = InProcess> {
    let to_one = || (0..ranks).map(|_| Mutex::default()).collect();
    let queues: Arc<Vec<Vec<_>>> = Arc::new((0..ranks).map(|_| to_one()).collect());
    (0..ranks).map(move |rank| InProcess { rank, queues: Arc::clone(&queues) })
}

impl Link for InProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.queues.len()
    }

    fn send(&mut self, to: usize, message: &mut Message) -> bool {
        // A rank that is gone takes no message out.
        let is_gone = self.queues[self.rank][to].lock().is_closed;
        let mut queue = self.queues[to][self.rank].lock();
        let has_room = queue.messages.len() < ROOM;
        if has_room && !is_gone {
            queue.messages.push_back(mem::take(&mut message.head));
        }
        has_room || is_gone
    }

    fn poll(&mut self, arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
        for (from, queue) in self.queues[self.rank].iter().enumerate() {
            let mut queue = queue.lock();
            if let Some(message) = queue.messages.pop_front() {
                arrival.head = message;
                return Ok(Some(from));
            }
            if queue.is_closed && !mem::replace(&mut queue.is_told, true) {
                return Err(Lost { rank: from, why: "its end was dropped".to_owned() });
            }
        }
        Ok(None)
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        for queues in &*self.queues {
            queues[self.rank].lock().is_closed = true;
        }
    }
}
