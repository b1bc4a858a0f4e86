//! Summary of a finished transform: as a table for people, as one JSON object for programs.

use earth::Config;
use earth_console::failure::sizes;
use earth_report::document::Table;
use earth_report::numbers::{gflops, seconds};
use serde::Serialize;

use crate::args::{Norm, Transform};

/// Times of the steps in seconds, each of the slowest rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) reading: f64,
    pub(crate) transforming: f64,
    pub(crate) writing: f64,
}

/// Bytes of the rank that has most of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    /// Bytes of the points.
    pub(crate) points: u64,
    /// Bytes of the tiles that it exchanges with other ranks.
    pub(crate) tiles: u64,
}

/// Summary. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    schema: u32,
    output: String,
    n: usize,
    /// Lengths of the dimensions of the array, the outermost first.
    lengths: Vec<usize>,
    /// Lengths of the dimensions in the output file.
    output_lengths: Vec<usize>,
    precision: &'static str,
    inverse: bool,
    norm: &'static str,
    order: String,
    /// Stages of the plan, for people.
    plan: String,
    config: Config,
    ranks: usize,
    /// Time of the transform; all times are in seconds and of the slowest rank.
    seconds: f64,
    reading_seconds: f64,
    writing_seconds: f64,
    gflops: f64,
    /// Bytes of the points of the rank that has most of them.
    rank_bytes: u64,
    /// Bytes of the tiles of the rank that has most of them.
    tile_bytes: u64,
}

impl Summary {
    /// Creates the summary of a transform of an array of these lengths.
    pub(crate) fn new(
        args: &Transform,
        [lengths, output_lengths]: [&[usize]; 2],
        precision: &'static str,
        plan: String,
        ranks: usize,
        times: Times,
        bytes: Bytes,
    ) -> Self {
        let n = lengths.iter().product();
        Self {
            schema: 1,
            output: args.output.display().to_string(),
            n,
            lengths: lengths.to_vec(),
            output_lengths: output_lengths.to_vec(),
            precision,
            inverse: args.inverse,
            norm: args.norm.name(),
            order: args.order().to_string(),
            plan,
            config: args.config,
            ranks,
            seconds: times.transforming,
            reading_seconds: times.reading,
            writing_seconds: times.writing,
            gflops: gflops(n, times.transforming),
            rank_bytes: bytes.points,
            tile_bytes: bytes.tiles,
        }
    }

    /// Returns the table.
    pub(crate) fn table(&self) -> Table {
        let direction = match (self.inverse, self.norm == Norm::Backward.name()) {
            (true, true) => "inverse, divided by N".to_owned(),
            (false, true) => "forward".to_owned(),
            (inverse, false) => {
                format!("{}, norm {}", if inverse { "inverse" } else { "forward" }, self.norm)
            }
        };
        let size = match &self.lengths[..] {
            [n] => n.to_string(),
            lengths => format!("{} = {}", sizes(lengths), self.n),
        };
        let mut order = self.order.clone();
        if self.lengths != self.output_lengths {
            order = format!("{order}, so the file has {}", sizes(&self.output_lengths));
        }
        Table::facts([
            ("file", self.output.clone()),
            ("N", format!("{size} ({}, {direction})", self.precision)),
            ("order", order),
            ("plan", self.plan.clone()),
            ("configuration", self.config.name().to_owned()),
            ("ranks", self.ranks.to_string()),
            ("time", seconds(self.seconds)),
            ("reading", seconds(self.reading_seconds)),
            ("writing", seconds(self.writing_seconds)),
            ("GFLOPS", format!("{:.3} (5 N log2 N / time)", self.gflops)),
            ("bytes of a rank", format!("{} of points, {} of tiles", self.rank_bytes, self.tile_bytes)),
        ])
    }
}
