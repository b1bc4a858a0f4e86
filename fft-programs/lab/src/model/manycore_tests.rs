//! Checks the equations against hand calculations, and against values that the paper prints.

use super::*;

fn model(chip: &Chip, points: usize, radix: usize) -> Model<'_> {
    Model { chip, points, radix, local: 0, barrier: 0.0 }
}

#[track_caller]
fn equal(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

/// Eq. 3 and 4: one load, and one store, per element, of 128 elements on 16 banks.
#[test]
fn a_burst_of_single_accesses() {
    let chip = Chip::c64(64);
    let model = model(&chip, 1 << 10, 2);
    // Two requests of 8 bytes leave a core, 16 banks serve 128 x 16 bytes at 8 bytes each, and 2 x 16 bytes
    // come back.
    equal(model.burst_of_loads([1.0, 0.0], [16, 1]), (2.0 - 1.0) + 28.0 + (16.0 - 1.0) + (4.0 - 1.0));
    equal(model.burst_of_stores(1.0, 16), (4.0 - 1.0) + 14.0 + (16.0 - 1.0));
    // Requests of twice the size, and half the width of all ports and banks.
    let slow = Chip { request: 16, width: 4, ..chip };
    let model = Model { chip: &slow, ..model };
    equal(model.burst_of_loads([1.0, 0.0], [16, 1]), (8.0 - 1.0) + 28.0 + (32.0 - 1.0) + (8.0 - 1.0));
    equal(model.burst_of_stores(1.0, 16), (8.0 - 1.0) + 14.0 + (32.0 - 1.0));
}

/// Eq. 5: the longer of two queues counts.
#[test]
fn points_and_factors_are_served_at_once() {
    let chip = Chip::c64(64);
    let model = model(&chip, 1 << 10, 2);
    let rest = (6.0 - 1.0) + 28.0 + (12.0 - 1.0);
    equal(model.burst_of_loads([2.0, 1.0], [32, 1]), rest + 255.0);
    equal(model.burst_of_loads([2.0, 1.0], [32, 4]), rest + 63.0);
    equal(model.burst_of_loads([2.0, 1.0], [32, 16]), rest + 15.0);
    equal(model.burst_of_loads([2.0, 1.0], [2, 16]), rest + 255.0);
}

/// Eq. 7.
#[test]
fn one_piece_covers_the_banks_that_it_fills() {
    let banks = |chip: Chip, radix| model(&chip, 1 << 24, radix).banks_of_points(0);
    // 2 x 16 bytes of each element, in lines of 128.
    assert_eq!([1, 2, 4, 16, 64].map(|cores| banks(Chip::c64(cores), 2)), [1, 1, 2, 8, 32]);
    assert_eq!([4, 64].map(|cores| banks(Chip::c64_plus(cores), 2)), [4, 64]);
    // 64 cores fill 64 banks with radix 4, and all banks with radix 8.
    assert_eq!([4, 8].map(|radix| banks(Chip::c64(64), radix)), [64, 80]);
}

/// Eq. 8 to 10 by hand: 256 elements take two ranges of 4096 bytes, 32 banks each; all banks together are
/// 10240 bytes.
#[test]
fn two_pieces_cover_fewer_banks_where_they_overlap() {
    let chip = Chip::c64_plus(64);
    let model = model(&chip, 1 << 24, 2);
    // 8192 bytes apart: the second range wraps around onto 16 banks of the first.
    assert_eq!(model.banks_of_points(9), 32 + 16);
    // 16384 bytes apart, which is 6144 modulo 10240: just disjoint.
    assert_eq!(model.banks_of_points(10), 64);
    // 32768 apart, which is 2048 modulo 10240: 16 banks overlap.
    assert_eq!(model.banks_of_points(11), 48);
}

/// The three scenarios of two ranges as the paper prints them.
#[test]
fn covered_banks_are_those_of_the_three_scenarios() {
    let mut met = [0; 3];
    // The paper assumes that a range begins with a line, so a range has at least one line.
    let c64 = [4, 8, 16, 32, 64].map(Chip::c64);
    for chip in c64.into_iter().chain([Chip::c64_plus(64)]) {
        let model = model(&chip, 1 << 24, 2);
        for stage in 0..24 {
            let (all, line, banks) = (chip.all() as u64, chip.line, chip.banks as u64);
            let (length, whole) = (all * POINT, banks * line);
            let apart = (POINT << stage) % whole;
            let printed = if 1 << stage <= all {
                (2 * length).div_ceil(line).min(banks)
            } else if apart >= length && apart <= whole - length {
                met[0] += 1;
                (2 * length).div_ceil(line)
            } else if apart < length {
                met[1] += 1;
                (apart + length).div_ceil(line).min(banks)
            } else {
                met[2] += 1;
                length.div_ceil(line) + (whole - apart).div_ceil(line)
            };
            let found = model.banks_of_points(stage) as u64;
            assert_eq!(found, printed, "{chip:?}, stage {stage}");
        }
    }
    assert!(met.iter().all(|&times| times > 0), "{met:?}");
}

/// Eq. 11.
#[test]
fn factors_are_in_few_banks_at_first() {
    let banks = |cores: usize, radix: usize, stages: u32| -> Vec<_> {
        let chip = Chip::c64(cores);
        (0..stages).map(|stage| model(&chip, 1 << 24, radix).banks_of_factors(stage)).collect()
    };
    // Eight factors per line: one bank for 4 stages, then twice as many each, up to a line per eight
    // elements.
    assert_eq!(banks(64, 2, 10), [1, 1, 1, 1, 2, 4, 8, 16, 16, 16]);
    assert_eq!(banks(16, 2, 8), [1, 1, 1, 1, 2, 4, 4, 4]);
    // Scenario 1: eight elements take at most eight factors.
    assert_eq!(banks(4, 2, 12), [1; 12]);
    // Rows of three factors: 1, 4, 16 and 64 rows of 48 bytes, then one row for each of 128 elements.
    assert_eq!(banks(64, 4, 6), [1, 2, 6, 24, 48, 48]);
}

/// Eq. 2, 12 and 13 with all terms written out: 2^10 points on 64 cores, four bursts per stage.
#[test]
fn a_transform_is_the_sum_of_its_bursts() {
    let chip = Chip::c64(64);
    let model = Model { barrier: 157.0, ..model(&chip, 1 << 10, 2) };
    // The points of a burst are in 32 banks in each stage: 15 cycles. Its 128 loads of factors are in 1, 1,
    // 1, 1, 2, 4, 8, 16, 16 and 16 banks: 256 cycles divided by that, but at least 15.
    let queues = 4.0 * 255.0 + 127.0 + 63.0 + 31.0 + 3.0 * 15.0;
    let ways = 10.0 * ((6.0 - 1.0) + 28.0 + (12.0 - 1.0));
    let stores = 10.0 * ((8.0 - 1.0) + 14.0 + (16.0 - 1.0));
    equal((0..10).map(|stage| model.stage(stage).memory).sum(), 4.0 * (queues + ways + stores));
    equal(model.cycles(), 4.0 * (queues + ways + stores) + 40.0 * 34.0 + 10.0 * 157.0);
    // With half the elements, each takes eight butterflies.
    let half = Chip::c64(32);
    let stage = Model { chip: &half, ..model }.stage(0);
    equal(stage.memory, 8.0 * ((5.0 + 28.0 + 127.0 + 11.0) + (7.0 + 14.0 + 15.0)));
    equal(stage.computing, 8.0 * 34.0);
}

/// PAR-R4: seven loads and four stores per butterfly.
#[test]
fn butterflies_of_four_points_load_seven() {
    let chip = Chip::c64(16);
    let model = model(&chip, 1 << 10, 4);
    // 32 elements take 128 points from 16 banks, and 96 factors, always of the same row, from one bank.
    let loads = (14.0 - 1.0) + 28.0 + (3.0 * 64.0 - 1.0) + (28.0 - 1.0);
    let stores = (16.0 - 1.0) + 14.0 + (16.0 - 1.0);
    equal(model.stage(0).memory, 8.0 * (loads + stores));
    assert_eq!(model.stages(), 5);
}

/// PAR-R2LM: two loads from banks, and a factor from own memory, in the stages that keep factors there.
#[test]
fn near_factors_are_not_in_the_banks() {
    let chip = Chip::c64(64);
    let far = model(&chip, 1 << 10, 2);
    let local = Model { local: 6, ..far.clone() };
    let loads = (4.0 - 1.0) + 28.0 + 15.0 + (8.0 - 1.0) + 2.0;
    for stage in 0..6 {
        equal(local.stage(stage).memory, 4.0 * (loads + 36.0));
    }
    for stage in 6..10 {
        equal(local.stage(stage).memory, far.stage(stage).memory);
    }
}

/// A multiplication, a multiply-add and the sums follow each other at intervals of 6 cycles. They are issued
/// in cycles 0, 1, 6, 7 and 12 to 15. A second element's operations go between them.
#[test]
fn computing_is_the_code_in_order() {
    let alone = Chip { sharing: 1, ..Chip::c64(1) };
    equal(model(&alone, 2, 2).computing(), 9.0 + 15.0 + 6.0);
    let pair = Chip::c64(1);
    equal(model(&pair, 2, 2).computing(), 9.0 + 19.0 + 6.0);
}
