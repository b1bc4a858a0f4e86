//! Comparisons with FFTW-MPI, if the loader finds it. Its packages are built with one MPI library.

use crate::scene::Scene;

#[test]
fn both_give_the_same_spectra_and_have_times() {
    let Some(scene) = Scene::new() else { return };
    for (order, flag) in [("natural", ""), ("transposed", "--transposed")] {
        let job = scene.job(2, &format!("bench 16x12 6x4x5 2^8 --rounds 3 {flag} --effort estimate --json"));
        let reasons = ["the system's loader finds no libfftw3_mpi", "libfftw3_mpi is linked to another MPI"];
        if job.own_lines().iter().any(|line| reasons.iter().any(|reason| line.starts_with(reason))) {
            eprintln!("######## bench is NOT TESTED: {:?} ########", job.own_lines());
            assert_eq!(job.code, Some(1));
            return;
        }
        let text = job.done();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["order"], &json["ranks"], &json["rounds"]), (&order.into(), &2.into(), &3.into()));
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3);
        for row in rows {
            for times in ["fftw", "earth", "ratio", "null"] {
                assert!(row[times]["median"].as_f64().unwrap() > 0.0, "{row}");
            }
        }
        // The spectra are compared, and are not equal to the bit.
        assert!(rows[0]["error"].as_f64().unwrap() > 0.0, "{text}");
    }
    let table = scene.job(2, "bench 16x12 --rounds 1 --effort estimate").done();
    assert!(table.contains("16 x 12") && table.contains("FFTW-MPI"), "{table}");
    scene.job(2, "bench 15x12 --effort estimate").refused(
        1,
        "15 x 12 points cannot be compared: FFTW-MPI gives the ranks other shares than this program",
    );
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
