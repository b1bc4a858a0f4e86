//! Summary of a finished transform: as a table for people, as one JSON object for programs.

use std::time::Duration;

use earth::{Config, Counters, Policy};
use earth_console::failure::sizes;
use earth_fft::{Kernel, Kind, Plan, PlanRun, Precision};
use earth_papers::Shares;
use earth_report::document::Table;
use earth_report::numbers::{gflops, seconds};
use serde::Serialize;

use crate::args::Transform;

/// Summary. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    schema: u32,
    pub(super) n: usize,
    /// Lengths of the dimensions, the outermost first.
    lengths: Vec<usize>,
    precision: &'static str,
    inverse: bool,
    /// Whether real numbers were transformed as such, and not as complex points.
    real: bool,
    /// Name of the program, or `one thread`.
    algorithm: String,
    /// Reason for the choice, for people.
    why: String,
    kernel: Kernel,
    config: Config,
    policy: Policy,
    nodes: usize,
    block: Option<usize>,
    seconds: f64,
    reorder_seconds: f64,
    gflops: f64,
    /// Counters of the machine; all are zero if one thread needs no machine.
    fibers: u64,
    tokens: u64,
    invokes: u64,
    signals: u64,
    bytes_moved: u64,
    paper_tokens: u64,
    half_butterflies: u64,
    /// Null for a series.
    in_place: Option<bool>,
    /// Null without groups.
    groups: Option<Shares>,
    /// Null if not requested, and if non-finite samples make it undefined.
    pub(super) verified_error: Option<f64>,
    #[serde(skip)]
    verified: bool,
}

impl Summary {
    /// Creates the summary of a run. `moving` is the time that it took to pad real numbers before.
    pub(super) fn of<T: Precision, K: Kind>(
        args: &Transform,
        lengths: &[usize],
        plan: &Plan<T, K>,
        run: &PlanRun<T, K>,
        moving: Option<Duration>,
    ) -> Self {
        let (n, real) = (lengths.iter().product(), moving.is_some());
        let Counters { fibers, tokens, invokes, signals, bytes_moved, .. } = run.counters;
        let [time, reordering] =
            [run.phases.total(), run.phases.reordering()].map(|time| moving.unwrap_or_default() + time);
        let (counts, seconds) = (plan.counts(), time.as_secs_f64());
        let operations = gflops(n, seconds);
        Self {
            schema: 3,
            n,
            precision: T::NAME,
            inverse: args.inverse,
            real,
            algorithm: plan.nodes().map_or("one thread", |_| plan.algorithm()).to_owned(),
            why: plan.why().to_string(),
            kernel: plan.kernel().clone(),
            config: args.config,
            policy: args.turns.policy.unwrap_or_default(),
            nodes: plan.nodes().unwrap_or(1),
            block: plan.block(),
            seconds,
            reorder_seconds: reordering.as_secs_f64(),
            gflops: if real { operations / 2.0 } else { operations },
            fibers,
            tokens,
            invokes,
            signals,
            bytes_moved,
            paper_tokens: counts.requests,
            half_butterflies: counts.half_butterflies,
            // One thread needs no second matrix.
            in_place: (lengths.len() > 1).then(|| plan.is_in_place().unwrap_or(true)),
            lengths: lengths.to_vec(),
            groups: earth_papers::shares(plan).cloned(),
            verified_error: None,
            verified: false,
        }
    }

    /// Returns the summary with the relative error, if it was requested.
    pub(super) fn verified(self, error: Option<f64>) -> Self {
        Self { verified_error: error.filter(|error| !error.is_nan()), verified: error.is_some(), ..self }
    }

    pub(super) fn table(&self) -> Table {
        let direction = match (self.inverse, self.real) {
            (true, _) => "inverse, divided by N",
            (false, true) => "real numbers, forward",
            (false, false) => "forward",
        };
        let error = match self.verified_error {
            Some(error) => format!("{error:.2e}"),
            None if self.verified => "undefined (samples that are not finite)".to_owned(),
            None => "not verified".to_owned(),
        };
        let size = match &self.lengths[..] {
            [n] => n.to_string(),
            lengths => format!("{} = {}", sizes(lengths), self.n),
        };
        let mut table = Table::facts([
            ("N", format!("{size} ({}, {direction})", self.precision)),
            ("algorithm", format!("{}, because {}", self.algorithm, self.why)),
            ("kernel", self.kernel.to_string()),
            ("configuration", self.config.name().to_owned()),
            ("policy", self.policy.to_string()),
            ("nodes", self.nodes.to_string()),
        ]);
        if let Some(block) = self.block {
            table.fact("block", block.to_string());
        }
        if let Some(in_place) = self.in_place {
            table.fact("memory", if in_place { "in place" } else { "through a second matrix" }.to_owned());
        }
        if let Some(groups) = &self.groups {
            let Shares { threads, distribution: [along, across], barrier, .. } = groups;
            let rows = if along == across {
                sum(along)
            } else {
                format!("{}, and {} columns", sum(along), sum(across))
            };
            table.fact("groups", format!("{} of {threads}: {rows} rows", along.len()));
            table.fact("rows", padding(groups));
            if *barrier {
                table.fact("order", "each step waits for the one before".to_owned());
            }
        }
        let reordering = if self.reorder_seconds > 0.0 {
            format!(" ({} of it for reordering)", seconds(self.reorder_seconds))
        } else {
            String::new()
        };
        table.fact("time", format!("{}{reordering}", seconds(self.seconds)));
        table.fact(
            "GFLOPS",
            format!("{:.3} ({} N log2 N / time)", self.gflops, if self.real { "2.5" } else { "5" }),
        );
        // Without a machine there are no counters.
        if self.fibers > 0 {
            table.fact("fibers", self.fibers.to_string());
            table.fact("tokens", self.tokens.to_string());
            table.fact("invokes", self.invokes.to_string());
            table.fact("signals", self.signals.to_string());
            table.fact("bytes moved", self.bytes_moved.to_string());
        }
        if self.half_butterflies > 0 {
            table.fact("half butterflies", self.half_butterflies.to_string());
        }
        if self.paper_tokens > 0 {
            table.fact("paper's tokens", format!("{} (requests for operands)", self.paper_tokens));
        }
        table.fact("relative error", error);
        table
    }
}

fn sum(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ")
}

/// Describes the padding of rows.
fn padding(Shares { strides, chirps, spectrum, .. }: &Shares) -> String {
    let mut parts = Vec::new();
    for (done, lengths) in [("apart", strides), ("through chirps", chirps)] {
        let of_groups = || lengths.iter().flatten();
        let number = of_groups().filter(|&&length| length > 0).count();
        if number > 0 {
            parts.push(format!("{done} in {number} of {} cases", of_groups().count()));
        }
    }
    if let Some([along, across]) = spectrum {
        let both = if along == across { along.to_string() } else { format!("{along} and {across}") };
        parts.push(format!("filled up with zeros to {both}"));
    }
    if parts.is_empty() { "as they are".to_owned() } else { parts.join(", ") }
}
