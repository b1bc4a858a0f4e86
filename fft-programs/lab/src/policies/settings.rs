//! Changes of the default policy, and policies that `Policy` does not have.

use earth::policy::{Policies, Search, StealPolicy};
use earth::{Machine, StealOrder};
use earth_trace::Levels;

/// Name of the default policy.
pub(super) const DEFAULT: &str = "default";

/// Names of the policies that are not values of `Policy`, in the order of [`own`].
pub(super) const OWN: [&str; 3] = ["critical path first", "steal half", "nearest victim"];

/// Kind of machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    Threads,
    Simulated,
}

/// Changes by name, with their values. A change with a kind of machine has no effect on the other kind.
///
/// A feed of DUAL is a matter of simulated machines alone, and threads alone sleep. Two threads have one
/// victim, so the orders of victims are compared on simulated machines.
const SETTINGS: [(&str, Option<&str>, Option<Site>); 19] = [
    ("one queue", Some("one-queue"), None),
    ("fibers first", Some("fibers-first"), None),
    (OWN[0], None, None),
    ("1 in a row", Some("in-a-row=1"), None),
    ("1,024 in a row", Some("in-a-row=1024"), None),
    ("oldest token first", Some("tokens=oldest-first"), None),
    ("a token every fiber", Some("token-every=1"), None),
    ("a token every 16 fibers", Some("token-every=16"), None),
    (OWN[1], None, None),
    (OWN[2], None, Some(Site::Simulated)),
    ("next node as victim", Some("steal=next-node"), Some(Site::Simulated)),
    ("last victim first", Some("steal=last-victim"), Some(Site::Simulated)),
    ("feed 1", Some("feed=1"), Some(Site::Simulated)),
    ("feed 8", Some("feed=8"), Some(Site::Simulated)),
    ("batches of 1 event", Some("batch=1"), None),
    ("batches of 1,024 events", Some("batch=1024"), None),
    ("sleep at once", Some("spin=0"), Some(Site::Threads)),
    ("400 polls", Some("spin=400"), Some(Site::Threads)),
    ("40,000 polls", Some("spin=40000"), Some(Site::Threads)),
];

/// Returns the names of all changes.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    SETTINGS.into_iter().map(|(name, ..)| name)
}

/// Returns the changes on a kind of machine, each with the value of the policy.
pub(super) fn settings(site: Site) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let on = SETTINGS.into_iter().filter(move |(.., only)| only.is_none_or(|only| only == site));
    on.map(|(name, value, _)| (name, value))
}

/// Number of nodes whose cores share a cache, on the computers that the profile describes.
const GROUP: usize = 8;

/// Looks at the nodes of its own group first.
struct Nearest;

impl StealPolicy for Nearest {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        let first = search.thief() / GROUP * GROUP;
        let size = GROUP.min(search.nodes() - first);
        let distance = search.tried() + 1;
        (distance < size).then(|| first + (search.thief() - first + distance) % size)
    }
}

/// Steals as the default does, but half of the tokens that the victim shares.
struct Half(Box<dyn StealPolicy>);

impl StealPolicy for Half {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        self.0.next(search)
    }

    fn amount(&mut self, _victim: usize, shared: usize) -> usize {
        shared.div_ceil(2)
    }

    fn found(&mut self, victim: usize) {
        self.0.found(victim);
    }

    fn gave(&mut self, victim: usize, tokens: usize) {
        self.0.gave(victim, tokens);
    }
}

/// Returns the functions that give a machine the policies of [`OWN`].
pub(super) fn own(
    levels: &Levels,
) -> (
    impl Fn(Machine) -> Machine + Sync,
    impl Fn(Machine) -> Machine + Sync,
    impl Fn(Machine) -> Machine + Sync,
) {
    let levels = levels.clone();
    let critical = move |machine: Machine| {
        let levels = levels.clone();
        machine.policies(Policies::new().fibers(OWN[0], move |_node| levels.highest_first()))
    };
    let half = |machine: Machine| {
        machine.policies(Policies::new().steal(OWN[1], |_node| Half(StealOrder::default().policy())))
    };
    let nearest = |machine: Machine| machine.policies(Policies::new().steal(OWN[2], |_node| Nearest));
    (critical, half, nearest)
}
