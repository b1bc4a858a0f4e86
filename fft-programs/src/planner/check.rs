//! Whether a named program transforms a series or a matrix on so many nodes in such blocks.

use std::num::NonZeroUsize;

use earth_kernels::RadixOrder;

use super::{Algorithm, PlanError};
use crate::dataflow::transpose::Form;
use crate::shape::Shape;

/// Refuses every size that no program could use, and what the named program in particular cannot do.
pub(super) fn check(
    shape: Shape,
    algorithm: Algorithm,
    nodes: Option<NonZeroUsize>,
    block: Option<NonZeroUsize>,
) -> Result<(), PlanError> {
    let [nodes, block] = [nodes, block].map(|number| number.map(NonZeroUsize::get));
    let n = shape.samples().ok_or(PlanError::TooManySamples)?;
    match (shape, block) {
        (Shape::Line(n), Some(block)) if block > n => return Err(PlanError::BlockTooLarge { n, block }),
        (Shape::Matrix { rows, cols }, Some(block)) if block > rows.max(cols) => {
            return Err(PlanError::RowBlockTooLarge { rows, cols, block });
        }
        _ => {}
    }
    let is_line = matches!(shape, Shape::Line(_));
    if let (Some(radix), true) = (algorithm.radix(), is_line) {
        return by_stages(algorithm, radix, n, block);
    }
    match algorithm {
        Algorithm::Grouped | Algorithm::TwoPass if is_line => {
            return Err(PlanError::NeedsMatrix { algorithm });
        }
        Algorithm::Auto | Algorithm::Grouped | Algorithm::TwoPass => return Ok(()),
        _ if !is_line => return Err(PlanError::NeedsLine { algorithm }),
        Algorithm::Transpose | Algorithm::Ffte => {
            let form = Form::of(algorithm, n);
            return form.map_or(Err(PlanError::NotAProduct { algorithm, n }), |_| Ok(()));
        }
        _ if !n.is_power_of_two() => return Err(PlanError::NotAPowerOfTwo { algorithm, n }),
        _ => {}
    }
    match (algorithm, block) {
        (Algorithm::Sender, Some(block)) if !block.is_power_of_two() => {
            Err(PlanError::BlockNotAPowerOfTwo { algorithm, block })
        }
        (Algorithm::Sender, _) => Ok(()),
        (_, Some(_)) => Err(PlanError::NoBlocks { algorithm }),
        (_, None) => match nodes {
            Some(nodes) if !nodes.is_power_of_two() || nodes > n => {
                Err(PlanError::NodesNotAPowerOfTwo { algorithm, nodes, n })
            }
            _ => Ok(()),
        },
    }
}

/// What an FFT by stages cannot do.
fn by_stages(algorithm: Algorithm, radix: usize, n: usize, block: Option<usize>) -> Result<(), PlanError> {
    RadixOrder::new(n, radix, 1).map_err(|_| PlanError::NotAPowerOfRadix { algorithm, radix, n })?;
    match block {
        Some(block) if RadixOrder::new(n, radix, block).is_err() => {
            Err(PlanError::BlockOfRadix { algorithm, radix, n, block })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(algorithm: Algorithm, nodes: usize, block: usize, n: usize) -> Result<(), PlanError> {
        of(Shape::Line(n), algorithm, nodes, block)
    }

    fn of(shape: Shape, algorithm: Algorithm, nodes: usize, block: usize) -> Result<(), PlanError> {
        check(shape, algorithm, NonZeroUsize::new(nodes), NonZeroUsize::new(block))
    }

    #[test]
    fn the_sender_takes_powers_of_two_and_auto_takes_all() {
        assert_eq!(line(Algorithm::Auto, 3, 5, 309), Ok(()));
        assert_eq!(line(Algorithm::Sender, 3, 16, 256), Ok(()));
        assert_eq!(line(Algorithm::Sender, 2, 1, 1), Ok(()));
        let algorithm = Algorithm::Sender;
        assert_eq!(line(algorithm, 2, 16, 309), Err(PlanError::NotAPowerOfTwo { algorithm, n: 309 }));
        assert_eq!(line(algorithm, 2, 12, 256), Err(PlanError::BlockNotAPowerOfTwo { algorithm, block: 12 }));
    }

    #[test]
    fn receivers_take_powers_of_two_and_no_blocks() {
        for algorithm in [Algorithm::Receiver, Algorithm::ReceiverShared] {
            assert_eq!(line(algorithm, 0, 0, 256), Ok(()));
            assert_eq!(line(algorithm, 64, 0, 64), Ok(()));
            assert_eq!(line(algorithm, 2, 0, 309), Err(PlanError::NotAPowerOfTwo { algorithm, n: 309 }));
            assert_eq!(line(algorithm, 2, 4, 256), Err(PlanError::NoBlocks { algorithm }));
            for nodes in [3, 128] {
                let refusal = PlanError::NodesNotAPowerOfTwo { algorithm, nodes, n: 64 };
                assert_eq!(line(algorithm, nodes, 0, 64), Err(refusal));
            }
        }
    }

    #[test]
    fn stages_take_powers_of_their_radix() {
        for (algorithm, radix, n) in [
            (Algorithm::Radix2, 2, 309),
            (Algorithm::Radix2Local, 2, 1),
            (Algorithm::Radix4, 4, 32),
            (Algorithm::Radix8, 8, 256),
        ] {
            assert_eq!(line(algorithm, 3, 0, radix * radix), Ok(()));
            assert_eq!(line(algorithm, 3, radix, radix * radix), Ok(()));
            assert_eq!(line(algorithm, 3, 0, n), Err(PlanError::NotAPowerOfRadix { algorithm, radix, n }));
            for (n, block) in [(512_usize.pow(2), 3), (radix, radix)] {
                assert_eq!(
                    line(algorithm, 1, block, n),
                    Err(PlanError::BlockOfRadix { algorithm, radix, n, block })
                );
            }
        }
        let algorithm = Algorithm::Radix4;
        let refused = line(algorithm, 1, 8, 1024).unwrap_err().to_string();
        let sentence =
            "the algorithm 'radix-4' takes a power of 4 as block size, at most 256 for 1024 samples, not 8";
        assert_eq!(refused, sentence);
        let matrix = Shape::Matrix { rows: 4, cols: 4 };
        assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
    }

    #[test]
    fn the_transpose_takes_what_is_no_prime() {
        let algorithm = Algorithm::Transpose;
        assert_eq!(line(algorithm, 3, 5, 309), Ok(()));
        for n in [0, 1, 2, 97] {
            assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, n }));
        }
        let matrix = Shape::Matrix { rows: 3, cols: 5 };
        assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
        let algorithm = Algorithm::Ffte;
        assert_eq!(line(algorithm, 3, 5, 308), Ok(()));
        for n in [1, 97, 309] {
            assert_eq!(line(algorithm, 1, 0, n), Err(PlanError::NotAProduct { algorithm, n }));
        }
    }

    #[test]
    fn matrices_are_for_grouped_and_auto() {
        let matrix = Shape::Matrix { rows: 3, cols: 5 };
        for algorithm in [Algorithm::Auto, Algorithm::Grouped] {
            assert_eq!(of(matrix, algorithm, 2, 0), Ok(()));
        }
        let algorithm = Algorithm::Sender;
        assert_eq!(of(matrix, algorithm, 2, 0), Err(PlanError::NeedsLine { algorithm }));
        let algorithm = Algorithm::Grouped;
        assert_eq!(line(algorithm, 2, 0, 16), Err(PlanError::NeedsMatrix { algorithm }));
        assert_eq!(of(matrix, algorithm, 2, 5), Ok(()), "the transpose has five rows");
        assert_eq!(
            of(matrix, algorithm, 2, 6),
            Err(PlanError::RowBlockTooLarge { rows: 3, cols: 5, block: 6 })
        );
        let endless = Shape::Matrix { rows: usize::MAX, cols: 2 };
        assert_eq!(of(endless, Algorithm::Auto, 0, 0), Err(PlanError::TooManySamples));
    }

    #[test]
    fn sizes_that_no_program_could_use_are_refused_for_all() {
        for algorithm in [Algorithm::Auto, Algorithm::Sender] {
            assert_eq!(line(algorithm, 1, 257, 256), Err(PlanError::BlockTooLarge { n: 256, block: 257 }));
            assert_eq!(line(algorithm, 1, 256, 256), Ok(()));
        }
    }
}
