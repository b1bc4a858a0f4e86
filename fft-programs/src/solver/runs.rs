//! The ways in which a program takes the arrays of a run.

use earth::{Machine, Run};
use earth_kernels::Real;

use super::{ArrayProgram, SignalProgram};
use crate::dataflow::Done;
use crate::plan::TransformError;
use crate::problem::{Data, Slices, UntypedProblem};

/// How a program runs: as one of two kinds of programs, or by runs of its own.
pub enum Runs<'a, T: Real> {
    /// On a copy of a signal.
    Signal(&'a dyn SignalProgram<T>),
    /// On an array that is lent to the machine.
    Array(&'a dyn ArrayProgram<T>),
    /// By itself.
    Itself(&'a dyn RunsItself<T>),
}

/// A program with runs of its own, which [`Runs`] describes.
pub trait RunsItself<T: Real> {
    /// See [`Runs::run`].
    ///
    /// # Errors
    ///
    /// See [`Runs::run`].
    fn run(
        &self,
        machine: &mut Machine,
        problem: &UntypedProblem,
        input: Option<Data<T>>,
    ) -> Result<Run<Done<T>>, TransformError>;

    /// See [`Runs::run_here`].
    ///
    /// # Errors
    ///
    /// See [`Runs::run_here`].
    fn run_here(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError>;
}

impl<T: Real> Runs<'_, T> {
    /// Runs it on the input of a problem without gaps, or of one whose rows are padded. Without an input it runs on a
    /// phantom of one.
    ///
    /// # Errors
    ///
    /// An input of another number of elements, too little memory, or the errors of the machine.
    pub fn run(
        &self,
        machine: &mut Machine,
        problem: &UntypedProblem,
        input: Option<Data<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        match self {
            Self::Signal(program) => program.run_input(machine, input),
            Self::Array(program) => program.run_input(machine, problem, input),
            Self::Itself(program) => program.run(machine, problem, input),
        }
    }

    /// Runs it on the slices of a call. Elements in gaps between rows stay as they are. Returns false, and has changed no
    /// slice, if a slice is too short, or if rows of real numbers that are to be replaced do not begin where the rows of
    /// their spectra do.
    ///
    /// # Errors
    ///
    /// Too little memory, or the errors of the machine.
    pub fn run_here(
        &self,
        machine: &mut Machine,
        slices: &mut Slices<'_, T>,
    ) -> Result<bool, TransformError> {
        match self {
            Self::Signal(program) => program.run_copied(machine, slices),
            Self::Array(program) => program.run_lent(machine, slices),
            Self::Itself(program) => program.run_here(machine, slices),
        }
    }
}
