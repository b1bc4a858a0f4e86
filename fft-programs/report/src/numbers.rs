//! Formatting of numbers, and their ranges.

/// Returns the conventional rate in GFLOPS, 5 N log2 N operations for `n` points in `seconds`; 0 for N of 1,
/// which takes no operations.
pub fn gflops(n: usize, seconds: f64) -> f64 {
    let operations = 5.0 * n as f64 * (n as f64).log2();
    if operations == 0.0 { 0.0 } else { operations / seconds / 1e9 }
}

/// Formats a time with four digits, in the unit that leaves one to three of them before the point.
pub fn seconds(time: f64) -> String {
    let (scale, unit) = match time {
        time if time >= 1.0 => (1.0, "s"),
        time if time >= 1e-3 => (1e3, "ms"),
        time if time >= 1e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    let scaled = time * scale;
    let decimals = match scaled {
        scaled if scaled >= 100.0 => 1,
        scaled if scaled >= 10.0 => 2,
        _ => 3,
    };
    format!("{scaled:.decimals$} {unit}")
}

/// Formats a time with as few digits as it needs, at most three.
pub fn short_seconds(time: f64) -> String {
    let text = seconds(time);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    format!("{} {unit}", short(number.parse().unwrap_or(time)))
}

/// Formats a number with as few digits as it needs, at most three after the point.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// Formats a whole number; powers of two past 4096 as `2^k`.
pub fn power(value: f64) -> String {
    let whole = value.round() as u64;
    if whole > 4096 && whole.is_power_of_two() { format!("2^{}", whole.ilog2()) } else { whole.to_string() }
}

/// Formats a share as a whole number of percent.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Formats a number with two digits after the point.
pub fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Returns the mean; NaN without values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        (sum, count) = (sum + value, count + 1.0);
    }
    sum / count
}

/// Returns the least and the greatest value; infinity and its negative without values.
pub fn extent(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    values.into_iter().fold(none, |[low, high], value| [low.min(value), high.max(value)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_four_digits_and_one_to_three_of_them_before_the_point() {
        let shown: Vec<_> = [90.0, 0.5, 2.5e-5, 3e-9, 0.0].map(seconds).into();
        assert_eq!(shown, ["90.00 s", "500.0 ms", "25.00 us", "3.000 ns", "0.000 ns"]);
        assert_eq!([0.5, 2e-3, 1.25e-5].map(short_seconds), ["500 ms", "2 ms", "12.5 us"]);
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<_> = [0.0, 0.5, 1.0, 20.0, 0.0123, 1234.0, 1.5].map(short).into();
        assert_eq!(shown, ["0", "0.5", "1", "20", "0.0123", "1234", "1.5"]);
        assert_eq!(
            [64.0, 4096.0, 8192.0, 10_000.4, 67_108_864.0].map(power),
            ["64", "4096", "2^13", "10000", "2^26"]
        );
        assert_eq!([percent(0.256), ratio(1.0)], ["26%", "1.00"]);
    }
}
