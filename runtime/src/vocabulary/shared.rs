//! Shared read-only values that stay in their process, and those that every process has before a run.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

use super::wire::{Packer, Undecodable, Unpacker, Wire};

/// A handle to a read-only shared value: an [`Arc`] that travels between the nodes of one process.
///
/// It moves in one word, and a clone is one more handle to the same value. It has no bytes. A run that sends
/// one to another process, or [through bytes](crate::Machine::through_bytes) to another node, ends with
/// [`Error::StaysInProcess`](crate::Error::StaysInProcess). Exception: a handle to one of the
/// [`SharedValues`] that the run began with travels as its number in that list. A read-only block travels
/// anywhere as [`Published`](crate::Published).
///
/// ```
/// use earth::{Eu, Machine, NodeId, Reply, Shared, threaded};
///
/// /// The number of words of a text, which is counted on the last node and copied nowhere.
/// struct Counts;
///
/// #[threaded]
/// impl Counts {
///     fn start(text: Shared<str>, out: Reply<usize>, eu: &mut Eu<Self>) {
///         eu.invoke(NodeId::new(eu.nodes() - 1), Words::call(text.clone(), out));
///     }
/// }
///
/// struct Words;
///
/// #[threaded]
/// impl Words {
///     fn start(text: Shared<str>, out: Reply<usize>, eu: &mut Eu<Self>) {
///         eu.put(out, text.split_whitespace().count());
///     }
/// }
///
/// let text = Shared::from(std::sync::Arc::from("to be or not to be"));
/// assert_eq!(Machine::threads(2).run(|out| Counts::call(text, out))?.value, 6);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shared<T: ?Sized>(Arc<T>);

impl<T> Shared<T> {
    /// Makes the first handle to a value.
    pub fn new(value: T) -> Self {
        Shared(Arc::new(value))
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> From<Arc<T>> for Shared<T> {
    fn from(value: Arc<T>) -> Self {
        Shared(value)
    }
}

impl<T: ?Sized> From<Shared<T>> for Arc<T> {
    fn from(shared: Shared<T>) -> Self {
        shared.0
    }
}

impl<T: Send + Sync + ?Sized + 'static> Wire for Shared<T> {
    fn pack(self, out: &mut Packer) {
        match out.shared().number_of(&self) {
            Some(number) => number.pack(out),
            None => out.stays::<Self>(),
        }
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        let number = u32::unpack(input)?;
        input.shared().get(number).ok_or(Undecodable)
    }
}

/// The values that a run [begins with](crate::Machine::run_with): tables and plans that every process makes
/// before the run, so that their bytes do not travel. A [`Shared`] of one of them travels as its position in
/// this list. Each process must add its own value, of the same type, at the same position.
///
/// Clones share one list until one of them adds a value.
#[derive(Clone, Default, Debug)]
pub struct SharedValues(Option<Arc<Vec<Arc<dyn Any + Send + Sync>>>>);

impl SharedValues {
    /// Appends a value.
    #[must_use]
    pub fn with<T: Send + Sync + ?Sized + 'static>(mut self, value: &Shared<T>) -> Self {
        Arc::make_mut(self.0.get_or_insert_default()).push(Arc::new(value.clone()));
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.values().len()
    }

    fn values(&self) -> &[Arc<dyn Any + Send + Sync>] {
        self.0.as_ref().map_or(&[], |values| values)
    }

    /// Returns the position of the value of this handle.
    fn number_of<T: Send + Sync + ?Sized + 'static>(&self, value: &Shared<T>) -> Option<u32> {
        let is_it = |held: &Shared<T>| std::ptr::addr_eq(Arc::as_ptr(&held.0), Arc::as_ptr(&value.0));
        let number = self.values().iter().position(|held| held.downcast_ref().is_some_and(is_it));
        number.map(|number| number as u32)
    }

    /// Returns a handle to the value at this position, if its type is `Shared<T>`.
    fn get<T: Send + Sync + ?Sized + 'static>(&self, number: u32) -> Option<Shared<T>> {
        self.values().get(number as usize)?.downcast_ref::<Shared<T>>().cloned()
    }
}
