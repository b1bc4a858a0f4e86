//! Times of transforms on tori of many sizes: the model's least times, over the shares of the peak that were simulated.
//!
//! *Scale.* Phases are simulated on tori of all sizes, since one router stands for all. The base, in which each node draws an
//! order of its own, needs every node: it is simulated on up to 1024 nodes, and a larger torus is given the share of the one
//! of half the sides, as often as that takes: 16 x 8 x 8 for 64 x 32 x 32.

use std::collections::BTreeSet;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Error};

use super::exchange::{Change, Exchange, Order};
use super::program::{Job, seconds};
use super::runs::{Runs, run};
use crate::model::torus::Torus;
use crate::progress::Progress;

/// The tori of the weak scaling: 64 nodes to 65,536.
pub(crate) const SHAPES: [[usize; 3]; 11] = [
    [4, 4, 4],
    [8, 4, 4],
    [8, 8, 4],
    [8, 8, 8],
    [16, 8, 8],
    [16, 16, 8],
    [16, 16, 16],
    [32, 16, 16],
    [32, 32, 16],
    [32, 32, 32],
    [64, 32, 32],
];

/// The machine of 64 racks, and the torus of its aspect that is simulated as a whole.
pub(crate) const LARGEST: [usize; 3] = [64, 32, 32];
pub(crate) const WHOLE: [usize; 3] = [16, 8, 8];

/// The torus on which links of today are tried.
pub(crate) const LARGE: [usize; 3] = [32, 16, 16];

/// The torus on which causes are looked for.
pub(crate) const SMALL: [usize; 3] = [8, 4, 4];

/// The points of the largest transform, and the bytes that two nodes exchange in it.
pub(crate) const POINTS: f64 = (1_u64 << 38) as f64;
pub(crate) const BYTES: u64 = 1024;

/// The blocks of the paper's overlap: 256 bytes instead of 1024.
pub(crate) const BLOCKS: f64 = 4.0;

/// The most nodes that are simulated one by one.
const MOST: usize = 1024;

/// The orders without a barrier that are held against those with one: of phases, all that there are.
pub(crate) const NO_BARRIER: usize = usize::MAX;

/// The orders that are held against each other on links of today.
pub(crate) const TODAY_ORDERS: [Order; 6] = [
    Order::Alike,
    Order::Barriers(NO_BARRIER),
    Order::Barriers(1),
    Order::Barriers(16),
    Order::Dataflow(1),
    Order::Dataflow(4),
];

/// The programs of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The all-to-all of every node in its own order.
    Base,
    /// Phases with barriers.
    Phased,
    /// Phases without barriers, by counted slots.
    Dataflow,
    /// Phases with barriers, and blocks that overlap.
    Overlapped,
}

/// The points of the weak scaling on so many nodes: 2 to 4 million a node, a square.
pub(crate) fn weak(nodes: usize) -> f64 {
    let log = nodes.ilog2() + 21;
    f64::from(log + log % 2).exp2()
}

/// The points of the strong scaling: 1 G to 16 G.
pub(crate) const STRONG: [u32; 5] = [30, 31, 32, 33, 34];

/// The torus and the points of the runtime's own program, and its blocks: 4096 bytes of a pair, down to 256.
const PROGRAM: ([usize; 3], u32) = ([4, 4, 4], 20);
pub(crate) const PROGRAM_BLOCKS: [usize; 5] = [1, 2, 4, 8, 16];

/// How fast nodes are there, against the profile.
pub(crate) const SPEEDS: [f64; 2] = [1.0, 10.0];

/// An exchange of the largest transform's messages on another torus.
pub(crate) fn cause(sides: [usize; 3], order: Order, change: Change) -> Exchange {
    Exchange::new(&sides, BYTES, order).with(change)
}

/// The exchanges that show why.
fn causes() -> BTreeSet<Exchange> {
    let mut needed = BTreeSet::new();
    for change in [Change::Nothing, Change::Endless, Change::DimensionOrdered, Change::EqualTurns] {
        needed.extend([SMALL, [4, 4, 4]].map(|sides| cause(sides, Order::Random, change)));
    }
    for order in [Order::Rotated, Order::Alike, Order::Barriers(NO_BARRIER)] {
        needed.insert(Exchange::new(&LARGEST, BYTES, order));
    }
    for group in [1, 2, 4, 16] {
        needed.insert(Exchange::new(&LARGEST, BYTES, Order::Barriers(group)));
        needed.insert(Exchange::new(&LARGEST, BYTES, Order::Dataflow(group)));
    }
    needed.insert(cause(SMALL, Order::Alike, Change::Nothing));
    needed.insert(cause([4, 4, 4], Order::Barriers(1), Change::FreeBarrier));
    needed.extend(TODAY_ORDERS.map(|order| cause(LARGE, order, Change::Today)));
    for sides in SHAPES {
        needed.insert(Exchange::new(&sides, BYTES, Order::Barriers(1)));
        needed.insert(Exchange::new(&sides, BYTES, Order::Barriers(NO_BARRIER)));
    }
    needed
}

pub(crate) struct Results {
    pub(crate) profile: Profile,
    pub(crate) runs: Runs,
    /// The seconds of the runtime's own program, by speeds and blocks, in SPN and in DUAL.
    pub(crate) programs: [[[f64; 2]; PROGRAM_BLOCKS.len()]; SPEEDS.len()],
}

impl Results {
    /// Simulates all that is asked for below.
    pub(crate) fn simulated(
        profile: Profile,
        cancel: &CancelToken,
        progress: &impl Progress,
    ) -> Result<Self, Error> {
        let mut results = Results { profile, runs: Runs::new(), programs: Default::default() };
        let mut needed = causes();
        for sides in SHAPES {
            let nodes = sides.iter().product();
            for variant in [Variant::Base, Variant::Phased, Variant::Dataflow] {
                needed.insert(results.exchange(variant, sides, weak(nodes), 1.0));
            }
            needed.insert(results.exchange(Variant::Phased, sides, weak(nodes), BLOCKS));
            for n in STRONG.map(|log| f64::from(log).exp2()) {
                if nodes as f64 <= Torus::most_nodes(n) {
                    needed.insert(results.exchange(Variant::Phased, sides, n, 1.0));
                }
            }
        }
        results.runs = run(needed, &results.profile, cancel, progress).ok_or(Error::Cancelled)?;
        let (sides, log) = PROGRAM;
        for (speed, times) in SPEEDS.iter().zip(&mut results.programs) {
            let mut profile = results.profile.clone();
            profile.work.flop /= speed;
            for (blocks, times) in PROGRAM_BLOCKS.into_iter().zip(times) {
                let job = Job { sides: sides.into(), log, blocks };
                for (config, time) in [Config::Spn, Config::Dual].into_iter().zip(times) {
                    *time = seconds(&job, &profile, config, cancel)?;
                }
            }
        }
        Ok(results)
    }

    /// The share of the peak that an exchange reached; no number if it was not run.
    pub(crate) fn share(&self, exchange: &Exchange) -> f64 {
        self.runs.get(exchange).map_or(f64::NAN, |measured| measured.share)
    }

    /// The model of a torus.
    pub(crate) fn model(&self, sides: [usize; 3]) -> Torus {
        let Profile { clock_mhz, network, work, .. } = &self.profile;
        Torus {
            sides: sides.to_vec(),
            flop: work.flop / clock_mhz / 1e6,
            link: clock_mhz * 1e6 / network.byte,
            packets: network.torus.clone(),
        }
    }

    /// How many phases go between two barriers: as many as fill a node's entries with packets.
    fn group(&self, bytes: u64) -> usize {
        let torus = &self.profile.network.torus;
        let room = torus.entries as u64 * u64::from(torus.entry_packets);
        (room / (4 * torus.packets(bytes))).max(1) as usize
    }

    /// The exchange from which a transform of `n` points in so many blocks has its share of the peak.
    fn exchange(&self, variant: Variant, mut sides: [usize; 3], n: f64, blocks: f64) -> Exchange {
        let bytes = (self.model(sides).pair_bytes(n) / blocks).ceil() as u64;
        let payload = self.profile.network.torus.payload();
        match variant {
            Variant::Base => {
                while sides.iter().product::<usize>() > MOST {
                    sides = sides.map(|side| side / 2);
                }
                Exchange::new(&sides, bytes.min(4 * payload), Order::Random)
            }
            Variant::Phased | Variant::Overlapped => {
                let bytes = bytes.min(8 * payload);
                Exchange::new(&sides, bytes, Order::Barriers(self.group(bytes)))
            }
            Variant::Dataflow => Exchange::new(&sides, bytes.min(8 * payload), Order::Dataflow(1)),
        }
    }

    /// The share of the peak that a transform's exchanges reach.
    pub(crate) fn share_of(&self, variant: Variant, sides: [usize; 3], n: f64, blocks: f64) -> f64 {
        self.share(&self.exchange(variant, sides, n, blocks))
    }

    /// The seconds of one exchange of a transform in so many blocks.
    pub(crate) fn exchange_seconds(&self, variant: Variant, sides: [usize; 3], n: f64, blocks: f64) -> f64 {
        self.model(sides).exchange(n, blocks) / self.share_of(variant, sides, n, blocks)
    }

    /// The seconds of a transform.
    pub(crate) fn seconds(&self, variant: Variant, sides: [usize; 3], n: f64) -> f64 {
        let (model, exchange) = (self.model(sides), self.exchange_seconds(variant, sides, n, 1.0));
        if variant != Variant::Overlapped {
            return model.fft(n, exchange);
        }
        model.overlapped(n, BLOCKS, exchange, self.exchange_seconds(variant, sides, n, BLOCKS))
    }

    /// The billions of operations of a transform in a second.
    pub(crate) fn gflops(&self, variant: Variant, sides: [usize; 3], n: f64) -> f64 {
        Torus::gflops(n, self.seconds(variant, sides, n))
    }

    /// The rate of a transform in strong scaling; nothing if its points cannot be shared by so many nodes.
    pub(crate) fn strong(&self, sides: [usize; 3], n: f64) -> Option<f64> {
        let fits = self.model(sides).nodes() <= Torus::most_nodes(n);
        fits.then(|| self.gflops(Variant::Phased, sides, n))
    }
}
