//! What was left of a run that could not go on, as a graph in the language of Graphviz: a box for each frame, and what it still
//! lacks or still holds around it.

use std::fmt::Write;

use super::error::{Stuck, StuckFrame, StuckSlot, UnfinishedRound};

impl Stuck {
    /// The report as a graph for Graphviz (`dot -Tsvg`): the frames that it shows, by node; an arrow to a frame from what it
    /// waits for, and from a frame to the values that it has not taken.
    pub fn to_dot(&self) -> String {
        let mut dot = Dot("digraph stuck {\n    rankdir=LR;\n    node [shape=box];\n".to_owned());
        for (number, frame) in self.shown.iter().enumerate() {
            dot.frame(number, frame);
        }
        if self.frames > self.shown.len() {
            let more = format!("and {} more frames", self.frames - self.shown.len());
            dot.line("more", &more, "shape=plaintext, ");
        }
        for (number, UnfinishedRound { slot, got, expected }) in self.rounds.iter().enumerate() {
            let round = format!("{slot}\nended in a round that had\n{got} of {expected} signals");
            dot.line(&format!("round{number}"), &round, "style=dashed, ");
        }
        dot.0 + "}\n"
    }
}

/// The text so far.
struct Dot(String);

impl Dot {
    /// A box with a text in it.
    fn line(&mut self, name: &str, label: &str, style: &str) {
        let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        // Writing to a text does not fail.
        let _ = writeln!(self.0, "    {name} [{style}label=\"{label}\"];");
    }

    fn frame(&mut self, number: usize, frame: &StuckFrame) {
        let own = format!("frame{number}");
        self.line(&own, &format!("{}\non node {}", frame.function, frame.node), "style=bold, ");
        let slot = |StuckSlot { slot, got, expected }: &StuckSlot| {
            format!("slot {slot} lacks {}\ngot {got} of {expected}", expected.wrapping_sub(*got))
        };
        let lacks = frame.waiting.iter().map(slot);
        let unwritten =
            |(cell, asked): &(String, usize)| format!("cell {cell} is not written\nasked for {asked} times");
        for (i, label) in lacks.chain(frame.unwritten.iter().map(unwritten)).enumerate() {
            let name = format!("{own}_lacks{i}");
            self.line(&name, &label, "");
            let _ = writeln!(self.0, "    {name} -> {own};");
        }
        for (i, (inlet, parked)) in frame.full.iter().enumerate() {
            let name = format!("{own}_holds{i}");
            self.line(&name, &format!("inlet {inlet} is full\n{parked} parked behind"), "");
            let _ = writeln!(self.0, "    {own} -> {name};");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::error::EntryName;

    #[test]
    fn all_that_a_report_shows_is_in_its_graph() {
        let frame = |function: &str, node| StuckFrame {
            function: function.to_owned(),
            node,
            waiting: vec![StuckSlot { slot: "add".to_owned(), got: 1, expected: 3 }],
            full: vec![("left".to_owned(), 2)],
            unwritten: vec![("word".to_owned(), 4)],
        };
        let slot =
            EntryName { what: "slot".into(), name: "go".to_owned(), function: "G".to_owned(), node: 1 };
        let stuck = Stuck {
            frames: 3,
            shown: vec![frame("F", 0), frame("F<\"a\\b\">", 1)],
            rounds: vec![UnfinishedRound { slot, got: 1, expected: 2 }],
            ..Stuck::default()
        };
        let expected = r#"digraph stuck {
    rankdir=LR;
    node [shape=box];
    frame0 [style=bold, label="F\non node 0"];
    frame0_lacks0 [label="slot add lacks 2\ngot 1 of 3"];
    frame0_lacks0 -> frame0;
    frame0_lacks1 [label="cell word is not written\nasked for 4 times"];
    frame0_lacks1 -> frame0;
    frame0_holds0 [label="inlet left is full\n2 parked behind"];
    frame0 -> frame0_holds0;
    frame1 [style=bold, label="F<\"a\\b\">\non node 1"];
    frame1_lacks0 [label="slot add lacks 2\ngot 1 of 3"];
    frame1_lacks0 -> frame1;
    frame1_lacks1 [label="cell word is not written\nasked for 4 times"];
    frame1_lacks1 -> frame1;
    frame1_holds0 [label="inlet left is full\n2 parked behind"];
    frame1 -> frame1_holds0;
    more [shape=plaintext, label="and 1 more frames"];
    round0 [style=dashed, label="slot `go` of G on node 1\nended in a round that had\n1 of 2 signals"];
}
"#;
        let dot = stuck.to_dot();
        assert_eq!(dot, expected.replace("F<\"a\\b\">", "F<\\\"a\\\\b\\\">"));
    }
}
