//! A value that lives on a node, to be asked for from anywhere.
//!
//! 1. [`keep`] starts a [`Local`] for each value, dealt round the nodes.
//! 2. A `Local` writes its value into a write-once cell of its frame and says where the cell is.
//! 3. Who has the address asks for the value by [`get`](crate::Eu::get); each gets a copy.
//! 4. A signal to the slot that the `Local` also told of lets the value go.
//!
//! # Cost
//!
//! A frame and 2 fibers for the value's life. A question on its own node is two events that stay there and
//! one fiber of who asks; from elsewhere, two messages.
//!
//! # When it loses
//!
//! A function that needs the value once takes it as an argument. A large value is
//! [`Published`](crate::Published) or otherwise shared: a copy of it is then a handle.

use super::everywhere::everywhere;
use super::group::{Group, Shared};
use crate::threaded_old;
use crate::unit::eu::Eu;
use crate::vocabulary::address::{CellRef, Reply, SlotRef};
use crate::vocabulary::name::Then;
use crate::vocabulary::wire::Wire;

/// The addresses of a [`Local`].
#[derive(Clone, Debug, Wire)]
pub struct Kept<T: Shared> {
    /// The cell that holds the value.
    pub value: CellRef<T>,
    /// The slot to signal once, when no more reads will come.
    pub done: SlotRef,
}

/// Keeps each of `values` on a node, dealt round those of `on`; where they are arrives as one value, in the
/// same order. The caller lists [`Everywhere<Local<T>>`](super::Everywhere).
///
/// ```
/// use earth::collective::{Everywhere, Group, Kept, Local, keep};
/// use earth::{Machine, NodeId, Reply, Then, threaded_old};
///
/// threaded_old! {
///     /// Tables on all nodes, and a question on the last.
///     fn Tables(out: Reply<String>)
///     state  { tables: Vec<Kept<Vec<String>>> = Vec::new() }
///     calls  { Everywhere<Local<Vec<String>>>, Asks }
///     inlets { kept: Vec<Kept<Vec<String>>>, answer: String }
///     slots  { built: 1 => ask, answered: 1 => done }
///     fiber start(_this, eu) {
///         let tables = (0..eu.nodes()).map(|node| vec![format!("zero of {node}"), format!("one of {node}")]);
///         keep(eu, Group::all(eu), tables, eu.reply_to(Self::kept, Self::built));
///         Then::Wait
///     }
///     fiber ask(this, eu) {
///         this.tables = eu.take(Self::kept);
///         let last = eu.nodes() - 1;
///         let table = this.tables[last].value;
///         eu.invoke_old::<Asks>(NodeId::new(last), (table, 1, eu.reply_to(Self::answer, Self::answered)));
///         Then::Wait
///     }
///     fiber done(this, eu) {
///         this.tables.iter().for_each(|table| eu.rsync(table.done));
///         let answer = eu.take(Self::answer);
///         eu.put(this.out, answer);
///         Then::End
///     }
/// }
///
/// threaded_old! {
///     fn Asks(table: earth::CellRef<Vec<String>>, entry: u32, out: Reply<String>)
///     inlets { table_in: Vec<String> }
///     slots  { came: 1 => look }
///     fiber start(this, eu) {
///         eu.get(this.table, eu.reply_to(Self::table_in, Self::came));
///         Then::Wait
///     }
///     fiber look(this, eu) {
///         let mut table = eu.take(Self::table_in);
///         eu.put(this.out, table.swap_remove(this.entry as usize));
///         Then::End
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run_old::<Tables>(())?.value, "one of 1");
/// # Ok::<(), earth::Error>(())
/// ```
pub fn keep<T: Shared>(
    eu: &mut Eu,
    on: Group,
    values: impl IntoIterator<Item = T>,
    kept: Reply<Vec<Kept<T>>>,
) {
    everywhere::<Local<T>>(eu, on, values.into_iter().map(|value| Some(Box::new(value))), kept);
}

threaded_old! {
    /// The function that [`keep`] starts: it keeps a value for all who ask.
    ///
    /// # Panics
    ///
    /// If it is given none.
    pub fn Local<T: Shared>(given: Option<Box<T>>, kept: Reply<Kept<T>>)
    cells { value: T }
    slots { done: 1 => end }
    fiber start(this, eu) {
        let Some(value) = this.given.take() else { panic!("a local value that is none") };
        eu.write(eu.cell_ref(Self::value), *value);
        eu.put(this.kept, Kept { value: eu.cell_ref(Self::value), done: eu.slot_ref(Self::done) });
        Then::Wait
    }
    fiber end(_this, _eu) {
        Then::End
    }
}
