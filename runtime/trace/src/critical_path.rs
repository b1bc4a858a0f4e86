//! Work, span and parallelism of a run: how much there was to do, and how much of it had to be done one after
//! the other.
//!
//! *Work* is the time of all fibers. *Span* is the longest chain of fibers of which each made the next
//! one run, as the arrows tell. In a chain a fiber counts with all its time, unless the next one began
//! before it was over: then with what had passed until then, since it sent the signal by then at the latest.
//! So the span is never longer than the run, and no machine with any number of such nodes could have made
//! these fibers run in less time. What messages and queues took between two fibers is in neither.
//!
//! ```text
//! reach(f) = max over arrows s -> f of  reach(s) + min(time(s), begin(f) - begin(s)),  or 0
//! span     = max over fibers of         reach(f) + time(f)
//! ```
//!
//! Algorithm: fibers in topological order of the arrows (Kahn's), since equal times give no order. Cost: linear
//! in fibers and arrows.

use std::fmt;

use super::{Arrow, Clock, Trace, TraceName, time};

/// Work, span and what made the span.
///
/// Its `Display` is one line with work, span and parallelism. If the trace dropped records, the line says that these
/// figures are of the records kept, and how many were dropped.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct CriticalPath {
    /// The clock whose ticks `work` and `span` count: the [clock](Trace::clock) of the trace.
    pub clock: Clock,
    /// The time of all fibers, in ticks of the clock.
    pub work: u64,
    /// The time of the longest chain, in ticks of the clock.
    pub span: u64,
    /// How many records the trace [dropped](Trace::dropped). Work and span lack what these would have told.
    pub dropped: u64,
    /// The chain: indices into [`Trace::slices`], the first fiber first.
    pub slices: Vec<u32>,
    /// The parts of the span by the name of fibers, the largest part first.
    pub parts: Vec<OnPath>,
}

/// The part that the fibers of one name have in the span.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OnPath {
    /// The name of the fibers.
    pub name: TraceName,
    /// How many fibers of this name are on the path.
    pub fibers: u64,
    /// Their time, as far as it counts in the span.
    pub time: u64,
}

impl CriticalPath {
    /// Work over span: on how many nodes, at most, it would pay to run this. 1 for a run that took no time.
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
            1 => f.write_str(" of the records kept; 1 was dropped"),
            dropped => write!(f, " of the records kept; {dropped} were dropped"),
        }
    }
}

/// Arrows by their sender.
struct Leaving {
    /// The index at which the arrows of each slice begin, then the end of all.
    first: Vec<u32>,
    to: Vec<u32>,
}

impl Leaving {
    fn of(arrows: &[Arrow], slices: usize) -> Self {
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
        Leaving { first, to }
    }

    fn from(&self, slice: u32) -> &[u32] {
        let slice = slice as usize;
        &self.to[self.first[slice] as usize..self.first[slice + 1] as usize]
    }
}

impl Trace {
    /// Work, span and the longest chain; see [`CriticalPath`]. If records were [dropped](Trace::dropped), these are of
    /// the records that were kept.
    pub fn critical_path(&self) -> CriticalPath {
        let leaving = Leaving::of(&self.arrows, self.slices.len());
        let mut awaited = vec![0_u32; self.slices.len()];
        for arrow in &self.arrows {
            awaited[arrow.to as usize] += 1;
        }
        // What is behind a fiber when it begins, and the fiber that this comes by.
        let mut reach: Vec<(u64, Option<u32>)> = vec![(0, None); self.slices.len()];
        let mut next: Vec<u32> =
            (0..).zip(&awaited).filter(|(_, awaited)| **awaited == 0).map(|(slice, _)| slice).collect();
        let mut last: Option<(u64, u32)> = None;
        while let Some(from) = next.pop() {
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
                awaited[to as usize] -= 1;
                if awaited[to as usize] == 0 {
                    next.push(to);
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

    /// The time with which a fiber counts in a chain that goes on with another one.
    fn counted(&self, from: u32, to: u32) -> u64 {
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
