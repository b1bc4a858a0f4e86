//! Statements of papers, judged by checks with fixed thresholds.
//!
//! A paper is a table of [`Statements`] with a judge for each, a function of results of type `R`. The judge
//! records checks, their findings, and reasons. A statement holds if all its checks pass, and in part if some
//! do. Without a check it cannot be judged. The thresholds are the same for all statements of all papers, and
//! were not adjusted to the results.

use serde::Serialize;

use crate::document::cells;

/// Largest factor of "about" a figure, "about equal" and "slightly" more; "noticeably" more is beyond it.
pub const ABOUT: f64 = 1.25;

/// Share beyond which a difference is "considerable"; a smaller one is "not significant".
pub const CONSIDERABLE: f64 = 0.10;

/// Largest share of "no change", "unchanged" and "flat".
pub const FLAT: f64 = 0.05;

/// Verdict on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All checks passed.
    Holds,
    /// Some checks passed.
    InPart,
    /// No check passed.
    DoesNotHold,
    /// The results lack the data for a check.
    NotJudgeable,
}

impl Verdict {
    /// Returns the verdict for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::DoesNotHold => "does not hold",
            Self::NotJudgeable => "cannot be told here",
        }
    }
}

/// Function that judges a statement on results of type `R`.
pub type Judge<R> = fn(&R, &mut Judged);

/// Statements of a paper.
#[derive(Debug)]
pub struct Statements<R: 'static> {
    /// Markdown table with one row a statement. Its columns are:
    ///
    /// 1. the number,
    /// 2. the name of the judge,
    /// 3. the statement of the paper in our words,
    /// 4. its section,
    /// 5. the rule by which it is judged,
    /// 6. the reason for the verdict,
    /// 7. the reason why it cannot be judged, if so.
    pub table: &'static str,
    /// Judges by name.
    pub judges: &'static [(&'static str, Judge<R>)],
}

/// Returns functions with their names, as [judges](Judge).
#[macro_export]
macro_rules! judges {
    ($($judge:path),* $(,)?) => { &[$((stringify!($judge), $judge)),*] };
}
pub use crate::judges;

/// Judged statement. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Number, from 1.
    pub number: usize,
    /// Statement of the paper.
    pub statement: &'static str,
    /// Section of the paper.
    pub section: &'static str,
    /// Rule by which it is judged.
    pub rule: &'static str,
    /// Verdict.
    pub verdict: Verdict,
    /// Number of passed checks, and of all checks.
    pub passed: [usize; 2],
    /// Findings.
    pub found: String,
    /// Reason for the verdict, or what we do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Row {
    /// Returns the statement and its section.
    pub fn cited(&self) -> String {
        format!("{} ({})", self.statement, self.section)
    }

    /// Returns the reason for the verdict, if there is one.
    pub fn reasons(&self) -> Option<&str> {
        self.why.as_deref().filter(|why| !why.is_empty())
    }
}

impl<R> Statements<R> {
    /// Judges all statements on `results`.
    pub fn judged(&self, results: &R) -> Vec<Row> {
        let row = |[number, judge, statement, section, rule, why, not_judgeable]: [&'static str; 7]| {
            let name =
                |of: &&(&str, Judge<R>)| of.0.rsplit(':').next().is_some_and(|name| name.trim() == judge);
            let mut judged = Judged::default();
            match self.judges.iter().find(name) {
                Some(judge) => judge.1(results, &mut judged),
                None => debug_assert!(judge.is_empty(), "{judge} is a judge"),
            }
            judged.explain(why, not_judgeable);
            Row {
                number: number.parse().unwrap_or_default(),
                statement,
                section,
                rule,
                verdict: judged.verdict(),
                passed: judged.tally(),
                found: judged.findings(),
                why: Some(judged.why()),
            }
        };
        cells(self.table).map(row).collect()
    }
}

/// Counts the rows that hold, hold in part, do not hold, and cannot be judged.
pub fn verdicts(rows: &[Row]) -> [usize; 4] {
    let all = [Verdict::Holds, Verdict::InPart, Verdict::DoesNotHold, Verdict::NotJudgeable];
    all.map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count())
}

/// Checks and their findings.
#[derive(Debug, Default)]
pub struct Judged {
    passed: usize,
    checks: usize,
    found: Vec<String>,
    why: Vec<String>,
}

impl Judged {
    /// Adds a check.
    pub fn check(&mut self, passed: bool, found: impl Into<String>) -> &mut Self {
        self.count(usize::from(passed), 1, found)
    }

    /// Adds `passed` of `checks` checks with one common finding.
    pub fn count(&mut self, passed: usize, checks: usize, found: impl Into<String>) -> &mut Self {
        self.passed += passed;
        self.checks += checks;
        self.found(found)
    }

    /// Adds a check of each value, with one finding from the number that pass. Adds no check without a value.
    pub fn each<T, F: Into<String>>(
        &mut self,
        values: &[T],
        passes: impl Fn(&T) -> bool,
        found: impl FnOnce(usize) -> F,
    ) -> &mut Self {
        let passed = values.iter().filter(|value| passes(value)).count();
        if values.is_empty() { self } else { self.count(passed, values.len(), found(passed)) }
    }

    /// Adds a check if its subject can be judged, otherwise only the finding.
    pub fn check_if(&mut self, is_told: bool, passed: bool, found: impl Into<String>) -> &mut Self {
        if is_told { self.check(passed, found) } else { self.found(found) }
    }

    /// Adds a finding without a check.
    pub fn found(&mut self, found: impl Into<String>) -> &mut Self {
        self.found.push(found.into());
        self
    }

    /// Adds a reason for the verdict, or for its absence.
    pub fn because(&mut self, why: impl Into<String>) -> &mut Self {
        self.why.push(why.into());
        self
    }

    /// Adds any number of reasons.
    pub fn perhaps(&mut self, why: impl IntoIterator<Item = String>) -> &mut Self {
        self.why.extend(why);
        self
    }

    /// Drops all checks and findings: the statement cannot be judged, for this reason.
    pub fn not_judgeable(&mut self, why: impl Into<String>) {
        *self = Self { why: vec![why.into()], ..Self::default() };
    }

    /// Adds the reason why the statement cannot be judged, if there are no checks.
    pub fn or_not_judgeable(&mut self, why: impl Into<String>) {
        if self.checks == 0 {
            self.because(why);
        }
    }

    /// Adds a reason, if there are checks.
    pub fn because_of_checks(&mut self, why: impl Into<String>) {
        if self.checks > 0 {
            self.because(why);
        }
    }

    /// Adds the reasons of the table. The reason for the verdict comes before all others. The reason why the
    /// statement cannot be judged counts only if there is no other.
    fn explain(&mut self, why: &str, not_judgeable: &str) {
        let why = Some(why).filter(|why| self.checks > 0 && !why.is_empty());
        let not_judgeable = Some(not_judgeable).filter(|_| self.checks == 0 && self.why.is_empty());
        self.why.splice(..0, why.into_iter().chain(not_judgeable).map(str::to_owned));
    }

    /// Returns the verdict.
    fn verdict(&self) -> Verdict {
        match (self.passed, self.checks) {
            (_, 0) => Verdict::NotJudgeable,
            (passed, checks) if passed == checks => Verdict::Holds,
            (0, _) => Verdict::DoesNotHold,
            _ => Verdict::InPart,
        }
    }

    /// Returns the number of passed checks, and of all checks.
    fn tally(&self) -> [usize; 2] {
        [self.passed, self.checks]
    }

    /// Returns the findings.
    fn findings(&self) -> String {
        if self.found.is_empty() { "nothing".to_owned() } else { self.found.join("; ") }
    }

    /// Returns the reasons.
    fn why(&self) -> String {
        self.why.join("; ")
    }
}

/// Whether two figures are about equal.
pub fn about(value: f64, expected: f64) -> bool {
    (1.0 / ABOUT..=ABOUT).contains(&(value / expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_as_its_checks() {
        let judged = |checks: &[bool]| {
            let mut judged = Judged::default();
            for &passed in checks {
                judged.check(passed, "x");
            }
            judged.verdict()
        };
        assert_eq!(judged(&[]), Verdict::NotJudgeable);
        assert_eq!(judged(&[true, true]), Verdict::Holds);
        assert_eq!(judged(&[true, false]), Verdict::InPart);
        assert_eq!(judged(&[false, false]), Verdict::DoesNotHold);
        assert!(about(1.25, 1.0) && about(0.8, 1.0) && !about(1.26, 1.0) && !about(0.79, 1.0));
    }

    #[test]
    fn rows_have_the_words_of_the_table_and_the_findings_of_their_judges() {
        fn is_one([value, _]: &[f64; 2], judged: &mut Judged) {
            judged.check(about(*value, 1.0), format!("x {value}")).because("so");
        }
        fn nothing(_: &[f64; 2], _: &mut Judged) {}
        let table = "| | judge | the paper | section | rule | why | untold |\n|---|---|---|---|---|---|---|\n\
                     | 3 | is_one | one is one | II | r | it is | |\n| 4 | nothing | nothing is | III | s | x | |\n\
                     | 5 | | nobody tells | IV | t | | not here |\n";
        let rows = Statements { table, judges: judges![is_one, nothing] }.judged(&[2.0; 2]);
        let told: Vec<_> = rows.iter().map(|row| (row.number, row.rule)).collect();
        assert_eq!(told, [(3, "r"), (4, "s"), (5, "t")]);
        assert_eq!(
            (rows[0].found.as_str(), rows[0].reasons(), rows[0].cited().as_str()),
            ("x 2", Some("it is; so"), "one is one (II)")
        );
        assert_eq!(rows[2].reasons(), Some("not here"));
        assert_eq!((rows[1].found.as_str(), rows[1].reasons()), ("nothing", None));
        assert_eq!(verdicts(&rows), [0, 0, 1, 2]);
        assert_eq!(serde_json::to_value(&rows[0]).unwrap().as_object().unwrap().len(), 8);
    }

    #[test]
    fn checks_shown_as_one_count_each() {
        let mut judged = Judged::default();
        judged.each(&[1, 2], |&value| value > 0, |passed| passed.to_string());
        assert_eq!((judged.verdict(), judged.tally()), (Verdict::Holds, [2, 2]));
        judged.count(0, 3, "none").each(&[], |&()| true, |_| "none");
        assert_eq!(
            (judged.verdict(), judged.tally(), judged.findings()),
            (Verdict::InPart, [2, 5], "2; none".into())
        );
    }

    #[test]
    fn unchecked_statements_have_their_own_reason() {
        let judged = |checks: usize| {
            let mut judged = Judged::default();
            judged.count(checks, checks, "x");
            judged
        };
        let why = |checks, tell: fn(&mut Judged)| {
            let mut judged = judged(checks);
            tell(&mut judged);
            judged.why()
        };
        assert_eq!([0, 1].map(|checks| why(checks, |of| of.because_of_checks("told"))), ["", "told"]);
        assert_eq!([0, 1].map(|checks| why(checks, |of| of.or_not_judgeable("untold"))), ["untold", ""]);
        let mut not_judgeable = judged(1);
        not_judgeable.check_if(false, true, "more").not_judgeable("so");
        assert_eq!((not_judgeable.verdict(), not_judgeable.why().as_str()), (Verdict::NotJudgeable, "so"));
    }
}
