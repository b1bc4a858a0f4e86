//! Interface to the transport between the processes of a machine.

use std::task::Waker;
use std::time::{Duration, Instant};

use earth_memory::{Bulk, Landed, Pool};

use crate::primitive::thread::yield_now;

/// A message that leaves for another rank.
#[derive(Debug, Default)]
pub struct Message {
    /// The message's bytes.
    pub head: Vec<u8>,
    /// The blocks that travel beside the bytes, in order.
    pub bulk: Vec<Bulk>,
}

/// A message that has arrived from another rank.
#[derive(Debug, Default)]
pub struct Arrival {
    /// The message's bytes.
    pub head: Vec<u8>,
    /// The blocks of the message, in order, each in memory of the machine's pool.
    pub bulk: Vec<Landed>,
}

impl Message {
    pub(crate) fn clear(&mut self) {
        self.head.clear();
        self.bulk.clear();
    }
}

impl Arrival {
    pub(crate) fn clear(&mut self) {
        self.head.clear();
        self.bulk.clear();
    }
}

/// One process's end of the transport between the ranks of a machine: `ranks` processes numbered from 0.
///
/// Messages from one rank to another arrive whole, unchanged, once, and in the order in which they were sent,
/// or the link [loses](Lost) the rank. Messages of different ranks are not ordered. Only [`wait`](Link::wait)
/// waits.
///
/// The program determines the length of a message: some 50 bytes for a signal. Small blocks are part of the
/// message's bytes. A block of at least [`bulk_from`](Link::bulk_from) bytes travels beside them: the link
/// sends its rows from where they are stored, and stores them in memory of the receiver's pool. A link that
/// receives lengths from the other side must bound them.
///
/// *Buffers.* The machine uses one [`Message`] and one [`Arrival`] for all messages. A link copies a small
/// message out of or into these vectors, or takes and replaces a large vector. So a small message needs no
/// allocation.
///
/// ```
/// use std::sync::mpsc::{Receiver, Sender, channel};
///
/// use earth::ranks::{Arrival, Link, Lost, Message, Pool};
/// use earth::{Eu, Machine, NodeId, Reply, threaded};
///
/// /// Two ranks in threads of one process, joined by channels.
/// struct Channels {
///     rank: usize,
///     out: Sender<Vec<u8>>,
///     from: Receiver<Vec<u8>>,
/// }
///
/// impl Link for Channels {
///     fn rank(&self) -> usize { self.rank }
///     fn ranks(&self) -> usize { 2 }
///     fn send(&mut self, _to: usize, message: &mut Message) -> bool {
///         let _ = self.out.send(message.head.clone());
///         true
///     }
///     fn poll(&mut self, arrival: &mut Arrival, _pool: &Pool) -> Result<Option<usize>, Lost> {
///         let Ok(message) = self.from.try_recv() else { return Ok(None) };
///         arrival.head = message;
///         Ok(Some(1 - self.rank))
///     }
/// }
///
/// /// The number of the node that it runs on, doubled on the last one.
/// struct Doubles;
///
/// #[threaded]
/// impl Doubles {
///     fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
///         let last = NodeId::new(eu.nodes() - 1);
///         if eu.node() == last { eu.put(out, 2 * last.index()) } else { eu.invoke(last, Doubles::call(out)) }
///     }
/// }
///
/// let ((to_1, from_0), (to_0, from_1)) = (channel(), channel());
/// let served = std::thread::spawn(|| {
///     let mut machine = Machine::ranks(Channels { rank: 1, out: to_0, from: from_0 });
///     machine.serve().map(|run| run.map(|run| run.by_node[1].fibers))
/// });
/// let mut machine = Machine::ranks(Channels { rank: 0, out: to_1, from: from_1 });
/// assert_eq!(machine.run(Doubles::call)?.value, 2);
/// assert_eq!(served.join().expect("it does not panic"), Ok(Some(1)));
/// # Ok::<(), earth::Error>(())
/// ```
pub trait Link: Send {
    /// Returns the number of this process.
    fn rank(&self) -> usize;

    /// Returns the number of processes, 1 to [`MOST_NODES`](crate::Machine::MOST_NODES).
    fn ranks(&self) -> usize;

    /// Returns the smallest size, in bytes, of a block that travels beside its message. By default no block
    /// does.
    fn bulk_from(&self) -> usize {
        usize::MAX
    }

    /// Takes a message for another rank, or refuses it if there is no room for it now. Returns whether it was
    /// taken. The caller retries a refused message, which is unchanged, and sends that rank no other message
    /// before. The contents of a taken message are arbitrary. A message for a lost rank is taken and dropped.
    fn send(&mut self, to: usize, message: &mut Message) -> bool;

    /// Stores the next message that has arrived in `arrival`, which is empty, and returns its sender. The
    /// blocks of the message are stored in memory of `pool`. A rank that is not ready for more does not call
    /// this; the link must then make the sender's `send` refuse messages (back-pressure).
    ///
    /// # Errors
    ///
    /// If another rank is lost: once for each lost rank, after the last message from it.
    fn poll(&mut self, arrival: &mut Arrival, pool: &Pool) -> Result<Option<usize>, Lost>;

    /// Makes progress on the messages taken. Returns whether all have left this process, so that they arrive
    /// even if the process ends now.
    fn flush(&mut self) -> bool {
        true
    }

    /// Makes progress on the messages that are under way, in both directions, but returns none. The machine
    /// calls it inside a long fiber that [polls](crate::Eu::poll), in SPN.
    fn attend(&mut self) {
        self.flush();
    }

    /// Yields the processor until there is a message, room for one, or another event, for at most `most`.
    fn wait(&mut self, most: Duration) {
        let _ = most;
        yield_now();
    }

    /// Whether [`poll`](Link::poll) reports every lost rank. If it does not, a run waits for a lost rank until
    /// something else ends it: a launcher that ends all processes, or a
    /// [heartbeat](crate::Machine::heartbeat). The reports of `EARTH_WATCH` then say so.
    fn reports_losses(&self) -> bool {
        true
    }

    /// Tells the link, once, that a rank was silent for longer than the
    /// [heartbeat](crate::Machine::heartbeat). The rank counts as lost: the link need not send to it, or wait
    /// for it, any more.
    fn lose(&mut self, lost: Lost) {
        let _ = lost;
    }

    /// Whether all calls must come from the thread that made the machine. A run in another thread ends with
    /// [`Error::WrongThread`](crate::Error::WrongThread).
    fn is_thread_bound(&self) -> bool {
        false
    }

    /// Tells all ranks that this one leaves, and waits up to `limit` until all messages have left this
    /// process. The machine calls it when it is dropped, after its last message.
    ///
    /// # Errors
    ///
    /// A sentence for people, if messages are left.
    fn close(&mut self, limit: Duration) -> Result<(), String> {
        let begun = Instant::now();
        while !self.flush() {
            if begun.elapsed() >= limit {
                return Err("other ranks do not receive its last messages".to_owned());
            }
            self.wait(limit / 100);
        }
        Ok(())
    }

    /// Returns the number of cores that this rank has for itself, or 0 if several ranks share one. `None` if
    /// the link does not know. A rank whose node has more threads polls only a few times before it waits.
    fn cores(&self) -> Option<usize> {
        None
    }

    /// Returns a waker that ends a [wait](Link::wait) from any thread, as long as the link exists. It ends
    /// the current wait, or else the next one.
    ///
    /// With a waker, a [`CancelToken`](crate::CancelToken) and the [inputs](crate::input) of the process take
    /// effect at once, and an idle rank waits until an event occurs, for at most a second. Without a waker
    /// the rank checks for them itself, at least every 2 milliseconds. In DUAL it then checks its execution
    /// unit's output every 100 microseconds.
    fn waker(&self) -> Option<Waker> {
        None
    }
}

/// A rank that will neither send nor receive any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The rank.
    pub rank: usize,
    /// The reason.
    pub why: String,
}
