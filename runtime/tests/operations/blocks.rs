//! Blocks move by ownership: without a copy within a process, and as equal copies through bytes. Blocks are
//! also borrowed, published, split and joined again.

use std::marker::PhantomData;

use crate::common::{gives, on_every, on_every_of, still_works};
use earth::{
    Arrived, Block, CellRef, Element, Error, Eu, Machine, NodeId, Published, Reply, Then, join_all_cols,
    join_all_rows, lend, threaded,
};

/// Sends a block around all nodes. Puts the address of its elements at each stop, beginning and ending with
/// this node.
struct Around {
    first: usize,
    out: Reply<Vec<(usize, u64)>>,
}

#[threaded]
impl Around {
    fn start(out: Reply<Vec<(usize, u64)>>, eu: &mut Eu<Self>) -> Self {
        let block = Block::from_fn(30, 40, |i, j| (100 * i + j) as u64);
        let first = block.row(0).as_ptr().addr();
        let (_, right) = block.split_cols(10);
        let (back, seen) = (eu.reply(Self::check().back), eu.reply(Self::check().seen));
        eu.invoke(NodeId::new(eu.nodes() - 1), Hop::call(right, Vec::new(), back, seen));
        Around { first, out }
    }

    #[slot]
    fn check(self, back: Block<u64>, mut seen: Vec<usize>, eu: &mut Eu<Self>) {
        seen.insert(0, self.first + 10 * size_of::<u64>());
        seen.push(back.row(0).as_ptr().addr());
        assert_eq!((back.rows(), back.cols()), (30, 30));
        let sums = back.iter_rows().map(|row| row.iter().sum::<u64>());
        let nodes = eu.nodes() as u64;
        let expected: Vec<u64> =
            (0..30).map(|i| (10..40).map(|j| 100 * i + j).sum::<u64>() + 30 * nodes).collect();
        assert!(sums.eq(expected.iter().copied()), "{expected:?}");
        eu.put(self.out, seen.into_iter().zip(0..).collect());
    }
}

struct Hop;

#[threaded]
impl Hop {
    fn start(
        mut block: Block<u64>,
        mut seen: Vec<usize>,
        back: Reply<Block<u64>>,
        told: Reply<Vec<usize>>,
        eu: &mut Eu<Self>,
    ) {
        block.iter_rows_mut().flatten().for_each(|x| *x += 1);
        seen.push(block.row(0).as_ptr().addr());
        if let Some(next) = eu.node().index().checked_sub(1) {
            eu.invoke(NodeId::new(next), Hop::call(block, seen, back, told));
        } else {
            eu.put_block(back, block);
            eu.put(told, seen);
        }
    }
}

#[test]
fn a_block_moves_without_a_copy_and_arrives_equal_through_bytes() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Around::call);
        let places: Vec<usize> = run.value.iter().map(|(place, _)| *place).collect();
        assert_eq!(places.len(), case.nodes + 2);
        if !case.through_bytes {
            assert_eq!(places, vec![places[0]; places.len()], "the elements stay where they are");
        }
        let bytes = (30 * 30 * size_of::<u64>() * (case.nodes + 1)) as u64;
        assert_eq!((run.counters.block_moves, run.counters.bytes_moved), (1, bytes));
    });
}

/// Transposes a square matrix of `tiles` x `tiles` tiles in place. A separate function gets the two tiles of
/// each pair.
struct Transpose<T> {
    tiles: u64,
    left: u64,
    out: Reply<u64>,
    of: PhantomData<fn(T)>,
}

#[threaded]
impl<T: Element> Transpose<T> {
    fn start(matrix: Block<T>, tiles: usize, fails: bool, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let side = matrix.rows() / tiles;
        let mut rows: Vec<Vec<Option<Block<T>>>> =
            matrix.split_rows_into(side).map(|row| row.split_cols_into(side).map(Some).collect()).collect();
        let mut left = 0;
        for (i, j) in (0..tiles).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let (a, b) = (rows[i][j].take(), rows[j][i].take());
            let node = NodeId::new((i + j) % eu.nodes());
            let fails = fails && i == tiles - 1 && j == i / 2;
            eu.invoke(node, Swap::call(a, b, fails, eu.reply(Self::count().done)));
            left += 1;
        }
        Transpose { tiles: tiles as u64, left, out, of: PhantomData }
    }

    #[slot(again)]
    fn count(&mut self, done: u64, eu: &mut Eu<Self>) -> Then {
        self.left -= done;
        if self.left > 0 {
            return Then::Wait;
        }
        eu.put(self.out, self.tiles);
        Then::End
    }
}

struct Swap<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Element> Swap<T> {
    fn start(
        mut a: Option<Block<T>>,
        mut b: Option<Block<T>>,
        fails: bool,
        done: Reply<u64>,
        eu: &mut Eu<Self>,
    ) {
        assert!(!fails, "this tile fails");
        let mut tiles: Vec<&mut Block<T>> = a.iter_mut().chain(b.iter_mut()).collect();
        let side = tiles[0].rows();
        for i in 0..side {
            // A tile on the diagonal is transposed in place.
            for j in 0..if tiles.len() == 1 { i } else { side } {
                let last = tiles.len() - 1;
                let (x, y) = (tiles[0].row(i)[j], tiles[last].row(j)[i]);
                tiles[0].row_mut(i)[j] = y;
                tiles[last].row_mut(j)[i] = x;
            }
        }
        drop((a, b));
        eu.put(done, 1);
    }
}

fn matrix(n: usize) -> Vec<f64> {
    (0..n * n).map(|i| i as f64).collect()
}

#[test]
fn lent_memory_is_transposed_in_place_by_many_functions() {
    // Through bytes a block arrives as a copy, so the borrowed memory is not written.
    for case in crate::common::cases().filter(|case| !case.through_bytes || case.nodes == 1) {
        let (n, mut machine) = (24, case.machine());
        let mut data = matrix(n);
        for round in 1..=4 {
            let tiles = [1, 3, 6, 24][round - 1];
            let run = lend(&mut data, n, n, |block| {
                gives(&mut machine, |out| Transpose::call(block, tiles as usize, false, out))
            });
            let run = run.unwrap();
            assert_eq!((run.value, run.counters.invokes), (tiles, tiles * (tiles + 1) / 2));
            assert_eq!(run.counters.bytes_moved, (n * n * 8) as u64);
            let expected =
                |i: usize, j: usize| if round % 2 == 1 { (j * n + i) as f64 } else { (i * n + j) as f64 };
            let wrong = (0..n * n).find(|&at| data[at].to_bits() != expected(at / n, at % n).to_bits());
            assert_eq!(wrong, None, "on {case}, round {round}");
        }
    }
}

#[test]
fn all_handles_of_lent_memory_are_back_after_an_error() {
    // A remaining handle would abort the process.
    on_every(|case| {
        let (n, mut machine) = (12, case.machine());
        let mut data = matrix(n);
        for tiles in [2, 4, 12] {
            let result = lend(&mut data, n, n, |block| {
                machine.run(|out| Transpose::call(block, tiles, true, out)).map(|run| run.value)
            });
            let Ok(Err(Error::Panicked { at, message })) = result else { panic!("a tile fails: {result:?}") };
            assert_eq!((at.function.as_str(), message.as_str()), ("Swap<f64>", "this tile fails"));
            still_works(&mut machine);
        }
        // The contents are unspecified, but every element is one of the original elements.
        if !case.through_bytes {
            data.sort_by(f64::total_cmp);
            assert!(data.iter().all(|x| (0.0..(n * n) as f64).contains(x) && x.fract() == 0.0));
        }
        data.copy_from_slice(&matrix(n));
    });
}

/// Publishes a table that readers on all nodes read in place. When they are done it becomes a block again.
struct Shares {
    table: Published<u32>,
    home: usize,
    sum: u64,
    in_place: usize,
    out: Reply<(u64, usize)>,
}

#[threaded]
impl Shares {
    fn start(n: usize, out: Reply<(u64, usize)>, eu: &mut Eu<Self>) -> Self {
        let table = Block::from_fn(4, 8, |i, j| (8 * i + j) as u32).publish();
        let (shared, read) = (eu.cell_ref(Self::shared()), eu.reply(Self::count().read));
        // Half of the readers come before the table.
        for i in 0..n / 2 {
            eu.invoke(NodeId::new(i % eu.nodes()), Reader::call(shared, read));
        }
        eu.write(shared, table.clone());
        for i in n / 2..n {
            eu.invoke(NodeId::new(i % eu.nodes()), Reader::call(shared, read));
        }
        let home = table.row(0).as_ptr().addr();
        Shares { table, home, sum: 0, in_place: 0, out }
    }

    #[cell]
    fn shared() -> Published<u32>;

    #[slot(again)]
    fn count(&mut self, read: (u64, usize), eu: &mut Eu<Self>) {
        let (sum, place) = read;
        self.sum += sum;
        self.in_place += usize::from(place == self.home);
        eu.sync(Self::finish());
    }

    #[slot(syncs = n)]
    fn finish(self, eu: &mut Eu<Self>) {
        // The cell and this state each own a handle.
        assert!(self.table.into_block().is_err(), "the cell still holds it");
        eu.put(self.out, (self.sum, self.in_place));
    }
}

struct Reader {
    to: Reply<(u64, usize)>,
}

#[threaded]
impl Reader {
    fn start(from: CellRef<Published<u32>>, to: Reply<(u64, usize)>, eu: &mut Eu<Self>) -> Self {
        eu.get_block(from, eu.reply(Self::read().table));
        Reader { to }
    }

    #[slot]
    fn read(self, table: Published<u32>, eu: &mut Eu<Self>) {
        let sum = table.iter_rows().flatten().map(|&x| u64::from(x)).sum();
        eu.put(self.to, (sum, table.row(0).as_ptr().addr()));
    }
}

#[test]
fn a_published_block_is_read_in_place_by_all_nodes() {
    on_every(|case| {
        let n = 16;
        let run = gives(&mut case.machine(), |out| Shares::call(n, out));
        let nodes = (0..n).map(|reader| reader % case.nodes);
        let in_place = nodes.filter(|&node| node == 0 || case.shares_memory(node)).count();
        assert_eq!(run.value, (n as u64 * (0..32).sum::<u64>(), in_place));
        assert_eq!((run.counters.block_moves, run.counters.bytes_moved), (n as u64, 32 * 4));
    });
}

/// Publishes a block, has it read on the last node, and writes to it again when the reader is done.
struct Unique {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Unique {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let block = Block::from_fn(2, 3, |i, j| (3 * i + j) as u64).publish();
        let (sum, back) = (eu.reply(Self::again().sum), eu.reply(Self::again().back));
        eu.invoke(NodeId::new(eu.nodes() - 1), Doubles::call(block, sum, back));
        Unique { out }
    }

    #[slot]
    fn again(self, sum: u64, back: Published<u64>, eu: &mut Eu<Self>) {
        let Ok(mut block) = back.into_block() else { panic!("this is the only handle") };
        block.row_mut(1)[2] = sum;
        eu.put(self.out, block.into_vec());
    }
}

struct Doubles;

#[threaded]
impl Doubles {
    fn start(block: Published<u64>, sum: Reply<u64>, back: Reply<Published<u64>>, eu: &mut Eu<Self>) {
        eu.put(sum, 2 * block.iter_rows().flatten().sum::<u64>());
        eu.put(back, block);
    }
}

#[test]
fn a_published_block_can_be_written_again_by_its_only_holder() {
    on_every(|case| assert_eq!(gives(&mut case.machine(), Unique::call).value, [0, 1, 2, 3, 4, 30]));
}

/// Splits a block into tiles, has each filled on some node, and joins them again.
struct Rejoin {
    out: Reply<Block<u64>>,
}

#[threaded]
impl Rejoin {
    fn start(out: Reply<Block<u64>>, eu: &mut Eu<Self>) -> Self {
        let replies = eu.replies(Self::join().tiles);
        let mut to = (0..4).zip(eu.node().index()..);
        for rows in Block::<u64>::zeroed(4, 6).split_rows_into(2) {
            for tile in rows.split_cols_into(3) {
                let Some((i, node)) = to.next() else { unreachable!("there are four tiles") };
                eu.invoke(NodeId::new(node % eu.nodes()), Fill::call(tile, i as u64, replies.at(i)));
            }
        }
        Rejoin { out }
    }

    #[slot]
    fn join(self, #[inlets(4)] mut tiles: Arrived<'_, Block<u64>>, eu: &mut Eu<Self>) {
        let top: Vec<_> = tiles.by_ref().take(2).collect();
        let whole = [top, tiles.collect()].map(join_all_cols).into_iter().collect::<Result<Vec<_>, _>>();
        match whole.and_then(join_all_rows) {
            Ok(whole) => eu.put_block(self.out, whole),
            // Through bytes each tile has its own storage.
            Err(parts) => eu.put_block(self.out, Block::zeroed(0, parts.len())),
        }
    }
}

struct Fill;

#[threaded]
impl Fill {
    fn start(mut tile: Block<u64>, value: u64, to: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        tile.iter_rows_mut().flatten().for_each(|x| *x = value);
        eu.put_block(to, tile);
    }
}

#[test]
fn tiles_filled_on_all_nodes_join_to_the_block_they_were_split_from() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Rejoin::call);
        assert_eq!(
            (run.counters.block_moves, run.counters.bytes_moved),
            (5, if run.value.rows() == 4 { 3 * 24 * 8 } else { 2 * 24 * 8 })
        );
        if case.through_bytes && case.nodes > 1 {
            assert_eq!(run.value.rows(), 0);
        } else {
            let expected = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3], [2, 2, 2, 3, 3, 3]];
            assert_eq!(run.value.into_vec(), expected.concat());
        }
    });
}

#[test]
fn the_value_of_a_run_may_be_a_block_of_another_node() {
    on_every_of(2, |case| {
        let run = gives(&mut case.machine(), Give::call);
        assert_eq!((run.value.rows(), run.value.into_vec()), (2, vec![0, 1, 2, 10, 11, 12]));
    });
    // The block also outlives the machine.
    let block = gives(&mut Machine::threads(3), Give::call).value;
    assert_eq!(block.row(1), [10, 11, 12]);
}

struct Give;

#[threaded]
impl Give {
    fn start(out: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        if eu.node().index() < eu.nodes() - 1 {
            eu.invoke(NodeId::new(eu.nodes() - 1), Give::call(out));
        } else {
            let (_, right) = Block::from_fn(2, 5, |i, j| (10 * i + j) as u64).split_cols(0);
            let (left, _) = right.split_cols(3);
            eu.put_block(out, left);
        }
    }
}
