//! Parameters of a simulated machine's profile, and profiles with one of them changed.

use std::fmt::Display;

use earth::simulated::{NetworkKind, Profile};
use earth_report::statements::{Change, Parameter, Status};
use toml::{Table, Value};

/// Returns the profile with synchronization units `speed` times as fast.
pub(crate) fn with_su_speed(profile: &Profile, speed: f64) -> Profile {
    let mut profile = profile.clone();
    let su = &mut profile.dual;
    let all = [
        &mut su.sync,
        &mut su.word,
        &mut su.block,
        &mut su.spawn,
        &mut su.frame,
        &mut su.token,
        &mut su.token_take,
        &mut su.send_word,
        &mut su.send_block,
        &mut su.receive_word,
        &mut su.receive_block,
    ];
    for cost in all {
        *cost = (*cost as f64 * (1.0 / speed)).round() as u64;
    }
    profile
}

/// Returns the numbers of a profile that are costs or sizes of the machine, in the order of its file. A
/// number that is 0 is left out, because half and twice of it are the same.
pub(crate) fn of_profile(profile: &Profile) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    collect(&table(profile), "", &mut parameters);
    for parameter in &mut parameters {
        let is_fitted = profile.fitted.contains(&parameter.name);
        parameter.status = match () {
            () if profile.is_published(&parameter.name) => Status::Published,
            () if is_fitted => Status::Fitted,
            () => Status::Estimate,
        };
        if parameter.status != Status::Published {
            parameter.changed = [false, true].map(|doubled| {
                let change = Change { parameter: parameter.name.clone(), doubled };
                changed(profile, &change).is_some()
            });
        }
    }
    parameters
}

/// Yields the changes of all estimates and fitted figures, each with the changed profile.
pub(crate) fn changes(profile: &Profile) -> impl Iterator<Item = (Change, Profile)> {
    let parameters = of_profile(profile).into_iter().filter(|of| of.status != Status::Published);
    let changes = parameters.flat_map(|parameter| Change::both(&parameter.name));
    changes.filter_map(|change| Some((change.clone(), changed(profile, &change)?)))
}

/// Returns the profile after a change of one parameter; `None` if no valid profile has it.
fn changed(profile: &Profile, change: &Change) -> Option<Profile> {
    let mut all = table(profile);
    let mut keys = change.parameter.split('.').peekable();
    let mut within = &mut all;
    loop {
        let key = keys.next()?;
        let value = within.get_mut(key)?;
        if keys.peek().is_none() {
            *value = scaled(value, change.factor())?;
            break;
        }
        within = value.as_table_mut()?;
    }
    let changed: Profile = all.try_into().ok()?;
    changed.check().is_ok().then_some(changed)
}

/// Returns a number times `factor`; `None` for a whole number that has no half.
fn scaled(value: &Value, factor: f64) -> Option<Value> {
    match value {
        Value::Float(number) => Some(Value::Float(number * factor)),
        Value::Integer(number) => {
            let scaled = (*number as f64 * factor).round() as i64;
            (scaled != *number && scaled > 0).then_some(Value::Integer(scaled))
        }
        _ => None,
    }
}

/// Collects the numbers of a table, under names that begin with `prefix`.
fn collect(table: &Table, prefix: &str, parameters: &mut Vec<Parameter>) {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        match value {
            Value::Table(within) if key != "policy" => {
                collect(within, &format!("{name}."), parameters);
            }
            Value::Integer(number) if *number != 0 => parameters.push(parameter(name, number)),
            Value::Float(number) if *number != 0.0 => parameters.push(parameter(name, number)),
            _ => {}
        }
    }
}

fn parameter(name: String, number: &impl Display) -> Parameter {
    let value = format!("{number}{}", unit(&name));
    Parameter { name, status: Status::Estimate, value, changed: [false; 2] }
}

/// Returns the unit of a figure, with a space before it. A plain number has no unit.
fn unit(name: &str) -> &'static str {
    let last = name.rsplit('.').next().unwrap_or_default();
    match last {
        "clock_mhz" => " MHz",
        "byte" => " cycles a byte",
        "flop" => " cycles a flop",
        "smallest" | "eager" | "packet" | "header" | "chunk" | "trailer" => " bytes",
        "buffers" | "entry_packets" => " packets",
        "ports" | "channels" | "entries" | "sides" => "",
        _ => " cycles",
    }
}

/// Returns the tables of a profile. A file leaves out a torus with the usual figures; this table has it.
fn table(profile: &Profile) -> Table {
    let is_table = |why| -> Table { unreachable!("a profile is tables of figures: {why}") };
    let mut all = Table::try_from(profile).unwrap_or_else(is_table);
    let torus = Table::try_from(&profile.network.torus).unwrap_or_else(is_table);
    let has_torus = profile.network.kind == NetworkKind::Torus;
    if let Some(network) = all.get_mut("network").and_then(Value::as_table_mut).filter(|_| has_torus) {
        network.insert("torus".to_owned(), Value::Table(torus));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manna() -> Profile {
        Profile::named("seed140-scaled-net").unwrap()
    }

    #[test]
    fn each_figure_has_its_origin() {
        let parameters = of_profile(&manna());
        let of = |name: &str| parameters.iter().find(|of| of.name == name).unwrap();
        assert_eq!(of("clock_mhz").status, Status::Published);
        assert_eq!(of("clock_mhz").changed, [false; 2]);
        assert_eq!(
            (of("spn.send_word").status, of("spn.send_word").value.as_str()),
            (Status::Estimate, "50 cycles")
        );
        assert_eq!(["clock_mhz", "network.ports"].map(|name| of(name).value.as_str()), ["140 MHz", "16"]);
        assert_eq!((of("work.flop").status, of("work.flop").changed), (Status::Fitted, [true; 2]));
        assert!(parameters.iter().all(|of| of.name != "dual.poll"), "0 has no half");
    }

    /// The file of Blue Gene/L has the usual torus.
    #[test]
    fn a_torus_has_figures_although_they_are_the_usual_ones() {
        let profile = Profile::named("bluegene-l").unwrap();
        let status =
            |name: &str| of_profile(&profile).into_iter().find(|of| of.name == name).map(|of| of.status);
        assert_eq!(status("network.torus.trailer"), Some(Status::Fitted));
        assert_eq!(status("network.torus.packet"), Some(Status::Published));
        let doubled = Change { parameter: "network.torus.buffers".to_owned(), doubled: true };
        let buffers =
            changes(&profile).find(|(change, _)| *change == doubled).unwrap().1.network.torus.buffers;
        assert_eq!(buffers, 2 * profile.network.torus.buffers);
        assert!(of_profile(&manna()).iter().all(|of| !of.name.starts_with("network.torus")));
    }

    #[test]
    fn a_change_is_of_one_figure() {
        let all: Vec<_> = changes(&manna()).collect();
        assert!(all.len() > 60, "{}", all.len());
        for (change, profile) in &all {
            assert_ne!(*profile, manna(), "{change:?}");
        }
        let of = |name: &str, doubled| {
            let of = Change { parameter: name.to_owned(), doubled };
            all.iter().find(|(change, _)| *change == of).map(|(_, profile)| profile.clone())
        };
        let doubled = Profile { spn: earth::simulated::Operations { sync: 20, ..manna().spn }, ..manna() };
        assert_eq!(of("spn.sync", true), Some(doubled));
        assert_eq!(of("network.hop", false).map(|profile| profile.network.hop), Some(5.0));
        assert_eq!(of("network.ports", true), None, "it is published");
    }
}
