use std::collections::BTreeMap;

use earth_fft::Shape;
use earth_report::facts::Facts;

use super::*;
use crate::compare::report::{Side, SubjectInfo, UnitTimes};

fn side(nodes: usize, threads_a_node: usize, time: f64) -> Side {
    Side {
        nodes,
        threads: nodes * threads_a_node,
        seconds: Spread::of(vec![time]),
        gflops: 1.0 / time,
        units: UnitTimes { eu_busy: 3.0, eu_idle: 1.0, su_busy: threads_a_node as f64 - 1.0, su_idle: 0.0 },
        paper_tokens: 7,
        half_butterflies: 5,
        counters: [nodes as u64, 0, 0, 0, 0],
    }
}

fn row(subject: usize, algorithm: &'static str, equal: Equal, block: Option<usize>, nodes: usize) -> Row {
    let spn_nodes = if equal == Equal::Nodes { nodes } else { 2 * nodes };
    let (spn, dual) = (side(spn_nodes, 1, 1e-3), side(nodes, 2, 1.5e-3));
    let ratio = Spread::of(vec![1.5]);
    Row { subject, algorithm, equal, block, spn, dual, ratio, verified_error: 1e-16 }
}

/// Makes a report of two subjects; the name of one needs HTML escapes.
fn report() -> Report {
    let mut series = SubjectInfo::of("<b>&\"x\".csv".to_owned(), 300, Shape::Line(512), "f64", "sample");
    (series.strongest_period, series.amplitudes) = (Some(16.0), vec![1.0; 256]);
    let picture =
        SubjectInfo::of("bricks".to_owned(), 24, Shape::Matrix { rows: 4, cols: 6 }, "f64", "pixel");
    let mut rows = Vec::new();
    for equal in [Equal::Nodes, Equal::Cores] {
        for nodes in [1, 2] {
            rows.extend([2, 8].map(|block| row(0, "sender", equal, Some(block), nodes)));
            rows.push(row(0, "receiver", equal, None, nodes));
            rows.push(row(1, "grouped", equal, None, nodes));
        }
    }
    let machine = Facts { usable_cores: 2, ..Facts::found() };
    let subjects = vec![series, picture];
    let policy = Policy::default();
    Report { schema: 2, machine, policy, pairs: 11, subjects, rows, rows_left_out: 3, rows_too_large: 0 }
}

/// Counts how often each element is opened and closed.
fn elements(page: &str) -> BTreeMap<&str, [usize; 2]> {
    let mut found: BTreeMap<_, [usize; 2]> = BTreeMap::new();
    for tag in page.split('<').skip(1) {
        let (closes, tag) = tag.strip_prefix('/').map_or((0, tag), |tag| (1, tag));
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        if !tag.split('>').next().unwrap_or("").ends_with('/') {
            found.entry(name).or_default()[closes] += 1;
        }
    }
    found
}

#[test]
fn a_page_is_whole_and_needs_nothing_else() {
    let page = report().document().page();
    assert!(page.starts_with("<!DOCTYPE html>"));
    for (name, [opened, closed]) in elements(&page) {
        assert!(opened == closed || ["", "meta"].contains(&name), "{name}: {opened} opened, {closed} closed");
    }
    for outside in ["src=", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
}

#[test]
fn every_figure_states_its_measurement() {
    let page = report().document().page();
    // Ratios over nodes and over blocks, at equal nodes and at equal cores; a speed figure per subject; the
    // units on two machines; a spectrum.
    let figures: Vec<_> = page.split("<figure ").skip(1).collect();
    assert_eq!(figures.len(), 4 + 2 + 2 + 1);
    for figure in &figures {
        assert!(figure.contains("<svg") && figure.contains("role=\"img\" aria-label="));
        let caption = figure.split("<figcaption>").nth(1).unwrap();
        assert!(
            caption.contains("edian") || caption.contains("mean of 11") || caption.contains("amplitude"),
            "{caption}"
        );
    }
    assert!(page.contains("one cycle in 16.0 samples"));
}

#[test]
fn tables_have_every_row_and_names_are_escaped() {
    let page = report().document().page();
    assert_eq!(page.matches("<td>sender</td>").count(), 8 + 2 * 3, "rows, and counters of 1, 2 and 4 nodes");
    assert!(page.contains("2:2*") && page.contains("1:1<") && page.contains("4:2*"));
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;&amp;&quot;x&quot;.csv"));
    assert!(page.contains("Rows left out because the time was over: 3."));
    assert!(page.contains("SPN is faster in 8 of 8 rows at equal nodes"));
}

#[test]
fn a_comparison_of_no_rows_is_a_page_too() {
    let page = Report { rows: Vec::new(), rows_left_out: 36, ..report() }.document().page();
    assert!(page.contains("Rows left out because the time was over: 36.") && page.ends_with("</html>"));
    assert!(!page.contains("Speed"));
}
