//! Options common to several commands: values by name, each with a line of help, numbers, and the policy.
//! [`csv::Options`](crate::io::csv::Options) configure how a table is read.

use std::num::NonZeroUsize;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use earth::Policy;
use earth_fft::{Config, Planner};
use earth_papers::groups::{Pad, Partition};
use earth_papers::overlap::Variant;

/// Value of an option and its help, which is empty if the option itself explains it.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T>(pub T, pub &'static str);

/// Value that is chosen by name.
pub trait Named {
    /// Returns the name.
    fn named(&self) -> &'static str;
}

macro_rules! named {
    ($($of:ty),*) => {
        $(impl Named for $of {
            fn named(&self) -> &'static str {
                self.name()
            }
        })*
    };
}
named!(Config, Pad, Partition, Variant);

/// Returns a parser that takes exactly the names of `choices`.
pub fn choices<T: Named + Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter().map(|Choice(value, help)| match *help {
        "" => PossibleValue::new(value.named()),
        help => PossibleValue::new(value.named()).help(help),
    });
    PossibleValuesParser::new(names).map(move |given| {
        let chosen = choices.iter().find(|Choice(value, _)| value.named() == given);
        chosen.map_or_else(
            || unreachable!("the parser takes no other names: {given}"),
            |Choice(value, _)| *value,
        )
    })
}

/// Returns a parser that takes `auto` and the names of the planner's solvers.
pub fn algorithms(planner: &Planner) -> PossibleValuesParser {
    let auto = PossibleValue::new("auto").help("All nodes for a large matrix, else one thread");
    let known = planner.solvers().map(|solver| match solver.about() {
        "" => PossibleValue::new(solver.name()),
        about => PossibleValue::new(solver.name()).help(about),
    });
    PossibleValuesParser::new([auto].into_iter().chain(known))
}

/// Configurations of machines.
pub const CONFIGS: [Choice<Config>; 2] = [
    Choice(Config::Spn, "One thread a node runs fibers and serves their operations"),
    Choice(Config::Dual, "Two threads a node: one runs fibers, one serves operations"),
];

/// Ways to distribute rows over groups.
pub const PARTITIONS: [Choice<Partition>; 2] = [
    Choice(Partition::Lb, "Load-balanced: the same number for each (PFFT-LB)"),
    Choice(Partition::Fpm, "By measured speed functions (PFFT-FPM)"),
];

/// Ways to pad rows.
pub const PADS: [Choice<Pad>; 5] = [
    Choice(Pad::None, "No padding"),
    Choice(Pad::Stride, "Rows an odd number of cache lines apart; exact"),
    Choice(Pad::Chirp, "By a chirp of a fast longer length, for each group; exact"),
    Choice(Pad::Spectrum, "As published: zeros to a faster length; another transform"),
    Choice(Pad::Auto, "The fastest of none, stride, chirp by speed functions"),
];

/// Order in which nodes take up waiting work.
#[derive(Clone, Copy, Debug, Args)]
pub struct Turns {
    /// Order of work on a node: newest-first, one-queue or fibers-first
    ///
    /// The name is an order of fibers; keys may follow: one-queue,feed=1.
    ///
    /// Keys are in-a-row, tokens, token-every, steal, feed, batch and spin.
    ///
    /// Omitted keys are as in the default, newest-first.
    ///
    /// Without the option, simulate takes the policy of the profile.
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<Policy>,
}

/// Precision of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Precision {
    /// Double: 16 bytes a point
    #[default]
    F64,
    /// Single: 8 bytes a point
    F32,
}

/// Parses a number of at least 1.
///
/// # Errors
///
/// One sentence that states this rule.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number: usize = text.parse().map_err(|error| format!("{error}"))?;
    NonZeroUsize::new(number).ok_or_else(|| "it must be at least 1".to_owned())
}

/// Parses a finite number greater than 0.
///
/// # Errors
///
/// One sentence that states this rule.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        Ok(_) => Err("it must be finite and greater than 0".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Args as _, Command};
    use earth::Policy;

    use super::*;
    use crate::io::csv::Options;

    #[test]
    fn every_word_for_a_missing_value_is_in_the_help() {
        let help =
            Options::augment_args(Command::new("read").arg(Arg::new("input"))).render_long_help().to_string();
        let words: Vec<_> =
            help.split_whitespace().map(|word| word.trim_end_matches([',', '.']).to_lowercase()).collect();
        for word in crate::io::csv::MISSING {
            let told = word.trim_end_matches('.');
            assert!(word.contains(' ') || words.iter().any(|word| word == told), "{word}");
        }
    }

    #[test]
    fn every_policy_and_key_is_in_the_help() {
        let command = Turns::augment_args(Command::new("run"));
        let option = command.get_arguments().find(|option| option.get_id() == "policy").expect("an option");
        let [short, long] =
            [option.get_help(), option.get_long_help()].map(|help| help.expect("help").to_string());
        let keys = serde_json::to_value(Policy::default()).unwrap();
        let keys = keys.as_object().unwrap().keys().filter(|key| *key != "fibers");
        for (name, _) in Policy::NAMED {
            assert!(short.contains(name), "{name}: {short}");
        }
        for key in keys {
            assert!(long.contains(key.as_str()), "{key}: {long}");
        }
    }
}
