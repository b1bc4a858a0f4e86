//! Closed form of the time of a distributed FFT, from the lengths of the array and the rates of a machine.
//!
//! Nothing here calls the library: the stages, their copies and their chunks are written down again. All
//! lengths and numbers of ranks are powers of two.
//!
//! A rank has `n = N / P` points. A stage transforms them in `W = n (levels row + copies copy)`, where
//! `levels` is the binary logarithm of the length that it transforms. The exchange after it has `C` chunks.
//! Each chunk has a tile for each of the `G` ranks of its group, `M` of them on other ranks. The tiles take
//! `B = 16 n byte M / G` on the rank's link, and `S` and `R` to send and receive one. A tile arrives `L`
//! after it was sent.
//!
//! *Without overlap* an exchange takes `C M (S + R) + B + L` after its stage.
//!
//! *With overlap* the tiles of a chunk travel while the next chunk is transformed. `Exchange::overlapped` has
//! the terms of both configurations.
//!
//! *Start and end.* Rank 0 starts `P - 1` ranks and receives their addresses, one after the other:
//! `(P - 1)(S + R)`, and a way there and back. It passes all addresses on along a tree, so the last rank
//! begins `log2 P (S + L + R)` after the first. Meanwhile rank 0 receives the first ends, `(P - 1) R` in
//! total. The longer of these two times counts.

use earth::Config;
use earth::simulated::Profile;
use serde::Serialize;

use super::torus::POINT;

/// Least points of a chunk, greatest number of chunks, and least points of a tile.
const CHUNK: f64 = 65_536.0;
const CHUNKS: f64 = 8.0;
const TILE: f64 = 1024.0;

/// Points of two cache lines.
const LINES: f64 = 8.0;

/// Rates of a machine, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// A point of a level of a row FFT.
    pub row: f64,
    /// Copying a point.
    pub copy: f64,
    /// A byte on a link.
    pub byte: f64,
    /// The way of a short message through the network.
    pub latency: f64,
    /// Sending a tile.
    pub send: f64,
    /// Receiving a tile.
    pub receive: f64,
    /// Handing a tile to the second processor, or taking it, if there is one.
    pub issue: f64,
    /// Whether a second processor sends and receives.
    pub is_dual: bool,
}

impl Rates {
    /// Returns the rates of a machine of crossbars with this many ranks.
    pub fn of(profile: &Profile, config: Config, ranks: usize) -> Self {
        let [second, network] = [Some(profile.clock_mhz), profile.network.clock_mhz]
            .map(|clock| 1e-6 / clock.unwrap_or(profile.clock_mhz));
        let work = |kernel: &str, flops: f64| {
            let known = profile.work.kernels.get(kernel);
            second * known.copied().unwrap_or(flops * profile.work.flop)
        };
        let operations = profile.operations(config);
        let fiber = (operations.dispatch + operations.poll) as f64;
        let is_dual = config == Config::Dual;
        let link = &profile.network;
        let header = link.smallest as f64 * link.byte;
        Self {
            row: work("row-fft", 5.0),
            copy: work("copy", 0.0),
            byte: network * link.byte,
            latency: network * (link.interface + hops(link.ports, ranks) * link.hop + header),
            send: second * operations.send_block as f64,
            receive: second * (operations.receive_block as f64 + if is_dual { 0.0 } else { fiber }),
            issue: if is_dual { second * operations.issue as f64 } else { 0.0 },
            is_dual,
        }
    }
}

/// Returns the number of crossbars that a message passes to a distant rank: one if they have ports for all
/// ranks, and two more for each level of half the ports.
pub(crate) fn hops(ports: usize, ranks: usize) -> f64 {
    if ranks <= ports {
        return 1.0;
    }
    let (mut below, mut hops) = (ports / 2, 1.0);
    while below < ranks {
        (below, hops) = (below * (ports / 2), hops + 2.0);
    }
    hops
}

/// Transform of an array of powers of two on many ranks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Transform {
    /// Lengths of the dimensions.
    pub lengths: Vec<usize>,
    /// Whether the spectrum is in natural order.
    pub is_natural: bool,
    /// Number of ranks.
    pub ranks: usize,
}

/// Stage of a transform, and the exchange after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stage {
    levels: f64,
    copies: f64,
    /// Ranks of the group that exchanges, or 1 after the last stage.
    group: f64,
    /// How many of them are other ranks.
    others: f64,
    /// Greatest number of chunks.
    most: f64,
}

/// Time of a transform, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    /// Start and end of all ranks.
    pub start: f64,
    /// Transforms and copies.
    pub computing: f64,
    /// Bytes on the link of a rank.
    pub bytes: f64,
    /// Sending and receiving tiles.
    pub messages: f64,
    /// Latencies of exchanges.
    pub latency: f64,
    /// The whole, if the exchange of a chunk overlaps the computation of the next one.
    pub overlapped: f64,
}

impl Time {
    /// Returns the whole without overlap.
    pub fn whole(&self) -> f64 {
        self.start + self.computing + self.bytes + self.messages + self.latency
    }
}

fn log2(length: usize) -> f64 {
    (length as f64).log2()
}

impl Transform {
    /// Returns the number of points.
    pub fn points(&self) -> f64 {
        self.lengths.iter().map(|&length| length as f64).product()
    }

    /// Returns the grid of pencils, or `None` if slabs have a rank's part.
    pub fn pencils(&self) -> Option<[usize; 2]> {
        let [rows, cols, _] = *self.lengths else { return None };
        let slow = 1 << (self.ranks.ilog2() / 2);
        (self.ranks > rows.min(cols)).then_some([slow, self.ranks / slow])
    }

    /// Returns the number of chunks of an exchange.
    fn chunks(&self) -> f64 {
        let ranks = self.ranks as f64;
        let part = self.points() / ranks;
        (part / CHUNK.max(part / CHUNKS).max(TILE * ranks)).max(1.0)
    }

    /// Returns the stages.
    pub fn stages(&self) -> Vec<Stage> {
        let ranks = self.ranks as f64;
        let stage =
            |levels, copies, group: f64| Stage { levels, copies, group, others: group - 1.0, most: CHUNKS };
        let last = if self.is_natural { ranks } else { 1.0 };
        // A stage that only moves points does not copy the points that stay on their rank, except of pencils.
        let moved = if self.pencils().is_some() { 1.0 } else { 1.0 - 1.0 / ranks };
        // One rank copies rows only before their transform, and has natural order without a further stage.
        let rows = if self.ranks == 1 { 1.0 } else { 2.0 };
        let mut stages = match (&self.lengths[..], self.pencils()) {
            (&[n], _) => {
                let sides = n.ilog2();
                let [short, long] = [sides / 2, sides - sides / 2].map(f64::from);
                // The cut of consecutive points is exchanged for columns first.
                let dealt = (self.ranks > 1).then(|| stage(0.0, moved, ranks));
                dealt.into_iter().chain([stage(short, 0.0, ranks), stage(long, 1.0, last)]).collect()
            }
            (&[_, middle, fast], Some([slow, grid])) => {
                let [slow, grid] = [slow as f64, grid as f64];
                let mut stages = vec![
                    stage(log2(fast), rows, grid),
                    stage(log2(middle), 0.0, slow),
                    stage(log2(self.lengths[0]), 0.0, 1.0),
                ];
                if self.is_natural {
                    // A rank has other rows than columns, so most ranks keep no tile. Tiles cut a chunk that
                    // has the rows of several ranks.
                    let cuts = grid > slow * self.chunks();
                    let group = slow.max(grid);
                    stages[2] =
                        Stage { copies: f64::from(u8::from(cuts)), group, others: group, ..stages[2] };
                }
                stages
            }
            (lengths, _) => {
                let levels = lengths[1..].iter().copied().map(log2).sum();
                // A chunk has whole matrices of the dimensions that a stage transforms. Chunks of columns are
                // cut along the second dimension, in a matrix at cache lines.
                let unit = if lengths.len() == 2 { LINES } else { 1.0 };
                let most = |dimension: usize, unit: f64| (lengths[dimension] as f64 / ranks / unit).max(1.0);
                vec![
                    Stage { most: most(0, 1.0), ..stage(levels, rows, ranks) },
                    Stage { most: most(1, unit), ..stage(log2(lengths[0]), 0.0, last) },
                ]
            }
        };
        if self.is_natural && self.ranks > 1 {
            stages.push(stage(0.0, moved, 1.0));
        }
        stages
    }

    /// Returns the time on a machine.
    pub fn time(&self, rates: &Rates) -> Time {
        self.time_of(&self.stages(), rates)
    }

    /// Returns the time of these stages.
    pub fn time_of(&self, stages: &[Stage], rates: &Rates) -> Time {
        let others = (self.ranks - 1) as f64;
        let Rates { send, receive, latency, .. } = *rates;
        let step = send + latency + receive;
        let start = if self.ranks == 1 {
            0.0
        } else {
            others * (send + receive) + 2.0 * step + (log2(self.ranks) * step).max(others * receive)
        };
        let mut time = Time { start, overlapped: start, ..Time::default() };
        let points = self.points() / self.ranks as f64;
        for stage in stages {
            let exchange = stage.exchange(points, self.chunks().min(stage.most), rates);
            time.computing += exchange.computing;
            time.bytes += exchange.bytes;
            time.messages += exchange.messages * (send + receive + 2.0 * rates.issue);
            time.latency += if exchange.messages > 0.0 { latency } else { 0.0 };
            time.overlapped += exchange.overlapped(rates);
        }
        time
    }
}

/// Exchange of a rank: its stage's computing, the bytes' time on the link, messages and chunks.
struct Exchange {
    computing: f64,
    bytes: f64,
    messages: f64,
    chunks: f64,
}

impl Stage {
    /// Returns the stage without its exchange.
    #[must_use]
    pub fn without_exchange(self) -> Self {
        Self { group: 1.0, others: 0.0, ..self }
    }

    fn exchange(&self, points: f64, chunks: f64, rates: &Rates) -> Exchange {
        Exchange {
            computing: points * (self.levels * rates.row + self.copies * rates.copy),
            bytes: points * POINT * rates.byte * self.others / self.group,
            messages: chunks * self.others,
            chunks,
        }
    }
}

impl Exchange {
    /// Returns the time from the stage's beginning to the arrival of the last tile.
    ///
    /// The link is busy from the end of the first chunk's computation. The last chunk's tiles follow each
    /// other as fast as the link and their sender allow.
    ///
    /// In SPN the processor sends a chunk's tiles after its computation, and receives others before the next
    /// one. In DUAL the second processor does both, and the first one only hands the tiles over.
    fn overlapped(&self, rates: &Rates) -> f64 {
        let Self { computing, bytes, messages, chunks } = *self;
        if messages == 0.0 {
            return computing;
        }
        let Rates { send, receive, latency, issue, .. } = *rates;
        let first = computing / chunks;
        let each = messages / chunks;
        let sending = send + issue;
        // Time of a chunk's messages that no computation hides.
        let shown = each * if rates.is_dual { issue } else { send + receive };
        let last = computing + (chunks - 1.0) * shown;
        let handled = (last + each * (sending + receive)).max(first + messages * (send + receive));
        let arrived = (first + bytes).max(last + (messages * send).max(bytes) / chunks);
        handled.max(arrived + latency + receive)
    }
}
