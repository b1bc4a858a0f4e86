//! `earth-fft-mpi overlap`: the transform of Song and Hollingsworth (`PPoPP` 2014), which overlaps its
//! exchange with its work, in turn with other transforms in one job. Each rank is a node.
//!
//! Steps for each array:
//!
//! 1. *Searches.* NEW and TH are tuned ([`search`]).
//! 2. All programs plan ([`contestants`]). They keep their memory until the end of the array.
//! 3. All transform the same points once. Their spectra are compared with NEW's ([`spectrum`]).
//! 4. *Rounds*, as in `bench`: in each round each program transforms once and NEW twice, in an order that
//!    rotates. A time is the slowest rank's, between two barriers. A round before the first warms up.
//! 5. The ratio of a round is a program's time over NEW's first time. The null band is the ratio of NEW's two
//!    times. Parts of a time are the slowest rank's in each part.
//!
//! [`isend`] has the same program without the runtime. The report has the form of
//! [`Measured`](earth_lab::overlap::measured::Measured).

mod contestants;
mod isend;
mod search;
mod spectrum;
mod table;

use earth::Machine;
use earth_console::Failure;
use earth_console::output::{print, print_json};
use earth_console::progress::Progress;
use earth_fft::distributed::bound;
use earth_fft::{Complex, computer};
use earth_fftw_mpi::FftwMpi;
use earth_lab::overlap::measured::{Measured, Row, SCHEMA, Transform};
use earth_mpi::Mpi;
use earth_papers::overlap::{OverlapSettings, Rounds, Variant};
use earth_report::spread::Spread;

use self::contestants::{Contestants, Turn, parts};
use self::search::search;
use self::spectrum::Reference;
use crate::args::Overlap;
use crate::bench::memory;
use crate::peers::present;
use crate::ranks::{Ranks, Refused, in_turns};
use crate::refusal::Refusal;

/// Greatest relative error of a point between two spectra.
const TOLERANCE: f64 = 1e-12;

/// Compares the programs and prints the report. All ranks make this call with the same arguments.
pub(crate) fn run(mpi: &Mpi, ranks: &Ranks, args: &Overlap) -> Result<(), Refused> {
    for lengths in &args.sizes {
        let is_refused = lengths[..2].iter().any(|&rows| rows < ranks.count());
        let refusal = || Refusal::TooFewRows(lengths.to_vec()).into();
        ranks.agree(if is_refused { Err(refusal()) } else { Ok(()) })?;
    }
    let fftw = present(ranks, FftwMpi::open().map_err(Failure::work));
    let machine = ranks.agree(mpi.machine().map_err(Failure::work))?;
    let mut machine = machine.config(args.config);
    let progress = ranks.is_first().then(|| Progress::of(args.sizes.len() as u64, "comparing"));
    let mut rows = Vec::new();
    for lengths in &args.sizes {
        rows.push(compared(ranks, args, *lengths, fftw.as_ref(), &mut machine)?);
        progress.iter().for_each(|progress| progress.advance(1));
    }
    drop(progress);
    let is_one_computer = ranks.sum_here(1) == ranks.count() as u64;
    let usual = if is_one_computer { "shared memory" } else { "a network" };
    let report = Measured {
        schema: SCHEMA,
        mpi: library(&mpi::environment::library_version().unwrap_or_default()),
        network: args.network.clone().unwrap_or_else(|| usual.to_owned()),
        processor: computer::processor().unwrap_or_default(),
        ranks: ranks.count(),
        config: args.config,
        exchange: rounds(args),
        rounds: args.rounds,
        rows,
    };
    let printed = match (ranks.is_first(), args.json) {
        (true, true) => print_json(&report),
        (true, false) => table::all(&report).into_iter().try_for_each(print),
        (false, _) => Ok(()),
    };
    ranks.agree(printed)
}

fn rounds(args: &Overlap) -> Rounds {
    if args.pairwise { Rounds::Pairwise } else { Rounds::AllAtOnce }
}

/// Returns the name and the version of an MPI library, of its own longer text.
fn library(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let name = line.split(',').next().unwrap_or_default().replace("Version:", " ");
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compares the programs with one array.
fn compared(
    ranks: &Ranks,
    args: &Overlap,
    lengths: [usize; 3],
    fftw: Option<&FftwMpi>,
    machine: &mut Machine,
) -> Result<Row, Refused> {
    let mut tuned = Vec::new();
    for variant in [Variant::New, Variant::Th] {
        let settings = OverlapSettings { variant, rounds: rounds(args), ..OverlapSettings::default() };
        tuned.push(search(ranks, args, lengths, settings, machine)?);
    }
    let parameters = [tuned[0].parameters, tuned[1].parameters];
    let mut all = Contestants::plan(ranks, args, lengths, parameters, fftw)?;

    let mut points = ranks.agree(memory(all.points()))?;
    let [_, ny, nz] = lengths;
    let first = bound(lengths[0], ranks.count(), ranks.rank()) * ny * nz;
    let value = |at: usize| Complex::new((at * 7919 % 97) as f64 - 48.0, (at * 104_729 % 89) as f64 - 44.0);
    let fill = |points: &mut [Complex<f64>]| {
        (first..).zip(points).for_each(|(at, point)| *point = value(at));
    };
    let mut transform = |contestant: usize, all: &mut Contestants<'_>, points: &mut [Complex<f64>]| {
        fill(all.memory(contestant, points));
        let mut times = None;
        let run = || all.execute(contestant, machine, points).map(|counted| times = counted);
        let seconds = ranks.timed(run)?;
        Ok(Turn { seconds, times })
    };

    transform(0, &mut all, &mut points)?;
    let reference = Reference::new(ranks, lengths, all.layout(), &points)?;
    let mut errors = Vec::new();
    for contestant in 0..all.count() {
        transform(contestant, &mut all, &mut points)?;
        let spectrum = all.spectrum(contestant);
        let error = reference.difference(ranks, spectrum, all.memory(contestant, &mut points));
        let other = Refusal::OtherThanNew { program: all.program(contestant).name(), error };
        ranks.agree(if error < TOLERANCE { Ok(()) } else { Err(other.into()) })?;
        errors.push(error);
    }
    drop(reference);

    // The last contestant is NEW again.
    let again = all.count();
    let mut turns = in_turns(again + 1, args.rounds, |contestant| {
        transform(if contestant == again { 0 } else { contestant }, &mut all, &mut points)
    })?;
    let seconds = |turns: &[Turn]| turns.iter().map(|turn| turn.seconds).collect::<Vec<_>>();
    let again = turns.pop().map_or_else(Vec::new, |turns| seconds(&turns));
    let new = seconds(&turns[0]);
    let row = |(contestant, turns): (usize, &Vec<Turn>)| Transform {
        program: all.program(contestant),
        planning: ranks.greatest(all.planning(contestant)),
        time: Spread::of(seconds(turns)),
        ratio: Spread::of_ratios(&seconds(turns), &new),
        error: errors[contestant],
        parts: parts(ranks, turns),
    };
    let transforms = turns.iter().enumerate().map(row).collect();
    Ok(Row { lengths, tuned, transforms, null: Spread::of_ratios(&again, &new) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_has_its_name_and_version() {
        assert_eq!(library("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI v4.1.4");
        assert_eq!(library("MPICH Version:      4.0.2\nMPICH Release date: today"), "MPICH 4.0.2");
        assert_eq!(library(""), "");
    }
}
