//! The transpose FFT as a program of the runtime, without data: points stay on their nodes, and the moving
//! blocks are phantoms.
//!
//! 1. [`Whole`] starts a [`Part`] on each node, and sends each part the inlets of all parts.
//! 2. A part sends a tile to each part in the order of the paper's phases, and to itself: the first exchange.
//! 3. When all tiles of the first exchange have arrived, `columns` transforms its columns, one block per
//!    fiber. It sends the tiles of a block while the next block is transformed; in DUAL the second processor
//!    sends them.
//! 4. When all tiles of the second exchange have arrived, `rows` does the same with rows.
//! 5. A part is done when all tiles of the third exchange have arrived. It reports when it began and ended.
//!
//! Slots count the exchanges; no node waits at a barrier.

use std::time::Duration;

use earth::collective::{Group, everywhere};
use earth::simulated::Profile;
use earth::{Arrived, Block, CancelToken, Config, Error, Eu, Machine, Replies, Reply, Wire, Work, threaded};
use serde::Serialize;

use super::cases::PROGRAM;
use super::phases::{moved, phases};

/// Transform of `2^log` points on a torus in `blocks` blocks. Its columns have `2^column` points: half of
/// `log` in the six-step algorithm, a third in FFTE's, whose long rows are transformed as matrices within
/// their node.
#[derive(Clone, Debug, Wire)]
pub(crate) struct Job {
    pub(crate) sides: Vec<usize>,
    pub(crate) log: u32,
    pub(crate) column: u32,
    pub(crate) blocks: usize,
}

impl Job {
    fn nodes(&self) -> usize {
        self.sides.iter().product()
    }

    /// Returns the numbers in a tile of an exchange in `blocks` blocks: two per point.
    fn words(&self, blocks: usize) -> usize {
        (2 << self.log) / self.nodes() / self.nodes() / blocks
    }

    /// Returns the operations of a block of rows or columns of `2^length` points.
    fn flops(&self, length: u32) -> Work {
        Work::Flops(((5 * u64::from(length)) << self.log) / (self.nodes() * self.blocks) as u64)
    }
}

/// Inlets of a part.
#[derive(Clone, Copy, Debug, Wire)]
struct Inlets {
    begin: Reply<Vec<Inlets>>,
    /// Inlets for the tiles of the three exchanges.
    tiles: [Replies<Block<f64>>; 3],
}

/// Times at which a part began and ended.
#[derive(Clone, Copy, Debug, Wire)]
struct Times {
    begun: Duration,
    ended: Duration,
}

/// The whole transform.
struct Whole {
    out: Reply<Duration>,
}

#[threaded(parts = job.nodes())]
impl Whole {
    fn start(job: Job, out: Reply<Duration>, eu: &mut Eu<Self>) -> Self {
        let times = eu.replies(Self::finish().times);
        let given = (0..job.nodes()).map(|node| (job.clone(), node, times.at(node)));
        everywhere::<Part>(eu, Group::all(eu), given, eu.reply(Self::connect().doors));
        Whole { out }
    }

    #[slot]
    fn connect(&mut self, doors: Vec<Inlets>, eu: &mut Eu<Self>) {
        for part in &doors {
            eu.put(part.begin, doors.clone());
        }
    }

    #[slot]
    fn finish(self, #[inlets(parts)] times: Arrived<'_, Times>, eu: &mut Eu<Self>) {
        let (mut begun, mut ended) = (Duration::MAX, Duration::ZERO);
        for times in times {
            (begun, ended) = (begun.min(times.begun), ended.max(times.ended));
        }
        eu.put(self.out, ended.saturating_sub(begun));
    }
}

/// Part of a transform on one node.
struct Part {
    job: Job,
    node: usize,
    /// Inlets of the parts in the order in which this part sends to them, itself last.
    peers: Vec<Inlets>,
    /// Number of the exchange whose tiles it sends.
    exchange: usize,
    begun: Duration,
    times: Reply<Times>,
}

#[threaded(firsts = job.nodes(), tiles = job.nodes() * job.blocks)]
impl Part {
    fn start(job: Job, node: usize, times: Reply<Times>, hello: Reply<Inlets>, eu: &mut Eu<Self>) -> Self {
        let doors = Inlets {
            begin: eu.reply(Self::begin().doors),
            tiles: [
                eu.replies(Self::columns().first),
                eu.replies(Self::rows().second),
                eu.replies(Self::finish().third),
            ],
        };
        eu.put(hello, doors);
        Part { job, node, peers: Vec::new(), exchange: 0, begun: Duration::ZERO, times }
    }

    #[slot]
    fn begin(&mut self, doors: Vec<Inlets>, eu: &mut Eu<Self>) {
        self.begun = eu.now();
        let order = phases(&self.job.sides).concat().into_iter().chain([0]);
        self.peers = order.map(|by| doors[moved(self.node, by, &self.job.sides)]).collect();
        self.send(0, 1, eu);
    }

    #[slot]
    fn columns(&mut self, #[inlets(firsts)] first: Arrived<'_, Block<f64>>, eu: &mut Eu<Self>) {
        drop(first);
        self.exchange = 1;
        eu.spawn(Self::transform(0));
    }

    #[slot]
    fn rows(&mut self, #[inlets(tiles)] second: Arrived<'_, Block<f64>>, eu: &mut Eu<Self>) {
        drop(second);
        self.exchange = 2;
        eu.spawn(Self::transform(0));
    }

    /// Transforms a block of columns before exchange 1, or of rows before exchange 2, and sends its tiles.
    #[spawned]
    fn transform(&mut self, block: usize, eu: &mut Eu<Self>) {
        let Job { log, column, blocks, .. } = self.job;
        eu.work(self.job.flops(if self.exchange == 1 { column } else { log - column }));
        self.send(block, blocks, eu);
        if block + 1 < blocks {
            eu.spawn(Self::transform(block + 1));
        }
    }

    #[slot]
    fn finish(self, #[inlets(tiles)] third: Arrived<'_, Block<f64>>, eu: &mut Eu<Self>) {
        drop(third);
        eu.put(self.times, Times { begun: self.begun, ended: eu.now() });
    }
}

impl Part {
    /// Sends each part its tile of a block. The tiles of an exchange have `blocks` blocks.
    fn send(&self, block: usize, blocks: usize, eu: &mut Eu<Self>) {
        let (nodes, words) = (self.job.nodes(), self.job.words(blocks));
        for peer in &self.peers {
            let tile = Block::phantom(1, words);
            let tile = tile.unwrap_or_else(|why| unreachable!("a tile of {words} numbers: {why}"));
            eu.put_block(peer.tiles[self.exchange].at(block * nodes + self.node), tile);
        }
    }
}

/// Run of a transform of `2^log` points on `sides`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct ProgramRun {
    /// Speed of the nodes, relative to the profile.
    pub(crate) speed: u32,
    /// Binary logarithm of the length of a column.
    pub(crate) column: u32,
    pub(crate) blocks: usize,
    pub(crate) config: Config,
    /// Whether the caches of a node's processors are coherent.
    pub(crate) is_coherent: bool,
}

impl ProgramRun {
    /// Returns whether the time can depend on an estimate or a fitted figure of the profile. The program has
    /// no barrier, and a node has the processors of one configuration.
    pub(crate) fn depends_on(&self, parameter: &str) -> bool {
        let other = if self.config == Config::Dual { "spn." } else { "dual." };
        let is_flush = ["spn.flush", "dual.flush"].contains(&parameter);
        !(parameter.starts_with(other)
            || parameter == "network.torus.barrier"
            || parameter == "network.ports"
            || is_flush && self.is_coherent)
    }

    /// Returns the time of the transform on the machine of a profile, in seconds.
    pub(crate) fn seconds(&self, profile: &Profile, cancel: &CancelToken) -> Result<f64, Error> {
        let (sides, log) = PROGRAM;
        let job = Job { sides: sides.into(), log, column: self.column, blocks: self.blocks };
        let mut profile = profile.clone();
        profile.work.flop /= f64::from(self.speed);
        if self.is_coherent {
            profile.dual.flush = 0;
        }
        seconds(&job, &profile, self.config, cancel)
    }
}

/// Returns the time of a transform on the machine of a profile, in seconds.
fn seconds(job: &Job, profile: &Profile, config: Config, cancel: &CancelToken) -> Result<f64, Error> {
    let mut profile = profile.clone();
    profile.network.torus.sides.clone_from(&job.sides);
    let machine = Machine::simulated(&profile).nodes(job.nodes()).config(config);
    let run = machine.cancel_token(cancel.clone()).run(|out| Whole::call(job.clone(), out))?;
    Ok(run.value.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::torus::Torus;

    /// The time agrees with the model, and only DUAL overlaps.
    #[test]
    fn a_transform_takes_about_the_time_of_the_model() {
        let profile = Profile::named("bluegene-l").unwrap();
        let sides = vec![4, 2, 2];
        let of = |blocks, config| {
            let job = Job { sides: sides.clone(), log: 18, column: 9, blocks };
            seconds(&job, &profile, config, &CancelToken::new()).unwrap()
        };
        let model = Torus {
            sides: sides.clone(),
            flop: profile.work.flop / profile.clock_mhz / 1e6,
            link: profile.clock_mhz * 1e6 / profile.network.byte,
            packets: profile.network.torus.clone(),
        };
        let n = 18_f64.exp2();
        let least = model.fft(n, model.exchange(n, 1.0));
        for config in [Config::Spn, Config::Dual] {
            let time = of(1, config);
            assert!((least..1.3 * least).contains(&time), "{config}: {time} s, at least {least} s");
        }
        let dual = of(4, Config::Dual);
        assert!(dual < 0.97 * of(1, Config::Dual), "{dual} s in four blocks");
    }

    /// The time differs after a change only if the run depends on the changed figure.
    #[test]
    fn runs_depend_on_what_they_say() {
        let (usual, cancel) = (Profile::named("bluegene-l").unwrap(), CancelToken::new());
        let job = Job { sides: vec![4, 2], log: 12, column: 6, blocks: 2 };
        let of = |config, profile: &Profile| seconds(&job, profile, config, &cancel).unwrap();
        for config in [Config::Spn, Config::Dual] {
            let run = ProgramRun { speed: 1, column: 6, blocks: 2, config, is_coherent: false };
            let (unchanged, mut different) = (of(config, &usual), 0);
            for (change, profile) in crate::parameters::changes(&usual) {
                let is_same = of(config, &profile).to_bits() == unchanged.to_bits();
                assert!(is_same || run.depends_on(&change.parameter), "{config} depends on {change:?}");
                different += usize::from(!is_same);
            }
            assert!(different > 10, "{config}: {different} changes have an effect");
        }
    }
}
