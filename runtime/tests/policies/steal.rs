//! Policies of stealing.

use earth::policy::{MOST_SHARED, Policies, Search, StealPolicy};
use earth::simulated::Profile;
use earth::{Config, Machine, Policy, StealOrder};

use crate::common::{gives, on_every, still_works};
use earth_programs::fib::Fib;

/// A built-in order, written again.
struct Again {
    order: StealOrder,
    last: Option<usize>,
}

impl StealPolicy for Again {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        if search.tried() > 0 {
            return None;
        }
        Some(match self.order {
            StealOrder::LastVictim => self.last.unwrap_or(search.after(1)),
            StealOrder::NextNode => search.after(1),
            StealOrder::Random => search.random(),
        })
    }

    fn found(&mut self, victim: usize) {
        self.last = Some(victim);
    }
}

const ORDERS: [StealOrder; 3] = [StealOrder::LastVictim, StealOrder::NextNode, StealOrder::Random];

#[test]
fn a_built_in_order_written_again_gives_the_same_runs() {
    for steal in ORDERS {
        let policy = Policy { steal, ..Policy::default() };
        let again = Policies::new().steal("again", move |_| Again { order: steal, last: None });
        crate::are_alike(policy, &again);
        crate::are_alike(policy, &Policies::new().steal("same", move |_| steal.policy()));
    }
}

/// Steals from the next node on a ring, then from random nodes; takes half of the tokens.
struct RingThenRandom {
    found: Option<usize>,
    asked: usize,
}

impl StealPolicy for RingThenRandom {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        assert!(search.thief() < search.nodes() && search.tried() < search.nodes() - 1);
        Some(if search.tried() == 0 { search.after(1) } else { search.random() })
    }

    fn amount(&mut self, victim: usize, shared: usize) -> usize {
        assert!((1..=MOST_SHARED).contains(&shared), "{shared} tokens");
        assert_eq!(self.found, Some(victim));
        self.asked = shared.div_ceil(2);
        self.asked
    }

    fn found(&mut self, victim: usize) {
        (self.found, self.asked) = (Some(victim), 1);
    }

    fn gave(&mut self, victim: usize, tokens: usize) {
        assert!(tokens <= self.asked, "{tokens} tokens, of {}", self.asked);
        // On ranks a rank that has no token to give was not found.
        assert!(tokens == 0 || self.found == Some(victim));
    }
}

fn ring_then_random() -> Policies {
    Policies::new().steal("ring-then-random", |_| RingThenRandom { found: None, asked: 0 })
}

#[test]
fn a_policy_of_the_programs_own_steals_on_every_machine() {
    on_every(|case| {
        let mut machine = case.machine().policies(ring_then_random());
        assert_eq!(gives(&mut machine, |out| Fib::call(15, out)).value, 610);
        still_works(&mut machine);
    });
}

/// Takes this number of tokens at a time.
struct Takes(usize);

impl StealPolicy for Takes {
    fn next(&mut self, _search: &mut Search<'_>) -> Option<usize> {
        None
    }

    fn amount(&mut self, _victim: usize, _shared: usize) -> usize {
        self.0
    }
}

/// With more tokens at a time a node has fewer requests to send. On two nodes each request that brings `k`
/// tokens costs the victim one answer and `k - 1` further messages.
#[test]
fn tokens_that_are_taken_together_are_counted_one_by_one() {
    let profile = Profile::named("manna50").expect("it is built in");
    for config in [Config::Spn, Config::Dual] {
        let stolen = |amount| {
            let policies = Policies::new().steal("takes", move |_| Takes(amount));
            let mut machine = Machine::simulated(&profile).nodes(4).config(config).policies(policies);
            let run = gives(&mut machine, |out| Fib::call(15, out));
            (run.counters.tokens_stolen, run.cycles)
        };
        let one = stolen(1);
        assert_eq!(stolen(0), one, "an amount of 0 counts as 1");
        let all = stolen(usize::MAX);
        assert_eq!(stolen(MOST_SHARED), all, "no more is taken than there is");
        assert!(all.0 > one.0, "{config}: {} of {} at a time", one.0, all.0);
        assert_ne!(all.1, one.1);
    }
}

/// Names the same node again and again.
struct Stubborn;

impl StealPolicy for Stubborn {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        Some(search.after(1))
    }
}

#[test]
fn no_policy_keeps_a_node_from_a_token_that_another_one_shares() {
    let stubborn = Policies::new().steal("stubborn", |_| Stubborn);
    let silent = Policies::new().steal("silent", |_| Takes(1));
    let greedy = Policies::new().steal("greedy", |_| Takes(usize::MAX));
    on_every(|case| {
        for policies in [&stubborn, &silent, &greedy] {
            let mut machine = case.machine().policies(policies.clone());
            let run = gives(&mut machine, |out| Fib::call(13, out));
            assert_eq!(run.value, 233);
            // Node 0 alone shares tokens at first, so every other node must find it.
            if case.is_simulated() && case.nodes > 1 {
                let idle = run.by_node.iter().filter(|node| node.fibers == 0).count();
                assert_eq!(idle, 0, "{policies}");
            }
        }
    });
}

#[test]
fn policies_have_names() {
    let policies = ring_then_random();
    assert_eq!(policies.names().collect::<Vec<_>>(), [("steal", "ring-then-random")]);
    assert_eq!(policies.to_string(), "steal=ring-then-random");
    assert_eq!(serde_json::to_string(&policies).expect("text"), r#"{"steal":"ring-then-random"}"#);
    let machine = format!("{:?}", Machine::threads(1).policies(policies));
    assert!(machine.contains("ring-then-random"), "{machine}");
}
