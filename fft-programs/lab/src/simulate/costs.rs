//! Costs that may influence the results of a run.
//!
//! Two runs whose used costs are equal have equal results, so one of them is enough. A test changes each cost
//! that is left out, and compares all results.

use earth::Config;
use earth::simulated::{Operations, Profile};

use super::measured::Point;
use super::program::Program;

/// Returns the profile without the costs that the run cannot use: the costs of the other configuration, of a
/// network without other nodes, and of operations that its program does not have.
pub(super) fn used(point: &Point, profile: &Profile) -> Profile {
    let mut used =
        Profile { name: String::new(), published: Vec::new(), fitted: Vec::new(), ..profile.clone() };
    let (here, other) = match point.config {
        Config::Spn => (&mut used.spn, &mut used.dual),
        Config::Dual => (&mut used.dual, &mut used.spn),
    };
    *other = Operations::default();
    for cost in unused(point, here) {
        *cost = 0;
    }
    if point.p == 1 {
        used.network = Profile::free().network;
    }
    used
}

/// Returns the costs of operations that the run does not have.
fn unused<'a>(point: &Point, operations: &'a mut Operations) -> Vec<&'a mut u64> {
    let has_watchdog = operations.watchdog.is_some();
    let Operations {
        token, token_take, send_word, send_block, receive_word, receive_block, interrupt, ..
    } = operations;
    let mut unused = Vec::new();
    if point.program != Program::Tokens {
        unused.extend([token, token_take]);
    }
    if point.p == 1 {
        unused.extend([send_word, send_block, receive_word, receive_block]);
    }
    if !has_watchdog {
        unused.push(interrupt);
    }
    unused
}

#[cfg(test)]
mod tests {
    use earth_report::statements::Change;

    use super::*;
    use crate::parameters;
    use crate::simulate::chart::CONFIGS;
    use crate::simulate::measured::Measured;
    use crate::simulate::runs;

    fn measured(point: Point, profile: &Profile) -> Measured {
        runs::alone(&point, profile).unwrap()
    }

    /// Returns runs of all programs, on one node and on several.
    fn points() -> Vec<Point> {
        let programs = [
            (Program::Row, 1),
            (Program::Sender(4), 1),
            (Program::Sender(4), 4),
            (Program::Tree, 1),
            (Program::Tree, 8),
            (Program::Shared, 1),
            (Program::Shared, 8),
            (Program::Tokens, 8),
        ];
        let at = |(program, p)| CONFIGS.map(|config| Point::at(program, config, 64, p));
        // Squares are run without data.
        let squares =
            CONFIGS.map(|config| Point { phantom: true, ..Point::at(Program::Square(4), config, 64, 4) });
        programs.into_iter().flat_map(at).chain(squares).collect()
    }

    #[test]
    fn a_cost_that_is_left_out_changes_nothing() {
        let given = Profile::named("seed140-scaled-net").unwrap();
        let mut left_out = 0;
        for point in points() {
            let as_given = measured(point, &given);
            for (change, changed) in parameters::changes(&given) {
                if used(&point, &changed) == used(&point, &given) {
                    left_out += 1;
                    assert_eq!(measured(point, &changed), as_given, "{point}, {change:?}");
                }
            }
        }
        assert!(left_out > 500, "{left_out}");
    }

    #[test]
    fn costs_of_the_other_configuration_and_of_tokens_are_left_out() {
        let given = Profile::named("seed140-scaled-net").unwrap();
        let is_used = |name: &str, program, config, p| {
            let of = Change { parameter: name.to_owned(), doubled: true };
            let (_, changed) = parameters::changes(&given).find(|(change, _)| *change == of).unwrap();
            let point = Point::at(program, config, 64, p);
            used(&point, &changed) != used(&point, &given)
        };
        let [spn, dual] = CONFIGS;
        assert!(is_used("spn.sync", Program::Tree, spn, 4) && !is_used("spn.sync", Program::Tree, dual, 4));
        assert!(is_used("dual.sync", Program::Tree, dual, 4) && !is_used("dual.sync", Program::Tree, spn, 4));
        assert!(
            is_used("spn.token", Program::Tokens, spn, 4) && !is_used("spn.token", Program::Tree, spn, 4)
        );
        assert!(!is_used("network.hop", Program::Sender(4), spn, 1));
        assert!(is_used("work.flop", Program::Row, spn, 1));
    }
}
