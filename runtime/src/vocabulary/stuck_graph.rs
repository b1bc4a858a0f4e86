//! The state of a stuck run as a graph in the language of Graphviz. Each frame is a box. Around it are the
//! signals and values that it waits for or still holds, and the frames that hold its address. The text of the
//! report names these frames too.

use std::fmt::{self, Write};

use super::error::{Stuck, StuckFrame, StuckSlot, UnfinishedRound};

impl Stuck {
    /// Returns the report as a graph for Graphviz (`dot -Tsvg`). It shows the frames of the report, by node,
    /// and three kinds of arrows:
    ///
    /// * to a frame, from each slot or cell that it waits for;
    /// * from a frame, to each inlet whose value it has not taken;
    /// * dotted, from a frame to each frame whose address it holds: it might still send what is missing.
    ///
    /// A frame whose state is [`Wire`](crate::Wire) reports all addresses that it holds. For other frames
    /// only the readers of their cells are known. If the report shows all frames, and all report their
    /// addresses, the graph marks a frame whose address no other frame holds: its missing signals can never
    /// come.
    pub fn to_dot(&self) -> String {
        let mut dot = Dot("digraph stuck {\n    rankdir=LR;\n    node [shape=box];\n".to_owned());
        for (number, frame) in self.shown.iter().enumerate() {
            dot.frame(number, frame, self.is_lost(frame));
        }
        for (number, frame) in self.shown.iter().enumerate() {
            let mut held: Vec<_> = frame.holds.iter().filter_map(|&held| self.number(held)).collect();
            held.sort_unstable();
            held.dedup();
            for other in held {
                let _ =
                    writeln!(dot.0, "    frame{number} -> frame{other} [style=dotted, label=\"address\"];");
            }
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

    /// Writes which shown frames hold the address of a frame that waits, as the end of its description.
    pub(crate) fn describe_holders(&self, frame: &StuckFrame, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if frame.waiting.is_empty() && frame.unwritten.is_empty() {
            return Ok(());
        }
        if self.is_lost(frame) {
            return f.write_str(", no other frame holds its address");
        }
        let identity = (frame.node, frame.frame);
        let holds =
            |other: &&StuckFrame| (other.node, other.frame) != identity && other.holds.contains(&identity);
        for (at, other) in self.shown.iter().filter(holds).enumerate() {
            let before = if at == 0 { ", its address is held by" } else { " and" };
            write!(f, "{before} {} on node {}", other.function, other.node)?;
        }
        Ok(())
    }

    /// Returns the position of this frame among the shown frames.
    fn number(&self, (node, frame): (usize, u64)) -> Option<usize> {
        self.shown.iter().position(|shown| (shown.node, shown.frame) == (node, frame))
    }

    /// Whether it is known that no other frame holds an address of this one.
    fn is_lost(&self, frame: &StuckFrame) -> bool {
        let known = self.frames == self.shown.len() && self.shown.iter().all(|frame| frame.reports_addresses);
        let identity = (frame.node, frame.frame);
        let mut others = self.shown.iter().filter(|other| (other.node, other.frame) != identity);
        known
            && self.parked == 0
            && others.all(|other| other.full.is_empty() && !other.holds.contains(&identity))
    }
}

/// The text of the graph so far.
struct Dot(String);

impl Dot {
    fn line(&mut self, name: &str, label: &str, style: &str) {
        let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        // Writing to a `String` does not fail.
        let _ = writeln!(self.0, "    {name} [{style}label=\"{label}\"];");
    }

    fn frame(&mut self, number: usize, frame: &StuckFrame, is_lost: bool) {
        let own = format!("frame{number}");
        let lost = if is_lost { "\nno other frame holds its address" } else { "" };
        self.line(&own, &format!("{}\non node {}{lost}", frame.function, frame.node), "style=bold, ");
        let slot = |StuckSlot { slot, got, expected }: &StuckSlot| {
            format!("slot {slot} lacks {}\ngot {got} of {expected}", expected.wrapping_sub(*got))
        };
        let lacks = frame.waiting.iter().map(slot);
        let unwritten =
            |(cell, asked): &(String, usize)| format!("cell {cell} is not written\nrequested {asked} times");
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
            frame: 7,
            holds: vec![(1 - node, 7), (0, 9), (1 - node, 7)],
            reports_addresses: true,
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
    frame0_lacks1 [label="cell word is not written\nrequested 4 times"];
    frame0_lacks1 -> frame0;
    frame0_holds0 [label="inlet left is full\n2 parked behind"];
    frame0 -> frame0_holds0;
    frame1 [style=bold, label="F<\"a\\b\">\non node 1"];
    frame1_lacks0 [label="slot add lacks 2\ngot 1 of 3"];
    frame1_lacks0 -> frame1;
    frame1_lacks1 [label="cell word is not written\nrequested 4 times"];
    frame1_lacks1 -> frame1;
    frame1_holds0 [label="inlet left is full\n2 parked behind"];
    frame1 -> frame1_holds0;
    frame0 -> frame1 [style=dotted, label="address"];
    frame1 -> frame0 [style=dotted, label="address"];
    more [shape=plaintext, label="and 1 more frames"];
    round0 [style=dashed, label="slot `go` of G on node 1\nended in a round that had\n1 of 2 signals"];
}
"#;
        let dot = stuck.to_dot();
        assert_eq!(dot, expected.replace("F<\"a\\b\">", "F<\\\"a\\\\b\\\">"));
    }

    #[test]
    fn a_frame_whose_address_is_gone_is_marked_if_all_states_are_wire() {
        let frame = |number, holds: &[u64], reports_addresses| StuckFrame {
            function: format!("F{number}"),
            node: 0,
            frame: number,
            holds: holds.iter().map(|&frame| (0, frame)).collect(),
            reports_addresses,
            waiting: Vec::new(),
            full: Vec::new(),
            unwritten: Vec::new(),
        };
        let lost = |frames, reports_addresses| {
            let shown =
                vec![frame(1, &[2], true), frame(2, &[2, 3], reports_addresses), frame(3, &[3], true)];
            let stuck = Stuck { frames, shown, ..Stuck::default() };
            stuck.to_dot().matches("no other frame holds").count()
        };
        // Only the first frame is lost.
        assert_eq!([lost(3, true), lost(3, false), lost(4, true)], [1, 0, 0]);
    }

    #[test]
    fn the_text_names_the_frames_that_hold_the_address_of_a_waiting_one() {
        let frame = |number: u64, holds: &[u64]| StuckFrame {
            function: format!("F{number}"),
            node: 1,
            frame: number,
            holds: holds.iter().map(|&frame| (1, frame)).collect(),
            reports_addresses: true,
            waiting: vec![StuckSlot { slot: "go".to_owned(), got: 0, expected: 1 }],
            ..StuckFrame::default()
        };
        let shown = vec![frame(1, &[1, 2]), frame(2, &[3]), frame(3, &[2])];
        let stuck = Stuck { frames: 3, shown, ..Stuck::default() };
        let waits = "on node 1, slot `go` waits for 1 signal (got 0 of 1)";
        let expected = format!(
            "3 frames are live; F1 {waits}, no other frame holds its address; \
             F2 {waits}, its address is held by F1 on node 1 and F3 on node 1; \
             F3 {waits}, its address is held by F2 on node 1"
        );
        assert_eq!(stuck.to_string(), expected);
        // A frame whose slots do not wait needs no address.
        let Stuck { frames, mut shown, .. } = stuck;
        for frame in &mut shown {
            frame.waiting.clear();
        }
        let text = Stuck { frames, shown, ..Stuck::default() }.to_string();
        assert_eq!(text, "3 frames are live; F1 on node 1; F2 on node 1; F3 on node 1");
    }
}
