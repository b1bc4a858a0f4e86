//! Network of a computer with shared memory, whose cores form groups with a cache each.
//!
//! A message takes two transfers of a line. A transfer within a group is shorter. The receiver then fetches
//! the message's blocks at its own rate, one message after another. All receivers share the memory's rate.

use earth::Config;
use earth::policy::{Departure, Network, Policies};
use earth::simulated::Profile;

/// Cores of a group of EPYC 7773X.
const GROUP: usize = 8;

/// Transfer of a line within a group, in nanoseconds: of EPYC 7R13, which has the same cores. There it is 107
/// between two groups (core-to-core-latency).
const WITHIN_GROUP: f64 = 23.0;

/// Rate of the memory of all cores, in bytes a nanosecond: eight channels of DDR4-3200.
const MEMORY: f64 = 204.8;

/// Times in processor cycles.
struct Groups {
    /// Nodes of a group.
    group: usize,
    /// Message without blocks, within a group and between two.
    within: f64,
    between: f64,
    /// Byte of a block, by the receiver's rate and by the memory's.
    byte: f64,
    memory_byte: f64,
    /// Times at which each receiver, and the memory, is done with the last block.
    free: Vec<f64>,
    memory_free: f64,
}

impl Groups {
    fn new(profile: &Profile, config: Config, nodes: usize) -> Self {
        let network = &profile.network;
        let cycles = profile.clock_mhz / network.clock_mhz.unwrap_or(profile.clock_mhz);
        Self {
            group: if config == Config::Dual { GROUP / 2 } else { GROUP },
            within: 2.0 * WITHIN_GROUP * 1e-3 * profile.clock_mhz,
            between: (network.interface + network.hop) * cycles,
            byte: network.byte * cycles,
            memory_byte: 1e-3 * profile.clock_mhz / MEMORY,
            free: vec![0.0; nodes],
            memory_free: 0.0,
        }
    }
}

impl Network for Groups {
    fn send(&mut self, Departure { from, to, bytes, at, .. }: Departure) -> Option<u64> {
        let is_within = from / self.group == to / self.group;
        let mut arrival = at as f64 + if is_within { self.within } else { self.between };
        if bytes > 0 {
            let bytes = bytes as f64;
            self.memory_free = self.memory_free.max(arrival) + bytes * self.memory_byte;
            arrival = (self.free[to].max(arrival) + bytes * self.byte).max(self.memory_free);
            self.free[to] = arrival;
        }
        Some(arrival.round() as u64)
    }
}

/// Returns policies with this network, by the figures of a profile.
pub(crate) fn groups(profile: &Profile, config: Config) -> Policies {
    let profile = profile.clone();
    Policies::new().network("groups", move |nodes| Groups::new(&profile, config, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_within_a_group_are_short_and_blocks_wait_for_their_receiver_and_the_memory() {
        let profile = crate::scale::profile();
        let nanoseconds = |cycles: u64| (cycles as f64 / profile.clock_mhz * 1e3).round() as u64;
        let mut arrival = {
            let mut network = Groups::new(&profile, Config::Spn, 64);
            move |from, to, bytes| {
                nanoseconds(network.send(Departure { number: 0, from, to, bytes, at: 0 }).unwrap())
            }
        };
        assert_eq!([arrival(0, 7, 0), arrival(0, 8, 0), arrival(63, 7, 0)], [46, 230, 230]);
        // A core takes 44.7 us for a million bytes, and the memory 4.88 us.
        assert_eq!([arrival(0, 1, 1_000_000), arrival(0, 1, 1_000_000)], [44_746, 89_446]);
        // Another core need not wait for the first one, but forty together wait for the memory.
        assert_eq!(arrival(0, 2, 1_000_000), 44_746);
        assert_eq!((3..40).map(|to| arrival(0, to, 1_000_000)).max(), Some(195_359));
        let dual = Groups::new(&profile, Config::Dual, 32).send(Departure {
            number: 0,
            from: 3,
            to: 4,
            bytes: 0,
            at: 0,
        });
        assert_eq!(dual.map(nanoseconds), Some(230), "a group has four DUAL nodes");
    }
}
