//! The comparisons: each program on several engines, with the unit of a process's figure.

use earth::Config::{Dual, Spn};

use crate::engines::{self, Load};

/// A name, and the function that runs in a separate process and returns its figure.
pub type Engine = (&'static str, fn(Load) -> f64);

/// Direction of a ratio.
#[derive(Clone, Copy, Debug)]
pub enum Quotient {
    /// The first engine's figure divided by the peer's.
    OverPeer,
    /// The peer's figure divided by the first engine's. For times this is the fraction of the peer's speed.
    OfPeer,
}

/// One program on several engines.
#[derive(Debug)]
pub struct Measure {
    /// Name on the command line.
    pub name: &'static str,
    /// Description of the program.
    pub what: &'static str,
    /// Unit of its figures.
    pub unit: &'static str,
    /// Direction of its ratios.
    pub quotient: Quotient,
    /// Engines. The first one is compared with each of the others.
    pub engines: &'static [Engine],
}

/// All measures.
pub const MEASURES: &[Measure] = &[
    Measure {
        name: "fib-1",
        what: "fib(27) on 1 node",
        unit: "ns a join",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::fib(load, 1, Spn)),
            ("rayon", |load| engines::fib_on_rayon(load, 1)),
            ("dual", |load| engines::fib(load, 1, Dual)),
        ],
    },
    Measure {
        name: "fib-2",
        what: "fib(27) on 2 nodes",
        unit: "ns a join",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::fib(load, 2, Spn)),
            ("rayon", |load| engines::fib_on_rayon(load, 2)),
            ("dual", |load| engines::fib(load, 2, Dual)),
        ],
    },
    Measure {
        name: "fib-array",
        what: "fib(27) on 1 node by fibers with an array of two inlets, or with two named inlets",
        unit: "ns a join",
        quotient: Quotient::OverPeer,
        engines: &[("array", engines::fib_listed), ("named", |load| engines::fib(load, 1, Spn))],
    },
    Measure {
        name: "chain",
        what: "10^6 fibers of a frame, each enabled by the one before, on 1 node",
        unit: "ns a fiber",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::links(load, Spn)),
            ("rayon", engines::links_on_rayon),
            ("dual", |load| engines::links(load, Dual)),
        ],
    },
    Measure {
        name: "alive-time",
        what: "10^6 functions alive at once, each waiting for the next, on 1 node",
        unit: "ns a function",
        quotient: Quotient::OverPeer,
        engines: &[("spn", engines::alive), ("rayon", engines::alive_on_rayon)],
    },
    Measure {
        name: "alive-bytes",
        what: "resident memory of 10^6 functions alive at once, in the machine's first run",
        unit: "bytes a function",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::alive_bytes(load, Spn)),
            ("rayon", engines::alive_bytes_on_rayon),
            ("dual", |load| engines::alive_bytes(load, Dual)),
        ],
    },
    Measure {
        name: "wavefront",
        what: "10^6 tiles on 2 nodes, and on two threads that never wait",
        unit: "ns a tile",
        quotient: Quotient::OfPeer,
        engines: &[
            ("spn", |load| engines::tiles(load, Spn)),
            ("free", engines::tiles_on_free_threads),
            ("rayon", engines::tiles_on_rayon),
            ("dual", |load| engines::tiles(load, Dual)),
        ],
    },
    Measure {
        name: "tree",
        what: "an unbalanced tree of 4.4 10^6 nodes, counted on 2 nodes",
        unit: "ns a node",
        quotient: Quotient::OverPeer,
        engines: &[("spn", engines::tree), ("rayon", engines::tree_on_rayon)],
    },
    Measure {
        name: "tree-grains",
        what: "the tree of measure tree, by fibers that search 64 nodes each",
        unit: "ns a node",
        quotient: Quotient::OverPeer,
        engines: &[("spn", engines::tree_in_grains), ("rayon", engines::tree_on_rayon)],
    },
    Measure {
        name: "elements",
        what: "about 10 ns of work on each of 10^7 elements, by ParallelFor on 2 nodes",
        unit: "ns an element",
        quotient: Quotient::OfPeer,
        engines: &[("spn", engines::elements), ("rayon", engines::elements_on_rayon)],
    },
    Measure {
        name: "items",
        what: "10^6 items through 3 stages, in batches of 256, by Streams on 2 nodes; and by channels, also one by one",
        unit: "ns an item",
        quotient: Quotient::OfPeer,
        engines: &[
            ("spn", engines::items),
            ("channels", |load| engines::items_on_channels(load, 256)),
            ("one-by-one", |load| engines::items_on_channels(load, 1)),
        ],
    },
    Measure {
        name: "stencil",
        what: "100 rounds over a square of 1024 rows, by Neighbours on 2 nodes",
        unit: "ns a value",
        quotient: Quotient::OfPeer,
        engines: &[("spn", engines::stencil), ("rayon", engines::stencil_on_rayon)],
    },
    Measure {
        name: "round-trip",
        what: "a signal to another node and back",
        unit: "ns a round trip",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::round_trips(load, Spn)),
            ("rtrb", engines::round_trips_on_rtrb),
            ("dual", |load| engines::round_trips(load, Dual)),
        ],
    },
    Measure {
        name: "rank-trip",
        what: "a signal to another rank and back, by Unix sockets",
        unit: "ns a round trip",
        quotient: Quotient::OverPeer,
        engines: &[("spn", engines::rank_trips), ("sockets", engines::rank_trips_by_sockets)],
    },
    Measure {
        name: "service",
        what: "4 10^5 requests of a thread to a service on 1 node, each after the answer to the one before",
        unit: "ns a request",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::requests(load, Spn, 1)),
            ("crossbeam", |load| engines::requests_on_channels(load, 1)),
            ("channel-each", |load| engines::requests_on_channel_per_answer(load, 1)),
            ("dual", |load| engines::requests(load, Dual, 1)),
        ],
    },
    Measure {
        name: "service-256",
        what: "4 10^5 requests of a thread to a service on 1 node, 256 under way",
        unit: "ns a request",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::requests(load, Spn, 256)),
            ("crossbeam", |load| engines::requests_on_channels(load, 256)),
            ("channel-each", |load| engines::requests_on_channel_per_answer(load, 256)),
            ("dual", |load| engines::requests(load, Dual, 256)),
        ],
    },
    Measure {
        name: "empty-run",
        what: "a run that does nothing, on a warm machine of 2 nodes",
        unit: "us a run",
        quotient: Quotient::OverPeer,
        engines: &[
            ("spn", |load| engines::empty_runs(load, Spn)),
            ("rayon", engines::empty_runs_on_rayon),
            ("dual", |load| engines::empty_runs(load, Dual)),
        ],
    },
    Measure {
        name: "trace-chain",
        what: "a chain of working fibers, with and without a trace, on 1 node",
        unit: "ns a fiber",
        quotient: Quotient::OverPeer,
        engines: &[
            ("traced", |load| engines::links_at_work(load, true)),
            ("plain", |load| engines::links_at_work(load, false)),
        ],
    },
    Measure {
        name: "trace-fib",
        what: "fib(25) by working fibers, with and without a trace, on 1 node",
        unit: "ns a fiber",
        quotient: Quotient::OverPeer,
        engines: &[
            ("traced", |load| engines::fib_at_work(load, true)),
            ("plain", |load| engines::fib_at_work(load, false)),
        ],
    },
    Measure {
        name: "simulated",
        what: "10^6 functions alive at once on 64 simulated nodes",
        unit: "10^6 fibers a second",
        quotient: Quotient::OverPeer,
        engines: &[("spn", |load| engines::crowd(load, Spn)), ("dual", |load| engines::crowd(load, Dual))],
    },
];
