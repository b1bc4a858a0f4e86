//! Plans of a single run, which every node is sent once and names by one word from then on.
//!
//! A small function that is invoked millions of times (an ask for a point) needs the tables of its run, and
//! travels without a box if all its arguments take at most 48 bytes. A [`RunPlan`] is a handle: within a process
//! 8 bytes that move, through bytes a key under which the process finds the value that it was sent. The function
//! that distributes it sends an [`Announcement`], which carries the value whole.
//!
//! *Invariant.* A key names one value. It is made of the process that made the value and a count of that
//! process, so two values never have one key, and a value that is unpacked twice in a process is kept once.
//!
//! *Cost.* A clone is an atomic increment; through bytes a lock and a look-up. A process keeps a value as
//! long as somebody in it has a handle. *When it loses.* A key that comes before its announcement names
//! nothing: its event cannot be decoded.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use earth::{Packer, Undecodable, Unpacker, Wire};
use parking_lot::Mutex;

/// A handle of a value that its node has been sent, to which it derefs.
pub struct RunPlan<V: Send + Sync + 'static>(Arc<Entry<V>>);

struct Entry<V: Send + Sync + 'static> {
    key: u64,
    value: V,
}

#[derive(Default)]
struct Directory {
    made: u32,
    /// Weak references to entries, by key.
    entries: HashMap<u64, Box<dyn Any + Send>>,
}

static DIRECTORY: Mutex<Option<Directory>> = Mutex::new(None);

impl Directory {
    fn get<V: Send + Sync + 'static>(&self, key: u64) -> Option<RunPlan<V>> {
        self.entries.get(&key)?.downcast_ref::<Weak<Entry<V>>>()?.upgrade().map(RunPlan)
    }

    fn keep<V: Send + Sync + 'static>(&mut self, key: u64, value: V) -> RunPlan<V> {
        let entry = Arc::new(Entry { key, value });
        self.entries.insert(key, Box::new(Arc::downgrade(&entry)));
        RunPlan(entry)
    }
}

impl<V: Send + Sync + 'static> RunPlan<V> {
    /// A handle of a new value.
    ///
    /// # Panics
    ///
    /// After 2^32 of them.
    pub fn new(value: V) -> Self {
        let mut directory = DIRECTORY.lock();
        let directory = directory.get_or_insert_default();
        directory.made = directory.made.checked_add(1).expect("a process makes less than 2^32 plans of runs");
        directory.keep(u64::from(std::process::id()) << 32 | u64::from(directory.made), value)
    }

    /// A message that gives the value to a node.
    pub fn announce(&self) -> Announcement<V> {
        Announcement(self.clone())
    }
}

impl<V: Send + Sync + 'static> Drop for Entry<V> {
    fn drop(&mut self) {
        let mut directory = DIRECTORY.lock();
        let Some(entries) = directory.as_mut().map(|directory| &mut directory.entries) else { return };
        let kept = entries.get(&self.key).and_then(|kept| kept.downcast_ref::<Weak<Self>>());
        // Another announcement may have put a new entry in its place.
        if kept.is_some_and(|kept| kept.strong_count() == 0) {
            entries.remove(&self.key);
        }
    }
}

impl<V: Send + Sync + 'static> Clone for RunPlan<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V: Send + Sync + 'static> Deref for RunPlan<V> {
    type Target = V;
    fn deref(&self) -> &V {
        &self.0.value
    }
}

impl<V: Send + Sync + 'static> fmt::Debug for RunPlan<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunPlan({:#x})", self.0.key)
    }
}

impl<V: Send + Sync + 'static> Wire for RunPlan<V> {
    fn pack(self, out: &mut Packer) {
        self.0.key.pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let key = u64::unpack(input)?;
        DIRECTORY.lock().as_ref().and_then(|directory| directory.get(key)).ok_or(Undecodable)
    }
}

/// A [`RunPlan`] on its way to a node that may not have seen it.
#[derive(Debug)]
pub struct Announcement<V: Send + Sync + 'static>(RunPlan<V>);

impl<V: Send + Sync + 'static> Clone for Announcement<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V: Send + Sync + 'static> Announcement<V> {
    /// The handle, whose key this process knows from now on.
    pub fn accept(self) -> RunPlan<V> {
        self.0
    }
}

impl<V: Wire + Clone + Sync> Wire for Announcement<V> {
    fn pack(self, out: &mut Packer) {
        let plan = self.0;
        plan.0.key.pack(out);
        V::clone(&plan).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (key, value) = <(u64, V)>::unpack(input)?;
        let mut directory = DIRECTORY.lock();
        let directory = directory.get_or_insert_default();
        let plan = directory.get(key);
        Ok(Self(plan.unwrap_or_else(|| directory.keep(key, value))))
    }
}
