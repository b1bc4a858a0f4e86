//! Tables of the paper's page, and the values that its template is filled with.

use earth_console::failure::sizes as sides_of;
use earth_report::document::{Content, Document, Paper};
use earth_report::numbers::{percent, seconds};

use super::cases::{
    BLOCKS, BUFFERS, BYTES, DIMENSIONS, Dimensions, LARGE, LARGEST, NO_BARRIER, POINTS, PROGRAM, SHAPES,
    SMALL, TODAY_ORDERS, Variant, WHOLE, cause, nodes, weak,
};
use super::exchange::{Change, ENDLESS, Order, TODAY};
use super::figures;
use super::results::{Ran, Results};
use super::statements::STATEMENTS;
use crate::model::torus::Torus;

const PAGE: &str = include_str!("page.md");

/// Makes a document of the first figure alone.
pub(crate) fn pattern() -> Document {
    Content::default().plot("fig1", figures::pattern()).figures(PAGE)
}

pub(crate) fn document(results: &Results) -> Document {
    let profile = &results.profile;
    let content = Content::default()
        .text("profile", &profile.name)
        .texts("published", profile.published.iter().map(|figure| format!("`{figure}`")))
        .texts("variants", figures::VARIANTS.map(|(_, key)| key))
        .rows("weak", SHAPES.map(|sides| weak_row(results, sides)))
        .text("bytes", BYTES)
        .text("largest", sides_of(&LARGEST))
        .rows("orders", ORDERS.map(|order| order_row(results, LARGEST, order, Change::Nothing)))
        .rows("changes", changes(results))
        .rows("buffers", BUFFERS.map(|packets| buffer_row(results, packets)))
        .text("bound", format!("{:.0}", results.model(LARGEST).exchange_bound(POINTS)))
        .text("points", POINTS.log2())
        .text("most", Torus::most_nodes(POINTS))
        .rows("models", MODELLED.map(|sides| model_row(results, sides)))
        .rows("dimensions", DIMENSIONS.iter().map(|transform| dimension_row(results, transform)))
        .text("log", PROGRAM.1)
        .text("nodes", sides_of(&PROGRAM.0))
        .rows("programs", results.programs.iter().map(|ran| program_row(results, ran)))
        .text("large", sides_of(&LARGE))
        .text("rate", TODAY / 1e9)
        .rows("today", today(results));
    let paper = Paper { statements: STATEMENTS.judged(results), ..Paper::default() };
    overlaps(figures::drawn(content, results), results).paper(&paper, PAGE)
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
        Order::Rotated => "all nodes in rotated order".to_owned(),
        Order::SharedRandom => "all nodes in one random order".to_owned(),
        Order::Barriers(NO_BARRIER) => "phases, all at once".to_owned(),
        Order::Barriers(1) => "phases, a barrier after each".to_owned(),
        Order::Barriers(group) => format!("phases, a barrier after each {group}"),
        Order::Dataflow(ahead) => format!("phases by counted slots, {ahead} at a time"),
    }
}

/// Tabulates the share and the time of an order of an exchange.
fn order_row(results: &Results, sides: [usize; 3], order: Order, change: Change) -> [String; 3] {
    let exchange = cause(sides, order, change);
    let run = results.run(&exchange);
    let time = seconds(run.cycles as f64 / results.profile.clock_mhz / 1e6);
    [name_of(order), percent(run.share), time]
}

/// Tabulates the orders with links of today.
fn today(results: &Results) -> Vec<[String; 3]> {
    let mut rows: Vec<_> = TODAY_ORDERS.map(|order| order_row(results, LARGE, order, Change::Today)).into();
    let base = percent(results.share(&cause(WHOLE, Order::Random, Change::Today)));
    rows.push([format!("{}, on {}", name_of(Order::Random), sides_of(&WHOLE)), base, String::new()]);
    rows
}

/// Tabulates the transform as a program of the runtime.
fn program_row(results: &Results, ran: &Ran) -> [String; 8] {
    let Ran { speed, column, blocks, spn, dual, coherent } = *ran;
    let (sides, log) = PROGRAM;
    let (n, parts) = (f64::from(log).exp2(), blocks as f64);
    let mut model = results.model(sides);
    model.flop /= speed;
    let [whole, block] = [1.0, parts].map(|parts| model.exchange(n, parts));
    let least = if blocks > 1 { model.overlapped(n, parts, whole, block) } else { model.fft(n, whole) };
    [
        if speed > 1.0 { format!("{speed} times as fast") } else { "the profile's".to_owned() },
        if 2 * column == log { "six-step" } else { "FFTE" }.to_owned(),
        blocks.to_string(),
        seconds(spn),
        seconds(dual),
        format!("{:.3}", dual / spn),
        seconds(coherent),
        format!("{} ({:+.1}%)", seconds(least), 100.0 * (least / dual - 1.0)),
    ]
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
fn changes(results: &Results) -> Vec<[String; 3]> {
    let share = |sides, order, change| percent(results.share(&cause(sides, order, change)));
    let row = |(change, name): (Change, &str)| {
        let [small, large] = [[4, 4, 4], SMALL].map(|sides| share(sides, Order::Random, change));
        [name.to_owned(), small, large]
    };
    let changes = [
        (Change::Nothing, "as it is"),
        (ENDLESS, "buffers without an end"),
        (Change::DimensionOrdered, "one dimension after the other"),
        (Change::EqualTurns, "packets that enter have equal turns"),
    ];
    let alike = share(SMALL, Order::SharedRandom, Change::Nothing);
    changes.into_iter().map(row).chain([[name_of(Order::SharedRandom), String::new(), alike]]).collect()
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
