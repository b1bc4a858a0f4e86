use std::fs;

use earth_fft::{Effort, Kernel};
use snapbox::{assert_data_eq, str};

use super::*;
use crate::groups::Pad;

/// Two groups of three threads. The second group is slow at 512 rows.
fn example() -> PerformanceModel {
    let rows = MeasuredRows {
        kernel: Kernel::Fftw,
        precision: "f64".to_owned(),
        effort: Some(Effort::Estimate),
        planning_included: true,
        pad: Pad::None,
    };
    let computer = Computer {
        architecture: "x86_64".to_owned(),
        processor: Some("Example 9000 \"é\"".to_owned()),
        cores: Some(6),
        usable_cores: 6,
        caches: vec!["L1 data 32K".to_owned(), "L3 unified 8M".to_owned()],
        family: "linux".to_owned(),
        system: Some("Linux 6.1".to_owned()),
    };
    let mut model = PerformanceModel::new(rows, Grouping { groups: 2, threads: 3 }, computer).unwrap();
    for rows in [256, 384, 512, 640, 768] {
        let mean = rows as f64 / 3e5;
        let slow = if rows == 512 { 2.0 * mean } else { mean };
        model.add(Size { length: 1024, rows }, &measured(&[mean, slow])).unwrap();
    }
    model.add(Size { length: 2048, rows: 128 }, &measured(&[0.1 + 0.2, 1.0 / 3.0])).unwrap();
    model
}

fn measured(means: &[f64]) -> Vec<Point> {
    let point = |&mean| Point {
        mean,
        half_width: mean / 77.0,
        repetitions: 12,
        normality: (mean > 0.3).then_some(0.2),
    };
    means.iter().map(point).collect()
}

fn text() -> String {
    let mut bytes = Vec::new();
    write(&example(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn refused(text: &str) -> LoadError {
    parse(text.as_bytes(), "m.json").unwrap_err()
}

/// The example with `instead` in place of `what`, which occurs once.
fn with(what: &str, instead: &str) -> String {
    let text = text();
    assert_eq!(text.matches(what).count(), 1, "{what} in {text}");
    text.replace(what, instead)
}

#[test]
fn a_model_comes_back_to_the_bit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.json");
    fs::write(&path, text()).unwrap();
    assert_eq!(load(&path).unwrap(), example());
}

#[test]
fn numbers_of_any_bits_come_back() {
    use rand::{RngExt as _, SeedableRng as _};
    let mut random = rand::rngs::Xoshiro256PlusPlus::seed_from_u64(1);
    let mut function = SpeedFunction::new();
    for rows in 1..=2_000 {
        let mut number = || f64::from_bits(random.random_range(1..f64::INFINITY.to_bits()));
        let point = Point { mean: number(), half_width: number(), repetitions: 2, normality: Some(number()) };
        function.insert(Size { length: 2, rows }, point).unwrap();
    }
    let functions = vec![function, SpeedFunction::new()];
    let model =
        PerformanceModel::of(example().rows().clone(), 3, example().computer().clone(), functions).unwrap();
    let mut bytes = Vec::new();
    write(&model, &mut bytes).unwrap();
    assert_eq!(parse(&bytes, "").unwrap(), model);
}

#[test]
fn people_can_read_a_file() {
    let text = text();
    assert!(
        text.starts_with("{\n  \"format\": \"earth-fft performance model\",\n  \"schema\": 1,\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\n    \"effort\": \"estimate\",\n    \"planning_included\": true,\n    \"pad\": \"none\"\n"
        ),
        "{text}"
    );
    let line = r#"      {"length":2048,"rows":128,"mean":0.30000000000000004,"half_width":0.0038961038961038965,"repetitions":12,"normality":0.2}"#;
    assert!(text.lines().any(|found| found == line), "{text}");
    // One line a point, and the braces around them.
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("{\"length\"")).count(), 12);
    assert!(text.ends_with("    ]\n  ]\n}\n"));
}

#[test]
fn another_kind_of_file_is_distinguished_from_a_damaged_one() {
    for foreign in
        ["", "x", "[]", "{}", "{\"schema\": 1}", "\u{0}", "{\"format\": \"a spectrum\", \"schema\": 7}"]
    {
        assert!(matches!(refused(foreign), LoadError::Foreign { .. }), "{foreign}");
    }
    assert_data_eq!(refused("{}").to_string(), str!["'m.json' is no performance model of earth-fft"]);
    let text = text();
    // Cut off anywhere behind the `format` line.
    let beginning = text.find("\"schema\"").unwrap();
    for end in (beginning..text.trim_end().len()).step_by(7) {
        let error = refused(&text[..end]);
        assert!(matches!(error, LoadError::Broken { .. }), "{end}: {error}");
    }
    let noise: Vec<u8> = (0..=255).collect();
    assert!(matches!(parse(&noise, ""), Err(LoadError::Foreign { .. })));
}

#[test]
fn a_newer_file_is_refused_whatever_else_it_has() {
    let newer = with("\"schema\": 1", "\"schema\": 2, \"colour\": \"red\"");
    assert_data_eq!(
        refused(&newer).to_string(),
        str!["'m.json' was written by a newer earth-fft: its version is 2, and the latest known here is 1"]
    );
    let unknown = refused(&with("\"schema\": 1", "\"schema\": 1, \"colour\": \"red\""));
    assert!(matches!(&unknown, LoadError::Broken { why, .. } if why.contains("colour")), "{unknown}");
}

#[test]
fn impossible_settings_are_refused_in_one_sentence() {
    let why = |text: String| match refused(&text) {
        LoadError::Broken { why, .. } => why,
        other => panic!("{other}"),
    };
    assert_data_eq!(why(with("\"groups\": 2", "\"groups\": 3")), str!["it has 2 functions for 3 groups"]);
    assert_data_eq!(
        why(with("\"threads\": 3", "\"threads\": 0")),
        str!["2 groups of 0 threads compute nothing"]
    );
    let negative = with("\"mean\":0.30000000000000004", "\"mean\":-1");
    assert_data_eq!(
        why(negative),
        str!["128 rows of 2048 points in -1 ± 0.0038961038961038965 s are no measurement"]
    );
    let first = text().lines().find(|line| line.contains("\"rows\":256")).unwrap().to_owned();
    let twice = text().replacen(&first, &format!("{first}\n{first}"), 1);
    assert_data_eq!(why(twice), str!["256 rows of 1024 points occur twice"]);
    assert!(why(with("\"threads\": 3", "\"threads\": -3")).contains("line 12"), "the line is told");
}

#[test]
fn a_file_that_is_not_there_is_unreadable() {
    let directory = tempfile::tempdir().unwrap();
    let missing = load(&directory.path().join("missing")).unwrap_err();
    assert!(
        matches!(&missing, LoadError::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound)
    );
    assert!(missing.to_string().starts_with("cannot read '"), "{missing}");
    let of_a_directory = load(directory.path()).unwrap_err();
    assert!(matches!(of_a_directory, LoadError::Unreadable { .. }));
}
