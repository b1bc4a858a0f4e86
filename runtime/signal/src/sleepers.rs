//! Workers that sleep when there is nothing to do, and how they are woken.
//!
//! A worker that found nothing to do *announces* that it is about to sleep, then looks once more, then
//! sleeps. Whoever makes something available does so first and looks for announcements second. Between the
//! two steps of each side stands a sequentially consistent fence; of two such fences one comes first, and so
//! at least one side sees the other:
//!
//! ```text
//! sleeper                        waker
//! announce                       publish
//! fence                          fence
//! look for work                  look for announcements
//! ```
//!
//! Without the fences both may look before the other's write has arrived, and the worker sleeps on
//! available work: the lost wake.
//!
//! A wake *takes* the announcement (a swap, so one waker wins it): two calls of `wake_any` wake two different
//! sleepers. The sleep itself is on a mutex and a condition variable of the worker's own; the waker takes the lock
//! only after it has won the announcement, so nobody who is awake costs a lock or a system call.
//!
//! A worker may also *hold* something that cannot go on: an event whose queue is full, a token that its execution unit
//! has no use for yet. Nobody sends to such a worker when it can go on. So whoever has made progress of any kind rings
//! for the holders, by [`wake_holders`](Sleepers::wake_holders), at the latest before it sleeps itself; the two sides
//! are those above, with *progress* for *publish* and *try to go on* for *look for work*.
//!
//! A waker that goes on and comes back may *nudge* first, without the fence: that misses an announcement which is being
//! made, and so it wakes as well, once, before it sleeps or does anything else for long. Meanwhile what it published may wait
//! for the next nudge.
//!
//! *Cost.* Nudging someone who is awake: a load. Waking someone who is awake, or holders when there are none: a fence and a load. Parking: a
//! read-modify-write on the count that all share, a swap, a fence, and the system call.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicUsize, Condvar, Mutex, Ordering, fence};

/// No announcement.
const AWAKE: usize = 0;
/// The announcement of a worker that has nothing.
const IDLE: usize = 1;
/// The announcement of a worker that holds something that cannot go on.
const HOLDING: usize = 2;

/// The sleep of one worker.
struct Sleeper {
    /// The announcement: made by the worker, taken by whoever wakes it, or by itself.
    asleep: AtomicUsize,
    lock: Mutex<()>,
    woken: Condvar,
}

/// The workers of a machine, numbered from 0, which sleep and are woken.
pub struct Sleepers {
    /// Never fewer than there are announcements: it goes up before one is made and down after one was taken.
    announced: CachePadded<AtomicUsize>,
    /// How many of them are of workers that hold something, counted likewise.
    holders: CachePadded<AtomicUsize>,
    workers: Box<[CachePadded<Sleeper>]>,
}

impl Sleepers {
    /// So many workers, all awake.
    pub fn new(workers: usize) -> Self {
        let sleeper =
            || Sleeper { asleep: AtomicUsize::new(AWAKE), lock: Mutex::new(()), woken: Condvar::new() };
        Self {
            announced: CachePadded::new(AtomicUsize::new(0)),
            holders: CachePadded::new(AtomicUsize::new(0)),
            workers: (0..workers).map(|_| CachePadded::new(sleeper())).collect(),
        }
    }

    /// Sleeps as worker `me` until woken, or returns at once if `ready()` holds.
    ///
    /// `ready` is called exactly once, after the announcement. It must look at everything for which the
    /// worker may be woken, and at the things themselves, not at remembered copies. On return the
    /// worker may have been woken for something that another has taken meanwhile: look again at
    /// everything, and call again.
    ///
    /// # Panics
    ///
    /// If there is no worker `me`, or another thread sleeps as that worker already; and as `ready` does.
    pub fn park_unless(&self, me: usize, ready: impl FnMut() -> bool) {
        self.park(me, IDLE, ready);
    }

    /// Sleeps as worker `me`, which holds something that cannot go on, until woken as in
    /// [`park_unless`](Self::park_unless) or by [`wake_holders`](Self::wake_holders). Returns at once if `ready()` holds.
    ///
    /// `ready` is called exactly once, after the announcement, and tries to go on with what is held.
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn park_holding_unless(&self, me: usize, ready: impl FnMut() -> bool) {
        self.park(me, HOLDING, ready);
    }

    /// Announces that worker `me` is about to rest by means of its own, such as a call of the system, and runs
    /// `rest`, which looks for work and rests if there is none. Whoever [wakes](Self::wake) the worker meanwhile is
    /// told that it did, and then ends the rest by those means: they remember an end that comes before the rest.
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn rest(&self, me: usize, rest: impl FnOnce()) {
        let _announcement = Announcement::make(self, &self.workers[me], IDLE);
        fence(Ordering::SeqCst);
        rest();
    }

    /// Announces that worker `me`, which may hold something that cannot go on, is about to sleep. For a thread that steps all
    /// workers in turn: it lets the worker look for work in a later step, and takes no further step of it as long as the
    /// announcement [is there](Self::is_announced).
    ///
    /// # Panics
    ///
    /// If there is no worker `me`, or it has announced that already.
    pub fn announce(&self, me: usize, holds: bool) {
        std::mem::forget(Announcement::make(self, &self.workers[me], if holds { HOLDING } else { IDLE }));
        fence(Ordering::SeqCst);
    }

    /// Whether the [announcement](Self::announce) of worker `me` is there still: nobody has woken it.
    ///
    /// # Panics
    ///
    /// If there is no worker `me`.
    pub fn is_announced(&self, me: usize) -> bool {
        !self.workers[me].is(AWAKE)
    }

    fn park(&self, me: usize, how: usize, mut ready: impl FnMut() -> bool) {
        let announcement = Announcement::make(self, &self.workers[me], how);
        fence(Ordering::SeqCst);
        if !ready() {
            announcement.leave().sleep();
        }
    }

    /// Wakes every worker that sleeps though it holds something. To be called after progress by which a holder may be
    /// able to go on, before the caller sleeps.
    #[inline]
    pub fn wake_holders(&self) {
        fence(Ordering::SeqCst);
        if self.holders.load(Ordering::Relaxed) != 0 {
            for sleeper in self.workers.iter().filter(|sleeper| sleeper.is(HOLDING)) {
                self.rouse(sleeper);
            }
        }
    }

    /// How many workers sleep or are about to: a picture of a moment.
    pub fn announced(&self) -> usize {
        self.announced.load(Ordering::Relaxed)
    }

    /// Wakes the worker `who` if it sleeps or is about to. Returns whether it did.
    ///
    /// # Panics
    ///
    /// If there is no worker `who`.
    #[inline]
    pub fn wake(&self, who: usize) -> bool {
        let sleeper = &self.workers[who];
        fence(Ordering::SeqCst);
        self.rouse(sleeper)
    }

    /// Wakes the worker `who` if it is seen to sleep: it may be about to, unseen, so a [`wake`](Self::wake) is to follow.
    ///
    /// # Panics
    ///
    /// If there is no worker `who`.
    #[inline]
    pub fn nudge(&self, who: usize) -> bool {
        self.rouse(&self.workers[who])
    }

    /// Wakes one sleeper, if there is one, and one that holds nothing before one that does. Returns whether it did.
    ///
    /// `false` says that everybody is awake and will look again before it sleeps. (Or that another waker took
    /// the last announcement: that sleeper is then on its way to look.)
    #[inline]
    pub fn wake_any(&self) -> bool {
        self.wake_one_of(|_| true)
    }

    /// Wakes one sleeper, if there is one, of those workers for which `may` holds, as [`wake_any`](Self::wake_any) does.
    #[inline]
    pub fn wake_one_of(&self, may: impl Fn(usize) -> bool) -> bool {
        fence(Ordering::SeqCst);
        let wake = |which: fn(&Sleeper) -> bool| {
            let mut workers = self.workers.iter().enumerate();
            workers.any(|(who, sleeper)| may(who) && which(sleeper) && self.rouse(sleeper))
        };
        self.announced.load(Ordering::Relaxed) != 0
            && (wake(|sleeper| sleeper.is(IDLE))
                || self.holders.load(Ordering::Relaxed) != 0 && wake(|_| true))
    }

    /// Wakes everybody who sleeps.
    pub fn wake_all(&self) {
        fence(Ordering::SeqCst);
        for sleeper in &self.workers {
            self.rouse(sleeper);
        }
    }

    #[inline]
    fn rouse(&self, sleeper: &Sleeper) -> bool {
        !sleeper.is(AWAKE) && self.take_announcement(sleeper) && {
            sleeper.end_sleep();
            true
        }
    }

    /// Whether the announcement was there; now it is not.
    fn take_announcement(&self, sleeper: &Sleeper) -> bool {
        let taken = sleeper.asleep.swap(AWAKE, Ordering::AcqRel);
        if taken != AWAKE {
            self.count(taken, AtomicUsize::fetch_sub);
        }
        taken != AWAKE
    }

    /// Counts an announcement in or out.
    fn count(&self, how: usize, change: fn(&AtomicUsize, usize, Ordering) -> usize) {
        if how == HOLDING {
            change(&self.holders, 1, Ordering::Relaxed);
        }
        change(&self.announced, 1, Ordering::Relaxed);
    }
}

impl Sleeper {
    #[inline]
    fn is(&self, asleep: usize) -> bool {
        self.asleep.load(Ordering::Relaxed) == asleep
    }

    fn sleep(&self) {
        let mut guard = self.lock.lock().expect("nothing panics under this lock");
        // A wake-up for an earlier sleep may arrive late; the announcement is what counts.
        while self.asleep.load(Ordering::Acquire) != AWAKE {
            guard = self.woken.wait(guard).expect("nothing panics under this lock");
        }
    }

    /// Ends the sleep. The caller has taken the announcement.
    fn end_sleep(&self) {
        // The worker looks at the announcement under the lock. Once we have had the lock, the worker either
        // is waiting for the wake-up or will look and see that the announcement is gone.
        drop(self.lock.lock().expect("nothing panics under this lock"));
        self.woken.notify_one();
    }
}

/// Withdrawn on drop, so that a panic in `ready` leaves no announcement behind to swallow somebody's wake.
struct Announcement<'a> {
    sleepers: &'a Sleepers,
    sleeper: &'a Sleeper,
}

impl<'a> Announcement<'a> {
    fn make(sleepers: &'a Sleepers, sleeper: &'a Sleeper, how: usize) -> Self {
        sleepers.count(how, AtomicUsize::fetch_add);
        let before = sleeper.asleep.swap(how, Ordering::AcqRel);
        if before != AWAKE {
            sleepers.count(before, AtomicUsize::fetch_sub);
            panic!("two threads sleep as one worker");
        }
        Self { sleepers, sleeper }
    }

    /// Leaves the announcement to whoever will end the sleep.
    fn leave(self) -> &'a Sleeper {
        let sleeper = self.sleeper;
        std::mem::forget(self);
        sleeper
    }
}

impl Drop for Announcement<'_> {
    fn drop(&mut self) {
        self.sleepers.take_announcement(self.sleeper);
    }
}
