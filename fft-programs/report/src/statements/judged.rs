//! Checks and findings that a judge records.

use super::chance;

/// Place of a check in a row: a clause of the statement, for a program, in a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) clause: String,
    pub(super) program: String,
    pub(super) reading: String,
}

/// Checks of one place.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) place: Place,
    /// Whether the program is ours, and not the paper's.
    pub(super) is_ours: bool,
    /// Number of passed checks, and of all checks.
    pub(super) tally: [usize; 2],
    pub(super) found: Vec<String>,
}

/// Checks and findings of a statement.
///
/// A check belongs to the clause, the program and the reading that were named last. Naming a clause leaves
/// the program and the reading of the clause before it; naming a program leaves the reading.
#[derive(Debug, Default)]
pub struct Judged {
    pub(super) checked: Vec<Checked>,
    pub(super) why: Vec<String>,
    now: Place,
    is_ours: bool,
}

impl Judged {
    /// Begins a clause of the statement.
    pub fn clause(&mut self, clause: impl Into<String>) -> &mut Self {
        (self.now, self.is_ours) = (Place { clause: clause.into(), ..Place::default() }, false);
        self
    }

    /// Begins a program of the paper, or a configuration of one.
    pub fn program(&mut self, program: impl Into<String>) -> &mut Self {
        self.of(program.into(), false)
    }

    /// Begins a program that the paper does not have. It is shown and does not count.
    pub fn our_program(&mut self, program: impl Into<String>) -> &mut Self {
        self.of(program.into(), true)
    }

    fn of(&mut self, program: String, is_ours: bool) -> &mut Self {
        (self.now.program, self.is_ours) = (program, is_ours);
        self.now.reading.clear();
        self
    }

    /// Begins a reading of the sentence.
    pub fn reading(&mut self, reading: impl Into<String>) -> &mut Self {
        self.now.reading = reading.into();
        self
    }

    /// Adds a check.
    pub fn check(&mut self, passed: bool, found: impl Into<String>) -> &mut Self {
        self.count(usize::from(passed), 1, found)
    }

    /// Adds `passed` of `checks` checks with one common finding.
    pub fn count(&mut self, passed: usize, checks: usize, found: impl Into<String>) -> &mut Self {
        let here = self.here();
        here.tally[0] += passed;
        here.tally[1] += checks;
        here.found.push(found.into());
        self
    }

    /// Adds a check of each value, with one finding from the number that pass. Adds nothing without a value.
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

    /// Checks whether the first of two things is clearly better at more sizes than chance explains. It cannot
    /// be told if chance explains the sizes at which either one is.
    pub fn beyond_chance(&mut self, [better, worse, all]: [usize; 3], found: impl Into<String>) -> &mut Self {
        let [is_better, is_worse] = [better, worse].map(|number| chance::is_exceeded(number, all));
        self.check_if(is_better || is_worse, is_better && better > worse, found)
    }

    /// Adds a finding without a check. A place with findings alone cannot be told.
    pub fn found(&mut self, found: impl Into<String>) -> &mut Self {
        self.here().found.push(found.into());
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

    /// Drops all checks and findings: the statement cannot be told, for this reason.
    pub fn cannot_be_told(&mut self, why: impl Into<String>) {
        *self = Self { why: vec![why.into()], ..Self::default() };
    }

    /// Adds the reason why the statement cannot be told, if there are no checks.
    pub fn or_cannot_be_told(&mut self, why: impl Into<String>) {
        if !self.has_checks() {
            self.because(why);
        }
    }

    /// Adds a reason, if there are checks.
    pub fn because_of_checks(&mut self, why: impl Into<String>) {
        if self.has_checks() {
            self.because(why);
        }
    }

    pub(super) fn has_checks(&self) -> bool {
        self.checked.iter().any(|checked| checked.tally[1] > 0)
    }

    /// Returns the checks of the present place.
    fn here(&mut self) -> &mut Checked {
        let known = self.checked.iter().position(|checked| checked.place == self.now);
        let at = known.unwrap_or_else(|| {
            let (place, is_ours) = (self.now.clone(), self.is_ours);
            self.checked.push(Checked { place, is_ours, tally: [0; 2], found: Vec::new() });
            self.checked.len() - 1
        });
        &mut self.checked[at]
    }
}
