//! A program that communicates with the outside while it runs: it reads lines one after another, sorts the
//! words of each line, and prints each line as soon as it is sorted.
//!
//! ```text
//! cargo run --release -p earth-programs -- echo 2 spn     # nodes, spn or dual; lines on stdin, to its end
//! ```
//!
//! 1. The thread that opened the run reads lines and starts a function for each, by the [`Input`] of the run.
//!    While the input is open, the run continues, and its workers sleep when no line comes.
//! 2. The function has the words sorted on the nodes in turn, and sends them to another thread, which prints.
//! 3. At the end of the lines the input is closed, pending work is finished, and the run ends.
//!
//! Output goes through a channel that fibers share, so a function that uses it stays in its process. The
//! functions that sort may run anywhere.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Sender, channel};

use earth::input::Input;
use earth::{Config, Eu, Machine, NodeId, Reply, Run, Shared, threaded};

use crate::program::{Instance, Machines, Program, ProgramError, Size};

/// Output channel: the number of each line, and its sorted words.
type Out = Shared<Sender<(u64, String)>>;

/// The main function, which returns the number of nodes.
struct Serves;

#[threaded]
impl Serves {
    fn start(out: Reply<usize>, eu: &mut Eu<Self>) {
        eu.put(out, eu.nodes());
    }
}

/// One line: has it sorted, and sends the result to the printing thread.
struct Line {
    number: u64,
    output: Out,
}

#[threaded]
impl Line {
    fn start(number: u64, line: String, output: Out, eu: &mut Eu<Self>) -> Self {
        let node = NodeId::new(number as usize % eu.nodes());
        eu.invoke(node, Sorts::call(line, eu.reply(Self::done().sorted)));
        Line { number, output }
    }

    #[slot]
    fn done(self, sorted: String) {
        // If this fails, the printing thread has ended.
        let _ = self.output.send((self.number, sorted));
    }
}

/// Sorts the words of a line.
struct Sorts;

#[threaded]
impl Sorts {
    fn start(line: String, out: Reply<String>, eu: &mut Eu<Self>) {
        eu.put(out, sorted(&line));
    }
}

fn sorted(line: &str) -> String {
    let mut words: Vec<_> = line.split_whitespace().collect();
    words.sort_unstable();
    words.join(" ")
}

/// Sends lines into the run. Returns their number.
fn feed<R>(lines: impl BufRead, input: &Input<R>, output: &Out) -> io::Result<u64> {
    let mut count = 0;
    for line in lines.lines() {
        input.invoke(NodeId::new(0), Line::call(count, line?, output.clone())).map_err(io::Error::other)?;
        count += 1;
    }
    Ok(count)
}

/// Serves lines until they end, and prints the results. The value of the run is the number of lines.
///
/// An open run owns its machine until it ends.
fn serve(
    lines: impl BufRead,
    mut print: impl Write + Send,
    machine: &mut Machine,
) -> Result<Run<u64>, ProgramError> {
    let own = std::mem::replace(machine, Machine::threads(1));
    let (tells, output) = channel();
    std::thread::scope(|scope| {
        let prints = scope
            .spawn(move || output.iter().try_for_each(|(number, line)| writeln!(print, "{number}: {line}")));
        let input = own.open(Serves::call);
        let fed = feed(lines, &input, &Shared::new(tells));
        let (own, ran) = input.close().wait();
        *machine = own;
        let printed = prints.join().expect("it does not panic");
        let (run, count) = (ran?, printed.and(fed).map_err(|error| ProgramError::Other(error.into()))?);
        Ok(run.map(|_| count))
    })
}

/// Serves the lines of standard input, given the number of nodes and the configuration.
///
/// # Errors
///
/// Wrong arguments, and errors of the run or of standard input or output.
pub fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse::<usize>())?;
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    let lines = io::BufReader::new(io::stdin());
    let run = serve(lines, io::stdout(), &mut Machine::threads(nodes).config(config))?;
    eprintln!("{} lines", run.value);
    Ok(())
}

/// Serves a number of lines.
pub struct Echo;

impl Program for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn title(&self) -> &'static str {
        "lines that come during the run"
    }

    fn sizes(&self) -> &'static [Size] {
        const { &[Size::new("lines", 1_000, 50).within(0, u64::MAX)] }
    }

    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let count = sizes[0];
        let line = move |number: u64| format!("row {number} of the {} rows", count - number);
        let plain = move || {
            let mut printed: Vec<_> =
                (0..count).map(|number| format!("{number}: {}", sorted(&line(number)))).collect();
            printed.sort_unstable();
            printed
        };
        // The nodes print the lines in any order.
        let run = move |machine: &mut Machine| {
            let lines: String = (0..count).map(|number| line(number) + "\n").collect();
            let mut printed = Vec::new();
            let run = serve(lines.as_bytes(), &mut printed, machine)?;
            let printed = String::from_utf8_lossy(&printed);
            let mut printed: Vec<_> = printed.lines().map(str::to_owned).collect();
            printed.sort_unstable();
            Ok::<_, ProgramError>(run.map(|_| printed))
        };
        Ok(Instance::new(plain, run, |printed| format!("{} lines", printed.len())))
    }

    fn machines(&self) -> Machines {
        Machines::RealTime
    }
}
