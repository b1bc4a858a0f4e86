//! Study and the results derived from it, as one JSON object.

use earth_report::document::Paper;
use earth_report::statements::Row;
use earth_report::statements::errata::Erratum;
use serde::Serialize;

use crate::pfft::study::errata::errata;
use crate::pfft::study::statements::STATEMENTS;
use crate::pfft::study::{self, Conditions, KernelFindings, Method, Study};

/// Results of a study, and the verdicts derived from them.
#[derive(Debug)]
pub struct Report {
    /// Command that makes the report.
    pub command: String,
    /// Measurements.
    pub study: Study,
    /// Verdicts on the paper's statements, and its errata.
    pub paper: Paper,
}

/// Version of the JSON.
const ANSWER: u32 = 4;

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    conditions: &'a Conditions,
    kernels: Vec<KernelAnswer<'a>>,
    transposes: &'a [study::Transposes],
    statements: &'a [Row],
    errata: &'a [Erratum],
    left_out: usize,
}

#[derive(Serialize)]
struct KernelAnswer<'a> {
    kernel: &'a str,
    version: Option<&'a str>,
    groups: Option<usize>,
    threads: Option<usize>,
    methods: Vec<MethodAnswer>,
    rows: &'a [study::Methods],
    efforts: &'a [study::Efforts],
    lengths: Option<&'a study::Lengths>,
}

#[derive(Serialize)]
struct MethodAnswer {
    method: Method,
    average_gflops: f64,
    peak_gflops: f64,
    peak_n: usize,
    average_to_peak: f64,
    mean_width: f64,
    widest: f64,
    mean_of_ratios: Option<f64>,
    ratio_of_means: Option<f64>,
}

impl Report {
    /// Makes the report on a study, made by `command`.
    pub fn new(command: String, study: Study) -> Self {
        let (statements, errata) = (STATEMENTS.judged(&study), errata(&study));
        let paper = Paper { statements, errata, changes: include_str!("changes.md"), ..Paper::default() };
        Self { command, study, paper }
    }

    /// Returns the whole report as one JSON object.
    pub fn answer(&self) -> impl Serialize + '_ {
        let kernel = |found: &'_ KernelFindings| {
            let method = |method: Method| {
                let figures = found.figures(method)?;
                let speed_up = found.speed_up(method, Method::Basic, &found.in_steps());
                Some(MethodAnswer {
                    method,
                    average_gflops: figures.average,
                    peak_gflops: figures.peak.1,
                    peak_n: figures.peak.0,
                    average_to_peak: figures.average_to_peak(),
                    mean_width: figures.mean_width,
                    widest: figures.widest,
                    mean_of_ratios: speed_up.map(|speed_up| speed_up.mean_of_ratios),
                    ratio_of_means: speed_up.map(|speed_up| speed_up.ratio_of_means),
                })
            };
            Method::EXACT.into_iter().filter_map(method).collect::<Vec<_>>()
        };
        let kernels = self.study.kernels.iter().map(|found| KernelAnswer {
            kernel: &found.kernel,
            version: found.version.as_deref(),
            groups: found.grouping.map(|grouping| grouping.groups),
            threads: found.grouping.map(|grouping| grouping.threads),
            methods: kernel(found),
            rows: &found.rows,
            efforts: &found.efforts,
            lengths: found.lengths.as_ref(),
        });
        Answer {
            schema: ANSWER,
            conditions: &self.study.conditions,
            kernels: kernels.collect(),
            transposes: &self.study.transposes,
            statements: &self.paper.statements,
            errata: &self.paper.errata,
            left_out: self.study.left_out,
        }
    }
}
