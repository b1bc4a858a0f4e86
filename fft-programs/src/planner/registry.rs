//! The solvers that a planner knows, and the requested one.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::error::listed;
use super::{PlanError, Why};
use crate::solver::{Pays, Request, Solver};
use crate::solvers;

/// Name that leaves the choice to the planner.
const AUTO: &str = "auto";

/// Registered solvers and the requested name. `None` leaves the choice to the planner.
#[derive(Clone, Default, Debug)]
pub(crate) struct Solvers {
    registered: Vec<Arc<dyn Solver>>,
    name: Option<String>,
}

impl Solvers {
    /// Registers a solver, which replaces a registered solver of the same name.
    pub(crate) fn register(&mut self, solver: Arc<dyn Solver>) {
        match self.registered.iter_mut().find(|known| known.name() == solver.name()) {
            Some(known) => *known = solver,
            None => self.registered.push(solver),
        }
    }

    /// Registers a solver and requests it.
    pub(crate) fn request(&mut self, solver: Arc<dyn Solver>) {
        self.name = Some(solver.name().to_owned());
        self.register(solver);
    }

    /// Sets the block size, in points or rows, of the requested solver. Without one, sets it for all solvers
    /// with blocks.
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

    pub(crate) fn name(&mut self, name: String) {
        self.name = Some(name).filter(|name| name != AUTO);
    }

    /// Returns all solvers: this crate's, each replaced by a registered one of the same name, then the other
    /// registered ones.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        self.own().chain(self.others())
    }

    /// Returns the solvers of this crate, each replaced by a registered one of the same name.
    fn own(&self) -> impl Iterator<Item = &Arc<dyn Solver>> {
        let registered = |name| self.registered.iter().find(|solver| solver.name() == name);
        solvers::all().iter().map(move |solver| registered(solver.name()).unwrap_or(solver))
    }

    /// Returns the registered solvers with names of their own.
    fn others(&self) -> impl DoubleEndedIterator<Item = &Arc<dyn Solver>> {
        let is_own = |name| solvers::all().iter().any(|own| own.name() == name);
        self.registered.iter().filter(move |solver| !is_own(solver.name()))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Solver>> {
        self.known().find(|solver| solver.name() == name)
    }

    /// Returns the solver of this name with these settings, or `None` if it does not take them.
    pub(crate) fn find_with(&self, name: &str, settings: &str) -> Option<Arc<dyn Solver>> {
        let solver = self.find(name)?;
        if solver.settings() == settings { Some(Arc::clone(solver)) } else { solver.with_settings(settings) }
    }

    pub(crate) fn named(&self) -> Result<Option<&Arc<dyn Solver>>, PlanError> {
        let Some(name) = &self.name else { return Ok(None) };
        let known = || self.known().map(|solver| solver.name());
        let unknown = || {
            let known = listed([AUTO].into_iter().chain(known()));
            PlanError::NoSuchAlgorithm { name: name.clone(), known }
        };
        self.find(name).map(Some).ok_or_else(unknown)
    }

    /// Returns the solver for a problem without a requested solver, and why it is chosen. `None` leaves the
    /// problem to the calling thread. The solvers of other crates come first, in reverse order of their
    /// registration.
    pub(crate) fn choose(&self, request: &Request<'_>) -> (Option<&Arc<dyn Solver>>, Why) {
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

    /// Returns a key of wisdom: the requested name and its settings, or the settings of all solvers that have
    /// settings.
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
#[path = "registry_tests.rs"]
mod tests;
