use super::*;
use crate::problem::Problem;

/// Returns the lengths of rank 0's part in each stage.
fn parts(problem: &UntypedProblem, ranks: usize, order: Order) -> Vec<Vec<usize>> {
    let route = Route::new(problem, ranks, order, Cuts::Usual);
    (0..route.stages().len()).map(|stage| route.part(stage, 0).lengths()).collect()
}

#[test]
fn slabs_take_one_exchange_and_natural_order_two() {
    let problem = Problem::complex(&[12, 8, 5]);
    assert_eq!(parts(&problem, 4, Order::Transposed), [[3, 8, 5], [12, 2, 5]]);
    assert_eq!(parts(&problem, 4, Order::Natural), [[3, 8, 5], [12, 2, 5], [3, 8, 5]]);
    let inverse = problem.direction(Direction::Inverse);
    assert_eq!(parts(&inverse, 4, Order::Transposed), [[12, 2, 5], [3, 8, 5]]);
    assert_eq!(parts(&inverse, 4, Order::Natural), [[3, 8, 5], [12, 2, 5], [3, 8, 5]]);
}

#[test]
fn more_ranks_than_a_side_take_pencils() {
    let problem = Problem::complex(&[8, 8, 8]);
    assert_eq!(parts(&problem, 16, Order::Transposed), [[2, 2, 8], [2, 8, 2], [8, 2, 2]]);
    assert_eq!(parts(&problem, 16, Order::Natural).len(), 4);
    let problem = Problem::complex(&[2, 16, 16]);
    assert_eq!(parts(&problem, 8, Order::Transposed), [[1, 4, 16], [1, 16, 4], [2, 8, 4]]);
}

#[test]
fn pencils_are_taken_where_slabs_would_do() {
    let route = |lengths: &[usize]| {
        let route = Route::new(&Problem::complex(lengths), 4, Order::Transposed, Cuts::Pencils);
        (0..route.stages().len()).map(|stage| route.part(stage, 0).lengths()).collect::<Vec<_>>()
    };
    assert_eq!(route(&[8, 8, 8]), [[4, 4, 8], [4, 8, 4], [8, 4, 4]]);
    assert_eq!(route(&[8, 8]), [[2, 8], [8, 2]], "an array of two dimensions has no pencils");
}

#[test]
fn one_rank_has_the_array_in_natural_order_without_another_exchange() {
    for order in [Order::Natural, Order::Transposed] {
        assert_eq!(parts(&Problem::complex(&[4, 6]), 1, order), [[4, 6], [4, 6]]);
    }
}

#[test]
fn spectra_of_real_numbers_have_half_of_the_last_dimension() {
    let (there, back) = (Problem::real_to_complex(&[6, 10]), Problem::complex_to_real(&[6, 10]));
    assert_eq!(parts(&there, 2, Order::Transposed), [[3, 6], [6, 3]]);
    assert_eq!(parts(&back, 2, Order::Transposed), [[6, 3], [3, 6]]);
    assert_eq!(parts(&back, 2, Order::Natural), [[3, 6], [6, 3], [3, 6]]);
}

#[test]
fn chunks_cover_the_part() {
    for (problem, ranks) in [
        (Problem::complex(&[512, 512]), 2),
        (Problem::complex(&[64, 64, 64]).batch(3), 3),
        (Problem::complex(&[3, 256, 256]), 16),
    ] {
        let route = Route::new(&problem, ranks, Order::Natural, Cuts::Usual);
        for (stage, rank) in
            (0..route.exchanges()).flat_map(|stage| (0..ranks).map(move |rank| (stage, rank)))
        {
            let (part, chunks) = (route.part(stage, rank), route.chunks(stage, rank));
            assert_eq!(chunks.iter().map(Part::len).sum::<usize>(), part.len(), "{problem}: {stage}, {rank}");
            assert!(chunks.len() > 1 || part.len() < 2 * CHUNK, "{problem}: {stage}, {rank}");
        }
    }
}
