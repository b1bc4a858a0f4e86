//! Rows of all maps, simulated and measured, with the crossings found and predicted in each.

use earth::simulated::Profile;
use serde::Serialize;

use super::crossing::{Crossing, Outcome, Place, compared, crossings, predicted};
use super::grid::{AXES, Axis, Case, EQUALS};
use super::measured::pairs::Kind;
use super::model;
use super::runs::Results;
use crate::compare::Equal;

/// Machine of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Site {
    /// Simulated machine, by the number of its profile.
    Simulated(usize),
    /// Threads of this computer.
    Threads,
    /// Ranks of this computer, in one process. The model does not predict them.
    Ranks,
}

/// Row of a map.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) site: Site,
    pub(crate) axis: Axis,
    pub(crate) name: String,
    pub(crate) case: Case,
    pub(crate) equal: Equal,
    pub(crate) places: Vec<Place>,
    pub(crate) found: Vec<Crossing>,
    pub(crate) predicted: Vec<Crossing>,
}

impl Row {
    /// Compares the crossings.
    pub(crate) fn outcomes(&self, ends: [f64; 2]) -> Vec<Outcome> {
        if self.site == Site::Ranks { Vec::new() } else { compared(&self.found, &self.predicted, ends) }
    }
}

impl Results {
    /// Returns the profile with whose costs the model predicts a machine.
    pub(crate) fn profile(&self, site: Site) -> Option<&Profile> {
        match site {
            Site::Simulated(at) => self.profiles.get(at),
            Site::Threads | Site::Ranks => self.measured.as_ref().map(|measured| &measured.profile),
        }
    }

    /// Returns the name of a machine.
    pub(crate) fn name(&self, site: Site) -> String {
        match site {
            Site::Simulated(at) => format!("`{}`", self.profiles[at].name),
            Site::Threads => "threads here".to_owned(),
            Site::Ranks => "ranks here".to_owned(),
        }
    }

    /// Returns the machines of the page.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let simulated = (0..self.profiles.len()).map(Site::Simulated);
        let own = self.measured.iter().flat_map(|_| [Site::Threads, Site::Ranks]);
        simulated.chain(own).collect()
    }

    /// Returns the rows of a machine's map of an axis, at equal nodes and then at equal cores.
    pub(crate) fn rows(&self, site: Site, axis: Axis) -> Vec<Row> {
        match (site, &self.measured) {
            (Site::Simulated(at), _) => self.simulated_rows(at, axis),
            (Site::Threads, Some(_)) => self.measured_rows(site, Kind::Threads, axis),
            (Site::Ranks, Some(_)) => self.measured_rows(site, Kind::Ranks, axis),
            (Site::Threads | Site::Ranks, None) => Vec::new(),
        }
    }

    /// Returns all rows of a machine.
    pub(crate) fn all_rows(&self, site: Site) -> Vec<Row> {
        AXES.into_iter().flat_map(|axis| self.rows(site, axis)).collect()
    }

    fn simulated_rows(&self, at: usize, axis: Axis) -> Vec<Row> {
        let mut rows = Vec::new();
        for equal in EQUALS {
            for (name, case) in axis.rows(self.extent, self.extent.usual) {
                let [found, predicted] = self.crossings(at, case, equal);
                let places = self.places(at, case, equal);
                let site = Site::Simulated(at);
                rows.push(Row { site, axis, name, case, equal, places, found, predicted });
            }
        }
        rows
    }

    fn measured_rows(&self, site: Site, kind: Kind, axis: Axis) -> Vec<Row> {
        let Some(measured) = &self.measured else { return Vec::new() };
        let own = measured.rows.iter().filter(|row| row.kind == kind && row.axis == axis);
        let row = |row: &super::measured::Row| {
            let (case, equal) = (row.case, row.equal);
            let places: Vec<_> = row.pairs.iter().map(|(grain, pair)| pair.place(*grain)).collect();
            let ratio = |grain: f64| model::ratio(&measured.profile, case, equal, grain);
            let predicted = match site {
                Site::Ranks => Vec::new(),
                Site::Simulated(_) | Site::Threads => predicted(ratio, self.ends()),
            };
            let (name, found) = (row.name.clone(), crossings(&places));
            Row { site, axis, name, case, equal, places, found, predicted }
        };
        own.map(row).collect()
    }
}
