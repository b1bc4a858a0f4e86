//! Tables of all numbers of a study, as CSV.

use std::io;

use earth_report::document::csv::{statements, under};
use earth_report::numbers::gflops;

use super::report::Report;
use crate::pfft::study::{Method, bands};

impl Report {
    /// Returns name and content of each table.
    ///
    /// # Errors
    ///
    /// Returns the errors of writing CSV. None occurs, because the tables are in memory.
    pub fn tables(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let tables = [
            ("methods.csv", methods(self)?),
            ("speedups.csv", speed_ups(self)?),
            ("groupings.csv", groupings(self)?),
            ("speeds.csv", speeds(self)?),
            ("efforts.csv", efforts(self)?),
            ("transposes.csv", transposes(self)?),
            ("statements.csv", statements(&self.paper.statements)?),
        ];
        Ok(tables.map(|(name, table)| (name.to_owned(), table)).into())
    }
}

/// Joins the numbers of one cell.
fn joined(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn methods(report: &Report) -> io::Result<Vec<u8>> {
    let header = [
        "kernel",
        "n",
        "groups",
        "threads",
        "method",
        "gflops",
        "seconds",
        "half_width_s",
        "repetitions",
        "rows",
        "treatment",
        "through",
        "error",
    ];
    let rows = report.study.kernels.iter().flat_map(|found| &found.rows).flat_map(|row| {
        row.methods.iter().map(move |timed| {
            let what = (&row.kernel, row.n, row.groups, row.threads, timed.method.name());
            let speed = gflops(row.n * row.n, timed.time.mean);
            let time = (timed.time.mean, timed.time.half_width, timed.time.repetitions);
            (what, speed, time, joined(&timed.rows), timed.treatment(), joined(&timed.through), timed.error)
        })
    });
    under(&header, rows)
}

fn speed_ups(report: &Report) -> io::Result<Vec<u8>> {
    let header = ["kernel", "band", "sizes", "method", "mean_of_ratios", "ratio_of_means", "least", "most"];
    let bands = bands(&report.study.sizes, report.study.steps_to);
    let rows = report.study.kernels.iter().flat_map(|found| {
        bands.iter().flat_map(move |band| {
            Method::EXACT.into_iter().skip(1).filter_map(move |method| {
                let by = found.speed_up(method, Method::Basic, band)?;
                let sizes = found.pairs(method, Method::Basic, band).len();
                let means = (by.mean_of_ratios, by.ratio_of_means, by.least, by.most);
                Some((&found.kernel, &band.name, sizes, method.name(), means))
            })
        })
    });
    under(&header, rows)
}

fn groupings(report: &Report) -> io::Result<Vec<u8>> {
    let rows = report.study.kernels.iter().flat_map(|found| {
        found.preferences.iter().map(move |way| {
            let chosen = found.grouping == Some(way.grouping);
            (&found.kernel, way.grouping.groups, way.grouping.threads, way.mean_gflops, way.wins, chosen)
        })
    });
    under(&["kernel", "groups", "threads", "mean_gflops", "wins", "chosen"], rows)
}

fn speeds(report: &Report) -> io::Result<Vec<u8>> {
    let rows = report.study.kernels.iter().flat_map(|found| &found.rows).flat_map(|row| {
        row.speeds.iter().flat_map(move |point| {
            point.seconds.iter().enumerate().map(move |(group, seconds)| {
                (&row.kernel, row.n, &point.pad, group, point.rows, point.length, seconds)
            })
        })
    });
    under(&["kernel", "n", "pad", "group", "rows", "length", "seconds"], rows)
}

fn efforts(report: &Report) -> io::Result<Vec<u8>> {
    let rows = report.study.kernels.iter().flat_map(|found| &found.efforts).flat_map(|row| {
        row.plans.iter().map(move |plan| {
            (&row.kernel, row.n, &plan.effort, plan.planning, plan.time.mean, plan.time.half_width)
        })
    });
    under(&["kernel", "n", "effort", "planning_s", "seconds", "half_width_s"], rows)
}

fn transposes(report: &Report) -> io::Result<Vec<u8>> {
    let rows = report.study.transposes.iter().flat_map(|row| {
        row.sides.iter().map(move |side| (row.n, side.side, side.time.mean, side.time.half_width))
    });
    under(&["n", "side", "seconds", "half_width_s"], rows)
}
