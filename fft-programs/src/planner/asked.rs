//! The solvers that a planner knows, and the one that was asked for.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::error::listed;
use super::{PlanError, Why};
use crate::solver::{Pays, Request, Solver};
use crate::solvers;

/// The name that leaves the choice to the planner.
const AUTO: &str = "auto";

/// The solvers that were registered, and the name that was asked for. `None` leaves the choice to the planner.
#[derive(Clone, Default, Debug)]
pub(crate) struct Asked {
    registered: Vec<Arc<dyn Solver>>,
    name: Option<String>,
}

impl Asked {
    /// Registers a solver in the place of one of its name.
    pub(crate) fn register(&mut self, solver: Arc<dyn Solver>) {
        match self.registered.iter_mut().find(|known| known.name() == solver.name()) {
            Some(known) => *known = solver,
            None => self.registered.push(solver),
        }
    }

    /// Registers a solver, and asks for it.
    pub(crate) fn ask(&mut self, solver: Arc<dyn Solver>) {
        self.name = Some(solver.name().to_owned());
        self.register(solver);
    }

    /// Cuts what was asked for into blocks of so many points or rows; if nothing was, all solvers that have blocks.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoSuchAlgorithm`] and [`PlanError::NoBlocks`].
    pub(crate) fn cut(&mut self, block: NonZeroUsize) -> Result<(), PlanError> {
        let cut = match self.named()? {
            None => self.known().filter_map(|solver| solver.in_blocks(block)).collect(),
            Some(solver) => {
                let none = || {
                    let with_blocks = self.known().filter(|solver| solver.in_blocks(block).is_some());
                    let known = listed(with_blocks.map(|solver| solver.name()));
                    PlanError::NoBlocks { algorithm: solver.name(), known }
                };
                vec![solver.in_blocks(block).ok_or_else(none)?]
            }
        };
        for solver in cut {
            self.register(solver);
        }
        Ok(())
    }

    /// Asks for a solver by its name.
    pub(crate) fn name(&mut self, name: String) {
        self.name = Some(name).filter(|name| name != AUTO);
    }

    /// All solvers: those of this crate, unless another was registered in its place, then the registered ones.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        self.own().chain(self.others())
    }

    /// The solvers of this crate, or those that were registered in their places.
    fn own(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        let registered = |name| self.registered.iter().find(|solver| solver.name() == name);
        solvers::all().iter().map(move |solver| registered(solver.name()).unwrap_or(solver))
    }

    /// The registered solvers whose names no solver of this crate has.
    fn others(&self) -> impl DoubleEndedIterator<Item = &Arc<dyn Solver>> {
        let is_own = |name| solvers::all().iter().any(|own| own.name() == name);
        self.registered.iter().filter(move |solver| !is_own(solver.name()))
    }

    /// The solver of a name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Solver>> {
        self.known().find(|solver| solver.name() == name)
    }

    /// The solver of a name with the settings of a text, if it has such settings.
    pub(crate) fn find_with(&self, name: &str, settings: &str) -> Option<Arc<dyn Solver>> {
        let solver = self.find(name)?;
        if solver.settings() == settings { Some(Arc::clone(solver)) } else { solver.with_settings(settings) }
    }

    /// The solver that was asked for.
    pub(crate) fn named(&self) -> Result<Option<&Arc<dyn Solver>>, PlanError> {
        let Some(name) = &self.name else { return Ok(None) };
        let known = || self.known().map(|solver| solver.name());
        let unknown = || {
            let known = listed([AUTO].into_iter().chain(known()));
            PlanError::NoSuchAlgorithm { name: name.clone(), known }
        };
        self.find(name).map(Some).ok_or_else(unknown)
    }

    /// The solver for a problem for which none was asked for, and why; none is the thread that asks. The solvers of other
    /// crates come first, the one that was registered last before the others.
    pub(crate) fn that_pays(&self, request: &Request<'_>) -> (Option<&Arc<dyn Solver>>, Why) {
        let mut why = Why::NoMatrix;
        for solver in self.others().rev().chain(self.own()) {
            match solver.pays(request) {
                Pays::Yes(why) => return (Some(solver), why),
                Pays::No(reason) => why = reason,
                Pays::NotItsProblem => {}
            }
        }
        (None, why)
    }

    /// The name that was asked for and its settings, or the settings of all solvers that have some, as a key of wisdom.
    pub(crate) fn key(&self) -> String {
        let of = |solver: &Arc<dyn Solver>| format!("{} {}", solver.name(), solver.settings());
        let settings = if let Ok(Some(solver)) = self.named() {
            of(solver)
        } else {
            let set = self.known().filter(|solver| !solver.settings().is_empty());
            [AUTO.to_owned()].into_iter().chain(set.map(of)).collect::<Vec<_>>().join(", ")
        };
        settings.trim_end().to_owned()
    }
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
