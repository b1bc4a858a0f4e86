//! The order in which an idle node looks for victims, built in or of the program.
//!
//! The built-in orders are one policy, [`FirstThenRing`]: it names one node, and the machine looks at the
//! nodes after it. A machine calls it without dispatch. A policy of the program is behind a box, which only
//! its own branch reads.

use crate::vocabulary::custom::Custom;
use crate::vocabulary::policy::StealOrder;
use crate::vocabulary::steal::{Search, StealPolicy};

/// A built-in order: the policy names the first node to look at.
#[derive(Clone, Debug)]
pub(crate) struct FirstThenRing {
    order: StealOrder,
    last: Option<usize>,
}

impl FirstThenRing {
    fn first(&self, thief: usize, nodes: usize, draw: impl FnOnce() -> u64) -> usize {
        let after = match self.order {
            StealOrder::LastVictim => return self.last.unwrap_or((thief + 1) % nodes),
            StealOrder::NextNode => 0,
            StealOrder::Random => (draw() % (nodes as u64 - 1).max(1)) as usize,
        };
        (thief + 1 + after) % nodes
    }
}

impl StealPolicy for FirstThenRing {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        let (thief, nodes) = (search.thief(), search.nodes());
        if search.tried() > 0 { None } else { Some(self.first(thief, nodes, || search.draw())) }
    }

    fn found(&mut self, victim: usize) {
        self.last = Some(victim);
    }
}

impl StealOrder {
    /// Returns the order as a policy, for a policy that begins or ends as this order does.
    ///
    /// ```
    /// use earth::StealOrder;
    /// use earth::policy::StealPolicy;
    ///
    /// let policy: Box<dyn StealPolicy> = StealOrder::NextNode.policy();
    /// ```
    pub fn policy(self) -> Box<dyn StealPolicy> {
        Box::new(FirstThenRing { order: self, last: None })
    }
}

/// The nodes at which a search looks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LookAt {
    /// One node.
    Node(usize),
    /// All nodes but the thief, in cyclic order from this one.
    Ring(usize),
}

/// How an idle node finds its victims.
pub(crate) enum Victims {
    BuiltIn(FirstThenRing),
    Custom(Box<Custom<dyn StealPolicy>>),
}

impl Victims {
    pub(crate) fn new(order: StealOrder, custom: Option<Custom<dyn StealPolicy>>) -> Self {
        match custom {
            Some(custom) => Victims::Custom(Box::new(custom)),
            None => Victims::BuiltIn(FirstThenRing { order, last: None }),
        }
    }

    /// Forgets the last run.
    pub(crate) fn forget(&mut self) {
        match self {
            Victims::BuiltIn(order) => order.last = None,
            Victims::Custom(custom) => custom.forget(),
        }
    }

    /// Calls `look` for one set of nodes after another until it returns a node and what was found there.
    /// `draw` returns a random number.
    #[inline]
    pub(crate) fn choose<T>(
        &mut self,
        thief: usize,
        nodes: usize,
        mut draw: impl FnMut() -> u64,
        mut look: impl FnMut(LookAt) -> Option<(usize, T)>,
    ) -> Option<(usize, T)> {
        match self {
            Victims::BuiltIn(order) => look(LookAt::Ring(order.first(thief, nodes, draw))),
            Victims::Custom(custom) => propose(custom, (thief, nodes), &mut draw, &mut look),
        }
    }

    /// Returns how many tokens to take from a node that shares `shared()`, at least 1.
    #[inline]
    pub(crate) fn amount(&mut self, victim: usize, shared: impl FnOnce() -> usize) -> usize {
        match self {
            Victims::BuiltIn(_) => 1,
            Victims::Custom(custom) => {
                let shared = shared().max(1);
                custom.ask(|policy| policy.amount(victim, shared)).clamp(1, shared)
            }
        }
    }

    /// Notes the victim that was found.
    #[inline]
    pub(crate) fn found(&mut self, victim: usize) {
        match self {
            Victims::BuiltIn(order) => order.found(victim),
            Victims::Custom(custom) => custom.ask(|policy| policy.found(victim)),
        }
    }

    /// Notes the answer of a victim.
    #[inline]
    pub(crate) fn gave(&mut self, victim: usize, tokens: usize) {
        if let Victims::Custom(custom) = self {
            custom.ask(|policy| policy.gave(victim, tokens));
        }
    }
}

/// Looks where the policy says, and then at all other nodes.
#[cold]
#[inline(never)]
fn propose<T>(
    custom: &mut Custom<dyn StealPolicy>,
    (thief, nodes): (usize, usize),
    draw: &mut dyn FnMut() -> u64,
    look: &mut dyn FnMut(LookAt) -> Option<(usize, T)>,
) -> Option<(usize, T)> {
    let mut rest = (thief + 1) % nodes;
    for tried in 0..nodes - 1 {
        let mut search = Search::new(thief, nodes, tried, draw);
        let Some(node) = custom.ask(|policy| policy.next(&mut search)) else { break };
        if node == thief || node >= nodes {
            custom
                .user
                .fault(format!("named node {node} of {nodes} to node {thief}, which looks for tokens"));
        }
        if let Some(found) = look(LookAt::Node(node)) {
            return Some(found);
        }
        rest = (node + 1) % nodes;
    }
    look(LookAt::Ring(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::custom::Named;

    /// Names these nodes in each search.
    struct Names(Vec<usize>);

    impl StealPolicy for Names {
        fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
            self.0.get(search.tried()).copied()
        }
    }

    /// Returns the nodes at which a search of node 2 of 5 looks, if no node has a token.
    fn looks(named: &[usize]) -> Vec<String> {
        let named = named.to_vec();
        let policy = Named::<dyn StealPolicy>::new("names", move |_| Box::new(Names(named.clone())));
        let mut victims = Victims::new(StealOrder::Random, Some(policy.on(2)));
        let mut looks = Vec::new();
        let found = victims.choose(
            2,
            5,
            || 0,
            |at| -> Option<(usize, ())> {
                looks.push(format!("{at:?}"));
                None
            },
        );
        assert!(found.is_none());
        looks
    }

    #[test]
    fn a_search_looks_at_all_nodes_whatever_the_policy_names() {
        assert_eq!(looks(&[]), ["Ring(3)"]);
        assert_eq!(looks(&[1, 4]), ["Node(1)", "Node(4)", "Ring(0)"]);
        assert_eq!(looks(&[0; 100]), ["Node(0)", "Node(0)", "Node(0)", "Node(0)", "Ring(1)"]);
    }

    #[test]
    fn amounts_are_limited_to_what_there_is() {
        struct Amount(usize);
        impl StealPolicy for Amount {
            fn next(&mut self, _search: &mut Search<'_>) -> Option<usize> {
                None
            }
            fn amount(&mut self, _victim: usize, _shared: usize) -> usize {
                self.0
            }
        }
        for (answer, taken) in [(0, 1), (1, 1), (3, 3), (usize::MAX, 4)] {
            let policy = Named::<dyn StealPolicy>::new("amount", move |_| Box::new(Amount(answer)));
            let mut victims = Victims::new(StealOrder::Random, Some(policy.on(0)));
            assert_eq!(victims.amount(1, || 4), taken);
        }
        assert_eq!(Victims::new(StealOrder::Random, None).amount(1, || 4), 1);
    }
}
