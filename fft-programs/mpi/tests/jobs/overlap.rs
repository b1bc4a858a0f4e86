//! Comparisons of transforms that overlap their exchange. FFTW-MPI takes part if the loader finds it.

use earth_lab::overlap::measured::{Measured, Program, SCHEMA};
use earth_papers::overlap::{Parameters, Rounds, Size, Variant};

use crate::scene::{Ran, Scene};

/// Programs of FFTW-MPI, without the one that takes long.
const OF_FFTW: [Program; 4] =
    [Program::FftwMeasure, Program::FftwMeasureNatural, Program::FftwPatient, Program::FftwPatientNatural];

/// Programs that count the parts of their time.
const WITH_PARTS: [Program; 9] = [
    Program::New,
    Program::New0,
    Program::NewUntiled,
    Program::NewOtherLayout,
    Program::Th,
    Program::Th0,
    Program::Dataflow,
    Program::Isend,
    Program::Isend0,
];

/// Returns whether a program polls with the parameters that were found for NEW and TH. A search may find that
/// no polls are the best.
fn polls(program: Program, [new, th]: [&Parameters; 2]) -> bool {
    match program {
        Program::New0 | Program::Th0 | Program::Isend0 => false,
        Program::Th => th.polls.along_y + th.polls.pack > 0,
        _ => new.values()[6..].iter().any(|&polls| polls > 0),
    }
}

/// Returns the report, and whether FFTW-MPI took part. If not, one sentence says so.
fn report(job: &Ran) -> (Measured, bool) {
    assert_eq!(job.code, Some(0), "{job:?}");
    let lines = job.own_lines();
    assert!(lines.len() <= 1 && lines.iter().all(|line| line.contains("libfftw3_mpi")), "{job:?}");
    if !lines.is_empty() {
        eprintln!("######## overlap is NOT TESTED with FFTW-MPI: {lines:?} ########");
    }
    (serde_json::from_str(&job.stdout).unwrap(), lines.is_empty())
}

#[test]
fn all_programs_have_the_same_spectrum_and_times() {
    let Some(scene) = Scene::new() else { return };
    let command = "overlap 16x12x20 8x8x8 --rounds 1 --trials 5 --network here --json";
    let (report, has_fftw) = report(&scene.job(2, command));
    assert_eq!((report.schema, report.ranks, report.rounds), (SCHEMA, 2, 1));
    assert_eq!((&report.network[..], report.exchange), ("here", Rounds::AllAtOnce));
    assert!(report.mpi.contains("MPI"), "{}", report.mpi);
    assert_eq!(report.rows.iter().map(|row| row.lengths).collect::<Vec<_>>(), [[16, 12, 20], [8, 8, 8]]);
    for row in &report.rows {
        let size = Size { lengths: row.lengths, ranks: 2 };
        let variants: Vec<_> = row.tuned.iter().map(|search| search.variant).collect();
        assert_eq!(variants, [Variant::New, Variant::Th]);
        for search in &row.tuned {
            assert!((1..=5).contains(&search.runs) && search.time > 0.0, "{search:?}");
            assert_eq!(search.parameters.check(&size), Ok(()));
        }
        let found: Vec<_> = row.transforms.iter().map(|transform| transform.program).collect();
        let takes_part = |program: &Program| {
            *program != Program::FftwExhaustive && (has_fftw || !OF_FFTW.contains(program))
        };
        assert_eq!(found, Program::ALL.into_iter().filter(takes_part).collect::<Vec<_>>());
        assert!(row.null.median > 0.0);
        for transform in &row.transforms {
            let program = transform.program;
            assert!(transform.time.median > 0.0 && transform.ratio.median > 0.0, "{transform:?}");
            // Rows of other kernels round otherwise, and so the plans of slabs and FFTW-MPI differ.
            assert!(transform.error < 1e-14, "{transform:?}");
            assert_eq!(transform.parts.is_some(), WITH_PARTS.contains(&program), "{transform:?}");
            let Some(parts) = transform.parts else { continue };
            for part in [parts.along_z, parts.transpose, parts.along_y, parts.pack, parts.along_x] {
                assert!(part > 0.0 && part < transform.time.median, "{transform:?}");
            }
            let tuned = [&row.tuned[0].parameters, &row.tuned[1].parameters];
            assert_eq!(parts.polls > 0.0, polls(program, tuned), "{transform:?}");
        }
    }
}

#[test]
fn more_ranks_unequal_shares_and_rounds_of_exchanges() {
    let Some(scene) = Scene::new() else { return };
    let (report, has_fftw) =
        report(&scene.job(3, "overlap 9x12x5 --rounds 1 --trials 2 --seed 7 --pairwise --json"));
    assert_eq!((report.ranks, report.exchange, report.rows.len()), (3, Rounds::Pairwise, 1));
    assert_eq!(report.rows[0].transforms.len(), if has_fftw { 15 } else { 11 });
    // FFTW-MPI gives rank 0 six of eleven rows, and rank 1 five. The other programs give rank 0 five.
    let job = scene.job(2, "overlap 11x8x6 --rounds 1 --trials 1");
    assert_eq!(job.code, Some(0), "{job:?}");
    assert!(job.stdout.contains("11 x 8 x 6") && job.stdout.contains("Isend-0"), "{job:?}");
    let sentence =
        "11 x 8 x 6 points cannot be compared: FFTW-MPI gives the ranks other shares than this program";
    assert!(!has_fftw || job.own_lines() == [sentence], "{job:?}");
}

#[test]
fn wrong_command_lines_are_refused() {
    let Some(scene) = Scene::new() else { return };
    for wrong in [
        "overlap",
        "overlap 8x8",
        "overlap 8x8x8 --rounds 2",
        "overlap 8x8x8 --trials 0",
        "overlap 8x8x8 --seed x",
        "overlap 8x8x8 --effort measure",
    ] {
        let job = scene.job(2, wrong);
        assert_eq!((job.code, &job.stdout[..]), (Some(2), ""), "{wrong}: {job:?}");
        assert_eq!(job.stderr.matches("error: ").count(), 1, "{wrong}: {job:?}");
    }
    scene.job(3, "overlap 8x8x8 2x8x8").refused(
        1,
        "2 x 8 x 8 points have fewer rows along x or y than the job has ranks, so some rank would have no work",
    );
}
