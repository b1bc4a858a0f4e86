//! The programs, which check their own results, with many sizes on threads, and with small sizes on every
//! machine.

use earth::{Block, Config, Machine};
use earth_programs::chains::Chains;
use earth_programs::fib::Fib;
use earth_programs::matmul::{Multiply, entry};
use earth_programs::{Instance, Machines, PROGRAMS, Program, costs, named};
use earth_test_support::{Case, Kind, cases, gives, on_every};

/// Further sizes of each program: the smallest, and sizes that leave remainders.
const SIZES: &[(&str, &[&[u64]])] = &[
    ("bfs", &[&[1], &[2], &[9]]),
    // Words and blocks, more groups than nodes and fewer, and one chain alone.
    (
        "chains",
        &[
            &[1, 1, 1, 0, 0, 1, 0],
            &[1, 4, 2, 1, 0, 7, 1],
            &[8, 2, 4, 3, 0, 40, 2],
            &[16, 1, 8, 7, 64, 20, 1],
            &[2, 16, 1, 0, 4096, 9, 0],
        ],
    ),
    ("cholesky", &[&[1, 1], &[7, 3], &[50, 8], &[30, 64]]),
    ("cholesky_graph", &[&[1, 1], &[7, 3], &[50, 8], &[30, 64]]),
    ("conjugate_gradients", &[&[1, 1], &[5, 4], &[50, 10]]),
    ("echo", &[&[0], &[1], &[300]]),
    ("fib", &[&[0], &[1], &[2], &[15]]),
    ("istructure", &[&[1], &[2], &[3], &[500]]),
    ("lu", &[&[1, 1], &[7, 3], &[40, 8], &[30, 64]]),
    ("matmul", &[&[1, 1], &[20, 7], &[32, 32], &[33, 8]]),
    ("mergesort", &[&[0, 5], &[1, 1], &[1000, 7], &[5000, 1000]]),
    ("paraffins", &[&[0], &[1], &[2], &[9], &[24]]),
    ("pipeline", &[&[0, 2, 1, 1], &[100, 4, 1, 7], &[500, 7, 5, 3], &[3, 0, 9, 8]]),
    ("queens", &[&[0], &[1], &[3], &[4], &[8], &[9]]),
    ("ring", &[&[1], &[20]]),
    ("samplesort", &[&[0], &[1], &[5], &[10_000]]),
    ("smith_waterman", &[&[1, 1, 1], &[90, 60, 7], &[33, 100, 64]]),
    ("stencil", &[&[1, 1, 1], &[10, 7, 10], &[200, 30, 6], &[9, 4, 20], &[4, 0, 2]]),
    ("tree_search", &[&[0, 3, 1], &[9, 0, 2], &[10, 4, 19], &[8, 20, 5]]),
    ("wavefront", &[&[1, 1], &[7, 3], &[150, 20], &[30, 100]]),
    // A text that is one chunk, chunks of a word, and an empty text.
    ("word_count", &[&[0, 5], &[30, 100], &[3_000, 1], &[20_000, 700]]),
];

#[test]
fn programs_of_all_sizes_run_on_threads() {
    for program in PROGRAMS {
        let name = program.name();
        let sizes = SIZES.iter().find(|(of, _)| *of == name);
        let (_, sizes) = sizes.unwrap_or_else(|| panic!("the test has no sizes of `{name}`"));
        for sizes in *sizes {
            let instance = program.at(sizes).unwrap_or_else(|error| panic!("{name}, {sizes:?}: {error}"));
            for (config, nodes) in
                [Config::Spn, Config::Dual].map(|config| [1, 2, 3, 8].map(|n| (config, n))).concat()
            {
                let run = instance.run(&mut Machine::threads(nodes).config(config));
                assert!(run.is_ok(), "{name}, {sizes:?}, {nodes} nodes, {config}: {run:?}");
            }
        }
    }
}

/// Returns whether a program runs on a machine.
fn runs_on(machines: Machines, case: Case) -> bool {
    match machines {
        Machines::All => true,
        Machines::SharedMemory => !case.is_of_ranks() && !case.through_bytes,
        Machines::RealTime => matches!(case.kind, Kind::Threads | Kind::Ranks { .. }),
    }
}

#[test]
fn programs_of_small_sizes_run_on_every_machine() {
    for program in PROGRAMS {
        let name = program.name();
        let instance = program.at(&program.small()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for case in cases().filter(|case| runs_on(program.machines(), *case)) {
            let run = instance.run(&mut case.machine());
            let run = run.unwrap_or_else(|error| panic!("{name} on {case}: {error}"));
            assert_eq!(run.counters.frames, run.counters.frames_ended, "{name} on {case}");
        }
    }
}

#[test]
fn the_list_has_each_name_once_and_valid_sizes() {
    for program in PROGRAMS {
        let name = program.name();
        assert_eq!(named(name).map(Program::title), Some(program.title()), "{name} is there twice");
        for size in program.sizes() {
            let valid = size.least..=size.most;
            assert!(valid.contains(&size.usual) && valid.contains(&size.small), "{name}: {size:?}");
        }
    }
    assert!(named("fibonacci").is_none());
}

#[test]
fn invalid_sizes_are_refused_by_name() {
    for (name, sizes, why) in [
        ("stencil", &[0, 1, 1][..], "`values` of `stencil` is 0, but it must be at least 1"),
        (
            "smith_waterman",
            &[5, 0, 2],
            "`other-length` of `smith_waterman` is 0, but it must be between 1 and 1048576",
        ),
        ("queens", &[15], "`rows` of `queens` is 15, but it must be between 0 and 14"),
        ("pipeline", &[5, 1, 0, 1], "`window` of `pipeline` is 0, but it must be at least 1"),
        ("fib", &[1, 2], "`fib` has 1 sizes, not 2"),
    ] {
        let refused = named(name).expect(name).at(sizes).expect_err(name);
        assert_eq!(refused.to_string(), why);
    }
}

#[test]
fn a_wrong_result_is_an_error() {
    let instance = |expected: u64| {
        Instance::new(
            move || expected,
            |machine: &mut Machine| machine.run(|out| Fib::call(12, out)),
            |value| format!("fib(12) = {value}"),
        )
    };
    let wrong = instance(143).run(&mut Machine::stepper(1)).map(|run| run.value);
    let why = "the result is wrong: fib(12) = 144; expected: fib(12) = 143";
    assert_eq!(wrong.map_err(|error| error.to_string()), Err(why.to_owned()));
    assert!(instance(144).run(&mut Machine::stepper(1)).is_ok());
}

/// Tiles that were encoded as bytes are not in the caller's memory, so only their number is checked here.
#[test]
fn tiles_of_a_product_travel_as_bytes() {
    on_every(|case| {
        let (a, b) = (Block::from_fn(9, 9, entry), Block::from_fn(9, 9, |k, j| entry(k + 7, j)));
        let run = gives(&mut case.machine(), |out| Multiply::call([a, b, Block::zeroed(9, 9)], 4, out));
        assert_eq!(run.value, 9);
    });
}

#[test]
fn the_guide_has_what_everything_costs() {
    let page = include_str!("../../../docs/guide/src/costs.md");
    for row in costs::counted().expect("it runs") {
        assert!(page.contains(&row), "the table of costs in the guide lacks `{row}`");
    }
}

/// Chains between nodes, with words.
const EXCHANGING: Chains =
    Chains { groups: 8, chains: 4, messages: 4, remote: 3, bytes: 0, steps: 12, rounds: 2, cycles: 10 };

#[test]
fn chains_do_the_fibers_signals_and_messages_of_their_sizes() {
    for of in [EXCHANGING, Chains { bytes: 256, ..EXCHANGING }, Chains { remote: 0, ..EXCHANGING }] {
        let more = Chains { steps: of.steps + 1, ..of };
        let (total, messages) = (u64::from(of.total()), u64::from(of.messages));
        for case in cases().filter(|case| case.nodes <= 8 && !case.is_of_ranks()) {
            let [run, next] = [of, more].map(|of| of.run(&mut case.machine()).expect("the chains run"));
            assert_eq!([run.value.sum, next.value.sum], [of, more].map(|of| of.expected()), "{case}");
            let (nodes, counters) = (case.nodes as u64, &run.counters);
            assert_eq!(counters.fibers, 3 + 4 * nodes + total * u64::from(of.steps + 2), "{case}");
            assert_eq!(next.counters.fibers - counters.fibers, total, "{case}");
            assert_eq!(next.counters.signals - counters.signals, total * messages, "{case}");
            assert_eq!(counters.parked, 0, "{case}");
            // On a power of two of nodes each stage crosses nodes if its bit is one of the nodes' bits.
            if case.nodes.is_power_of_two() {
                let stages = case.nodes.ilog2().min(3);
                let crossing = (0..of.remote).filter(|message| message % 3 < stages).count() as u64;
                let sent = next.counters.events_sent - counters.events_sent;
                assert_eq!(sent, total * crossing, "{case}");
            }
        }
    }
}

#[test]
fn sizes_of_chains_that_do_not_fit_are_refused() {
    let chains = named("chains").expect("it is in the list");
    for (sizes, why) in [
        ([3, 4, 2, 1, 0, 1, 0], "`groups` and `chains` must be powers of two"),
        ([4, 4, 2, 2, 0, 1, 0], "`remote` must be less than `messages`"),
    ] {
        assert_eq!(chains.at(&sizes).expect_err("they do not fit").to_string(), why);
    }
}
