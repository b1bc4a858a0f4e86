//! Tables of measured jobs.

use earth_report::document::{Part, Table};
use earth_report::numbers::{ratio, seconds};

use super::measured::{Measured, Program, Row, Transform};

/// Returns a table for each job.
pub(super) fn parts(jobs: &[Measured]) -> Vec<Part> {
    if jobs.is_empty() {
        return vec![Part::words("No real runs were given, so statements on them cannot be told.")];
    }
    let tables = jobs.iter().map(times).chain([gains(jobs)]);
    tables.map(Part::Table).collect()
}

fn of(row: &Row, program: Program) -> Option<&Transform> {
    row.transforms.iter().find(|of| of.program == program)
}

fn array(row: &Row) -> String {
    row.lengths.map(|length| length.to_string()).join(" x ")
}

/// Tabulates the medians of a job, each with its ratio to NEW.
fn times(job: &Measured) -> Table {
    let programs =
        Program::ALL.into_iter().filter(|&program| job.rows.iter().any(|row| of(row, program).is_some()));
    let cell = |row: &Row, program| {
        of(row, program).map_or_else(String::new, |of| {
            format!("{} ({})", seconds(of.time.median), ratio(of.ratio.median))
        })
    };
    let rows = programs.map(|program| {
        std::iter::once(program.name().to_owned())
            .chain(job.rows.iter().map(|row| cell(row, program)))
            .collect::<Vec<_>>()
    });
    let null = job.rows.iter().map(|row| format!("{} to {}", ratio(row.null.min), ratio(row.null.max)));
    let null = std::iter::once("NEW over itself".to_owned()).chain(null).collect::<Vec<_>>();
    let names = std::iter::once("program".to_owned()).chain(job.rows.iter().map(array));
    let Measured { mpi, network, processor, ranks, rounds, .. } = job;
    Table::new(names)
        .titled(format!(
            "{ranks} ranks, {network}, {mpi}, {processor}: medians of {rounds} rounds, and time over NEW's"
        ))
        .with(rows.collect::<Vec<_>>())
        .with([null])
}

/// Speed-ups by overlap of one array: ours, and the program's without a runtime.
struct Gains {
    new: f64,
    isend: f64,
    /// Exchange over work, of NEW-0.
    balance: Option<f64>,
}

impl Gains {
    fn of(row: &Row) -> Option<Self> {
        let median = |program| Some(of(row, program)?.time.median);
        let balance = of(row, Program::New0).and_then(|of| of.parts).map(|parts| {
            (parts.wait + parts.polls) / (parts.along_y + parts.pack + parts.unpack + parts.along_x)
        });
        Some(Self {
            new: median(Program::New0)? / median(Program::New)?,
            isend: median(Program::Isend0)? / median(Program::Isend)?,
            balance,
        })
    }

    /// Returns our gain as a share of the other program's gain.
    fn share(&self) -> f64 {
        (self.new - 1.0) / (self.isend - 1.0)
    }
}

/// Tabulates the gains by overlap of all jobs.
fn gains(jobs: &[Measured]) -> Table {
    let rows = jobs.iter().flat_map(|job| {
        job.rows.iter().filter_map(|row| {
            let gains = Gains::of(row)?;
            let fftw = of(row, Program::FftwPatient).map(|of| of.ratio.median);
            Some([
                job.network.clone(),
                array(row),
                gains.balance.map_or_else(String::new, |balance| format!("{balance:.2}")),
                ratio(gains.new),
                ratio(gains.isend),
                format!("{:.0}%", 100.0 * gains.share()),
                fftw.map_or_else(String::new, ratio),
            ])
        })
    });
    let names = [
        "network",
        "array",
        "exchange over work",
        "NEW-0 over NEW",
        "Isend-0 over Isend",
        "share of its gain",
        "FFTW-MPI over NEW",
    ];
    Table::new(names).titled("Gains by overlap").with(rows.collect::<Vec<_>>())
}

/// Describes the gains by overlap where exchange and work are closest to each other.
pub(super) fn reach(jobs: &[Measured]) -> String {
    let all = jobs.iter().flat_map(|job| job.rows.iter().map(move |row| (job, row)));
    let with = all.filter_map(|(job, row)| {
        let gains = Gains::of(row)?;
        Some((gains.balance?, job, row, gains))
    });
    let best = with.min_by(|(one, ..), (other, ..)| one.ln().abs().total_cmp(&other.ln().abs()));
    best.map_or_else(
        || "Real runs were not given".to_owned(),
        |(_, job, row, gains)| {
            format!(
                "On {} real ranks over {}, {} points, NEW is {} times as fast as NEW-0, and the same program by \
                 `MPI_Isend` and `MPI_Test` without a runtime {} times as its own",
                job.ranks,
                job.network,
                array(row),
                ratio(gains.new),
                ratio(gains.isend)
            )
        },
    )
}
