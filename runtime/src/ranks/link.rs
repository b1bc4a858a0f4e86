//! What carries messages between the processes of a machine.

use std::task::Waker;
use std::time::Duration;

use crate::primitive::thread::yield_now;

/// One process's end of what carries messages between the ranks of a machine, `ranks` processes numbered from 0.
///
/// Messages of one rank for another one arrive whole, unchanged, once, and in the order in which they were sent, or
/// the link [loses](Lost) the rank. Nothing orders messages of different ranks. No function but [`wait`](Link::wait)
/// waits.
///
/// A message has the length that the program gives it: some 50 bytes for a signal, more than a block for a block. A
/// link that has to be told lengths by the other side bounds what it believes.
///
/// ```
/// use std::sync::mpsc::{Receiver, Sender, channel};
///
/// use earth::ranks::{Link, Lost};
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
///     fn send(&mut self, _to: usize, message: Vec<u8>) -> Result<(), Vec<u8>> {
///         let _ = self.out.send(message);
///         Ok(())
///     }
///     fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost> {
///         Ok(self.from.try_recv().ok().map(|message| (1 - self.rank, message)))
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
    /// The number of this process.
    fn rank(&self) -> usize;

    /// How many processes there are, 1 to [`MOST_NODES`](crate::Machine::MOST_NODES).
    fn ranks(&self) -> usize;

    /// Takes a message for another rank, or gives it back if there is no room for it now; the caller tries again, and
    /// sends that rank nothing else before. A message for a lost rank is taken and dropped.
    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Vec<u8>>;

    /// The next message that has arrived, and the rank that sent it. Whoever is not ready for more does not ask, and
    /// the link is to let the sender know by refusing its messages.
    ///
    /// # Errors
    ///
    /// If another rank is lost: once for each, after the last message that came from it.
    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, Lost>;

    /// Moves on what was taken. Returns whether all of it has left this process, so that it arrives if the process ends now.
    fn flush(&mut self) -> bool {
        true
    }

    /// Gives the processor away until there is a message, room for one, or something else to look at: for the time
    /// `most` at the longest.
    fn wait(&mut self, most: Duration) {
        let _ = most;
        yield_now();
    }

    /// What ends a [wait](Link::wait) from any thread, as long as the link is there: that which is on, else the next
    /// one.
    ///
    /// By it a [`CancelToken`](crate::CancelToken) and the [inputs](crate::input) of the process are noticed at once,
    /// and a rank that has nothing to do waits until something happens, a second at the longest. Without it the rank
    /// looks for them itself, at least every 2 milliseconds; in DUAL it looks every 100 microseconds what its
    /// execution unit has done.
    fn waker(&self) -> Option<Waker> {
        None
    }
}

/// A rank that sends and receives nothing any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The rank.
    pub rank: usize,
    /// What happened.
    pub why: String,
}
