//! Which of the things that wait is next: plain data, for SPN and DUAL alike.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The order of enabled fibers and of functions invoked on a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FiberOrder {
    /// The fiber that was enabled last is next, since its data is in cache, unless a function was invoked since; at
    /// most [`in_a_row`](Policy::in_a_row) times in a row, then the oldest of all others, fiber or function.
    #[default]
    NewestFirst,
    /// One queue, first in, first out, for fibers and functions.
    OneQueue,
    /// Enabled fibers, the oldest first, before any function; after [`in_a_row`](Policy::in_a_row) of them the
    /// oldest function all the same.
    FibersFirst,
}

/// Which of its own tokens a node starts next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenOrder {
    /// The newest: depth first, so that few wait. It promises the oldest nothing: as long as newer tokens are
    /// made, it waits.
    #[default]
    NewestFirst,
    /// The oldest: breadth first. Every token is started when those before it have been.
    OldestFirst,
}

/// Where an idle node looks first for a token of another node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StealOrder {
    /// At the node that gave it one last, then at those after it.
    #[default]
    LastVictim,
    /// At the node after its own, then at those after that.
    NextNode,
    /// At a node drawn at random, then at those after it.
    Random,
}

/// The order in which the units of a node take up what waits for them, and how long anything may have to wait.
///
/// A machine has one policy for both configurations, so that a comparison of SPN with DUAL compares these and not
/// two orders. In SPN the node's one thread picks by it; in DUAL the execution unit does, among what the
/// synchronization unit has enabled and handed over.
///
/// # Bounds
///
/// Whatever the policy, everything gets its turn, provided that fibers return:
///
/// * an enabled fiber or an invoked function with `n` others before it runs after at most
///   `(n + 1) * (in_a_row + 1)` fibers;
/// * an event that arrived with `n` others before it is applied after at most `n / batch + 1` fibers of its node;
/// * a node on which tokens wait gives one its turn after at most `token_every` fibers: [which one](TokenOrder) the
///   order of tokens says. In DUAL one that comes from the synchronization unit then waits as an invoked function does.
///
/// On a simulated machine the clock must run for that: one on which nothing takes any time lets a fiber that
/// enables itself run for ever at one moment, unless its [schedule](crate::simulated::Schedule) is random.
///
/// ```
/// use earth::{FiberOrder, Machine, Policy};
///
/// let policy: Policy = "one-queue,feed=1".parse()?;
/// assert_eq!(policy, Policy { fibers: FiberOrder::OneQueue, feed: 1, ..Policy::default() });
/// assert_eq!(policy.to_string(), "one-queue,feed=1");
/// let machine = Machine::threads(2).policy(policy);
/// # Ok::<(), earth::PolicyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Policy {
    /// Which enabled fiber or invoked function is next.
    pub fibers: FiberOrder,
    /// How many fibers that its order prefers may run in a row while others wait.
    pub in_a_row: u32,
    /// Which of its own tokens a node starts next.
    pub tokens: TokenOrder,
    /// How many fibers a node may run without starting a token while tokens wait there.
    pub token_every: u32,
    /// Where an idle node looks for a token of another node first.
    pub steal: StealOrder,
    /// How far a DUAL node is fed ahead on a simulated machine, where tokens wait at the synchronization unit: one is handed
    /// over when fewer fibers and functions than this wait for the execution unit. On threads the execution unit has
    /// the tokens of its node, and is fed with others' when it has nothing to run.
    pub feed: u32,
    /// How many events are applied at most between two fibers.
    pub batch: u32,
    /// How often a thread that can do nothing looks at a unit in vain before it sleeps; 4,000 looks take about 100 us.
    /// Simulated machines have no threads that sleep.
    ///
    /// A thread of `n` units that has nothing looks at all of them `(200 + spin) / n` times, rounded up, since it last
    /// did anything, and `spin / n` times since it was woken in vain. If something waits that it cannot use, such as an event
    /// for a full queue or a token whose execution unit has a fiber to run, it tries `spin / n` times, and at most twice
    /// as often since it last did anything. Then it sleeps, until what it waits for wakes it, never for a time.
    pub spin: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            fibers: FiberOrder::NewestFirst,
            in_a_row: 32,
            tokens: TokenOrder::NewestFirst,
            token_every: 256,
            steal: StealOrder::LastVictim,
            feed: 2,
            batch: 64,
            spin: 4_000,
        }
    }
}

/// Text or figures that are no policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(String);

impl Policy {
    /// The policies that have a name, which is that of their order of fibers: the default with another order.
    pub const NAMED: [(&'static str, FiberOrder); 3] = [
        ("newest-first", FiberOrder::NewestFirst),
        ("one-queue", FiberOrder::OneQueue),
        ("fibers-first", FiberOrder::FibersFirst),
    ];

    /// The name of its order of fibers.
    pub fn name(&self) -> &'static str {
        Self::NAMED.iter().find(|(_, order)| *order == self.fibers).map_or("", |(name, _)| name)
    }

    /// Whether its figures make sense.
    ///
    /// # Errors
    ///
    /// The first figure that does not.
    pub fn check(&self) -> Result<(), PolicyError> {
        let figures = [
            ("in-a-row", self.in_a_row),
            ("token-every", self.token_every),
            ("feed", self.feed),
            ("batch", self.batch),
        ];
        match figures.into_iter().find(|(_, figure)| *figure == 0) {
            Some((name, _)) => Err(PolicyError(format!("{name} of a policy is at least 1"))),
            None => Ok(()),
        }
    }
}

/// The name of its order of fibers, then all that is not as usual, as `key=value`, with commas between.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let usual = Policy::default();
        let (own, usual) = (toml::Table::try_from(self), toml::Table::try_from(usual));
        let (Ok(own), Ok(usual)) = (own, usual) else { return Err(fmt::Error) };
        for (key, value) in
            own.iter().filter(|(key, value)| *key != "fibers" && usual.get(*key) != Some(value))
        {
            match value {
                toml::Value::String(text) => write!(f, ",{key}={text}")?,
                figure => write!(f, ",{key}={figure}")?,
            }
        }
        Ok(())
    }
}

/// Reads what is [displayed](Policy#impl-Display-for-Policy): a name, `key=value` pairs, or both.
impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let mut table = toml::Table::new();
        for item in text.split(',').map(str::trim) {
            let (key, value) = item.split_once('=').unwrap_or(("fibers", item));
            let value = value.trim().parse().map_or_else(|_| value.trim().into(), toml::Value::Integer);
            if table.insert(key.trim().to_owned(), value).is_some() {
                return Err(PolicyError(format!("a policy has one `{}`, not two", key.trim())));
            }
        }
        let policy: Policy = table.try_into().map_err(|why: toml::de::Error| {
            let what = why.message().lines().next().unwrap_or_default();
            PolicyError(format!(
                "`{text}` is no policy, such as `one-queue` or `newest-first,feed=1`: {what}"
            ))
        })?;
        policy.check()?;
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_policy_are_each_others() {
        for (name, fibers) in Policy::NAMED {
            let policy = Policy { fibers, ..Policy::default() };
            assert_eq!((name.parse(), policy.to_string()), (Ok(policy), name.to_owned()));
        }
        let odd = Policy {
            fibers: FiberOrder::FibersFirst,
            in_a_row: 1,
            tokens: TokenOrder::OldestFirst,
            token_every: 2,
            steal: StealOrder::Random,
            feed: 3,
            batch: 4,
            spin: 0,
        };
        assert_eq!(odd.to_string().parse(), Ok(odd));
    }

    #[test]
    fn what_is_no_policy_is_refused_in_one_sentence() {
        for (text, word) in [
            ("newest", "newest"),
            ("feed=0", "feed"),
            ("one-queue,feed=x", "feed=x"),
            ("depth=3", "depth"),
            ("feed=1,feed=2", "one `feed`"),
            ("batch=-1", "batch=-1"),
            ("", "``"),
        ] {
            let why = text.parse::<Policy>().unwrap_err().to_string();
            assert!(why.contains(word) && !why.contains('\n'), "{text}: {why}");
        }
    }
}
