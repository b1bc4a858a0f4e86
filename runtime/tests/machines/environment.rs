//! Environment variables that diagnose a run: `EARTH_WATCH` and `EARTH_STUCK`. Each test starts this program
//! as a child with the variable, and waits for what the child prints.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStderr, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::channels::channels;
use earth::{Config, Eu, Machine, Reply, Stall, Wire, threaded};
use earth_programs::fib::Fib;
use snapbox::{assert_data_eq, str};

/// Variable that makes a process of these tests a child. Its value is the child's task and machine.
const TASK: &str = "EARTH_TASK_OF_THIS_PROCESS";

/// Time that makes a stall visible soon.
const SOON: &str = "40ms";

/// Number of reports of a stall after which a test no longer waits. Their intervals double.
const MOST_REPORTS: u32 = 10;

/// Waits until the parent sends a line.
fn wait_for_parent() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).expect("the parent keeps the stream open");
}

/// Makes tokens, then blocks its thread.
struct Blocks;

#[threaded]
impl Blocks {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        (0..20).for_each(|_| eu.token(Nothing::call()));
        wait_for_parent();
        eu.put(out, 7);
    }
}

struct Nothing;

#[threaded]
impl Nothing {
    fn start() {}
}

struct Answers;

#[threaded]
impl Answers {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, 8);
    }
}

/// Waits for a signal that another frame never sends.
#[derive(Wire)]
struct Asks {
    out: Reply<u64>,
}

#[threaded]
impl Asks {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.token(Keeps::call(eu.reply(Self::end().answer)));
        Asks { out }
    }

    #[slot]
    fn end(self, answer: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, answer);
    }
}

/// Keeps an address.
#[derive(Wire)]
struct Keeps {
    to: Reply<u64>,
}

#[threaded]
impl Keeps {
    fn start(to: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let _unsent = eu.slot_ref(Self::never());
        Keeps { to }
    }

    #[slot(sync)]
    fn never(self, eu: &mut Eu<Self>) {
        eu.put(self.to, 1);
    }
}

fn machine(name: &str) -> Machine {
    match name {
        "spn" => Machine::threads(2),
        "crowded" => Machine::threads(2 * Machine::usable_cores()),
        "dual" => Machine::threads(2).config(Config::Dual),
        "ranks" => Machine::ranks(channels(1, 8).pop().expect("there is a rank")),
        "stepper" => Machine::stepper(1),
        _ => panic!("no machine is called {name}"),
    }
}

#[test]
fn task_of_this_process() {
    let Ok(asked) = env::var(TASK) else { return };
    let (task, name) = asked.split_once(' ').expect("a task and a machine");
    let mut machine = machine(name);
    let value = match task {
        "blocks" => machine.run(Blocks::call).map(|run| run.value),
        "input" => {
            let input = machine.open(Answers::call);
            wait_for_parent();
            input.close().wait().1.map(|run| run.value)
        }
        "fib" => machine.run(|out| Fib::call(20, out)).map(|run| run.value),
        "monitor" => {
            let report = |stall: &Stall| {
                // The system may interrupt the other fibers for so long that they are reported.
                if stall.at.function == "Blocks" {
                    eprintln!("own monitor: {}", stall.at);
                }
            };
            machine.stall_monitor(Duration::from_millis(1), report).run(Blocks::call).map(|run| run.value)
        }
        "late" => {
            let mut links = channels(2, 8).into_iter();
            machine = Machine::ranks(links.next().expect("there is a rank"));
            let other = links.next().expect("there is another rank");
            thread::spawn(move || {
                wait_for_parent();
                Machine::ranks(other).serve()
            });
            machine.run(Answers::call).map(|run| run.value)
        }
        "stuck" => machine.run(Asks::call).map(|run| run.value),
        _ => panic!("no task is called {task}"),
    };
    println!("\nthe run gave {value:?}");
}

/// Child with a task and a variable.
struct Child {
    process: std::process::Child,
    errors: BufReader<ChildStderr>,
    /// Lines that it has printed to its error stream since the last report began.
    report: String,
}

impl Child {
    fn start(task: &str, (variable, value): (&str, &str)) -> Self {
        let mut command = Command::new(env::current_exe().expect("a test has a program"));
        command.args(["--exact", "environment::task_of_this_process", "--nocapture"]);
        command.env_remove("EARTH_WATCH").env_remove("EARTH_STUCK").env(TASK, task).env(variable, value);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = pipes.spawn().expect("it starts");
        let errors = BufReader::new(process.stderr.take().expect("it is a pipe"));
        Child { process, errors, report: String::new() }
    }

    /// Waits until the report that is printed last ends with a line that contains `text`. Later reports may
    /// contain it, since the system may run a thread late.
    fn wait_for(&mut self, text: &str) {
        let mut reports = 0;
        while reports < MOST_REPORTS {
            let mut line = String::new();
            assert!(self.errors.read_line(&mut line).expect("it is a text") > 0, "it ended: {}", self.report);
            if line.starts_with("earth: stalled") {
                self.report.clear();
                reports += 1;
            }
            self.report += &line;
            if line.contains(text) {
                return;
            }
        }
        panic!("no report has `{text}`: {}", self.report)
    }

    /// Sends a line, and waits for the end. Returns the rest of the error stream, and the result of the run.
    fn go_on(mut self) -> (String, String) {
        let mut input = self.process.stdin.take().expect("it is a pipe");
        // The child may have ended before.
        let _ = input.write_all(b"\n");
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).expect("it is a text");
        let output = self.process.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{rest}");
        let printed = String::from_utf8(output.stdout).expect("it is a text");
        let result = printed.lines().find_map(|line| line.strip_prefix("the run gave ")).expect("it says so");
        (rest, result.to_owned())
    }
}

#[test]
fn a_fiber_that_blocks_is_reported_with_the_nodes_until_it_returns() {
    for name in ["spn", "dual"] {
        let mut child = Child::start(&format!("blocks {name}"), ("EARTH_WATCH", SOON));
        let starves = Machine::usable_cores() > 1;
        child.wait_for(if starves { "node 1 starves" } else { "node 1 waits for its thread" });
        assert_data_eq!(
            &child.report,
            str![[r"
earth: stalled for [..]s
  fiber `start` of Blocks on node 0 has been running for [..]s and has not returned
  node 0 runs fiber `start` of Blocks; [..] wait[..]
...
"]]
        );
        if starves {
            assert_data_eq!(
                &child.report,
                str![[r"
...
  node 1 sleeps
  node 1 starves while fibers or tokens wait on node 0

"]]
            );
        }
        let (rest, result) = child.go_on();
        assert_data_eq!(
            rest,
            str![[r"
...
earth: the stall ended after [..]s

"]]
        );
        assert_eq!(result, "Ok(7)");
    }
}

#[test]
fn a_node_whose_thread_runs_another_node_is_reported() {
    let mut child = Child::start("blocks crowded", ("EARTH_WATCH", SOON));
    child.wait_for("node 0 runs");
    child.wait_for("node 1 ");
    let node_1 = child.report.lines().last().expect("there is a line");
    assert_eq!(node_1, "  node 1 waits for its thread, which runs a fiber of node 0");
    assert_eq!(child.go_on().1, "Ok(7)");
}

#[test]
fn a_rank_whose_fiber_blocks_is_reported() {
    let mut child = Child::start("blocks ranks", ("EARTH_WATCH", SOON));
    child.wait_for("node 0 runs");
    assert_data_eq!(
        &child.report,
        str![[r"
earth: stalled for [..]s
  fiber `start` of Blocks on node 0 has been running for [..]s and has not returned
  node 0 runs fiber `start` of Blocks; 20 tokens wait

"]]
    );
    assert_eq!(child.go_on().1, "Ok(7)");
}

#[test]
fn a_rank_that_waits_for_others_is_reported() {
    let mut child = Child::start("late ranks", ("EARTH_WATCH", SOON));
    child.wait_for("node 0 ");
    assert_data_eq!(
        &child.report,
        str![[r"
earth: stalled for [..]s
  no fiber has begun for [..]s
  the run begins when all ranks take part in it
  node 0 has no fiber to run

"]]
    );
    assert_eq!(child.go_on().1, "Ok(8)");
}

#[test]
fn an_input_that_alone_keeps_the_run_alive_is_reported() {
    for name in ["spn", "dual", "ranks"] {
        let mut child = Child::start(&format!("input {name}"), ("EARTH_WATCH", SOON));
        child.wait_for("its open `Input` keeps the run alive");
        assert_data_eq!(
            &child.report,
            str![[r"
earth: stalled for [..]s
  no fiber has begun for [..]s
  its open `Input` keeps the run alive: close it or drop it

"]]
        );
        child.wait_for(if name == "ranks" { "node 0 has no fiber to run" } else { "node 1 sleeps" });
        let (rest, result) = child.go_on();
        assert_data_eq!(
            rest,
            str![[r"
...
earth: the stall ended after [..]s

"]]
        );
        assert_eq!(result, "Ok(8)");
    }
}

#[test]
fn a_run_that_ends_in_time_prints_nothing() {
    for name in ["spn", "dual", "ranks"] {
        let child = Child::start(&format!("fib {name}"), ("EARTH_WATCH", "10m"));
        assert_eq!(child.go_on(), (String::new(), "Ok(6765)".to_owned()), "{name}");
    }
}

#[test]
fn the_monitor_of_the_program_comes_before_the_variable() {
    let mut child = Child::start("monitor spn", ("EARTH_WATCH", "1ms"));
    child.wait_for("");
    assert_eq!(child.report, "own monitor: fiber `start` of Blocks on node 0\n");
    assert_eq!(child.go_on(), (String::new(), "Ok(7)".to_owned()));
}

#[test]
fn another_value_than_a_time_is_an_error() {
    for name in ["spn", "dual", "ranks"] {
        for wrong in ["", "2", "1.5s", "fast"] {
            let (rest, result) = Child::start(&format!("fib {name}"), ("EARTH_WATCH", wrong)).go_on();
            let why = "the environment variable EARTH_WATCH must be a time such as `500ms`, `2s` or `1m`";
            assert_eq!(
                (rest, result),
                (String::new(), format!("Err({why}, not `{wrong}` (guide, errors: Environment))"))
            );
        }
    }
}

#[test]
fn a_stuck_run_draws_its_graph_to_the_file_of_the_variable() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("stuck.dot");
    for name in ["spn", "dual", "ranks", "stepper"] {
        let child = Child::start(&format!("stuck {name}"), ("EARTH_STUCK", file.to_str().expect("a text")));
        let (rest, result) = child.go_on();
        assert_eq!(rest, "");
        assert_data_eq!(
            result,
            str![
                "Err(the run is stuck: 2 frames are live; [..] on node [..], its address is held by Keeps on node [..], no other frame holds its address (guide, errors: Stuck))"
            ]
        );
        let graph = std::fs::read_to_string(&file).expect("it was written");
        assert_data_eq!(
            graph,
            str![[r#"
digraph stuck {
...
    frame[..] -> frame[..] [style=dotted, label="address"];
}

"#]]
        );
        std::fs::remove_file(&file).expect("it was written");
    }
}

#[test]
fn a_graph_that_cannot_be_written_does_not_hide_the_error() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("none").join("stuck.dot");
    let child = Child::start("stuck spn", ("EARTH_STUCK", file.to_str().expect("a text")));
    let (rest, result) = child.go_on();
    assert_data_eq!(
        rest,
        str![[r"
earth: the graph of the stuck run cannot be written to `[..]stuck.dot`: [..]

"]]
    );
    assert!(result.starts_with("Err(the run is stuck: 2 frames are live"), "{result}");
}
