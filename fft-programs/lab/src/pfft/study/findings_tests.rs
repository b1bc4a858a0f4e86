use super::*;
use crate::pfft::study::fixtures::{found, methods, sampled, study};

#[test]
fn profiles_and_speed_ups_are_by_speed() {
    let rows = vec![
        methods("fftw", 64, [2.0, 1.0, 1.0, 1.0, 1.0, 4.0, 6.0]),
        methods("fftw", 128, [4.0, 2.0, 2.0, 2.0, 1.0, 4.0, 4.0]),
    ];
    let found = found("fftw", rows);
    let close = |value: f64, expected: f64| {
        assert!((value / expected - 1.0).abs() < 1e-12, "{value}, not {expected}");
    };
    let profile = found.profile(Method::Basic);
    assert_eq!(profile.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [64, 128]);
    close(profile[0].1, 2.0);
    let figures = found.figures(Method::Basic).unwrap();
    close(figures.average, 3.0);
    close(figures.average_to_peak(), 0.75);
    let by = found.speed_up(Method::Fpm, Method::Basic, &Band::all()).unwrap();
    close(by.mean_of_ratios, 1.5);
    close(by.ratio_of_means, 8.0 / 6.0);
    close(by.least, 1.0);
    close(by.most, 2.0);
    let second = Band { name: String::new(), from: 100, to: 200 };
    close(found.speed_up(Method::FpmPad, Method::Basic, &second).unwrap().mean_of_ratios, 1.0);
    assert_eq!(found.speed_up(Method::Published, Method::Basic, &Band::all()), None);
    assert!(found.is_by_library());
    // Averages leave out the N beyond the steps.
    let steps = KernelFindings { steps_to: 64, ..found };
    close(steps.figures(Method::Basic).unwrap().average, 2.0);
    close(steps.speed_up(Method::Fpm, Method::Basic, &steps.in_steps()).unwrap().mean_of_ratios, 2.0);
}

#[test]
fn methods_are_paired_by_n() {
    let mut rows = vec![methods("fftw", 64, [1.0; 7]), methods("fftw", 128, [2.0; 7])];
    rows[0].methods.retain(|timed| timed.method != Method::Fpm);
    let pairs = found("fftw", rows).pairs(Method::Fpm, Method::Basic, &Band::all());
    assert_eq!(pairs.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [128]);
}

#[test]
fn a_second_plan_widens_the_null_band() {
    let row = |n: usize, again: f64| methods("fftw", n, [1.0, 1.0, 1.0, again, 1.0, 1.0, 1.0]);
    let band = |again| found("fftw", vec![row(64, again)]).null_band();
    assert!((band(1.0) - 1.0).abs() < 1e-12 && (band(0.5) - 2.0).abs() < 1e-12);
}

#[test]
fn bands_are_the_papers_and_thirds() {
    let sizes: Vec<_> = (1..=7).map(|k| 128 * k).collect();
    let bands = bands(&sizes, usize::MAX);
    let shown: Vec<_> = bands.iter().map(|band| (band.from, band.to)).collect();
    let expected =
        [(128, 896), (0, 10_000), (10_001, 33_000), (33_001, usize::MAX), (128, 256), (384, 512), (640, 896)];
    assert_eq!(shown, expected);
    for n in &sizes {
        assert_eq!(bands[4..].iter().filter(|band| band.has(*n)).count(), 1);
    }
    assert_eq!(super::bands(&sizes[..2], usize::MAX).len(), 4);
    assert_eq!(super::bands(&sizes, 256)[0].to, 256);
    let papers = Band::papers();
    for (n, at) in [(10_000, 0), (10_001, 1), (33_000, 1), (33_001, 2)] {
        assert_eq!(papers.iter().position(|band| band.has(n)), Some(at));
    }
}

#[test]
fn surfaces_are_cut_at_each_n() {
    let mut row = methods("fftw", 64, [1.0; 7]);
    row.speeds = vec![
        sampled(48, 64, [3e9, 1e9]),
        sampled(32, 64, [2e9, 2e9]),
        sampled(16, 64, [4e9, 4e9]),
        sampled(32, 128, [9e9; 2]),
    ];
    let mut other = methods("fftw", 128, [1.0; 7]);
    other.speeds = vec![sampled(64, 128, [8e9, 8e9])];
    let found = found("fftw", vec![row, other]);
    let surface = found.surface("none");
    let shown: Vec<_> = surface
        .iter()
        .map(|(n, line)| (*n, line.iter().map(|&(x, y)| (x, (y * 1e6).round() / 1e6)).collect::<Vec<_>>()))
        .collect();
    assert_eq!(shown, [(64, vec![(0.25, 4.0), (0.5, 2.0), (0.75, 2.0)]), (128, vec![(0.5, 8.0)])]);
    assert!(found.surface("chirp").is_empty());
    // From 4 to 2 along the rows, from 2 to 8 along the lengths.
    let [along, across] = found.widths_of_surface().unwrap();
    assert!((along - 1.0).abs() < 1e-9 && (across - 3.0).abs() < 1e-9, "{along} {across}");
}

#[test]
fn kernels_are_known_by_their_files_too() {
    let rows = || vec![methods("x", 64, [1.0; 7])];
    let path = "/opt/lib/libmkl_rt.so.3";
    let study = study(vec![
        found("rustfft", rows()),
        found(path, rows()),
        found("fftw", Vec::new()),
        found("fftw2", rows()),
    ]);
    assert_eq!(study.mkl().map(|found| found.kernel.as_str()), Some(path));
    assert!(study.fftw().is_none(), "no row was measured with it");
    assert!(study.fftw2().is_some());
    assert_eq!(slug(path), "libmkl-rt-so-3");
}
