//! Exact search for the distribution with the least time of the slowest group, for any functions.
//!
//! Steps:
//!
//! 1. For a bound T each group may take any number of rows that it does in T or less, or none. Whether N rows
//!    are a sum of one such number a group is a subset-sum problem ([`Totals`]).
//! 2. A greater T allows a superset, so the least T is found by bisection among the times of the functions'
//!    points.
//! 3. Many distributions may have that T. The search prefers, in this order: the smallest largest share; the
//!    largest smallest share (both by bisection as in 2, over the numbers of rows); the most rows for the
//!    first group, then for the second, and so on. So if the balanced distribution (in units of the
//!    granularity) is among the best, it is the answer. Equal functions always have equal answers.
//! 4. The shares are read off the sets of totals that the last groups can reach, from the first group on.
//!
//! *Cost.* With p groups, m points each and N/g = q units: O(p · m · q/64 · log(p · m)) word operations, and
//! (p + 1) · q/8 bytes at the end of the search. Both double if N is no multiple of g. The search loses where
//! q is huge and m is not (a granularity of one row, millions of rows, few points), since the sets have one
//! bit for each total.

use std::num::NonZeroUsize;

use super::speeds::{TimeFunction, between};

/// Distribution that minimizes the time of the slowest group.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Number of rows of each group, possibly 0. The first group has the first rows.
    pub rows: Vec<usize>,
    /// Time of each group by its function, in seconds. At most the time of the group with the remainder is
    /// interpolated.
    pub times: Vec<f64>,
}

impl Optimum {
    /// Returns the time of the slowest group, in seconds.
    pub fn seconds(&self) -> f64 {
        self.times.iter().copied().fold(0.0, f64::max)
    }
}

/// Reason why there is no best distribution.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PartitionError {
    /// There are no groups.
    #[error("rows cannot be dealt to 0 groups")]
    NoGroups,
    /// The granularity is 0.
    #[error("rows cannot be dealt in portions of 0")]
    NoGranularity,
    /// No points of the functions have rows that add up to N.
    #[error(
        "{rows} rows cannot be dealt to {groups} groups: of the multiples of {granularity} whose times are \
         known, {reached} rows are the nearest sum below"
    )]
    OutOfReach {
        /// N.
        rows: usize,
        /// p.
        groups: usize,
        /// g.
        granularity: usize,
        /// Greatest total up to N that the functions allow.
        reached: usize,
    },
    /// The search has more totals than fit its memory limit.
    #[error(
        "{rows} rows in multiples of {granularity} are too many to search for {groups} groups: take a coarser \
         granularity"
    )]
    TooFine {
        /// N.
        rows: usize,
        /// p.
        groups: usize,
        /// g.
        granularity: usize,
    },
}

/// Limit of the bits of all sets of a search: 256 MiB.
const MOST_BITS: u128 = 1 << 31;

/// Share that a group may take: its units of the granularity, and whether it takes the remainder too.
#[derive(Clone, Copy, Debug)]
struct Choice {
    units: usize,
    with_rest: bool,
}

/// Totals that can be reached by choosing one share for each group: a subset sum on sets of bits.
///
/// Bit k is set if some choice adds up to k. A further group that may take u shifts the set by u, and the new
/// set is the union over all its choices. One operation handles 64 totals, so a group with m choices costs m
/// · k / 64 operations for totals up to k. If the number of rows is no multiple of the granularity, one group
/// must also take the remainder. So there are two sets: totals without the remainder, and with it.
#[derive(Clone, Debug)]
struct Totals {
    /// Without the remainder, then with it.
    sets: [Vec<u64>; 2],
    most: usize,
}

impl Totals {
    /// Returns the total of no groups: 0. Totals up to `most` will be kept; totals with the remainder only if
    /// there is one.
    fn empty(most: usize, rest: bool) -> Self {
        let words = most / 64 + 1;
        let mut sets = [vec![0; words], vec![0; if rest { words } else { 0 }]];
        sets[0][0] = 1;
        Self { sets, most }
    }

    /// Returns the totals with a further group, which takes one of `choices`.
    fn with(&self, choices: impl Iterator<Item = Choice>) -> Self {
        let mut sets = self.sets.each_ref().map(|set| vec![0; set.len()]);
        let [without, with] = &mut sets;
        for Choice { units, with_rest } in choices {
            if with_rest {
                add_shifted(with, &self.sets[0], units);
            } else {
                add_shifted(without, &self.sets[0], units);
                add_shifted(with, &self.sets[1], units);
            }
        }
        for last in sets.iter_mut().filter_map(|set| set.last_mut()) {
            *last &= u64::MAX >> (63 - self.most % 64);
        }
        Self { sets, most: self.most }
    }

    /// Whether `units` can be reached, with the remainder or without it.
    fn contains(&self, units: usize, with_rest: bool) -> bool {
        let word = self.sets[usize::from(with_rest)].get(units / 64);
        word.is_some_and(|word| word >> (units % 64) & 1 == 1)
    }

    /// Returns the greatest total, with the remainder or without it.
    fn greatest(&self, with_rest: bool) -> Option<usize> {
        let set = &self.sets[usize::from(with_rest)];
        let at = set.iter().rposition(|word| *word != 0)?;
        Some(at * 64 + 63 - set[at].leading_zeros() as usize)
    }
}

/// Adds every number of a set plus `by` to another set; numbers that do not fit are dropped.
fn add_shifted(to: &mut [u64], from: &[u64], by: usize) {
    let (skip, bits) = (by / 64, by % 64);
    let Some(to) = to.get_mut(skip..) else { return };
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from << bits;
    }
    if bits > 0 {
        for (to, from) in to.iter_mut().skip(1).zip(from) {
            *to |= from >> (64 - bits);
        }
    }
}

/// Number of rows that a group may take.
#[derive(Clone, Copy, Debug)]
struct Share {
    rows: usize,
    choice: Choice,
    seconds: f64,
}

/// Limits of an allowed share: its greatest time, and its least and greatest number of rows.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    seconds: f64,
    least: usize,
    most: usize,
}

impl Bounds {
    fn allow(&self, share: &Share) -> bool {
        share.seconds <= self.seconds && (self.least..=self.most).contains(&share.rows)
    }
}

/// Returns the distribution of `rows` over the groups of `functions` that minimizes the time of the slowest
/// group.
///
/// Every group takes a multiple of `granularity`; one group takes the remainder too. Step 3 above breaks
/// ties.
///
/// # Errors
///
/// No groups, a granularity of 0, no distribution, or a search that needs too much memory.
pub fn slowest_least(
    functions: &[&TimeFunction],
    rows: usize,
    granularity: usize,
) -> Result<Optimum, PartitionError> {
    Search::new(functions, rows, granularity)?.run()
}

struct Search {
    rows: usize,
    granularity: NonZeroUsize,
    /// Shares that each group may take.
    shares: Vec<Vec<Share>>,
}

impl Search {
    fn new(functions: &[&TimeFunction], rows: usize, granularity: usize) -> Result<Self, PartitionError> {
        let groups = functions.len();
        if groups == 0 {
            return Err(PartitionError::NoGroups);
        }
        let granularity = NonZeroUsize::new(granularity).ok_or(PartitionError::NoGranularity)?;
        let search = Self {
            rows,
            granularity,
            shares: functions.iter().map(|function| shares(function, rows, granularity)).collect(),
        };
        let reached = search.most();
        if reached < rows {
            return Err(search.out_of_reach(reached));
        }
        let sets = if search.rest() > 0 { 2 } else { 1 };
        if (groups as u128 + 1) * (search.units() as u128 + 1) * sets > MOST_BITS {
            return Err(PartitionError::TooFine { rows, groups, granularity: granularity.get() });
        }
        Ok(search)
    }

    fn units(&self) -> usize {
        self.rows / self.granularity
    }

    fn rest(&self) -> usize {
        self.rows % self.granularity
    }

    fn out_of_reach(&self, reached: usize) -> PartitionError {
        PartitionError::OutOfReach {
            rows: self.rows,
            groups: self.shares.len(),
            granularity: self.granularity.get(),
            reached,
        }
    }

    /// Returns the greatest total of any number of rows. It needs no set of totals, which might be too large.
    fn most(&self) -> usize {
        let most = |shares: &[Share], with_rest: bool| {
            shares.iter().filter(|share| share.choice.with_rest == with_rest).map(|share| share.rows).max()
        };
        let without =
            self.shares.iter().map(|shares| most(shares, false).unwrap_or(0)).fold(0, usize::saturating_add);
        let gained = |shares: &Vec<Share>| most(shares, true)?.checked_sub(most(shares, false)?);
        without.saturating_add(self.shares.iter().filter_map(gained).max().unwrap_or(0))
    }

    fn run(&self) -> Result<Optimum, PartitionError> {
        let unbounded = Bounds { seconds: f64::INFINITY, least: 0, most: usize::MAX };
        let all = self.totals(unbounded);
        if !self.meets(&all) {
            let (granularity, rest) = (self.granularity.get(), self.rest());
            let without = all.greatest(false).map(|units| units * granularity);
            let with =
                if rest > 0 { all.greatest(true).map(|units| units * granularity + rest) } else { None };
            return Err(self.out_of_reach(without.max(with).unwrap_or(0)));
        }
        let mut times: Vec<f64> = self.shares.iter().flatten().map(|share| share.seconds).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let seconds = self.least(&times, |seconds| Bounds { seconds, ..unbounded });
        let mut rows: Vec<usize> = self.shares.iter().flatten().map(|share| share.rows).collect();
        rows.sort_unstable();
        rows.dedup();
        let most = self.least(&rows, |most| Bounds { seconds, most, ..unbounded });
        rows.reverse();
        let least = self.least(&rows, |least| Bounds { seconds, least, most });
        Ok(self.read_off(Bounds { seconds, least, most }))
    }

    /// Returns the first of `values` whose bounds allow N rows. The last one is known to allow them, and each
    /// allows all that the values before it do.
    fn least<T: Copy>(&self, values: &[T], bounds: impl Fn(T) -> Bounds) -> T {
        let (mut below, mut found) = (0, values.len() - 1);
        while below < found {
            let middle = usize::midpoint(below, found);
            let totals = self.totals(bounds(values[middle]));
            if self.meets(&totals) {
                found = middle;
            } else {
                below = middle + 1;
            }
        }
        values[found]
    }

    /// Returns the totals that all groups together reach.
    fn totals(&self, bounds: Bounds) -> Totals {
        let nobody = Totals::empty(self.units(), self.rest() > 0);
        self.shares.iter().fold(nobody, |totals, shares| totals.with(allowed(shares, bounds)))
    }

    fn meets(&self, totals: &Totals) -> bool {
        totals.contains(self.units(), self.rest() > 0)
    }

    fn read_off(&self, bounds: Bounds) -> Optimum {
        // Totals that the groups from each one on reach together.
        let mut reached = vec![Totals::empty(self.units(), self.rest() > 0)];
        for shares in self.shares.iter().rev() {
            let totals = reached[reached.len() - 1].with(allowed(shares, bounds));
            reached.push(totals);
        }
        reached.pop();
        let (mut units, mut rest) = (self.units(), self.rest() > 0);
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for shares in &self.shares {
            let others = reached.pop().unwrap_or_else(|| unreachable!("there is a set for each group"));
            let fits = |share: &&Share| {
                bounds.allow(share)
                    && share.choice.units <= units
                    && (rest || !share.choice.with_rest)
                    && others.contains(units - share.choice.units, rest && !share.choice.with_rest)
            };
            // Shares are in ascending order of their rows.
            let share = shares.iter().rev().find(fits);
            let share = share.unwrap_or_else(|| unreachable!("the groups before took what leaves enough"));
            units -= share.choice.units;
            rest &= !share.choice.with_rest;
            rows.push(share.rows);
            times.push(share.seconds);
        }
        Optimum { rows, times }
    }
}

fn allowed(shares: &[Share], bounds: Bounds) -> impl Iterator<Item = Choice> {
    shares.iter().filter(move |share| bounds.allow(share)).map(|share| share.choice)
}

/// Returns the shares of `rows` that a group may take, in ascending order: 0; the measured multiples of the
/// granularity; and, with the remainder, numbers that were measured or are between two measured multiples
/// that are neighbors.
fn shares(function: &TimeFunction, rows: usize, granularity: NonZeroUsize) -> Vec<Share> {
    let (unit, rest) = (granularity.get(), rows % granularity);
    let share = |at: usize, seconds| {
        let choice = Choice { units: at / unit, with_rest: !at.is_multiple_of(unit) };
        Share { rows: at, choice, seconds }
    };
    let mut shares = vec![share(0, 0.0)];
    for (at, seconds) in function.points().take_while(|&(at, _)| at <= rows) {
        if at % unit == 0 || at % unit == rest {
            shares.push(share(at, seconds));
        }
    }
    if rest > 0 {
        let multiples = function.points().filter(|(at, _)| at.is_multiple_of(unit));
        let mut below = (0, 0.0);
        for above in multiples {
            let at = below.0 + rest;
            if above.0 - below.0 == unit && at <= rows && function.measured(at).is_none() {
                shares.push(share(at, between(at, below, above)));
            }
            below = above;
        }
        shares.sort_by_key(|share| share.rows);
    }
    shares
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
