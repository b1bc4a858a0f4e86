//! The paper's two machines: profiles, and rates of all-to-alls by the number of ranks.
//!
//! | machine | exchange | progress |
//! |---|---|---|
//! | UMD-Cluster | all blocks of a tile at once, as by `LibNBC` | a block needs a handshake, which its two processors take up at polls; then the network moves it |
//! | Hopper | pairwise rounds, as by MPICH | a round begins at a poll; then the network moves its block |
//!
//! *Rates.* One rate of a profile for all numbers of ranks does not give the paper's times. In the reading
//! [`Rate::ByRanks`], [some numbers of ranks](FITTED) have a rate of their own. With it the simulated FFTW takes
//! the paper's time for one array. [`Rate::One`] has the profile's rate for all.

use earth::simulated::Profile;
use earth_papers::overlap::Rounds;
use earth_report::statements::{Change, Parameter, Status};
use serde::Serialize;

use crate::parameters::{self, of_profile};

/// Machine of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) enum Machine {
    Cluster,
    Hopper,
}

impl Machine {
    pub(crate) const ALL: [Self; 2] = [Self::Cluster, Self::Hopper];

    /// Returns the paper's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cluster => "UMD-Cluster",
            Self::Hopper => "Hopper",
        }
    }

    /// Returns the other machine.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Cluster => Self::Hopper,
            Self::Hopper => Self::Cluster,
        }
    }

    /// Returns how its MPI exchanges a tile.
    pub(crate) fn rounds(self) -> Rounds {
        match self {
            Self::Cluster => Rounds::AllAtOnce,
            Self::Hopper => Rounds::Pairwise,
        }
    }

    /// Returns the name of its parameters, up to the name in the profile.
    fn prefix(self) -> &'static str {
        match self {
            Self::Cluster => "cluster.",
            Self::Hopper => "hopper.",
        }
    }
}

/// Most ranks of Tables 2(a) and 2(b). Table 2(c) has more.
pub(crate) const FEW: usize = 32;

/// Points along a side of the larger of the two small arrays.
pub(crate) const SMALL: usize = 384;

/// Rate of an all-to-all, as a reading of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) enum Rate {
    /// The fitted rate of the number of ranks, where there is one.
    ByRanks,
    /// The profile's.
    One,
}

impl Rate {
    pub(crate) const ALL: [Self; 2] = [Self::ByRanks, Self::One];

    /// Returns its name as a reading.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ByRanks => "rates by ranks",
            Self::One => "one rate",
        }
    }
}

/// Numbers of ranks with a fitted rate, with the array whose times it fits.
pub(crate) const FITTED: [(Machine, usize, usize); 3] =
    [(Machine::Cluster, 16, 640), (Machine::Hopper, 128, 2048), (Machine::Hopper, 256, 2048)];

/// Fitted rates of a rank's link in MB/s.
const RATES: [f64; 3] = [183.0, 239.0, 175.0];

/// Setting: an array of n^3 points on some ranks of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) ranks: usize,
    pub(crate) n: usize,
    pub(crate) rate: Rate,
    /// Factor of the rate as a power of the square root of two.
    pub(crate) faster: i32,
}

impl Setting {
    pub(crate) fn new(machine: Machine, ranks: usize, n: usize) -> Self {
        Self { machine, ranks, n, rate: Rate::ByRanks, faster: 0 }
    }

    /// Returns the setting in a reading of the rate.
    pub(crate) fn at(self, rate: Rate) -> Self {
        Self { rate: if self.fitted().is_some() { rate } else { Rate::ByRanks }, ..self }
    }

    /// Returns the setting with another speed of the network.
    pub(crate) fn faster(self, faster: i32) -> Self {
        Self { faster, ..self }
    }

    /// Returns whether a search takes seconds.
    pub(crate) fn is_small(self) -> bool {
        self.ranks <= FEW && self.n <= SMALL
    }

    /// Returns the factor of the rate of the network.
    pub(crate) fn factor(self) -> f64 {
        (f64::from(self.faster) / 2.0).exp2()
    }

    /// Returns the place of its fitted rate.
    fn fitted(self) -> Option<usize> {
        FITTED.iter().position(|&(machine, ranks, _)| (machine, ranks) == (self.machine, self.ranks))
    }

    /// Returns the name, without the machine.
    pub(crate) fn name(self) -> String {
        format!("{}^3 on {}", self.n, self.ranks)
    }

    /// Returns whether times of the setting depend on a parameter of [`Machines`], for programs of one
    /// processor a rank or of two.
    pub(super) fn depends_on(self, parameter: &str, is_dual: bool) -> bool {
        let Some(name) = parameter.strip_prefix(self.machine.prefix()) else { return false };
        let fitted = self.fitted().filter(|_| self.rate == Rate::ByRanks);
        // Only handshakes are messages of words, apart from the beginning and the end.
        let has_words = self.machine == Machine::Cluster;
        match name {
            "network.byte" => fitted.is_none(),
            // There are more ports than ranks.
            "network.ports" => false,
            "spn.send_word" | "spn.receive_word" => has_words && !is_dual,
            "dual.send_word" | "dual.receive_word" => has_words && is_dual,
            name if name.starts_with("rate_") => fitted.is_some_and(|at| rate_name(at) == parameter),
            name => !name.starts_with(if is_dual { "spn." } else { "dual." }),
        }
    }
}

/// Returns the name of a fitted rate.
fn rate_name(at: usize) -> String {
    let (machine, ranks, _) = FITTED[at];
    format!("{}rate_{ranks}", machine.prefix())
}

/// The machines, at their costs or after a change of one.
#[derive(Clone, Debug)]
pub(crate) struct Machines {
    profiles: [Profile; 2],
    rates: [f64; 3],
}

impl Machines {
    /// Returns the machines of the page.
    pub(crate) fn new() -> Self {
        let texts = [include_str!("umd-cluster.toml"), include_str!("hopper.toml")];
        let profiles = texts.map(|text| {
            Profile::from_toml(text).unwrap_or_else(|why| unreachable!("a test reads the profiles: {why}"))
        });
        Self { profiles, rates: RATES }
    }

    pub(crate) fn of(&self, machine: Machine) -> &Profile {
        &self.profiles[machine as usize]
    }

    /// Returns the rate of a rank's link in MB/s.
    pub(crate) fn rate(&self, setting: Setting) -> f64 {
        let profile = self.of(setting.machine);
        let fitted = setting.fitted().filter(|_| setting.rate == Rate::ByRanks);
        let rate = fitted.map_or(profile.clock_mhz / profile.network.byte, |at| self.rates[at]);
        rate * setting.factor()
    }

    /// Returns the profile of a setting.
    pub(crate) fn profile(&self, setting: Setting) -> Profile {
        let mut profile = self.of(setting.machine).clone();
        profile.network.byte = profile.clock_mhz / self.rate(setting);
        profile
    }

    /// Returns all figures of the machines.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let named = |machine: Machine| {
            of_profile(self.of(machine)).into_iter().map(move |mut parameter| {
                parameter.name = format!("{}{}", machine.prefix(), parameter.name);
                parameter
            })
        };
        let rates = self.rates.iter().enumerate().map(|(at, rate)| Parameter {
            name: rate_name(at),
            status: Status::Fitted,
            value: format!("{rate} MB/s"),
            changed: [true; 2],
        });
        Machine::ALL.into_iter().flat_map(named).chain(rates).collect()
    }

    /// Yields the changes of all estimates and fitted figures, each with the changed machines.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Change, Self)> + '_ {
        let of_machine = move |machine: Machine| {
            parameters::changes(self.of(machine)).map(move |(change, profile)| {
                let mut changed = self.clone();
                changed.profiles[machine as usize] = profile;
                let parameter = format!("{}{}", machine.prefix(), change.parameter);
                (Change { parameter, ..change }, changed)
            })
        };
        let of_rate = move |at: usize| {
            Change::both(&rate_name(at)).map(move |change| {
                let mut changed = self.clone();
                changed.rates[at] *= change.factor();
                (change, changed)
            })
        };
        Machine::ALL.into_iter().flat_map(of_machine).chain((0..RATES.len()).flat_map(of_rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_depends_on_its_own_machine() {
        let cluster = [16, 32].map(|ranks| Setting::new(Machine::Cluster, ranks, 256));
        assert!(cluster[1].depends_on("cluster.network.byte", false));
        assert!(!cluster[0].depends_on("cluster.network.byte", false));
        assert!(cluster[0].at(Rate::One).depends_on("cluster.network.byte", false));
        assert!(cluster[0].depends_on("cluster.rate_16", false));
        assert!(!cluster[1].depends_on("cluster.rate_16", false));
        assert!(!cluster[0].depends_on("hopper.work.flop", false));
        assert!(!cluster[0].depends_on("cluster.dual.dispatch", false));
        assert!(cluster[0].depends_on("cluster.dual.dispatch", true));
    }

    #[test]
    fn a_change_is_of_one_figure() {
        let machines = Machines::new();
        let changes: Vec<_> = machines.changes().collect();
        let of = |name: &str| {
            changes
                .iter()
                .find(|(change, _)| change.parameter == name && change.doubled)
                .map(|(_, changed)| changed)
        };
        let setting = Setting::new(Machine::Hopper, 256, 2048);
        assert!((of("hopper.rate_256").unwrap().rate(setting) - 350.0).abs() < 1e-9);
        assert!(of("hopper.network.byte").is_none(), "it is published");
        let copy = |machines: &Machines| machines.of(Machine::Cluster).work.kernels["copy"];
        assert!((copy(of("cluster.work.kernels.copy").unwrap()) - 2.0 * copy(&machines)).abs() < 1e-9);
        let named = machines.parameters();
        for (change, _) in &changes {
            assert!(named.iter().any(|parameter| parameter.name == change.parameter), "{change:?}");
        }
    }
}
