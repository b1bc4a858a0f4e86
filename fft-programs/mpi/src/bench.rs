//! `earth-fft-mpi bench`: distributed transforms of this project, FFTW-MPI and heFFTe, in turn in one job.
//!
//! Steps for each size:
//!
//! 1. All plan a forward transform of complex points of double precision, in place. heFFTe has no series.
//! 2. All transform the same points once. The spectra are compared with this project's.
//! 3. *Rounds.* In each round each peer transforms once and this project twice, in an order that rotates. A
//!    time is the slowest rank's, between two barriers. A round before the first warms up.
//! 4. The ratio of a round is the peer's time over this project's first time. The null band is the ratio of
//!    this project's two times.

use earth::Machine;
use earth_console::Failure;
use earth_console::failure::sizes;
use earth_console::output::{print, print_json};
use earth_console::progress::Progress;
use earth_fft::distributed::Order;
use earth_fft::{Complex, Planner, Problem};
use earth_memory::{in_large_pages, try_room};
use earth_mpi::Mpi;
use earth_report::document::Table;
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::Spread;
use serde::Serialize;

use crate::args::{Bench, Size};
use crate::peers::Peers;
use crate::ranks::{Ranks, Refused, in_turns};
use crate::refusal::Refusal;

/// Greatest relative error of a point between two spectra.
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
    earth: Spread,
    /// This project over itself.
    null: Spread,
    peers: Vec<Peer>,
}

/// A peer's times for one size.
#[derive(Debug, Serialize)]
struct Peer {
    name: &'static str,
    /// Effort of FFTW-MPI, or options of heFFTe.
    plan: String,
    planning: f64,
    time: Spread,
    /// Time of the peer over this project's, round by round.
    ratio: Spread,
    error: f64,
}

/// Compares the sizes and prints the comparison. All ranks make this call with the same arguments.
pub(crate) fn run(mpi: &Mpi, ranks: &Ranks, args: &Bench) -> Result<(), Refused> {
    let peers = Peers::open(ranks)?;
    let machine = ranks.agree(mpi.machine().map_err(Failure::work))?;
    let mut machine = machine.config(args.config);
    let progress = ranks.is_first().then(|| Progress::of(args.sizes.len() as u64, "comparing"));
    let mut rows = Vec::new();
    for size in &args.sizes {
        rows.push(compared(ranks, args, size, &peers, &mut machine)?);
        progress.iter().for_each(|progress| progress.advance(1));
    }
    drop(progress);
    let (order, effort) = (order(args).to_string(), args.effort.name());
    let comparison = Comparison { schema: 2, ranks: ranks.count(), order, effort, rounds: args.rounds, rows };
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
    peers: &Peers,
    machine: &mut Machine,
) -> Result<Row, Refused> {
    let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(lengths), ranks.count(), order(args));
    let plan = ranks.agree(plan.map_err(Failure::from))?;
    let mut peers = peers.plan(ranks, &plan, args.effort)?;

    let own = plan.local_input(ranks.rank());
    let mut points = ranks.agree(memory(plan.local_len(ranks.rank())))?;
    let value = |at: usize| Complex::new((at * 7919 % 97) as f64 - 48.0, (at * 104_729 % 89) as f64 - 44.0);
    let fill =
        |points: &mut [Complex<f64>]| (0..own.len()).zip(points).for_each(|(at, point)| *point = value(at));
    fill(&mut points);
    let run = plan.process_slab(machine, &mut points).map_err(Failure::from);
    ranks.agree(run)?;
    let mut errors = Vec::new();
    for peer in &mut peers {
        fill(peer.points());
        peer.execute();
        let error = ranks.greatest(peer.difference(ranks, &plan, &points));
        let other = Refusal::OtherSpectrum { peer: peer.name(), error };
        ranks.agree(if error < TOLERANCE { Ok(()) } else { Err(other.into()) })?;
        errors.push(error);
    }

    // The peers, this project, and this project again.
    let mut times = in_turns(peers.len() + 2, args.rounds, |contestant| {
        let mut peer = peers.get_mut(contestant);
        fill(peer.as_mut().map_or(&mut points[..], |peer| peer.points()));
        ranks.timed(|| match peer {
            Some(peer) => {
                peer.execute();
                Ok(())
            }
            None => plan.process_slab(machine, &mut points).map(drop).map_err(Failure::from),
        })
    })?;
    let own = times.split_off(peers.len());
    let rows = peers.iter().zip(errors).zip(times).map(|((peer, error), time)| Peer {
        name: peer.name(),
        plan: peer.plans().to_string(),
        planning: ranks.greatest(peer.planning().as_secs_f64()),
        ratio: Spread::of_ratios(&time, &own[0]),
        time: Spread::of(time),
        error,
    });
    Ok(Row {
        lengths: lengths.clone(),
        peers: rows.collect(),
        null: Spread::of_ratios(&own[1], &own[0]),
        earth: Spread::of(own[0].clone()),
    })
}

/// Returns points in large pages, as the peers' memory is or may be.
pub(crate) fn memory(len: usize) -> Result<Vec<Complex<f64>>, Failure> {
    let mut points = try_room(len, "the points of a rank")?;
    in_large_pages(points.spare_capacity_mut());
    points.resize(len, Complex::from(0.0));
    Ok(points)
}

impl Comparison {
    fn table(&self) -> Table {
        let names = ["points", "peer", "its plan", "planned in", "its time", "earth", "ratio", "null band"];
        let title = format!(
            "Complex points of f64 in place, {} ranks, {} order, peers planned with effort {}, medians of {} rounds",
            self.ranks, self.order, self.effort, self.rounds
        );
        let band = |spread: &Spread, [low, high]: [f64; 2]| {
            format!("{} ({} to {})", ratio(spread.median), ratio(low), ratio(high))
        };
        let cells = |row: &Row, peer: &Peer| {
            vec![
                sizes(&row.lengths),
                peer.name.to_owned(),
                peer.plan.clone(),
                seconds(peer.planning),
                seconds(peer.time.median),
                seconds(row.earth.median),
                band(&peer.ratio, [peer.ratio.q1, peer.ratio.q3]),
                band(&row.null, [row.null.min, row.null.max]),
            ]
        };
        let all = self.rows.iter().flat_map(|row| row.peers.iter().map(move |peer| cells(row, peer)));
        Table::new(names).titled(title).with(all)
    }
}
