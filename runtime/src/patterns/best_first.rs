//! Best-first search: work that creates more work, run by priority. It suits searches that end sooner if they
//! look at the right candidates first.
//!
//! 1. One frame holds all waiting jobs, ordered by priority.
//! 2. Enough jobs to keep all nodes busy are tokens at a time. A job that ends returns its result and the
//!    jobs that it made; then the most urgent waiting job becomes a token.
//! 3. Each job receives the best result known when it became a token, so a search can prune hopeless branches
//!    (branch and bound).
//!
//! With the depth of a job as its priority the search is depth-first; with the negative depth it is
//! breadth-first.
//!
//! # Cost
//!
//! A token and a put per job, one fiber for it and one in the frame of the search. A stolen job costs two
//! messages. At most two jobs per node, minus one in total, have begun and not ended. So a job may start
//! before a more urgent one that is made meanwhile.
//!
//! # When it loses
//!
//! One node handles every job and its result, in some tens of nanoseconds each. If the order does not matter,
//! [`Search`](super::Search) keeps jobs on the node that made them.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use crate::collective::Combine;
use crate::{Eu, Reply, Start, Then, Wire, Work, threaded};

/// A piece of work.
pub trait Job: Wire {
    /// The result of a job.
    type Found: Wire + Clone;

    /// Returns the priority. The job with the greatest priority runs first; among equal ones, the job that
    /// was made last.
    fn priority(&self) -> i64;

    /// Runs the job with the result known when it was started. Appends the new jobs to `more`.
    fn run(self, known: Self::Found, more: &mut Vec<Self>) -> Self::Found;

    /// Returns the cost of `run` on a simulated machine; real machines ignore it.
    fn cost(&self) -> Work {
        Work::Cycles(0)
    }
}

/// Runs jobs and the jobs that they make by priority, and combines their results, in the order in which they
/// end.
///
/// ```
/// use earth::collective::Max;
/// use earth::patterns::{BestFirst, Job};
/// use earth::{Machine, Wire};
///
/// /// A thief's bag with `room` for more weight; `left` are the remaining things by value per weight.
/// #[derive(Wire)]
/// struct Bag {
///     value: i64,
///     room: i64,
///     left: Vec<[i64; 2]>,
/// }
///
/// impl Job for Bag {
///     type Found = i64;
///
///     /// The value if the next thing filled all the room: an upper bound.
///     fn priority(&self) -> i64 {
///         self.value + self.left.first().map_or(0, |[value, weight]| self.room * value / weight)
///     }
///
///     fn run(mut self, known: i64, more: &mut Vec<Self>) -> i64 {
///         let found = self.value;
///         if self.priority() > known && !self.left.is_empty() {
///             let [value, weight] = self.left.remove(0);
///             if weight <= self.room {
///                 let (value, room) = (self.value + value, self.room - weight);
///                 more.push(Bag { value, room, left: self.left.clone() });
///             }
///             more.push(self);
///         }
///         found
///     }
/// }
///
/// let empty = Bag { value: 0, room: 10, left: vec![[60, 5], [50, 5], [64, 8], [10, 2]] };
/// let run = Machine::threads(2).run(|out| BestFirst::call(vec![empty], 0, Max, out))?;
/// assert_eq!(run.value, 110);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct BestFirst<J: Job, O> {
    /// The waiting jobs, by priority and then by the order in which they were made.
    waiting: BTreeMap<(i64, u64), J>,
    /// Number of jobs ever added.
    made: u64,
    /// Number of jobs that have begun and not ended.
    begun: usize,
    known: Option<J::Found>,
    to: Reply<J::Found>,
    combine: O,
}

#[threaded]
impl<J: Job, O: Combine<J::Found>> BestFirst<J, O> {
    /// Runs `jobs` and all jobs that they make, and puts their results to `to`, combined with `known` by
    /// `combine`.
    pub fn start(
        jobs: Vec<J>,
        known: J::Found,
        combine: O,
        to: Reply<J::Found>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        if jobs.is_empty() {
            eu.put(to, known);
            return Start::End;
        }
        let waiting = BTreeMap::new();
        let mut search = BestFirst { waiting, made: 0, begun: 0, known: Some(known), to, combine };
        search.add(jobs);
        search.begin(eu);
        Start::Wait(search)
    }

    #[slot(again)]
    fn done(&mut self, found: (J::Found, Vec<J>), eu: &mut Eu<Self>) -> Then {
        let (found, more) = found;
        self.known = self.known.take().map(|known| self.combine.combine(known, found));
        self.begun -= 1;
        self.add(more);
        self.begin(eu);
        if self.begun > 0 {
            return Then::Wait;
        }
        if let Some(known) = self.known.take() {
            eu.put(self.to, known);
        }
        Then::End
    }
}

impl<J: Job, O: Combine<J::Found>> BestFirst<J, O> {
    fn add(&mut self, jobs: Vec<J>) {
        for job in jobs {
            self.waiting.insert((job.priority(), self.made), job);
            self.made += 1;
        }
    }

    /// Makes tokens of the most urgent jobs, the most urgent one last, since a node runs its newest token
    /// first.
    fn begin(&mut self, eu: &mut Eu<Self>) {
        let room = (2 * eu.nodes() - 1).saturating_sub(self.begun);
        let mut next: Vec<_> = (0..room).map_while(|_| self.waiting.pop_last()).collect();
        self.begun += next.len();
        while let (Some((_, job)), Some(known)) = (next.pop(), &self.known) {
            eu.token(RunJob::call(job, known.clone(), eu.reply(Self::done().found)));
        }
    }
}

/// One job.
struct RunJob<J>(PhantomData<fn(J)>);

#[threaded]
impl<J: Job> RunJob<J> {
    fn start(job: J, known: J::Found, done: Reply<(J::Found, Vec<J>)>, eu: &mut Eu<Self>) {
        eu.work(job.cost());
        let mut more = Vec::new();
        let found = job.run(known, &mut more);
        eu.put(done, (found, more));
    }
}
