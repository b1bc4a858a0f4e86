//! The environment variable `EARTH_WATCH`, which switches a monitor on in any program.

use std::env;
use std::time::Duration;

use super::{Audience, StallMonitor};
use crate::vocabulary::error::Error;

const NAME: &str = "EARTH_WATCH";

impl StallMonitor {
    /// Returns the monitor that `EARTH_WATCH` requests, if the variable is set.
    pub(in crate::machine) fn of_environment() -> Result<Option<Self>, Error> {
        let Some(value) = env::var_os(NAME) else { return Ok(None) };
        match value.to_str().and_then(time) {
            Some(after) => Ok(Some(StallMonitor { after, report: Audience::Printed })),
            None => Err(Error::Environment {
                variable: NAME.to_owned(),
                expected: "a time such as `500ms`, `2s` or `1m`".to_owned(),
                value: value.to_string_lossy().into_owned(),
            }),
        }
    }
}

/// Returns the time that the text names: a whole number above 0 and its unit.
fn time(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|character: char| !character.is_ascii_digit())?);
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        _ => return None,
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(millis)?;
    (millis > 0).then(|| Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_whole_number_and_a_unit() {
        let millis = |text| time(text).map(|time| time.as_millis());
        assert_eq!(["500ms", "2s", "1m", "007s"].map(millis), [500, 2000, 60_000, 7000].map(Some));
        let wrong = [
            "",
            "2",
            "s",
            "0s",
            "2 s",
            " 2s",
            "2S",
            "-2s",
            "+2s",
            "1.5s",
            "2h",
            "2sm",
            "99999999999999999999s",
        ];
        assert_eq!(wrong.map(millis), [None; 13]);
        assert_eq!(millis("18446744073709551615m"), None);
    }
}
