//! Programs, numbers of nodes, and distances between the cores of the report.

use earth::Config;
use earth::policy::Policies;
use earth::simulated::Profile;
use earth_programs::{Instance, Program as _, ProgramError};
use serde::Serialize;

use super::network::groups;
use crate::sweep::transforms;

/// Configurations of a node.
pub(crate) const CONFIGS: [Config; 2] = [Config::Spn, Config::Dual];

/// Program at some sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Case {
    pub(crate) program: &'static str,
    /// Description of a few words.
    pub(crate) about: &'static str,
    pub(crate) sizes: &'static [u64],
}

/// Size of the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) cases: &'static [Case],
    /// Numbers of nodes of the counts, and of the predictions.
    pub(crate) counted: &'static [usize],
    pub(crate) predicted: &'static [usize],
    /// Number of runs on threads, an odd number.
    pub(crate) runs: usize,
}

/// Extent of the page.
pub(crate) const WHOLE: Extent = Extent {
    cases: &[
        case("fib", "two tokens a call", &[22]),
        case("queens", "a token for each placement", &[10]),
        case("tree_search", "a token for each node of an unbalanced tree", &[12, 12, 19]),
        case("wavefront", "tiles that need two others", &[3840, 30]),
        case("stencil", "strips that exchange borders", &[100_000, 50, 128]),
        case(FFT, "a 2-D FFT by tiles", &[512, 512, 0]),
    ],
    counted: &[4, 8, 16, 32, 64],
    predicted: &[1, 2, 4, 8, 16, 32, 64],
    runs: 7,
};

/// Extent of the tests.
pub(crate) const FEW: Extent = Extent {
    cases: &[
        case("fib", "two tokens a call", &[11]),
        case("stencil", "strips that exchange borders", &[200, 5, 8]),
        case(FFT, "a 2-D FFT by tiles", &[8, 8, 0]),
    ],
    counted: &[4, 8],
    predicted: &[1, 4, 8],
    runs: 1,
};

/// Name of the 2-D FFT.
const FFT: &str = "grouped";

const fn case(program: &'static str, about: &'static str, sizes: &'static [u64]) -> Case {
    Case { program, about, sizes }
}

impl Case {
    /// Returns the program with its expected result.
    pub(crate) fn instance(&self) -> Result<Instance, ProgramError> {
        if self.program == FFT {
            let own = transforms(&earth_papers::planner());
            let transform = own.iter().find(|transform| transform.name() == FFT);
            transform.map(|transform| transform.at(self.sizes))
        } else {
            earth_programs::named(self.program).map(|program| program.at(self.sizes))
        }
        .unwrap_or_else(|| unreachable!("there is a program {}", self.program))
    }

    /// Returns its name and sizes.
    pub(crate) fn name(&self) -> String {
        let sizes = self.sizes.iter().filter(|&&size| size > 0);
        sizes.fold(format!("`{}`", self.program), |name, size| format!("{name} {size}"))
    }
}

/// Distances between the cores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) enum Distance {
    /// Cores of a group are closer to each other.
    Groups,
    /// All have the same distance: the network of the profile.
    Equal,
}

impl Distance {
    /// Returns the policies of a simulated machine.
    pub(crate) fn policies(self, profile: &Profile, config: Config) -> Policies {
        match self {
            Self::Groups => groups(profile, config),
            Self::Equal => Policies::new(),
        }
    }
}
