//! Changes of the machine. All verdicts are taken again after each.
//!
//! Each estimate and each fitted figure of the profile is halved and doubled. Two more changes are of a whole
//! group: the costs of SPN's operations were estimated together, and so was the speed of DUAL's
//! synchronization unit. Such an error would be common to all of them.

use earth::simulated::Profile;
use earth_report::statements::{Change, Parameter, Status};

use super::charts::experiments::with_spn_costs;
use crate::parameters;
use crate::parameters::with_su_speed;

/// Names of the groups.
const SPN: &str = "spn";
const SU: &str = "dual, the synchronization unit";

/// Returns the parameters of the profile, and the groups.
pub(super) fn parameters(profile: &Profile) -> Vec<Parameter> {
    let group = |name: &str, value: &str| Parameter {
        name: name.to_owned(),
        status: Status::Estimate,
        value: value.to_owned(),
        changed: [true; 2],
    };
    let groups = [group(SPN, "all its costs together"), group(SU, "all its costs together")];
    parameters::of_profile(profile).into_iter().chain(groups).collect()
}

/// Yields the changes, each with the changed profile.
pub(super) fn changes(profile: &Profile) -> impl Iterator<Item = (Change, Profile)> {
    let spn = Change::both(SPN).map(|change| {
        let changed = with_spn_costs(profile, change.factor());
        (change, changed)
    });
    let su = Change::both(SU).map(|change| {
        let changed = with_su_speed(profile, 1.0 / change.factor());
        (change, changed)
    });
    parameters::changes(profile).chain(spn).chain(su)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_of_a_parameter_that_is_listed_as_changed() {
        let given = Profile::named("seed140-scaled-net").unwrap();
        let listed = parameters(&given);
        for (change, changed) in changes(&given) {
            let parameter = listed.iter().find(|of| of.name == change.parameter).unwrap();
            assert!(parameter.changed[usize::from(change.doubled)], "{change:?}");
            assert!(changed != given && changed.check().is_ok(), "{change:?}");
        }
        let all: usize = listed.iter().flat_map(|of| of.changed).map(usize::from).sum();
        assert_eq!(all, changes(&given).count());
    }

    #[test]
    fn a_group_changes_one_configuration_alone() {
        let given = Profile::named("seed140-scaled-net").unwrap();
        let of = |name: &str| changes(&given).find(|(of, _)| of.parameter == name && of.doubled).unwrap().1;
        let (spn, su) = (of(SPN), of(SU));
        assert_eq!((spn.spn.sync, spn.spn.receive_word), (20, 110));
        assert_eq!((su.dual.sync, su.dual.issue, su.dual.dispatch), (84, 15, 28));
        assert!(spn.dual == given.dual && su.spn == given.spn);
    }
}
