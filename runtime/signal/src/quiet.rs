//! Distributed termination detection: is every unit idle, and is no message under way?
//!
//! Every unit has a *ledger*: how many messages it has sent, how many it has received, and an *epoch* that is
//! odd while the unit is busy and even while it is idle. Only the unit writes it, and only at the transitions
//! between the two. Any thread may attempt a verdict:
//!
//! 1. Fence, then collect all ledgers. The attempt fails if a unit is busy, or if the totals of sent and
//!    received messages differ.
//! 2. Collect the epochs once more. The system is quiet if none has moved.
//!
//! A message is anything that can make an idle unit busy: an event, an enabled fiber handed to another
//! thread, or a token in a shared end (sent by its publisher, received by its taker). Counts are totals of
//! the run, and wrap. Counting sent and received messages twice is Mattern's method (Algorithms for
//! Distributed Termination Detection, 1987); the epochs take the place of his second pair of counts.
//!
//! # Why one collection is wrong
//!
//! It reads the ledgers one after another. A is idle and read: sent 0, received 0. Then B, still busy, sends
//! to A. A takes the message, becomes busy and answers. B takes the answer, publishes *sent 1, received 1*
//! and is read. All units looked idle and the totals agree, while A is busy: the answer compensated the
//! message that A's old ledger does not count.
//!
//! # Why two are right
//!
//! Suppose the verdict is *quiet*. Let K be all actions of each unit before its idle publication that was
//! collected. The ledgers count exactly the sends and receives in K, and they agree. If every message
//! received in K was also sent in K, then no message from K is under way. An idle unit acts only on a
//! message, so nothing happens after K: the verdict is true.
//!
//! Otherwise some unit J received, in K, a message that V sent after its collected publication, hence after V
//! had made its epoch odd. Consider the chain *V's epoch odd*, *V sends*, *J receives*, *J publishes its
//! idleness*, *the first collection reads J*, *the second collection reads V*. It consists of program order,
//! of the release and acquire of the queue that carried the message, and of the release and acquire of J's
//! ledger. So the second collection sees V's epoch moved, and the verdict was not *quiet*: a contradiction.
//! (If a count read in the first collection is newer than the epoch read with it, the unit moved in between.
//! Then the same chain without the message shows the move to the second collection.)
//!
//! Epochs only grow, so none has moved exactly if their sum is unchanged. An attempt therefore remembers one
//! number for any number of units.
//!
//! # Why a quiet system is noticed
//!
//! Every unit calls [`Quiet::is_quiet`] after each [`Ledger::idle`]. Take the last publication of every unit,
//! and the last of the fences that follow them in the order of fences. The unit of that fence then reads
//! everything that all others have written before theirs. These are the final ledgers; the totals agree, and
//! the epochs do not move. Without the fence, two units may publish at once, each read the other's old
//! ledger, and sleep forever.
//!
//! A message that is still queued has been sent and not received: the totals differ, so no attempt
//! succeeds while it waits.
//!
//! # A party outside of the system
//!
//! Threads that may send to the system while it is idle are one more unit, with one ledger. It is busy from
//! the beginning until none of them will send any more. It receives no message, and then becomes idle
//! permanently with the number of all messages that these threads have sent. They agree on that number under
//! a lock, and the last of them publishes it. For both proofs this is an ordinary unit that works for a long
//! time. While it is busy every attempt fails. When it has become idle it calls [`Quiet::is_quiet`] itself,
//! so the end is noticed even if no other unit is left to notice it. It must not publish before its last
//! message: the models show the failure.
//!
//! *Cost.* Becoming busy when busy: one load of the unit's own line. Becoming busy: one store to that line;
//! becoming idle: three. An attempt: one to two loads per unit, and it ends at the first busy unit.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicU64, Ordering, fence};

struct Page {
    /// Number of the unit's busy or idle period: odd while the unit is busy, even while it is idle. It only
    /// grows.
    epoch: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// View of all ledgers, by which any thread may attempt a verdict.
#[derive(Clone)]
pub struct Quiet {
    pages: Arc<Box<[CachePadded<Page>]>>,
}

/// Ledger of one unit, which no other unit can write.
///
/// ```compile_fail,E0599
/// let (_quiet, ledgers) = earth_signal::quiet(1);
/// let second = ledgers[0].clone();
/// ```
pub struct Ledger {
    pages: Arc<Box<[CachePadded<Page>]>>,
    unit: usize,
}

/// Returns the ledgers of `units` units, all busy, and the view of them.
///
/// # Examples
///
/// ```
/// let (quiet, mut ledgers) = earth_signal::quiet(2);
/// ledgers[0].idle(1, 0);
/// ledgers[1].idle(0, 0);
/// assert!(!quiet.is_quiet()); // one message is still queued
/// ledgers[1].busy();
/// ledgers[1].idle(0, 1);
/// assert!(quiet.is_quiet());
/// ```
#[must_use]
pub fn quiet(units: usize) -> (Quiet, Vec<Ledger>) {
    let page = || Page { epoch: AtomicU64::new(1), sent: AtomicU64::new(0), received: AtomicU64::new(0) };
    let pages: Arc<Box<[_]>> = Arc::new((0..units).map(|_| CachePadded::new(page())).collect());
    let ledgers = (0..units).map(|unit| Ledger { pages: Arc::clone(&pages), unit }).collect();
    (Quiet { pages }, ledgers)
}

impl Ledger {
    #[inline]
    fn page(&self) -> &Page {
        &self.pages[self.unit]
    }

    /// Records that the unit has found a message. The unit calls it before it acts on the message, in
    /// particular before it sends anything.
    #[inline]
    pub fn busy(&mut self) {
        let epoch = self.page().epoch.load(Ordering::Relaxed);
        if epoch & 1 == 0 {
            // Relaxed suffices: the next message that the unit sends, or its next publication, makes this
            // visible to a collection.
            self.page().epoch.store(epoch + 1, Ordering::Relaxed);
        }
    }

    /// Records that the unit is idle: publishes its total numbers of messages sent and received, wrapping.
    ///
    /// Does nothing if the unit was idle already, with the same totals.
    pub fn idle(&mut self, sent: u64, received: u64) {
        let page = self.page();
        let epoch = page.epoch.load(Ordering::Relaxed);
        if epoch & 1 == 1 {
            page.sent.store(sent, Ordering::Release);
            page.received.store(received, Ordering::Release);
            page.epoch.store(epoch + 1, Ordering::Release);
        } else {
            debug_assert_eq!(
                (sent, received),
                (page.sent.load(Ordering::Relaxed), page.received.load(Ordering::Relaxed)),
                "a unit that was idle has sent or received without becoming busy",
            );
        }
    }
}

impl Quiet {
    /// Whether all units are idle and no message is under way. Once true, it stays true until
    /// [`reset`](Self::reset).
    ///
    /// Every unit calls this after it has become idle; `false` means that another unit will call later.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        fence(Ordering::SeqCst);
        let (mut epochs, mut sent, mut received) = (0u64, 0u64, 0u64);
        for page in &**self.pages {
            let epoch = page.epoch.load(Ordering::Acquire);
            if epoch & 1 == 1 {
                return false;
            }
            epochs = epochs.wrapping_add(epoch);
            sent = sent.wrapping_add(page.sent.load(Ordering::Acquire));
            received = received.wrapping_add(page.received.load(Ordering::Acquire));
        }
        sent == received
            && epochs
                == self.pages.iter().fold(0, |sum, page| page.epoch.load(Ordering::Relaxed).wrapping_add(sum))
    }

    /// Makes all units busy again for the next run, in which they count from zero. Messages that an aborted
    /// run left unreceived no longer count. Call it between runs, when no unit runs. Starting the units must
    /// make this write visible to them.
    pub fn reset(&self) {
        for page in &**self.pages {
            let epoch = page.epoch.load(Ordering::Relaxed);
            page.epoch.store(epoch | 1, Ordering::Relaxed);
        }
    }
}
