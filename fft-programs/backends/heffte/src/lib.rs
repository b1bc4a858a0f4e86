//! heFFTe with its backend FFTW, loaded at run time: a peer of this project's distributed transforms. The
//! build does not need it.
//!
//! 1. [`Heffte::open`] loads `libheffte` by the system's loader. It refuses a library that is linked to
//!    another MPI library than this process (see [`MpiLibrary`]).
//! 2. [`Boxes::new`] takes the boxes of all ranks.
//! 3. [`Heffte::plan`] plans a transform of complex points of double precision in place. All ranks of the job
//!    make this call.
//! 4. [`Planned::execute`] transforms the points of [`Planned::points`]. All ranks make this call.
//!
//! *Boxes.* The caller chooses the boxes. The input is in row-major order of the caller's dimensions. The
//! caller lists the orders that the output may have.
//!
//! *Effort.* heFFTe plans its one-dimensional transforms by `FFTW_ESTIMATE`, without an option for it. FFTW
//! still uses what it has measured before in this process. [`Effort::Measure`] times heFFTe's own options.
//! Greater efforts do the same.
//!
//! *Left out.* heFFTe 2.4.1 writes past its boxes with strided points and an output of another order than
//! row-major. No plan of this crate has both.
//!
//! *Trust.* Loading a library runs its code, and its functions are trusted to match their names. The library
//! stays loaded until the process ends.
//!
//! *Threads.* MPI was initialized for calls of one thread. The types that call it are neither `Send` nor
//! `Sync`.

mod boxes;
mod choice;
mod error;

use std::ffi::{OsStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use earth_memory::{NoMemory, in_large_pages, try_room};
use earth_mpi_library::MpiLibrary;
use mpi::collective::SystemOperation;
use mpi::ffi::MPI_Comm;
use mpi::traits::{AsRaw as _, Communicator as _, CommunicatorCollectives as _};
use num_complex::Complex;

pub use crate::boxes::Boxes;
pub use crate::choice::{Choice, Exchange, OutputOrder};
pub use crate::error::HeffteError;
/// Planning effort: heFFTe's default options and the first order, or the fastest of all options and orders.
pub use earth_mpi_library::Effort;

use crate::choice::Raw;

/// Names of the library, the first one that the system's loader finds.
const NAMES: [&str; 2] = ["libheffte.so.2", "libheffte.so"];

/// `Heffte_BACKEND_FFTW`.
const FFTW: c_int = 1;

/// `Heffte_SCALE_NONE`.
const UNSCALED: c_int = 0;

/// Timed transforms of each candidate. The fastest one counts.
const TRIALS: usize = 3;

/// Functions of the library that a plan needs. Those with the unwinding interface may throw.
#[derive(Clone, Copy)]
struct Functions {
    create: unsafe extern "C-unwind" fn(
        c_int,
        *const c_int,
        *const c_int,
        *const c_int,
        *const c_int,
        *const c_int,
        *const c_int,
        MPI_Comm,
        *const Raw,
        *mut *mut c_void,
    ) -> c_int,
    workspace: unsafe extern "C" fn(*mut c_void) -> c_int,
    forward: unsafe extern "C-unwind" fn(*mut c_void, *const c_void, *mut c_void, *mut c_void, c_int),
    destroy: unsafe extern "C-unwind" fn(*mut c_void) -> c_int,
}

/// The loaded library, in a process that has joined its job.
pub struct Heffte {
    functions: Functions,
    default: Choice,
    library: MpiLibrary,
}

impl Heffte {
    /// Loads the library, in a process that has joined its job. `file` is a name or path of it. Default:
    /// `libheffte.so.2` or `libheffte.so`, where the system's loader looks.
    ///
    /// # Errors
    ///
    /// [`HeffteError`] if there is no such library, or one for another MPI, or one without FFTW.
    pub fn open(file: Option<&OsStr>) -> Result<Self, HeffteError> {
        let files = file.map_or_else(|| NAMES.map(OsStr::new).to_vec(), |file| vec![file]);
        let library = MpiLibrary::open("libheffte", &files)?;
        // SAFETY: the types match the declarations in `heffte_c.h`.
        let (options, functions) = unsafe {
            let options: unsafe extern "C" fn(c_int, *mut Raw) -> c_int =
                library.function("heffte_set_default_options")?;
            let functions = Functions {
                create: library.function("heffte_plan_create")?,
                workspace: library.function("heffte_size_workspace")?,
                forward: library.function("heffte_forward_z2z_buffered")?,
                destroy: library.function("heffte_plan_destroy")?,
            };
            (options, functions)
        };
        let mut default = Raw::default();
        // SAFETY: the result has memory.
        if unsafe { options(FFTW, &raw mut default) } != 0 {
            return Err(HeffteError::NoFftw);
        }
        Ok(Self { functions, default: Choice::of(default), library })
    }

    /// Plans a forward transform in place, whose output has one of these orders. The points of the plan are
    /// unspecified afterwards. All ranks make this call with the same arguments.
    ///
    /// *Cost.* The default options: a plan and one transform, in which heFFTe makes the plans of FFTW. The
    /// fastest options: that and three more transforms for each of twelve or eighteen candidates.
    ///
    /// # Panics
    ///
    /// If there is no order, or if the first one is not [`OutputOrder::RowMajor`] while heFFTe's default
    /// options are strided.
    ///
    /// # Errors
    ///
    /// [`HeffteError::NoTiling`] for the boxes of another number of ranks, [`HeffteError::NoPlan`],
    /// [`HeffteError::NoMemory`]. All ranks get an error if one of them does.
    pub fn plan(
        &self,
        boxes: &Boxes,
        orders: &[OutputOrder],
        effort: Effort,
    ) -> Result<Planned<'_>, HeffteError> {
        let world = self.library.world();
        if usize::try_from(world.size()) != Ok(boxes.ranks()) {
            return Err(HeffteError::NoTiling(boxes.lengths().to_vec()));
        }
        let default = Choice { order: orders[0], ..self.default };
        assert!(default.is_sound(), "an order that strided points of heFFTe cannot have");
        let begin = Instant::now();
        let mut best = self.plan_as(boxes, default)?;
        best.execute();
        if effort != Effort::Estimate {
            let mut shortest = best.shortest();
            for choice in Choice::all(orders).filter(|&choice| choice != default) {
                let mut candidate = self.plan_as(boxes, choice)?;
                candidate.execute();
                let time = candidate.shortest();
                // The times are the same on all ranks, and so is the best candidate.
                if time < shortest {
                    (best, shortest) = (candidate, time);
                }
            }
        }
        best.planning = begin.elapsed();
        Ok(best)
    }

    /// Plans with these options. All ranks make this call.
    fn plan_as(&self, boxes: &Boxes, choice: Choice) -> Result<Planned<'_>, HeffteError> {
        let world = self.library.world();
        let corners = boxes.of_rank(world.rank() as usize);
        let [[in_low, in_high], [out_low, out_high]] = corners;
        let (options, order) = (choice.raw(), choice.order.axes(boxes.lengths().len()));
        let mut plan = ptr::null_mut();
        // SAFETY: each box has three lowest and three highest indices. The order of the output is three axes,
        // and no order of the input means the default one. The boxes of all ranks fill one array without
        // overlap. The communicator is of the same MPI library. The result has memory.
        let code = unsafe {
            (self.functions.create)(
                FFTW,
                in_low.as_ptr(),
                in_high.as_ptr(),
                ptr::null(),
                out_low.as_ptr(),
                out_high.as_ptr(),
                order.as_ptr(),
                world.as_raw(),
                &raw const options,
                &raw mut plan,
            )
        };
        // After an error, the library leaves an address there that it has freed.
        let plan = NonNull::new(plan).filter(|_| code == 0);
        let plan = plan.map(|plan| Plan { plan, destroy: self.functions.destroy });
        // SAFETY: the library made the plan.
        let workspace = plan.as_ref().map(|plan| unsafe { (self.functions.workspace)(plan.plan.as_ptr()) });
        let workspace = workspace.and_then(|points| usize::try_from(points).ok());
        let room = workspace.map(|workspace| {
            let points = corners.map(volume).into_iter().fold(0, usize::max);
            Ok::<_, NoMemory>([memory(points)?, memory(workspace)?])
        });
        let is_done = plan.is_some() && matches!(room, Some(Ok(_)));
        // A transform on some ranks only would never end.
        let is_done_by_all = self.all(is_done);
        match (plan, room.transpose()?) {
            (Some(plan), Some([points, workspace])) if is_done_by_all => {
                Ok(Planned { plan, points, workspace, choice, planning: Duration::ZERO, library: self })
            }
            _ => Err(HeffteError::NoPlan(boxes.lengths().to_vec())),
        }
    }

    /// Whether all ranks say so.
    fn all(&self, own: bool) -> bool {
        let (own, mut all) = (u8::from(own), 0);
        self.library.world().all_reduce_into(&own, &mut all, SystemOperation::min());
        all == 1
    }
}

/// Plan of the library.
struct Plan {
    plan: NonNull<c_void>,
    destroy: unsafe extern "C-unwind" fn(*mut c_void) -> c_int,
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: the library made the plan, and it is destroyed once.
        unsafe { (self.destroy)(self.plan.as_ptr()) };
    }
}

/// Planned transform of this rank's points. All ranks drop it, because its communicators are shared.
pub struct Planned<'a> {
    plan: Plan,
    points: Vec<Complex<f64>>,
    workspace: Vec<Complex<f64>>,
    choice: Choice,
    planning: Duration,
    library: &'a Heffte,
}

impl Planned<'_> {
    /// Returns the points of this rank: its box of the input, then its box of the spectrum. There may be more
    /// memory behind them.
    pub fn points(&mut self) -> &mut [Complex<f64>] {
        &mut self.points
    }

    /// Returns the options of the plan.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Returns the time that planning took, with all candidates.
    pub fn planning(&self) -> Duration {
        self.planning
    }

    /// Transforms the points. All ranks make this call.
    pub fn execute(&mut self) {
        let points = self.points.as_mut_ptr().cast();
        let workspace = self.workspace.as_mut_ptr().cast();
        // SAFETY: the points have room for both boxes, and the workspace has the points that the library
        // requested. Both are borrowed mutably. Input and output may be the same array.
        unsafe {
            (self.library.functions.forward)(self.plan.plan.as_ptr(), points, points, workspace, UNSCALED);
        }
    }

    /// Returns the shortest time of a few transforms, in seconds. The time of a transform is the slowest
    /// rank's. All ranks make this call and get the same time.
    fn shortest(&mut self) -> f64 {
        let mut shortest = f64::INFINITY;
        for _ in 0..TRIALS {
            let world = self.library.library.world();
            world.barrier();
            let begin = Instant::now();
            self.execute();
            let (own, mut slowest) = (begin.elapsed().as_secs_f64(), 0.0);
            self.library.library.world().all_reduce_into(&own, &mut slowest, SystemOperation::max());
            shortest = shortest.min(slowest);
        }
        shortest
    }
}

/// Returns points that are zero, in large pages.
fn memory(len: usize) -> Result<Vec<Complex<f64>>, NoMemory> {
    let mut points = try_room(len, "the points of heFFTe")?;
    in_large_pages(points.spare_capacity_mut());
    points.resize(len, Complex::from(0.0));
    Ok(points)
}

/// Returns the number of points of a box.
fn volume([low, high]: [[c_int; 3]; 2]) -> usize {
    low.iter().zip(high).map(|(&low, high)| (high - low + 1) as usize).product()
}

#[cfg(test)]
mod tests {
    use earth_mpi_library::LibraryError;

    use super::*;

    #[test]
    fn a_process_that_has_not_joined_a_job_does_not_open_the_library() {
        let refused = Some(HeffteError::Library(LibraryError::NotInitialized));
        assert_eq!(Heffte::open(None).err(), refused);
        assert_eq!(Heffte::open(Some(OsStr::new("/nowhere/libheffte.so"))).err(), refused);
    }

    #[test]
    fn a_volume_counts_both_corners() {
        assert_eq!(volume([[0, 1, 2], [4, 1, 5]]), 20);
    }
}
