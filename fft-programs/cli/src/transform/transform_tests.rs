//! Matrices from file to file.

use std::f64::consts::TAU;
use std::fs;
use std::path::PathBuf;

use earth_console::bricks;
use snapbox::{assert_data_eq, str};
use tempfile::TempDir;

use super::*;
use crate::args::{Cli, Command};

struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Signal {
        let path = self.path(name);
        Input::open(&path, Format::of(&path).unwrap()).unwrap().read(&csv::Options::default()).unwrap().0
    }

    fn args(&self, from: &str, to: &str, options: &str) -> Transform {
        let (from, to) = (self.path(from), self.path(to));
        let mut line = vec!["earth-fft", "transform", from.to_str().unwrap(), "-o", to.to_str().unwrap()];
        line.extend(options.split_whitespace());
        let Command::Transform(args) = Cli::read(&earth_papers::planner(), line).unwrap().command else {
            panic!("transform")
        };
        args
    }

    /// Transforms one file of this directory to another one.
    fn transform(&self, from: &str, to: &str, options: &str) -> Result<Summary, Failure> {
        from_file_to_file(&earth_papers::planner(), &self.args(from, to, options), &Stop::default())
    }

    fn picture(&self, name: &str, rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) {
        let values: Vec<_> =
            (0..rows * cols).map(|at| Complex::new(value(at / cols, at % cols), 0.0)).collect();
        let mut bytes = Vec::new();
        png::write(&mut bytes, |row, col| values[row * cols + col], (rows, cols), Shades::Signal).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }
}

fn doubles(signal: &Signal) -> Vec<Complex<f64>> {
    let Samples::F64(values) = &signal.samples else { panic!("double precision") };
    values.to_points().unwrap()
}

#[test]
fn a_grating_gives_its_two_dots_and_the_mean() {
    let scene = Scene::new();
    let (rows, cols, k, l) = (32, 48, 5, 8);
    let phase =
        |row: usize, col: usize| row as f64 * k as f64 / rows as f64 + col as f64 * l as f64 / cols as f64;
    scene.picture("grating.png", rows, cols, |row, col| 0.5 + 0.5 * (TAU * phase(row, col)).cos());
    let summary = scene.transform("grating.png", "dots.png", "--verify").unwrap();
    assert!(summary.verified_error.unwrap() < 1e-14);
    let dots = scene.read("dots.png");
    let shades: Vec<_> = doubles(&dots).iter().map(|shade| (shade.re * 255.0).round() as u8).collect();
    let mut bright: Vec<_> = (0..shades.len()).filter(|&at| shades[at] > 200).collect();
    let centre = (rows / 2) * cols + cols / 2;
    bright.retain(|&at| at != centre);
    assert_eq!(shades[centre], 255);
    assert_eq!(bright, [centre - k * cols - l, centre + k * cols + l]);
    // The other bins hold the rounding of a picture to 256 shades.
    assert!(shades.iter().filter(|&&shade| shade > 64).count() == 3, "{shades:?}");
}

#[test]
fn a_picture_to_its_spectrum_and_back_is_the_same_file() {
    let scene = Scene::new();
    scene.picture("in.png", 15, 20, |row, col| ((row * 37 + col * col * 11) % 256) as f64 / 255.0);
    let there = scene.transform("in.png", "spectrum.npy", "--verify").unwrap();
    assert!(there.verified_error.is_some());
    assert_eq!(scene.read("spectrum.npy").lengths, [15, 20]);
    let back = scene.transform("spectrum.npy", "out.png", "--verify --inverse").unwrap();
    assert!(back.verified_error.unwrap() < 1e-14);
    assert_eq!(fs::read(scene.path("in.png")).unwrap(), fs::read(scene.path("out.png")).unwrap());
}

#[test]
fn an_output_without_an_extension_is_a_picture_like_its_input() {
    let scene = Scene::new();
    scene.picture("in.png", 4, 4, |row, _| row as f64 / 3.0);
    fs::copy(scene.path("in.png"), scene.path("nameless")).unwrap();
    scene.transform("nameless", "spectrum", "").unwrap();
    assert_eq!(scene.read("spectrum").lengths, [4, 4]);
    assert!(fs::read(scene.path("spectrum")).unwrap().starts_with(png::SIGNATURE));
}

#[test]
fn a_wrong_matrix_is_seen_and_not_written() {
    let scene = Scene::new();
    let samples = [Complex::new(1.0, 0.0), Complex::default(), Complex::default(), Complex::default()];
    let args = scene.args("in.npy", "out.npy", "--verify");
    let stop = Stop::default();
    let known = &earth_papers::planner();
    let job = Job { known, args: &args, stop: &stop, format: Format::Npy, was_real: false, lengths: &[2, 2] };
    let deliver = |wrong: f64| {
        let mut spectrum = vec![Complex::new(1.0, 0.0); 4];
        spectrum[3].im = wrong;
        let output = Output::open(&args.output, &stop.unfinished).unwrap();
        job.deliver(&Spectrum::whole(&[2, 2], spectrum), Some(&samples), output)
    };
    let failure = deliver(1e-6).unwrap_err();
    assert!(matches!(failure, Failure::Wrong { .. }), "{failure}");
    assert!(!scene.path("out.npy").exists());
    assert!(deliver(0.0).unwrap().unwrap() < 1e-15 && scene.path("out.npy").exists());
}

#[test]
fn pictures_of_series_and_tables_of_matrices_are_refused() {
    let scene = Scene::new();
    scene.picture("in.png", 6, 5, |_, _| 0.5);
    fs::write(scene.path("in.csv"), "1\n2\n3\n").unwrap();
    let refused = |from: &str, to: &str| {
        let failure = scene.transform(from, to, "").unwrap_err();
        assert_eq!(failure.exit_code(), 1);
        assert!(!scene.path(to).exists());
        failure.to_string()
    };
    assert_data_eq!(
        refused("in.csv", "out.png"),
        str!["a .png holds a matrix and this is a series of 3 samples; a .csv or a .npy holds it"]
    );
    assert_data_eq!(
        refused("in.png", "out.csv"),
        str!["a .csv holds a series and this is a matrix of 6 x 5 samples; a .npy or a .png holds it"]
    );
    let failure = scene.transform("in.png", "out.npy", "--algorithm sender").unwrap_err();
    assert!(failure.to_string().starts_with("the algorithm 'sender' transforms one series"), "{failure}");
}

#[test]
fn the_summary_of_a_matrix_shows_its_layout() {
    let scene = Scene::new();
    scene.picture("wide.png", 4, 8, |_, _| 0.5);
    scene.picture("square.png", 4, 4, |_, _| 0.5);
    fs::write(scene.path("line.csv"), "1\n2\n").unwrap();
    let wide = scene.transform("wide.png", "out.npy", "--nodes 2 --algorithm grouped").unwrap();
    let json = serde_json::to_value(&wide).unwrap();
    for (field, expected) in [("n", 32), ("nodes", 2), ("block", 1)] {
        assert_eq!(json[field].as_u64(), Some(expected), "{field}");
    }
    assert_eq!(json["lengths"], serde_json::json!([4, 8]));
    assert_eq!(json["in_place"].as_bool(), Some(false));
    let rate = json["gflops"].as_f64().unwrap() * json["seconds"].as_f64().unwrap();
    assert!((rate * 1e9 - 5.0 * 32.0 * 5.0).abs() < 1e-3, "{rate}");
    let table = wide.table().to_string();
    assert!(
        table.contains("4 x 8 = 32 (f64, forward)") && table.contains("through a second matrix"),
        "{table}"
    );
    assert!(table.contains("grouped, because the algorithm was named"), "{table}");
    let table = scene.transform("wide.png", "out.npy", "--nodes 2").unwrap().table().to_string();
    assert!(
        table.contains("two-pass, because several nodes were asked for") && table.contains("in place"),
        "{table}"
    );
    let square = scene.transform("square.png", "out.npy", "").unwrap().table().to_string();
    assert!(square.contains("in place"), "{square}");
    let line = scene.transform("line.csv", "out.npy", "").unwrap();
    let json = serde_json::to_value(&line).unwrap();
    assert_eq!(json["lengths"], serde_json::json!([2]));
    assert!(json["in_place"].is_null());
    assert!(!line.table().to_string().contains("memory"));
    let requests = scene.transform("line.csv", "out.npy", "--algorithm receiver --nodes 2").unwrap();
    let json = serde_json::to_value(&requests).unwrap();
    assert_eq!((json["paper_tokens"].as_u64(), json["half_butterflies"].as_u64()), (Some(4), Some(2)));
    assert!(requests.table().to_string().contains("4 (requests for operands)"));
}

#[test]
fn the_bundled_picture_comes_back_from_its_spectrum() {
    let scene = Scene::new();
    fs::write(scene.path("bricks.png"), bricks::BRICKS).unwrap();
    scene.transform("bricks.png", "spectrum.npy", "--verify").unwrap();
    let spectrum = doubles(&scene.read("spectrum.npy"));
    let strongest =
        (1..256 * 256).max_by(|&a, &b| spectrum[a].norm().total_cmp(&spectrum[b].norm())).unwrap();
    assert!([13, 256 - 13].contains(&strongest), "{strongest}");
    scene.transform("spectrum.npy", "back.png", "--inverse").unwrap();
    assert_eq!(scene.read("back.png").samples, bricks::bricks().samples);
}
