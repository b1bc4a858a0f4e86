//! Other libraries whose distributed transforms are compared with this project's: FFTW-MPI and heFFTe.
//!
//! Both are loaded at run time. A library that cannot be loaded has no rows, and rank 0 says why.
//!
//! *Orders.* The spectrum's natural order is the same for all. In transposed order FFTW-MPI exchanges the
//! first two dimensions of a rank's points. This project leaves them in the order of the array. heFFTe may do
//! either, and does what is faster if it plans by measuring.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::time::Duration;

use earth_console::Failure;
use earth_fft::Complex;
use earth_fft::distributed::{DistributedPlan, Order, Part};
use earth_fftw_mpi::{FftwMpi, Planned as FftwPlanned};
use earth_heffte::{Boxes, Choice, Heffte, OutputOrder, Planned as HefftePlanned};

use crate::args::Effort;
use crate::ranks::{Ranks, Refused};
use crate::refusal::Refusal;

/// Variable with the name or the path of heFFTe's library, in the environment of rank 0.
const HEFFTE: &str = "EARTH_HEFFTE";

/// Libraries that all ranks have loaded.
pub(crate) struct Peers {
    fftw: Option<FftwMpi>,
    heffte: Option<Heffte>,
}

/// A peer's planned transform.
pub(crate) enum Planned<'a> {
    Fftw(FftwPlanned<'a>, Effort),
    Heffte(HefftePlanned<'a>),
}

/// How a peer planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plans {
    Fftw(Effort),
    Heffte(Choice),
}

impl Peers {
    /// Loads the libraries. All ranks make this call. Rank 0 prints a sentence about each that is missing.
    ///
    /// # Errors
    ///
    /// A refusal if none is there.
    pub(crate) fn open(ranks: &Ranks) -> Result<Self, Refused> {
        let fftw = present(ranks, FftwMpi::open().map_err(Failure::work));
        let named = std::env::var_os(HEFFTE).unwrap_or_default();
        let named = OsString::from_vec(ranks.of_first(named.as_bytes().to_vec()));
        let named = Some(named).filter(|named| !named.is_empty());
        let heffte = present(ranks, Heffte::open(named.as_deref()).map_err(Failure::work));
        let is_any = fftw.is_some() || heffte.is_some();
        ranks.agree(if is_any { Ok(()) } else { Err(Refusal::NoPeer.into()) })?;
        Ok(Self { fftw, heffte })
    }

    /// Plans the transform of `plan` with each library that has it. All ranks make this call.
    pub(crate) fn plan(
        &self,
        ranks: &Ranks,
        plan: &DistributedPlan<f64>,
        effort: Effort,
    ) -> Result<Vec<Planned<'_>>, Refused> {
        let mut planned = Vec::new();
        if let Some(fftw) = &self.fftw {
            planned.push(Planned::Fftw(with_fftw(ranks, fftw, plan, effort)?, effort));
        }
        // heFFTe has no series.
        if let Some(heffte) = self.heffte.as_ref().filter(|_| plan.problem().lengths().len() > 1) {
            planned.push(Planned::Heffte(with_heffte(ranks, heffte, plan, effort)?));
        }
        Ok(planned)
    }
}

/// Returns the library if all ranks have it. Otherwise, rank 0 prints the reason.
pub(crate) fn present<L>(ranks: &Ranks, opened: Result<L, Failure>) -> Option<L> {
    match ranks.agree(opened) {
        Ok(library) => Some(library),
        Err(missing) => {
            missing.tell(ranks);
            None
        }
    }
}

fn with_fftw<'a>(
    ranks: &Ranks,
    fftw: &'a FftwMpi,
    plan: &DistributedPlan<f64>,
    effort: Effort,
) -> Result<FftwPlanned<'a>, Refused> {
    let lengths = plan.problem().lengths();
    let is_transposed = plan.order() == Order::Transposed;
    let planned =
        ranks.agree(fftw.plan(lengths, is_transposed, effort.of_library()).map_err(Failure::work))?;
    let [own, spectrum] = [plan.local_input(ranks.rank()), plan.local_output(ranks.rank())];
    let row: usize = lengths[1..].iter().product();
    let is_same = planned.rows() * row == own.len() && spectrum.len() == own.len();
    ranks.agree(if is_same { Ok(()) } else { Err(Refusal::UnevenShares(lengths.to_vec()).into()) })?;
    Ok(planned)
}

fn with_heffte<'a>(
    ranks: &Ranks,
    heffte: &'a Heffte,
    plan: &DistributedPlan<f64>,
    effort: Effort,
) -> Result<HefftePlanned<'a>, Refused> {
    let parts = |of: &dyn Fn(usize) -> Part| {
        (0..ranks.count()).map(|rank| of(rank).ranges().to_vec()).collect::<Vec<_>>()
    };
    let [input, output] = [parts(&|rank| plan.local_input(rank)), parts(&|rank| plan.local_output(rank))];
    let boxes = Boxes::new(plan.problem().lengths(), &input, &output);
    let boxes = ranks.agree(boxes.map_err(Failure::work))?;
    let orders = match plan.order() {
        Order::Natural | Order::Root => &[OutputOrder::RowMajor][..],
        Order::Transposed => &[OutputOrder::RowMajor, OutputOrder::Exchanged],
    };
    ranks.agree(heffte.plan(&boxes, orders, effort.of_library()).map_err(Failure::work))
}

impl Planned<'_> {
    /// Returns the name of the library.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Fftw(..) => "FFTW-MPI",
            Self::Heffte(_) => "heFFTe",
        }
    }

    /// Returns how the library planned.
    pub(crate) fn plans(&self) -> Plans {
        match self {
            Self::Fftw(_, effort) => Plans::Fftw(*effort),
            Self::Heffte(planned) => Plans::Heffte(planned.choice()),
        }
    }

    /// Returns the time that planning took on this rank.
    pub(crate) fn planning(&self) -> Duration {
        match self {
            Self::Fftw(planned, _) => planned.planning(),
            Self::Heffte(planned) => planned.planning(),
        }
    }

    /// Returns the points of this rank. There may be more memory behind them.
    pub(crate) fn points(&mut self) -> &mut [Complex<f64>] {
        match self {
            Self::Fftw(planned, _) => planned.points(),
            Self::Heffte(planned) => planned.points(),
        }
    }

    /// Transforms the points. All ranks make this call.
    pub(crate) fn execute(&mut self) {
        match self {
            Self::Fftw(planned, _) => planned.execute(),
            Self::Heffte(planned) => planned.execute(),
        }
    }

    /// Returns the greatest difference between this rank's points of both spectra, relative to the greatest
    /// point. `points` are this project's.
    pub(crate) fn difference(
        &mut self,
        ranks: &Ranks,
        plan: &DistributedPlan<f64>,
        points: &[Complex<f64>],
    ) -> f64 {
        let (part, lengths) = (plan.local_output(ranks.rank()), plan.problem().lengths());
        let is_transposed = plan.order() == Order::Transposed;
        // The order of the points of a scrambled series is the library's own.
        if part.is_empty() || is_transposed && lengths.len() == 1 {
            return 0.0;
        }
        let exchanges_axes = match self {
            Self::Fftw(..) => is_transposed,
            Self::Heffte(planned) => planned.choice().order == OutputOrder::Exchanged,
        };
        let theirs = self.points();
        let points = &points[..part.len()];
        let greatest = points.iter().map(|point| point.norm()).fold(f64::MIN_POSITIVE, f64::max);
        let place = |at: usize| if exchanges_axes { exchanged(&part.lengths(), at) } else { at };
        let differs = |(at, point): (usize, &Complex<f64>)| (point - theirs[place(at)]).norm();
        points.iter().enumerate().map(differs).fold(0.0, f64::max) / greatest
    }
}

/// Returns where a point of an array of these lengths is after an exchange of the first two axes.
fn exchanged(lengths: &[usize], at: usize) -> usize {
    let inner: usize = lengths[2..].iter().product();
    let (row, col) = (at / inner / lengths[1], at / inner % lengths[1]);
    (col * lengths[0] + row) * inner + at % inner
}

impl fmt::Display for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fftw(Effort::Estimate) => f.write_str("FFTW_ESTIMATE"),
            Self::Fftw(Effort::Measure) => f.write_str("FFTW_MEASURE"),
            Self::Fftw(Effort::Patient) => f.write_str("FFTW_PATIENT"),
            Self::Heffte(choice) => choice.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_of_two_axes_leaves_the_third() {
        // A matrix of 2 rows and 3 columns: its points, column by column.
        assert_eq!((0..6).map(|at| exchanged(&[2, 3], at)).collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
        let with_pairs = [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11];
        assert_eq!((0..12).map(|at| exchanged(&[2, 3, 2], at)).collect::<Vec<_>>(), with_pairs);
    }
}
