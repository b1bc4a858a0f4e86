//! Distributed termination: has every unit run out of work, and is no message under way?
//!
//! Every unit has a *ledger*: how many messages it has sent, how many it has received, and an *epoch* that is
//! odd while the unit is at work and even while it is idle. The unit alone writes it, and only at the border
//! between the two. Anybody may try a verdict:
//!
//! 1. fence, then collect all ledgers. A busy unit ends the attempt; so do totals of sent
//!    and received that differ.
//! 2. collect the epochs once more. The system is quiet if none has moved.
//!
//! A message is whatever can make an idle unit busy: an event, an enabled fiber handed to another
//! thread, a token in a shared end (sent by its publisher, received by its taker). Counts are
//! totals of the run, and wrap.
//!
//! # Why one collection is wrong
//!
//! It reads the ledgers one after another. A is idle and read: nothing sent, nothing received. Then B, still
//! busy, sends to A; A takes the message and, at work on it, answers; B takes the answer, publishes *sent 1,
//! received 1* and is read. All units looked idle and the totals agree, while A is at work: the answer made
//! up for the message that A's old ledger does not know.
//!
//! # Why two are right
//!
//! Suppose the verdict is *quiet*. Let K be everything that each unit did before its idle publication that
//! was collected. The ledgers count exactly the sends and receives in K, and they agree. If every message
//! received in K was also sent in K, then none is under way out of K, and since an idle unit acts only on a
//! message, nothing happens after K: the verdict is true.
//!
//! Otherwise some unit J received, in K, a message that V sent after its collected publication, hence after V
//! had made its epoch odd. The chain *V's epoch odd*, *V sends*, *J receives*, *J publishes its idleness*,
//! *the first collection reads J*, *the second collection reads V* consists of program order, of the release
//! and acquire of the queue that carried the message, and of the release and acquire of J's ledger. So the
//! second collection sees V's epoch moved, and the verdict was not *quiet*: a contradiction. (Were a count
//! read in the first collection newer than the epoch read beside it, the unit had moved in between, and the
//! same chain, shorter by the message, shows it to the second collection.)
//!
//! Epochs only grow, so each is unmoved exactly if their sum is: an attempt remembers one number,
//! whatever the number of units.
//!
//! # Why a quiet system is noticed
//!
//! Every unit calls [`Quiet::is_quiet`] after each [`Ledger::idle`]. Take the last publication of every
//! unit, and of the fences that follow them the one that is last in the order of fences: its unit reads,
//! after its fence, what all others have written before theirs. These are the final ledgers; the totals
//! agree, and the epochs do not move. Without the fence two units may publish at once, each read the other's
//! old ledger, and sleep for ever.
//!
//! A message that is still queued has been sent and not received: the totals differ, so no attempt
//! succeeds while it waits.
//!
//! # A party outside of the system
//!
//! Threads that may start something while the system has nothing to do are one more unit, with one ledger. It is busy
//! from the beginning until none of them will send any more, receives nothing, and then becomes idle for good with
//! the number of all messages that they have sent. They agree among themselves on that number, under a lock, and the
//! last of them publishes it. For both proofs this is a unit like any other that works for a long time: while it is
//! busy every attempt fails, and when it has become idle it calls [`Quiet::is_quiet`] itself, so the end is noticed
//! if nobody else is left to notice it. What it must not do is publish before its last message: the models show what
//! comes of that.
//!
//! *Cost.* Becoming busy when busy: one load of a line of one's own. Becoming busy or idle: one or three
//! stores to that line. An attempt: one to two loads a unit, and it ends at the first busy unit.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicU64, Ordering, fence};

struct Page {
    /// The number of the unit's busy or idle period: odd while the unit is busy, even while it is idle. It only grows.
    epoch: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// The view of all ledgers: anybody's, to try a verdict.
#[derive(Clone)]
pub struct Quiet {
    pages: Arc<Box<[CachePadded<Page>]>>,
}

/// The ledger of one unit, which no other unit can write.
///
/// ```compile_fail,E0599
/// let (_quiet, ledgers) = earth_signal::quiet(1);
/// let second = ledgers[0].clone();
/// ```
pub struct Ledger {
    pages: Arc<Box<[CachePadded<Page>]>>,
    unit: usize,
}

/// The ledgers of `units` units, all busy, and the view of them.
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

    /// The unit has found something: to be called before it acts on it, in particular
    /// before it sends anything.
    #[inline]
    pub fn busy(&mut self) {
        let epoch = self.page().epoch.load(Ordering::Relaxed);
        if epoch & 1 == 0 {
            // Relaxed will do: what makes this visible to a collection is the next message out,
            // or the next publication.
            self.page().epoch.store(epoch + 1, Ordering::Relaxed);
        }
    }

    /// The unit has nothing to do: publishes how many messages it has sent and received in all, wrapping.
    ///
    /// An idle unit whose totals have not changed says nothing.
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
    /// Whether all units are idle and nothing is under way. Once true it stays true
    /// until [`reset`](Self::reset).
    ///
    /// To be called by every unit after it has become idle; `false` says that another unit will call later.
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

    /// Makes all units busy again, for the next run, in which they count from zero: what an aborted run
    /// left unreceived is forgotten. To be called between runs, when no unit runs: what starts the
    /// units must make it visible.
    pub fn reset(&self) {
        for page in &**self.pages {
            let epoch = page.epoch.load(Ordering::Relaxed);
            page.epoch.store(epoch | 1, Ordering::Relaxed);
        }
    }
}
