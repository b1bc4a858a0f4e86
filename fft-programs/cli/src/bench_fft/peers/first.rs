//! First calls: a plan and one transform in a fresh process.
//!
//! 1. A process for each contestant and round ([`Question`]) loads its library. It writes noise to the
//!    arrays, so that their memory is there.
//! 2. The clock starts. The contestant plans and transforms once. Libraries plan by `FFTW_ESTIMATE`, and this
//!    project by its rules.
//! 3. The result is checked, and the process prints its times ([`Answer`]).
//!
//! A library takes part by one thread and by all allowed threads, and the lower median counts. `SciPy` is
//! imported before the clock starts.
//!
//! *Cost.* A start of a process, and of Python for `SciPy`, for each time.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use earth_fft::Precision;
use earth_fft::kernel::{Kernel, own_simd};
use earth_fftw::Effort;
use earth_report::facts::usable_cores;
use earth_report::spread::Spread;
use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::class::Class;
use super::contestant::{Terms, Who};
use super::known::PlanStore;
use super::points::{Form, Points};
use super::report::{Entry, Row};
use super::scipy::Scipy;
use super::{Bench, BenchFftError};

/// First call that a fresh process makes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// Name of the contestant.
    who: String,
    lengths: Vec<usize>,
    batch: usize,
    is_single: bool,
    form: Form,
    threads: usize,
}

/// Times of a first call in seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    seconds: f64,
    planning_seconds: f64,
    threads: usize,
    /// Description of the plan.
    way: String,
}

impl Question {
    /// Makes the call, in this process.
    pub(crate) fn answer(&self, who: &Who) -> Result<Answer, BenchFftError> {
        if self.is_single { self.answer_in::<f32>(who) } else { self.answer_in::<f64>(who) }
    }

    fn answer_in<T: Precision>(&self, who: &Who) -> Result<Answer, BenchFftError> {
        who.load()?;
        let case = &self.case();
        let mut points = Points::<T>::new(case, self.form)?;
        let expected = points.expected();
        points.noise();
        let mut known = PlanStore::new(Duration::ZERO);
        let (form, threads, effort) = (self.form, self.threads, Effort::Estimate);
        // A program that wants all cores leaves the choice to the planner.
        let is_free = threads == usable_cores();
        let terms = Terms { form, threads, is_free, effort, limit: None };
        let begun = Instant::now();
        let contestant = who.plan(case, self.threads, terms, &points, &mut known)?;
        let planned = begun.elapsed();
        contestant.run(points.job(1), 1)?;
        let done = begun.elapsed();
        contestant.verify(case, &mut points, &expected)?;
        Ok(Answer {
            seconds: done.as_secs_f64(),
            planning_seconds: planned.as_secs_f64(),
            threads: contestant.threads,
            way: contestant.way,
        })
    }

    /// Makes the call in a fresh process. The points are given for `SciPy`, whose process needs their layout.
    fn ask<T: Precision>(&self, points: Option<&Points<T>>) -> Result<Answer, BenchFftError> {
        let failed = |why: String| BenchFftError::First { who: self.who.clone(), why };
        if let Some(points) = points {
            let seconds = Scipy::begin(points, self.threads)?.seconds(1)?;
            let way = format!("by {} threads of a process of Python", self.threads);
            return Ok(Answer { seconds, planning_seconds: 0.0, threads: self.threads, way });
        }
        let question = serde_json::to_string(self).map_err(|error| failed(error.to_string()))?;
        let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
        let output = Command::new(program).args(["first-call", &question]).stdin(Stdio::null()).output();
        let output = output.map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
    }

    fn case(&self) -> Case {
        Case { class: Class::Cold, lengths: self.lengths.clone(), batch: self.batch }
    }

    /// Returns the name of the contestant.
    pub(crate) fn who(&self) -> &str {
        &self.who
    }
}

impl Bench {
    /// Measures first calls of a case.
    pub(super) fn first_row<T: Precision>(
        &self,
        case: &Case,
        contestants: &[&Who],
        advance: impl Fn(),
    ) -> Result<Option<Row>, BenchFftError> {
        let question = |who: &Who, threads| {
            let (lengths, batch, is_single) = (case.lengths.clone(), case.batch, size_of::<T>() == 4);
            Question { who: who.word(), lengths, batch, is_single, form: self.form, threads }
        };
        let is_scipy = |who: &Who| *who == Who::Scipy;
        let has_scipy = contestants.iter().any(|who| is_scipy(who));
        let points = has_scipy.then(|| Points::<T>::new(case, self.form)).transpose()?;
        let mut numbers = vec![self.threads, 1];
        numbers.dedup();
        let mut asked = Vec::new();
        for (contestant, who) in contestants.iter().enumerate() {
            // Ours decides by itself, and takes part twice.
            let own = **who == Who::Kernel(Kernel::Earth);
            let numbers = if own { vec![self.threads; 2] } else { numbers.clone() };
            for threads in numbers {
                asked.push((contestant, question(who, threads), Vec::with_capacity(self.rounds)));
            }
        }
        for round in 0..self.rounds {
            for at in 0..asked.len() {
                let at = (at + round) % asked.len();
                let (contestant, question, answers) = &mut asked[at];
                answers.push(question.ask(points.as_ref().filter(|_| is_scipy(contestants[*contestant])))?);
            }
            advance();
        }
        let seconds = |answers: &[Answer]| answers.iter().map(|answer| answer.seconds).collect::<Vec<_>>();
        let again = seconds(&asked.remove(1).2);
        let median = |answers: &[Answer]| Spread::of(seconds(answers)).median;
        let best = |contestant| {
            let own = asked.iter().filter(|(of, ..)| *of == contestant).map(|(.., answers)| answers);
            own.min_by(|one, other| median(one).total_cmp(&median(other))).map_or(&[][..], Vec::as_slice)
        };
        let best: Vec<_> = (0..contestants.len()).map(best).collect();
        let times: Vec<_> = best.iter().map(|answers| seconds(answers)).collect();
        let mut entries = Vec::new();
        for (who, answers) in contestants.iter().zip(&best) {
            let planning = answers.iter().map(|answer| answer.planning_seconds).collect();
            let last = answers.last();
            entries.push(Entry {
                name: who.name()?.to_owned(),
                threads: last.map_or(1, |answer| answer.threads),
                way: last.map_or_else(String::new, |answer| answer.way.clone()),
                seconds: Spread::of(seconds(answers)),
                gflops: 0.0,
                counted: None,
                planning_seconds: Spread::of(planning).median,
                planning_cut_short: false,
                planned_earlier: false,
            });
        }
        Ok(Row::of(case, (self.form.real, own_simd()), entries, [&times[0], &again], &times[1..]))
    }
}
