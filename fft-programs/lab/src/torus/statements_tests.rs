use earth::simulated::Profile;
use earth_report::statements::{Row, Verdict};

use super::*;
use crate::torus::PROFILE;

/// Returns results in which each exchange has the share of the peak that `share` returns.
fn world(share: impl Fn(&Exchange) -> f64) -> Results {
    Results::invented(Profile::named(PROFILE).unwrap(), crate::torus::document::document, share)
}

/// Returns the paper's shares where it gives figures: the base at 63% of the peak on large tori and slightly
/// better than phases on small ones, and phases at 85%.
fn papers(exchange: &Exchange) -> f64 {
    let nodes: usize = exchange.sides.iter().product();
    match (exchange.order, exchange.change) {
        (Order::Random, ENDLESS) => 0.97,
        (Order::Random, _) if nodes <= FEW => 0.87,
        (Order::Random, _) => 0.63,
        (Order::Barriers(NO_BARRIER), _) => 0.7,
        (_, Change::FreeBarrier) => 0.9,
        _ => 0.85,
    }
}

fn rows(share: impl Fn(&Exchange) -> f64) -> Vec<Row> {
    STATEMENTS.judged(&world(share))
}

fn row(number: usize, share: impl Fn(&Exchange) -> f64) -> Row {
    rows(share).into_iter().find(|row| row.number == number).unwrap()
}

#[test]
fn the_paper_s_model_is_found_again() {
    let rows = rows(papers);
    let row = |number| rows.iter().find(|row| row.number == number).unwrap();
    for number in [1, 2, 3, 4, 5, 7, 8, 10, 11, 15, 16, 17] {
        assert_eq!(row(number).verdict, Verdict::Holds, "{:?}", row(number));
    }
    // The paper gives no figure for the speed of overlap, and a phase of quarters always has two partners.
    assert_eq!([6, 12].map(|number| row(number).verdict), [Verdict::InPart, Verdict::DoesNotHold]);
}

#[test]
fn false_statements_fail() {
    let of = |is_changed: fn(&Exchange) -> bool, factor: f64| {
        move |exchange: &Exchange| papers(exchange) * if is_changed(exchange) { factor } else { 1.0 }
    };
    let is_base: fn(&Exchange) -> bool = |exchange| exchange.order == Order::Random;
    let is_phased: fn(&Exchange) -> bool = |exchange| matches!(exchange.order, Order::Barriers(1..=6));
    let fails = |number, share: &dyn Fn(&Exchange) -> f64| {
        let row = row(number, share);
        assert_eq!(row.verdict, Verdict::DoesNotHold, "{row:?}");
    };
    fails(1, &of(is_base, 0.5));
    fails(3, &|exchange| if is_base(exchange) { 0.4 } else { papers(exchange) });
    fails(4, &of(is_phased, 0.5));
    fails(5, &of(is_phased, 0.5));
    fails(9, &of(is_base, 0.2));
    fails(15, &|exchange| if exchange.sides == [32; 3] { 0.3 } else { papers(exchange) });
    fails(18, &of(is_base, 2.0));
    // Phases without any barrier are equally fast.
    let row = row(7, |exchange| if is_base(exchange) { 0.63 } else { 0.85 });
    assert_eq!(row.verdict, Verdict::InPart, "{row:?}");
}

#[test]
fn larger_buffers_are_told_as_the_experiment_and_not_checked() {
    let with = |packets, other: f64| {
        row(1, move |exchange| match exchange.change {
            Change::Buffers(many) if many == packets => 0.64,
            _ if exchange.order == Order::Random => other,
            _ => 0.85,
        })
    };
    let row = with(32, 0.3);
    assert_eq!(row.verdict, Verdict::DoesNotHold, "{row:?}");
    assert!(
        row.why.as_ref().unwrap().contains("with buffers of 32 packets the base has 64% of the peak: 22."),
        "{row:?}"
    );
}
