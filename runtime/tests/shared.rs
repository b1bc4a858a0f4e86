//! Values that stay in their process: handles that move, and an error where bytes would be needed.

mod common;

use std::sync::Arc;

use common::{bad, good, on_every_of};
use earth::{CellRef, Error, NodeId, Reply, Shared, Then, threaded_old};

type Table = Vec<Shared<[u64]>>;

threaded_old! {
    /// Sends a table to the last node, as an argument or by a cell, and gets it back: whether it is the one that was sent.
    fn Lends(table: Table, by_cell: bool, out: Reply<bool>)
    calls  { Returns, Asks }
    inlets { back: Table }
    cells  { kept: Table }
    slots  { came: 1 => compare }
    fiber start(this, eu) {
        let (last, back) = (NodeId::new(eu.nodes() - 1), eu.reply_to(Self::back, Self::came));
        if this.by_cell {
            eu.write(eu.cell_ref(Self::kept), this.table.clone());
            eu.invoke_old::<Asks>(last, (eu.cell_ref(Self::kept), back));
        } else {
            eu.invoke_old::<Returns>(last, (this.table.clone(), back));
        }
        Then::Wait
    }
    fiber compare(this, eu) {
        let back = eu.take(Self::back);
        eu.put(this.out, std::ptr::eq(&raw const *back[0], &raw const *this.table[0]));
        Then::End
    }
}

threaded_old! {
    fn Returns(table: Table, back: Reply<Table>)
    fiber start(this, eu) { eu.put(this.back, std::mem::take(&mut this.table)); Then::End }
}

threaded_old! {
    fn Asks(cell: CellRef<Table>, back: Reply<Table>)
    inlets { table: Table }
    slots  { came: 1 => pass_on }
    fiber start(this, eu) { eu.get(this.cell, eu.reply_to(Self::table, Self::came)); Then::Wait }
    fiber pass_on(this, eu) {
        let table = eu.take(Self::table);
        eu.put(this.back, table);
        Then::End
    }
}

#[test]
fn shared_values_move_as_handles_and_are_refused_by_name_where_bytes_are_needed() {
    on_every_of(2, |case| {
        for by_cell in [false, true] {
            let mut machine = case.machine();
            let held: Arc<[u64]> = Arc::new([1, 2, 3]);
            let table = vec![Shared::from(Arc::clone(&held))];
            if case.through_bytes {
                let error = bad::<Lends>(&mut machine, (table, by_cell));
                let type_name = String::from("Shared<[u64]>");
                assert_eq!(error, Error::StaysInProcess { type_name, node: case.last().index() });
            } else {
                assert!(good::<Lends>(&mut machine, (table, by_cell)).value);
            }
            assert_eq!(Arc::strong_count(&held), 1, "{case}: a handle was leaked");
        }
    });
}
