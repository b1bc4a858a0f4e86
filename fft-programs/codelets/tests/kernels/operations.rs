//! Operation counts of kernels, compared with counts by hand and with their order of growth.

use earth_codelets::{Along, Isa, Operations, operations, real_operations};

/// Returns the number of lanes in vectors of double precision.
fn lanes(isa: Isa) -> usize {
    match isa.name() {
        "avx512" => 8,
        "avx512vl" | "avx2" => 4,
        _ => 2,
    }
}

/// By hand, for 64 columns of 64 points: 8 x 8.
#[test]
fn a_stage_is_its_butterflies_and_factors() {
    for isa in Isa::all() {
        let lanes = lanes(isa);
        let eights = 8;
        let expected = Operations {
            arithmetic: 2 * eights * 52 + eights * 7 * 4,
            moved: 2 * eights * 8 * 4 + eights * 7 * 2,
            shuffled: 2 * 64 * 2,
        };
        assert_eq!(operations::<f64>(isa, Along::Columns, 64, 64), Some(expected * 64), "{}", isa.name());
        // One more column takes one more vector of columns.
        let more = operations::<f64>(isa, Along::Columns, 64, 65);
        assert_eq!(more, Some(expected * (64 + lanes)), "{}", isa.name());
    }
}

/// Every method of rows takes at least the arithmetic of its radices, and less than twice as much if no lane
/// is empty.
#[test]
fn rows_of_every_way_take_what_their_points_take() {
    for isa in Isa::all() {
        for len in [64, 1024, 3 * 1024, 1 << 16, 1 << 20] {
            for along in [Along::Rows, Along::Turned] {
                let found = operations::<f64>(isa, along, len, 16).expect("a kernel");
                let (points, stages) = (16.0 * len as f64, (len as f64).log2());
                let a_point = found.arithmetic as f64 / points / stages;
                assert!((2.0..5.0).contains(&a_point), "{len}, {}, {along:?}: {a_point}", isa.name());
                assert!(found.moved as f64 >= 4.0 * points && found.shuffled as f64 >= 4.0 * points);
            }
        }
        assert_eq!(operations::<f32>(isa, Along::Rows, 17, 1), None);
    }
    // One row of a batch takes as long as all lanes.
    let isa = Isa::best();
    let lanes = lanes(isa);
    if !lanes.is_multiple_of(3) && lanes > 3 {
        assert_eq!(operations::<f64>(isa, Along::Rows, 3, 1), operations::<f64>(isa, Along::Rows, 3, lanes));
    }
    let [one, two] = [1, 2].map(|lines| real_operations::<f64>(256, lines));
    assert_eq!(one * 2, two);
}
