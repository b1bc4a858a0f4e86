//! A value that is kept on a node and can be requested from any node.
//!
//! 1. [`keep`] starts a [`Local`] for each value, distributed round-robin over the nodes.
//! 2. A `Local` writes its value into a write-once cell of its frame and puts the address of the cell to its
//!    reply.
//! 3. A holder of the address requests the value by [`get`](crate::Eu::get); each request gets a copy.
//! 4. A signal to the slot that the `Local` also returned releases the value.
//!
//! # Cost
//!
//! A frame and 2 fibers for the value's life. A request from its own node is two local events and one fiber
//! of the requester; a request from another node is two messages.
//!
//! # When it loses
//!
//! A function that needs the value once should take it as an argument. A large value should be
//! [`Published`](crate::Published) or otherwise shared: a copy of it is then a handle.

use std::marker::PhantomData;

use super::everywhere::everywhere;
use super::group::Group;
use crate::{CellRef, Eu, Reply, SlotRef, Wire, threaded};

/// Address of a kept value.
#[derive(Clone, Debug, Wire)]
pub struct Kept<T: Wire + Clone> {
    /// The cell that holds the value.
    pub value: CellRef<T>,
    /// The slot to signal once, when no more reads will come.
    pub done: SlotRef,
}

/// Keeps each of `values` on a node, distributed round-robin over the nodes of `on`. The addresses arrive as
/// one value, in the same order.
///
/// ```
/// use earth::collective::{Group, Kept, keep};
/// use earth::{CellRef, Eu, Machine, NodeId, Reply, threaded};
///
/// /// Tables on all nodes, and a request to the last.
/// struct Tables {
///     kept: Vec<Kept<Vec<String>>>,
///     out: Reply<String>,
/// }
///
/// #[threaded]
/// impl Tables {
///     fn start(out: Reply<String>, eu: &mut Eu<Self>) -> Self {
///         let tables = (0..eu.nodes()).map(|node| vec![format!("zero of {node}"), format!("one of {node}")]);
///         keep(eu, Group::all(eu), tables, eu.reply(Self::ask().kept));
///         Tables { kept: Vec::new(), out }
///     }
///
///     #[slot]
///     fn ask(&mut self, kept: Vec<Kept<Vec<String>>>, eu: &mut Eu<Self>) {
///         let last = eu.nodes() - 1;
///         eu.invoke(NodeId::new(last), Asks::call(kept[last].value, 1, eu.reply(Self::done().answer)));
///         self.kept = kept;
///     }
///
///     #[slot]
///     fn done(self, answer: String, eu: &mut Eu<Self>) {
///         self.kept.iter().for_each(|table| eu.rsync(table.done));
///         eu.put(self.out, answer);
///     }
/// }
///
/// struct Asks {
///     entry: usize,
///     out: Reply<String>,
/// }
///
/// #[threaded]
/// impl Asks {
///     fn start(table: CellRef<Vec<String>>, entry: usize, out: Reply<String>, eu: &mut Eu<Self>) -> Self {
///         eu.get(table, eu.reply(Self::look().table));
///         Asks { entry, out }
///     }
///
///     #[slot]
///     fn look(self, mut table: Vec<String>, eu: &mut Eu<Self>) {
///         eu.put(self.out, table.swap_remove(self.entry));
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run(Tables::call)?.value, "one of 1");
/// # Ok::<(), earth::Error>(())
/// ```
pub fn keep<T: Wire + Clone>(
    eu: &mut Eu<impl Sized>,
    on: Group,
    values: impl IntoIterator<Item = T>,
    kept: Reply<Vec<Kept<T>>>,
) {
    everywhere::<Local<T>>(eu, on, values, kept);
}

/// Keeps a value for all requesters.
struct Local<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Clone> Local<T> {
    fn start(value: T, kept: Reply<Kept<T>>, eu: &mut Eu<Self>) -> Self {
        eu.write(eu.cell_ref(Self::value()), value);
        eu.put(kept, Kept { value: eu.cell_ref(Self::value()), done: eu.slot_ref(Self::end()) });
        Local(PhantomData)
    }

    #[cell]
    fn value() -> T;

    #[slot(sync)]
    fn end(self) {}
}
