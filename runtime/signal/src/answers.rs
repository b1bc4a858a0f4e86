//! Answers that threads outside of a run wait for, each in a place of its own that any thread may fill once.
//!
//! A thread that *asks* takes a free place and gets a handle, [`Asked`]. The place has a number and a
//! generation; both travel as plain data with the request. Some thread *gives* the value to this address. The
//! handle's thread looks for the value, or sleeps, or leaves a waker.
//!
//! The word of a place has the generation and one of these states:
//!
//! | state | set by | the next state |
//! |---|---|---|
//! | free | the last owner of the place | asked in the next generation, by the thread that takes the place out of the free list |
//! | asked | the asker | sleeps or left, by the asker; giving, by a giver |
//! | sleeps | the asker, under the place's lock | left, by the asker; giving, by a giver |
//! | giving | the giver that won the place | given, by that giver |
//! | given | the giver | asked in the next generation; the asker takes the value and does not write the word |
//! | left | an asker that no longer waits | free, by a giver, which discards the value |
//!
//! Each change out of *asked*, *sleeps* and *left* is a compare-and-swap of the whole word. So a value is
//! given once: a second giver finds another state or another generation, and gets its value back. Between
//! *giving* and *given* the value belongs to the giver, and from *given* on to the asker. The release store
//! of *given* and the asker's acquiring load hand it over.
//!
//! *No wake-up is lost.* The asker sets *sleeps* under the place's lock and waits with that lock. A giver
//! that found *sleeps* acquires the lock after it has set *given*, and then notifies. So either the asker
//! already waits, or it has not yet looked at the word under the lock and will find *given*.
//!
//! *Memory.* Places are never freed before the table, and are used again. A place whose generations are used
//! up is retired. An answer that the asker has left keeps its place until it is given.
//!
//! *The free list* is a stack of places linked by their numbers. Its head has a tag that each change raises.
//! So an asker that read the link of the first place does not take it if others have taken that place and put
//! it back meanwhile, unless it was stopped during 2³² changes.
//!
//! *Cost.* Asking and taking change the head of the free list once each, which only askers touch. Asking and
//! giving each make the place's line their own; taking only reads it. A giver locks and notifies if the asker
//! sleeps.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::PoisonError;
use std::task::Waker;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::primitive::{
    Arc, AtomicU64, Condvar, Mutex, MutexGuard, OnceLock, Ordering, UnsafeCell, spin_loop,
};

/// States of a place, in the lower half of its word.
const FREE: u64 = 0;
const ASKED: u64 = 1;
const SLEEPS: u64 = 2;
const GIVING: u64 = 3;
const GIVEN: u64 = 4;
const LEFT: u64 = 5;

/// Number of places of the first chunk. Each further chunk is twice as large.
const FIRST: u32 = 4;

/// Number of chunks, which have room for all numbers below [`END`].
const CHUNKS: usize = 31;

/// End of the free list.
const END: u32 = u32::MAX;

/// Address of a place, while one asker uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlaceId {
    /// Number of the place.
    pub number: u32,
    /// Generation of its use; always odd.
    pub generation: u32,
}

impl PlaceId {
    const fn word(self, state: u64) -> u64 {
        (self.generation as u64) << 32 | state
    }
}

/// A place. Its word and the first bytes of its value share a line, which asker and giver exchange.
#[repr(C)]
struct Place<T, N> {
    word: AtomicU64,
    /// Initialized from *given* on until the asker takes the value.
    value: UnsafeCell<MaybeUninit<T>>,
    rest: Mutex<Rest<N>>,
    given: Condvar,
    /// Number of the place below this one in the free list.
    below: AtomicU64,
}

impl<T, N> Place<T, N> {
    /// Wakes the asker, which sleeps or has left a waker.
    fn wake(&self) {
        let waker = lock(&self.rest).waker.take();
        self.given.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Part of a place under its lock.
struct Rest<N> {
    /// Note of the asker of this generation.
    note: Option<(u32, N)>,
    waker: Option<Waker>,
}

type Chunk<T, N> = Box<[CachePadded<Place<T, N>>]>;

/// Places for answers of type `T`. An asker may leave a note of type `N` for the givers.
pub struct Answers<T, N> {
    /// Head of the free list: a tag, and the number of the first place. Padded, because askers write it for
    /// each answer, and givers read the chunks.
    free: CachePadded<AtomicU64>,
    /// Number of places that were ever used.
    used: Mutex<u32>,
    chunks: [OnceLock<Chunk<T, N>>; CHUNKS],
}

// SAFETY: the value of a place is accessed by the giver that won the place by a compare-and-swap, and then by
// the one handle of the asker, which has acquired the giver's store. All other fields are `Sync`.
unsafe impl<T: Send, N: Send> Sync for Answers<T, N> {}
// SAFETY: it owns its values and notes.
unsafe impl<T: Send, N: Send> Send for Answers<T, N> {}

/// Handle of an asker. If it is dropped, the answer will be discarded.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use earth_signal::Answers;
///
/// let answers = Arc::new(Answers::<_, ()>::new());
/// let asked = Answers::ask(&answers, None);
/// let place = asked.place();
/// assert!(!asked.is_given());
/// std::thread::spawn({
///     let answers = Arc::clone(&answers);
///     move || answers.give(place, 42)
/// });
/// assert!(asked.sleep(None));
/// assert_eq!(asked.take().ok(), Some(42));
/// assert_eq!(answers.give(place, 43), Err(43));
/// ```
pub struct Asked<T: Send, N: Send> {
    answers: Arc<Answers<T, N>>,
    /// The place, which `answers` never frees.
    at: NonNull<Place<T, N>>,
    place: PlaceId,
    /// Whether the place is no longer this handle's.
    is_over: bool,
}

// SAFETY: it acts as a reference to the table, which is `Sync`, and takes a value that is `Send`.
unsafe impl<T: Send, N: Send> Send for Asked<T, N> {}
// SAFETY: its shared methods access only atomics and locks.
unsafe impl<T: Send, N: Send> Sync for Asked<T, N> {}

impl<T: Send, N: Send> Answers<T, N> {
    /// Returns a table without places; they are made as they are needed.
    pub fn new() -> Self {
        Answers {
            free: CachePadded::new(AtomicU64::new(u64::from(END))),
            used: Mutex::new(0),
            chunks: [const { OnceLock::new() }; CHUNKS],
        }
    }

    /// Takes a place for one answer, with a note for the givers.
    ///
    /// # Panics
    ///
    /// If 2³² - 1 answers are outstanding.
    pub fn ask(this: &Arc<Self>, note: Option<N>) -> Asked<T, N> {
        let number = this.take_free().unwrap_or_else(|| this.new_place());
        let at = this.at(number);
        let last = (at.word.load(Ordering::Relaxed) >> 32) as u32;
        let place = PlaceId { number, generation: last.wrapping_add(2) };
        if let Some(note) = note {
            lock(&at.rest).note = Some((place.generation, note));
        }
        at.word.store(place.word(ASKED), Ordering::Release);
        Asked { answers: Arc::clone(this), at: NonNull::from(at), place, is_over: false }
    }

    /// Takes the first place out of the free list.
    #[inline]
    fn take_free(&self) -> Option<u32> {
        let mut head = self.free.load(Ordering::Acquire);
        loop {
            let number = head as u32;
            if number == END {
                return None;
            }
            let below = self.at(number).below.load(Ordering::Relaxed) as u32;
            match self.change_head(head, below) {
                Ok(_) => return Some(number),
                Err(current) => head = current,
            }
        }
    }

    /// Puts a place that no other thread uses into the free list.
    #[inline]
    fn put_back(&self, at: &Place<T, N>, PlaceId { number, generation }: PlaceId) {
        // The last generation is retired with its place.
        if generation == u32::MAX {
            return;
        }
        let mut head = self.free.load(Ordering::Relaxed);
        loop {
            at.below.store(u64::from(head as u32), Ordering::Relaxed);
            match self.change_head(head, number) {
                Ok(_) => return,
                Err(current) => head = current,
            }
        }
    }

    /// Makes `first` the first place of the free list, if its head still is `head`. Else returns the head.
    #[inline]
    fn change_head(&self, head: u64, first: u32) -> Result<u64, u64> {
        let next = (head >> 32).wrapping_add(1) << 32 | u64::from(first);
        // The list hands over the places' last uses.
        self.free.compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Acquire)
    }

    /// Returns the number of a place that was never used.
    #[cold]
    fn new_place(&self) -> u32 {
        let mut used = lock(&self.used);
        let number = *used;
        assert!(number != END, "fewer than 2^32 - 1 answers are outstanding");
        let (chunk, index) = position(number);
        if index == 0 {
            let new = || Place {
                // The generation before the first one, which is 1.
                word: AtomicU64::new(u64::from(u32::MAX) << 32 | FREE),
                value: UnsafeCell::new(MaybeUninit::uninit()),
                rest: Mutex::new(Rest { note: None, waker: None }),
                given: Condvar::new(),
                below: AtomicU64::new(u64::from(END)),
            };
            let places = (0..FIRST << chunk).map(|_| CachePadded::new(new())).collect();
            // Only the holder of the lock makes chunks, each of them once.
            let _ = self.chunks[chunk].set(places);
        }
        *used = number + 1;
        number
    }

    #[inline]
    fn at(&self, number: u32) -> &Place<T, N> {
        let (chunk, index) = position(number);
        match self.chunks[chunk].get() {
            Some(places) => &places[index],
            None => unreachable!("the chunk of a place is made before the place is used"),
        }
    }

    /// Returns the place with this number, if it was ever used.
    #[inline]
    fn find(&self, number: u32) -> Option<&Place<T, N>> {
        let (chunk, index) = position(number);
        Some(&self.chunks.get(chunk)?.get()?[index])
    }

    /// Gives an answer to the asker of a place. Returns the value if the place has been given its answer, or
    /// belongs to another asker.
    pub fn give(&self, place: PlaceId, value: T) -> Result<(), T> {
        let Some(at) = self.find(place.number) else { return Err(value) };
        let [asked, sleeps, left] = [ASKED, SLEEPS, LEFT].map(|state| place.word(state));
        let mut word = at.word.load(Ordering::Relaxed);
        loop {
            let next = match word {
                _ if word == asked || word == sleeps => place.word(GIVING),
                _ if word == left => place.word(FREE),
                _ => return Err(value),
            };
            // Acquires the last owner's access to the value.
            match at.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(current) => word = current,
            }
        }
        if word == left {
            self.put_back(at, place);
            return Ok(());
        }
        // SAFETY: this thread has changed the word to *giving*, so the value is its own until it stores
        // *given*.
        at.value.with_mut(|it| unsafe { (*it).write(value) });
        at.word.store(place.word(GIVEN), Ordering::Release);
        if word == sleeps {
            at.wake();
        }
        Ok(())
    }

    /// Gives an answer to each asker that still waits for one. Those who ask later wait for theirs.
    pub fn give_all(&self, mut value: impl FnMut() -> T) {
        let used = *lock(&self.used);
        for number in 0..used {
            let word = self.at(number).word.load(Ordering::Relaxed);
            if matches!(word & u64::from(u32::MAX), ASKED | SLEEPS | LEFT) {
                // Another thread may give it meanwhile.
                let _ = self.give(PlaceId { number, generation: (word >> 32) as u32 }, value());
            }
        }
    }

    /// Wakes each asker that sleeps, or has left a waker, without an answer.
    pub fn wake_all(&self) {
        let used = *lock(&self.used);
        for at in (0..used).map(|number| self.at(number)) {
            if at.word.load(Ordering::Relaxed) & u64::from(u32::MAX) == SLEEPS {
                at.wake();
            }
        }
    }
}

impl<T: Send, N: Copy + Send> Answers<T, N> {
    /// Returns the note of the asker of a place, unless the place belongs to another asker by now.
    pub fn note(&self, place: PlaceId) -> Option<N> {
        let rest = lock(&self.find(place.number)?.rest);
        rest.note.filter(|(generation, _)| *generation == place.generation).map(|(_, note)| note)
    }
}

impl<T: Send, N: Send> Default for Answers<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send, N: Send> Asked<T, N> {
    /// Returns the address of the place.
    pub fn place(&self) -> PlaceId {
        self.place
    }

    fn at(&self) -> &Place<T, N> {
        // SAFETY: the table has the place as long as it exists, and the handle keeps it.
        unsafe { self.at.as_ref() }
    }

    /// Whether the answer was given.
    #[inline]
    pub fn is_given(&self) -> bool {
        self.at().word.load(Ordering::Acquire) == self.place.word(GIVEN)
    }

    /// Returns the answer if it was given.
    pub fn take(mut self) -> Result<T, Self> {
        match self.take_out() {
            Some(value) => Ok(value),
            None => Err(self),
        }
    }

    /// Takes the answer if it was given. The handle is then over.
    #[inline]
    pub fn take_out(&mut self) -> Option<T> {
        if self.is_over || !self.is_given() {
            return None;
        }
        self.is_over = true;
        // SAFETY: *given* was acquired, so the value is initialized. Only this handle takes it, once.
        let value = self.at().value.with_mut(|it| unsafe { (*it).assume_init_read() });
        self.answers.put_back(self.at(), self.place);
        Some(value)
    }

    /// Sleeps until the answer is given, at most until `deadline`. It may return earlier, as after
    /// [`wake_all`](Answers::wake_all). Returns whether the answer was given.
    pub fn sleep(&self, deadline: Option<Instant>) -> bool {
        let at = self.at();
        let Some(rest) = self.announce() else { return true };
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            Some(most) => {
                drop(at.given.wait_timeout(rest, most).unwrap_or_else(PoisonError::into_inner));
            }
            None => drop(at.given.wait(rest).unwrap_or_else(PoisonError::into_inner)),
        }
        self.is_given()
    }

    /// Has the giver wake this waker, instead of an earlier one. Returns whether the answer was given before.
    pub fn wake_by(&self, waker: &Waker) -> bool {
        let Some(mut rest) = self.announce() else { return true };
        match &mut rest.waker {
            Some(before) => before.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
        false
    }

    /// Announces under the returned lock that this thread sleeps. Returns `None` if the answer was given.
    fn announce(&self) -> Option<MutexGuard<'_, Rest<N>>> {
        let at = self.at();
        loop {
            let rest = lock(&at.rest);
            let asked = self.place.word(ASKED);
            let sleeps = self.place.word(SLEEPS);
            let changed = at.word.compare_exchange(asked, sleeps, Ordering::AcqRel, Ordering::Acquire);
            let Err(word) = changed else { return Some(rest) };
            if word == sleeps {
                return Some(rest);
            }
            if word == self.place.word(GIVEN) {
                return None;
            }
            // A giver writes the value now.
            drop(rest);
            spin_loop();
        }
    }

    /// Frees the place. No other thread knows its address.
    pub fn withdraw(mut self) {
        let free = self.place.word(FREE);
        let at = self.at();
        // Only `give_all` may have given it.
        if at.word.compare_exchange(self.place.word(ASKED), free, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        {
            self.answers.put_back(at, self.place);
            self.is_over = true;
        }
    }

    /// Leaves the place without its answer, as a forked child does whose parent may have held the locks.
    pub fn forget(mut self) {
        self.is_over = true;
    }
}

impl<T: Send, N: Send> Drop for Asked<T, N> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let at = self.at();
        loop {
            let word = at.word.load(Ordering::Relaxed);
            if word == self.place.word(GIVEN) {
                drop(self.take_out());
                return;
            }
            if word == self.place.word(GIVING) {
                spin_loop();
                continue;
            }
            if word == self.place.word(SLEEPS) {
                lock(&at.rest).waker = None;
            }
            let left = self.place.word(LEFT);
            if at.word.compare_exchange(word, left, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }
}

/// Returns the chunk of a place, and the place's index in it.
#[inline]
fn position(number: u32) -> (usize, usize) {
    // Chunk `c` begins with the number `FIRST * (2^c - 1)`.
    let from_first = u64::from(number) + u64::from(FIRST);
    let chunk = from_first.ilog2() - FIRST.ilog2();
    (chunk as usize, (from_first - (u64::from(FIRST) << chunk)) as usize)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
