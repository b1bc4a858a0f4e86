//! Tables of measured jobs.

use earth_report::document::{Part, Table};
use earth_report::numbers::{ratio, seconds};

use super::measured::{Measured, Program, Row, Transform};
use super::statements::range;

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

/// Ratios of times of one array.
struct Ratios {
    /// Exchange over work that can overlap, of NEW-0.
    balance: f64,
    /// Speed-ups by overlap: of NEW, and of the program without a runtime.
    new: f64,
    isend: f64,
    /// NEW over the program without a runtime.
    over_isend: f64,
    /// FFTW-MPI over NEW.
    fftw: Option<f64>,
}

impl Ratios {
    fn of(row: &Row) -> Option<Self> {
        let median = |program| Some(of(row, program)?.time.median);
        let new = median(Program::New)?;
        Some(Self {
            balance: of(row, Program::New0)?.parts?.balance(),
            new: median(Program::New0)? / new,
            isend: median(Program::Isend0)? / median(Program::Isend)?,
            over_isend: new / median(Program::Isend)?,
            fftw: median(Program::FftwPatient).map(|fftw| fftw / new),
        })
    }
}

/// Tabulates the gains by overlap of all jobs.
fn gains(jobs: &[Measured]) -> Table {
    let rows = jobs.iter().flat_map(|job| {
        job.rows.iter().filter_map(|row| {
            let Ratios { balance, new, isend, over_isend, fftw } = Ratios::of(row)?;
            let fftw = fftw.map_or_else(String::new, ratio);
            let ratios = [balance, new, isend, over_isend].map(ratio);
            Some([vec![job.network.clone(), array(row)], ratios.into(), vec![fftw]].concat())
        })
    });
    let names = [
        "network",
        "array",
        "exchange over work",
        "NEW-0 over NEW",
        "Isend-0 over Isend",
        "NEW over Isend",
        "FFTW_PATIENT over NEW",
    ];
    Table::new(names).titled("Gains by overlap").with(rows.collect::<Vec<_>>())
}

/// Describes the ranges of the ratios over TCP.
pub(super) fn reach(jobs: &[Measured]) -> String {
    let over_tcp = jobs.iter().filter(|job| job.network.starts_with("TCP"));
    let all: Vec<_> = over_tcp.flat_map(|job| job.rows.iter().filter_map(Ratios::of)).collect();
    if all.is_empty() {
        return "Real runs over TCP were not given".to_owned();
    }
    let range = |ratio: fn(&Ratios) -> f64| range(all.iter().map(ratio));
    format!(
        "On real ranks over TCP, {} arrays and networks, NEW is {} times as fast as NEW-0. NEW's algorithm by MPI_Isend \
         alone is {} times as fast as without overlap, and NEW takes {} times as long",
        all.len(),
        range(|of| of.new),
        range(|of| of.isend),
        range(|of| of.over_isend)
    )
}
