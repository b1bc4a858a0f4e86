//! What is read of the paper: figures, tables and statements.

use super::exchange::{Change, Order, TODAY};
use super::figures;
use super::results::{
    BYTES, LARGE, LARGEST, NO_BARRIER, POINTS, PROGRAM_BLOCKS, Results, SHAPES, SMALL, SPEEDS, TODAY_ORDERS,
    Variant, WHOLE, cause, weak,
};
use super::statements::statements;
use crate::document::{Document, Part, Table};
use crate::model::torus::Torus;
use crate::numbers::{percent, seconds};
use crate::statements::{Verdict, count};

const TITLE: &str = "A torus: the transpose FFT at 65,536 nodes";

/// The page on the first figure alone.
pub(crate) fn pattern() -> Document {
    Document { title: TITLE, parts: vec![Part::figure(figures::pattern())] }
}

pub(crate) fn document(results: &Results) -> Document {
    let rows = statements(results);
    let of = |verdict| count(&rows, verdict);
    let mut parts = vec![
        Part::heading(1, TITLE),
        Part::words(format!(
            "Sabharwal, Garg, Garg, Gunnels and Sahoo, *Optimization of Fast Fourier Transforms on the Blue Gene/L \
             Supercomputer*. Of {} statements {} hold, {} in part, {} do not, {} cannot be told here.",
            rows.len(),
            of(Verdict::Holds),
            of(Verdict::InPart),
            of(Verdict::DoesNotHold),
            of(Verdict::CannotBeTold)
        )),
        Part::Command("earth-fft simulate torus --out docs/torus-paper.md".to_owned()),
        Part::words(
            "Every time here is made of two parts. Computing and the least time of an exchange are the paper's own model, with packets counted \
             exactly. The share of that peak which an all-to-all reaches is simulated packet by packet: routers with finite buffers, of which the first packet \
             holds up those behind it, adaptive routing, and a barrier. Phases are simulated on all 65,536 nodes, since all \
             do alike and one router stands for all. The base is simulated on up to 1024 nodes, 16 x 8 x 8 for \
             64 x 32 x 32.",
        ),
        Part::words(format!(
            "The machine is the profile `{}`. Published are {}; buffers, channels, the time of a hop and of a barrier, and what a link carries beside a packet \
             are estimates, and none was chosen to make a statement hold. Nodes send and receive in no time.",
            results.profile.name,
            results
                .profile
                .published
                .iter()
                .map(|figure| format!("`{figure}`"))
                .collect::<Vec<_>>()
                .join(", ")
        )),
        Part::heading(2, "The paper's statements"),
    ];
    parts.extend(rows.into_iter().map(Part::Statement));
    parts.push(Part::heading(2, "The paper's figures"));
    parts.extend(
        [figures::pattern(), figures::weak_scaling(results), figures::strong_scaling(results)]
            .map(Part::figure),
    );
    parts.push(Part::Table(weak_table(results)));
    parts.push(Part::heading(2, "Why"));
    parts.push(Part::figure(figures::shares(results)));
    parts.extend([orders(results), changes(results), models(results)].map(Part::Table));
    parts.push(Part::heading(2, "What the paper could not ask"));
    parts.push(Part::figure(figures::overlap(results)));
    parts.extend([programs(results), today(results)].map(Part::Table));
    parts.push(Part::words(
        "The program of the first table runs on the runtime, unchanged, without data: exchanges are counted by slots, and no node waits at a \
         barrier. In SPN, virtual node mode, the processor that computes sends and receives too, at the costs of the profile; in DUAL, \
         coprocessor mode, another one does.",
    ));
    Document { title: TITLE, parts }
}

fn sides_of(sides: &[usize]) -> String {
    sides.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

/// The rates of the weak scaling.
fn weak_table(results: &Results) -> Table {
    let names =
        ["torus", "points", "bytes of a pair"].into_iter().chain(figures::VARIANTS.map(|(_, key)| key));
    let row = |sides: &[usize; 3]| {
        let n = weak(sides.iter().product());
        let pair = results.model(*sides).pair_bytes(n);
        let rates =
            figures::VARIANTS.map(|(variant, _)| format!("{:.0}", results.gflops(variant, *sides, n)));
        [sides_of(sides), format!("2^{:.0}", n.log2()), format!("{pair:.0}")]
            .into_iter()
            .chain(rates)
            .collect::<Vec<_>>()
    };
    Table::new(names).titled("Weak scaling in Gflops").with(SHAPES.iter().map(row))
}

/// What an order is called.
fn name_of(order: Order) -> String {
    match order {
        Order::Random => "each node in its own random order".to_owned(),
        Order::Rotated => "all nodes in rotated order".to_owned(),
        Order::Alike => "all nodes in one random order".to_owned(),
        Order::Barriers(NO_BARRIER) => "phases, all at once".to_owned(),
        Order::Barriers(1) => "phases, a barrier after each".to_owned(),
        Order::Barriers(group) => format!("phases, a barrier after each {group}"),
        Order::Dataflow(ahead) => format!("phases by counted slots, {ahead} at a time"),
    }
}

/// What the order of an exchange does, on the largest machine.
fn orders(results: &Results) -> Table {
    let groups = [1, 2, 4, 16];
    let orders = [Order::Rotated, Order::Alike, Order::Barriers(NO_BARRIER)].into_iter();
    let orders = orders.chain(groups.map(Order::Barriers)).chain(groups.map(Order::Dataflow));
    of_orders(results, LARGEST, orders, Change::Nothing, "175 MB/s a link")
}

/// What it does with links of today.
fn today(results: &Results) -> Table {
    let rate = format!(
        "{} GB/s a link, as in Fugaku's network of 2018, and the routers and the barrier of 2005",
        TODAY / 1e9
    );
    of_orders(results, LARGE, TODAY_ORDERS, Change::Today, &rate)
}

fn of_orders(
    results: &Results,
    sides: [usize; 3],
    orders: impl IntoIterator<Item = Order>,
    change: Change,
    rate: &str,
) -> Table {
    let row = |order: Order| {
        let exchange = cause(sides, order, change);
        let cycles = results.runs.get(&exchange).map_or(f64::NAN, |run| run.cycles as f64);
        let time = seconds(cycles / results.profile.clock_mhz / 1e6);
        [name_of(order), percent(results.share(&exchange)), time]
    };
    Table::new(["order", "share of the peak", "time"])
        .titled(format!("All-to-all of {BYTES} bytes a pair on {}, {rate}", sides_of(&sides)))
        .with(orders.into_iter().map(row))
}

/// The transform as a program of the runtime.
fn programs(results: &Results) -> Table {
    let mut table = Table::new(["processors", "blocks", "SPN", "DUAL", "DUAL over SPN"])
        .titled("2^20 points on 4 x 4 x 4 nodes, as a program of the runtime: from the first exchange to the end of the third");
    for (speed, times) in SPEEDS.iter().zip(&results.programs) {
        for (blocks, [spn, dual]) in PROGRAM_BLOCKS.iter().zip(times) {
            let name =
                if *speed > 1.0 { format!("{speed} times as fast") } else { "the profile's".to_owned() };
            table.row([
                name,
                blocks.to_string(),
                seconds(*spn),
                seconds(*dual),
                format!("{:.3}", dual / spn),
            ]);
        }
    }
    table
}

/// What causes the base to fall behind.
fn changes(results: &Results) -> Table {
    let changes = [
        (Change::Nothing, "as it is"),
        (Change::Endless, "buffers without an end"),
        (Change::DimensionOrdered, "one dimension after the other"),
        (Change::EqualTurns, "packets that enter have equal turns"),
    ];
    let row = |(change, name): (Change, &str)| {
        let share = |sides| percent(results.share(&cause(sides, Order::Random, change)));
        [name.to_owned(), share([4, 4, 4]), share(SMALL)]
    };
    let mut table = Table::new(["the base", "4 x 4 x 4", "8 x 4 x 4"])
        .titled(format!("What the base's share of the peak depends on, {BYTES} bytes a pair"))
        .with(changes.map(row));
    let alike = percent(results.share(&cause(SMALL, Order::Alike, Change::Nothing)));
    table.row(["all nodes in one random order".to_owned(), String::new(), alike]);
    table
}

/// The model against the simulation.
fn models(results: &Results) -> Table {
    let row = |sides: [usize; 3]| {
        let n = weak(sides.iter().product());
        let model = results.model(sides);
        let simulated = results.seconds(Variant::Phased, sides, n);
        let error = |seconds: f64| format!("{:+.1}%", 100.0 * (seconds / simulated - 1.0));
        [
            sides_of(&sides),
            seconds(simulated),
            error(model.fft(n, model.bare_exchange(n))),
            error(model.fft(n, model.paper_exchange(n))),
            error(model.fft(n, model.exchange(n, 1.0))),
        ]
    };
    let bound = results.model(LARGEST).exchange_bound(POINTS);
    let names = ["torus", "phases, simulated", "Eq. 3", "Eq. 4", "packets counted"];
    Table::new(names)
        .titled(format!(
            "Errors of the model, weak scaling; exchanges alone would allow {bound:.0} Gflops on {} at 2^{:.0} points ({} at most)",
            sides_of(&LARGEST),
            POINTS.log2(),
            Torus::most_nodes(POINTS)
        ))
        .with([[4, 4, 4], WHOLE, [16, 16, 16], [32, 32, 32], LARGEST].map(row))
}
