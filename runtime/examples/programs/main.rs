//! The classic dataflow programs of this folder, one per file. Runs all of them as a table, or one by its
//! name.
//!
//! ```text
//! cargo run --release -p earth --example programs                      # the table, on 2 nodes
//! cargo run --release -p earth --example programs -- table 4           # on 4
//! cargo run --release -p earth --example programs -- queens 12 2 dual  # one program with its own arguments
//! cargo run --release -p earth --example programs -- costs             # what each operation and pattern costs
//! ```
//!
//! Each program checks its result against a plain version, and reports its counts on standard error. The
//! table shows:
//!
//! * the time of the plain version;
//! * the fraction of its speed that the program reaches on one node;
//! * the speed-up of several nodes over one, in SPN, in DUAL, and on 64 nodes of a simulated machine, to
//!   which each program reports the cost of its work.
//!
//! Times are the least of three runs.

use std::error::Error;
use std::time::Duration;

use earth::patterns::{Flow, Grain};
use earth::simulated::Profile;
use earth::{Config, Machine};

/// The times of the plain version and of the run.
type Times = Result<[Duration; 2], Box<dyn Error>>;

macro_rules! programs {
    ($($name:ident in $file:literal),+ $(,)?) => {
        $(
            #[path = $file]
            mod $name;
        )+

        /// Runs one program with its arguments. Returns `None` if the name is unknown.
        fn run_one(name: &str, args: impl Iterator<Item = String>) -> Option<Result<(), Box<dyn Error>>> {
            $(if name == stringify!($name) {
                return Some($name::main(args));
            })+
            None
        }

        /// The names of all programs.
        const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

programs! {
    bfs in "../bfs.rs",
    conjugate_gradients in "../conjugate_gradients.rs",
    costs in "../costs.rs",
    echo in "../echo.rs",
    fib in "../fib.rs",
    istructure in "../istructure.rs",
    lu in "../lu.rs",
    matmul in "../matmul.rs",
    mergesort in "../mergesort.rs",
    paraffins in "../paraffins.rs",
    pipeline in "../pipeline.rs",
    queens in "../queens.rs",
    ring in "../ring.rs",
    samplesort in "../samplesort.rs",
    smith_waterman in "../smith_waterman.rs",
    stencil in "../stencil.rs",
    tree_search in "../tree_search.rs",
    wavefront in "../wavefront.rs",
    word_count in "../word_count.rs",
}

/// A row of the table.
struct Row {
    name: &'static str,
    run: fn(&mut Machine) -> Times,
}

/// The rows, with problem sizes that take some milliseconds.
const ROWS: [Row; 16] = [
    Row { name: "fib, 22", run: |machine| fib::demonstrate(22, machine) },
    Row { name: "queens, 10 rows", run: |machine| queens::demonstrate(10, machine) },
    Row {
        name: "unbalanced tree, all nodes as tokens",
        run: |machine| tree_search::demonstrate(12, 12, 19, machine),
    },
    Row {
        name: "mergesort, 300,000 numbers",
        run: |machine| mergesort::demonstrate(300_000, Grain::of(4_000), machine),
    },
    Row { name: "sample sort, 300,000 numbers", run: |machine| samplesort::demonstrate(300_000, machine) },
    Row {
        name: "Smith-Waterman, hemoglobin tenfold",
        run: |machine| smith_waterman::demonstrate(1420, 1470, 48, machine),
    },
    Row {
        name: "longest common subsequence, 3,000 letters",
        run: |machine| wavefront::demonstrate(3_000, 60, machine),
    },
    Row { name: "matrix product, 256 rows", run: |machine| matmul::demonstrate(256, 32, machine) },
    Row { name: "LU by tiles, 320 rows", run: |machine| lu::demonstrate(320, 32, machine) },
    Row {
        name: "Jacobi, 100,000 values, 50 rounds",
        run: |machine| stencil::demonstrate(100_000, 50, 64, machine),
    },
    Row {
        name: "conjugate gradients, 40,000 equations",
        run: |machine| conjugate_gradients::demonstrate(200, 20, machine),
    },
    Row {
        name: "pipeline, 50,000 items, 6 stages",
        run: |machine| pipeline::demonstrate(50_000, 6, Flow::default(), machine),
    },
    Row {
        name: "word count, 4 MB of text",
        run: |machine| word_count::demonstrate(&mut word_count::text(4_000_000, 1), 1 << 14, machine),
    },
    Row { name: "breadth-first search, 200 clubs", run: |machine| bfs::demonstrate(200, machine) },
    Row { name: "I-structure, 20,000 values", run: |machine| istructure::demonstrate(20_000, machine) },
    Row { name: "paraffins, up to 40 atoms", run: |machine| paraffins::demonstrate(40, machine) },
];

/// Returns the least times of three runs, in seconds.
fn least(row: &Row, mut machine: Machine) -> Result<[f64; 2], Box<dyn Error>> {
    let runs = (0..3).map(|_| (row.run)(&mut machine)).collect::<Result<Vec<_>, _>>()?;
    Ok([0, 1].map(|of| runs.iter().map(|times| times[of].as_secs_f64()).fold(f64::INFINITY, f64::min)))
}

/// Prints the table, with `nodes` nodes for the parallel runs.
fn table(nodes: usize) -> Result<(), Box<dyn Error>> {
    let profile = Profile::named("manna50").ok_or("the profile is built in")?;
    println!(
        "| program | plain, ms | plain / 1 node | SPN, {nodes} nodes | DUAL, {nodes} nodes | 64 simulated |"
    );
    println!("|---|---|---|---|---|---|");
    for row in &ROWS {
        let [plain, one] = least(row, Machine::threads(1))?;
        let [_, spn] = least(row, Machine::threads(nodes))?;
        let [[_, dual_one], [_, dual]] = [
            least(row, Machine::threads(1).config(Config::Dual))?,
            least(row, Machine::threads(nodes).config(Config::Dual))?,
        ];
        let simulated = |nodes| (row.run)(&mut Machine::simulated(&profile).nodes(nodes));
        let speedup = simulated(1)?[1].as_secs_f64() / simulated(64)?[1].as_secs_f64();
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {speedup:.1} |",
            row.name,
            plain * 1e3,
            plain / one,
            one / spn,
            dual_one / dual,
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        None => table(2),
        Some("table") => table(args.next().map_or(Ok(2), |nodes| nodes.parse())?),
        Some(name) => {
            let names =
                || format!("there is no program `{name}`; the names are `table` and {}", NAMES.join(", "));
            run_one(name, args).unwrap_or_else(|| Err(names().into()))
        }
    }
}
