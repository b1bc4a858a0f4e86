//! The report as a document: tables, figures and conditional verdicts.

use super::blocks::{PAPERS, SIDES, SQUARES};
use super::dealing::{self, KNOWN, PARTIAL_WIDTH, POINTS, ROWS, WIDTHS, width_of};
use super::figures::{self, PAPERS_SPEED_UPS, setting};
use super::machine::{LIBRARIES, WAYS};
use super::report::{Conditional, Report, lines};
use super::variations::{average_to_peak, width};
use crate::document::{Document, Part, Table};
use crate::numbers::{percent, ratio, short};
use crate::statements::{Verdict, count};
use crate::study::{Band, Method, best};

/// The average speeds of the paper, as parts of the peaks.
const AVERAGES: [(&str, f64); 3] = [("FFTW-2.1.5", 0.40), ("FFTW-3.3.7", 0.30), ("MKL", 0.24)];

impl Report {
    /// What is simulated, and what is made of it.
    pub fn document(&self) -> Document {
        let mut parts = vec![
            Part::heading(1, "The PFFT paper's computer, simulated"),
            Part::words(
                "What a noisy computer with few cores cannot tell of the statements of Khokhriakov, Manumachu and Lastovetsky \
                 (*IEEE Access* 6, 2018) is computed here without noise: the same numbers come out in every run. **All verdicts are \
                 conditional.** The paper publishes the averages and the peaks of its speed functions, and pictures of them; so functions \
                 are made up that have these averages and peaks, and what follows is what would be so if the functions were such.",
            ),
            Part::Command(self.command.clone()),
            Part::words(self.summary()),
            Part::heading(2, "How wide speeds vary"),
        ];
        parts.extend(widths());
        parts.push(Part::heading(2, "What dealing wins over equal shares"));
        parts.extend(self.dealing());
        parts.push(Part::heading(2, "Partial speed functions"));
        parts.extend(self.partial());
        parts.push(Part::heading(2, "36 cores"));
        parts.extend(self.machine());
        parts.push(Part::heading(2, "Blocks of the transpose"));
        parts.extend(self.blocks());
        parts.push(Part::heading(2, "Statements that need no machine"));
        parts.push(Part::words("Numbers are those of the study on real cores, here and below."));
        parts.extend(self.statements.iter().cloned().map(Part::Statement));
        for conditional in &self.conditional {
            parts.push(Part::heading(2, format!("Statements, if {}", condition(conditional.common))));
            parts.extend(conditional.statements.iter().cloned().map(Part::Statement));
        }
        Document { title: "The PFFT paper's computer, simulated", parts }
    }

    /// What comes out, in a few words.
    fn summary(&self) -> String {
        let gain = |common: f64, groups: usize, width: f64| {
            let mut lines = lines(&self.made.by_width).flatten();
            let found = lines.find(|gain| {
                (gain.groups, gain.together) == (groups, 1)
                    && gain.common.total_cmp(&common).is_eq()
                    && gain.width.total_cmp(&width).is_eq()
            });
            found.map_or(f64::NAN, |gain| gain.mean)
        };
        let [fftw, mkl] = LIBRARIES.map(|library| library.width);
        let tally = |of: &Conditional| {
            let number = |verdict| count(&of.statements, verdict);
            let [hold, part, not] = [Verdict::Holds, Verdict::InPart, Verdict::DoesNotHold].map(number);
            format!("{hold} hold, {part} in part and {not} do not if {}", condition(of.common))
        };
        let tallies: Vec<_> = self.conditional.iter().map(tally).collect();
        let statements = self.conditional.first().map_or(0, |of| of.statements.len());
        format!(
            "**What comes out.** With variations as wide as the published averages make them, dealing alone wins {:.1} times over equal \
             shares with 4 groups and FFTW, and {:.1} times with 2 groups and MKL, if each point varies by itself; {:.1} and {:.1} times if 90% \
             of the variance is common to a length. The paper's means, over one group, are 1.9 and 1.3. On 36 simulated cores, of {statements} \
             statements {}.",
            gain(0.0, 4, fftw),
            gain(0.0, 2, mkl),
            gain(0.9, 4, fftw),
            gain(0.9, 2, mkl),
            tallies.join("; ")
        )
    }

    fn dealing(&self) -> Vec<Part> {
        let row = |line: &[dealing::Gain]| {
            let dealing::Gain { groups, common, together, .. } = line[0];
            let at = |width: f64| {
                let gain = line.iter().find(|gain| gain.width.total_cmp(&width).is_eq());
                gain.map_or_else(|| "-".to_owned(), |gain| ratio(gain.mean))
            };
            let reaches = |target| width_of(line, target).map_or_else(|| "none".to_owned(), short);
            let [fftw, mkl] = PAPERS_SPEED_UPS;
            [
                setting(common, together),
                groups.to_string(),
                reaches(mkl),
                reaches(fftw),
                at(LIBRARIES[0].width),
                at(LIBRARIES[1].width),
            ]
        };
        let names = ["variations", "groups", "w for 1.3x", "w for 1.9x", "x at w = 6.9", "x at w = 10"];
        vec![
            Part::words(format!(
                "{ROWS} rows are dealt in multiples of 128 by functions of {POINTS} points, PFFT-FPM over PFFT-LB in the mean over {} \
                 seeds. *Each point by itself*: no two points have anything in common. *Common to a length*: so much of the variance \
                 is the same for all groups and numbers of rows of a length, and no dealing gets around it. *Neighbours together*: \
                 so many neighbouring numbers of rows are equally slow.",
                self.extent.seeds
            )),
            Part::Table(
                Table::new(names)
                    .titled("The widths that give the paper's means, and what the published widths give")
                    .with(lines(&self.made.by_width).map(row)),
            ),
            Part::figure(figures::by_width(&self.made.by_width)),
        ]
    }

    fn partial(&self) -> Vec<Part> {
        let row = |line: &[dealing::Gain]| {
            let first = [setting(line[0].common, line[0].together), line[0].groups.to_string()];
            first.into_iter().chain(line.iter().map(|gain| ratio(gain.mean))).collect::<Vec<_>>()
        };
        let names = ["variations".to_owned(), "groups".to_owned()];
        let names = names.into_iter().chain(KNOWN.map(|known| known.to_string()));
        vec![
            Part::words(format!(
                "Of the same functions, of width {PARTIAL_WIDTH}, only some points around the equal shares are known. What is known \
                 is right here, so that nothing is lost by it: on real cores a mean of few runs that looks fast by chance is chosen."
            )),
            Part::Table(
                Table::new(names)
                    .titled("PFFT-FPM over PFFT-LB, by how many points of each function are known")
                    .with(lines(&self.made.by_points).map(row)),
            ),
            Part::figure(figures::by_points(&self.made.by_points)),
        ]
    }

    fn machine(&self) -> Vec<Part> {
        let mut parts = vec![
            Part::words(format!(
                "The programs of this project, with a barrier after each step, transform squares without data on 36 simulated cores, \
                 {} N from 128 to 64000. The rows of a group take what its function says; published are the peaks and the averages, 17.0 \
                 Gflop/s and 30% with FFTW, 39.4 and 24% with MKL. **Assumed** are: that the functions of groups vary as widely as the \
                 library's own transform, as widely at every N, and reach its peak together; what is common to a length; 26.5 cycles of a core \
                 for a point that changes places and 100 for an operation of the runtime. PFFT-FPM-PAD is as published: each group pads to \
                 the length that is fastest for it, and only the time counts.",
                self.extent.sizes
            )),
            Part::Table(
                Table::new(
                    ["variations".to_owned(), "library".to_owned()].into_iter().chain(
                        WAYS.map(|(groups, threads)| format!("({groups}, {threads})"))
                            .into_iter()
                            .chain(["chosen".to_owned()]),
                    ),
                )
                .titled("PFFT-LB by groups (p, t), Gflop/s in the mean over all N")
                .with(self.conditional.iter().flat_map(groupings)),
            ),
        ];
        let names = [
            "variations",
            "library",
            "method",
            "all N",
            "most",
            "N ≤ 10000",
            "to 33000",
            "above",
            "the paper",
        ];
        parts.push(Part::Table(
            Table::new(names)
                .titled("Speed-ups over one group, means of ratios by band of N")
                .with(self.conditional.iter().flat_map(speed_ups)),
        ));
        parts.extend(self.conditional.iter().map(|of| Part::figure(figures::speed_ups(of))));
        parts.push(Part::Table(self.verdicts()));
        parts
    }

    /// The verdicts of all conditions beside each other.
    fn verdicts(&self) -> Table {
        let names = [String::new(), "the paper".to_owned()].into_iter();
        let names = names.chain(self.conditional.iter().map(|of| condition(of.common)));
        let rows = self.conditional.first().into_iter().flat_map(|first| first.statements.iter().enumerate());
        let row = |(at, row): (usize, &crate::statements::Row)| {
            let verdicts = self.conditional.iter().map(|of| of.statements[at].verdict.words().to_owned());
            [row.number.to_string(), row.cited()].into_iter().chain(verdicts).collect::<Vec<_>>()
        };
        Table::new(names).titled("Conditional verdicts, whose findings stand at the end").with(rows.map(row))
    }

    fn blocks(&self) -> Vec<Part> {
        let row = |&n: &usize| {
            let of = self.made.transposed.iter().filter(move |of| of.n == n);
            std::iter::once(n.to_string())
                .chain(of.map(|of| format!("{:.1}", of.cycles())))
                .collect::<Vec<_>>()
        };
        let names = std::iter::once("N".to_owned()).chain(SIDES.map(|side| side.to_string()));
        vec![
            Part::words(format!(
                "The paper's transpose, access by access, on the caches and the buffers of translations of its processor, one core of \
                 it: a strip of each square. Sizes are the manufacturer's; that a line of the second cache takes 12 cycles, one of \
                 memory 60 more, a translation of the second buffer 8 and a walk through the tables 30 more, is estimated, and nothing is fetched ahead. The paper takes \
                 blocks of {PAPERS}."
            )),
            Part::Table(
                Table::new(names)
                    .titled("Cycles that a point waits for lines and pages, by the side of blocks")
                    .with(SQUARES.iter().map(row)),
            ),
            Part::figure(figures::blocks(&self.made.transposed)),
        ]
    }
}

/// What a condition is called.
fn condition(common: f64) -> String {
    if common == 0.0 {
        "each point varies by itself".to_owned()
    } else {
        format!("{} is common to a length", percent(common))
    }
}

fn widths() -> Vec<Part> {
    let rows = AVERAGES.map(|(name, average)| {
        let width = width(average);
        [name.to_owned(), percent(average), short(width), percent(average_to_peak(width))]
    });
    let most = WIDTHS[WIDTHS.len() - 1];
    vec![
        Part::words(format!(
            "At its best a group transforms rows at its peak; elsewhere they take 1 + w u times as long, u being uniform from 0 to 1. Then the \
             widest variation, |s1 - s2| / min(s1, s2), is w, and the average speed is ln(1 + w) / w of the peak. Widths up to {most} are tried."
        )),
        Part::Table(
            Table::new(["library", "average / peak in the paper", "width w", "ln(1 + w) / w"])
                .titled("The widths that belong to the published averages")
                .with(rows),
        ),
    ]
}

fn groupings(of: &Conditional) -> Vec<Vec<String>> {
    let row = |found: &crate::study::KernelFindings| {
        let chosen = best(&found.preferences).map(|best| format!("({}, {})", best.groups, best.threads));
        let speeds = found.preferences.iter().map(|way| ratio(way.mean_gflops));
        let first = [condition(of.common), found.kernel.clone()];
        first.into_iter().chain(speeds).chain([chosen.unwrap_or_default()]).collect()
    };
    of.study.kernels.iter().map(row).collect()
}

/// The paper's means and greatest ratios, by library.
fn papers(kernel: &str, method: Method) -> &'static str {
    match (kernel, method) {
        ("fftw", Method::Fpm) => "1.9, at most 6.8",
        ("fftw", Method::FpmPad) => "2, at most 9.4",
        ("mkl", Method::Fpm) => "1.3, at most 2",
        ("mkl", Method::FpmPad) => "1.4, at most 5.9",
        _ => "-",
    }
}

fn speed_ups(of: &Conditional) -> Vec<Vec<String>> {
    let methods = [Method::Lb, Method::Fpm, Method::FpmPad];
    let found = of.study.kernels.iter().flat_map(|found| methods.map(|method| (found, method)));
    let row = |(found, method): (&crate::study::KernelFindings, Method)| {
        let by = found.speed_up(method, Method::Basic, &Band::all())?;
        let bands = Band::papers().map(|band| {
            let by = found.speed_up(method, Method::Basic, &band);
            by.map_or_else(|| "-".to_owned(), |by| ratio(by.mean_of_ratios))
        });
        let first = [condition(of.common), found.kernel.clone(), method.to_string()];
        let figures = [ratio(by.mean_of_ratios), ratio(by.most)].into_iter().chain(bands);
        let papers = papers(&found.kernel, method).to_owned();
        Some(first.into_iter().chain(figures).chain([papers]).collect())
    };
    found.filter_map(row).collect()
}
