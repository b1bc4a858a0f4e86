//! The costs of the machines that runs are on.

use earth::simulated::Profile;
use earth::{CancelToken, Machine, Policy};

use super::measured::Point;

/// The machines' costs: the profile that was asked for, and what figures make of it.
#[derive(Debug)]
pub(super) struct Setups {
    all: Vec<Setup>,
    /// The policy that took the place of the profile's, if one did.
    policy: Option<Policy>,
}

/// Costs with a name for what was changed.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) name: String,
    pub(super) profile: Profile,
}

impl Setups {
    /// Begins with the profile that was asked for, under its own policy or another one.
    pub(super) fn new(mut profile: Profile, policy: Option<Policy>) -> Self {
        let policy = policy.filter(|policy| *policy != profile.policy);
        profile.policy = policy.unwrap_or(profile.policy);
        let mut setups = Self { all: Vec::new(), policy };
        setups.with(profile.name.clone(), profile);
        setups
    }

    /// The profile that was asked for.
    pub(super) fn given(&self) -> &Profile {
        &self.all[0].profile
    }

    /// The policy that took the place of the profile's, if one did.
    pub(super) fn other_policy(&self) -> Option<Policy> {
        self.policy
    }

    /// The place of a profile; the first name of one stays. If its policy took the place of another one, the name says
    /// so.
    pub(super) fn with(&mut self, name: impl Into<String>, profile: Profile) -> usize {
        self.all.iter().position(|known| known.profile == profile).unwrap_or_else(|| {
            let mut name = name.into();
            if self.policy == Some(profile.policy) {
                name = format!("{name}, policy {}", profile.policy);
            }
            self.all.push(Setup { name, profile });
            self.all.len() - 1
        })
    }

    /// That of a point.
    pub(super) fn of(&self, point: &Point) -> &Setup {
        &self.all[point.setup]
    }

    /// Builds the machine that a point runs on.
    pub(super) fn machine(&self, point: &Point, cancel: &CancelToken) -> Machine {
        let profile = &self.of(point).profile;
        let machine = Machine::simulated(profile).nodes(point.p).config(point.config);
        machine.policy(profile.policy).cancel_token(cancel.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_that_are_the_same_are_one_setup() {
        let mut setups = Setups::new(Profile::named("manna50").unwrap(), None);
        assert_eq!(setups.with("the same", setups.given().clone()), 0);
        let mut other = setups.given().clone();
        other.network.hop = 7.0;
        assert_eq!([setups.with("hops", other.clone()), setups.with("again", other)], [1, 1]);
        assert_eq!((setups.all[0].name.as_str(), setups.all[1].name.as_str()), ("manna50", "hops"));
    }
}
