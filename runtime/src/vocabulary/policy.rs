//! The order in which waiting work is taken: plain data, for both SPN and DUAL.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The order of enabled fibers and of functions invoked on a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FiberOrder {
    /// The fiber that was enabled last is next, because its data is in cache, unless a function was invoked
    /// since. After [`in_a_row`](Policy::in_a_row) such fibers the oldest of all others is next, fiber or
    /// function.
    #[default]
    NewestFirst,
    /// One FIFO queue for fibers and functions.
    OneQueue,
    /// Enabled fibers in FIFO order, before any function. After [`in_a_row`](Policy::in_a_row) fibers the
    /// oldest function is next.
    FibersFirst,
}

/// The order in which a node starts its own tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenOrder {
    /// The newest first: depth first, so that few tokens wait. The oldest token has no bound: it waits as
    /// long as newer tokens are made.
    #[default]
    NewestFirst,
    /// The oldest first: breadth first. Every token starts after all older ones have started.
    OldestFirst,
}

/// The node at which an idle node first looks for a token to steal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StealOrder {
    /// A random node, then the nodes after that one. Idle nodes then rarely ask the same node at one time.
    #[default]
    Random,
    /// The last node that gave it a token, then the nodes after that one.
    LastVictim,
    /// The node after its own, then the nodes after that one.
    NextNode,
}

/// The order in which the units of a node take up waiting work, and how long anything may have to wait.
///
/// A machine has one policy for both configurations, so that a comparison of SPN with DUAL does not compare
/// two orders. In SPN the node's one thread applies it. In DUAL the execution unit applies it to the work
/// that the synchronization unit has enabled and handed over. A program can bring other orders: see
/// [`policy`](crate::policy).
///
/// # Bounds
///
/// With every policy, all work gets its turn, provided that fibers return:
///
/// * An enabled fiber or an invoked function with `n` others before it runs after at most
///   `(n + 1) * (in_a_row + 1)` fibers.
/// * An event that arrived with `n` others before it is applied after at most `n / batch + 1` fibers of its
///   node.
/// * A node on which tokens wait starts one after at most `token_every` fibers; the [token order](TokenOrder)
///   selects it. In DUAL a token from the synchronization unit then waits as an invoked function does.
///
/// On a simulated machine these bounds hold only if the clock advances. If no operation takes time, a fiber
/// that enables itself can run forever at one moment, unless the [schedule](crate::simulated::Schedule) is
/// random.
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
///
/// The serialized form has the keys and values of the text form, such as `"in-a-row": 32`. When a policy is
/// read, a missing key means the default, and an unknown key is an error. Reading does not
/// [check](Policy::check) the numbers; a machine checks them when it is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Policy {
    /// Order of enabled fibers and invoked functions.
    pub fibers: FiberOrder,
    /// How many fibers that the order prefers may run in a row while others wait. At least 1; default 32.
    pub in_a_row: u32,
    /// Order in which a node starts its own tokens.
    pub tokens: TokenOrder,
    /// How many fibers a node may run without starting a token while tokens wait there. At least 1; default
    /// 256.
    pub token_every: u32,
    /// Node at which an idle node first looks for a token to steal.
    pub steal: StealOrder,
    /// How far a DUAL node on a simulated machine is fed ahead. There tokens wait at the synchronization
    /// unit, which hands one over when fewer fibers and functions than this wait for the execution unit. At
    /// least 1; default 2. On threads the execution unit has the tokens of its node, and gets other nodes'
    /// tokens when it has no work.
    pub feed: u32,
    /// The most events that are applied between two fibers. At least 1; default 64.
    pub batch: u32,
    /// How many times an idle thread polls a unit before it sleeps; default 4,000. 4,000 polls take about 100
    /// us. Simulated machines have no threads that sleep.
    ///
    /// The number of polls depends on the state of a thread of `n` units:
    ///
    /// * idle since it last worked: it polls all units `(200 + spin) / n` times, rounded up;
    /// * idle after a wake-up that brought no work: `spin / n` times;
    /// * holding work that it cannot use, such as an event for a full queue or a token whose execution unit
    ///   is busy: it tries `spin / n` times, and at most twice that since it last worked.
    ///
    /// Then the thread sleeps until the event that it waits for wakes it. It never sleeps for a fixed time.
    ///
    /// A rank whose threads share cores with other ranks polls at most 16 times, if its link
    /// [knows](crate::ranks::Link::cores) that.
    pub spin: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            fibers: FiberOrder::NewestFirst,
            in_a_row: 32,
            tokens: TokenOrder::NewestFirst,
            token_every: 256,
            steal: StealOrder::Random,
            feed: 2,
            batch: 64,
            spin: 4_000,
        }
    }
}

/// The error for text or numbers that do not form a valid policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(String);

impl Policy {
    /// The named policies: the default policy with each order of fibers, named after that order.
    pub const NAMED: [(&'static str, FiberOrder); 3] = [
        ("newest-first", FiberOrder::NewestFirst),
        ("one-queue", FiberOrder::OneQueue),
        ("fibers-first", FiberOrder::FibersFirst),
    ];

    /// Returns the name of the order of fibers.
    pub fn name(&self) -> &'static str {
        Self::NAMED.iter().find(|(_, order)| *order == self.fibers).map_or("", |(name, _)| name)
    }

    /// Checks that the numbers are valid: all but `spin` are at least 1.
    ///
    /// # Errors
    ///
    /// The first invalid number.
    pub fn check(&self) -> Result<(), PolicyError> {
        let figures = [
            ("in-a-row", self.in_a_row),
            ("token-every", self.token_every),
            ("feed", self.feed),
            ("batch", self.batch),
        ];
        match figures.into_iter().find(|(_, figure)| *figure == 0) {
            Some((name, _)) => Err(PolicyError(format!("`{name}` of a policy must be at least 1, not 0"))),
            None => Ok(()),
        }
    }
}

/// Displays the name of the order of fibers, then each value that differs from the default as `key=value`,
/// separated by commas.
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

/// Parses the [displayed](Policy#impl-Display-for-Policy) form: a name, `key=value` pairs, or both.
impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let mut table = toml::Table::new();
        for item in text.split(',').map(str::trim) {
            let (key, value) = item.split_once('=').unwrap_or(("fibers", item));
            let value = value.trim().parse().map_or_else(|_| value.trim().into(), toml::Value::Integer);
            if table.insert(key.trim().to_owned(), value).is_some() {
                return Err(PolicyError(format!("a policy gives `{}` twice; give it once", key.trim())));
            }
        }
        let policy: Policy = table.try_into().map_err(|why: toml::de::Error| {
            let what = why.message().lines().next().unwrap_or_default();
            PolicyError(format!(
                "`{text}` is not a policy such as `one-queue` or `newest-first,feed=1`: {what}"
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
            steal: StealOrder::NextNode,
            feed: 3,
            batch: 4,
            spin: 0,
        };
        assert_eq!(odd.to_string().parse(), Ok(odd));
    }

    #[test]
    fn invalid_policies_are_refused_in_one_sentence() {
        for (text, word) in [
            ("newest", "newest"),
            ("feed=0", "feed"),
            ("one-queue,feed=x", "feed=x"),
            ("depth=3", "depth"),
            ("feed=1,feed=2", "`feed` twice"),
            ("batch=-1", "batch=-1"),
            ("", "``"),
        ] {
            let why = text.parse::<Policy>().unwrap_err().to_string();
            assert!(why.contains(word) && !why.contains('\n'), "{text}: {why}");
        }
    }
}
