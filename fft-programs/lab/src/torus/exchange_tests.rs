use super::*;

fn profile() -> Profile {
    Profile::named("bluegene-l").unwrap()
}

#[test]
fn no_order_is_faster_than_the_peak_and_phases_come_near_to_it() {
    let cancel = CancelToken::new();
    let share = |order, variation| {
        let exchange = Exchange::new(&[8, 4, 4], 1024, order).with(variation);
        exchange.run(&profile(), &cancel).unwrap().share
    };
    let orders =
        [Order::Rotated, Order::SharedRandom, Order::Barriers(1), Order::Barriers(4), Order::Dataflow(1)];
    let shares = orders.map(|order| share(order, Variation::Nothing));
    assert!(shares.iter().all(|share| (0.4..=1.0).contains(share)), "{shares:?}");
    assert!(shares[2..].iter().all(|share| *share > 0.8), "{shares:?}");
    let free = share(Order::Barriers(1), Variation::FreeBarrier);
    assert!(free > shares[2] && free < 1.0, "{free}");
}

#[test]
fn handling_takes_time_by_packets_more_than_by_messages() {
    let cancel = CancelToken::new();
    let cycles = |handling| {
        let exchange = Exchange::new(&[4, 4, 4], 1024, Order::Barriers(1)).handled(handling);
        exchange.run(&profile(), &cancel).unwrap().cycles
    };
    let [free, messages, packets] = [Handling::Free, Handling::Messages(Config::Dual), USUAL].map(cycles);
    assert!(free < messages && messages < packets && packets < 2 * free, "{free}, {messages}, {packets}");
}

#[test]
fn special_phases_are_part_of_all_phases() {
    let cancel = CancelToken::new();
    let cycles = |order| Exchange::new(&[4, 4, 4], 1024, order).run(&profile(), &cancel).unwrap().cycles;
    let [special, all] = [Order::Special, Order::Barriers(1)].map(cycles);
    assert!(0 < special && special < all, "{special} of {all}");
}

#[test]
fn pieces_are_a_message() {
    assert_eq!(pieces(1024, 240), [240, 240, 240, 240, 64]);
    assert_eq!((pieces(240, 240), pieces(1, 240), pieces(0, 240)), (vec![240], vec![1], vec![0]));
    assert_eq!(pieces(1 << 40, u64::MAX), [1 << 40]);
}

/// An exchange has another result after a change only if it depends on the changed figure. Each figure that
/// exchanges depend on changes one of these results.
#[test]
fn exchanges_depend_on_what_they_say() {
    let (cancel, usual) = (CancelToken::new(), profile());
    let exchange =
        |order, variation, handling| Exchange::new(&[8, 4], 960, order).with(variation).handled(handling);
    let exchanges = [
        exchange(Order::Random, Variation::Nothing, USUAL),
        exchange(Order::RandomPackets, ENDLESS, Handling::Free),
        exchange(Order::Barriers(1), Variation::FreeBarrier, Handling::Messages(Config::Spn)),
        exchange(Order::Barriers(2), Variation::Nothing, USUAL),
        exchange(Order::Barriers(NO_BARRIER), Variation::Nothing, Handling::Free),
        exchange(Order::Special, Variation::OneSize, USUAL),
        exchange(Order::Dataflow(1), Variation::DimensionOrdered, Handling::Packets(Config::Spn)),
    ];
    let unchanged: Vec<_> = exchanges.iter().map(|exchange| exchange.run(&usual, &cancel)).collect();
    let mut idle = Vec::new();
    for (change, profile) in crate::parameters::changes(&usual) {
        let mut is_idle = true;
        for (exchange, unchanged) in exchanges.iter().zip(&unchanged) {
            let depends = exchange.depends_on(&change.parameter);
            if depends && !is_idle {
                continue;
            }
            let is_same = exchange.run(&profile, &cancel) == *unchanged;
            assert!(is_same || depends, "{exchange:?} depends on {change:?}");
            is_idle &= is_same;
        }
        if exchanges.iter().any(|exchange| exchange.depends_on(&change.parameter)) && is_idle {
            idle.push(change);
        }
    }
    assert!(idle.is_empty(), "{idle:?}");
}
