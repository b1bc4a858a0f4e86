//! Costs of the simulated machines.

use earth::Policy;
use earth::simulated::Profile;

use super::measured::Point;

/// Costs of all machines: the given profile, and the changes that figures make to it.
#[derive(Debug)]
pub(super) struct Setups {
    all: Vec<Setup>,
    /// Policy that replaced the profile's, if one did.
    policy: Option<Policy>,
}

/// Costs with a name that describes the change.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) name: String,
    pub(super) profile: Profile,
}

impl Setups {
    /// Creates the setups with the given profile, under its own policy or another one.
    pub(super) fn new(mut profile: Profile, policy: Option<Policy>) -> Self {
        let policy = policy.filter(|policy| *policy != profile.policy);
        profile.policy = policy.unwrap_or(profile.policy);
        let mut setups = Self { all: Vec::new(), policy };
        setups.with(profile.name.clone(), profile);
        setups
    }

    pub(super) fn given(&self) -> &Profile {
        &self.all[0].profile
    }

    /// Returns the policy that replaced the profile's, if one did.
    pub(super) fn other_policy(&self) -> Option<Policy> {
        self.policy
    }

    /// Adds a profile and returns its index. An equal profile keeps its first index and name. If the policy
    /// replaced the profile's, the name includes it.
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

    pub(super) fn of(&self, point: &Point) -> &Setup {
        &self.all[point.setup]
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
