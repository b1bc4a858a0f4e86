//! The summary of a finished transform: as a table for people, as one JSON object for machines.

use earth::Policy;
use earth_fft::Precision;
use earth_fft::request::groups::Shared;
use earth_fft::request::{Config, Counters, Outcome, Request};
use earth_lab::document::Table;
use earth_lab::numbers::seconds;
use serde::Serialize;

/// The summary. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    schema: u32,
    pub(super) n: usize,
    /// Null for a line.
    rows: Option<usize>,
    /// Null for a line.
    cols: Option<usize>,
    precision: &'static str,
    inverse: bool,
    algorithm: String,
    config: Config,
    policy: Policy,
    nodes: usize,
    block: Option<usize>,
    seconds: f64,
    reorder_seconds: f64,
    gflops: f64,
    #[serde(flatten)]
    counters: Counters,
    paper_tokens: u64,
    half_butterflies: u64,
    /// Null for a line, and where the program does not tell.
    in_place: Option<bool>,
    /// Null without groups.
    groups: Option<Shared>,
    /// Null if not asked for, and if non-finite samples make it undefined.
    pub(super) verified_error: Option<f64>,
    #[serde(skip)]
    verified: bool,
}

impl Summary {
    pub(super) fn of<T: Precision>(
        request: &Request,
        outcome: &Outcome<T>,
        verified_error: Option<f64>,
    ) -> Self {
        let (rows, cols) = request.shape.sides().unzip();
        Self {
            schema: 1,
            n: outcome.spectrum.len(),
            rows,
            cols,
            precision: T::NAME,
            inverse: request.inverse,
            algorithm: outcome.algorithm_used.clone(),
            config: request.config,
            policy: request.policy,
            nodes: outcome.nodes,
            block: outcome.block,
            seconds: outcome.seconds,
            reorder_seconds: outcome.parts.reordering,
            gflops: outcome.gflops(),
            counters: outcome.counters,
            paper_tokens: outcome.paper_tokens,
            half_butterflies: outcome.half_butterflies,
            in_place: outcome.in_place,
            groups: outcome.groups.clone(),
            verified_error: verified_error.filter(|error| !error.is_nan()),
            verified: verified_error.is_some(),
        }
    }

    pub(super) fn table(&self) -> Table {
        let Counters { fibers, tokens, invokes, signals, bytes_moved } = self.counters;
        let direction = if self.inverse { "inverse, divided by N" } else { "forward" };
        let error = match self.verified_error {
            Some(error) => format!("{error:.2e}"),
            None if self.verified => "undefined (samples that are not finite)".to_owned(),
            None => "not verified".to_owned(),
        };
        let size = match (self.rows, self.cols) {
            (Some(rows), Some(cols)) => format!("{rows} x {cols} = {}", self.n),
            _ => self.n.to_string(),
        };
        let mut table = Table::facts([
            ("N", format!("{size} ({}, {direction})", self.precision)),
            ("algorithm", self.algorithm.clone()),
            ("configuration", self.config.to_string()),
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
            let Shared { threads, distribution: [along, across], kernel, barrier, .. } = groups;
            let rows = if along == across {
                sum(along)
            } else {
                format!("{}, and {} columns", sum(along), sum(across))
            };
            table.fact("groups", format!("{} of {threads}: {rows} rows", along.len()));
            table.fact("kernel", kernel.to_string());
            table.fact("rows", padding(groups));
            if *barrier {
                table.fact("order", "each step waits for the one before".to_owned());
            }
        }
        let reordering = if self.reorder_seconds > 0.0 {
            format!(" (of which reordering {})", seconds(self.reorder_seconds))
        } else {
            String::new()
        };
        table.fact("time", format!("{}{reordering}", seconds(self.seconds)));
        table.fact("GFLOPS", format!("{:.3} (5 N log2 N / time)", self.gflops));
        table.fact("fibers", fibers.to_string());
        table.fact("tokens", tokens.to_string());
        table.fact("invokes", invokes.to_string());
        table.fact("signals", signals.to_string());
        table.fact("bytes moved", bytes_moved.to_string());
        if self.half_butterflies > 0 {
            table.fact("half butterflies", self.half_butterflies.to_string());
        }
        if self.paper_tokens > 0 {
            table.fact("paper's tokens", format!("{} (asks for operands)", self.paper_tokens));
        }
        table.fact("relative error", error);
        table
    }
}

fn sum(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ")
}

/// The padding of rows in words.
fn padding(Shared { strides, chirps, spectrum, .. }: &Shared) -> String {
    let mut said = Vec::new();
    for (done, lengths) in [("apart", strides), ("through chirps", chirps)] {
        let of_groups = || lengths.iter().flatten();
        let number = of_groups().filter(|&&length| length > 0).count();
        if number > 0 {
            said.push(format!("{done} in {number} of {} cases", of_groups().count()));
        }
    }
    if let Some([along, across]) = spectrum {
        let both = if along == across { along.to_string() } else { format!("{along} and {across}") };
        said.push(format!("filled up with zeros to {both}"));
    }
    if said.is_empty() { "as they are".to_owned() } else { said.join(", ") }
}
