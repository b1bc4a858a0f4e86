//! Places: a processor and the vector instructions that contestants could use. A page has a section for each.

use earth_report::document::{Content, Part, Table};
use earth_report::facts::Facts;

use super::{Report, threads};

/// Processor with vector instructions, and the reports that were measured with them.
pub(super) struct Place<'a> {
    machine: &'a Facts,
    reports: Vec<&'a Report>,
}

impl<'a> Place<'a> {
    /// Returns the places of reports, in the order of the reports.
    pub(super) fn all(reports: &'a [Report]) -> Vec<Self> {
        let mut places: Vec<Self> = Vec::new();
        for report in reports {
            match places.iter_mut().find(|place| name(place.machine) == name(&report.machine)) {
                Some(place) => place.reports.push(report),
                None => places.push(Self { machine: &report.machine, reports: vec![report] }),
            }
        }
        places
    }

    /// Returns the section of the place on a page.
    pub(super) fn shown(&self) -> Vec<Part> {
        let mut peers: Vec<(String, String)> = Vec::new();
        for peer in self.reports.iter().flat_map(|report| &report.peers) {
            let peer = (peer.name.clone(), peer.version().to_owned());
            if !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        let roof = self.reports.iter().map(|report| &report.roof).find(|roof| !roof.rates.is_empty());
        let rates = roof.into_iter().flat_map(|roof| roof.rates.iter().map(move |rates| (roof, rates)));
        let rates = rates.map(|(roof, rates)| {
            let rate = format!(
                "{:.1} GFLOPS of multiply-adds ({}), {:.1} GB/s of memory read and written",
                rates.gflops, roof.instructions, rates.gigabytes
            );
            (threads(rates.threads), rate)
        });
        let missing: Vec<_> = self.reports.iter().flat_map(|report| report.missing.iter().cloned()).collect();
        Content::default()
            .text("name", name(self.machine))
            .parts("machine", [Part::Table(Table::facts(self.machine.named()))])
            .parts("peers", [Part::Table(Table::facts(peers))])
            .parts("rates", [Part::Table(Table::facts(rates))])
            .parts("missing", (!missing.is_empty()).then_some(Part::Lines(missing)))
            .text("limits", self.planning_limits())
            .text("earlier", self.planned_earlier())
            .parts("reports", self.reports.iter().flat_map(|report| report.shown()))
            .fill(include_str!("place.md"))
    }

    /// Returns the time limits of planning, with their reports if they differ.
    fn planning_limits(&self) -> String {
        let mut limits: Vec<(f64, Vec<String>)> = Vec::new();
        for report in &self.reports {
            match limits.iter_mut().find(|(seconds, _)| seconds.to_bits() == report.plan_seconds.to_bits()) {
                Some((_, of)) => of.push(report.what()),
                None => limits.push((report.plan_seconds, vec![report.what()])),
            }
        }
        if let [(seconds, _)] = limits[..] {
            return format!("{seconds} s a plan");
        }
        let parts = limits.iter().map(|(seconds, of)| format!("{seconds} s a plan ({})", of.join("; ")));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Returns a sentence on plans of earlier runs, if there are any.
    fn planned_earlier(&self) -> &'static str {
        let mut entries = self.reports.iter().flat_map(|report| &report.rows).flat_map(|row| &row.entries);
        if entries.any(|entry| entry.planned_earlier) {
            "FFTW's plans were kept in a file (FFTW's wisdom) since an earlier run with the same limit; the \
             planning times are from that run."
        } else {
            ""
        }
    }
}

/// Returns the name of a computer's processor and of the instructions that our kernels used there.
pub(super) fn name(machine: &Facts) -> String {
    let instructions = match &*machine.row_kernel_simd {
        "avx512" => "AVX-512",
        "avx2" if machine.simd.iter().any(|set| set == "avx512f") => "AVX2 on an AVX-512 processor",
        "avx2" => "AVX2",
        other => other,
    };
    // Marks, and words that the names of all processors have, are left out.
    let processor = machine.processor.as_deref().unwrap_or("unknown processor");
    let processor = processor.replace("(R)", "").replace("(TM)", "");
    let words = processor.split_whitespace().filter(|word| !["CPU", "Processor"].contains(word));
    format!("{}, {instructions}", words.collect::<Vec<_>>().join(" "))
}

/// Returns the name of a place as the beginning of file names.
pub(super) fn prefix(machine: &Facts) -> String {
    let name = name(machine).to_lowercase();
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::new(), |prefix, word| prefix + word + "-")
}
