//! The paper's figures with the study's measurements.

use earth_papers::partition::flops;
use earth_report::document::Content;
use earth_report::figure::{Line, Panel, Plot, Scale, Stroke};

use super::figures::{over_n, panel, plot, ratios, speed_ups, speeds};
use crate::pfft::study::{Band, KernelFindings, Method, Sampled, Study, speeds_of};

/// Library with the peak that the paper states: N and Gflop/s.
struct Library<'a> {
    name: &'static str,
    found: Option<&'a KernelFindings>,
    color: usize,
    peak: (f64, f64),
}

/// Adds the plots of the paper's figures.
pub(super) fn with_figures(content: Content, study: &Study) -> Content {
    let fftw2 = Library { name: "FFTW-2", found: study.fftw2(), color: 0, peak: (2816.0, 17.841) };
    let fftw = Library { name: "FFTW-3", found: study.fftw(), color: 1, peak: (8000.0, 16.989) };
    let mkl = Library { name: "MKL", found: study.mkl(), color: 2, peak: (1792.0, 39.424) };
    content
        .plot("fig1", profiles([&fftw2, &fftw]))
        .plot("fig2", profiles([&fftw2, &mkl]))
        .plot("fig3", profiles([&fftw, &mkl]))
        .plot("fig6", groups([&fftw, &mkl]))
        .plot("fig7", lengths([&fftw, &mkl]))
        .plot("fig8", over_own(&fftw))
        .plot("fig10", times(&fftw))
        .plot("fig11", over_own(&mkl))
        .plot("fig13", times(&mkl))
        .plot("fig14", over_fftw2(&fftw, &fftw2))
        .plot("fig15", over_fftw2(&mkl, &fftw2))
}

/// Plots own transforms, and the paper's peaks. There is no plot unless both were measured.
fn profiles(libraries: [&Library<'_>; 2]) -> Option<Plot> {
    let mut lines = Vec::new();
    for Library { name, found, color, peak } in libraries {
        lines.push(over_n(*name, *color, (*found)?.profile(Method::Basic)));
        lines.push(Line::new(format!("the paper's peak, {name}"), *color, [*peak]).drawn(Stroke::Marks));
    }
    speeds(panel("", lines))
}

/// Returns a line of speeds for each group. `across` is the place of a point.
fn each_group(points: &[&Sampled], across: impl Fn(&Sampled) -> usize) -> Vec<Line> {
    let groups = points.first().map_or(0, |point| point.seconds.len());
    let of = |group: usize| {
        let mut dots: Vec<_> = points
            .iter()
            .map(|point| {
                let speed = flops(point.rows, point.length) / point.seconds[group] / 1e9;
                (across(point) as f64, speed)
            })
            .collect();
        dots.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line::new(format!("group {}", group + 1), group, dots)
    };
    (0..groups).map(of).collect()
}

/// Plots the groups' speed functions at the largest N in steps, a panel for each library.
fn groups(libraries: [&Library<'_>; 2]) -> Option<Plot> {
    let of = |library: &Library<'_>| -> Option<Panel> {
        let found = library.found?;
        let row = found.rows.iter().rfind(|row| row.n <= found.steps_to)?;
        let points = row.speeds.iter().filter(|point| point.pad == "none" && point.length == row.n);
        let lines = each_group(&points.collect::<Vec<_>>(), |point| point.rows);
        panel(format!("{}, rows of {} points", library.name, row.n), lines)
    };
    let panels = libraries.into_iter().filter_map(of);
    plot([("rows x of a group", Scale::Linear), ("Gflop/s a group", Scale::FromZero)], panels)
}

/// Plots the speed of rows by their length, a panel for each library.
fn lengths(libraries: [&Library<'_>; 2]) -> Option<Plot> {
    let of = |library: &Library<'_>| -> Option<Panel> {
        let points: Vec<_> = library.found?.lengths.as_ref()?.points.iter().collect();
        panel(library.name, each_group(&points, |point| point.length))
    };
    let panels = libraries.into_iter().filter_map(of);
    plot([("points y of a row", Scale::Linear), ("Gflop/s a group", Scale::FromZero)], panels)
}

/// Plots the methods' speeds over the library's own transform.
fn over_own(library: &Library<'_>) -> Option<Plot> {
    let found = library.found?;
    let methods = [Method::Fpm, Method::FpmPad, Method::Published].into_iter().zip(2..);
    let lines =
        methods.map(|(method, color)| over_n(method.name(), color, speed_ups(found, method, Method::Basic)));
    let up = format!("speed / speed of {}'s own transform", library.name);
    ratios(&up, found.null_band(), panel("", lines))
}

/// Plots times of one transform.
fn times(library: &Library<'_>) -> Option<Plot> {
    let found = library.found?;
    let methods = [Method::Basic, Method::Fpm, Method::FpmPad].into_iter().enumerate();
    let lines = methods.map(|(color, method)| {
        let times = found.rows.iter().filter_map(|row| Some((row.n, row.timed(method)?.time.mean)));
        over_n(method.name(), color, times)
    });
    plot([("N", Scale::Decades), ("seconds", Scale::Decades)], panel("", lines))
}

/// Plots the speed of a library with PFFT-FPM-PAD over FFTW-2's own transform.
fn over_fftw2(library: &Library<'_>, fftw2: &Library<'_>) -> Option<Plot> {
    let (of, over) = (library.found?, fftw2.found?);
    let both = speeds_of((of, Method::FpmPad), (over, Method::Basic), &Band::all());
    let line = over_n(
        format!("{} with PFFT-FPM-PAD", library.name),
        library.color,
        both.into_iter().map(|(n, (speed, other))| (n, speed / other)),
    );
    let null = of.null_band().max(over.null_band());
    ratios("speed / speed of FFTW-2's own transform", null, panel("", [line]))
}
