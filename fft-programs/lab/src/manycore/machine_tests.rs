//! Checks the machine against closed forms.

use super::*;
use crate::manycore::chip::BarrierKind;
use crate::manycore::operation::Spent;

fn loads(addresses: impl Iterator<Item = u64>) -> impl Iterator<Item = Operation> {
    addresses.zip((0..128).cycle()).map(|(address, register)| Operation::Load {
        address,
        to: 2 * register,
        stage: 0,
    })
}

fn cycles(chip: &Chip, programs: Vec<Vec<Operation>>) -> u64 {
    let run = Machine::new(chip, programs.into_iter().map(Vec::into_iter)).run();
    assert_eq!(run.stale, 0);
    run.cycles
}

fn store(address: u64) -> Operation {
    Operation::Store { address, from: 0, stage: 1 }
}

/// Returns chips of one element per core that differ in every parameter of a path through the chip.
fn chips(cores: usize) -> impl Iterator<Item = Chip> {
    let c64 = Chip { elements: 1, ..Chip::c64(cores) };
    [(8, 8, 14), (8, 16, 3), (4, 8, 0), (16, 8, 50)].into_iter().map(move |(width, request, delay)| Chip {
        width,
        request,
        delay,
        loads: usize::MAX,
        ..c64.clone()
    })
}

/// Out port, crossbar, bank, crossbar, in port.
#[test]
fn a_load_takes_its_way() {
    for chip in chips(1) {
        let [asked, point] = [chip.request, POINT].map(|bytes| bytes.div_ceil(chip.width));
        let alone = cycles(&chip, vec![loads([0].into_iter()).collect()]);
        assert_eq!(alone, asked + chip.delay + point + chip.delay + point, "{chip:?}");
    }
}

/// One core streams from one bank, or from all banks in turn: at the rate of its ports, of the bank, or of
/// one load per cycle.
#[test]
fn a_stream_has_the_pace_of_what_is_slowest() {
    for chip in chips(1) {
        let [asked, point] = [chip.request, POINT].map(|bytes| bytes.div_ceil(chip.width));
        let pace = asked.max(point).max(1);
        for n in [1, 2, 10, 100] {
            let expected = asked + 2 * chip.delay + 2 * point + (n - 1) * pace;
            let one_bank = loads((0..n).map(|i| i % 8 * POINT)).collect();
            assert_eq!(cycles(&chip, vec![one_bank]), expected, "{n} from one bank, {chip:?}");
            let all_banks = loads((0..n).map(|i| i * chip.line)).collect();
            assert_eq!(cycles(&chip, vec![all_banks]), expected, "{n} from all banks, {chip:?}");
            let stores = (0..n).map(|i| store(i * chip.line)).collect();
            let expected = n * point + chip.delay + point;
            assert_eq!(cycles(&chip, vec![stores]), expected, "{n} stores, {chip:?}");
        }
    }
}

/// All cores stream from or to one bank, which serves one point after another.
#[test]
fn all_cores_that_stream_from_a_bank_share_its_pace() {
    for chip in chips(64) {
        let [asked, point] = [chip.request, POINT].map(|bytes| bytes.div_ceil(chip.width));
        let n = 10;
        let all = vec![loads((0..n).map(|_| 5 * chip.line)).collect(); chip.cores];
        let served = chip.cores as u64 * n * point;
        assert_eq!(cycles(&chip, all), asked + 2 * chip.delay + served + point, "{chip:?}");
        let all = vec![vec![store(5 * chip.line); n as usize]; chip.cores];
        assert_eq!(cycles(&chip, all), point + chip.delay + served, "{chip:?}");
    }
}

#[test]
fn all_cores_wait_for_one_bank() {
    for cores in [1, 4, 64] {
        let chip = Chip { elements: 1, ..Chip::c64(cores) };
        let one_each = (0..cores).map(|_| loads([5 * chip.line].into_iter()).collect()).collect();
        assert_eq!(cycles(&chip, one_each), 1 + 2 * chip.delay + 2 * cores as u64 + 2);
    }
    let chip = Chip { elements: 1, has_queues: false, ..Chip::c64(64) };
    let one_each = (0..64).map(|_| loads([0].into_iter()).collect()).collect();
    assert_eq!(cycles(&chip, one_each), 1 + 2 * chip.delay + 2 + 2, "without queues nobody waits");
}

#[test]
fn cores_that_load_from_banks_of_their_own_do_not_meet() {
    let chip = Chip { elements: 1, ..Chip::c64(64) };
    let n = 20;
    let own = |core: u64| loads((0..n).map(move |_| core * chip.line)).collect();
    let alone = cycles(&Chip { cores: 1, ..chip.clone() }, vec![own(0)]);
    assert_eq!(cycles(&chip, (0..64).map(own).collect()), alone);
    // Line 80 is in the bank of line 0.
    assert!(cycles(&chip, (0..63).chain([80]).map(own).collect()) > alone);
}

/// Two elements share a unit: twice the operations take twice the time.
#[test]
fn a_pair_shares_its_floating_point_unit() {
    let chip = Chip::c64(1);
    let floats = |n: u8| (0..n).map(|to| Operation::Float { from: [200, 201, 202], to }).collect::<Vec<_>>();
    assert_eq!(cycles(&chip, vec![floats(50), vec![]]), 50);
    assert_eq!(cycles(&chip, vec![floats(50), floats(50)]), 100);
    assert_eq!(cycles(&Chip { sharing: 1, ..chip.clone() }, vec![floats(50), floats(50)]), 50);
    // A chain waits for each result.
    let chain = (0..10).map(|to| Operation::Float { from: [to; 3], to: to + 1 }).collect();
    assert_eq!(cycles(&chip, vec![chain]), 9 * chip.latency + 1);
}

/// The last of all arrivals at one bank: a round trip.
#[test]
fn a_barrier_takes_an_arrival_a_cycle() {
    for cores in [1, 8, 64] {
        let chip = Chip { elements: 1, ..Chip::c64(cores) };
        let barrier =
            |chip: &Chip| cycles(chip, vec![vec![Operation::Barrier, Operation::Integer(1)]; cores]);
        assert_eq!(barrier(&chip), 1 + 2 * chip.delay + cores as u64 + 1);
        assert_eq!(barrier(&Chip { barrier: 0, ..chip }), 1);
    }
}

/// An element whose answer says no asks again. The last of three elements arrives in cycle 50.
#[test]
fn a_polled_barrier_opens_with_the_answer_after_the_last_arrival() {
    let chip = Chip { elements: 1, kind: BarrierKind::Polled, ..Chip::c64(3) };
    let round = 1 + chip.delay + 1 + chip.delay + 1;
    let arrive = |first| vec![Operation::Integer(first), Operation::Barrier, Operation::Integer(1)];
    let ends = |first: [u64; 3]| cycles(&chip, first.map(arrive).into());
    // The second element's question waits a cycle for the first one's.
    assert_eq!(ends([50, 50, 50]), 50 + round + 1 + round + 1);
    assert_eq!(ends([1, 1, 50]), 1 + 3 * round + 1 + 1);
    let calls = |calls| vec![std::iter::repeat_n(Operation::Barrier, calls).collect(); 3];
    assert!(cycles(&chip, calls(20)) > 15 * cycles(&chip, calls(1)), "barriers follow each other");
}

/// The lock passes from element to element: a round trip each.
#[test]
fn a_locked_barrier_takes_a_round_trip_for_each_arrival() {
    let chip = Chip { elements: 1, kind: BarrierKind::Locked, ..Chip::c64(64) };
    let all = vec![vec![Operation::Barrier, Operation::Integer(1)]; 64];
    assert_eq!(cycles(&chip, all), 1 + chip.delay + 64 * (1 + 2 * chip.delay) + chip.delay + 1);
}

/// Loads beyond the limit wait for the first one that arrives.
#[test]
fn an_element_has_no_more_loads_under_way_than_the_chip_allows() {
    for (limit, groups) in [(1, 8), (2, 4), (4, 2), (8, 1), (16, 1)] {
        let chip = Chip { elements: 1, loads: limit, ..Chip::c64(1) };
        let program = loads((0..8).map(|i| i * chip.line)).collect();
        // The loads of a group follow each other at the in port, two cycles each.
        let last = 2 * (limit.min(8) as u64 - 1);
        let alone = 1 + 2 * chip.delay + 2 + 2;
        assert_eq!(cycles(&chip, vec![program]), groups * alone + last, "{limit}");
    }
}

#[test]
fn a_signal_takes_both_ports_and_the_crossbar() {
    let chip = Chip { elements: 1, ..Chip::c64(2) };
    let wait = vec![Operation::Await { signals: 1 }, Operation::Integer(5)];
    let programs = vec![vec![Operation::Integer(7), Operation::Signal { to: 1 }], wait];
    assert_eq!(cycles(&chip, programs), 7 + 1 + chip.delay + 1 + 5);
}

#[test]
fn draining_waits_for_the_last_store() {
    let chip = Chip { elements: 1, ..Chip::c64(1) };
    let programs = vec![vec![store(0), store(0), Operation::Drain, Operation::Integer(3)]];
    assert_eq!(cycles(&chip, programs), 2 * 2 + chip.delay + 2 + 3);
}

/// Meeting elements wait only for the last one.
#[test]
fn meeting_costs_nothing() {
    let chip = Chip { elements: 1, ..Chip::c64(3) };
    let meet = |first| vec![Operation::Integer(first), Operation::Meet, Operation::Integer(2)];
    assert_eq!(cycles(&chip, [4, 9, 1].map(meet).into()), 9 + 2);
}

/// Each cycle of an element is counted once.
#[test]
fn the_phases_add_up_to_the_time() {
    let chip = Chip { elements: 1, ..Chip::c64(1) };
    let program = vec![
        Operation::Integer(3),
        Operation::Load { address: 0, to: 0, stage: 0 },
        Operation::Float { from: [0, 1, 0], to: 2 },
        Operation::Float { from: [2, 2, 2], to: 3 },
        Operation::Store { address: 16, from: 2, stage: 1 },
        Operation::Barrier,
        Operation::Integer(2),
    ];
    let run = Machine::new(&chip, [program.into_iter()]).run();
    let latency = 1 + 2 * chip.delay + 2 + 2;
    let Spent { integer, floating, memory, waiting } = run.spent;
    assert_eq!((integer, floating, memory), (5, 2 * chip.latency, latency + 1));
    assert_eq!(integer + floating + memory + waiting, run.cycles);
}

#[test]
fn a_point_that_is_read_too_early_is_found() {
    let chip = Chip { elements: 1, ..Chip::c64(2) };
    let store = vec![Operation::Integer(9), store(0)];
    let load = |after| vec![Operation::Integer(after), Operation::Load { address: 0, to: 0, stage: 1 }];
    let stale = |after| Machine::new(&chip, [store.clone(), load(after)].map(Vec::into_iter)).run().stale;
    assert_eq!([1, 50].map(stale), [1, 0]);
}
