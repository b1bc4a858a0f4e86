//! `earth-fft-mpi transform`: from one file to its spectrum, each rank with its own part.
//!
//! Steps: read the header on all ranks; plan; check the memory; create the output; read; transform; write;
//! rename; print the summary. After each step that can fail on one rank only, all ranks agree on its outcome
//! (`ranks.rs`). Nothing but new wisdom is written before all refusals are known.
//!
//! *Files.* In natural order both files have the axes of the array. With `--transposed` the file of the
//! spectrum, which is the output of the forward transform and the input of the inverse, has the first two
//! axes exchanged. A rank of a plan in transposed order then has consecutive rows of this file, unless the
//! plan has pencils.
//!
//! *Cost.* A rank takes the memory of its own part, of its tiles, and of a few pieces of 4 MiB.

use std::path::PathBuf;
use std::time::Instant;

use earth::Machine;
use earth_console::Failure;
use earth_console::output::{print, print_json, print_message};
use earth_console::progress::Progress;
use earth_console::signal::Note;
use earth_console::wisdom::WisdomFile;
use earth_fft::distributed::{DistributedPlan, Part};
use earth_fft::{Complex, PlanError, Planner, Problem, Wisdom, memory};
use earth_memory::{Limits, try_zeroed};
use earth_mpi::Mpi;

use crate::args::Transform;
use crate::input::{Input, PIECE, Remarks, Sample};
use crate::output::SharedOutput;
use crate::place::Place;
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;
use crate::summary::{Bytes, Summary, Times};

/// Transforms the file. All ranks make this call with the same arguments.
pub(crate) fn run(mpi: &Mpi, ranks: &Ranks, args: &Transform) -> Result<(), Refused> {
    ranks.agree(args.check())?;
    let input = Input::open(ranks, &args.input)?;
    let is_series = input.header().lengths().len() == 1;
    let refused = args.transposed && is_series;
    ranks.agree(if refused { Err(Refusal::TransposedSeries(args.input.clone()).into()) } else { Ok(()) })?;
    let job = Job { mpi, ranks, args, input: &input };
    if input.header().is_single() { job.run::<f32>() } else { job.run::<f64>() }
}

/// Transform of an open input.
struct Job<'a> {
    mpi: &'a Mpi,
    ranks: &'a Ranks,
    args: &'a Transform,
    input: &'a Input,
}

impl Job<'_> {
    fn run<T: Sample>(&self) -> Result<(), Refused> {
        let Self { mpi, ranks, args, input } = *self;
        let lengths = exchanged(input.header().lengths(), args.transposed && args.inverse);
        let output_lengths = exchanged(&lengths, args.transposed && !args.inverse);
        let problem = Problem::complex(&lengths).direction(args.direction()).norm(args.norm.of_library());
        let machine = ranks.agree(mpi.machine().map_err(Failure::work))?;
        let mut machine = machine.config(args.config);
        let plan = self.plan::<T>(&problem, &mut machine)?;
        self.check_memory(&plan)?;
        let output = SharedOutput::open::<T>(ranks, &args.output, &output_lengths)?;
        let points = try_zeroed(plan.local_len(ranks.rank()), "the points of a rank");
        let mut points: Vec<Complex<T>> = ranks.agree(points.map_err(Failure::from))?;

        let place = self.place(|rank| plan.local_input(rank), args.transposed && args.inverse);
        let (remarks, reading) = self.timed("reading", || input.read(&place, &mut points))?;
        self.warn(remarks, lengths.iter().product());
        let (_, transforming) = self
            .timed("transforming", || plan.process_slab(&mut machine, &mut points).map_err(Failure::from))?;
        let place = self.place(|rank| plan.local_output(rank), args.transposed && !args.inverse);
        let ((), writing) = self.timed("writing", || output.write(&place, &points))?;
        output.commit(ranks)?;

        let bytes = Bytes {
            points: most(ranks, |rank| (plan.local_len(rank) * size_of::<Complex<T>>()) as u64),
            tiles: most(ranks, |rank| plan.tile_bytes(rank)),
        };
        let times = Times { reading, transforming, writing };
        let both = [&lengths[..], &output_lengths];
        let summary = Summary::new(args, both, T::NAME, plan.to_string(), ranks.count(), times, bytes);
        let printed = match (ranks.is_first(), args.json) {
            (true, true) => print_json(&summary),
            (true, false) => print(summary.table()),
            (false, _) => Ok(()),
        };
        ranks.agree(printed)
    }

    /// Plans the problem, on all ranks by the wisdom of rank 0, if there is any.
    fn plan<T: Sample>(
        &self,
        problem: &Problem,
        machine: &mut Machine,
    ) -> Result<DistributedPlan<T>, Refused> {
        let Self { ranks, args, .. } = *self;
        let planned = |planner: &Planner| {
            planner.plan_distributed::<T>(problem, ranks.count(), args.order()).map_err(Failure::from)
        };
        let planner = Planner::new().effort(args.effort);
        if args.wisdom.is_none() && !args.measures() {
            return ranks.agree(planned(&planner));
        }
        let path = args.wisdom.as_ref().filter(|_| ranks.is_first());
        let open = |path: &PathBuf| WisdomFile::open(path, &[], args.measures(), ranks.stop());
        let file = ranks.agree(path.map(open).transpose())?;
        let wisdom = file.as_ref().map_or_else(Wisdom::new, |file| file.wisdom().clone());
        let planner = planner.wisdom(wisdom.clone());
        let mut share = || ranks.agree(wisdom.share(machine).map_err(Failure::from));
        share()?;
        if args.measures() {
            self.timed("measuring", || planned(&planner))?;
            ranks.agree(file.map_or(Ok(()), WisdomFile::save))?;
            share()?;
        }
        ranks.agree(planned(&planner))
    }

    /// Checks that the memory of the ranks is there.
    ///
    /// The ranks of one computer share its memory, so each rank checks the sum. A limit of a process holds
    /// for this rank alone.
    fn check_memory<T: Sample>(&self, plan: &DistributedPlan<T>) -> Result<(), Refused> {
        let rank = self.ranks.rank();
        let point = size_of::<Complex<T>>() as u64;
        let of_pieces = 2 * PIECE as u64 * point;
        let own = (plan.local_len(rank) as u64).saturating_mul(point);
        let own = own.saturating_add(plan.tile_bytes(rank)).saturating_add(of_pieces);
        let here = self.ranks.sum_here(own);
        let Limits { address_space_left, data_left, .. } = Limits::of_process();
        let is_limited = address_space_left.is_some() || data_left.is_some();
        let there = memory::is_there(if is_limited { own } else { here });
        self.ranks.agree(there.map_err(|error| match error {
            PlanError::TooLittleMemory { needed, available } => Refusal::Memory { needed, available }.into(),
            error => error.into(),
        }))
    }

    /// Returns the place of this rank's part in a file.
    fn place(&self, part: impl Fn(usize) -> Part, exchanged: bool) -> Place {
        let parts: Vec<_> = (0..self.ranks.count()).map(part).collect();
        Place::of(&parts, self.ranks.rank(), exchanged)
    }

    /// Carries out a step on all ranks. Also returns the time of the slowest rank in seconds.
    fn timed<V>(
        &self,
        label: &'static str,
        step: impl FnOnce() -> Result<V, Failure>,
    ) -> Result<(V, f64), Refused> {
        let shown = self.ranks.is_first().then(|| Progress::endless(label));
        let begin = Instant::now();
        let done = step();
        let time = begin.elapsed().as_secs_f64();
        let done = self.ranks.agree(done);
        drop(shown);
        Ok((done?, self.ranks.greatest(time)))
    }

    /// Prints the remarks on the samples of all ranks.
    fn warn(&self, own: Remarks, n: usize) {
        let [rounded, non_finite] = [own.rounded, own.non_finite].map(|count| self.ranks.sum(count));
        if !self.ranks.is_first() {
            return;
        }
        if rounded > 0 {
            print_message(format_args!("warning: {}", Note::Rounded { count: rounded as usize }));
        }
        if non_finite > 0 {
            print_message(format_args!(
                "warning: {non_finite} of {n} samples are not finite, so most of the result will not be either"
            ));
        }
    }
}

/// Returns the lengths, with the first two exchanged on request.
fn exchanged(lengths: &[usize], exchange: bool) -> Vec<usize> {
    let mut lengths = lengths.to_vec();
    if exchange {
        lengths.swap(0, 1);
    }
    lengths
}

/// Returns the greatest number of any rank.
fn most(ranks: &Ranks, number: impl Fn(usize) -> u64) -> u64 {
    (0..ranks.count()).map(number).max().unwrap_or(0)
}
