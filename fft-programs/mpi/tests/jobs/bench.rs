//! Comparisons with FFTW-MPI and heFFTe. A library that the loader does not find is left out. Both are built
//! for one MPI library. The variable `EARTH_HEFFTE` has the path of heFFTe's library if the loader does not
//! find it.

use serde_json::Value;

use crate::scene::{Ran, Scene};

/// Names of the peers and of their libraries.
const PEERS: [[&str; 2]; 2] = [["FFTW-MPI", "libfftw3_mpi"], ["heFFTe", "libheffte"]];

/// A path where no library is.
const NOWHERE: &str = "/nowhere/libheffte.so";

/// Returns the peers that the job has, and checks that it says why it lacks the others. Prints these.
fn peers(job: &Ran) -> Vec<&'static str> {
    let lines = job.own_lines();
    let missing = |library: &str| {
        let reasons = [
            format!("the system's loader finds no {library}: "),
            format!("{library} is linked to another MPI library than this program"),
        ];
        lines.iter().any(|line| reasons.iter().any(|reason| line.starts_with(reason)))
    };
    let (found, lacking): (Vec<_>, Vec<_>) = PEERS.into_iter().partition(|[_, library]| !missing(library));
    if !lacking.is_empty() {
        eprintln!("######## bench is NOT TESTED with all peers: {lines:?} ########");
    }
    let is_none = usize::from(found.is_empty());
    assert_eq!((lines.len(), job.code), (lacking.len() + is_none, Some(is_none as i32)), "{job:?}");
    found.into_iter().map(|[name, _]| name).collect()
}

/// Checks a comparison of two arrays and a series. Checks no row if the job found no peer.
fn check(job: &Ran, order: &str, effort: &str) {
    let found = peers(job);
    if found.is_empty() {
        return;
    }
    let json: Value = serde_json::from_str(&job.stdout).unwrap();
    let is_as_requested: [(_, Value); 5] = [
        ("schema", 2.into()),
        ("order", order.into()),
        ("effort", effort.into()),
        ("ranks", 2.into()),
        ("rounds", 3.into()),
    ];
    for (name, value) in is_as_requested {
        assert_eq!(json[name], value, "{name}");
    }
    let positive = |times: &Value| assert!(times["median"].as_f64().unwrap() > 0.0, "{json}");
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        positive(&row["earth"]);
        positive(&row["null"]);
        let is_series = row["lengths"].as_array().unwrap().len() == 1;
        let compared = row["peers"].as_array().unwrap();
        let names: Vec<_> = compared.iter().map(|peer| peer["name"].as_str().unwrap()).collect();
        // heFFTe has no series.
        let expected: Vec<_> = found.iter().filter(|&&name| !is_series || name != "heFFTe").collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), expected, "{row}");
        for peer in compared {
            positive(&peer["time"]);
            positive(&peer["ratio"]);
            // The spectra are compared, and are not equal to the bit.
            assert!(is_series || peer["error"].as_f64().unwrap() > 0.0, "{row}");
        }
    }
}

#[test]
fn all_give_the_same_spectra_and_have_times() {
    let Some(scene) = Scene::new() else { return };
    for (order, flag) in [("natural", ""), ("transposed", "--transposed")] {
        let job = scene.job(2, &format!("bench 16x12 6x4x5 2^8 --rounds 3 {flag} --effort estimate --json"));
        check(&job, order, "estimate");
    }
    for (order, flag) in [("natural", ""), ("transposed", "--transposed")] {
        check(&scene.job(2, &format!("bench 12x16 4x6x3 2^6 --rounds 3 --json {flag}")), order, "measure");
    }
    let patient = scene.job(2, "bench 8x6 --rounds 1 --effort patient");
    let has_fftw = peers(&patient).contains(&"FFTW-MPI");
    assert_eq!(patient.stdout.contains("FFTW_PATIENT"), has_fftw, "{patient:?}");
    let table = scene.job(2, "bench 16x12 --rounds 1 --effort estimate");
    for name in peers(&table) {
        assert!(table.stdout.contains("16 x 12") && table.stdout.contains(name), "{table:?}");
    }
}

#[test]
fn shares_that_differ_cannot_be_compared() {
    let Some(scene) = Scene::new() else { return };
    let job = scene.job(2, "bench 15x12 --effort estimate");
    let refusal =
        "15 x 12 points cannot be compared: FFTW-MPI gives the ranks other shares than this program";
    let Some(&last) = job.own_lines().last() else { return };
    if job.own_lines().iter().any(|line| line.contains("libfftw3_mpi")) {
        eprintln!("######## shares of FFTW-MPI are NOT TESTED: {job:?} ########");
    } else {
        assert_eq!((job.code, last), (Some(1), refusal), "{job:?}");
    }
}

#[test]
fn a_missing_library_is_told_in_one_sentence_and_the_others_are_compared() {
    let Some(scene) = Scene::new() else { return };
    let variable = format!("EARTH_HEFFTE={NOWHERE}");
    let job = scene.job_with(&[&variable], 2, "bench 16x12 --rounds 1 --effort estimate");
    let begin = "the system's loader finds no libheffte: ";
    let told: Vec<_> = job.own_lines().into_iter().filter(|line| line.starts_with(begin)).collect();
    assert_eq!(told.len(), 1, "{job:?}");
    assert!(told[0].contains(NOWHERE), "{job:?}");
    let found = peers(&job);
    assert!(!found.contains(&"heFFTe"), "{job:?}");
    if found.is_empty() {
        let none = "neither FFTW-MPI nor heFFTe can be used, so there is nothing to compare with";
        assert_eq!(job.own_lines().last(), Some(&none), "{job:?}");
    } else {
        assert!(job.stdout.contains("16 x 12"), "{job:?}");
    }
}

#[test]
fn sizes_that_are_none_are_refused() {
    let Some(scene) = Scene::new() else { return };
    for wrong in ["bench 0x4", "bench 2^99", "bench 4 --rounds 4", "bench"] {
        let job = scene.job(2, wrong);
        assert_eq!((job.code, &job.stdout[..]), (Some(2), ""), "{wrong}: {job:?}");
        assert_eq!(job.stderr.matches("error: ").count(), 1, "{wrong}: {job:?}");
    }
}
