//! `earth-fft bench-fft` through the binary, on tiny sizes, with the stand-in for FFTW and MKL.
#![cfg(all(unix, not(target_vendor = "apple")))]

use std::process::Stdio;
use std::time::Duration;

use super::common::Scene;

/// Returns the paths of a stand-in for FFTW, which is written into the scene, and of the stand-in for MKL.
fn peers(scene: &Scene) -> [String; 2] {
    let fftw = scene.path("libfftw3.so.3");
    standin_fftw::copy_without(&fftw, |name| name.starts_with("MKL")).unwrap();
    [fftw, standin_fftw::path()].map(|path| path.to_str().unwrap().to_owned())
}

/// Returns the command with both peers and some arguments, by one thread.
fn beside<'a>([fftw, mkl]: &'a [String; 2], more: &[&'a str]) -> Vec<&'a str> {
    [&["bench-fft", "--peer", fftw, "--peer", mkl, "--threads", "1"], more].concat()
}

/// Returns the number of dots in the figure of this name, which follows the name of its place. The dots of
/// the first color are circles.
fn dots(page: &str, name: &str) -> usize {
    let is_named =
        |figure: &&str| figure.split('"').next().is_some_and(|id| id.ends_with(&format!("-{name}")));
    let figure = page.split("<figure id=\"").skip(1).find(is_named).expect("a figure");
    let figure = figure.split("</figure>").next().unwrap();
    ["<circle", "<polygon"].map(|shape| figure.matches(shape).count()).iter().sum()
}

#[test]
fn all_contestants_use_the_instructions_of_the_option() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let answer = scene.run_at(&beside(&peers, &["64", "--isa", "portable", "--json"])).json();
    assert_eq!(answer["machine"]["row_kernel_simd"], "portable");
    assert_eq!(answer["rows"][0]["entries"].as_array().unwrap().len(), 3);
}

#[test]
fn first_calls_are_those_of_fresh_processes() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let answer = scene.run_at(&beside(&peers, &["cold:6x4", "cold:8", "--real", "--json"])).json();
    for (row, lengths) in answer["rows"].as_array().unwrap().iter().zip(["[6,4]", "[8]"]) {
        assert_eq!((&row["class"], &row["lengths"].to_string()[..]), (&"cold".into(), lengths));
        let entries = row["entries"].as_array().unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["earth", "fftw", "mkl"]);
        for entry in entries {
            let [planning, least] = [&entry["planning_seconds"], &entry["seconds"]["max"]];
            assert!(0.0 < planning.as_f64().unwrap() && planning.as_f64() < least.as_f64(), "{entry}");
        }
    }
    // A library that is there no more, for the fresh processes.
    std::fs::remove_file(&peers[0]).unwrap();
    let question = |who: &str| {
        format!(
            r#"{{"who":"{who}","lengths":[8],"batch":1,"is_single":false,"form":{{"real":false,"in_place":true,"gap":0,"large_pages":false}},"threads":1}}"#
        )
    };
    let ran = scene.run_at(&["first-call", &question(&peers[0])]);
    assert_eq!((ran.code, &ran.stdout[..]), (Some(1), ""), "{ran:?}");
    assert_eq!(scene.run_at(&["first-call", "{}"]).code, Some(2));
    let own = scene.run_at(&["first-call", &question("earth")]).json();
    assert!(own["seconds"].as_f64() > own["planning_seconds"].as_f64());
}

#[test]
fn rows_are_one_object_that_agrees_with_itself() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let answer = scene.run_at(&beside(&peers, &["12", "4x6", "2x4x3", "5*12", "--json"])).json();
    assert_eq!((&answer["schema"], &answer["rounds"], &answer["gap"]), (&4.into(), &11.into(), &0.into()));
    assert_eq!((&answer["precision"], &answer["in_place"]), (&"f64".into(), &true.into()));
    let told: Vec<_> =
        answer["peers"].as_array().unwrap().iter().map(|peer| peer["path"].as_str().unwrap()).collect();
    assert_eq!(told, [&peers[0], &peers[1]]);
    assert!(answer["machine"]["processor"].is_string() || answer["machine"]["processor"].is_null());
    let rates = answer["roof"]["rates"].as_array().unwrap();
    assert!(
        rates.len() == 1
            && rates[0]["gflops"].as_f64() > Some(0.0)
            && rates[0]["gigabytes"].as_f64() > Some(0.0)
    );

    let rows = answer["rows"].as_array().unwrap();
    let lengths: Vec<_> = rows.iter().map(|row| row["lengths"].to_string()).collect();
    assert_eq!(lengths, ["[12]", "[4,6]", "[2,4,3]", "[12]"]);
    assert_eq!((&rows[2]["batch"], &rows[3]["batch"]), (&1.into(), &5.into()));
    let mut product = 1.0;
    for row in rows {
        let spread = |of: &serde_json::Value| -> [f64; 5] {
            ["min", "q1", "median", "q3", "max"].map(|name| of[name].as_f64().unwrap())
        };
        let entries = row["entries"].as_array().unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["earth", "fftw", "mkl"]);
        for of in entries.iter().map(|entry| &entry["seconds"]).chain([&row["ratio"], &row["null"]]) {
            let values = spread(of);
            assert!(values[0] > 0.0 && values.is_sorted(), "{values:?}");
        }
        let median = |at: usize| spread(&entries[at]["seconds"])[2];
        let better = if median(1) <= median(2) { "fftw" } else { "mkl" };
        assert_eq!(row["better_name"], better);
        let ([.., median, _, _], [low, .., high]) = (spread(&row["ratio"]), spread(&row["null"]));
        assert_eq!(row["can_be_told"], median < low.min(1.0) || median > high.max(1.0), "{row}");
        assert_eq!(
            (&row["class"], &row["reach"], &row["missed"]),
            (&"named".into(), &().into(), &false.into())
        );
        product *= median;
    }
    let class = &answer["classes"][0];
    assert_eq!((&class["class"], &class["rows"]), (&"named".into(), &4.into()));
    assert!((class["geometric_mean"].as_f64().unwrap() / product.powf(0.25) - 1.0).abs() < 1e-12);
    assert_eq!(
        (answer["left_out"].as_array().unwrap().len(), answer["classes"].as_array().unwrap().len()),
        (0, 1)
    );
}

#[test]
fn the_page_has_every_figure_with_every_row() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let ran = scene.run_at(&beside(&peers, &["8", "12", "3x5", "-o", "report.html"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for said in ["3 x 5", "stand-in for MKL", "named: 3 sizes, geometric mean of ratios", "null band"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let page = std::fs::read_to_string(scene.path("report.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 7);
    // Two lines with a dot a row and one in the key; three lines.
    assert_eq!(
        ["f64-1-ratio-series", "f64-1-ratio-matrices"].map(|name| dots(&page, name)),
        [2 * (2 + 1), 2 * (1 + 1)]
    );
    for name in ["speed", "growth"] {
        assert_eq!(dots(&page, &format!("f64-1-{name}-series")), 3 * (2 + 1));
        assert_eq!(dots(&page, &format!("f64-1-{name}-matrices")), 3 * (1 + 1));
    }
    // Every row of every contestant, and their keys. The roof has no dots.
    assert_eq!(dots(&page, "f64-1-roofline"), 3 * (3 + 1));
    assert!(!page.contains("<script") && !page.contains("src="), "the page loads nothing");

    // Without matrices there are no figures of them.
    let ran = scene.run_at(&beside(&peers, &["8", "-o", "series.html"]));
    assert_eq!(ran.code, Some(0));
    let page = std::fs::read_to_string(scene.path("series.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 4);
}

#[test]
fn everybody_transforms_in_either_precision_and_any_place() {
    let scene = Scene::new();
    let peers = peers(&scene);
    for (more, said) in [
        (
            &["3x5", "15", "--precision", "f32", "--gap", "8"][..],
            "points of f32, in place, 8 points between rows, one thread",
        ),
        (
            &["3x5", "6", "--out-of-place", "--gap", "3", "--large-pages"],
            "points of f64, from one array to another, 3 points between rows, in large pages, one thread",
        ),
        (
            &["2x3x4", "--out-of-place", "--precision", "f32", "--peer", "rustfft"],
            "points of f32, from one array to another, one thread",
        ),
        (&["3x5", "15", "--real"], "real numbers of f64, in place, one thread"),
        (
            &["2x3x4", "--real", "--out-of-place", "--precision", "f32", "--peer", "rustfft"],
            "real numbers of f32, from one array to another, one thread",
        ),
    ] {
        let ran = scene.run_at(&beside(&peers, more));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
}

#[test]
fn real_classes_have_rows_figures_and_targets_of_their_own() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let words = ["images:3x5", "filters:3x5", "filters:2x3x4", "convolutions:12", "convolutions:5*12"];
    for more in [&[][..], &["--precision", "f32", "--out-of-place"], &["--peer", "rustfft", "--real"]] {
        let ran = scene.run_at(&beside(&peers, &[&words, more, &["--json"]].concat()));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        std::fs::write(scene.path("report.json"), &ran.stdout).unwrap();
        let answer = ran.json();
        assert_eq!((&answer["real"], &answer["schema"]), (&true.into(), &4.into()));
        let rows = answer["rows"].as_array().unwrap();
        let classes: Vec<_> = rows.iter().map(|row| row["class"].as_str().unwrap()).collect();
        assert_eq!(classes, ["images", "filters", "filters", "convolutions", "convolutions"]);
        // A filter has two transforms of the numbers.
        let operations = |row: &serde_json::Value| {
            let entry = &row["entries"][1];
            entry["gflops"].as_f64().unwrap() * entry["seconds"]["median"].as_f64().unwrap()
        };
        assert!((operations(&rows[1]) / operations(&rows[0]) - 2.0).abs() < 1e-12);
        let has_targets =
            ["avx2", "avx512vl", "avx512"].contains(&answer["machine"]["row_kernel_simd"].as_str().unwrap());
        for row in rows.iter().filter(|row| row["better_name"] != "rustfft") {
            assert_eq!(row["reach"].as_f64().is_some(), has_targets, "{row}");
        }
    }
    let shown = scene.run_at(&["bench-fft", "--from", "report.json", "-o", "report.html"]);
    for said in ["3 x 5 filtered", "5 of 12 filtered", "convolutions: 2 sizes", "real numbers of f64"] {
        assert!(shown.stdout.contains(said), "{said}: {}", shown.stdout);
    }
    let page = std::fs::read_to_string(scene.path("report.html")).unwrap();
    // Ratios, speeds and growth of four kinds, and a roofline. A batch is in the roofline only.
    assert_eq!(page.matches("<svg").count(), 3 * 4 + 1);
    for kind in ["matrices", "filtered-series", "filtered-matrices", "filtered-cubes"] {
        assert_eq!(dots(&page, &format!("f64-real-1-ratio-{kind}")), 2 * (1 + 1), "{kind}");
    }
}

#[test]
fn a_library_that_does_not_transform_back_takes_no_part_in_filters() {
    let scene = Scene::new();
    let half = scene.path("libhalf.so.3");
    standin_fftw::copy_without(&half, |name| name.ends_with("c2r") || name.starts_with("MKL")).unwrap();
    let half = half.to_str().unwrap();
    let ran = |word| scene.run_at(&["bench-fft", "--peer", half, "--threads", "1", word]);
    assert_eq!(ran("images:3x5").code, Some(0));
    ran("filters:3x5")
        .refused(1, format!("{half} has no fftw_plan_many_dft_c2r, which is part of FFTW's interface"));
}

#[test]
fn reports_are_shown_again_and_those_of_the_same_conditions_as_one() {
    let scene = Scene::new();
    let peers = peers(&scene);
    for (name, arguments) in [("a", &["8"][..]), ("b", &["2x3"]), ("c", &["8", "--real"])] {
        let ran = scene.run_at(&beside(&peers, &[arguments, &["--json"]].concat()));
        std::fs::write(scene.path(&format!("{name}.json")), ran.stdout).unwrap();
    }
    let from = ["bench-fft", "--from", "a.json", "--from", "b.json", "--from", "c.json"];
    let ran = scene.run_at(&[&from[..], &["--page", "speed.md", "-o", "speed.html"]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for said in ["named: 2 sizes, geometric", "named: 1 size, geometric", "real numbers of f64"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let page = std::fs::read_to_string(scene.path("speed.md")).unwrap();
    let plots = std::fs::read_dir(scene.path("speed")).unwrap().count();
    // Ratios, speeds and growth of series, matrices and real series, and two rooflines.
    assert_eq!((page.matches("](speed/").count(), plots), (11, 11));
    // The measurement and the place are sections, and the conditions are sections of the place.
    assert_eq!((page.matches("\n## ").count(), page.matches("\n### ").count()), (2, 2));
    let html = std::fs::read_to_string(scene.path("speed.html")).unwrap();
    assert_eq!(html.matches("<svg").count(), 11);
    let answer = scene.run_at(&[&from[..], &["--json"]].concat()).json();
    let rows: Vec<_> =
        answer.as_array().unwrap().iter().map(|report| report["rows"].as_array().unwrap().len()).collect();
    assert_eq!(rows, [2, 1]);
    let is_real: Vec<_> = answer.as_array().unwrap().iter().map(|report| &report["real"]).collect();
    assert_eq!(is_real, [false, true]);

    std::fs::write(scene.path("no.json"), "{}").unwrap();
    let refused = |name: &str, why: &str| {
        let ran = scene.run_at(&["bench-fft", "--from", name]);
        let sentence = format!("earth-fft: cannot show the report '{name}': {why}");
        assert!(ran.stderr.starts_with(&sentence), "{}", ran.stderr);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    };
    refused("no.json", "missing field `schema`");
    refused("none.json", "No such file");
}

#[test]
fn plans_that_a_library_made_are_kept_for_the_next_run() {
    let scene = Scene::new();
    let peers = peers(&scene);
    let with = |more: &[&str]| {
        scene.run_at(&beside(
            &peers,
            &[&["--peer-wisdom", "plans.json", "--plan-seconds", "7"], more].concat(),
        ))
    };
    let told = |answer: &serde_json::Value, row: usize, name: &str| -> Vec<serde_json::Value> {
        answer["rows"][row]["entries"].as_array().unwrap().iter().map(|entry| entry[name].clone()).collect()
    };
    let read = || -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(scene.path("plans.json")).unwrap()).unwrap()
    };
    let first = with(&["6", "--json"]).json();
    let kept = read();
    let [fftw, _] = &kept["libraries"].as_array().unwrap()[..] else { panic!("both libraries tell") };
    assert_eq!((&fftw["path"], &fftw["precision"]), (&peers[0].as_str().into(), &"f64".into()));
    // The search of the library, and the plan that it found.
    let lines = |text: &serde_json::Value| text.as_str().unwrap().lines().count();
    assert_eq!(lines(&fftw["texts"][0]), 1 + 1);
    assert_eq!(fftw["plans"][0]["problem"], "6, rows 6 apart, in place, 1 threads");
    assert_eq!(fftw["plans"][0]["seconds"], told(&first, 0, "planning_seconds")[1]);

    // A known size and a new one; a page reports that.
    let second = with(&["6", "10", "--json", "--page", "speed.md"]).json();
    assert_eq!(told(&second, 0, "planned_earlier"), [false, true, true]);
    assert_eq!(told(&second, 1, "planned_earlier"), [false; 3]);
    assert_eq!(told(&second, 0, "planning_seconds")[1], told(&first, 0, "planning_seconds")[1]);
    let page = std::fs::read_to_string(scene.path("speed.md")).unwrap();
    assert!(page.contains("since an earlier run"), "{page}");
    // It searched once, and also returns what it learned.
    let text = read()["libraries"][0]["texts"][0].clone();
    assert!(text.as_str().unwrap().starts_with("1 searches") && lines(&text) == 1 + 2, "{text}");
    assert_eq!(read()["libraries"][0]["plans"].as_array().unwrap().len(), 2);
    // A filter has two plans.
    let third = with(&["filters:3x4", "--json"]).json();
    assert_eq!(told(&third, 0, "planned_earlier"), [false; 3]);
    let planned: Vec<_> = read()["libraries"][0]["plans"].as_array().unwrap()[2..].to_vec();
    let problems: Vec<_> = planned.iter().map(|plan| plan["problem"].as_str().unwrap()).collect();
    let end = "rows 3 apart, in place, 1 threads";
    assert_eq!(problems, [format!("3 x 4 real, {end}"), format!("3 x 4 to real, {end}")]);
    let seconds: f64 = planned.iter().map(|plan| plan["seconds"].as_f64().unwrap()).sum();
    assert_eq!(told(&third, 0, "planning_seconds")[1], seconds);
    assert_eq!(told(&with(&["filters:3x4", "--json"]).json(), 0, "planned_earlier"), [false, true, true]);
    // Another precision is another library.
    with(&["6", "--precision", "f32", "--json"]).json();
    assert_eq!(read()["libraries"].as_array().unwrap().len(), 4);

    let whole = std::fs::read_to_string(scene.path("plans.json")).unwrap();
    let refused = |text: &str, code: i32, why: &str| {
        std::fs::write(scene.path("plans.json"), text).unwrap();
        let ran = with(&["6"]);
        let sentence = format!("earth-fft: cannot use the wisdom 'plans.json': {why}");
        assert!(ran.stderr.starts_with(&sentence), "{}", ran.stderr);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(code), 1));
    };
    let replaced = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}: {whole}");
        whole.replacen(from, to, 1)
    };
    refused("{}", 1, "missing field");
    refused(&replaced("\"schema\":2", "\"schema\":8"), 1, "it has schema 8 and not 2");
    refused(
        &replaced("\"plan_seconds\":7.0", "\"plan_seconds\":9.0"),
        1,
        "its plans had a limit of 9 s each, not 7 s",
    );
    refused(&replaced("\"processor\":", "\"processor\":\"another one\",\"was\":"), 1, "unknown field `was`");
    std::fs::write(scene.path("plans.json"), replaced(" searches", " lies")).unwrap();
    let ran = with(&["6"]);
    ran.refused(
        1,
        format!(
            "{} does not accept the saved wisdom: it is from another build of the library, or damaged",
            peers[0]
        ),
    );
}

#[test]
fn two_threads_are_taken_where_they_are_faster_or_are_not() {
    let scene = Scene::new();
    let [fftw, _] = peers(&scene);
    let ran = scene.run_at(&["bench-fft", "--peer", &fftw, "--threads", "2", "8x8", "--json"]);
    for entry in ran.json()["rows"][0]["entries"].as_array().unwrap() {
        assert!([1, 2].map(serde_json::Value::from).contains(&entry["threads"]), "{entry}");
    }
    // The class has one thread.
    let class =
        scene.run_at(&["bench-fft", "series", "--peer", &fftw, "--threads", "2", "--max-seconds", "1e-9"]);
    assert_eq!((class.code, class.stderr.as_str()), (Some(0), "earth-fft: series takes about ten seconds\n"));
    assert_eq!(class.stdout.matches("Left out: ").count(), 9);
}

#[test]
fn peers_are_those_that_are_found_or_rustfft() {
    let ran = Scene::new().run_at(&["bench-fft", "8", "--threads", "1", "--json"]);
    let answer = ran.json();
    let texts = |of: &str, name: Option<&str>| -> Vec<String> {
        let of = answer[of].as_array().unwrap().iter();
        of.map(|one| name.map_or(one, |name| &one[name]).as_str().unwrap().to_owned()).collect()
    };
    let (peers, missing) = (texts("peers", Some("name")), texts("missing", None));
    for (name, hint) in [("mkl", "pip's package mkl"), ("fftw", "libfftw3-double3")] {
        let is_missing = missing.iter().any(|said| said.starts_with(name) && said.contains(hint));
        assert_ne!(peers.iter().any(|peer| peer == name), is_missing, "{peers:?}, {missing:?}");
    }
    assert_eq!(peers == ["rustfft"], missing.len() == 2);
}

#[test]
fn scipy_is_measured_where_installed() {
    let scene = Scene::new();
    let arguments = ["bench-fft", "--peer", "scipy", "--threads", "1", "--json"];
    // Without python3 there is no `SciPy`.
    let mut command = scene.binary("earth-fft");
    let output = command.args(arguments).arg("8").env("PATH", scene.path("")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("earth-fft: cannot ask SciPy by python3: "), "{said}");
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1));

    let mut python = std::process::Command::new("python3");
    let has_scipy = python.args(["-c", "import scipy"]).stderr(Stdio::null()).status();
    if !has_scipy.is_ok_and(|status| status.success()) {
        println!("without SciPy");
        return;
    }
    // The transform of every contestant is checked against the definition before it is timed.
    for more in [
        &["6", "3x5"][..],
        &["3x5", "--gap", "3", "--precision", "f32"],
        &["2x3x5", "--real", "--out-of-place"],
        &["2x3x4", "--real"],
        &["filters:3x5", "filters:2x3x4"],
        &["convolutions:3*8", "convolutions:3", "--out-of-place", "--precision", "f32"],
    ] {
        let answer = scene.run_at(&[&arguments[..], more].concat()).json();
        let entry = &answer["rows"][0]["entries"][1];
        assert_eq!((&entry["name"], &answer["rows"][0]["reach"]), (&"scipy".into(), &().into()), "{more:?}");
        assert!(entry["seconds"]["min"].as_f64() > Some(0.0), "{more:?}");
    }
}

#[test]
fn wrong_input_is_refused_in_one_sentence() {
    let scene = Scene::new();
    let refused = |code, arguments: &[&str], sentence: &str| {
        scene.run_at(&[&["bench-fft"], arguments].concat()).refused(code, sentence);
    };
    refused(
        2,
        &["fast"],
        "no class or size is called \"fast\": classes are short, series, series-middle, series-mixed, \
         series-prime, series-long, matrices-small, matrices-middle, matrices-large, cubes, batches, images, filters, convolutions, cold, growth, a size \
         is like 4096, 1000x1024, 64x64x64 or 1000*64",
    );
    refused(
        2,
        &["8", "0x4"],
        "a size has 2 points at least, since a transform of one point takes no operations: 0x4",
    );
    refused(
        2,
        &["images", "64"],
        "images have real numbers, and 64 has points: measure it in another run, or all with --real",
    );
    refused(2, &["filters:6x4", "--gap", "8"], "filters have real numbers, whose rows have no --gap");
    refused(2, &["1000000000000000"], "1000000000000000 are more points than any memory holds");
    refused(
        2,
        &["8", "-o", "-"],
        "the page cannot go to standard output, where the tables go; give it a name like 'report.html'",
    );
    refused(
        2,
        &["8", "--peer-wisdom", "-"],
        "wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'",
    );
    refused(1, &["8", "--peer", "rustfft", "--threads", "1025"], "a machine has 1 to 1024 nodes, not 1025");
    for wrong in [
        &["--rounds", "9"][..],
        &["--rounds", "12"],
        &["--peer", "earth"],
        &["--peer", "fast"],
        &["--plan-seconds", "0"],
        &["--threads", "0"],
        &["--gap", "-1"],
        &["--real", "--gap", "8"],
        &["8", "--from", "a.json"],
        &["--from", "a.json", "--real"],
        &["--from", "a.json", "--peer-wisdom", "b.json"],
        &["--from", "a.json", "--large-pages"],
    ] {
        let ran = scene.run_at(&[&["bench-fft"], wrong].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
    let ran = scene.run_at(&["bench-fft", "8", "--peer", "/nowhere/libfftw3.so"]);
    assert!(ran.stderr.starts_with("earth-fft: cannot load /nowhere/libfftw3.so: "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    let ran = scene.run_at(&["bench-fft", "8", "-o", "none/page.html"]);
    assert!(ran.stderr.starts_with("earth-fft: cannot write 'none/page.html': "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    // A library that has no plan for a size; the page is not written.
    let peers = peers(&scene);
    let ran = scene.run_at(&beside(&peers, &["4099", "-o", "page.html"]));
    ran.refused(1, format!("{} makes no plan for 4099 points by 1 threads in f64", peers[0]));
    // Lack of memory is not an error: the other sizes are measured.
    let ran = scene.run_at(&beside(&peers, &["8", "16777216x8388608"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let left = "Left out: 16777216 x 8388608, as there is not enough memory.";
    assert!(ran.stdout.contains(left) && ran.stdout.contains("named: 1 size"), "{}", ran.stdout);
    assert_eq!(scene.names(), ["libfftw3.so.3"]);
}

#[test]
fn an_interruption_leaves_nothing() {
    let scene = Scene::new();
    let mut command = scene.binary("earth-fft");
    command.args(["bench-fft", "growth", "--peer", "rustfft", "-o", "page.html"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The temporary file of the page is created before any work.
    while scene.names().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it takes longer than that");
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scene.names(), [""; 0]);
}
