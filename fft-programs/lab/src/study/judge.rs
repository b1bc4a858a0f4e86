//! How a statement of a paper is judged: by checks with fixed thresholds.
//!
//! The thresholds are the same for all statements, those of the EARTH paper too (`earth-fft simulate`), and were
//! not adjusted to what came out. A statement holds if all its checks pass, in part if some do.

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

/// Checks and what they found.
#[derive(Debug, Default)]
pub struct Judged {
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
    pub(super) fn found(&mut self, found: impl Into<String>) -> &mut Self {
        self.found.push(found.into());
        self
    }

    /// Adds a reason: why it came out so, or why nothing did.
    pub(crate) fn because(&mut self, why: impl Into<String>) -> &mut Self {
        self.why.push(why.into());
        self
    }

    /// What came of it.
    pub fn verdict(&self) -> Verdict {
        match (self.passed, self.checks) {
            (_, 0) => Verdict::CannotBeTold,
            (passed, checks) if passed == checks => Verdict::Holds,
            (0, _) => Verdict::DoesNotHold,
            _ => Verdict::InPart,
        }
    }

    /// Checks that passed, and all of them.
    pub fn tally(&self) -> [usize; 2] {
        [self.passed, self.checks]
    }

    /// What was found.
    pub fn findings(&self) -> String {
        if self.found.is_empty() { "nothing".to_owned() } else { self.found.join("; ") }
    }

    /// Why.
    pub fn why(&self) -> String {
        self.why.join("; ")
    }

    /// What was found, and then why, where one place is for both.
    pub(crate) fn told(&self) -> String {
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
    fn checks_told_as_one_count_each() {
        let mut judged = Judged::default();
        judged.count(2, 2, "two");
        assert_eq!((judged.verdict(), judged.tally()), (Verdict::Holds, [2, 2]));
        judged.count(0, 3, "none");
        assert_eq!((judged.verdict(), judged.tally()), (Verdict::InPart, [2, 5]));
    }

    #[test]
    fn what_was_found_is_told_before_why() {
        let mut judged = Judged::default();
        judged.check(true, "first").because("so").found("more");
        let told = [judged.findings(), judged.why(), judged.told()];
        assert_eq!(told, ["first; more", "so", "first; more; so"]);
    }
}
