//! Values that many hold and that stay in their process.

use std::ops::Deref;
use std::sync::Arc;

use super::wire::{Packer, Undecodable, Unpacker, Wire};

/// A handle of a value that its holders only read: an [`Arc`] that travels between the nodes of one process.
///
/// It moves in one word, and a clone is one more holder of the same value. It has no bytes: a run that sends one to
/// another process, or [through bytes](crate::Machine::through_bytes) to another node, ends with
/// [`Error::StaysInProcess`](crate::Error::StaysInProcess). A block that is only read travels anywhere as
/// [`Published`](crate::Published).
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
    /// The first handle of a value.
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
        out.stays::<Self>();
    }
    fn unpack(_: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Err(Undecodable)
    }
}
