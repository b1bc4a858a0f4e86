//! Blocks compared with a plain matrix. After splits and joins in any order each element is where it belongs,
//! and no two handles reach the same element. Each block has a phantom that is split and joined in the same
//! way and stays equal to it in shape.

use earth_memory::{Block, join_all_cols, join_all_rows, lend};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Split a part at a row. Both numbers are taken modulo the valid range.
    SplitRows(usize, usize),
    SplitCols(usize, usize),
    /// Join two parts, if they happen to touch.
    JoinRows(usize, usize),
    JoinCols(usize, usize),
    /// Join the first pair of parts that touch.
    JoinAny,
    /// Write a mark over a part.
    Mark(usize),
    /// Write one element of a part.
    Poke(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let n = || 0..1000usize;
    prop_oneof![
        3 => (n(), n()).prop_map(|(part, at)| Step::SplitRows(part, at)),
        3 => (n(), n()).prop_map(|(part, at)| Step::SplitCols(part, at)),
        2 => (n(), n()).prop_map(|(a, b)| Step::JoinRows(a, b)),
        2 => (n(), n()).prop_map(|(a, b)| Step::JoinCols(a, b)),
        3 => Just(Step::JoinAny),
        2 => n().prop_map(Step::Mark),
        2 => (n(), n()).prop_map(|(part, at)| Step::Poke(part, at)),
    ]
}

/// A block and its position in the model.
struct Part {
    block: Block<u32>,
    phantom: Block<u32>,
    top: usize,
    left: usize,
}

impl Part {
    fn read(&self) -> Vec<Vec<u32>> {
        self.block.iter_rows().map(<[u32]>::to_vec).collect()
    }

    fn model<'a>(&self, model: &'a [Vec<u32>]) -> Vec<&'a [u32]> {
        // An empty part has a shape but no position.
        let (rows, cols) = (self.block.rows(), self.block.cols());
        let row = |i: usize| if cols == 0 { &[] } else { &model[self.top + i][self.left..self.left + cols] };
        (0..rows).map(row).collect()
    }

    /// Whether `other` is directly below this part, or to its right.
    fn touches(&self, other: &Self, by_rows: bool) -> bool {
        if by_rows {
            let cols = self.block.cols() == other.block.cols();
            cols && self.left == other.left && self.top + self.block.rows() == other.top
        } else {
            let rows = self.block.rows() == other.block.rows();
            rows && self.top == other.top && self.left + self.block.cols() == other.left
        }
    }
}

/// Joins parts `a` and `b`, which succeeds exactly if they touch.
fn join(parts: &mut Vec<Part>, a: usize, b: usize, by_rows: bool) {
    let second = parts.remove(b);
    let first = parts.remove(a - usize::from(b < a));
    let touch = first.touches(&second, by_rows);
    let joined = |one, two| if by_rows { Block::join_rows(one, two) } else { Block::join_cols(one, two) };
    match (joined(first.block, second.block), joined(first.phantom, second.phantom)) {
        (Ok(block), Ok(phantom)) => {
            assert!(touch, "{block:?} was made of what does not touch");
            parts.push(Part { block, phantom, ..first });
        }
        (Err(blocks), Err(phantoms)) => {
            assert!(!touch, "{blocks:?} touch, but do not join");
            parts.push(Part { block: blocks.0, phantom: phantoms.0, ..first });
            parts.push(Part { block: blocks.1, phantom: phantoms.1, ..second });
        }
        (blocks, phantoms) => panic!("joining gave {blocks:?}, and of phantoms {phantoms:?}"),
    }
}

fn split(parts: &mut Vec<Part>, part: usize, at: usize, by_rows: bool) {
    let part = part % parts.len();
    let Part { block, phantom, top, left } = parts.swap_remove(part);
    let at = at % (1 + if by_rows { block.rows() } else { block.cols() });
    let halves = |whole: Block<u32>| if by_rows { whole.split_rows(at) } else { whole.split_cols(at) };
    let ((block, rest), (phantom, phantom_rest)) = (halves(block), halves(phantom));
    let (down, right) = if by_rows { (at, 0) } else { (0, at) };
    parts.push(Part { block, phantom, top, left });
    parts.push(Part { block: rest, phantom: phantom_rest, top: top + down, left: left + right });
}

fn follow(whole: Block<u32>, model: &mut [Vec<u32>], steps: &[Step]) -> Vec<Part> {
    let phantom = Block::phantom(whole.rows(), whole.cols()).unwrap();
    let mut parts = vec![Part { block: whole, phantom, top: 0, left: 0 }];
    for (time, &step) in steps.iter().enumerate() {
        let mark = 1_000_000 + time as u32;
        match step {
            Step::SplitRows(part, at) => split(&mut parts, part, at, true),
            Step::SplitCols(part, at) => split(&mut parts, part, at, false),
            Step::JoinRows(a, b) | Step::JoinCols(a, b) => {
                let (a, b) = (a % parts.len(), b % parts.len());
                if a != b {
                    join(&mut parts, a, b, matches!(step, Step::JoinRows(..)));
                }
            }
            Step::JoinAny => {
                let pairs = (0..parts.len()).flat_map(|a| (0..parts.len()).map(move |b| (a, b)));
                let touching = pairs
                    .flat_map(|(a, b)| [(a, b, true), (a, b, false)])
                    .find(|&(a, b, by_rows)| a != b && parts[a].touches(&parts[b], by_rows));
                if let Some((a, b, by_rows)) = touching {
                    join(&mut parts, a, b, by_rows);
                }
            }
            Step::Mark(part) => {
                let part = part % parts.len();
                let Part { block, top, left, .. } = &mut parts[part];
                let cols = block.cols();
                for (i, row) in block.iter_rows_mut().enumerate() {
                    row.fill(mark);
                    if cols > 0 {
                        model[*top + i][*left..*left + cols].fill(mark);
                    }
                }
            }
            Step::Poke(part, at) => {
                let part = part % parts.len();
                let Part { block, top, left, .. } = &mut parts[part];
                if !block.is_empty() {
                    let (i, j) = (at / block.cols() % block.rows(), at % block.cols());
                    block.row_mut(i)[j] = mark;
                    model[*top + i][*left + j] = mark;
                }
            }
        }
        for part in &parts {
            assert_eq!(part.read(), part.model(model), "after {step:?}");
            assert!(part.phantom.is_phantom() && !part.block.is_phantom());
            let shape = |block: &Block<u32>| (block.rows(), block.cols(), block.stride(), block.bytes());
            assert_eq!(shape(&part.phantom), shape(&part.block), "after {step:?}");
            if let Some(slice) = part.block.as_slice() {
                assert_eq!(slice, part.model(model).concat());
            }
        }
    }
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Owned memory: the model and the parts agree after every step, and each part becomes the right vector.
    #[test]
    fn parts_follow_the_model(rows in 0..9usize, cols in 0..9usize, steps in prop::collection::vec(step(), 0..40)) {
        let mut model: Vec<Vec<u32>> = (0..rows).map(|i| (0..cols).map(|j| (i * cols + j) as u32).collect()).collect();
        let whole = Block::from_fn(rows, cols, |i, j| (i * cols + j) as u32);
        for part in follow(whole, &mut model, &steps) {
            let expected = part.model(&model).concat();
            prop_assert_eq!(part.block.into_vec(), expected);
        }
    }

    /// Borrowed memory: the lender finds exactly the writes of the parts.
    #[test]
    fn the_lender_finds_what_was_written(rows in 0..9usize, cols in 0..9usize, steps in prop::collection::vec(step(), 0..40)) {
        let mut memory: Vec<u32> = (0..rows * cols).map(|i| i as u32).collect();
        let mut model: Vec<Vec<u32>> = (0..rows).map(|i| (0..cols).map(|j| (i * cols + j) as u32).collect()).collect();
        lend(&mut memory, rows, cols, |whole| drop(follow(whole, &mut model, &steps))).unwrap();
        prop_assert_eq!(memory, model.concat());
    }

    /// Tiles of any size are disjoint and complete. Each is filled with its own mark on its own thread. They
    /// rejoin to a whole in which every element has the mark of its tile.
    #[test]
    fn tiles_are_disjoint_and_complete(
        (rows, cols, high, wide) in (1..20usize, 1..20usize, 1..8usize, 1..8usize)
    ) {
        let whole = Block::<usize>::zeroed(rows, cols);
        let across = cols.div_ceil(wide);
        let (written, tiles) = std::thread::scope(|scope| {
            let tiles: Vec<Vec<_>> = whole
                .split_rows_into(high)
                .enumerate()
                .map(|(i, band)| {
                    let mark = move |j| 1 + i * across + j;
                    let paint = move |(j, mut tile): (usize, Block<usize>)| {
                        scope.spawn(move || {
                            tile.iter_rows_mut().for_each(|row| row.fill(mark(j)));
                            (tile.len(), tile)
                        })
                    };
                    band.split_cols_into(wide).enumerate().map(paint).collect()
                })
                .collect();
            let mut written = 0;
            let tiles: Vec<Vec<Block<usize>>> = tiles
                .into_iter()
                .map(|band| band.into_iter().map(|tile| tile.join().unwrap()).map(|(len, tile)| { written += len; tile }).collect())
                .collect();
            (written, tiles)
        });
        prop_assert_eq!(written, rows * cols);
        let bands = tiles.into_iter().map(|band| join_all_cols(band).unwrap());
        let whole = join_all_rows(bands).unwrap();
        prop_assert_eq!((whole.rows(), whole.cols()), (rows, cols));
        for (i, row) in whole.iter_rows().enumerate() {
            for (j, &mark) in row.iter().enumerate() {
                prop_assert_eq!(mark, 1 + i / high * across + j / wide);
            }
        }
    }
}
