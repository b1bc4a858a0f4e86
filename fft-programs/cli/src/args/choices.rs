//! Options whose values are names, each with a line of help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A value, its name, and what it is; nothing where the option says it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<T>(pub(super) T, pub(super) &'static str, pub(super) &'static str);

/// Takes the names of `choices` and no others.
pub(super) fn choices<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter().map(|Choice(_, name, help)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    });
    PossibleValuesParser::new(names).map(move |given| {
        let chosen = choices.iter().find(|Choice(_, name, _)| *name == given);
        chosen.map_or_else(
            || unreachable!("the parser takes no other names: {given}"),
            |Choice(value, ..)| *value,
        )
    })
}
