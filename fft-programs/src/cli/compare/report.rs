//! What a comparison found, as JSON and as tables that say what is compared with what.

use std::fmt;

use serde::Serialize;

use crate::cli::picture::Picture;
use crate::cli::table::{Table, seconds};
use crate::request::{Algorithm, Counters};

/// All rows. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) schema: u32,
    pub(super) series: String,
    pub(super) samples: usize,
    pub(super) n: usize,
    pub(super) precision: &'static str,
    pub(super) algorithm: Algorithm,
    pub(super) usable_cores: usize,
    pub(super) pairs: usize,
    /// How many samples one turn of the strongest line takes, the line at zero aside.
    pub(super) strongest_period: Option<f64>,
    #[serde(skip)]
    pub(super) picture: Option<Picture>,
    #[serde(skip)]
    pub(super) unit: &'static str,
    pub(super) rows: Vec<Row>,
    pub(super) rows_left_out: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) equal: Equal,
    pub(super) block: usize,
    pub(super) spn: Side,
    pub(super) dual: Side,
    /// DUAL's time over SPN's, pair by pair.
    pub(super) ratio: Spread,
    /// The larger of both sides' relative errors.
    pub(super) verified_error: f64,
}

/// What both sides have the same number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Equal {
    Nodes,
    Cores,
}

#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) nodes: usize,
    /// One a node or two; where there are fewer cores, they take turns on as many threads as there are cores.
    pub(super) threads: usize,
    pub(super) seconds: Spread,
    pub(super) gflops: f64,
    #[serde(flatten)]
    pub(super) counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) median: f64,
    pub(super) max: f64,
}

impl Spread {
    /// Of an odd number of values.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self { min: values[0], median: values[values.len() / 2], max: values[values.len() - 1] }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, precision, usable_cores, samples, series, .. } = self;
        writeln!(
            f,
            "SPN against DUAL, sender-initiated FFT, N = {n} ({precision}), usable cores: {usable_cores}"
        )?;
        writeln!(f, "{series}: {samples} samples{}\n", if samples < n { ", then zeros" } else { "" })?;
        match &self.picture {
            Some(picture) => writeln!(f, "{}", picture.draw(self.unit))?,
            None => writeln!(f, "no line off zero")?,
        }
        self.section(f, Equal::Nodes, "a node of SPN is one thread, a node of DUAL is two")?;
        self.section(f, Equal::Cores, "two nodes of SPN for each of DUAL, so as many threads")?;
        if !self.rows.is_empty() {
            writeln!(f, "\nWhat one transform does:\n\n{}", self.work())?;
        }
        self.legend(f)
    }
}

impl Report {
    fn rows_at(&self, equal: Equal) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.equal == equal)
    }

    fn section(&self, f: &mut fmt::Formatter<'_>, equal: Equal, what: &str) -> fmt::Result {
        let mut rows = self.rows_at(equal).peekable();
        if rows.peek().is_none() {
            return Ok(());
        }
        let mut table =
            Table::with_header(["nodes", "threads", "B", "SPN", "DUAL", "DUAL/SPN", "min", "max", "error"]);
        for Row { block, spn, dual, ratio, verified_error, .. } in rows {
            let crowded = if spn.threads.max(dual.threads) > self.usable_cores { "*" } else { " " };
            table.row([
                format!("{}:{}", spn.nodes, dual.nodes),
                format!("{}:{}{crowded}", spn.threads, dual.threads),
                block.to_string(),
                seconds(spn.seconds.median),
                seconds(dual.seconds.median),
                format!("{:.2}", ratio.median),
                format!("{:.2}", ratio.min),
                format!("{:.2}", ratio.max),
                if verified_error.is_nan() { "-".to_owned() } else { format!("{verified_error:.1e}") },
            ]);
        }
        let name = if equal == Equal::Nodes { "nodes" } else { "cores" };
        writeln!(f, "\nAt equal {name}: {what}.\n\n{table}")
    }

    /// The counters, which depend on the block size and hardly on anything else: each set is shown once.
    fn work(&self) -> Table {
        let mut table = Table::with_header(["B", "fibers", "tokens", "invokes", "signals", "bytes moved"]);
        let mut shown = Vec::new();
        for row in &self.rows {
            for side in [&row.spn, &row.dual] {
                let set = (row.block, side.counters);
                if shown.contains(&set) {
                    continue;
                }
                shown.push(set);
                let Counters { fibers, tokens, invokes, signals, bytes_moved } = side.counters;
                let counters = [fibers, tokens, invokes, signals, bytes_moved].map(|count| count.to_string());
                let [fibers, tokens, invokes, signals, bytes_moved] = counters;
                table.row([row.block.to_string(), fibers, tokens, invokes, signals, bytes_moved]);
            }
        }
        table
    }

    fn legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nNodes and threads are SPN:DUAL, B is the points a block, times are medians.")?;
        writeln!(
            f,
            "DUAL/SPN, min and max are of {} pairs of runs, in turn; above 1, SPN is faster.",
            self.pairs
        )?;
        if self.rows.iter().any(|row| row.spn.threads.max(row.dual.threads) > self.usable_cores) {
            writeln!(f, "* has more threads than there are usable cores: they take turns.")?;
        }
        if self.rows.iter().any(|row| row.verified_error.is_nan()) {
            writeln!(f, "The error is undefined, as not all samples are finite: nothing is verified.")?;
        } else if !self.rows.is_empty() {
            writeln!(f, "The error is the largest relative one: every row is verified.")?;
        }
        if self.rows_left_out > 0 {
            writeln!(f, "Rows left out because the time was over: {}.", self.rows_left_out)?;
        }
        let won = |equal| {
            let all = self.rows_at(equal).count();
            let won = self.rows_at(equal).filter(|row| row.ratio.median > 1.0).count();
            format!("{won} of {all} rows at equal {}", if equal == Equal::Nodes { "nodes" } else { "cores" })
        };
        write!(f, "\nSPN is faster in {}, {}.", won(Equal::Nodes), won(Equal::Cores))
    }
}
