//! Times of transforms on tori of many sizes: the model's least times, over the shares of the peak that were simulated.
//!
//! *Scale.* Phases are simulated on tori of all sizes, since one router stands for all. The base, in which each node draws an
//! order of its own, needs every node: it is simulated on up to 1024 nodes, and a larger torus is given the share of the one
//! of half the sides, as often as that takes: 16 x 8 x 8 for 64 x 32 x 32.

use std::collections::BTreeSet;

use earth::simulated::Profile;
use earth::{CancelToken, Config, Error};

use super::cases::{
    BEYOND, BLOCKS, BUFFERS, BYTES, DIMENSIONS, EVEN, FEW, LARGE, LARGEST, MOST, NO_BARRIER, POINTS, PROGRAM,
    PROGRAM_BLOCKS, SHAPES, SMALL, SPEEDS, STRONG, TODAY_ORDERS, UNEVEN, Variant, WHOLE, cause, weak,
};
#[cfg(test)]
use super::exchange::Measured;
use super::exchange::{Change, ENDLESS, Exchange, Order};
use super::program::{Job, seconds};
use super::runs::{Runs, run};
use crate::model::torus::Torus;
use crate::progress::Progress;

/// Runs of the runtime's own program: the seconds in SPN, in DUAL, and in DUAL if its caches were coherent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    /// How fast nodes are, against the profile.
    pub(crate) speed: f64,
    /// The logarithm of the length of a column.
    pub(crate) column: u32,
    pub(crate) blocks: usize,
    pub(crate) spn: f64,
    pub(crate) dual: f64,
    pub(crate) coherent: f64,
}

/// The exchanges that show why.
fn causes() -> BTreeSet<Exchange> {
    let mut needed = BTreeSet::new();
    for change in [Change::Nothing, ENDLESS, Change::DimensionOrdered, Change::EqualTurns] {
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
    needed.insert(cause(WHOLE, Order::Random, Change::Today));
    for sides in SHAPES {
        needed.insert(Exchange::new(&sides, BYTES, Order::Barriers(1)));
        needed.insert(Exchange::new(&sides, BYTES, Order::Barriers(NO_BARRIER)));
    }
    needed
}

pub(crate) struct Results {
    pub(crate) profile: Profile,
    pub(crate) runs: Runs,
    pub(crate) programs: Vec<Ran>,
}

impl Results {
    /// Simulates all that is asked for below.
    pub(crate) fn simulated(
        profile: Profile,
        cancel: &CancelToken,
        progress: &impl Progress,
    ) -> Result<Self, Error> {
        let mut results = Results { profile, runs: Runs::new(), programs: Vec::new() };
        let needed = results.needed();
        results.runs = run(needed, &results.profile, cancel, progress).ok_or(Error::Cancelled)?;
        let log = PROGRAM.1;
        for speed in SPEEDS {
            let six_step = PROGRAM_BLOCKS.map(|blocks| (log / 2, blocks));
            for (column, blocks) in six_step.into_iter().chain([(log / 3, 1)]) {
                results.programs.push(results.ran(speed, column, blocks, cancel)?);
            }
        }
        Ok(results)
    }

    /// Results in which each exchange has the share of the peak that this says.
    #[cfg(test)]
    pub(crate) fn invented(profile: Profile, share: impl Fn(&Exchange) -> f64) -> Self {
        let mut results = Results { profile, runs: Runs::new(), programs: Vec::new() };
        for exchange in results.needed() {
            let share = share(&exchange);
            let cycles = (exchange.peak(&results.profile) / share) as u64;
            results.runs.insert(exchange, Measured { cycles, share });
        }
        results
    }

    /// All exchanges that are asked for below.
    fn needed(&self) -> BTreeSet<Exchange> {
        let mut needed = causes();
        for sides in SHAPES {
            let nodes = sides.iter().product();
            for variant in [Variant::Base, Variant::Phased, Variant::Dataflow] {
                needed.insert(self.exchange(variant, sides, weak(nodes), 1.0));
            }
            needed.insert(self.exchange(Variant::Phased, sides, weak(nodes), BLOCKS));
        }
        for n in STRONG.map(|log| f64::from(log).exp2()) {
            let fits = |sides: &[usize; 3]| sides.iter().product::<usize>() as f64 <= Torus::most_nodes(n);
            let tori = SHAPES.into_iter().chain(BEYOND).filter(fits);
            needed.extend(tori.map(|sides| self.exchange(Variant::Phased, sides, n, 1.0)));
            let small = self.small_doublings(n).into_iter().flatten();
            needed.extend(small.map(|sides| self.one_size(sides, n)));
        }
        // Too many nodes for the rows of a square, had they not been cut.
        needed.insert(self.exchange(Variant::Phased, LARGEST, 30_f64.exp2(), 1.0));
        let base = self.exchange(Variant::Base, LARGEST, POINTS, 1.0);
        needed.extend(BUFFERS.map(|packets| base.clone().with(Change::Buffers(packets))));
        for sides in UNEVEN {
            let nodes = sides.iter().product();
            needed.insert(self.exchange(Variant::Base, sides, weak(nodes), 1.0).with(ENDLESS));
        }
        for sides in EVEN {
            let nodes = sides.iter().product();
            needed.insert(self.exchange(Variant::Phased, sides, weak(nodes), 1.0).with(Change::FreeBarrier));
        }
        for transform in &DIMENSIONS {
            for sides in transform.exchanges {
                let n = transform.points_of(sides);
                needed.extend([Variant::Base, Variant::Phased].map(|of| self.exchange(of, sides, n, 1.0)));
            }
        }
        needed
    }

    /// The runtime's own program.
    fn ran(&self, speed: f64, column: u32, blocks: usize, cancel: &CancelToken) -> Result<Ran, Error> {
        let (sides, log) = PROGRAM;
        let job = Job { sides: sides.into(), log, column, blocks };
        let mut profile = self.profile.clone();
        profile.work.flop /= speed;
        let [spn, dual] = [Config::Spn, Config::Dual].map(|config| seconds(&job, &profile, config, cancel));
        profile.dual.flush = 0;
        let coherent = seconds(&job, &profile, Config::Dual, cancel)?;
        Ok(Ran { speed, column, blocks, spn: spn?, dual: dual?, coherent })
    }

    /// The doublings of nodes, from 512 on, by which a pair of them comes to exchange no more than a packet holds.
    pub(crate) fn small_doublings(&self, n: f64) -> Vec<[[usize; 3]; 2]> {
        let doublings = SHAPES.windows(2).map(|pair| [pair[0], pair[1]]);
        let is_small = |[before, after]: &[[usize; 3]; 2]| {
            let after = self.model(after);
            let payload = self.profile.network.torus.payload() as f64;
            self.model(before).nodes() >= FEW as f64
                && after.nodes() <= Torus::most_nodes(n)
                && after.pair_bytes(n) <= payload
        };
        doublings.filter(is_small).collect()
    }

    /// The exchange of phases if all packets were as large as can be.
    fn one_size(&self, sides: [usize; 3], n: f64) -> Exchange {
        self.exchange(Variant::Phased, sides, n, 1.0).with(Change::OneSize)
    }

    /// The rate of a transform whose packets are all as large as can be.
    pub(crate) fn rate_of_one_size(&self, sides: [usize; 3], n: f64) -> f64 {
        let cycles = self.runs.get(&self.one_size(sides, n)).map_or(f64::NAN, |run| run.cycles as f64);
        let exchange = cycles / self.profile.clock_mhz / 1e6;
        Torus::gflops(n, self.model(sides).fft(n, exchange))
    }

    /// The base's share of the peak with buffers of so many packets, and the seconds of the largest transform by it.
    pub(crate) fn by_buffers(&self, packets: u32) -> [f64; 2] {
        let base = self.exchange(Variant::Base, LARGEST, POINTS, 1.0);
        let share = self.share(&base.with(Change::Buffers(packets)));
        let model = self.model(LARGEST);
        [share, model.fft(POINTS, model.exchange(POINTS, 1.0) / share)]
    }
    /// The share of the peak that an exchange reached; no number if it was not run.
    pub(crate) fn share(&self, exchange: &Exchange) -> f64 {
        self.runs.get(exchange).map_or(f64::NAN, |measured| measured.share)
    }

    /// The model of a torus.
    pub(crate) fn model(&self, sides: impl AsRef<[usize]>) -> Torus {
        let Profile { clock_mhz, network, work, .. } = &self.profile;
        Torus {
            sides: sides.as_ref().to_vec(),
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
    pub(crate) fn exchange(
        &self,
        variant: Variant,
        sides: impl AsRef<[usize]>,
        n: f64,
        blocks: f64,
    ) -> Exchange {
        let mut sides = sides.as_ref().to_vec();
        let bytes = (self.model(&sides).pair_bytes(n) / blocks).ceil() as u64;
        let payload = self.profile.network.torus.payload();
        match variant {
            Variant::Base => {
                while sides.iter().product::<usize>() > MOST {
                    for side in &mut sides {
                        *side /= 2;
                    }
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
    pub(crate) fn share_of(&self, variant: Variant, sides: impl AsRef<[usize]>, n: f64, blocks: f64) -> f64 {
        self.share(&self.exchange(variant, sides, n, blocks))
    }

    /// The seconds of one exchange of a transform in so many blocks.
    pub(crate) fn exchange_seconds(
        &self,
        variant: Variant,
        sides: impl AsRef<[usize]>,
        n: f64,
        blocks: f64,
    ) -> f64 {
        let sides = sides.as_ref();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torus::PROFILE;

    #[test]
    fn nodes_of_a_part_exchange_what_they_have() {
        let results = Results::invented(Profile::named(PROFILE).unwrap(), |_| 1.0);
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
        let results = Results::invented(Profile::named(PROFILE).unwrap(), |_| 1.0);
        let of = |log: i32| results.small_doublings(f64::from(log).exp2());
        assert_eq!(of(30), [[[32, 16, 16], [32, 32, 16]], [[32, 32, 16], [32, 32, 32]]]);
        assert_eq!((of(32).len(), of(34)), (2, vec![[[32, 32, 32], LARGEST]]));
    }
}
