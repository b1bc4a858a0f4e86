//! Blocks move by ownership: without a copy within a process, equal through bytes; lent, published,
//! split and joined in the end.

mod common;

use common::{good, on_every, on_every_of, still_works};
use earth::{
    Block, CellRef, Element, Error, Machine, NodeId, Published, Reply, Then, join_all_cols, join_all_rows,
    lend, threaded_old,
};

threaded_old! {
    /// Sends a block around all nodes and says where its elements lay at each stop, first and last here.
    fn Around(out: Reply<Vec<(usize, u64)>>)
    state  { first: usize = 0 }
    calls  { Hop }
    inlets { back: Block<u64>, seen: Vec<usize> }
    slots  { both: 2 => check }
    fiber start(this, eu) {
        let block = Block::from_fn(30, 40, |i, j| (100 * i + j) as u64);
        this.first = block.row(0).as_ptr().addr();
        let (_, right) = block.split_cols(10);
        let replies = (eu.reply_to(Self::back, Self::both), eu.reply_to(Self::seen, Self::both));
        eu.invoke_old::<Hop>(NodeId::new(eu.nodes() - 1), (right, Box::new((Vec::new(), replies))));
        Then::Wait
    }
    fiber check(this, eu) {
        let (back, mut seen) = (eu.take(Self::back), eu.take(Self::seen));
        seen.insert(0, this.first + 10 * size_of::<u64>());
        seen.push(back.row(0).as_ptr().addr());
        assert_eq!((back.rows(), back.cols()), (30, 30));
        let sums = back.iter_rows().map(|row| row.iter().sum::<u64>());
        let expected: Vec<u64> = (0..30).map(|i| (10..40).map(|j| 100 * i + j).sum::<u64>() + 30 * eu.nodes() as u64).collect();
        assert!(sums.eq(expected.iter().copied()), "{expected:?}");
        eu.put(this.out, seen.into_iter().zip(0..).collect());
        Then::End
    }
}

threaded_old! {
    fn Hop(block: Block<u64>, rest: Box<(Vec<usize>, (Reply<Block<u64>>, Reply<Vec<usize>>))>)
    fiber start(this, eu) {
        let mut block = std::mem::replace(&mut this.block, Block::zeroed(0, 0));
        block.iter_rows_mut().flatten().for_each(|x| *x += 1);
        let (seen, (back, told)) = &mut *this.rest;
        let (mut seen, back, told) = (std::mem::take(seen), *back, *told);
        seen.push(block.row(0).as_ptr().addr());
        if let Some(next) = eu.node().index().checked_sub(1) {
            eu.invoke_old::<Hop>(NodeId::new(next), (block, Box::new((seen, (back, told)))));
        } else {
            eu.put_block(back, block);
            eu.put(told, seen);
        }
        Then::End
    }
}

#[test]
fn a_block_moves_without_a_copy_and_arrives_equal_through_bytes() {
    on_every(|case| {
        let run = good::<Around>(&mut case.machine(), ());
        let places: Vec<usize> = run.value.iter().map(|(place, _)| *place).collect();
        assert_eq!(places.len(), case.nodes + 2);
        if !case.through_bytes {
            assert_eq!(places, vec![places[0]; places.len()], "the elements stay where they are");
        }
        let bytes = (30 * 30 * size_of::<u64>() * (case.nodes + 1)) as u64;
        assert_eq!((run.counters.block_moves, run.counters.bytes_moved), (1, bytes));
    });
}

threaded_old! {
    /// Transposes a square matrix of `tiles` x `tiles` tiles in place: the two tiles of each pair go to
    /// a function of their own.
    fn Transpose<T: Element>(matrix: Block<T>, tiles: u16, fails: bool, out: Reply<u64>)
    state  { left: u32 = 0 }
    calls  { Swap<T> }
    inlets { done: u64 }
    slots  { one: 1, reset 1 => count }
    fiber start(this, eu) {
        let matrix = std::mem::replace(&mut this.matrix, Block::zeroed(0, 0));
        let tiles = usize::from(this.tiles);
        let side = matrix.rows() / tiles;
        let mut rows: Vec<Vec<Option<Block<T>>>> =
            matrix.split_rows_into(side).map(|row| row.split_cols_into(side).map(Some).collect()).collect();
        for i in 0..tiles {
            for j in 0..=i {
                let (a, b) = (rows[i][j].take(), rows[j][i].take());
                let node = NodeId::new((i + j) % eu.nodes());
                let fails = this.fails && i == tiles - 1 && j == i / 2;
                eu.invoke_old::<Swap<T>>(node, (Box::new((a, b, fails)), eu.reply_to(Self::done, Self::one)));
                this.left += 1;
            }
        }
        Then::Wait
    }
    fiber count(this, eu) {
        let _ = eu.take(Self::done);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, u64::from(this.tiles));
        Then::End
    }
}

threaded_old! {
    fn Swap<T: Element>(tiles: Box<(Option<Block<T>>, Option<Block<T>>, bool)>, done: Reply<u64>)
    fiber start(this, eu) {
        let (a, b, fails) = &mut *this.tiles;
        assert!(!*fails, "this tile fails");
        let mut tiles: Vec<&mut Block<T>> = a.iter_mut().chain(b.iter_mut()).collect();
        let side = tiles[0].rows();
        for i in 0..side {
            // A tile of the diagonal is transposed within itself.
            for j in 0..if tiles.len() == 1 { i } else { side } {
                let last = tiles.len() - 1;
                let (x, y) = (tiles[0].row(i)[j], tiles[last].row(j)[i]);
                tiles[0].row_mut(i)[j] = y;
                tiles[last].row_mut(j)[i] = x;
            }
        }
        (*a, *b) = (None, None);
        eu.put(this.done, 1);
        Then::End
    }
}

fn matrix(n: usize) -> Vec<f64> {
    (0..n * n).map(|i| i as f64).collect()
}

#[test]
fn lent_memory_is_transposed_in_place_by_many_functions() {
    // Through bytes a block arrives as a copy, so what was lent is not what is written.
    for case in common::cases().filter(|case| !case.through_bytes || case.nodes == 1) {
        let (n, mut machine) = (24, case.machine());
        let mut data = matrix(n);
        for round in 1..=4 {
            let tiles = [1, 3, 6, 24][round - 1];
            let run =
                lend(&mut data, n, n, |block| good::<Transpose<f64>>(&mut machine, (block, tiles, false)))
                    .unwrap();
            assert_eq!(
                (run.value, run.counters.invokes),
                (u64::from(tiles), u64::from(tiles * (tiles + 1) / 2))
            );
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
    // A handle that was left would abort the process.
    on_every(|case| {
        let (n, mut machine) = (12, case.machine());
        let mut data = matrix(n);
        for tiles in [2, 4, 12] {
            let result = lend(&mut data, n, n, |block| {
                machine.run_old::<Transpose<f64>>((block, tiles, true)).map(|run| run.value)
            });
            let Ok(Err(Error::Panicked { at, message })) = result else { panic!("a tile fails: {result:?}") };
            assert_eq!((at.function.as_str(), message.as_str()), ("Swap<f64>", "this tile fails"));
            still_works(&mut machine);
        }
        // What was written is unspecified, but every element is one that was there.
        if !case.through_bytes {
            data.sort_by(f64::total_cmp);
            assert!(data.iter().all(|x| (0.0..(n * n) as f64).contains(x) && x.fract() == 0.0));
        }
        data.copy_from_slice(&matrix(n));
    });
}

threaded_old! {
    /// Publishes a table; readers on all nodes read it in place; when they are done it is a block again.
    fn Shares(n: usize, out: Reply<(u64, usize)>)
    state  { table: Option<Published<u32>> = None, home: usize = 0, sum: u64 = 0, in_place: usize = 0 }
    calls  { Reader }
    inlets { read: (u64, usize) }
    cells  { shared: Published<u32> }
    slots  { one: 1, reset 1 => count, all: (this.n) => finish }
    fiber start(this, eu) {
        let table = Block::from_fn(4, 8, |i, j| (8 * i + j) as u32).publish();
        this.home = table.row(0).as_ptr().addr();
        this.table = Some(table.clone());
        // Half of the readers come before the table.
        for i in 0..this.n / 2 {
            eu.invoke_old::<Reader>(NodeId::new(i % eu.nodes()), (eu.cell_ref(Self::shared), eu.reply_to(Self::read, Self::one)));
        }
        eu.write(eu.cell_ref(Self::shared), table);
        for i in this.n / 2..this.n {
            eu.invoke_old::<Reader>(NodeId::new(i % eu.nodes()), (eu.cell_ref(Self::shared), eu.reply_to(Self::read, Self::one)));
        }
        Then::Wait
    }
    fiber count(this, eu) {
        let (sum, place) = eu.take(Self::read);
        this.sum += sum;
        this.in_place += usize::from(place == this.home);
        eu.sync(Self::all);
        Then::Wait
    }
    fiber finish(this, eu) {
        // The cell and this state hold a handle each.
        let Some(table) = this.table.take() else { unreachable!("published by the first fiber") };
        assert!(table.into_block().is_err(), "the cell still holds it");
        eu.put(this.out, (this.sum, this.in_place));
        Then::End
    }
}

threaded_old! {
    fn Reader(from: CellRef<Published<u32>>, to: Reply<(u64, usize)>)
    inlets { table: Published<u32> }
    slots  { came: 1 => read }
    fiber start(this, eu) {
        eu.get_block(this.from, eu.reply_to(Self::table, Self::came));
        Then::Wait
    }
    fiber read(this, eu) {
        let table = eu.take(Self::table);
        let sum = table.iter_rows().flatten().map(|&x| u64::from(x)).sum();
        eu.put(this.to, (sum, table.row(0).as_ptr().addr()));
        Then::End
    }
}

#[test]
fn a_published_block_is_read_in_place_by_all_nodes() {
    on_every(|case| {
        let n = 16;
        let run = good::<Shares>(&mut case.machine(), n);
        let local = n.div_ceil(case.nodes);
        let in_place = if case.through_bytes { local } else { n };
        assert_eq!(run.value, (n as u64 * (0..32).sum::<u64>(), in_place));
        assert_eq!((run.counters.block_moves, run.counters.bytes_moved), (n as u64, 32 * 4));
    });
}

threaded_old! {
    /// Publishes a block, has it read on the last node, and writes to it again when the reader is done.
    fn Unique(out: Reply<Vec<u64>>)
    calls  { Doubles }
    inlets { sum: u64, back: Published<u64> }
    slots  { both: 2 => again }
    fiber start(_this, eu) {
        let block = Block::from_fn(2, 3, |i, j| (3 * i + j) as u64).publish();
        let replies = (eu.reply_to(Self::sum, Self::both), eu.reply_to(Self::back, Self::both));
        eu.invoke_old::<Doubles>(NodeId::new(eu.nodes() - 1), (block, Box::new(replies)));
        Then::Wait
    }
    fiber again(this, eu) {
        let sum = eu.take(Self::sum);
        let Ok(mut block) = eu.take(Self::back).into_block() else { panic!("this is the only handle") };
        block.row_mut(1)[2] = sum;
        eu.put(this.out, block.into_vec());
        Then::End
    }
}

threaded_old! {
    fn Doubles(block: Published<u64>, to: Box<(Reply<u64>, Reply<Published<u64>>)>)
    fiber start(this, eu) {
        let block = std::mem::replace(&mut this.block, Block::zeroed(0, 0).publish());
        eu.put(this.to.0, 2 * block.iter_rows().flatten().sum::<u64>());
        eu.put(this.to.1, block);
        Then::End
    }
}

#[test]
fn a_published_block_can_be_written_again_by_its_only_holder() {
    on_every(|case| assert_eq!(good::<Unique>(&mut case.machine(), ()).value, [0, 1, 2, 3, 4, 30]));
}

threaded_old! {
    /// Splits a block into tiles, has each filled on some node, and joins them again.
    fn Rejoin(out: Reply<Block<u64>>)
    calls  { Fill }
    inlets { tiles[4]: Block<u64> }
    slots  { all: 4 => join }
    fiber start(_this, eu) {
        let mut to = (0..4).zip(eu.node().index()..);
        for rows in Block::<u64>::zeroed(4, 6).split_rows_into(2) {
            for tile in rows.split_cols_into(3) {
                let Some((i, node)) = to.next() else { unreachable!("there are four tiles") };
                let reply = eu.replies_to_one(Self::tiles, Self::all).at(i);
                eu.invoke_old::<Fill>(NodeId::new(node % eu.nodes()), (tile, i as u32, reply));
            }
        }
        Then::Wait
    }
    fiber join(this, eu) {
        let mut tiles: Vec<_> = (0..4).map(|i| eu.take(Self::tiles.at(i))).collect();
        let bottom = tiles.split_off(2);
        let whole = [tiles, bottom].map(join_all_cols).into_iter().collect::<Result<Vec<_>, _>>();
        match whole.and_then(join_all_rows) {
            Ok(whole) => eu.put_block(this.out, whole),
            // Through bytes each tile has a storage of its own.
            Err(parts) => eu.put_block(this.out, Block::zeroed(0, parts.len())),
        }
        Then::End
    }
}

threaded_old! {
    fn Fill(tile: Block<u64>, i: u32, to: Reply<Block<u64>>)
    fiber start(this, eu) {
        let mut tile = std::mem::replace(&mut this.tile, Block::zeroed(0, 0));
        tile.iter_rows_mut().flatten().for_each(|x| *x = u64::from(this.i));
        eu.put_block(this.to, tile);
        Then::End
    }
}

#[test]
fn tiles_filled_on_all_nodes_join_to_the_block_they_were_split_from() {
    on_every(|case| {
        let run = good::<Rejoin>(&mut case.machine(), ());
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
fn what_a_run_gives_may_be_a_block_of_another_node() {
    on_every_of(2, |case| {
        let run = good::<Give>(&mut case.machine(), ());
        assert_eq!((run.value.rows(), run.value.into_vec()), (2, vec![0, 1, 2, 10, 11, 12]));
    });
    // And it outlives the machine.
    let block = good::<Give>(&mut Machine::threads(3), ()).value;
    assert_eq!(block.row(1), [10, 11, 12]);
}

threaded_old! {
    fn Give(out: Reply<Block<u64>>)
    fiber start(this, eu) {
        if eu.node().index() < eu.nodes() - 1 {
            eu.invoke_old::<Give>(NodeId::new(eu.nodes() - 1), (this.out,));
        } else {
            let (_, right) = Block::from_fn(2, 5, |i, j| (10 * i + j) as u64 ).split_cols(0);
            let (left, _) = right.split_cols(3);
            eu.put_block(this.out, left);
        }
        Then::End
    }
}
