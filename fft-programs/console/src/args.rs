//! Options that several commands have. They have the same name in every command.

mod table;
mod values;

pub use table::Table;
pub use values::{
    CONFIGS, Choice, Named, PADS, PARTITIONS, Precision, Turns, algorithms, at_least_one, choices, positive,
};

#[cfg(test)]
mod tests {
    use clap::{Arg, Args as _, Command};
    use earth::Policy;

    use super::*;

    #[test]
    fn every_word_for_a_missing_value_is_in_the_help() {
        let help =
            Table::augment_args(Command::new("read").arg(Arg::new("input"))).render_long_help().to_string();
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
