//! A program that communicates with the outside while it runs: it reads lines one after another, sorts the
//! words of each line, and prints each line as soon as it is sorted.
//!
//! ```text
//! cargo run --release -p earth --example programs -- echo 2 spn     # nodes, spn or dual; lines on stdin, to its end
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
use earth::{Config, Eu, Machine, NodeId, Reply, Shared, threaded};

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

/// Serves lines until they end, and prints the results. Returns the machine.
fn serve(
    lines: impl BufRead,
    mut print: impl Write + Send,
    machine: Machine,
) -> (Machine, Result<u64, Box<dyn std::error::Error>>) {
    let (tells, output) = channel();
    std::thread::scope(|scope| {
        let prints = scope
            .spawn(move || output.iter().try_for_each(|(number, line)| writeln!(print, "{number}: {line}")));
        let input = machine.open(Serves::call);
        let fed = feed(lines, &input, &Shared::new(tells));
        let (machine, ran) = input.close().wait();
        let printed = prints.join().expect("it does not panic");
        (machine, ran.map_err(Into::into).and_then(|_| Ok(printed.and(fed)?)))
    })
}

/// Runs the program with its command-line arguments.
pub(crate) fn main(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let nodes = args.next().map_or(Ok(2), |nodes| nodes.parse::<usize>())?;
    let config = args.next().map_or(Ok(Config::Spn), |config| config.parse())?;
    let lines = io::BufReader::new(io::stdin());
    let (_, served) = serve(lines, io::stdout(), Machine::threads(nodes).config(config));
    eprintln!("{} lines", served?);
    Ok(())
}

/// Serves `count` lines and checks the output.
#[allow(dead_code, reason = "tests call it, on machines of their own")]
pub(crate) fn demonstrate(count: u64, machine: &mut Machine) -> Result<(), Box<dyn std::error::Error>> {
    let line = |number: u64| format!("row {number} of the {} rows", count - number);
    let lines: String = (0..count).map(|number| line(number) + "\n").collect();
    let mut printed = Vec::new();
    // An open run owns its machine until it ends.
    let (back, served) =
        serve(lines.as_bytes(), &mut printed, std::mem::replace(machine, Machine::threads(1)));
    *machine = back;
    assert_eq!(served?, count);
    let mut printed: Vec<_> = std::str::from_utf8(&printed)?.lines().map(str::to_owned).collect();
    let mut expected: Vec<_> =
        (0..count).map(|number| format!("{number}: {}", sorted(&line(number)))).collect();
    printed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(printed, expected);
    Ok(())
}
