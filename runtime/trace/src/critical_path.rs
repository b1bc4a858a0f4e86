//! Work, span and parallelism of a run: its total work, and the part of it that had to run sequentially.
//!
//! *Work* is the time of all fibers. *Span* is the longest chain of fibers in which each made the next one
//! run, according to the arrows. A fiber counts with its whole time, unless the next fiber of the chain began
//! before it ended. Then it counts only until that beginning, since it sent the signal by then at the latest.
//! So the span is never longer than the run. No machine with any number of such nodes could have run these
//! fibers in less time. The latency of messages and queues between two fibers is in neither figure.
//!
//! ```text
//! reach(f) = max over arrows s -> f of  reach(s) + min(time(s), begin(f) - begin(s)),  or 0
//! span     = max over fibers of         reach(f) + time(f)
//! ```
//!
//! Algorithm: visits the fibers in topological order of the arrows (Kahn's algorithm), since equal times give
//! no order. Cost: linear in fibers and arrows.

use std::fmt;

use super::{Arrow, Clock, Trace, TraceName, time};

/// Work, span and the chain of fibers that determines the span.
///
/// Its `Display` is one line with work, span and parallelism. If the trace dropped records, the line ends
/// with their number, as the figures do not include them.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct CriticalPath {
    /// Clock whose ticks `work` and `span` count: the [clock](Trace::clock) of the trace.
    pub clock: Clock,
    /// Time of all fibers, in ticks of the clock.
    pub work: u64,
    /// Time of the longest chain, in ticks of the clock.
    pub span: u64,
    /// Number of records that the trace [dropped](Trace::dropped). Work and span do not include them.
    pub dropped: u64,
    /// The longest chain, as indices into [`Trace::slices`], first fiber first.
    pub slices: Vec<u32>,
    /// Shares of the span by fiber name, the largest first.
    pub parts: Vec<OnPath>,
}

/// Share of the fibers of one name in the span.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OnPath {
    /// Name of the fibers.
    pub name: TraceName,
    /// Number of fibers of this name on the path.
    pub fibers: u64,
    /// Their time that counts in the span, in ticks of the clock.
    pub time: u64,
}

impl CriticalPath {
    /// Returns work divided by span: the number of nodes beyond which the run cannot become faster. It is 1
    /// for a run that took no time.
    pub fn parallelism(&self) -> f64 {
        if self.span == 0 { 1.0 } else { self.work as f64 / self.span as f64 }
    }
}

impl fmt::Display for CriticalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [work, span] = [self.work, self.span].map(|ticks| time(self.clock.micros(ticks)));
        write!(f, "work {work}, span {span}, parallelism {:.2}", self.parallelism())?;
        match self.dropped {
            0 => Ok(()),
            1 => f.write_str(" (without 1 dropped record)"),
            dropped => write!(f, " (without {dropped} dropped records)"),
        }
    }
}

/// Arrows by their sender.
pub(super) struct OutgoingArrows {
    /// Start of the arrows of each slice, and a last entry for the end of all arrows.
    first: Vec<u32>,
    to: Vec<u32>,
}

impl OutgoingArrows {
    pub(super) fn of(arrows: &[Arrow], slices: usize) -> Self {
        let mut first = vec![0; slices + 1];
        for arrow in arrows {
            first[arrow.from as usize + 1] += 1;
        }
        for slice in 0..slices {
            first[slice + 1] += first[slice];
        }
        let (mut next, mut to) = (first.clone(), vec![0; arrows.len()]);
        for arrow in arrows {
            let index = &mut next[arrow.from as usize];
            to[*index as usize] = arrow.to;
            *index += 1;
        }
        OutgoingArrows { first, to }
    }

    pub(super) fn from(&self, slice: u32) -> &[u32] {
        let slice = slice as usize;
        &self.to[self.first[slice] as usize..self.first[slice + 1] as usize]
    }
}

impl Trace {
    /// Computes work, span and the longest chain; see [`CriticalPath`]. If records were
    /// [dropped](Trace::dropped), the result covers only the records that were kept.
    pub fn critical_path(&self) -> CriticalPath {
        let leaving = OutgoingArrows::of(&self.arrows, self.slices.len());
        // Longest chain before a fiber begins, and its last fiber.
        let mut reach: Vec<(u64, Option<u32>)> = vec![(0, None); self.slices.len()];
        let mut last: Option<(u64, u32)> = None;
        for from in self.topological(&leaving) {
            let behind = reach[from as usize].0;
            let through = behind + self.slices[from as usize].time();
            if last.is_none_or(|(longest, _)| through > longest) {
                last = Some((through, from));
            }
            for &to in leaving.from(from) {
                let way = behind + self.counted(from, to);
                let (longest, by) = &mut reach[to as usize];
                if by.is_none() || way > *longest {
                    (*longest, *by) = (way, Some(from));
                }
            }
        }
        let work = self.slices.iter().map(super::Slice::time).sum();
        let (span, last) = last.unzip();
        let mut slices: Vec<u32> = std::iter::successors(last, |&slice| reach[slice as usize].1).collect();
        slices.reverse();
        let (clock, dropped, parts) = (self.clock, self.dropped, self.parts(&slices));
        CriticalPath { clock, work, span: span.unwrap_or(0), dropped, slices, parts }
    }

    /// Returns the fibers in an order in which all arrows lead forward.
    pub(super) fn topological(&self, leaving: &OutgoingArrows) -> Vec<u32> {
        let mut awaited = vec![0_u32; self.slices.len()];
        for arrow in &self.arrows {
            awaited[arrow.to as usize] += 1;
        }
        let mut next: Vec<u32> =
            (0..).zip(&awaited).filter(|(_, awaited)| **awaited == 0).map(|(slice, _)| slice).collect();
        let mut order = Vec::with_capacity(self.slices.len());
        while let Some(from) = next.pop() {
            order.push(from);
            for &to in leaving.from(from) {
                awaited[to as usize] -= 1;
                if awaited[to as usize] == 0 {
                    next.push(to);
                }
            }
        }
        order
    }

    /// Returns the time with which a fiber counts in a chain that continues with another fiber.
    pub(super) fn counted(&self, from: u32, to: u32) -> u64 {
        let (from, to) = (&self.slices[from as usize], &self.slices[to as usize]);
        from.time().min(to.begin.saturating_sub(from.begin))
    }

    fn parts(&self, path: &[u32]) -> Vec<OnPath> {
        let mut sums = vec![(0, 0); self.names.len()];
        for (index, &slice) in path.iter().enumerate() {
            let Some(whole) = self.slices.get(slice as usize) else { continue };
            let (fibers, time) = &mut sums[whole.name as usize];
            *fibers += 1;
            *time += path.get(index + 1).map_or(whole.time(), |&next| self.counted(slice, next));
        }
        let mut parts: Vec<_> = self
            .names
            .iter()
            .zip(sums)
            .filter(|(_, (fibers, _))| *fibers > 0)
            .map(|(name, (fibers, time))| OnPath { name: name.clone(), fibers, time })
            .collect();
        parts.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
        parts
    }
}
