//! Transforms. The spectra equal the ones of a plan of one thread but for rounding. Numbers of ranks with the
//! same stages give the same bytes.

use std::fs;

use earth_fft::{Complex, Direction, Norm, Planner, Problem};

use crate::array::{bytes, bytes_of, file, noise, numbers, points, single_points};
use crate::scene::Scene;

/// Returns the spectrum by a plan of one thread.
fn spectrum(problem: &Problem, mut points: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
    Planner::new().plan(problem).unwrap().process(&mut points).unwrap();
    points
}

/// Checks that points equal others but for rounding.
#[track_caller]
fn assert_near(found: &[Complex<f64>], expected: &[Complex<f64>], relative: f64) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().map(|point| point.norm()).fold(0.0, f64::max);
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(error <= relative * largest, "{error:e} of {largest:e}");
}

/// Returns the numbers as points.
fn real(numbers: impl Iterator<Item = f64>) -> Vec<Complex<f64>> {
    numbers.map(Complex::from).collect()
}

#[test]
fn a_matrix_of_doubles() {
    let Some(scene) = Scene::new() else { return };
    let lengths = [12, 10];
    scene.file("x.npy", &file("<f8", false, &lengths, &bytes(numbers(120).map(f64::to_le_bytes))));
    let table = scene.alone("transform x.npy -o one.npy").done();
    for fact in ["one.npy", "12 x 10 = 120 (f64, forward)", "natural", "ranks", "reading", "writing"] {
        assert!(table.contains(fact), "{fact}: {table}");
    }
    scene.job(2, "transform x.npy -o two.npy").done();
    let json = scene.job(3, "transform x.npy -o three.npy --config dual --json").done();
    let expected = spectrum(&Problem::complex(&lengths), real(numbers(120)));
    assert_near(&points(&scene.path("one.npy"), &lengths), &expected, 1e-14);
    let one = fs::read(scene.path("one.npy")).unwrap();
    assert!(one == fs::read(scene.path("two.npy")).unwrap(), "two ranks give other bytes");
    assert!(one == fs::read(scene.path("three.npy")).unwrap(), "three ranks give other bytes");
    assert_eq!(scene.names(), ["one.npy", "three.npy", "two.npy", "x.npy"]);

    assert_eq!(json.lines().count(), 1);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected: [(&str, serde_json::Value); 8] = [
        ("schema", 1.into()),
        ("ranks", 3.into()),
        ("n", 120.into()),
        ("lengths", serde_json::json!(lengths)),
        ("precision", "f64".into()),
        ("config", "dual".into()),
        ("inverse", false.into()),
        // A rank has four rows.
        ("rank_bytes", (4 * 10 * 16).into()),
    ];
    for (key, value) in expected {
        assert_eq!(json[key], value, "{key}: {json}");
    }
}

#[test]
fn three_dimensions_in_single_precision_and_more_ranks_than_planes() {
    let Some(scene) = Scene::new() else { return };
    let lengths = [2, 5, 6];
    let input = noise(60);
    let words = input.iter().flat_map(|point| [point.re, point.im]);
    scene.file("x.npy", &file(">c8", false, &lengths, &bytes(words.map(|word| (word as f32).to_be_bytes()))));
    let expected = spectrum(&Problem::complex(&lengths), input);
    // Three ranks have pencils. Their kernels may round otherwise than the kernels of slabs.
    for ranks in [1, 2, 3] {
        scene.job(ranks, &format!("transform x.npy -o {ranks}.npy")).done();
        assert_near(&single_points(&scene.path(&format!("{ranks}.npy")), &lengths), &expected, 1e-6);
    }
    let [one, two] = ["1.npy", "2.npy"].map(|name| fs::read(scene.path(name)).unwrap());
    assert!(one == two, "two ranks give other bytes");
}

#[test]
fn a_series_of_integers_and_back() {
    let Some(scene) = Scene::new() else { return };
    let input: Vec<i32> = numbers(240).map(|number| (number * 1e4) as i32).collect();
    let body = bytes(input.iter().copied().map(i32::to_le_bytes));
    scene.file("x.npy", &file("<i4", false, &[240], &body));
    scene.job(2, "transform x.npy -o two.npy").done();
    scene.job(3, "transform x.npy -o three.npy").done();
    scene.job(3, "transform two.npy -o back.npy --inverse").done();
    let input = real(input.into_iter().map(f64::from));
    let expected = spectrum(&Problem::complex(&[240]), input.clone());
    assert_near(&points(&scene.path("two.npy"), &[240]), &expected, 1e-14);
    let [two, three] = ["two.npy", "three.npy"].map(|name| fs::read(scene.path(name)).unwrap());
    assert!(two == three, "three ranks give other bytes");
    assert_near(&points(&scene.path("back.npy"), &[240]), &input, 1e-14);
}

#[test]
fn more_ranks_than_rows_an_inverse_and_a_norm() {
    let Some(scene) = Scene::new() else { return };
    let input = noise(18);
    scene.file("x.npy", &file("<c16", false, &[2, 9], &bytes_of(&input)));
    scene.job(3, "transform x.npy -o y.npy --inverse --norm ortho").done();
    let problem = Problem::complex(&[2, 9]).direction(Direction::Inverse).norm(Norm::Ortho);
    assert_near(&points(&scene.path("y.npy"), &[2, 9]), &spectrum(&problem, input), 1e-14);
}

#[test]
fn a_transposed_matrix_and_back() {
    let Some(scene) = Scene::new() else { return };
    let input = noise(7 * 40);
    scene.file("x.npy", &file("<c16", false, &[7, 40], &bytes_of(&input)));
    scene.job(3, "transform x.npy -o turned.npy --transposed").done();
    let expected = spectrum(&Problem::complex(&[7, 40]), input.clone());
    let turned: Vec<_> = (0..280).map(|at| expected[at % 7 * 40 + at / 7]).collect();
    assert_near(&points(&scene.path("turned.npy"), &[40, 7]), &turned, 1e-14);
    scene.job(2, "transform turned.npy -o back.npy --transposed --inverse").done();
    assert_near(&points(&scene.path("back.npy"), &[7, 40]), &input, 1e-14);
}

#[test]
fn transposed_pencils_and_back() {
    let Some(scene) = Scene::new() else { return };
    let (lengths, turned_lengths) = ([2, 4, 9], [4, 2, 9]);
    let input = noise(72);
    scene.file("x.npy", &file("<c16", false, &lengths, &bytes_of(&input)));
    scene.job(3, "transform x.npy -o turned.npy --transposed").done();
    let expected = spectrum(&Problem::complex(&lengths), input.clone());
    let turned: Vec<_> = (0..72).map(|at| expected[(at / 9 % 2 * 4 + at / 18) * 9 + at % 9]).collect();
    assert_near(&points(&scene.path("turned.npy"), &turned_lengths), &turned, 1e-14);
    scene.job(3, "transform turned.npy -o back.npy --transposed --inverse --config dual").done();
    assert_near(&points(&scene.path("back.npy"), &lengths), &input, 1e-14);
}

#[test]
fn samples_that_lose_their_value_are_remarked_on_once() {
    let Some(scene) = Scene::new() else { return };
    let input = [i64::MAX, 1, i64::MAX - 1, 2];
    scene.file("x.npy", &file("<i8", false, &[2, 2], &bytes(input.map(i64::to_le_bytes).into_iter())));
    let ran = scene.job(2, "transform x.npy -o y.npy");
    let remark = "warning: 2 integer samples are beyond 2^53 and were rounded to the nearest double";
    assert_eq!((ran.code, ran.own_lines()), (Some(0), vec![remark]));
}

#[test]
fn all_ranks_plan_by_the_wisdom_of_rank_0() {
    let Some(scene) = Scene::new() else { return };
    scene.file("x.npy", &file("<c16", false, &[6, 20], &bytes_of(&noise(120))));
    scene.job(2, "transform x.npy -o y.npy --effort measure --wisdom w.json").done();
    let measured = fs::read_to_string(scene.path("w.json")).unwrap();
    // A rank has three of the six rows.
    assert!(measured.contains("\"3 x 20 points, forward"), "{measured}");
    // Rank 1 would refuse its own file.
    fs::create_dir(scene.path("elsewhere")).unwrap();
    scene.file("elsewhere/w.json", b"no wisdom");
    let files = ["x.npy", "z.npy"].map(|name| scene.path(name).display().to_string());
    scene
        .unequal_job("cd elsewhere", &format!("transform {} -o {} --wisdom w.json", files[0], files[1]))
        .done();
    let [first, second] = ["y.npy", "z.npy"].map(|name| fs::read(scene.path(name)).unwrap());
    assert!(first == second, "the wisdom gives another plan");
    assert_eq!(fs::read_to_string(scene.path("w.json")).unwrap(), measured);
    scene.file("w.json", b"no wisdom");
    scene
        .job(2, "transform x.npy -o other.npy --wisdom w.json")
        .refused(1, "cannot use the wisdom 'w.json': it has no wisdom of earth-fft");
    assert!(!scene.path("other.npy").exists());
}
