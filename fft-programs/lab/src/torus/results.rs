//! Times of transforms on tori of many sizes: the model's least times over the simulated shares of the peak.
//!
//! *Scale.* Symmetric orders are simulated on tori of all sizes, because one router stands for all. An order
//! that each node draws for itself needs every node and is simulated on up to 1024 nodes. A larger torus gets
//! the share of a torus with half the sides, repeatedly: 16 x 8 x 8 for 64 x 32 x 32.
//!
//! *Views.* [`Results`] are the results at the costs of one profile: the page's profile, or the profile after
//! a [`Change`] of one figure. All views have one cache of runs. A run that does not depend on the changed
//! figure is the run of the unchanged profile.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use earth::CancelToken;
use earth::simulated::Profile;
use earth_console::work::Progress;
use earth_report::statements::Change;
use serde::Serialize;

use super::cases::{BLOCKS, FEW, LARGEST, MOST, POINTS, SHAPES, Variant, nodes};
use super::exchange::{Exchange, Measured, Order, Variation};
use super::program::ProgramRun;
use crate::model::torus::Torus;
use crate::parameters;
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Run at the costs of the profile, or after a change of one figure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Run<T> {
    of: T,
    change: Option<Change>,
}

/// Runs of all views.
#[derive(Default)]
struct Runs {
    exchanges: RunCache<Run<Exchange>, Measured>,
    programs: RunCache<Run<ProgramRun>, f64>,
}

/// Results of exchanges, and of the runtime's own program, at the costs of a profile.
pub(crate) struct Results {
    pub(crate) profile: Profile,
    /// Change that makes `profile` from the page's profile.
    change: Option<Change>,
    runs: Rc<RefCell<Runs>>,
}

impl Results {
    pub(crate) fn new(profile: Profile) -> Self {
        Self { profile, change: None, runs: Rc::default() }
    }

    /// Yields the results after each change of an estimate or a fitted figure.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (Change, Self)> + '_ {
        parameters::changes(&self.profile).map(|(change, profile)| {
            (change.clone(), Self { profile, change: Some(change), runs: Rc::clone(&self.runs) })
        })
    }

    /// Returns whether these are the results of the page's profile. Reasons that need runs of their own are
    /// given for it alone.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.change.is_none()
    }

    /// Does the runs that were asked for.
    pub(crate) fn simulate(
        &self,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<(), SimulateError> {
        let usual = &self.profile;
        let profiles: BTreeMap<_, _> = parameters::changes(usual).collect();
        let profile = |change: &Option<Change>| {
            change.as_ref().and_then(|change| profiles.get(change)).unwrap_or(usual)
        };
        let mut runs = self.runs.borrow_mut();
        let effort = |run: &Run<Exchange>| run.of.packet_hops(usual);
        let run =
            |run: &Run<Exchange>| run.of.run(profile(&run.change), cancel).ok_or(SimulateError::CANCELLED);
        runs.exchanges.run(kept, effort, progress, run)?;
        let run = |run: &Run<ProgramRun>| Ok(run.of.seconds(profile(&run.change), cancel)?);
        runs.programs.run(kept, |_| 1, progress, run)
    }

    /// Creates results in which each exchange has the share of the peak that `share` returns. Each program
    /// takes its time by the model.
    #[cfg(test)]
    pub(crate) fn invented(profile: Profile, ask: impl Fn(&Self), share: impl Fn(&Exchange) -> f64) -> Self {
        let results = Self::new(profile);
        ask(&results);
        let measured = |run: &Run<Exchange>| {
            let share = share(&run.of);
            let cycles = (run.of.peak(&results.profile) / share) as u64;
            Measured { cycles, share }
        };
        results.runs.borrow_mut().exchanges.invent(measured);
        let seconds = |run: &Run<ProgramRun>| results.least_seconds(&run.of);
        results.runs.borrow_mut().programs.invent(seconds);
        results
    }

    /// Returns whether all runs that were asked for were done.
    pub(crate) fn is_whole(&self) -> bool {
        let runs = self.runs.borrow();
        runs.exchanges.is_whole() && runs.programs.is_whole()
    }

    /// Returns the number of runs that were done.
    pub(crate) fn count(&self) -> usize {
        let runs = self.runs.borrow();
        runs.exchanges.done().count() + runs.programs.done().count()
    }

    /// Returns the figures that the runs of the statements depend on. The model uses the cost of work in
    /// addition.
    pub(crate) fn used(&self) -> BTreeSet<String> {
        let runs = self.runs.borrow();
        let exchanges = runs.exchanges.done().filter_map(|run| run.change.as_ref());
        let programs = runs.programs.done().filter_map(|run| run.change.as_ref());
        exchanges.chain(programs).map(|change| change.parameter.clone()).collect()
    }

    /// Returns the run of an exchange in this view. Equal runs have one key: a change that the exchange
    /// does not depend on is left out, and a change of the buffers is the variation with such buffers.
    fn run_of(&self, exchange: &Exchange) -> Run<Exchange> {
        let mut of = exchange.clone();
        let change = self.change.clone().filter(|change| exchange.depends_on(&change.parameter));
        let changes_buffers =
            change.as_ref().is_some_and(|change| change.parameter == "network.torus.buffers");
        if of.variation == Variation::Nothing && changes_buffers {
            of.variation = Variation::Buffers(self.profile.network.torus.buffers);
            return Run { of, change: None };
        }
        if of.variation == Variation::Buffers(self.profile.network.torus.buffers) && self.change.is_none() {
            of.variation = Variation::Nothing;
        }
        Run { of, change }
    }

    /// Returns the result of an exchange; its share is NaN if it was not run.
    pub(crate) fn run(&self, exchange: &Exchange) -> Measured {
        let result = self.runs.borrow().exchanges.result(&self.run_of(exchange));
        result.unwrap_or(Measured { cycles: 0, share: f64::NAN })
    }

    /// Returns the time of the runtime's own program, in seconds; NaN if it was not run.
    pub(crate) fn program(&self, run: &ProgramRun) -> f64 {
        let change = self.change.clone().filter(|change| run.depends_on(&change.parameter));
        let run = Run { of: run.clone(), change };
        self.runs.borrow().programs.result(&run).unwrap_or(f64::NAN)
    }

    /// Returns the least time of the runtime's own program by the model, in seconds.
    pub(crate) fn least_seconds(&self, run: &ProgramRun) -> f64 {
        let (sides, log) = super::cases::PROGRAM;
        let (n, blocks) = (f64::from(log).exp2(), run.blocks as f64);
        let mut model = self.model(sides);
        model.flop /= f64::from(run.speed);
        let [whole, block] = [1.0, blocks].map(|blocks| model.exchange(n, blocks));
        if run.blocks > 1 { model.overlapped(n, blocks, whole, block) } else { model.fft(n, whole) }
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
        let one_size = self.exchange(Variant::Phased, sides, n, 1.0).with(Variation::OneSize);
        let exchange = self.run(&one_size).cycles as f64 / self.profile.clock_mhz / 1e6;
        Torus::gflops(n, self.model(sides).fft(n, exchange))
    }

    /// Returns the base's share of the peak with buffers of `packets` packets, and the seconds of the largest
    /// transform with it.
    pub(crate) fn by_buffers(&self, packets: u32) -> [f64; 2] {
        let base = self.exchange(Variant::Base, LARGEST, POINTS, 1.0);
        let share = self.share(&base.with(Variation::Buffers(packets)));
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
    pub(crate) fn group(&self, bytes: u64) -> usize {
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
        let order = match variant {
            Variant::ByPackets => Order::RandomPackets,
            Variant::Rotated => Order::Rotated,
            Variant::OneOrder => Order::SharedRandom,
            _ => Order::Random,
        };
        match variant {
            Variant::Base | Variant::ByPackets => {
                while nodes(&sides) > MOST {
                    for side in &mut sides {
                        *side /= 2;
                    }
                }
                Exchange::new(&sides, bytes.min(4 * payload), order)
            }
            Variant::Rotated | Variant::OneOrder => Exchange::new(&sides, bytes.min(4 * payload), order),
            Variant::Phased | Variant::Overlapped => {
                let bytes = bytes.min(8 * payload);
                Exchange::new(&sides, bytes, Order::Barriers(self.group(bytes)))
            }
            Variant::Dataflow => Exchange::new(&sides, bytes.min(8 * payload), Order::Dataflow(1)),
        }
    }

    /// Returns the exchange of the largest transform in own random orders, with all nodes of a torus.
    pub(crate) fn whole(&self, sides: [usize; 3]) -> Exchange {
        Exchange { sides: sides.into(), ..self.exchange(Variant::Base, LARGEST, POINTS, 1.0) }
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
#[path = "results_tests.rs"]
mod tests;
