//! Text of a monitor that prints: one report when a stall begins, more at doubling intervals, and a line when
//! it ends.
//!
//! A stall begins when a fiber has been running for the monitor's time, or when no fiber runs and none has
//! begun for that time. A report names the fibers that still run. It then says what each node does,
//! how much waits there, and which nodes have no work meanwhile.

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

use super::{Beginning, NodeState, Rest, Seconds, Stall, Surroundings, WatchedUnit};

/// Maximum number of fibers, and of nodes, that a report names.
const SHOWN: usize = 16;

/// Printer of one run.
pub(super) struct Printer {
    after: Duration,
    /// Time of the first look after the run began.
    run_began: Option<Instant>,
    stall: Option<OpenStall>,
}

/// Reported stall that goes on.
struct OpenStall {
    began: Instant,
    /// Duration after which it is reported again.
    next: Duration,
}

impl Printer {
    pub(super) fn new(after: Duration) -> Self {
        Printer { after, run_began: None, stall: None }
    }

    /// Returns the text to print after a look at these units.
    pub(super) fn look(
        &mut self,
        units: &[WatchedUnit],
        surroundings: &dyn Surroundings,
        now: Instant,
    ) -> Option<String> {
        let beginning = surroundings.beginning();
        if beginning == Beginning::NotBegun {
            return None;
        }
        let run_began = *self.run_began.get_or_insert(now);
        let is_idle = units.iter().all(|unit| unit.seen.running.is_none());
        let last = || units.iter().filter_map(|unit| unit.seen.since).fold(run_began, Instant::max);
        let idle = is_idle.then(last);
        let long = |since: &Instant| now.duration_since(*since) >= self.after;
        let running = units.iter().filter(|unit| unit.seen.running.is_some());
        let oldest = running.filter_map(|unit| unit.seen.since).min();
        let Some(began) = oldest.or(idle).filter(long) else { return self.end(now) };
        let stall = self.stall.get_or_insert(OpenStall { began, next: Duration::ZERO });
        let lasted = now.duration_since(stall.began);
        if lasted < stall.next {
            return None;
        }
        stall.next = lasted.max(self.after).saturating_mul(2);
        let mut report = format!("earth: stalled for {}\n", Seconds(lasted));
        let states = units.iter().map(|unit| surroundings.node_state(unit.node)).collect();
        let scene = StalledRun { units, states, surroundings, beginning, now, after: self.after };
        // Writing to a `String` does not fail.
        let _ = scene.describe(idle, &mut report);
        Some(report)
    }

    /// Returns the line for the end of the stall, if there is one.
    pub(super) fn end(&mut self, now: Instant) -> Option<String> {
        let stall = self.stall.take()?;
        Some(format!("earth: the stall ended after {}\n", Seconds(now.duration_since(stall.began))))
    }
}

/// One look at a stalled run.
struct StalledRun<'a> {
    units: &'a [WatchedUnit],
    /// States of the units' nodes.
    states: Vec<NodeState>,
    surroundings: &'a dyn Surroundings,
    beginning: Beginning,
    now: Instant,
    after: Duration,
}

impl StalledRun<'_> {
    /// Writes the lines of a report. No fiber has begun since `idle`, if no fiber runs.
    fn describe(&self, idle: Option<Instant>, text: &mut String) -> fmt::Result {
        let stalls = self.units.iter().filter_map(|unit| unit.stall(self.now, self.after));
        let stalls: Vec<Stall> = stalls.collect();
        for stall in stalls.iter().take(SHOWN) {
            writeln!(text, "  {stall}")?;
        }
        if stalls.len() > SHOWN {
            writeln!(text, "  and {} more fibers", stalls.len() - SHOWN)?;
        }
        if let Some(since) = idle {
            writeln!(text, "  no fiber has begun for {}", Seconds(self.now.duration_since(since)))?;
            if self.beginning == Beginning::AwaitsRanks {
                writeln!(text, "  the run begins when all ranks take part in it")?;
            } else if self.surroundings.is_input_open() && self.states.iter().all(NodeState::is_empty) {
                writeln!(text, "  its open `Input` keeps the run alive: close it or drop it")?;
            }
            if self.surroundings.hides_losses() {
                writeln!(text, "  the link does not report lost ranks: `Machine::heartbeat` names one")?;
            }
        }
        (0..self.units.len()).take(SHOWN).try_for_each(|at| self.describe_node(at, text))?;
        if self.units.len() > SHOWN {
            writeln!(text, "  and {} more nodes", self.units.len() - SHOWN)?;
        }
        self.describe_starving(text)
    }

    /// Writes the line for the node of unit `at`.
    fn describe_node(&self, at: usize, text: &mut String) -> fmt::Result {
        let (unit, state) = (&self.units[at], self.states[at]);
        write!(text, "  node {} ", unit.node)?;
        match (unit.fiber(), self.blocks(at), state.rest) {
            (Some(fiber), ..) => write!(text, "runs fiber `{}` of {}", fiber.fiber, fiber.function)?,
            (None, Some(other), _) => {
                write!(text, "waits for its thread, which runs a fiber of node {other}")?;
            }
            (None, None, Rest::Sleeps) => text.write_str("sleeps")?,
            (None, None, Rest::Looks) => text.write_str("looks for work")?,
            (None, None, Rest::Idle) => text.write_str("has no fiber to run")?,
        }
        let (fibers, tokens) = unit.waiting();
        let queues = [
            (fibers, "fiber"),
            (tokens, "token"),
            (state.shared, "shared token"),
            (state.messages, "message"),
        ];
        let waiting = queues.into_iter().filter(|(count, _)| *count > 0);
        let waiting: Vec<_> = waiting.map(|(count, what)| Amount(count, what).to_string()).collect();
        match &waiting[..] {
            [] => writeln!(text),
            [one] => writeln!(text, "; {one} wait{}", if one.starts_with("1 ") { "s" } else { "" }),
            [first @ .., last] => writeln!(text, "; {} and {last} wait", first.join(", ")),
        }
    }

    /// Returns the node whose fiber occupies the thread of unit `at`.
    fn blocks(&self, at: usize) -> Option<usize> {
        let worker = self.states[at].worker;
        let mut others = self.units.iter().zip(&self.states).enumerate();
        let busy = others.find(|(other, (unit, state))| {
            *other != at && unit.seen.running.is_some() && state.worker == worker
        });
        busy.map(|(_, (unit, _))| unit.node)
    }

    /// Names the nodes that have no work while work waits that only another node can run or share.
    fn describe_starving(&self, text: &mut String) -> fmt::Result {
        let keeps = self.units.iter().filter(|unit| unit.waiting() != (0, 0)).map(|unit| unit.node);
        let keeps: Vec<_> = keeps.collect();
        if keeps.is_empty() {
            return Ok(());
        }
        let starves = self.units.iter().zip(&self.states).enumerate().filter(|(at, (unit, state))| {
            unit.seen.running.is_none() && state.is_empty() && self.blocks(*at).is_none()
        });
        let starves: Vec<_> = starves.map(|(_, (unit, _))| unit.node).collect();
        if starves.is_empty() {
            return Ok(());
        }
        let verb = if starves.len() == 1 { "starves" } else { "starve" };
        writeln!(text, "  {} {verb} while fibers or tokens wait on {}", NodeList(&starves), NodeList(&keeps))
    }
}

impl WatchedUnit {
    /// Returns how many fibers and tokens wait behind its running fiber.
    fn waiting(&self) -> (usize, usize) {
        let (fibers, tokens) = if self.seen.running.is_some() { self.view.waiting() } else { (0, 0) };
        (fibers as usize, tokens as usize)
    }
}

impl NodeState {
    /// Whether no message and no shared token waits there, and its threads do not look for work.
    fn is_empty(&self) -> bool {
        self.messages == 0 && self.shared == 0 && self.rest != Rest::Looks
    }
}

/// Number of things.
struct Amount<'a>(usize, &'a str);

impl fmt::Display for Amount<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Amount(count, what) = self;
        write!(f, "{count} {what}{}", if *count == 1 { "" } else { "s" })
    }
}

/// Numbers of nodes.
struct NodeList<'a>(&'a [usize]);

impl fmt::Display for NodeList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeList(nodes) = self;
        f.write_str(if nodes.len() == 1 { "node " } else { "nodes " })?;
        for (at, node) in nodes.iter().take(SHOWN).enumerate() {
            let before = match at {
                0 => "",
                _ if at + 1 == nodes.len() => " and ",
                _ => ", ",
            };
            write!(f, "{before}{node}")?;
        }
        if nodes.len() > SHOWN {
            write!(f, " and {} more", nodes.len() - SHOWN)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use earth_signal::Activity;
    use snapbox::{assert_data_eq, str};

    use super::super::LastSeen;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Trial on two nodes, at times that the test chooses.
    struct Trial {
        activities: [Activity; 2],
        units: Vec<WatchedUnit>,
        printer: Printer,
        began: Instant,
    }

    /// Surroundings of both nodes.
    struct Around {
        beginning: Beginning,
        is_open: bool,
        hides_losses: bool,
        states: [NodeState; 2],
    }

    impl Surroundings for Around {
        fn beginning(&self) -> Beginning {
            self.beginning
        }
        fn is_input_open(&self) -> bool {
            self.is_open
        }
        fn hides_losses(&self) -> bool {
            self.hides_losses
        }
        fn node_state(&self, node: usize) -> NodeState {
            self.states[node]
        }
    }

    fn around() -> Around {
        let state = |worker| NodeState { worker, rest: Rest::Sleeps, messages: 0, shared: 0 };
        Around { beginning: Beginning::Over, is_open: false, hides_losses: false, states: [0, 1].map(state) }
    }

    impl Trial {
        fn new() -> Self {
            let activities = [Activity::new(), Activity::new()];
            let unit = |(node, activity): (usize, &Activity)| WatchedUnit {
                node,
                view: activity.view(),
                seen: LastSeen::default(),
            };
            let units = activities.iter().enumerate().map(unit).collect();
            Trial { activities, units, printer: Printer::new(2 * SECOND), began: Instant::now() }
        }

        fn look(&mut self, seconds: u32, around: &Around) -> String {
            let now = self.began + seconds * SECOND;
            for unit in &mut self.units {
                unit.look(now);
            }
            self.printer.look(&self.units, around, now).unwrap_or_default()
        }

        fn looks<const N: usize>(&mut self, seconds: [u32; N], around: &Around) -> [bool; N] {
            seconds.map(|seconds| !self.look(seconds, around).is_empty())
        }
    }

    #[test]
    fn a_stall_is_reported_at_doubling_intervals_and_at_its_end() {
        let mut run = Trial::new();
        run.activities[0].begin(0xfffe, 0);
        let times = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16];
        let reported = [false, false, true, false, true, false, false, false, true, false, false, true];
        assert_eq!(run.looks(times, &around()), reported);
        run.activities[0].rest();
        assert_data_eq!(
            run.look(17, &around()),
            str![[r"
earth: the stall ended after 17.0 s

"]]
        );
        assert_eq!(run.looks([18], &around()), [false]);
        assert_eq!(run.printer.end(run.began), None);
        assert_eq!(run.looks([19], &around()), [true], "no fiber has begun since second 17");
        let end = run.printer.end(run.began + 20 * SECOND);
        assert_data_eq!(
            end.expect("it is stalled"),
            str![[r"
earth: the stall ended after 3.0 s

"]]
        );
    }

    #[test]
    fn a_run_that_begins_fibers_is_not_stalled() {
        let mut run = Trial::new();
        for second in 0..9 {
            run.activities[1].begin(1, 1);
            run.activities[1].rest();
            assert_eq!(run.looks([second], &around()), [false]);
        }
    }

    #[test]
    fn a_report_says_what_waits_and_which_nodes_starve() {
        let mut run = Trial::new();
        run.activities[0].begin(0xfffe, 0);
        run.activities[0].waits(1, 92);
        let mut around = around();
        around.states[0].shared = 1;
        around.states[0].messages = 5;
        run.look(0, &around);
        assert_data_eq!(
            run.look(2, &around),
            str![[r"
earth: stalled for 2.0 s
  fiber `[..]` of [..] on node 0 has been running for 2.0 s and has not returned
  node 0 runs fiber `[..]` of [..]; 1 fiber, 92 tokens, 1 shared token and 5 messages wait
  node 1 sleeps
  node 1 starves while fibers or tokens wait on node 0

"]]
        );
        // The node's own message is work for it.
        around.states[1] = NodeState { messages: 1, rest: Rest::Looks, ..around.states[1] };
        assert_data_eq!(
            run.look(4, &around),
            str![[r"
...
  node 1 looks for work; 1 message waits

"]]
        );
        around.states[1] = NodeState { worker: 0, messages: 0, ..around.states[1] };
        assert_data_eq!(
            run.look(8, &around),
            str![[r"
...
  node 1 waits for its thread, which runs a fiber of node 0

"]]
        );
    }

    #[test]
    fn an_open_input_is_named_if_it_alone_keeps_the_run_alive() {
        let text = |is_open, messages| {
            let (mut run, mut around) = (Trial::new(), around());
            (around.is_open, around.states[1].messages) = (is_open, messages);
            run.look(0, &around);
            run.look(2, &around)
        };
        assert_data_eq!(
            text(true, 0),
            str![[r"
earth: stalled for 2.0 s
  no fiber has begun for 2.0 s
  its open `Input` keeps the run alive: close it or drop it
  node 0 sleeps
  node 1 sleeps

"]]
        );
        for other in [text(false, 0), text(true, 3)] {
            assert!(other.contains("no fiber has begun") && !other.contains("Input"), "{other}");
        }
    }

    #[test]
    fn a_rank_is_not_stalled_before_its_run_begins() {
        let (mut run, mut around) = (Trial::new(), around());
        around.beginning = Beginning::NotBegun;
        assert_eq!(run.looks([0, 2, 9], &around), [false; 3]);
        around.beginning = Beginning::Over;
        assert_eq!(run.looks([10, 11, 12], &around), [false, false, true]);
        let (mut run, mut around) = (Trial::new(), self::around());
        (around.beginning, around.hides_losses) = (Beginning::AwaitsRanks, true);
        run.look(0, &around);
        let report = run.look(2, &around);
        assert!(report.contains("the run begins when all ranks take part in it"), "{report}");
        assert!(report.contains("the link does not report lost ranks"), "{report}");
    }

    #[test]
    fn many_nodes_are_listed_in_a_line() {
        let many: Vec<_> = (0..20).collect();
        let text = [&many[..1], &many[..2], &many[..3], &many].map(|nodes| NodeList(nodes).to_string());
        let all = "nodes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 4 more";
        assert_eq!(text, ["node 0", "nodes 0 and 1", "nodes 0, 1 and 2", all]);
    }
}
