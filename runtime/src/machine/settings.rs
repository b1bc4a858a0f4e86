//! Settings that a machine is built with.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cancel::CancelToken;
use super::policies::Policies;
use super::stall::StallMonitor;
use super::thread;
use crate::node::su::Packing;
use crate::node::tokens::victims::Victims;
use crate::probe::recorder::RecordLimit;
use crate::vocabulary::error::Error;
use crate::vocabulary::policy::Policy;

/// Placement of the two units of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Config {
    /// One processor a node does the work of both units, and applies operations at once.
    #[default]
    Spn,
    /// Two processors a node: the execution unit sends operations to the synchronization unit through a
    /// queue.
    Dual,
}

impl Config {
    /// Returns the name in settings and files: `spn` or `dual`.
    pub const fn name(self) -> &'static str {
        match self {
            Config::Spn => "spn",
            Config::Dual => "dual",
        }
    }
}

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Config::Spn => "SPN",
            Config::Dual => "DUAL",
        })
    }
}

/// Text that is neither `spn` nor `dual`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a configuration is `spn` or `dual`, not `{0}`")]
pub struct ConfigError(String);

impl std::str::FromStr for Config {
    type Err = ConfigError;

    /// Parses a configuration, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        [Config::Spn, Config::Dual]
            .into_iter()
            .find(|config| text.eq_ignore_ascii_case(&config.to_string()))
            .ok_or_else(|| ConfigError(text.to_owned()))
    }
}

#[derive(Clone, Default, Debug)]
pub(super) struct Settings {
    /// Number of nodes in this process.
    pub(super) nodes: usize,
    /// Number of this process, and the number of processes, on a machine of ranks.
    pub(super) ranks: Option<(usize, usize)>,
    pub(super) config: Config,
    pub(super) pin: Option<bool>,
    /// Whether the calling thread is bound when the other threads are.
    pub(super) pin_caller: bool,
    pub(super) packing: Packing,
    pub(super) parking_limit: usize,
    /// Capacity of the queues between units, if it was set.
    pub(super) queue: Option<usize>,
    pub(super) cancel: Option<CancelToken>,
    pub(super) seed: u64,
    /// Order in which nodes take up waiting work, if it was set.
    pub(super) policy: Option<Policy>,
    /// Policies of the program's own.
    pub(super) policies: Policies,
    /// Whether units record the order of the work that they take up.
    pub(super) order: bool,
    /// Limits of the records of each unit, on a machine that traces.
    pub(super) trace: Option<RecordLimit>,
    /// Time after which a silent rank counts as lost.
    pub(super) heartbeat: Option<Duration>,
    /// Monitor that reports fibers that do not return.
    pub(super) stall_monitor: Option<StallMonitor>,
    /// Stack size of every thread in bytes, if it was set.
    pub(super) stack_size: Option<usize>,
}

impl Settings {
    pub(super) const MOST_NODES: usize = 1024;

    const MOST_QUEUE: usize = 1 << 20;

    /// Maximum total number of cells of a machine's inboxes, unless the capacity of its queues was set.
    const CELLS: usize = 1 << 16;

    pub(super) fn new(nodes: usize) -> Self {
        Settings { nodes, pin_caller: true, parking_limit: 1 << 20, ..Settings::default() }
    }

    /// Returns the number of nodes of all processes.
    pub(super) fn all_nodes(&self) -> usize {
        self.nodes.saturating_mul(self.ranks.map_or(1, |(_, count)| count))
    }

    /// Returns the number of this process's first node.
    pub(super) fn first_node(&self) -> usize {
        self.nodes.saturating_mul(self.ranks.map_or(0, |(rank, _)| rank))
    }

    /// Returns the number of units in this process.
    pub(super) fn units(&self) -> usize {
        match self.config {
            Config::Spn => self.nodes,
            Config::Dual => 2 * self.nodes,
        }
    }

    /// Returns the capacity of each queue between units. The default is 1024 up to 64 nodes, and less for
    /// more nodes: the queues of 1024 nodes then take no more memory than those of 64 nodes.
    pub(super) fn queue(&self) -> usize {
        let nodes = self.nodes.min(Self::MOST_NODES);
        self.queue.unwrap_or_else(|| Self::CELLS / nodes.next_power_of_two().max(64))
    }

    /// Returns the smallest size, in bytes, of a block that travels beside its message to another process.
    pub(super) fn bulk_from(&self) -> usize {
        match self.packing {
            Packing::Messages { bulk_from, .. } => bulk_from,
            Packing::Moved | Packing::Bytes => usize::MAX,
        }
    }

    /// Returns the order in which nodes take up waiting work.
    pub(super) fn policy(&self) -> Policy {
        self.policy.unwrap_or_default()
    }

    /// Returns how `node` finds its victims.
    pub(super) fn victims(&self, node: usize) -> Victims {
        Victims::new(self.policy().steal, self.policies.steal.as_ref().map(|named| named.on(node)))
    }

    /// Returns these settings with the stall monitor that the environment requests, unless the program has
    /// set one.
    pub(super) fn watched(&self) -> Result<Self, Error> {
        let of_environment = StallMonitor::of_environment()?;
        let mut settings = self.clone();
        settings.stall_monitor = settings.stall_monitor.or(of_environment);
        Ok(settings)
    }

    /// Checks that a run of a machine that records the order can be repeated.
    pub(super) fn check_recorded(&self, has_input: bool) -> Result<(), Error> {
        let why = match (has_input, &self.policies.fibers, self.ranks) {
            (true, ..) => "a machine that records has no input",
            (_, Some(_), _) => "a machine that records has no fiber policy of the program's own",
            (.., Some(_)) if self.nodes > 1 => "a machine of ranks that records has one node a rank",
            _ => return Ok(()),
        };
        Err(Error::CannotBuild(why.to_owned()))
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if !(1..=Self::MOST_NODES).contains(&self.all_nodes()) {
            let (most, nodes) = (Self::MOST_NODES, self.all_nodes());
            return Err(Error::CannotBuild(format!("a machine has 1 to {most} nodes, not {nodes}")));
        }
        let queue = self.queue();
        if !queue.is_power_of_two() || queue > Self::MOST_QUEUE {
            let most = Self::MOST_QUEUE;
            let why = format!("a queue's capacity is a power of two up to {most}, not {queue}");
            return Err(Error::CannotBuild(why));
        }
        let (least, most) = (thread::LEAST_STACK, thread::MOST_STACK);
        if let Some(bytes) = self.stack_size.filter(|bytes| !(least..=most).contains(bytes)) {
            return Err(Error::CannotBuild(format!("a stack has {least} to {most} bytes, not {bytes}")));
        }
        self.policy().check().map_err(|why| Error::CannotBuild(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_as_it_is_written() {
        for config in [Config::Spn, Config::Dual] {
            let text = config.to_string();
            assert_eq!((text.parse(), text.to_lowercase().parse()), (Ok(config), Ok(config)));
        }
        let error = "single".parse::<Config>().expect_err("it is none");
        assert_eq!(error.to_string(), "a configuration is `spn` or `dual`, not `single`");
    }
}
