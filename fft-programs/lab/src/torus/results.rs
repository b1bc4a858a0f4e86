//! Times of transforms on tori of many sizes: the model's least times over the simulated shares of the peak.
//!
//! *Scale.* Phases are simulated on tori of all sizes, because one router stands for all. The base, in which
//! each node draws its own order, needs every node and is simulated on up to 1024 nodes. A larger torus gets
//! the share of a torus with half the sides, repeatedly: 16 x 8 x 8 for 64 x 32 x 32.

use earth::simulated::Profile;
use earth::{CancelToken, Config, Error};
use earth_console::work::Progress;

use super::cases::{
    BLOCKS, FEW, LARGEST, MOST, POINTS, PROGRAM, PROGRAM_BLOCKS, SHAPES, SPEEDS, Variant, nodes,
};
use super::exchange::{Change, Exchange, Measured, Order};
use super::program::{Job, seconds};
use crate::model::torus::Torus;
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Times of the runtime's own program, in seconds: in SPN, in DUAL, and in DUAL with coherent caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    /// Speed of the nodes, relative to the profile.
    pub(crate) speed: f64,
    /// Binary logarithm of the length of a column.
    pub(crate) column: u32,
    pub(crate) blocks: usize,
    pub(crate) spn: f64,
    pub(crate) dual: f64,
    pub(crate) coherent: f64,
}

/// Results of exchanges, and of the runtime's own program.
pub(crate) struct Results {
    pub(crate) profile: Profile,
    runs: RunCache<Exchange, Measured>,
    pub(crate) programs: Vec<Ran>,
}

impl Results {
    pub(crate) fn new(profile: Profile) -> Self {
        Self { profile, runs: RunCache::default(), programs: Vec::new() }
    }

    /// Runs the exchanges that were asked for, and the runtime's own program.
    pub(crate) fn simulate(
        &mut self,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<(), SimulateError> {
        let effort = |exchange: &Exchange| exchange.packet_hops(&self.profile);
        let run = |exchange: &Exchange| exchange.run(&self.profile, cancel).ok_or(SimulateError::CANCELLED);
        self.runs.run(kept, effort, progress, run)?;
        let log = PROGRAM.1;
        for speed in SPEEDS {
            let six_step = PROGRAM_BLOCKS.map(|blocks| (log / 2, blocks));
            for (column, blocks) in six_step.into_iter().chain([(log / 3, 1)]) {
                self.programs.push(self.ran(speed, column, blocks, cancel)?);
            }
        }
        Ok(())
    }

    /// Creates results in which each exchange has the share of the peak that `share` returns.
    #[cfg(test)]
    pub(crate) fn invented(
        profile: Profile,
        ask: impl Fn(&Self) -> earth_report::document::Document,
        share: impl Fn(&Exchange) -> f64,
    ) -> Self {
        let mut results = Self::new(profile);
        ask(&results);
        let profile = &results.profile;
        let measured = |exchange: &Exchange| {
            let share = share(exchange);
            let cycles = (exchange.peak(profile) / share) as u64;
            Measured { cycles, share }
        };
        results.runs.invent(measured);
        results
    }

    /// Returns whether all exchanges that were asked for were run.
    pub(crate) fn is_whole(&self) -> bool {
        self.runs.is_whole()
    }

    /// Returns the result of an exchange; its share is NaN if it was not run.
    pub(crate) fn run(&self, exchange: &Exchange) -> Measured {
        self.runs.result(exchange).unwrap_or(Measured { cycles: 0, share: f64::NAN })
    }

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

    /// Returns the doublings of nodes, from 512 on, after which a pair of nodes exchanges at most a packet's
    /// payload.
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

    /// Returns the rate of a transform whose packets all have the largest size, in Gflops.
    pub(crate) fn rate_of_one_size(&self, sides: [usize; 3], n: f64) -> f64 {
        let one_size = self.exchange(Variant::Phased, sides, n, 1.0).with(Change::OneSize);
        let exchange = self.run(&one_size).cycles as f64 / self.profile.clock_mhz / 1e6;
        Torus::gflops(n, self.model(sides).fft(n, exchange))
    }

    /// Returns the base's share of the peak with buffers of `packets` packets, and the seconds of the largest
    /// transform with it.
    pub(crate) fn by_buffers(&self, packets: u32) -> [f64; 2] {
        let base = self.exchange(Variant::Base, LARGEST, POINTS, 1.0);
        let share = self.share(&base.with(Change::Buffers(packets)));
        let model = self.model(LARGEST);
        [share, model.fft(POINTS, model.exchange(POINTS, 1.0) / share)]
    }

    /// Returns the share of the peak that an exchange reached; NaN if it was not run.
    pub(crate) fn share(&self, exchange: &Exchange) -> f64 {
        self.run(exchange).share
    }

    pub(crate) fn model(&self, sides: impl AsRef<[usize]>) -> Torus {
        let Profile { clock_mhz, network, work, .. } = &self.profile;
        Torus {
            sides: sides.as_ref().to_vec(),
            flop: work.flop / clock_mhz / 1e6,
            link: clock_mhz * 1e6 / network.byte,
            packets: network.torus.clone(),
        }
    }

    /// Returns the number of phases between two barriers, which fills a node's injection queues with packets.
    fn group(&self, bytes: u64) -> usize {
        let torus = &self.profile.network.torus;
        let room = torus.entries as u64 * u64::from(torus.entry_packets);
        (room / (4 * torus.packets(bytes))).max(1) as usize
    }

    /// Returns the exchange whose share of the peak applies to a transform of `n` points in `blocks` blocks.
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
                while nodes(&sides) > MOST {
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

    /// Returns the share of the peak that a transform's exchanges reach.
    pub(crate) fn share_of(&self, variant: Variant, sides: impl AsRef<[usize]>, n: f64, blocks: f64) -> f64 {
        self.share(&self.exchange(variant, sides, n, blocks))
    }

    /// Returns the time of one exchange of a transform in `blocks` blocks, in seconds.
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

    /// Returns the time of a transform, in seconds.
    pub(crate) fn seconds(&self, variant: Variant, sides: [usize; 3], n: f64) -> f64 {
        let (model, exchange) = (self.model(sides), self.exchange_seconds(variant, sides, n, 1.0));
        if variant != Variant::Overlapped {
            return model.fft(n, exchange);
        }
        model.overlapped(n, BLOCKS, exchange, self.exchange_seconds(variant, sides, n, BLOCKS))
    }

    /// Returns the rate of a transform, in Gflops.
    pub(crate) fn gflops(&self, variant: Variant, sides: [usize; 3], n: f64) -> f64 {
        Torus::gflops(n, self.seconds(variant, sides, n))
    }

    /// Returns the rate of a transform in strong scaling, in Gflops; `None` if its points cannot be shared by
    /// all nodes.
    pub(crate) fn strong(&self, sides: [usize; 3], n: f64) -> Option<f64> {
        let fits = self.model(sides).nodes() <= Torus::most_nodes(n);
        fits.then(|| self.gflops(Variant::Phased, sides, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torus::PROFILE;
    use crate::torus::cases::DIMENSIONS;
    use crate::torus::document::document;

    #[test]
    fn nodes_of_a_part_exchange_what_they_have() {
        let results = Results::invented(Profile::named(PROFILE).unwrap(), document, |_| 1.0);
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
        let results = Results::invented(Profile::named(PROFILE).unwrap(), document, |_| 1.0);
        let of = |log: i32| results.small_doublings(f64::from(log).exp2());
        assert_eq!(of(30), [[[32, 16, 16], [32, 32, 16]], [[32, 32, 16], [32, 32, 32]]]);
        assert_eq!((of(32).len(), of(34)), (2, vec![[[32, 32, 32], LARGEST]]));
    }
}
