//! Statements of papers, and how they are judged: by checks with fixed thresholds.
//!
//! A paper is a list of [`Statement`]s about results of type `R`. [`judged`] runs each statement's judge on the results:
//! it notes checks, what they found, and why. A statement holds if all its checks pass, in part if some do; without a
//! check it cannot be told. The thresholds are the same for all statements of all papers and were not adjusted to what
//! came out.

use serde::Serialize;

/// "About" a figure, "about equal", "slightly" more: within this factor; "noticeably" more: beyond it.
pub(crate) const ABOUT: f64 = 1.25;

/// A "considerable" difference: more than this share; one that is "not significant": less.
pub(crate) const CONSIDERABLE: f64 = 0.10;

/// "No change", "unchanged", "flat": within this share.
pub(crate) const FLAT: f64 = 0.05;

/// What came of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All checks passed.
    Holds,
    /// Some did.
    InPart,
    /// None did.
    DoesNotHold,
    /// What it needs is not here.
    CannotBeTold,
}

impl Verdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::DoesNotHold => "does not hold",
            Self::CannotBeTold => "cannot be told here",
        }
    }
}

/// A statement of a paper, and how it is judged on results of type `R`.
#[derive(Debug)]
pub(crate) struct Statement<R> {
    /// What the paper says, in our words.
    pub(crate) says: &'static str,
    /// Where it says so; nothing if the paper's statements are not told by section.
    pub(crate) section: Option<&'static str>,
    /// The rule by which it is judged.
    pub(crate) rule: &'static str,
    pub(crate) judge: fn(&R) -> Judged,
}

/// What a paper says in a section.
pub(crate) const fn said<R>(
    says: &'static str,
    section: &'static str,
    rule: &'static str,
    judge: fn(&R) -> Judged,
) -> Statement<R> {
    Statement { says, section: Some(section), rule, judge }
}

/// A statement that was judged. The field names are the names in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// From 1.
    pub number: usize,
    /// What the paper says.
    pub says: &'static str,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'static str>,
    /// How it is judged.
    pub rule: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    /// Checks that passed, and all of them.
    pub passed: [usize; 2],
    /// What was found; without a section also why it came out so.
    pub found: String,
    /// Why it came out so, or what we do instead; only with a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Row {
    /// What the paper says, and where.
    pub(crate) fn cited(&self) -> String {
        self.section.map_or(self.says.to_owned(), |section| format!("{} ({section})", self.says))
    }

    /// Why it came out so, if there is a reason that is not told with what was found.
    pub(crate) fn reasons(&self) -> Option<&str> {
        self.why.as_deref().filter(|why| !why.is_empty())
    }
}

/// All statements of a paper, judged on `results`.
pub(crate) fn judged<R>(statements: &[Statement<R>], results: &R) -> Vec<Row> {
    let row = |(index, &Statement { says, section, rule, judge }): (usize, &Statement<R>)| {
        let judged = judge(results);
        let (verdict, passed) = (judged.verdict(), judged.tally());
        let (found, why) = match section {
            Some(_) => (judged.findings(), Some(judged.why())),
            None => (judged.told(), None),
        };
        Row { number: index + 1, says, section, rule, verdict, passed, found, why }
    };
    statements.iter().enumerate().map(row).collect()
}

/// How many rows came to a verdict.
pub(crate) fn count(rows: &[Row], verdict: Verdict) -> usize {
    rows.iter().filter(|row| row.verdict == verdict).count()
}

/// Checks and what they found.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    passed: usize,
    checks: usize,
    found: Vec<String>,
    why: Vec<String>,
}

impl Judged {
    /// Adds a check.
    pub(crate) fn check(&mut self, passed: bool, found: impl Into<String>) -> &mut Self {
        self.count(usize::from(passed), 1, found)
    }

    /// Adds `passed` of `checks` checks that are told as one.
    pub(crate) fn count(&mut self, passed: usize, checks: usize, found: impl Into<String>) -> &mut Self {
        self.passed += passed;
        self.checks += checks;
        self.found(found)
    }

    /// Adds a figure that is no check.
    pub(crate) fn found(&mut self, found: impl Into<String>) -> &mut Self {
        self.found.push(found.into());
        self
    }

    /// Adds a reason: why it came out so, or why nothing did.
    pub(crate) fn because(&mut self, why: impl Into<String>) -> &mut Self {
        self.why.push(why.into());
        self
    }

    /// A statement that cannot be told, and why.
    pub(crate) fn untold(why: impl Into<String>) -> Self {
        Self { why: vec![why.into()], ..Self::default() }
    }

    /// The checks with the reason why nothing can be told, if there are none.
    pub(crate) fn or_untold(mut self, why: impl Into<String>) -> Self {
        if self.checks == 0 {
            self.because(why);
        }
        self
    }

    /// The checks with a reason, or with another one if there are none.
    pub(crate) fn explained(mut self, why: impl Into<String>, untold: impl Into<String>) -> Self {
        if self.checks > 0 {
            self.because(why);
        }
        self.or_untold(untold)
    }

    /// What came of it.
    fn verdict(&self) -> Verdict {
        match (self.passed, self.checks) {
            (_, 0) => Verdict::CannotBeTold,
            (passed, checks) if passed == checks => Verdict::Holds,
            (0, _) => Verdict::DoesNotHold,
            _ => Verdict::InPart,
        }
    }

    /// Checks that passed, and all of them.
    fn tally(&self) -> [usize; 2] {
        [self.passed, self.checks]
    }

    /// What was found.
    fn findings(&self) -> String {
        if self.found.is_empty() { "nothing".to_owned() } else { self.found.join("; ") }
    }

    /// Why.
    fn why(&self) -> String {
        self.why.join("; ")
    }

    /// What was found, and then why, where one place is for both.
    fn told(&self) -> String {
        [&self.found[..], &self.why].concat().join("; ")
    }
}

/// Whether two figures are about equal.
pub(crate) fn about(value: f64, expected: f64) -> bool {
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
        assert_eq!(judged(&[]), Verdict::CannotBeTold);
        assert_eq!(judged(&[true, true]), Verdict::Holds);
        assert_eq!(judged(&[true, false]), Verdict::InPart);
        assert_eq!(judged(&[false, false]), Verdict::DoesNotHold);
        assert!(about(1.25, 1.0) && about(0.8, 1.0) && !about(1.26, 1.0) && !about(0.79, 1.0));
    }

    #[test]
    fn rows_are_numbered_and_reasons_stand_apart_with_a_section_alone() {
        let judge: fn(&f64) -> Judged = |&value| {
            let mut judged = Judged::default();
            judged.check(about(value, 1.0), format!("x {value}")).because("so");
            judged
        };
        let [plain, cited] =
            [None, Some("II")].map(|section| Statement { says: "1", section, rule: "r", judge });
        let rows = judged(&[plain, cited], &2.0);
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            (rows[0].found.as_str(), rows[0].why.as_deref(), rows[0].cited().as_str()),
            ("x 2; so", None, "1")
        );
        assert_eq!(
            (rows[1].found.as_str(), rows[1].why.as_deref(), rows[1].cited().as_str()),
            ("x 2", Some("so"), "1 (II)")
        );
        assert_eq!((count(&rows, Verdict::DoesNotHold), count(&rows, Verdict::Holds)), (2, 0));
        let keys = |row: &Row| serde_json::to_value(row).unwrap().as_object().unwrap().len();
        assert_eq!([keys(&rows[0]), keys(&rows[1])], [6, 8]);
    }

    #[test]
    fn checks_told_as_one_count_each() {
        let mut judged = Judged::default();
        judged.count(2, 2, "two");
        assert_eq!((judged.verdict(), judged.tally()), (Verdict::Holds, [2, 2]));
        judged.count(0, 3, "none");
        assert_eq!((judged.verdict(), judged.tally()), (Verdict::InPart, [2, 5]));
    }

    #[test]
    fn what_is_not_checked_has_its_own_reason() {
        let judged = |checks: usize| {
            let mut judged = Judged::default();
            judged.count(checks, checks, "x");
            judged
        };
        assert_eq!([0, 1].map(|checks| judged(checks).explained("told", "untold").why()), ["untold", "told"]);
        assert_eq!([0, 1].map(|checks| judged(checks).or_untold("untold").why()), ["untold", ""]);
        let untold = Judged::untold("so");
        assert_eq!((untold.verdict(), untold.why().as_str()), (Verdict::CannotBeTold, "so"));
    }

    #[test]
    fn what_was_found_is_told_before_why() {
        let mut judged = Judged::default();
        judged.check(true, "first").because("so").found("more");
        let told = [judged.findings(), judged.why(), judged.told()];
        assert_eq!(told, ["first; more", "so", "first; more; so"]);
    }
}
