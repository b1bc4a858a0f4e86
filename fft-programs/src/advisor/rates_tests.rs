use super::*;
use crate::advisor::Bound;

/// Returns the rates of a machine whose times can be computed by hand. A point takes 1 ns for each factor of
/// two. The caches of 1,000 and 100,000 bytes transfer 100 and 10 bytes a nanosecond, memory 1.
fn made_up() -> Rates {
    let rate = Curve::new(vec![[1e3, 100.0], [1.001e3, 10.0], [1e5, 10.0], [1.001e5, 1.0]]);
    let memory = |pattern, threads, faster| MemoryRates { pattern, threads, rate: scaled(&rate, faster) };
    let level = |name: &str, bytes| Level { name: name.to_owned(), bytes };
    Rates {
        levels: vec![level("L1", 1_000), level("L2", 100_000)],
        memory: vec![
            memory(Pattern::Stream, 1, 1.0),
            memory(Pattern::Columns, 1, 0.5),
            memory(Pattern::Stream, 5, 3.0),
            memory(Pattern::Columns, 5, 3.0),
        ],
        nodes: NodeRates { run: 7.0, part: 11.0, tile: 13.0 },
        steps: BTreeMap::from([("real".to_owned(), 3.0), ("gathered".to_owned(), 2.0)]),
        kernels: vec![KernelRates {
            kernel: "made up".to_owned(),
            lines: Lines::Rows,
            point: 16,
            multiple: 1,
            chirp: false,
            overlap: 0.25,
            line: 5.0,
            length: Curve::new(vec![[1.0, 1.0]]),
            factors: [("2", 1.0), ("other", 0.5)].map(|(name, cost)| (name.to_owned(), cost)).into(),
        }],
    }
}

/// Returns the curve with all values times a factor.
fn scaled(curve: &Curve, factor: f64) -> Curve {
    Curve::new(curve.points().iter().map(|[size, value]| [*size, value * factor]).collect())
}

/// Returns a pass over lines that are read and written once.
fn lines(way: Method, len: usize, lines: usize) -> Pass {
    let footprint = 16 * len * lines;
    let work = PassWork::Lines { way, kernel: "made up".to_owned(), len, lines, real: false };
    let (what, point, bytes) = ("lines".to_owned(), 16, 2 * footprint);
    Pass { what, work, point, bytes, footprint, threads: 1, uneven: 1.0, parts: 0, tiles: 0 }
}

#[track_caller]
fn takes(pass: &Pass, [compute, memory, sync, time]: [f64; 4], bound: &Bound) {
    let found = made_up().predict(pass).unwrap();
    for (found, expected) in
        [(found.compute, compute), (found.memory, memory), (found.sync, sync), (found.time, time)]
    {
        assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{found}, not {expected}: {pass:?}");
    }
    assert_eq!(found.bound(), *bound, "{pass:?}");
}

#[test]
fn passes_take_the_time_of_closed_forms() {
    // 8 rows of 4 points take 5 + 4 * 2 ns each. 1024 bytes take 10.24 ns at 100 bytes a nanosecond, a
    // quarter is not hidden.
    let small = Pass { footprint: 512, ..lines(Method::Rows, 4, 8) };
    takes(&small, [104.0, 10.24, 0.0, 104.0 + 2.56], &Bound::Computation);
    // In memory the time of the bytes is longer, and a quarter of the computation is not hidden.
    let large = lines(Method::Rows, 4, 1 << 20);
    let (computed, moved) = (13.0 * f64::from(1 << 20), 128.0 * f64::from(1 << 20));
    takes(&large, [computed, moved, 0.0, moved + computed / 4.0], &Bound::Memory("memory".to_owned()));
    // Gathered lines go down columns, at half of the rate, and are copied.
    let gathered = Pass { footprint: 512, ..lines(Method::Gathered, 4, 8) };
    takes(&gathered, [104.0 + 64.0, 20.48, 0.0, 168.0 + 5.12], &Bound::Computation);
    // Real numbers take one step more: 3 ns a point.
    let real = |pass: Pass| Pass {
        work: PassWork::Lines {
            way: Method::Rows,
            kernel: "made up".to_owned(),
            len: 4,
            lines: 8,
            real: true,
        },
        ..pass
    };
    takes(&real(small.clone()), [104.0 + 96.0, 10.24, 0.0, 200.0 + 2.56], &Bound::Computation);
    // Each of two nodes has half of it, and one of them a quarter more. The bandwidth of two threads is a
    // quarter of the way from one thread to five threads, which have 3 times as much.
    let shared = small.clone().shared(2, 1.25, [4, 100]);
    let (computed, moved) = (65.0, 10.24 / 1.5 * 1.25);
    let sync = (44.0 + 1300.0) * 0.625;
    takes(&shared, [computed, moved, sync, computed + moved / 4.0 + sync], &Bound::Synchronization);
    // Only moves, and only steps.
    let moves = Pass { work: PassWork::Moves(Pattern::Columns), ..small.clone() };
    takes(&moves, [0.0, 20.48, 0.0, 20.48], &Bound::Memory("L1".to_owned()));
    let steps = Pass { work: PassWork::Steps("real", 10), bytes: 0, ..small };
    takes(&steps, [30.0, 0.0, 0.0, 30.0], &Bound::Computation);
}

#[test]
fn unmeasured_passes_are_not_predicted() {
    let rates = made_up();
    let of = |kernel: &str, len| Pass {
        work: PassWork::Lines { way: Method::Rows, kernel: kernel.to_owned(), len, lines: 1, real: false },
        ..lines(Method::Rows, 4, 1)
    };
    assert!(rates.predict(&of("made up", 4)).is_some());
    assert_eq!(rates.predict(&of("another", 4)), None);
    assert_eq!(rates.predict(&of("made up", 37)), None, "a chirp");
    assert_eq!(rates.predict(&lines(Method::Columns, 4, 1)), None);
    assert_eq!(rates.predict(&Pass { point: 8, ..lines(Method::Rows, 4, 1) }), None);
    assert_eq!(rates.predict(&Pass { work: PassWork::Steps("none", 1), ..lines(Method::Rows, 4, 1) }), None);
    assert_eq!(
        Rates::default()
            .predict(&Pass { work: PassWork::Moves(Pattern::Stream), ..lines(Method::Rows, 4, 1) }),
        None
    );
}

/// Checks that a better rate never makes a pass slower.
#[test]
fn time_is_monotonic_in_each_rate() {
    let better: [fn(&mut Rates); 7] = [
        |rates| rates.memory.iter_mut().for_each(|of| of.rate = scaled(&of.rate, 1.5)),
        |rates| rates.memory[0].rate = scaled(&rates.memory[0].rate, 1.1),
        |rates| rates.kernels[0].line = 1.0,
        |rates| rates.kernels[0].overlap = 0.1,
        |rates| rates.kernels[0].factors = [("2".to_owned(), 0.25), ("other".to_owned(), 0.5)].into(),
        |rates| rates.steps.values_mut().for_each(|cost| *cost /= 2.0),
        |rates| rates.nodes = NodeRates { run: 1.0, part: 1.0, tile: 1.0 },
    ];
    let mut faster = [false; 7];
    for (better, faster) in better.iter().zip(&mut faster) {
        let mut rates = made_up();
        better(&mut rates);
        for way in [Method::Rows, Method::Gathered, Method::GatheredTransposed] {
            for (len, count) in [(2, 1), (4, 8), (1024, 3), (16, 1000), (22, 50_000)] {
                for nodes in [0, 1, 2, 8] {
                    let pass = lines(way, len, count);
                    let pass = if nodes > 0 { pass.shared(nodes, 1.1, [nodes, 5]) } else { pass };
                    let [was, is] = [&made_up(), &rates].map(|rates| rates.predict(&pass).unwrap().time);
                    assert!(is <= was * (1.0 + 1e-12), "{pass:?}");
                    *faster |= is < was;
                }
            }
        }
    }
    assert_eq!(faster, [true; 7]);
}

#[test]
fn the_level_is_where_what_was_written_is_found_again() {
    let rates = made_up();
    for (bytes, threads, level) in [
        (1e3, 1, "L1"),
        (1.5e3, 1, "L2"),
        (1.5e3, 2, "L1"),
        (1e5, 1, "L2"),
        // All threads share the last level.
        (1.5e5, 2, "memory"),
    ] {
        assert_eq!(rates.level(bytes, threads), level, "{bytes} bytes of {threads} threads");
    }
}

#[test]
fn lengths_are_named_by_their_prime_factors() {
    let of = |len| KernelRates::features(len, false).into_iter().map(move |(_, times)| times / len as f64);
    for (len, expected) in
        [(1, [0.0; 5]), (2520, [3.0, 2.0, 1.0, 1.0, 0.0]), (2 * 11 * 13, [1.0, 0.0, 0.0, 0.0, 24.0])]
    {
        assert!(of(len).eq(expected), "{len}");
    }
    assert_eq!(KernelRates::features(8, true), [("log2", 24.0)]);
    assert!([37, 74, 1021 * 4].map(KernelRates::is_chirp).iter().all(|chirp| *chirp));
    assert!(![1, 31, 961, 1024].map(KernelRates::is_chirp).iter().any(|chirp| *chirp));
}

#[test]
fn senseless_rates_are_reported() {
    let wrong: [fn(&mut Rates); 7] = [
        |rates| rates.levels.reverse(),
        |rates| rates.memory.clear(),
        |rates| rates.memory[1].rate = Curve::default(),
        |rates| rates.nodes.part = -1.0,
        |rates| rates.steps = [("real".to_owned(), f64::NAN)].into(),
        |rates| rates.kernels[0].multiple = 0,
        |rates| rates.kernels[0].overlap = f64::INFINITY,
    ];
    assert_eq!(made_up().check(), Ok(()));
    for wrong in wrong {
        let mut rates = made_up();
        wrong(&mut rates);
        assert!(rates.check().is_err(), "{rates:?}");
    }
}

#[test]
fn rates_are_read_as_they_are_written() {
    let rates = made_up();
    let text = rates.to_string();
    assert_eq!(text.parse(), Ok(rates), "{text}");
}
