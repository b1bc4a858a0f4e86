//! Part of the report on one kernel: its speeds, its speed-ups by band of N, the chosen lengths, and its
//! speed functions.

use std::collections::BTreeMap;

use earth_report::document::{Content, Part};
use earth_report::numbers::{percent, ratio};

use super::figures;
use crate::pfft::study::{Band, KernelFindings, Method, Study, bands, slug};

pub(super) fn of_kernel(study: &Study, found: &KernelFindings) -> Vec<Part> {
    let profiles = Method::EXACT.into_iter().filter_map(|method| {
        let figures = found.figures(method)?;
        let (n, peak) = figures.peak;
        Some([
            method.to_string(),
            format!("{:.2}", figures.average),
            format!("{peak:.2} (N = {n})"),
            percent(figures.average_to_peak()),
            percent(figures.mean_width),
            percent(figures.widest),
        ])
    });
    let baseline = if found.is_by_library() {
        "One group is the library's own transform on its own threads."
    } else {
        "One group is our program with all cores in one group."
    };
    let slug = slug(&found.kernel);
    Content::default()
        .text("kernel", &found.kernel)
        .text("baseline", baseline)
        .rows("profiles", profiles)
        .rows("speed-ups", speed_ups(study, found))
        .parts("choices", choices(found).map(Part::Words))
        .text("null", ratio(found.null_band()))
        .parts("notes", notes(found).map(Part::Words))
        .plot(format!("profile-{slug}"), figures::profile(found))
        .plot(format!("controls-{slug}"), figures::controls(found))
        .plot(format!("imbalance-{slug}"), figures::imbalance(found))
        .plot(format!("surface-{slug}"), figures::surface(found))
        .text("slug", slug)
        .fill(include_str!("kernel.md"))
}

/// Tabulates speed-ups over one group, by band of N.
fn speed_ups(study: &Study, found: &KernelFindings) -> Vec<Vec<String>> {
    let row = |band: &Band, method: Method| {
        let sizes = found.pairs(method, Method::Basic, band).len();
        let figures = match found.speed_up(method, Method::Basic, band) {
            Some(by) => [by.mean_of_ratios, by.ratio_of_means, by.least, by.most].map(ratio),
            // A single row shows that this band has no measurements.
            None if method == Method::Lb => [(); 4].map(|()| "-".to_owned()),
            None => return None,
        };
        let method = if sizes > 0 { method.to_string() } else { "-".to_owned() };
        Some([vec![band.name.clone(), sizes.to_string(), method], figures.into()].concat())
    };
    let bands = bands(&study.sizes, study.steps_to);
    let methods = [Method::One, Method::Lb, Method::Fpm, Method::FpmPad];
    bands
        .iter()
        .flat_map(|band| methods.into_iter().filter_map(|method| row(band, method)).collect::<Vec<_>>())
        .collect()
}

/// Returns the notes on the first row that has any.
fn notes(found: &KernelFindings) -> Option<String> {
    let mut noted = found.rows.iter().filter(|row| !row.notes.is_empty());
    let first = noted.next()?;
    let more = match noted.count() {
        0 => String::new(),
        others => format!(" ({others} other N have notes, too)"),
    };
    Some(format!("N = {}: {}{more}.", first.n, first.notes.join("; ")))
}

/// Describes the chosen shares and padding, and the noise.
fn choices(found: &KernelFindings) -> Option<String> {
    let fpm: Vec<_> = found
        .rows
        .iter()
        .filter_map(|row| Some((row.n, row.timed(Method::Lb)?, row.timed(Method::Fpm)?)))
        .collect();
    if fpm.is_empty() {
        return None;
    }
    let unequal = fpm.iter().filter(|(_, _, fpm)| !fpm.is_balanced()).count();
    let share = |rows: &[usize]| {
        let most = rows.iter().copied().max().unwrap_or_default();
        most as f64 * rows.len() as f64 / rows.iter().sum::<usize>().max(1) as f64 - 1.0
    };
    let farthest = fpm.iter().max_by(|a, b| share(&a.2.rows).total_cmp(&share(&b.2.rows)));
    let at = match farthest.filter(|_| unequal > 0) {
        Some((n, _, timed)) => format!(", the most unequal at N = {n}: {:?}", timed.rows),
        None => String::new(),
    };
    let mut treatments: BTreeMap<&str, usize> = BTreeMap::new();
    for timed in found.rows.iter().filter_map(|row| row.timed(Method::FpmPad)) {
        *treatments.entry(timed.treatment()).or_default() += 1;
    }
    let treated: Vec<_> = treatments.iter().map(|(how, number)| format!("{how} {number}")).collect();
    // With equal distributions, both methods ran the same program.
    let same = fpm.iter().filter(|(_, lb, fpm)| lb.rows == fpm.rows);
    let ratios: Vec<f64> = same.map(|(_, lb, fpm)| lb.time.mean / fpm.time.mean).collect();
    let noise = ratios.iter().copied().reduce(f64::min).map(|least| {
        let (number, most) = (ratios.len(), ratios.iter().copied().fold(least, f64::max));
        format!(
            " **Noise.** At {number} N PFFT-FPM dealt the shares of PFFT-LB, so both are one program. The ratio of their \
             times was {least:.2} to {most:.2}."
        )
    });
    Some(format!(
        "**Choices.** PFFT-FPM dealt unequal shares at {unequal} of {} N{at}. PFFT-FPM-PAD treated rows in these ways, with \
         their numbers of N: {}.{}",
        fpm.len(),
        treated.join(", "),
        noise.unwrap_or_default()
    ))
}
