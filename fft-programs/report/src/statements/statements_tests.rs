use super::Verdict::{CannotBeTold, DoesNotHold, Holds, InPart};
use super::*;

const TABLE: &str = "\
| | judge | the paper | section | rule | figure | why | tell |
|---|---|---|---|---|---|---|---|
| 3 | is_one | one is one | II | r | | it is | |
| 4 | nothing | nothing is | III | s | | x | |
| 5 | | nobody tells | IV | t | | | not here |
";

fn is_one([value, _]: &[f64; 2], judged: &mut Judged) {
    judged.check(about(*value, 1.0), format!("x {value}")).because("so");
}

fn nothing(_: &[f64; 2], _: &mut Judged) {}

#[test]
fn rows_have_the_words_of_the_table_and_the_findings_of_their_judges() {
    let rows = Statements { table: TABLE, judges: judges![is_one, nothing] }.judged(&[2.0; 2]);
    let told: Vec<_> = rows.iter().map(|row| (row.number, row.rule, row.verdict)).collect();
    assert_eq!(told, [(3, "r", DoesNotHold), (4, "s", CannotBeTold), (5, "t", CannotBeTold)]);
    assert_eq!(rows[0].reasons(), [("found", "x 2".to_owned()), ("why", "it is; so".to_owned())]);
    assert_eq!(rows[0].cited(), "one is one (II)");
    assert_eq!((rows[1].reasons(), rows[2].reasons()), (vec![], vec![("would tell", "not here".to_owned())]));
    assert_eq!(counted(&rows), [0, 0, 1, 2]);
}

/// Judges one statement by `judge`, on 1 and after changes of one parameter to a half and to 2.
fn row(judge: Judge<f64>) -> Row {
    let table = "| |\n|---|\n| 1 | judge | said | I | rule | | | |\n";
    let judges: &'static [(&'static str, Judge<f64>)] = Box::leak(Box::new([("judge", judge)]));
    let changed = Change::both("x").map(|change| (change.clone(), change.factor()));
    Statements { table, judges }.judged_again(&1.0, changed).remove(0)
}

#[test]
fn a_verdict_that_a_parameter_turns_cannot_be_told() {
    let row = row(|x, judged| {
        judged.check(*x >= 1.0, format!("{x}"));
    });
    assert_eq!((row.verdict, row.cells[0].unchanged), (CannotBeTold, Holds));
    assert_eq!(row.cells[0].turned_by().as_deref(), Some("`x` halved (does not hold)"));
    assert_eq!(row.cells[0].found, "1", "the finding is that of the unchanged parameter");
}

#[test]
fn a_verdict_that_is_lost_by_a_change_turns() {
    let row = row(|x, judged| {
        judged.check_if(*x < 2.0, false, "no");
    });
    assert_eq!(
        (row.verdict, row.cells[0].turned_by().as_deref()),
        (CannotBeTold, Some("`x` doubled (cannot be told)"))
    );
}

#[test]
fn a_finding_that_changes_without_its_verdict_stays() {
    let row = row(|x, judged| {
        judged.check(*x > 0.1, format!("{x}"));
    });
    assert_eq!((row.verdict, row.cells[0].turned_by()), (Holds, None));
}

#[test]
fn each_reading_names_what_turns_it() {
    let row = row(|x, judged| {
        judged.reading("wide").check(true, "a").reading("narrow").check((*x - 1.0).abs() < 0.1, "b");
    });
    let turned: Vec<_> = row.reasons().into_iter().filter(|(name, _)| *name == "turned by").collect();
    let words = "narrow: `x` halved, `x` doubled (does not hold)";
    assert_eq!(turned, [("turned by", words.to_owned())]);
}

#[test]
fn programs_of_ours_and_their_turns_do_not_count() {
    let row = row(|x, judged| {
        judged.program("tree").check(true, "a").our_program("shared").check(*x >= 1.0, "b");
    });
    assert_eq!((row.verdict, row.turns().count()), (Holds, 0));
    assert_eq!(row.cells[1].verdict, CannotBeTold);
    assert!(!row.reasons().iter().any(|(name, _)| *name == "turned by"));
}

#[test]
fn clauses_are_independent_and_checks_are_not() {
    let checks = row(|_, judged| {
        judged.check(true, "a").check(false, "b");
    });
    let clauses = row(|_, judged| {
        judged.clause("a").check(true, "a").clause("b").check(false, "b");
    });
    let programs = row(|_, judged| {
        judged.program("a").check(true, "a").program("b").check(false, "b");
    });
    assert_eq!([checks, clauses, programs].map(|row| row.verdict), [DoesNotHold, InPart, InPart]);
}

#[test]
fn readings_that_disagree_leave_a_row_untold() {
    let row = row(|_, judged| {
        judged.reading("alone").check(false, "7").reading("with dealing").check(true, "11");
    });
    assert_eq!(row.verdict, CannotBeTold);
    assert_eq!(row.reasons()[1], ("found", "with dealing, holds: 11".to_owned()));
}

#[test]
fn a_clause_begins_without_the_program_before_it() {
    let row = row(|_, judged| {
        judged.clause("a").program("tree").reading("one").check(true, "x").clause("b").check(true, "y");
    });
    let names: Vec<_> = row.cells.iter().map(Cell::name).collect();
    assert_eq!(names, ["a, tree, one", "b"]);
}

fn yes(_: &[f64; 2], judged: &mut Judged) {
    judged.check(true, "x");
}

#[test]
fn rows_on_one_figure_are_counted_once() {
    let table = "| |\n|---|\n| 1 | yes | a | I | r | share | | |\n| 2 | yes | b | I | r | | | |\n\
                 | 3 | yes | c | I | r | share | | |\n";
    let rows = Statements { table, judges: judges![yes] }.judged(&[0.0; 2]);
    let repeats: Vec<_> = rows.iter().map(|row| row.repeats).collect();
    assert_eq!((repeats, counted(&rows)), (vec![None, None, Some(1)], [2, 0, 0, 0]));
}

#[test]
fn differences_that_chance_explains_tell_nothing() {
    let of = |counts: [usize; 3]| {
        let mut judged = Judged::default();
        judged.beyond_chance(counts, "x");
        Verdict::of_checks(judged.checked[0].tally)
    };
    assert_eq!(
        [[3, 0, 22], [4, 0, 22], [4, 5, 22], [0, 4, 22]].map(of),
        [CannotBeTold, Holds, DoesNotHold, DoesNotHold]
    );
}

#[test]
fn unchecked_statements_have_their_own_reason() {
    let why = |checks: usize, tell: fn(&mut Judged)| {
        let mut judged = Judged::default();
        judged.count(checks, checks, "x");
        tell(&mut judged);
        judged.why.join("; ")
    };
    assert_eq!([0, 1].map(|checks| why(checks, |of| of.because_of_checks("told"))), ["", "told"]);
    assert_eq!([0, 1].map(|checks| why(checks, |of| of.or_cannot_be_told("untold"))), ["untold", ""]);
    let mut judged = Judged::default();
    judged.check(true, "x").cannot_be_told("so");
    assert!(judged.checked.is_empty() && judged.why == ["so"]);
}

#[test]
fn values_shown_as_one_finding_count_each() {
    let mut judged = Judged::default();
    judged.each(&[1, 2], |&value| value > 1, |passed| passed.to_string()).each(&[], |&()| true, |_| "none");
    assert_eq!(
        (judged.checked[0].tally, judged.checked[0].found.as_slice()),
        ([1, 2], &["1".to_owned()][..])
    );
}
