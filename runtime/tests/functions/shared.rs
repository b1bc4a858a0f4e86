//! Values that stay in their process: their handles move, and encoding them as bytes is an error.

use std::sync::Arc;

use crate::common::{cases, fails, gives, on_every_of, scramble, still_works};
use earth::{CellRef, Error, Eu, NodeId, Reply, Shared, SharedValues, Then, Work, threaded};

type Table = Vec<Shared<[u64]>>;

/// Sends a table to the last node, as an argument or by a cell, and gets it back. Puts whether it is the same
/// table.
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

/// Makes tokens that contain a table. Puts the sum of the values that they read from it.
struct Deals {
    left: u64,
    sum: u64,
    out: Reply<u64>,
}

/// Number of tokens.
const TOKENS: u64 = 24;

#[threaded]
impl Deals {
    fn start(table: Shared<[u64]>, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for _ in 0..TOKENS {
            eu.token(Reads::call(table.clone(), eu.reply(Self::add().part)));
        }
        Deals { left: TOKENS, sum: 0, out }
    }

    #[slot(again)]
    fn add(&mut self, part: u64, eu: &mut Eu<Self>) -> Then {
        self.sum += part;
        self.left -= 1;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.sum);
        Then::End
    }
}

struct Reads;

#[threaded]
impl Reads {
    fn start(table: Shared<[u64]>, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(100_000));
        assert_ne!(scramble(7, 20_000), 0);
        eu.put(out, table.iter().sum());
    }
}

#[test]
fn a_stolen_token_goes_through_bytes_as_an_invoked_function_does() {
    let mut refused = 0;
    on_every_of(2, |case| {
        for registered in [true, false] {
            if registered && case.is_of_ranks() {
                // The other ranks would have to begin with a table of their own.
                continue;
            }
            let mut machine = case.machine();
            let held: Arc<[u64]> = Arc::new([1, 2, 3]);
            let table = Shared::from(Arc::clone(&held));
            let values = SharedValues::default();
            let values = if registered { values.with(&table) } else { values };
            match machine.run_with(values, |out| Deals::call(table, out)) {
                Ok(run) => {
                    let may_steal = registered || case.nodes > 1 && case.shares_memory(1);
                    assert!(may_steal || run.counters.tokens_stolen == 0, "{case}: a token was stolen");
                    assert_eq!(run.value, 6 * TOKENS);
                }
                Err(error) => {
                    assert!(case.through_bytes && !registered, "{case}: {error}");
                    let is_it = matches!(&error, Error::StaysInProcess { type_name, node }
                        if type_name == "Shared<[u64]>" && *node > 0);
                    assert!(is_it, "{case}: {error}");
                    refused += usize::from(case.is_stepped());
                    still_works(&mut machine);
                }
            }
            assert_eq!(Arc::strong_count(&held), 1, "{case}: a handle was leaked");
        }
    });
    // On these machines idle nodes steal independently of the host's threads.
    let stepped = cases().filter(|case| case.nodes > 1 && case.through_bytes && case.is_stepped());
    assert_eq!(refused, stepped.count());
}

/// Values that a run begins with travel as their numbers, and each number arrives as the value that was sent.
/// Ranks begin with values of their own: see `ranks/programs.rs`.
#[test]
fn shared_values_of_a_run_travel_to_all_nodes() {
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
