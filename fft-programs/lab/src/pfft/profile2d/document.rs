//! Report on a study: the contents of its page.

use earth_fft::computer::Computer;
use earth_report::document::{Content, Document, Part, Table};
use earth_report::numbers::{percent, ratio};

use super::findings::with_findings;
use super::papers::with_figures;
use super::report::Report;
use super::{figures, kernels};
use crate::pfft::study::statements::{longest_planning, median_slow_down};
use crate::pfft::study::{
    Band, Conditions, KernelFindings, Method, PAPERS_SIDE, ROWS, SIDES, Study, Transposes,
};

impl Report {
    /// Makes the document: measurements and derived results.
    pub fn document(&self) -> Document {
        let study = &self.study;
        let kernels = study.kernels.iter().filter(|found| !found.rows.is_empty());
        let methods = [Method::Basic, Method::One, Method::Lb, Method::Fpm, Method::FpmPad];
        let [from, to] = ends(study);
        let content = Content::default()
            .text("command", &self.command)
            .text("minutes", format!("{:.0}", study.took / 60.0))
            .text("cores-used", study.conditions.cores)
            .text("n", format!("N = {from} to {to}"))
            .text("rows-of-lengths", ROWS)
            .texts("sides", SIDES)
            .parts("notes", notes(study))
            .parts("missing", missing(study).map(Part::Words))
            .parts("facts", [Part::Table(facts(study))])
            .parts("cores", cores(study).map(Part::Words))
            .rows("overview", of_kernels(study, &methods, overview))
            .rows("compared", of_kernels(study, &Method::COMPARED, compared))
            .parts("groupings", groupings(study))
            .parts("kernels", kernels.flat_map(|found| kernels::of_kernel(study, found)))
            .rows("efforts", of_kernels(study, &["estimate", "measure", "patient"], effort_row))
            .plot("efforts", figures::efforts(study))
            .rows("transposes", study.transposes.iter().map(transposes_row))
            .plot("transposes", figures::transposes(study))
            .parts("order", order(study))
            .parts("published", if study.conditions.as_published { published(study) } else { Vec::new() });
        with_figures(with_findings(content, study), study).paper(&self.paper, include_str!("page.md"))
    }
}

/// Returns the least and the greatest N.
fn ends(study: &Study) -> [usize; 2] {
    [study.sizes.first(), study.sizes.last()].map(|n| n.copied().unwrap_or_default())
}

fn effort_row(found: &KernelFindings, effort: &str) -> Option<[String; 8]> {
    let figures = found.figures_by(effort)?;
    let sizes = found.efforts.iter().filter(|row| row.plan(effort).is_some()).count();
    let longest = longest_planning(found, effort);
    Some([
        found.kernel.clone(),
        effort.to_owned(),
        sizes.to_string(),
        format!("{:.2}", figures.average),
        percent(figures.average_to_peak()),
        percent(figures.widest),
        longest.map_or_else(|| "-".to_owned(), |(n, planning)| format!("{planning} (N = {n})")),
        match effort {
            "measure" => median_slow_down(found).map_or_else(|| "-".to_owned(), ratio),
            _ => "-".to_owned(),
        },
    ])
}

fn transposes_row(of: &Transposes) -> Vec<String> {
    let papers = of.side(PAPERS_SIDE).map_or(f64::NAN, |side| side.time.mean);
    let by = |side: usize| match of.side(side) {
        Some(side) if !papers.is_nan() => ratio(side.time.mean / papers),
        _ => "-".to_owned(),
    };
    std::iter::once(of.n.to_string()).chain(SIDES.map(by)).collect()
}

/// Makes a row for each kernel and each item, where there is one.
fn of_kernels<T: Copy, R>(study: &Study, all: &[T], row: impl Fn(&KernelFindings, T) -> Option<R>) -> Vec<R> {
    let pairs = study.kernels.iter().flat_map(|found| all.iter().map(move |of| (found, *of)));
    pairs.filter_map(|(found, of)| row(found, of)).collect()
}

/// Makes notes on a study that is incomplete, or includes rows of another study.
fn notes(study: &Study) -> Vec<Part> {
    let left = (study.left_out > 0).then(|| {
        format!("**{} steps are not measured yet**; the same command goes on with them.", study.left_out)
    });
    let differs =
        study.differs.as_ref().map(|why| format!("**Rows of another study were taken up by force:** {why}."));
    left.into_iter().chain(differs).map(Part::Words).collect()
}

/// Says which runs make the paper's figures that are missing.
fn missing(study: &Study) -> Option<String> {
    let all = [
        ("fftw2", study.fftw2(), "1, 2, 14 and 15"),
        ("fftw", study.fftw(), "1, 3, 6 to 10 and 14"),
        ("mkl", study.mkl(), "2, 3, 6, 7, 11 to 13 and 15"),
    ];
    let missing = all.into_iter().filter(|(_, found, _)| found.is_none());
    let runs: Vec<_> =
        missing.map(|(kernel, _, figures)| format!("`--kernel {kernel}` (figures {figures})")).collect();
    (!runs.is_empty()).then(|| format!("Figures without a plot need more kernels: {}.", runs.join(", ")))
}

fn facts(study: &Study) -> Table {
    let Conditions { computer, precision, config, cores, effort, planning, .. } = &study.conditions;
    let Conditions { repetitions, point_seconds, speed_seconds, .. } = &study.conditions;
    let Computer { processor, usable_cores, caches, architecture, .. } = computer;
    let kernels = study.kernels.iter().map(|found| match &found.version {
        Some(version) => format!("{} ({version})", found.kernel),
        None => found.kernel.clone(),
    });
    let [from, to] = ends(study);
    let beyond: Vec<_> = study.sizes.iter().filter(|&&n| n > study.steps_to).map(usize::to_string).collect();
    let beyond = if beyond.is_empty() { "none".to_owned() } else { beyond.join(", ") };
    let planning = if *planning { "in the times" } else { "not in the times" };
    Table::facts([
        ("processor", format!("{} ({architecture})", processor.as_deref().unwrap_or("unknown"))),
        ("cores", format!("{cores} for each transform, of {usable_cores} that can be used")),
        ("caches", if caches.is_empty() { "unknown".to_owned() } else { caches.join(", ") }),
        ("row kernels", kernels.collect::<Vec<_>>().join(", ")),
        ("N", format!("{from} to {to}, {} sizes", study.sizes.len())),
        ("N beyond the steps", beyond),
        ("points", format!("complex, {precision}")),
        ("nodes", format!("{config}: {}", if config == "dual" { "two threads each" } else { "one thread each" })),
        ("planners", format!("{effort}; planning is {planning}")),
        (
            "a mean",
            match repetitions {
                ..=10 => format!("of {repetitions} runs, with its interval at 95% confidence"),
                _ => format!(
                    "of 10 to {repetitions} runs (beyond N = 5000 of 4 or more), until it is within 2.5% at 95% confidence or took \
                     {point_seconds} s"
                ),
            },
        ),
        ("a speed function", format!("{speed_seconds} s around the equal shares at each N")),
        ("within 2.5%", reliable(study)),
        ("time of the study", format!("{:.1} minutes", study.took / 60.0)),
    ])
    .titled("The conditions")
}

/// Returns how many means reached the paper's precision.
fn reliable(study: &Study) -> String {
    let told = study.means().map(|means| {
        let reached = means.iter().filter(|[mean, half_width]| *half_width <= 0.025 * mean).count();
        format!("{reached} of {}", means.len())
    });
    format!("{} means of methods, {} means of speed functions", told[0], told[1])
}

/// Makes a note if the cores make too few groups.
fn cores(study: &Study) -> Option<String> {
    let cores = study.conditions.cores;
    if study.kernels.iter().all(|found| found.grouping.is_none_or(|grouping| grouping.groups < 2)) {
        let why = "**There are no two groups here**, because there is one node. PFFT-LB, PFFT-FPM and all statements on \
                   them need several groups.";
        return Some(why.to_owned());
    }
    let is_odd = !cores.is_multiple_of(2);
    is_odd.then(|| {
        format!("{cores} cores are odd: they make no groups of two threads or two groups of equal size.")
    })
}

fn overview(found: &KernelFindings, method: Method) -> Option<[String; 7]> {
    let figures = found.figures(method)?;
    let by = found.speed_up(method, Method::Basic, &found.in_steps())?;
    Some([
        found.kernel.clone(),
        method.to_string(),
        format!("{:.2}", figures.average),
        percent(figures.average_to_peak()),
        ratio(by.mean_of_ratios),
        ratio(by.ratio_of_means),
        format!("{} to {}", ratio(by.least), ratio(by.most)),
    ])
}

/// Counts the sizes at which a method is clearly faster, and clearly slower, than another one.
fn compared(found: &KernelFindings, (method, over): (Method, Method)) -> Option<[String; 6]> {
    let by = found.speed_up(method, over, &Band::all())?;
    let [faster, slower, sizes] = found.clearly(method, over);
    Some([
        found.kernel.clone(),
        ratio(found.null_band()),
        format!("{method} over {over}"),
        format!("{faster} of {sizes}"),
        format!("{slower} of {sizes}"),
        format!("{:.3}", by.mean_of_ratios),
    ])
}

fn groupings(study: &Study) -> Vec<Part> {
    let ways = study.kernels.iter().flat_map(|found| found.preferences.iter().map(move |way| (found, way)));
    let rows: Vec<_> = ways
        .map(|(found, way)| {
            [
                found.kernel.clone(),
                format!("({}, {})", way.grouping.groups, way.grouping.threads),
                format!("{:.2}", way.mean_gflops),
                if way.grouping.groups > 1 { format!("{} N", way.wins) } else { "one group".to_owned() },
                if found.grouping == Some(way.grouping) { "chosen" } else { "" }.to_owned(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return vec![Part::words("There is one way to make groups of one node.")];
    }
    let has_several =
        |found: &KernelFindings| found.preferences.iter().filter(|way| way.grouping.groups > 1).count() > 1;
    let table = Table::new(["kernel", "(p, t)", "Gflop/s", "fastest at", ""])
        .titled("PFFT-LB by groups (p, t), mean over all N")
        .with(rows);
    let few = "The cores leave one way with more than one group, so there was no choice.";
    let is_alone = !study.kernels.iter().any(has_several);
    [Part::Table(table)].into_iter().chain(is_alone.then(|| Part::words(few))).collect()
}

fn order(study: &Study) -> Vec<Part> {
    let rows = of_kernels(study, &[()], |found, ()| {
        let by = found.speed_up(Method::Lb, Method::LbBarrier, &Band::all())?;
        let [faster, slower, sizes] = found.clearly(Method::Lb, Method::LbBarrier);
        let figures = [by.mean_of_ratios, by.ratio_of_means, by.least, by.most].map(ratio);
        let counts = [faster, slower].map(|number| format!("{number} of {sizes}"));
        Some([vec![found.kernel.clone()], counts.into(), figures.into()].concat())
    });
    if rows.is_empty() {
        return vec![Part::words("One group alone was run here, so there is nothing to compare.")];
    }
    let content = Content::default().rows("order", rows).plot("order", figures::order(study));
    content.fill(include_str!("order.md"))
}

fn published(study: &Study) -> Vec<Part> {
    let rows = of_kernels(study, &[()], |found, ()| {
        let by = found.speed_up(Method::Published, Method::Basic, &Band::all())?;
        let timed = || found.rows.iter().filter_map(|row| Some((row.n, row.timed(Method::Published)?)));
        let filled = timed().filter(|(n, timed)| timed.through.iter().any(|length| length > n)).count();
        Some([
            found.kernel.clone(),
            format!("{filled} of {}", found.rows.len()),
            ratio(by.mean_of_ratios),
            ratio(by.ratio_of_means),
            format!("{} to {}", ratio(by.least), ratio(by.most)),
            format!("{:.1e}", timed().map(|(_, timed)| timed.error).fold(0.0, f64::max)),
        ])
    });
    Content::default().rows("published", rows).fill(include_str!("published.md"))
}
