//! `earth-lab profile2d` through the binary, on tiny matrices: output, files, resuming and errors.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use snapbox::data::Inline;
use snapbox::str;

use super::common::Scene;

/// Fast options: three N, two repetitions, almost no time for speed functions.
const QUICK: [&str; 15] = [
    "profile2d",
    "--from",
    "16",
    "--to",
    "32",
    "--step",
    "8",
    "--kernel",
    "rustfft",
    "--repetitions",
    "2",
    "--speed-seconds",
    "1e-9",
    "--cores",
    "2",
];

fn quick(more: &[&'static str]) -> Vec<&'static str> {
    [&QUICK[..], more].concat()
}

#[test]
fn a_study_is_one_object_whose_rows_are_verified() {
    let answer = Scene::new().run_at(&quick(&["--json"])).json();
    assert_eq!((&answer["schema"], &answer["left_out"]), (&4.into(), &0.into()));
    let kernel = &answer["kernels"][0];
    assert_eq!(
        (&kernel["kernel"], &kernel["groups"], &kernel["threads"]),
        (&"rustfft".into(), &2.into(), &1.into())
    );
    let rows = kernel["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["n"].as_u64().unwrap()).collect::<Vec<_>>(), [16, 24, 32]);
    for timed in rows.iter().flat_map(|row| row["methods"].as_array().unwrap()) {
        assert!(timed["error"].as_f64().unwrap() < 1e-14, "{timed}");
        assert_eq!(timed["time"]["repetitions"], 2);
    }
    let methods = kernel["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 6);
    assert!(methods.iter().all(|method| method["mean_of_ratios"].as_f64().unwrap() > 0.0));
    assert_eq!(answer["statements"].as_array().unwrap().len(), 43);
    assert_eq!(answer["errata"].as_array().unwrap().len(), 10);
    let transposes = answer["transposes"].as_array().unwrap();
    let sides = |row: &serde_json::Value| row["sides"].as_array().unwrap().len();
    assert_eq!(transposes.iter().map(sides).collect::<Vec<_>>(), [2, 2, 3]);
}

#[test]
fn the_report_is_written_and_resumes_from_its_rows() {
    let scene = Scene::new();
    let ran = scene.run_at(&quick(&["--out", "made/here", "--page", "study.md"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for said in ["The paper's figures", "PFFT-FPM-PAD", "one group", "CANNOT BE TOLD", "--step 8"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let made = scene.path("made").join("here");
    let mut names: Vec<_> =
        fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "controls-rustfft.svg",
        "efforts.csv",
        "groupings.csv",
        "imbalance-rustfft.svg",
        "methods.csv",
        "order.svg",
        "profile-rustfft.svg",
        "profile2d.html",
        "profile2d.md",
        "rows.jsonl",
        "speeds.csv",
        "speedups.csv",
        "statements.csv",
        "surface-rustfft.svg",
        "transposes.csv",
    ];
    assert_eq!(names, expected);
    let read = |name: &str| fs::read_to_string(made.join(name)).unwrap();
    assert_eq!(read("methods.csv").lines().count(), 1 + 3 * 6);
    for name in ["efforts", "groupings", "methods", "speeds", "speedups", "statements", "transposes"] {
        let text = read(&format!("{name}.csv"));
        let columns = text.lines().next().unwrap().split(',').count();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert!(reader.records().all(|record| record.unwrap().len() == columns), "{name}");
    }
    // Three N of four methods, and four keys. The dots of the first method are circles.
    let number = |shape: &str| read("profile-rustfft.svg").matches(shape).count();
    assert_eq!(["<circle", "<polygon"].map(number), [3 + 1, 3 * (3 + 1)]);
    let page = read("profile2d.html");
    assert!(page.matches("<svg").count() == 5 && page.contains("43. ") && !page.contains("http-equiv"));
    let markdown = fs::read_to_string(scene.path("study.md")).unwrap();
    assert!(markdown.contains("(study/profile-rustfft.svg)") && markdown.contains("| 43 | "), "{markdown}");
    assert!(scene.path("study").join("order.svg").is_file());
    assert!(read("profile2d.md").contains("(profile-rustfft.svg)"));

    // Finished rows are not measured again: neither they nor the documents change by a byte.
    let rows = read("rows.jsonl");
    assert_eq!(rows.lines().count(), 1 + 1 + 3 + 3 + 3);
    let again = scene.run_at(&quick(&["--out", "made/here"]));
    assert_eq!((again.code, &again.stdout, read("rows.jsonl")), (Some(0), &ran.stdout, rows.clone()));

    // A torn line costs one step.
    fs::write(made.join("rows.jsonl"), &rows[..rows.len() - 20]).unwrap();
    assert_eq!(scene.run_at(&quick(&["--out", "made/here"])).code, Some(0));
    let mended = read("rows.jsonl");
    let kept = rows.lines().count() - 1;
    assert_eq!(mended.lines().count(), kept + 1);
    assert!(mended.lines().take(kept).eq(rows.lines().take(kept)));

    // Other options make another study.
    let refused = scene.run_at(&quick(&["--out", "made/here", "--planning"]));
    refused.refused(
        1,
        str!["the rows of 'made/here/rows.jsonl' are of another study: --planning was false there and is true here; use \
         another --out, or --force"],
    );
    let forced = scene.run_at(&quick(&["--out", "made/here", "--planning", "--force"]));
    assert_eq!(forced.code, Some(0));
    let said = "Rows of another study were taken up by force: --planning was false there and is true here.";
    assert!(forced.stdout.contains(said), "{}", forced.stdout);
    assert_eq!(read("rows.jsonl"), mended, "forced, they count");
}

#[test]
fn further_sizes_are_beyond_the_averages() {
    let answer = Scene::new().run_at(&quick(&["--sizes", "100,40", "--json"])).json();
    let kernel = &answer["kernels"][0];
    let rows = kernel["rows"].as_array().unwrap();
    let sizes: Vec<_> = rows.iter().map(|row| row["n"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [16, 24, 32, 40, 100]);
    assert!(kernel["methods"].as_array().unwrap().iter().all(|method| method["peak_n"].as_u64() <= Some(32)));
    let refused = Scene::new().run_at(&quick(&["--sizes", "1"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
}

/// Rows of another version of the file format are refused, and not read.
#[test]
fn rows_of_an_older_version_are_refused() {
    let scene = Scene::new();
    fs::create_dir(scene.path("made")).unwrap();
    scene.file("made/rows.jsonl", b"{\"row\":\"study\",\"schema\":3}\n");
    scene.run_at(&quick(&["--out", "made", "--force"])).refused(
        1,
        str![
            "the rows in 'made/rows.jsonl' have version 3 of the file format, and this program has version 4: use another --out, and measure again"
        ],
    );
}

#[test]
fn a_study_goes_on_after_its_time_was_over() {
    let scene = Scene::new();
    let ran = scene.run_at(&quick(&["--out", "made", "--max-seconds", "1e-9"]));
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), "earth-lab: 9 steps are left out because the time limit is reached\n")
    );
    assert!(ran.stdout.contains("9 steps are not measured yet"), "{}", ran.stdout);
    let answer = scene.run_at(&quick(&["--out", "made", "--json"])).json();
    assert_eq!(answer["left_out"], 0);
}

#[test]
fn one_core_reports_what_it_cannot_show() {
    let ran = Scene::new().run_at(&[&QUICK[..13], &["--cores", "1"]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("There are no two groups here"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("speed-up\n"));
}

/// Ctrl-C during a measurement keeps finished rows, and the next run resumes from them.
#[cfg(unix)]
#[test]
fn an_interruption_keeps_rows() {
    let scene = Scene::new();
    let long = QUICK.map(|word| if word == "32" { "2000" } else { word });
    let mut command = scene.binary("earth-lab");
    command.args(long).args(["--out", "made"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let rows = scene.path("made").join("rows.jsonl");
    let lines = || fs::read_to_string(&rows).map_or(0, |text| text.lines().count());
    while lines() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "it takes longer than that");
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = fs::read_to_string(&rows).unwrap();
    let whole: Vec<_> = kept.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    assert!(whole.len() >= 4);
    assert_eq!(scene.run_at(&quick(&["--out", "made"])).code, Some(0));
    assert!(fs::read_to_string(&rows).unwrap().starts_with(&whole.concat()));
}

#[test]
fn the_command_line_is_refused_with_2() {
    let scene = Scene::new();
    let refused = |arguments: &[&str], sentence: Inline| {
        scene.run_at(&[&["profile2d"], arguments].concat()).refused(2, sentence);
    };
    refused(&["--from", "32", "--to", "16"], str!["there is no N from 32 to 16"]);
    refused(
        &["--from", "1", "--to", "16"],
        str![
            "N must be at least 2, because a transform of one point takes no operations and so has no speed"
        ],
    );
    for wrong in [
        &["--step", "0"][..],
        &["--repetitions", "1"],
        &["--kernel", "fast"],
        &["--precision", "f16"],
        &["--point-seconds", "0"],
        &["--cores", "0"],
        &["--sizes", "16,x"],
    ] {
        let ran = scene.run_at(&[&["profile2d"], wrong].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn unusable_files_are_refused_with_1_and_one_sentence() {
    let scene = Scene::new();
    scene.file("taken", b"a file");
    let ran = scene.run_at(&quick(&["--out", "taken"]));
    assert!(ran.stderr.starts_with("earth-lab: cannot write 'taken': "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (Some(1), "", 1));
    let ran = scene.run_at(&quick(&["--page", "none/page.md"]));
    assert!(ran.stderr.starts_with("earth-lab: cannot write 'none/page.md': "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    let ran = scene.run_at(&["profile2d", "--kernel", "/nowhere/libfftw3.so"]);
    assert!(ran.stderr.starts_with("earth-lab: cannot load /nowhere/libfftw3.so: "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    let ran = scene.run_at(&[&QUICK[..13], &["--cores", "1025"]].concat());
    ran.refused(1, str!["a machine has 1 to 1024 nodes, not 1025"]);
}
