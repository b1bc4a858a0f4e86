use super::*;
use crate::torus::PROFILE;
use crate::torus::cases::DIMENSIONS;

fn results() -> Results {
    Results::new(Profile::named(PROFILE).unwrap())
}

#[test]
fn nodes_of_a_part_exchange_what_they_have() {
    let results = results();
    let nodes = results.model(LARGEST).nodes();
    for transform in &DIMENSIONS {
        for sides in transform.exchanges {
            let part = results.model(sides);
            let bytes = part.pair_bytes(transform.points_of(sides)) * part.nodes();
            assert!((bytes / (transform.points() * 16.0 / nodes) - 1.0).abs() < 1e-12, "{transform:?}");
        }
    }
}

#[test]
fn doublings_are_small_from_where_a_pair_has_one_packet() {
    let results = results();
    let of = |log: i32| results.small_doublings(f64::from(log).exp2());
    assert_eq!(of(30), [[[32, 16, 16], [32, 32, 16]], [[32, 32, 16], [32, 32, 32]]]);
    assert_eq!((of(32).len(), of(34)), (2, vec![[[32, 32, 32], LARGEST]]));
}

#[test]
fn equal_runs_have_one_key() {
    let results = results();
    let view = |parameter: &str| {
        let is_of = |change: &Change| change.parameter == parameter && change.doubled;
        results.changed().find(|(change, _)| is_of(change)).unwrap().1
    };
    let base = Exchange::new(&[4, 4], 240, Order::Random);
    let usual = results.run_of(&base);
    assert_eq!(usual.change, None);
    for unused in
        ["network.interface", "network.smallest", "network.torus.barrier", "work.flop", "spn.send_block"]
    {
        assert_eq!(view(unused).run_of(&base), usual, "{unused}");
    }
    assert_ne!(view("network.torus.trailer").run_of(&base), usual);
    let phased = Exchange::new(&[4, 4], 240, Order::Barriers(1));
    assert_ne!(view("network.torus.barrier").run_of(&phased), results.run_of(&phased));
    // Doubled buffers and the experiment with buffers of this size are one run.
    let with = |packets| base.clone().with(Variation::Buffers(packets));
    assert_eq!(view("network.torus.buffers").run_of(&base), results.run_of(&with(8)));
    assert_eq!(results.run_of(&with(4)), usual);
    assert_eq!(view("network.hop").run_of(&with(4)).of, with(4));
}
