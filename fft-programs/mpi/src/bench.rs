//! `earth-fft-mpi bench`: distributed transforms of this project and of FFTW-MPI, in turn in one job.
//!
//! Steps for each size:
//!
//! 1. Both plan a forward transform of complex points of double precision, in place.
//! 2. Both transform the same points once. The spectra are compared.
//! 3. *Rounds.* In each round FFTW-MPI transforms once and this project twice, in an order that rotates. A
//!    time is the slowest rank's, between two barriers. A round before the first warms up.
//! 4. The ratio of a round is FFTW-MPI's time over this project's first time. The null band is the ratio of
//!    this project's two times.
//!
//! *Transposed order.* FFTW-MPI transposes the points of a rank, so that the second dimension is the slowest.
//! This project leaves them in the order of the array.

use std::time::Instant;

use earth::Machine;
use earth_console::Failure;
use earth_console::failure::sizes;
use earth_console::output::{print, print_json};
use earth_console::progress::Progress;
use earth_fft::distributed::{DistributedPlan, Order};
use earth_fft::{Complex, Planner, Problem};
use earth_fftw_mpi::{Effort as Flag, FftwMpi, Planned};
use earth_memory::{in_large_pages, try_room};
use earth_mpi::Mpi;
use earth_report::document::Table;
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::Spread;
use serde::Serialize;

use crate::args::{Bench, Effort, Size};
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;

/// Greatest relative error of a point between both spectra.
const TOLERANCE: f64 = 1e-12;

/// Comparison of all sizes. The field names are the names in JSON; a change of any raises `schema`.
#[derive(Debug, Serialize)]
struct Comparison {
    schema: u32,
    ranks: usize,
    order: String,
    effort: &'static str,
    rounds: usize,
    rows: Vec<Row>,
}

/// Comparison of one size. Times are in seconds.
#[derive(Debug, Serialize)]
struct Row {
    lengths: Vec<usize>,
    fftw_planning: f64,
    fftw: Spread,
    earth: Spread,
    /// Time of FFTW-MPI over this project's, round by round.
    ratio: Spread,
    /// This project over itself.
    null: Spread,
    error: f64,
}

/// Compares the sizes and prints the comparison. All ranks make this call with the same arguments.
pub(crate) fn run(mpi: &Mpi, ranks: &Ranks, args: &Bench) -> Result<(), Refused> {
    let peer = ranks.agree(FftwMpi::open().map_err(Failure::work))?;
    let machine = ranks.agree(mpi.machine().map_err(Failure::work))?;
    let mut machine = machine.config(args.config);
    let progress = ranks.is_first().then(|| Progress::of(args.sizes.len() as u64, "comparing"));
    let mut rows = Vec::new();
    for size in &args.sizes {
        rows.push(compared(ranks, args, size, &peer, &mut machine)?);
        progress.iter().for_each(|progress| progress.advance(1));
    }
    drop(progress);
    let effort = if args.effort == Effort::Measure { "measure" } else { "estimate" };
    let order = order(args).to_string();
    let comparison = Comparison { schema: 1, ranks: ranks.count(), order, effort, rounds: args.rounds, rows };
    let printed = match (ranks.is_first(), args.json) {
        (true, true) => print_json(&comparison),
        (true, false) => print(comparison.table()),
        (false, _) => Ok(()),
    };
    ranks.agree(printed)
}

fn order(args: &Bench) -> Order {
    if args.transposed { Order::Transposed } else { Order::Natural }
}

/// Compares one size.
fn compared(
    ranks: &Ranks,
    args: &Bench,
    Size(lengths): &Size,
    peer: &FftwMpi,
    machine: &mut Machine,
) -> Result<Row, Refused> {
    let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(lengths), ranks.count(), order(args));
    let plan = ranks.agree(plan.map_err(Failure::from))?;
    let flag = if args.effort == Effort::Measure { Flag::Measure } else { Flag::Estimate };
    let mut theirs = ranks.agree(peer.plan(lengths, args.transposed, flag).map_err(Failure::work))?;
    let own = plan.local_input(ranks.rank());
    let row: usize = lengths[1..].iter().product();
    let is_same = theirs.rows() * row == own.len() && plan.local_output(ranks.rank()).len() == own.len();
    ranks.agree(if is_same { Ok(()) } else { Err(Refusal::UnevenShares(lengths.clone()).into()) })?;

    let mut points = ranks.agree(memory(plan.local_len(ranks.rank())))?;
    let value = |at: usize| Complex::new((at * 7919 % 97) as f64 - 48.0, (at * 104_729 % 89) as f64 - 44.0);
    let fill =
        |points: &mut [Complex<f64>]| (0..own.len()).zip(points).for_each(|(at, point)| *point = value(at));
    fill(theirs.points());
    theirs.execute();
    fill(&mut points);
    let run = plan.process_slab(machine, &mut points).map_err(Failure::from);
    ranks.agree(run)?;
    let error = ranks.greatest(difference(ranks, args, lengths, (&plan, &points), &mut theirs));
    let agreed = if error < TOLERANCE { Ok(()) } else { Err(Refusal::OtherSpectrum(error).into()) };
    ranks.agree(agreed)?;

    // FFTW-MPI, this project, and this project again.
    let mut times = [const { Vec::new() }; 3];
    for round in 0..=args.rounds {
        for turn in 0..3 {
            let contestant = (round + turn) % 3;
            fill(if contestant == 0 { theirs.points() } else { &mut points });
            ranks.wait();
            let begin = Instant::now();
            let run = if contestant == 0 {
                theirs.execute();
                Ok(())
            } else {
                plan.process_slab(machine, &mut points).map(drop).map_err(Failure::from)
            };
            ranks.wait();
            let time = begin.elapsed().as_secs_f64();
            ranks.agree(run)?;
            let time = ranks.greatest(time);
            if round > 0 {
                times[contestant].push(time);
            }
        }
    }
    let [fftw, earth, again] = times;
    Ok(Row {
        lengths: lengths.clone(),
        fftw_planning: ranks.greatest(theirs.planning().as_secs_f64()),
        ratio: Spread::of_ratios(&fftw, &earth),
        null: Spread::of_ratios(&again, &earth),
        fftw: Spread::of(fftw),
        earth: Spread::of(earth),
        error,
    })
}

/// Returns points in large pages, as FFTW's own memory may be.
fn memory(len: usize) -> Result<Vec<Complex<f64>>, Failure> {
    let mut points = try_room(len, "the points of a rank")?;
    in_large_pages(points.spare_capacity_mut());
    points.resize(len, Complex::from(0.0));
    Ok(points)
}

/// Returns the greatest difference between this rank's points of both spectra, relative to the greatest
/// point.
fn difference(
    ranks: &Ranks,
    args: &Bench,
    lengths: &[usize],
    (plan, points): (&DistributedPlan<f64>, &[Complex<f64>]),
    theirs: &mut Planned<'_>,
) -> f64 {
    let part = plan.local_output(ranks.rank());
    // The order of the points of a scrambled series is the library's own.
    if part.is_empty() || args.transposed && lengths.len() == 1 {
        return 0.0;
    }
    let inner: usize = lengths.iter().skip(2).product();
    let [rows, cols] = [0, 1].map(|at| part.ranges()[at].len());
    let theirs = theirs.points();
    let mate = |at: usize| {
        if args.transposed {
            let (row, col) = (at / inner / cols, at / inner % cols);
            theirs[(col * rows + row) * inner + at % inner]
        } else {
            theirs[at]
        }
    };
    let greatest = points[..part.len()].iter().map(|point| point.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let differs = |at: usize| (points[at] - mate(at)).norm();
    (0..part.len()).map(differs).fold(0.0, f64::max) / greatest
}

impl Comparison {
    fn table(&self) -> Table {
        let names = ["points", "FFTW-MPI", "its plan", "earth", "ratio", "null band"];
        let title = format!(
            "Complex points of f64 in place, {} ranks, {} order, FFTW-MPI planned with effort {}, medians of {} rounds",
            self.ranks, self.order, self.effort, self.rounds
        );
        let cells = |row: &Row| {
            let band = |spread: &Spread, [low, high]: [f64; 2]| {
                format!("{} ({} to {})", ratio(spread.median), ratio(low), ratio(high))
            };
            vec![
                sizes(&row.lengths),
                seconds(row.fftw.median),
                seconds(row.fftw_planning),
                seconds(row.earth.median),
                band(&row.ratio, [row.ratio.q1, row.ratio.q3]),
                band(&row.null, [row.null.min, row.null.max]),
            ]
        };
        Table::new(names).titled(title).with(self.rows.iter().map(cells))
    }
}
