//! Sleeping workers without work, and their wake-ups.
//!
//! A worker that found no work *announces* that it is about to sleep, then looks once more, then sleeps. A
//! waker makes work available first and looks for announcements second. Each side has a sequentially
//! consistent fence between its two steps. One of the two fences comes first, so at least one side sees the
//! other:
//!
//! ```text
//! sleeper                        waker
//! announce                       publish
//! fence                          fence
//! look for work                  look for announcements
//! ```
//!
//! Without the fences both may look before the other's write has arrived, and the worker sleeps on available
//! work: the lost wake-up.
//!
//! A waker *takes* the announcement by a swap, so one waker wins it: two calls of `wake_any` wake two
//! different sleepers. The sleep itself uses a mutex and a condition variable of the worker. The waker takes
//! the lock only after it has won the announcement, so a worker that is awake costs neither a lock nor a
//! system call.
//!
//! A worker may also *hold* an item that is blocked: an event whose queue is full, or a token that its
//! execution unit cannot use yet. No other thread sends to such a worker when the item can proceed. So a
//! worker that has made progress of any kind calls [`wake_holders`](Sleepers::wake_holders), at the latest
//! before it sleeps itself. The two sides are as above, with *progress* for *publish* and *retry* for *look
//! for work*.
//!
//! A waker that will return may *nudge* first, without the fence. A nudge misses an announcement that is
//! being made. So the waker also wakes, once, before it sleeps or does long work. Until then its published
//! work may wait for the next nudge.
//!
//! A sender to an event queue only nudges, if the sleeper looks at its queue by
//! [`EventReceiver::is_drained`](super::event_queue::EventReceiver::is_drained): one counter orders the two.
//!
//! *Cost.*
//!
//! | operation | cost |
//! |---|---|
//! | nudge a worker that is awake | a load |
//! | wake a worker that is awake | a fence and a load |
//! | wake holders when there are none | a fence and a load |
//! | park | a read-modify-write on the shared count, a swap, a fence, and the system call |

use std::task::Waker;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicUsize, Condvar, Mutex, Ordering, fence};

/// No announcement.
const AWAKE: usize = 0;
/// The announcement of a worker that holds no item.
const IDLE: usize = 1;
/// The announcement of a worker that holds a blocked item.
const HOLDING: usize = 2;

/// State of one worker's sleep.
struct Sleeper {
    /// The announcement: made by the worker, taken by its waker or by itself.
    asleep: AtomicUsize,
    lock: Mutex<()>,
    woken: Condvar,
    /// Ends the worker's rest, if it rests by means of its own.
    waker: Option<Waker>,
}

/// The workers of a machine, numbered from 0, which sleep and are woken.
pub struct Sleepers {
    /// Never below the number of announcements: it is raised before one is made and lowered after one was
    /// taken.
    announced: CachePadded<AtomicUsize>,
    /// The number of announcements of holders, counted in the same order.
    holders: CachePadded<AtomicUsize>,
    workers: Box<[CachePadded<Sleeper>]>,
}

impl Sleepers {
    /// Returns `workers` workers, all awake.
    pub fn new(workers: usize) -> Self {
        Self::resting_by(workers, None)
    }

    /// Returns `workers` workers, all awake. Worker 0 [rests](Sleepers::rest) by means of its own, and `waker`
    /// ends its rest.
    pub fn resting_by(workers: usize, mut waker: Option<Waker>) -> Self {
        let sleeper = |_| {
            let (asleep, lock, woken) = (AtomicUsize::new(AWAKE), Mutex::new(()), Condvar::new());
            CachePadded::new(Sleeper { asleep, lock, woken, waker: waker.take() })
        };
        Self {
            announced: CachePadded::new(AtomicUsize::new(0)),
            holders: CachePadded::new(AtomicUsize::new(0)),
            workers: (0..workers).map(sleeper).collect(),
        }
    }

    /// Sleeps as worker `me` until woken, or returns at once if `ready()` holds.
    ///
    /// `ready` is called exactly once, after the announcement. It must look at everything for which the
    /// worker may be woken, and at the objects themselves, not at remembered copies. On return, another
    /// worker may already have taken the work that caused the wake-up: look again at everything, and call
    /// again.
    ///
    /// # Panics
    ///
    /// If there is no worker `me`, or another thread already sleeps as that worker; and if `ready` panics.
    pub fn park_unless(&self, me: usize, ready: impl FnMut() -> bool) {
        self.park(me, IDLE, None, ready);
    }

    /// As [`park_unless`](Self::park_unless), at most until `deadline`.
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn park_until(&self, me: usize, deadline: Option<Instant>, ready: impl FnMut() -> bool) {
        self.park(me, IDLE, deadline, ready);
    }

    /// Sleeps as worker `me`, which holds a blocked item, until woken as in
    /// [`park_unless`](Self::park_unless) or by [`wake_holders`](Self::wake_holders). Returns at once if
    /// `ready()` holds.
    ///
    /// `ready` is called exactly once, after the announcement, and retries the held items.
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn park_holding_unless(&self, me: usize, ready: impl FnMut() -> bool) {
        self.park(me, HOLDING, None, ready);
    }

    /// As [`park_holding_unless`](Self::park_holding_unless), at most until `deadline`.
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn park_holding_until(&self, me: usize, deadline: Option<Instant>, ready: impl FnMut() -> bool) {
        self.park(me, HOLDING, deadline, ready);
    }

    /// Announces that worker `me` is about to rest by its own means, such as a system call, and runs `rest`,
    /// which looks for work and rests if there is none. If another thread wakes the worker meanwhile, the
    /// worker's [waker](Self::resting_by) ends the rest. The waker must remember a call that comes before the
    /// rest. A worker that `holds` blocked items is also woken by [`wake_holders`](Self::wake_holders).
    ///
    /// # Panics
    ///
    /// As [`park_unless`](Self::park_unless).
    pub fn rest(&self, me: usize, holds: bool, rest: impl FnOnce()) {
        let _announcement = Announcement::make(self, &self.workers[me], if holds { HOLDING } else { IDLE });
        fence(Ordering::SeqCst);
        rest();
    }

    /// Announces that worker `me`, which holds blocked items if `holds`, is about to sleep. For a thread that
    /// steps all workers in turn: it lets the worker look for work in a later step, and then skips the worker
    /// while the announcement [exists](Self::is_announced).
    ///
    /// # Panics
    ///
    /// If there is no worker `me`, or its announcement already exists.
    pub fn announce(&self, me: usize, holds: bool) {
        std::mem::forget(Announcement::make(self, &self.workers[me], if holds { HOLDING } else { IDLE }));
        fence(Ordering::SeqCst);
    }

    /// Whether the [announcement](Self::announce) of worker `me` still exists, because no waker has taken it.
    ///
    /// # Panics
    ///
    /// If there is no worker `me`.
    pub fn is_announced(&self, me: usize) -> bool {
        !self.workers[me].is(AWAKE)
    }

    fn park(&self, me: usize, how: usize, deadline: Option<Instant>, mut ready: impl FnMut() -> bool) {
        let announcement = Announcement::make(self, &self.workers[me], how);
        fence(Ordering::SeqCst);
        if ready() {
            return;
        }
        match deadline {
            None => announcement.leave().sleep(),
            // The announcement is withdrawn if no waker has taken it by the deadline.
            Some(deadline) => announcement.sleeper.sleep_until(deadline),
        }
    }

    /// Wakes every sleeping worker that holds blocked items. Call it after progress that may unblock a
    /// holder, before the caller sleeps.
    #[inline]
    pub fn wake_holders(&self) {
        fence(Ordering::SeqCst);
        if self.holders.load(Ordering::Relaxed) != 0 {
            for sleeper in self.workers.iter().filter(|sleeper| sleeper.is(HOLDING)) {
                self.rouse(sleeper);
            }
        }
    }

    /// Returns the number of workers that sleep or are about to, at this moment.
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

    /// Wakes the worker `who` if its announcement is visible. It may miss a worker that is about to sleep, so
    /// a [`wake`](Self::wake) must follow, unless the counter of an event queue orders the worker's look and
    /// the caller's message.
    ///
    /// # Panics
    ///
    /// If there is no worker `who`.
    #[inline]
    pub fn nudge(&self, who: usize) -> bool {
        self.rouse(&self.workers[who])
    }

    /// Wakes one sleeper, if there is one, preferring one that holds no item. Returns whether it did.
    ///
    /// `false` means that all workers are awake and will look again before they sleep. (Or that another waker
    /// took the last announcement: that sleeper will then look.)
    #[inline]
    pub fn wake_any(&self) -> bool {
        self.wake_one_of(|_| true)
    }

    /// Wakes one sleeper among the workers for which `may` holds, if there is one, as
    /// [`wake_any`](Self::wake_any) does.
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

    /// Wakes each worker that sleeps, if `may` holds for it. Returns how many it woke.
    ///
    /// If no worker sleeps, it costs a fence and a load for any number of workers, and `may` is not called.
    #[inline]
    pub fn wake_all_of(&self, may: impl Fn(usize) -> bool) -> usize {
        fence(Ordering::SeqCst);
        if self.announced.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let workers = self.workers.iter().enumerate();
        workers.filter(|&(who, sleeper)| may(who) && self.rouse(sleeper)).count()
    }

    /// Wakes all sleeping workers.
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

    /// Removes the announcement. Returns whether there was one.
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
        let mut guard = self.lock.lock().expect("no code panics under this lock");
        // A wake-up for an earlier sleep may arrive late, so only the announcement decides.
        while self.asleep.load(Ordering::Acquire) != AWAKE {
            guard = self.woken.wait(guard).expect("no code panics under this lock");
        }
    }

    fn sleep_until(&self, deadline: Instant) {
        let mut guard = self.lock.lock().expect("no code panics under this lock");
        while self.asleep.load(Ordering::Acquire) != AWAKE {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            guard = self.woken.wait_timeout(guard, left).expect("no code panics under this lock").0;
        }
    }

    /// Ends the sleep. The caller has taken the announcement.
    fn end_sleep(&self) {
        if let Some(waker) = &self.waker {
            return waker.wake_by_ref();
        }
        // The worker looks at the announcement under the lock. Once we have held the lock, the worker either
        // waits for the wake-up or will see that the announcement is gone.
        drop(self.lock.lock().expect("no code panics under this lock"));
        self.woken.notify_one();
    }
}

/// Withdrawn on drop, so that a panic in `ready` leaves no announcement that would swallow a wake-up.
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

    /// Leaves the announcement to the waker.
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
