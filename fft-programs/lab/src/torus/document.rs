//! What is read of the paper: figures, tables and statements.

use super::cases::{
    BLOCKS, BUFFERS, BYTES, DIMENSIONS, Dimensions, LARGE, LARGEST, NO_BARRIER, POINTS, PROGRAM, SHAPES,
    SMALL, TODAY_ORDERS, Variant, WHOLE, cause, weak,
};
use super::exchange::{Change, ENDLESS, Order, TODAY};
use super::figures;
use super::results::{Ran, Results};
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
    parts.extend([orders(results), changes(results), buffers(results), models(results)].map(Part::Table));
    parts.push(Part::heading(2, "Two and three dimensions"));
    parts.push(Part::words(
        "Nodes of one plane or line exchange among themselves, all planes or lines at the same time. No packet leaves its plane, so that \
         a plane is simulated as a torus by itself. A node has pencils: of three dimensions the result lies transposed.",
    ));
    parts.push(Part::Table(dimensions(results)));
    parts.push(Part::heading(2, "What the paper could not ask"));
    parts.push(Part::figure(figures::overlap(results)));
    parts.extend([overlap_map(results), programs(results)].map(Part::Table));
    parts.push(Part::words(
        "The program of this table runs on the runtime, unchanged, without data: exchanges are counted by slots, and no node waits at a \
         barrier. In SPN, virtual node mode, the processor that computes sends and receives too, at the costs of the profile; in DUAL, \
         coprocessor mode, another one does, and what they hand each other is written back from caches that are not coherent. E7 is \
         the model's least time, and its error against DUAL. Columns of FFTE have 2^6 points, so that there is one of its long rows \
         for each node, and nothing to be cut into blocks.",
    ));
    parts.push(Part::Table(today(results)));
    parts.push(Part::words(
        "With data the library's program of the same algorithm, which takes points from node 0 and brings them back, runs on threads: \
         `earth-fft transform --algorithm transpose`, or `ffte`. Tests run it on processes, too, and hold it against the definition.",
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
    let mut table = of_orders(results, LARGE, TODAY_ORDERS, Change::Today, &rate);
    let base = percent(results.share(&cause(WHOLE, Order::Random, Change::Today)));
    table.row([format!("{}, on {}", name_of(Order::Random), sides_of(&WHOLE)), base, String::new()]);
    table
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
    let (sides, log) = PROGRAM;
    let n = f64::from(log).exp2();
    let row = |ran: &Ran| {
        let Ran { speed, column, blocks, spn, dual, coherent } = *ran;
        let fast = if speed > 1.0 { format!("{speed} times as fast") } else { "the profile's".to_owned() };
        let is_square = 2 * column == log;
        let mut model = results.model(sides);
        model.flop /= speed;
        let parts = blocks as f64;
        let least = model.overlapped(n, parts, model.exchange(n, 1.0), model.exchange(n, parts));
        let least = if blocks > 1 { least } else { model.fft(n, model.exchange(n, 1.0)) };
        [
            fast,
            if is_square { "six-step" } else { "FFTE" }.to_owned(),
            blocks.to_string(),
            seconds(spn),
            seconds(dual),
            format!("{:.3}", dual / spn),
            seconds(coherent),
            format!("{} ({:+.1}%)", seconds(least), 100.0 * (least / dual - 1.0)),
        ]
    };
    let names =
        ["processors", "algorithm", "blocks", "SPN", "DUAL", "DUAL over SPN", "coherent caches", "E7"];
    Table::new(names)
        .titled(format!(
            "2^{log} points on {} nodes, as a program of the runtime: from the first exchange to the end of the third",
            sides_of(&sides)
        ))
        .with(results.programs.iter().map(row))
}

/// Transforms of several dimensions, whose exchanges are within planes and lines.
fn dimensions(results: &Results) -> Table {
    let row = |transform: &Dimensions| {
        let (n, log) = (transform.points(), f64::from(transform.log));
        let whole = results.model(LARGEST);
        let computing = 5.0 * whole.flop * n / whole.nodes() * log;
        let rates = [Variant::Base, Variant::Phased].map(|variant| {
            let exchange =
                |sides: &&[usize]| results.exchange_seconds(variant, sides, transform.points_of(sides), 1.0);
            let exchanges: f64 = transform.exchanges.iter().map(exchange).sum();
            format!("{:.0}", 5.0 * n * log / (computing + exchanges) / 1e9)
        });
        let each = |tell: &dyn Fn(&[usize]) -> String| {
            transform.exchanges.iter().map(|sides| tell(sides)).collect::<Vec<_>>().join(", ")
        };
        let share = |variant| {
            each(&|sides| percent(results.share_of(variant, sides, transform.points_of(sides), 1.0)))
        };
        let bytes =
            |sides: &[usize]| format!("{:.0}", results.model(sides).pair_bytes(transform.points_of(sides)));
        let [base, phased] = rates;
        [
            transform.name.to_owned(),
            each(&sides_of),
            each(&bytes),
            share(Variant::Base),
            share(Variant::Phased),
            base,
            phased,
        ]
    };
    let names =
        ["dimensions", "exchanges within", "bytes of a pair", "base", "phases", "Gflops, base", "phases"];
    Table::new(names)
        .titled(format!("Transforms of several dimensions on {}", sides_of(&LARGEST)))
        .with(DIMENSIONS.iter().map(row))
}

/// The base by the room in buffers.
fn buffers(results: &Results) -> Table {
    let row = |packets: u32| {
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
    };
    Table::new(["packets in a buffer", "share of the peak", "time", "Gflops", "phases over base"])
        .titled("The base with more room: its share on 16 x 8 x 8, and what that makes of 2^38 points on 65,536 nodes")
        .with(BUFFERS.map(row))
}

/// Where overlap pays: in four blocks, as in the paper, by the bytes of a block and the time of computing over that of exchanges.
fn overlap_map(results: &Results) -> Table {
    let packets = &results.profile.network.torus;
    let header = (packets.header + packets.trailer) as f64;
    let sizes = [16, 64, 240, 256, 480, 1024, 4096, 16384];
    let shares = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
    let row = |share: f64| {
        let cell = |bytes: u64| {
            // In units of one exchange in whole messages.
            let [whole, block] = [4 * bytes, bytes].map(|bytes| packets.link_bytes(bytes) as f64);
            let (computing, blocks) = (3.0 * share, BLOCKS * block / whole);
            let overlapped = 1.0 + (computing / BLOCKS + 2.0 * blocks).max(computing + 2.0 * blocks / BLOCKS);
            format!("{:.2}", overlapped / (computing + 3.0))
        };
        [share.to_string()].into_iter().chain(sizes.map(cell)).collect::<Vec<_>>()
    };
    let names = sizes.map(|bytes| format!("{bytes} B, {:.1} headers", bytes as f64 / header));
    Table::new(["computing over exchanges".to_owned()].into_iter().chain(names))
        .titled("Where overlap in 4 blocks pays: its time over that without, below 1, by the bytes of a pair in a block")
        .with(shares.map(row))
}

/// What causes the base to fall behind.
fn changes(results: &Results) -> Table {
    let changes = [
        (Change::Nothing, "as it is"),
        (ENDLESS, "buffers without an end"),
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
