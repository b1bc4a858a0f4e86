//! Digit reversal as a stage of its own. The paper does not count it.
//!
//! Points `i` and `r(i)` are exchanged in place, where `r` reverses the base-R digits. Elements take the
//! indices in turn, as they take butterflies. An index with `r(i) <= i` costs only its integer operations.
//!
//! The integer operations are an estimate. The chip has no instruction for `r(i)`, so it takes one step of
//! five operations (two masks, two shifts, an or) for each halving of a word of 32 bits. Bits need 5 steps,
//! and pairs of bits need 4. A shift to the length, an addition, a comparison and a branch follow.

use earth_kernels::RadixOrder;

use super::chip::{Chip, POINT};
use super::machine::Machine;
use super::operation::{Operation, Run};

/// Returns the integer operations of an index.
fn integer_operations(radix: usize) -> u64 {
    5 * if radix == 4 { 4 } else { 5 } + 4
}

/// Runs the reversal of all points, and a barrier.
pub(crate) fn run(chip: &Chip, order: RadixOrder) -> Run {
    let programs = (0..chip.all()).map(|element| operations(chip, order, element));
    Machine::new(chip, programs).run()
}

fn operations(chip: &Chip, order: RadixOrder, element: usize) -> impl Iterator<Item = Operation> {
    let integer = Operation::Integer(chip.integers(integer_operations(order.radix())));
    let indices = (element..order.points()).step_by(chip.all());
    let all = indices.flat_map(move |i| {
        let reversed = order.reversed(i);
        let [one, other] = [i, reversed].map(|point| point as u64 * POINT);
        let exchange = [
            Operation::Load { address: one, to: 0, stage: 0 },
            Operation::Load { address: other, to: 2, stage: 0 },
            Operation::Store { address: other, from: 0, stage: 1 },
            Operation::Store { address: one, from: 2, stage: 1 },
        ];
        [integer].into_iter().chain(exchange.into_iter().filter(move |_| reversed > i))
    });
    all.chain([Operation::Barrier, Operation::End])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_exchanged_once() {
        for radix in [2, 4, 8] {
            let (chip, order) = (Chip::c64(2), RadixOrder::new(64, radix, 1).unwrap());
            let all = || (0..chip.all()).flat_map(|element| operations(&chip, order, element));
            let mut stored: Vec<_> = all()
                .filter_map(|operation| match operation {
                    Operation::Store { address, .. } => Some((address / POINT) as usize),
                    _ => None,
                })
                .collect();
            stored.sort_unstable();
            let moved = (0..64).filter(|&i| order.reversed(i) != i);
            assert!(stored.into_iter().eq(moved), "radix {radix}");
            let run = run(&chip, order);
            assert_eq!((run.stale, run.ends.len()), (0, 1));
            assert_eq!(run.spent.integer, 64 * integer_operations(radix));
        }
    }
}
