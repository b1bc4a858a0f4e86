//! The examples, which check their own results.

#[allow(dead_code, reason = "only the example writes a file")]
#[path = "../../examples/blur.rs"]
mod blur;
#[allow(dead_code, reason = "only the example has a use for it")]
#[path = "../../examples/filter.rs"]
mod filter;
#[allow(dead_code, reason = "only the example has a use for it")]
#[path = "../../examples/poisson.rs"]
mod poisson;
#[allow(dead_code, reason = "only the example has a use for it")]
#[path = "../../examples/table.rs"]
mod table;

#[test]
fn a_series_is_smoothed() {
    filter::demonstrate().unwrap();
}

#[test]
fn a_picture_is_blurred() {
    blur::demonstrate().unwrap();
}

#[test]
fn charges_have_a_potential() {
    poisson::demonstrate().unwrap();
}

#[test]
fn sensors_hear_tones() {
    table::demonstrate().unwrap();
}
