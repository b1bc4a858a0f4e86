//! Tables of the paper's page, and the values that its template is filled with.

use earth::Config;
use earth_console::failure::sizes as sides_of;
use earth_report::document::{Content, Document, Paper};
use earth_report::numbers::{percent, seconds};
use earth_report::statements::Parameter;

use super::cases::{
    BASES, BLOCKS, BUFFERS, BYTES, DIMENSIONS, Dimensions, LARGE, LARGEST, POINTS, PROGRAM, PROGRAM_BLOCKS,
    SHAPES, SIMILAR, SMALL, SPEEDS, TODAY_ORDERS, Variant, WHOLE, cause, nodes, weak,
};
use super::exchange::{ENDLESS, Exchange, Handling, NO_BARRIER, Order, TODAY, USUAL, Variation};
use super::figures;
use super::program::ProgramRun;
use super::results::Results;
use super::statements::STATEMENTS;
use crate::errata::{Paper as Of, errata_of};
use crate::model::torus::Torus;
use crate::parameters::of_profile;

const PAGE: &str = include_str!("page.md");

/// Makes a document of the first figure alone.
pub(crate) fn pattern() -> Document {
    Content::default().plot("fig1", figures::pattern()).figures(PAGE)
}

/// Makes the page. `run_seconds` is the time that all runs took on one core.
pub(crate) fn document(results: &Results, run_seconds: f64) -> Document {
    let profile = &results.profile;
    let mut orders =
        ORDERS.map(|order| order_row(results, &cause(LARGEST, order, Variation::Nothing))).to_vec();
    orders.extend(BASES.map(|(base, order)| base_row(results, base, order)));
    let content = Content::default()
        .text("profile", &profile.name)
        .texts("published", profile.published.iter().map(|figure| format!("`{figure}`")))
        .texts("fitted", profile.fitted.iter().map(|figure| format!("`{figure}`")))
        .text("runs", results.count())
        .text("minutes", format!("{:.0}", run_seconds / 60.0))
        .texts("variants", figures::VARIANTS.map(|(_, key)| key))
        .rows("weak", SHAPES.map(|sides| weak_row(results, sides)))
        .text("bytes", BYTES)
        .text("largest", sides_of(&LARGEST))
        .rows("orders", orders)
        .texts("bases", BASES.map(|(_, order)| order))
        .rows("similar", SIMILAR.into_iter().chain([LARGEST]).map(|sides| similar_row(results, sides)))
        .rows("variations", variations(results))
        .rows("buffers", BUFFERS.map(|packets| buffer_row(results, packets)))
        .rows("handling", HANDLINGS.map(|(handling, name)| handling_row(results, handling, name)))
        .text("bound", format!("{:.0}", results.model(LARGEST).exchange_bound(POINTS)))
        .text("points", POINTS.log2())
        .text("most", Torus::most_nodes(POINTS))
        .rows("models", MODELLED.map(|sides| model_row(results, sides)))
        .rows("dimensions", DIMENSIONS.iter().map(|transform| dimension_row(results, transform)))
        .text("log", PROGRAM.1)
        .text("nodes", sides_of(&PROGRAM.0))
        .rows("programs", program_rows(results))
        .text("large", sides_of(&LARGE))
        .text("rate", TODAY / 1e9)
        .rows("today", today(results));
    let content = findings(content, results);
    let statements = STATEMENTS.judged_again(results, results.changed());
    let errata = errata_of(Of::Torus, &content);
    let (parameters, changes) = (parameters(results), include_str!("changes.md"));
    let paper = Paper { statements, errata, parameters, changes };
    overlaps(figures::drawn(content, results), results).paper(&paper, PAGE)
}

/// Adds the figures of the page's findings.
fn findings(content: Content, results: &Results) -> Content {
    let share = |variant| percent(results.share_of(variant, LARGEST, POINTS, 1.0));
    let rate = |variant| format!("{:.0}", results.gflops(variant, LARGEST, POINTS));
    let of = |order| results.share(&cause(LARGEST, order, Variation::Nothing));
    let [phased, overlapped] =
        [Variant::Phased, Variant::Overlapped].map(|of| results.seconds(of, LARGEST, POINTS));
    let by_size = SIMILAR.map(|sides| percent(results.share(&results.whole(sides))));
    content
        .texts("base_shares", BASES.map(|(base, order)| format!("{} in {order}", share(base))))
        .texts("by_size", by_size)
        .texts("sizes_of", SIMILAR.map(|sides| nodes(&sides)))
        .text("phased_share", share(Variant::Phased))
        .text("phased_rate", rate(Variant::Phased))
        .text("barrier_gain", percent(of(Order::Barriers(1)) / of(Order::Barriers(NO_BARRIER)) - 1.0))
        .text("grouped_share", percent(of(Order::Barriers(16))))
        .text("slots_share", percent(of(Order::Dataflow(1))))
        .text("overlap_gain", percent(1.0 - overlapped / phased))
        .text("overlap_rate", rate(Variant::Overlapped))
}

/// Returns the figures of the profile. A value says so if no run of a statement depends on it.
fn parameters(results: &Results) -> Vec<Parameter> {
    let used = results.used();
    let told = |mut parameter: Parameter| {
        // The model uses the cost of work without a run.
        if parameter.changed != [false; 2] && !used.contains(&parameter.name) && parameter.name != "work.flop"
        {
            parameter.value.push_str(", in no run of a statement");
        }
        parameter
    };
    of_profile(&results.profile).into_iter().map(told).collect()
}

/// Tabulates the rates of the weak scaling.
fn weak_row(results: &Results, sides: [usize; 3]) -> Vec<String> {
    let n = weak(nodes(&sides));
    let pair = results.model(sides).pair_bytes(n);
    let rates = figures::VARIANTS.map(|(variant, _)| format!("{:.0}", results.gflops(variant, sides, n)));
    [vec![sides_of(&sides), format!("2^{:.0}", n.log2()), format!("{pair:.0}")], rates.into()].concat()
}

/// Orders of an exchange on the largest machine.
const ORDERS: [Order; 11] = [
    Order::Rotated,
    Order::SharedRandom,
    Order::Barriers(NO_BARRIER),
    Order::Barriers(1),
    Order::Barriers(2),
    Order::Barriers(4),
    Order::Barriers(16),
    Order::Dataflow(1),
    Order::Dataflow(2),
    Order::Dataflow(4),
    Order::Dataflow(16),
];

fn name_of(order: Order) -> String {
    match order {
        Order::Random => "each node in its own random order".to_owned(),
        Order::RandomPackets => "each node in its own random order, packet by packet".to_owned(),
        Order::Special => "phases of fewer than four partners".to_owned(),
        Order::Rotated => "all nodes in rotated order".to_owned(),
        Order::SharedRandom => "all nodes in one random order".to_owned(),
        Order::Barriers(NO_BARRIER) => "phases, all at once".to_owned(),
        Order::Barriers(1) => "phases, a barrier after each".to_owned(),
        Order::Barriers(group) => format!("phases, a barrier after each {group}"),
        Order::Dataflow(ahead) => format!("phases by counted slots, {ahead} at a time"),
    }
}

/// Tabulates the share and the time of an exchange.
fn order_row(results: &Results, exchange: &Exchange) -> [String; 3] {
    let run = results.run(exchange);
    let time = seconds(run.cycles as f64 / results.profile.clock_mhz / 1e6);
    [name_of(exchange.order), percent(run.share), time]
}

/// Tabulates the share and the time of the base in an order.
fn base_row(results: &Results, base: Variant, order: &str) -> [String; 3] {
    let share = results.share_of(base, LARGEST, POINTS, 1.0);
    let time = seconds(results.exchange_seconds(base, LARGEST, POINTS, 1.0));
    [format!("the base, {order}"), percent(share), time]
}

/// Tabulates the base and the phases on a torus of the largest one's aspect ratio.
fn similar_row(results: &Results, sides: [usize; 3]) -> Vec<String> {
    let share = |variant| {
        let exchange = results.exchange(variant, LARGEST, POINTS, 1.0);
        let exchange = match variant {
            Variant::Base if sides == LARGEST => return "not simulated".to_owned(),
            Variant::ByPackets if nodes(&sides) > nodes(&WHOLE) => return "not simulated".to_owned(),
            _ => Exchange { sides: sides.into(), ..exchange },
        };
        percent(results.share(&exchange))
    };
    let shares = BASES.map(|(base, _)| share(base)).into_iter().chain([share(Variant::Phased)]);
    [sides_of(&sides), nodes(&sides).to_string()].into_iter().chain(shares).collect()
}

/// Costs of sending and receiving that are compared, with their names.
const HANDLINGS: [(Handling, &str); 5] = [
    (Handling::Free, "nothing"),
    (Handling::Messages(Config::Spn), "SPN, each message"),
    (Handling::Messages(Config::Dual), "DUAL, each message"),
    (Handling::Packets(Config::Spn), "SPN, each packet"),
    (USUAL, "DUAL, each packet"),
];

/// Tabulates what sending and receiving cost.
fn handling_row(results: &Results, handling: Handling, name: &str) -> Vec<String> {
    let share = |sides: &[usize], bytes, order| {
        percent(results.share(&Exchange::new(sides, bytes, order).handled(handling)))
    };
    let phases = [&[4, 4, 4][..], &[8, 8, 8], &LARGEST].map(|sides| share(sides, BYTES, Order::Barriers(1)));
    let more = [share(&LARGEST, BYTES / 4, Order::Barriers(1)), share(&SMALL, BYTES, Order::Random)];
    std::iter::once(name.to_owned()).chain(phases).chain(more).collect()
}

/// Tabulates the orders with links of today.
fn today(results: &Results) -> Vec<[String; 3]> {
    let of = |sides, order| cause(sides, order, Variation::Today).handled(Handling::Free);
    let mut rows: Vec<_> = TODAY_ORDERS.map(|order| order_row(results, &of(LARGE, order))).into();
    let base = percent(results.share(&of(WHOLE, Order::Random)));
    rows.push([format!("{}, on {}", name_of(Order::Random), sides_of(&WHOLE)), base, String::new()]);
    rows
}

/// Tabulates the transform as a program of the runtime.
fn program_rows(results: &Results) -> Vec<[String; 8]> {
    let log = PROGRAM.1;
    let columns = || PROGRAM_BLOCKS.map(|blocks| (log / 2, blocks)).into_iter().chain([(log / 3, 1)]);
    let all =
        SPEEDS.into_iter().flat_map(|speed| columns().map(move |(column, blocks)| (speed, column, blocks)));
    all.map(|(speed, column, blocks)| {
        let run = |config, is_coherent| ProgramRun { speed, column, blocks, config, is_coherent };
        let [spn, dual, coherent] = [(Config::Spn, false), (Config::Dual, false), (Config::Dual, true)]
            .map(|(config, is_coherent)| results.program(&run(config, is_coherent)));
        let least = results.least_seconds(&run(Config::Dual, false));
        [
            if speed > 1 { format!("{speed} times as fast") } else { "the profile's".to_owned() },
            if 2 * column == log { "six-step" } else { "FFTE" }.to_owned(),
            blocks.to_string(),
            seconds(spn),
            seconds(dual),
            format!("{:.3}", dual / spn),
            seconds(coherent),
            format!("{} ({:+.1}%)", seconds(least), 100.0 * (least / dual - 1.0)),
        ]
    })
    .collect()
}

/// Tabulates transforms of several dimensions, whose exchanges are within planes and lines.
fn dimension_row(results: &Results, transform: &Dimensions) -> [String; 7] {
    let (n, log) = (transform.points(), f64::from(transform.log));
    let whole = results.model(LARGEST);
    let computing = 5.0 * whole.flop * n / whole.nodes() * log;
    let each = |tell: &dyn Fn(&[usize]) -> String| {
        transform.exchanges.iter().map(|sides| tell(sides)).collect::<Vec<_>>().join(", ")
    };
    let share =
        |variant| each(&|sides| percent(results.share_of(variant, sides, transform.points_of(sides), 1.0)));
    let rate = |variant| {
        let exchange =
            |sides: &&[usize]| results.exchange_seconds(variant, sides, transform.points_of(sides), 1.0);
        let exchanges: f64 = transform.exchanges.iter().map(exchange).sum();
        format!("{:.0}", 5.0 * n * log / (computing + exchanges) / 1e9)
    };
    [
        transform.name.to_owned(),
        each(&sides_of),
        each(&|sides| format!("{:.0}", results.model(sides).pair_bytes(transform.points_of(sides)))),
        share(Variant::Base),
        share(Variant::Phased),
        rate(Variant::Base),
        rate(Variant::Phased),
    ]
}

/// Tabulates the base by the size of the buffers.
fn buffer_row(results: &Results, packets: u32) -> [String; 5] {
    let [share, time] = results.by_buffers(packets);
    let rate = Torus::gflops(POINTS, time);
    let phased = results.gflops(Variant::Phased, LARGEST, POINTS);
    [
        packets.to_string(),
        percent(share),
        seconds(time),
        format!("{rate:.0}"),
        format!("{:.2}", phased / rate),
    ]
}

/// Tabulates where overlap pays off: in four blocks, as in the paper, by the bytes of a block and the ratio
/// of computation to exchange time.
fn overlaps(content: Content, results: &Results) -> Content {
    let packets = &results.profile.network.torus;
    let header = (packets.header + packets.trailer) as f64;
    let sizes = [16, 64, 240, 256, 480, 1024, 4096, 16384];
    let row = |share: f64| {
        let cell = |bytes: u64| {
            // Unit: one exchange in whole messages.
            let [whole, block] = [4 * bytes, bytes].map(|bytes| packets.link_bytes(bytes) as f64);
            let (computing, blocks) = (3.0 * share, BLOCKS * block / whole);
            let overlapped = 1.0 + (computing / BLOCKS + 2.0 * blocks).max(computing + 2.0 * blocks / BLOCKS);
            format!("{:.2}", overlapped / (computing + 3.0))
        };
        [vec![share.to_string()], sizes.map(cell).into()].concat()
    };
    content
        .texts("sizes", sizes.map(|bytes| format!("{bytes} B, {:.1} headers", bytes as f64 / header)))
        .rows("overlaps", [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0].map(row))
}

/// Tabulates the causes of the base's loss.
fn variations(results: &Results) -> Vec<[String; 3]> {
    let share = |sides, order, variation| percent(results.share(&cause(sides, order, variation)));
    let row = |(variation, name): (Variation, &str)| {
        let [small, large] = [[4, 4, 4], SMALL].map(|sides| share(sides, Order::Random, variation));
        [name.to_owned(), small, large]
    };
    let variations = [
        (Variation::Nothing, "as it is"),
        (ENDLESS, "buffers without an end"),
        (Variation::DimensionOrdered, "one dimension after the other"),
        (Variation::EqualTurns, "packets that enter have equal turns"),
    ];
    let alike = share(SMALL, Order::SharedRandom, Variation::Nothing);
    variations.into_iter().map(row).chain([[name_of(Order::SharedRandom), String::new(), alike]]).collect()
}

/// Tori of the comparison between model and simulation.
const MODELLED: [[usize; 3]; 5] = [[4, 4, 4], WHOLE, [16, 16, 16], [32, 32, 32], LARGEST];

/// Tabulates the model against the simulation.
fn model_row(results: &Results, sides: [usize; 3]) -> [String; 5] {
    let (n, model) = (weak(nodes(&sides)), results.model(sides));
    let simulated = results.seconds(Variant::Phased, sides, n);
    let error = |exchange: f64| format!("{:+.1}%", 100.0 * (model.fft(n, exchange) / simulated - 1.0));
    [
        sides_of(&sides),
        seconds(simulated),
        error(model.bare_exchange(n)),
        error(model.paper_exchange(n)),
        error(model.exchange(n, 1.0)),
    ]
}
