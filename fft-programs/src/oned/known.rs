//! What every node of a run has been given, named in one word from then on.
//!
//! A small function that is invoked millions of times (an ask for a point) needs the tables of its run and
//! has 48 bytes for all its arguments. A [`Known`] is a handle: within a process 8 bytes that move, through
//! bytes a key under which the process finds what it was given before. Who distributes it sends an
//! [`Introduction`], which carries the value whole.
//!
//! *Invariant.* A key names one value. It is made of the process that made the value and a count of that
//! process, so two values never have one key, and a value that is unpacked twice in a process is kept once.
//!
//! *Cost.* A clone is an atomic increment; through bytes a lock and a look-up. A process keeps a value as
//! long as somebody in it has a handle. *When it loses.* A key that comes before its introduction names
//! nothing: its event cannot be decoded.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use earth::{Packer, Undecodable, Unpacker, Wire};
use parking_lot::Mutex;

/// A handle of a value that its node was introduced to, to which it derefs.
pub struct Known<V: Send + Sync + 'static>(Arc<Entry<V>>);

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
    fn get<V: Send + Sync + 'static>(&self, key: u64) -> Option<Known<V>> {
        self.entries.get(&key)?.downcast_ref::<Weak<Entry<V>>>()?.upgrade().map(Known)
    }

    fn keep<V: Send + Sync + 'static>(&mut self, key: u64, value: V) -> Known<V> {
        let entry = Arc::new(Entry { key, value });
        self.entries.insert(key, Box::new(Arc::downgrade(&entry)));
        Known(entry)
    }
}

impl<V: Send + Sync + 'static> Known<V> {
    /// A value that this process makes known.
    ///
    /// # Panics
    ///
    /// After 2^32 of them.
    pub fn new(value: V) -> Self {
        let mut directory = DIRECTORY.lock();
        let directory = directory.get_or_insert_default();
        directory.made = directory.made.checked_add(1).expect("a process makes less than 2^32 values known");
        directory.keep(u64::from(std::process::id()) << 32 | u64::from(directory.made), value)
    }

    /// What makes it known to a node.
    pub fn introduce(&self) -> Introduction<V> {
        Introduction(self.clone())
    }
}

impl<V: Send + Sync + 'static> Drop for Entry<V> {
    fn drop(&mut self) {
        let mut directory = DIRECTORY.lock();
        let Some(entries) = directory.as_mut().map(|directory| &mut directory.entries) else { return };
        let kept = entries.get(&self.key).and_then(|kept| kept.downcast_ref::<Weak<Self>>());
        // Another introduction may have put a new entry in its place.
        if kept.is_some_and(|kept| kept.strong_count() == 0) {
            entries.remove(&self.key);
        }
    }
}

impl<V: Send + Sync + 'static> Clone for Known<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V: Send + Sync + 'static> Deref for Known<V> {
    type Target = V;
    fn deref(&self) -> &V {
        &self.0.value
    }
}

impl<V: Send + Sync + 'static> fmt::Debug for Known<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({:#x})", self.0.key)
    }
}

impl<V: Send + Sync + 'static> Wire for Known<V> {
    fn pack(self, out: &mut Packer) {
        self.0.key.pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let key = u64::unpack(input)?;
        DIRECTORY.lock().as_ref().and_then(|directory| directory.get(key)).ok_or(Undecodable)
    }
}

/// A [`Known`] on its way to a node that has not seen it.
#[derive(Debug)]
pub struct Introduction<V: Send + Sync + 'static>(Known<V>);

impl<V: Send + Sync + 'static> Clone for Introduction<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V: Send + Sync + 'static> Introduction<V> {
    /// The value, known from now on.
    pub fn accept(self) -> Known<V> {
        self.0
    }
}

impl<V: Wire + Clone + Sync> Wire for Introduction<V> {
    fn pack(self, out: &mut Packer) {
        let known = self.0;
        known.0.key.pack(out);
        V::clone(&known).pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let (key, value) = <(u64, V)>::unpack(input)?;
        let mut directory = DIRECTORY.lock();
        let directory = directory.get_or_insert_default();
        let known = directory.get(key);
        Ok(Self(known.unwrap_or_else(|| directory.keep(key, value))))
    }
}
