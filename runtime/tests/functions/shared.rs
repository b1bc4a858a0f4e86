//! Values that stay in their process: handles that move, and an error where bytes would be needed.

use std::sync::Arc;

use crate::common::{fails, gives, on_every_of};
use earth::{CellRef, Error, Eu, NodeId, Reply, Shared, SharedValues, threaded};

type Table = Vec<Shared<[u64]>>;

/// Sends a table to the last node, as an argument or by a cell, and gets it back: whether it is the one that was sent.
struct Lends {
    table: Table,
    out: Reply<bool>,
}

#[threaded]
impl Lends {
    fn start(table: Table, by_cell: bool, out: Reply<bool>, eu: &mut Eu<Self>) -> Self {
        let (last, back) = (NodeId::new(eu.nodes() - 1), eu.reply(Self::compare().back));
        if by_cell {
            eu.write(eu.cell_ref(Self::kept()), table.clone());
            eu.invoke(last, Asks::call(eu.cell_ref(Self::kept()), back));
        } else {
            eu.invoke(last, Returns::call(table.clone(), back));
        }
        Lends { table, out }
    }

    #[cell]
    fn kept() -> Table;

    #[slot]
    fn compare(self, back: Table, eu: &mut Eu<Self>) {
        eu.put(self.out, std::ptr::eq(&raw const *back[0], &raw const *self.table[0]));
    }
}

struct Returns;

#[threaded]
impl Returns {
    fn start(table: Table, back: Reply<Table>, eu: &mut Eu<Self>) {
        eu.put(back, table);
    }
}

struct Asks {
    back: Reply<Table>,
}

#[threaded]
impl Asks {
    fn start(cell: CellRef<Table>, back: Reply<Table>, eu: &mut Eu<Self>) -> Self {
        eu.get(cell, eu.reply(Self::pass_on().table));
        Asks { back }
    }

    #[slot]
    fn pass_on(self, table: Table, eu: &mut Eu<Self>) {
        eu.put(self.back, table);
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
                let error = fails(&mut machine, |out| Lends::call(table, by_cell, out));
                let type_name = String::from("Shared<[u64]>");
                assert_eq!(error, Error::StaysInProcess { type_name, node: case.last().index() });
            } else {
                assert!(gives(&mut machine, |out| Lends::call(table, by_cell, out)).value);
            }
            assert_eq!(Arc::strong_count(&held), 1, "{case}: a handle was leaked");
        }
    });
}

/// Values that a run begins with travel as their numbers: each arrives as the value that was sent, not another one. (Ranks
/// begin with values of their own: `ranks/programs.rs`.)
#[test]
fn what_a_run_begins_with_travels_everywhere() {
    on_every_of(2, |case| {
        if case.is_of_ranks() {
            return;
        }
        for by_cell in [false, true] {
            let mut machine = case.machine();
            let held: [Arc<[u64]>; 2] = [Arc::new([1, 2, 3]), Arc::new([1, 2, 3])];
            let table: Vec<_> = held.iter().map(|held| Shared::from(Arc::clone(held))).collect();
            let values = SharedValues::default().with(&Shared::new(7_u32)).with(&table[1]).with(&table[0]);
            let run = machine.run_with(values, |out| Lends::call(table, by_cell, out));
            assert_eq!(run.map(|run| run.value), Ok(true), "{case}");
            assert_eq!(held.map(|held| Arc::strong_count(&held)), [1, 1], "{case}: a handle was leaked");
        }
    });
}
