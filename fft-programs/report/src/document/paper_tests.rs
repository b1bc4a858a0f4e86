use super::*;
use crate::statements::errata::errata;
use crate::statements::{Change, Judged, Statements, judges};

const STATEMENTS: &str = "\
| | judge | the paper | section | rule | figure | why | tell |
|---|---|---|---|---|---|---|---|
| 1 | fast | it is fast | 1 | above 1 | | | the real machine |
| 2 | ours | so is the tree | 2 | the same | | | |
| 3 | | it is old | 3 | none | | | a calendar |
";

fn fast([speed, _]: &[f64; 2], judged: &mut Judged) {
    judged.check(*speed > 1.0, format!("{speed}"));
}

fn ours([speed, _]: &[f64; 2], judged: &mut Judged) {
    judged
        .clause("a")
        .program("tree")
        .check(*speed > 0.0, "above 0")
        .our_program("shared")
        .check(false, "never");
    judged.clause("b").program("tree").reading("one").check(*speed > 0.0, "above 0");
}

fn paper() -> Paper {
    let statements = Statements { table: STATEMENTS, judges: judges![fast, ours] };
    let changed = Change::both("clock").map(|change| (change.clone(), [1.5 * change.factor(), 0.0]));
    let before = "| a |\n|---|\n| I | x | y | z |";
    let table = "| a |\n|---|\n| II | wrong | {right} | kept |";
    Paper {
        statements: statements.judged_again(&[1.5, 0.0], changed),
        errata: errata(&[before], table, |words| words.replace("{right}", "right")),
        parameters: vec![
            Parameter {
                name: "clock".into(),
                status: Status::Estimate,
                value: "1.5 GHz".into(),
                changed: [true; 2],
            },
            Parameter {
                name: "nodes".into(),
                status: Status::Published,
                value: "4".into(),
                changed: [false; 2],
            },
        ],
        changes: "| row |\n|---|\n| 2 | the tree alone | in part | the paper has no shared points |",
    }
}

const TEMPLATE: &str = "# Title\n\nCitation.\n\n<!-- findings -->\n\n- One.\n- {two}.\n\n<!-- figures -->\n\nFigures.\n\n\
                        <!-- more -->\n\n## Method\n\nWords.\n";

#[test]
fn a_page_has_all_sections_in_order() {
    let page = Content::default().text("two", 2).paper(&paper(), TEMPLATE).markdown("");
    let sections: Vec<_> = page.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        sections,
        [
            "# Title",
            "## Findings",
            "## The paper's figures",
            "## The paper's statements",
            "### Rules, findings and reasons",
            "## Errata",
            "## Parameters",
            "## Changed rules",
            "## Method"
        ]
    );
    for line in [
        "The paper's 3 statements: **1 hold, 0 in part, 0 do not, 2 cannot be told.** Errata: 1.",
        "- One.\n- 2.\n",
        "| 1 | the real machine; the machine's `clock` |\n| 3 | a calendar |",
        "| 1 | it is fast (1) | **cannot be told** |",
        "| row | tree | shared |",
        "| 2 | holds: a; holds: b, one | does not hold |",
        "**1. it is fast (1): cannot be told.**\n\n- *rule:* above 1\n- *found:* 1.5\n- *turned by:* `clock` halved (does not hold)",
        "- *found:* a, shared, ours, does not hold: never",
        "| E2 | wrong (II) | right | kept |",
        "| `clock` | estimate | 1.5 GHz | 1 | none |",
        "| `nodes` | published | 4 | - | - |",
        "| 2 | the tree alone | in part | holds | the paper has no shared points |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn a_measured_page_has_no_parameters() {
    let paper = Paper { parameters: Vec::new(), errata: Vec::new(), changes: "", ..paper() };
    let page = Content::default().text("two", 2).paper(&paper, TEMPLATE).markdown("");
    assert!(
        !page.contains("## Parameters") && !page.contains("## Errata") && !page.contains("## Changed"),
        "{page}"
    );
}
