//! The report on a study as a document: what was measured, tables and figures by kernel, and the paper's statements.

use earth_partition::Computer;

use super::report::Report;
use super::{figures, kernels};
use crate::document::{Document, Part, Table};
use crate::numbers::{percent, ratio};
use crate::statements::{Verdict, count};
use crate::study::{Band, Conditions, KernelFindings, Method, Study};

impl Report {
    /// What was measured, and what is made of it.
    pub fn document(&self) -> Document {
        let study = &self.study;
        let mut parts = vec![
            Part::heading(1, "The PFFT methods, measured"),
            Part::words(
                "Khokhriakov, Manumachu and Lastovetsky (*Performance Optimization of Multithreaded 2D Fast Fourier Transform on \
                 Multicore Processors Using Load Imbalancing Parallel Computing Method*, IEEE Access 6, 2018) transform matrices of \
                 N x N complex points by groups of threads. Their study is repeated here: how fast the libraries' own transforms \
                 are, what dealing rows by measured speed functions wins, and which of the paper's statements hold on this computer.",
            ),
            Part::Command(self.command.clone()),
            Part::words(verdict(self)),
        ];
        if study.left_out > 0 {
            parts.push(Part::words(format!(
                "**{} steps are not measured yet**; the same command goes on with them.",
                study.left_out
            )));
        }
        if let Some(why) = &study.differs {
            parts.push(Part::words(format!("**Rows of another study were taken up by force:** {why}.")));
        }
        parts.push(Part::heading(2, "What was measured, and where"));
        parts.push(Part::Table(facts(study)));
        parts.push(Part::heading(2, "How to read it"));
        parts.extend(how(study).into_iter().map(Part::Words));
        parts.push(Part::heading(2, "What comes out"));
        parts.push(Part::Table(overview(study)));
        parts.push(Part::Table(compared(study)));
        parts.push(Part::heading(2, "How many groups of how many threads"));
        parts.extend(groupings(study));
        for found in study.kernels.iter().filter(|found| !found.rows.is_empty()) {
            parts.push(Part::heading(2, format!("With {}", found.kernel)));
            parts.extend(kernels::of_kernel(study, found));
        }
        parts.push(Part::heading(2, "Dataflow order or barriers"));
        parts.extend(order(study));
        if study.conditions.as_published {
            parts.push(Part::heading(2, "Padding as published"));
            parts.extend(published(study));
        }
        parts.push(Part::heading(2, "What a simulation tells"));
        parts.push(Part::words(
            "What takes 36 cores, N up to 64000 or no noise is simulated by `earth-fft simulate2d`: conditional \
             verdicts, and what dealing can win at all.",
        ));
        parts.push(Part::heading(2, "The paper's statements"));
        parts.push(Part::words(
            "Each is judged by a rule that was fixed before anything was measured. Where the paper has figures of its 36 cores, \
             the rule asks for the same figures; that these differ on another computer is no fault of the paper's.",
        ));
        parts.extend(self.statements.iter().cloned().map(Part::Statement));
        parts.push(Part::heading(2, "Errata of the paper"));
        parts.push(Part::words(
            "Where the paper's text and its own arithmetic disagree. No measurement decides these, so they are not among the statements.",
        ));
        parts.push(Part::Table(errata(self)));
        Document { title: "PFFT on this computer", parts }
    }
}

fn errata(report: &Report) -> Table {
    let rows = report.errata.iter().enumerate().map(|(index, erratum)| {
        let said = format!("{} ({})", erratum.says, erratum.section);
        [format!("E{}", index + 1), said, erratum.is.clone(), erratum.here.to_owned()]
    });
    Table::new(["", "the paper", "what is so", "here"]).with(rows)
}

/// How many statements came to what.
fn verdict(report: &Report) -> String {
    let of = |verdict| count(&report.statements, verdict);
    format!(
        "Of the paper's {} statements, judged on this computer: **holds {}, in part {}, does not hold {}, cannot be told here {}.** \
         {} errata are listed apart.",
        report.statements.len(),
        of(Verdict::Holds),
        of(Verdict::InPart),
        of(Verdict::DoesNotHold),
        of(Verdict::CannotBeTold),
        report.errata.len()
    )
}

fn facts(study: &Study) -> Table {
    let Conditions { computer, precision, config, cores, effort, planning, .. } = &study.conditions;
    let Conditions { repetitions, point_seconds, speed_seconds, .. } = &study.conditions;
    let Computer { processor, usable_cores, caches, architecture, .. } = computer;
    let kernels = study.kernels.iter().map(|found| match &found.version {
        Some(version) => format!("{} ({version})", found.kernel),
        None => found.kernel.clone(),
    });
    let [from, to] = [study.sizes.first(), study.sizes.last()].map(|n| n.copied().unwrap_or_default());
    let planning = if *planning { "in the times" } else { "not in the times" };
    Table::facts([
        ("processor", format!("{} ({architecture})", processor.as_deref().unwrap_or("unknown"))),
        ("cores", format!("{cores} for each transform, of {usable_cores} that can be used")),
        ("caches", if caches.is_empty() { "unknown".to_owned() } else { caches.join(", ") }),
        ("row kernels", kernels.collect::<Vec<_>>().join(", ")),
        ("N", format!("{from} to {to}, {} sizes", study.sizes.len())),
        ("points", format!("complex, {precision}")),
        ("nodes", format!("{config}: {}", if config == "dual" { "two threads each" } else { "one thread each" })),
        ("planners", format!("{effort}; planning is {planning}")),
        (
            "a mean",
            match repetitions {
                ..=10 => format!("of {repetitions} runs, with its interval at 95% confidence"),
                _ => format!(
                    "of 10 to {repetitions} runs, until it is within 2.5% at 95% confidence or took {point_seconds} s"
                ),
            },
        ),
        ("a speed function", format!("{speed_seconds} s around the balanced shares at each N")),
        ("within 2.5%", reliable(study)),
        ("all of it", format!("took {:.1} minutes", study.took / 60.0)),
    ])
    .titled("The conditions")
}

/// How many means reached the paper's precision.
fn reliable(study: &Study) -> String {
    let told = study.means().map(|means| {
        let reached = means.iter().filter(|[mean, half_width]| *half_width <= 0.025 * mean).count();
        format!("{reached} of {}", means.len())
    });
    format!("{} means of methods, {} means of speed functions", told[0], told[1])
}

fn how(study: &Study) -> Vec<String> {
    let mut words = vec![
        "**One group** is the baseline: a library's own transform of the whole matrix on as many threads as there are cores; \
         for a kernel without one, our program with all cores in one group. **PFFT-LB** gives each group the same number of \
         rows; **PFFT-FPM** deals them by speed functions that were measured around the equal shares, so that the slowest group \
         is as fast as can be; **PFFT-FPM-PAD** also chooses what is done to rows: nothing, lying an odd number of cache lines \
         apart (its row blocks copy them there and back, in its time), or a chirp through a fast longer length. All of these are exact, and \
         every result was compared with a row-column transform by rustfft and with some values summed by the definition."
            .to_owned(),
        "**Speed** is 5 N² log2 N² operations over the mean time. All methods of an N and a kernel were run in turn, round by \
         round, each timed run after one of its own kind that was not timed. A **variation** lies between neighbouring extremes \
         of the speed over N; its width is |s1 - s2| / min(s1, s2). **Speed-ups** over one group are given as mean of the ratios \
         at each N and as ratio of the mean speeds, which are not the same."
            .to_owned(),
        "**The null band.** In each round every method was run twice, in turn with the others. The ratio of its two means at an N \
         should be 1; of all these ratios with a kernel, whichever is greater than 1, a twentieth exceed the null band. One method is \
         **clearly** faster than another one if its intervals lie apart and the ratio of both is outside of the null band; else it \
         cannot be told which one is faster. By chance alone that is so at up to a twentieth of the sizes."
            .to_owned(),
    ];
    if study.kernels.iter().all(|found| found.grouping.is_none_or(|grouping| grouping.groups < 2)) {
        words.push(
            "**There are no two groups here**, as there is one node: what takes several groups (PFFT-LB, PFFT-FPM and all that \
             is judged on them) cannot be shown."
                .to_owned(),
        );
    } else if !study.conditions.cores.is_multiple_of(2) {
        words.push(format!(
            "{} cores are odd: they make no groups of two threads or two groups of equal size.",
            study.conditions.cores
        ));
    }
    words
}

fn overview(study: &Study) -> Table {
    let all = Band::all();
    let row = |found: &KernelFindings, method: Method| {
        let figures = found.figures(method)?;
        let by = found.speed_up(method, Method::Basic, &all)?;
        Some([
            found.kernel.clone(),
            method.to_string(),
            format!("{:.2}", figures.average),
            percent(figures.average_to_peak()),
            ratio(by.mean_of_ratios),
            ratio(by.ratio_of_means),
            format!("{} to {}", ratio(by.least), ratio(by.most)),
        ])
    };
    let methods = [Method::Basic, Method::Lb, Method::Fpm, Method::FpmPad];
    let rows = study
        .kernels
        .iter()
        .flat_map(|found| methods.into_iter().filter_map(move |method| row(found, method)));
    Table::new([
        "kernel",
        "method",
        "average",
        "average / peak",
        "mean of ratios",
        "ratio of means",
        "least to most",
    ])
    .titled("Average speeds in Gflop/s, and speed-ups over one group of the same kernel")
    .with(rows)
}

/// At how many sizes a method is clearly faster and clearly slower than another one.
fn compared(study: &Study) -> Table {
    let all = Band::all();
    let pairs = [
        (Method::Lb, Method::Basic),
        (Method::Fpm, Method::Basic),
        (Method::FpmPad, Method::Basic),
        (Method::Fpm, Method::Lb),
        (Method::FpmPad, Method::Fpm),
    ];
    let row = |found: &KernelFindings, (method, over): (Method, Method)| {
        let by = found.speed_up(method, over, &all)?;
        let [faster, slower, sizes] = found.clearly(method, over);
        Some([
            found.kernel.clone(),
            ratio(found.null_band()),
            format!("{method} over {over}"),
            format!("{faster} of {sizes}"),
            format!("{slower} of {sizes}"),
            format!("{:.3}", by.mean_of_ratios),
        ])
    };
    let rows =
        study.kernels.iter().flat_map(|found| pairs.into_iter().filter_map(move |pair| row(found, pair)));
    Table::new(["kernel", "null band", "method", "clearly faster at", "clearly slower at", "mean of ratios"])
        .titled("Differences outside of the null band: at how many sizes")
        .with(rows)
}

fn groupings(study: &Study) -> Vec<Part> {
    let rows: Vec<_> = study
        .kernels
        .iter()
        .flat_map(|found| {
            found.preferences.iter().map(|way| {
                let chosen = if found.grouping == Some(way.grouping) { "chosen" } else { "" };
                [
                    found.kernel.clone(),
                    format!("({}, {})", way.grouping.groups, way.grouping.threads),
                    format!("{:.2}", way.mean_gflops),
                    if way.grouping.groups > 1 { way.wins.to_string() } else { "one group".to_owned() },
                    chosen.to_owned(),
                ]
            })
        })
        .collect();
    if rows.is_empty() {
        return vec![Part::words("There is one way to make groups of one node.")];
    }
    let several = study
        .kernels
        .iter()
        .any(|found| found.preferences.iter().filter(|way| way.grouping.groups > 1).count() > 1);
    let mut parts = vec![Part::Table(
        Table::new(["kernel", "(p, t)", "Gflop/s", "fastest at so many N", ""])
            .titled("PFFT-LB by groups (p, t), mean over all N")
            .with(rows),
    )];
    if !several {
        parts.push(Part::words(
            "So few cores leave one way with more than one group, so there was nothing to choose.",
        ));
    }
    parts
}

fn order(study: &Study) -> Vec<Part> {
    let all = Band::all();
    let rows: Vec<_> = study
        .kernels
        .iter()
        .filter_map(|found| {
            let by = found.speed_up(Method::Lb, Method::LbBarrier, &all)?;
            let [faster, slower, sizes] = found.clearly(Method::Lb, Method::LbBarrier);
            Some([
                found.kernel.clone(),
                format!("{faster} of {sizes}"),
                format!("{slower} of {sizes}"),
                ratio(by.mean_of_ratios),
                ratio(by.ratio_of_means),
                ratio(by.least),
                ratio(by.most),
            ])
        })
        .collect();
    let mut parts = vec![Part::Words(
        "The paper's programs wait for all groups after each of the four steps (rows, transpose, rows, transpose). Ours has no \
         barrier: a row block goes on when its own tiles are there. Both were run by PFFT-LB at each N, the latter with \
         `--barrier`."
            .to_owned(),
    )];
    if rows.is_empty() {
        parts.push(Part::words("One group alone was run here, so there is nothing to compare."));
        return parts;
    }
    parts.push(Part::Table(
        Table::new([
            "kernel",
            "clearly faster at",
            "clearly slower at",
            "mean of ratios",
            "ratio of means",
            "least",
            "most",
        ])
        .titled("How many times as fast as with barriers the dataflow order is")
        .with(rows),
    ));
    parts.extend(figures::order(study).map(Part::figure));
    parts
}

fn published(study: &Study) -> Vec<Part> {
    let all = Band::all();
    let rows = study.kernels.iter().filter_map(|found| {
        let by = found.speed_up(Method::Published, Method::Basic, &all)?;
        let timed = || found.rows.iter().filter_map(|row| row.timed(Method::Published));
        let errors = timed().map(|timed| timed.error).fold(0.0, f64::max);
        let filled = found.rows.iter().filter(|row| {
            row.timed(Method::Published)
                .is_some_and(|timed| timed.through.iter().any(|&length| length > row.n))
        });
        Some([
            found.kernel.clone(),
            format!("{} of {}", filled.count(), found.rows.len()),
            ratio(by.mean_of_ratios),
            ratio(by.ratio_of_means),
            format!("{} to {}", ratio(by.least), ratio(by.most)),
            format!("{errors:.1e}"),
        ])
    });
    vec![
        Part::Words(
            "Rows filled up with zeros to the fastest of four longer lengths, one for all groups. **This is not the transform of \
             the matrix**, as its greatest relative error shows, so that its times are in no other table."
                .to_owned(),
        ),
        Part::Table(
            Table::new(["kernel", "filled up at", "mean of ratios", "ratio of means", "least to most", "greatest error"]).titled("Another transform: speed-ups over one group")
            .with(rows),
        ),
    ]
}
