use std::fs;

use super::*;
use crate::pfft::study::fixtures::{conditions, groupings, methods};
use crate::pfft::study::rows::further::{Planned, SideTime};

const TWO: Grouping = Grouping { groups: 2, threads: 2 };

fn path(directory: &tempfile::TempDir) -> std::path::PathBuf {
    directory.path().join("rows.jsonl")
}

/// Returns rows of the further experiments.
fn further() -> [Entry; 3] {
    let time = crate::pfft::study::fixtures::point(1.0);
    let plan = |effort: &str| Planned { effort: effort.to_owned(), planning: 0.5, time, again: time };
    let kernel = "fftw".to_owned();
    let plans = vec![plan("estimate"), plan("measure")];
    let points = vec![crate::pfft::study::fixtures::sampled(128, 24_704, [1e9; 2])];
    [
        Entry::Efforts(Efforts { kernel: kernel.clone(), version: None, n: 64, plans, took: 1.0 }),
        Entry::Lengths(Lengths { kernel, version: None, points, took: 1.0 }),
        Entry::Transposes(Transposes {
            n: 64,
            sides: vec![SideTime { side: 8, time, again: time }],
            took: 1.0,
        }),
    ]
}

fn rows() -> [Entry; 3] {
    let published = Published { n: 48, filled: 64, error: 0.9, bound: 1e-14 };
    let ways = groupings("fftw", 64, &[(1, 4, 1.0), (2, 2, 2.0)]);
    let methods = methods("fftw", 64, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    [Entry::Published(published), Entry::Groupings(ways), Entry::Methods(methods)]
}

#[test]
fn rows_are_there_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(&path(&directory), conditions(), false).unwrap();
    for entry in rows() {
        journal.add(entry).unwrap();
    }
    for entry in further() {
        journal.add(entry).unwrap();
    }
    // Not closed, as after Ctrl-C.
    let again = Journal::open(&path(&directory), conditions(), false).unwrap();
    assert_eq!(again.entries, [rows(), further()].concat());
    assert_eq!(fs::read_to_string(path(&directory)).unwrap().lines().count(), 7);
    assert_eq!(again.efforts("fftw", None, 64).map(|row| row.plans.len()), Some(2));
    assert!(again.efforts("fftw", None, 65).is_none() && again.efforts("fftw", Some("3"), 64).is_none());
    assert!(again.lengths("fftw", None).is_some() && again.lengths("mkl", None).is_none());
    assert!(again.transposes(64).is_some() && again.transposes(65).is_none());
    assert_eq!(again.groupings("fftw", None, 64).map(|row| row.ways.len()), Some(2));
    assert!(again.methods("fftw", None, 64, TWO).is_some() && again.published().is_some());
    assert!(again.groupings("fftw", None, 65).is_none() && again.groupings("mkl", None, 64).is_none());
    assert!(again.groupings("fftw", Some("3.3.11"), 64).is_none(), "another version is another kernel");
    assert!(again.methods("fftw", None, 64, Grouping { groups: 4, threads: 1 }).is_none());
}

#[test]
fn a_torn_last_line_is_cut_off_and_its_row_can_follow() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(&path(&directory), conditions(), false).unwrap();
    let [first, second, third] = rows();
    journal.add(first.clone()).unwrap();
    journal.add(second.clone()).unwrap();
    drop(journal);
    let whole = fs::read(path(&directory)).unwrap();
    let torn = whole.len() - 30;
    fs::write(path(&directory), &whole[..torn]).unwrap();

    let mut journal = Journal::open(&path(&directory), conditions(), false).unwrap();
    assert_eq!(journal.entries, std::slice::from_ref(&first));
    journal.add(second.clone()).unwrap();
    journal.add(third.clone()).unwrap();
    let again = Journal::open(&path(&directory), conditions(), false).unwrap();
    assert_eq!(again.entries, [first, second, third]);

    // A file that is torn in its first line counts as empty.
    fs::write(path(&directory), &whole[..20]).unwrap();
    assert!(Journal::open(&path(&directory), conditions(), false).unwrap().entries.is_empty());
    let text = fs::read_to_string(path(&directory)).unwrap();
    assert!(text.starts_with("{\"row\":\"study\",\"schema\":4,") && text.ends_with("}\n"), "{text}");
}

#[test]
fn rows_of_other_conditions_are_refused_unless_forced() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(&path(&directory), conditions(), false).unwrap();
    journal.add(rows()[1].clone()).unwrap();
    let refused = |conditions| {
        let error = Journal::open(&path(&directory), conditions, false).unwrap_err();
        assert!(matches!(error, JournalError::Other { .. }));
        error.to_string()
    };
    let other = refused(Conditions { effort: "patient".to_owned(), ..conditions() });
    let expected = "--effort was estimate there and is patient here; use another --out, or --force";
    assert!(other.ends_with(expected), "{other}");
    let mut elsewhere = conditions();
    elsewhere.computer.processor = Some("Another".to_owned());
    let other = refused(elsewhere.clone());
    assert!(
        other.contains("it was measured on another computer: the processor was Example there"),
        "{other}"
    );
    for other in [
        Conditions { precision: "f32".to_owned(), ..conditions() },
        Conditions { config: "dual".to_owned(), ..conditions() },
        Conditions { cores: 2, ..conditions() },
        Conditions { planning: true, ..conditions() },
        Conditions { as_published: true, ..conditions() },
        Conditions { repetitions: 5, ..conditions() },
        Conditions { point_seconds: 1.0, ..conditions() },
        Conditions { speed_seconds: 1.0, ..conditions() },
        Conditions { measure_to: 64, ..conditions() },
        Conditions { patient_to: 64, ..conditions() },
    ] {
        refused(other);
    }
    let forced = Journal::open(&path(&directory), elsewhere, true).unwrap();
    assert_eq!(forced.entries.len(), 1);
    assert!(forced.differs().is_some_and(|why| why.contains("the processor was Example there")));
}

/// The first line of an older version may lack fields that are read now.
#[test]
fn rows_of_an_older_version_are_refused_by_its_number() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(path(&directory), "{\"row\":\"study\",\"schema\":3,\"precision\":\"f64\"}\n").unwrap();
    for force in [false, true] {
        let error = Journal::open(&path(&directory), conditions(), force).unwrap_err();
        assert!(matches!(error, JournalError::Schema { there: 3, .. }), "{error}");
        assert!(
            error.to_string().contains("have version 3 of the file format, and this program has version 4")
        );
    }
}

#[test]
fn lines_that_are_no_rows_are_reported_by_number() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(&path(&directory), conditions(), false).unwrap();
    journal.add(rows()[0].clone()).unwrap();
    drop(journal);
    let good = fs::read_to_string(path(&directory)).unwrap();
    let refused = |text: &str| {
        fs::write(path(&directory), text).unwrap();
        let error = Journal::open(&path(&directory), conditions(), false).unwrap_err();
        assert!(matches!(error, JournalError::Line { .. }));
        error.to_string()
    };
    assert!(refused(&format!("{good}nonsense\n")).contains("line 3: "));
    assert!(refused(&format!("{good}{good}")).ends_with("line 3: a second study begins here"));
    let headless = good.lines().nth(1).unwrap();
    assert!(
        refused(&format!("{headless}\n"))
            .ends_with("line 1: the first line must be the conditions of the study")
    );
}

#[test]
fn an_unwritable_place_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let error = Journal::open(directory.path(), conditions(), false).unwrap_err();
    assert!(matches!(error, JournalError::File { .. }), "{error}");
}
